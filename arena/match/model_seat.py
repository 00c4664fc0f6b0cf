"""The seat of a language model: it asks the model in a process of its own that has the network, and reads what it answers.

A model's fault (an answer that is no legal action, also after new tries) is the seat's. A trouble of the host (no connection, a
limit on the rate, a wrong key, an error of the server) is the host's: the match is played again, and nobody loses by it. The
clock of the game stands still meanwhile: what is limited is wall time.
"""

import contextlib
import os
import select
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from arena import games
from arena.agent import BotFiles, EndInfo, StartInfo
from arena.agent.model_bot import NOTES, OMIT, ModelSettings
from arena.agent.view import View
from arena.errors import StoreError
from arena.llm.answer import AMBIGUOUS, EMPTY, ILLEGAL, TRUNCATED, UNPARSABLE, read_answer
from arena.llm.answer import Answer as Read
from arena.llm.calls import KEY, LASTING, REFUSED, TRANSPORT, Begun, HostFailure, Question, Reply, Said, key_problem
from arena.llm.kept_answers import AnswerFolder, Message, prompt_hash, question_key
from arena.llm.prompt import again, head
from arena.llm.refusal import explained
from arena.match.seat import Answer, Fault, Spent
from arena.match.situation import Heard, decision_of, situation_of
from arena.records import CallRecord, Ending

ISOLATION = "llm"
"""The isolation level of a language model: none of its code runs here; a process of ours asks it over the network."""
MUST_BE_TRUSTED = "a language model is asked with the organiser's key over the network: it plays only as `trusted: true`"
"""Why a bot with `[llm]` that is not trusted does not play."""
STOPS_AT = 3
"""How many host failures of language models in a row stop a run; one that does not pass by itself stops it alone."""
_ENDINGS = {ILLEGAL: Ending.ILLEGAL, AMBIGUOUS: Ending.ILLEGAL}
_CUT = ("length", "max_tokens")  # why an answer ended, in the words of servers, if it was too long
_ECHO = 4_000  # letters of a wrong answer that the model is shown again
_PIPE = 1 << 16
_ENVIRONMENT = ("PATH", "HOME", "LANG", "SSL_CERT_FILE", "SSL_CERT_DIR")
_WORDS = {
    ILLEGAL: "an action that is not legal", AMBIGUOUS: "an action that may be several", UNPARSABLE: "no action in its answer",
    TRUNCATED: "an answer that was cut off at its limit", EMPTY: "an empty answer",
}  # fmt: skip


class ModelSeat:
    """Asks a language model. A context manager; implements match.Seat."""

    isolation = ISOLATION
    wants_forced = False
    asks_outside = True

    def __init__(self, bot: BotFiles, *, seed: int, answers: AnswerFolder | None = None) -> None:
        """`seed`: the bot's own of the match; `answers`: where answers are kept; None: nowhere."""
        model = bot.model
        assert model is not None, f"{bot.main} is no language model"
        self.spent = Spent()
        """What its decisions have taken in this match; only wall time is known."""
        self.end_fault = ""
        """What went wrong when the bot was told the end: nothing can."""
        self.stops = 0
        """How much its last host failure counts towards STOPS_AT."""
        self._settings: ModelSettings = model.llm
        self._seed = seed
        self._answers = answers
        self._calls: list[CallRecord] = []
        self._process = _Asker(model.llm.key_env)
        self._decisions = 0
        self._notes = ""
        self._heard = Heard()
        self._turn: _Turn | None = None

    def __enter__(self) -> "ModelSeat":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End the process that asks, if it runs."""
        self._process.close()

    def start(self, info: StartInfo) -> Fault | None:
        """Get the fixed part of all questions ready. Nothing is asked yet."""
        settings, self._number = self._settings, info.seat
        self._head = head(
            games.load(info.game), info.seats, info.options, language=settings.language, takes_notes=settings.memory == NOTES
        )  # fmt: skip
        is_offline = self._answers is not None and self._answers.is_offline
        problem = key_problem(settings.key_env) if settings.key_env and not is_offline else ""
        return self._host_fault(HostFailure(kind=KEY, reason=problem)) if problem else None

    def ask(self, view: View) -> None:
        """Put the decision: the model thinks from now on."""
        left = self._settings.match_timeout_s - self.spent.wall
        self._turn = turn = _Turn(view, self._messages(view), min(self._settings.timeout_s, left))
        self._decisions += 1
        if left > 0.0:
            self._put(turn)
        else:
            why = f"its {self._settings.match_timeout_s:g} s of wall time for the match are used up"
            turn.kept = Fault(Ending.TIMEOUT, why)

    def answer(self) -> Answer | Fault:
        """Wait for the model's answer, and ask again while it is no legal action and there are tries left."""
        turn = self._turn
        assert turn is not None
        while True:
            found = turn.kept or self._waited(turn)
            turn.kept = None
            self.spent.wall += time.monotonic() - turn.since
            seconds, turn.since = time.monotonic() - turn.began, time.monotonic()
            if isinstance(found, Fault):
                return found
            read = self._read(turn, found)
            if read.is_action:
                return Answer(read.action, 0.0, seconds)
            if turn.attempt >= self._settings.rethinks:
                return Fault(_ENDINGS.get(read.kind, Ending.MALFORMED), self._told(turn, read))
            self._again(turn, read, found.text)

    def end(self, result: EndInfo) -> None:
        """Do nothing: a model that is not asked learns nothing."""

    def take_calls(self) -> list[CallRecord]:
        """Return the calls since the last time; their `decision` is 0 until the referee says which it was."""
        found, self._calls = self._calls, []
        return found

    def _messages(self, view: View) -> list[Message]:
        """What the model is asked at a decision."""
        self._heard.hear(decision_of(view))
        asked = situation_of(self._settings, view, self._heard.events, notes=self._notes)
        return [{"role": "system", "content": self._head}, {"role": "user", "content": asked}]

    def _put(self, turn: "_Turn") -> None:
        """Ask, unless the answer is kept."""
        settings = self._settings
        turn.prompt = prompt_hash(turn.messages)
        turn.key = question_key(
            turn.prompt, settings, seed=self._seed, decision=self._decisions, attempt=turn.attempt
        )  # fmt: skip
        try:
            kept = self._answers.find(turn.key) if self._answers is not None else None
        except StoreError as error:
            turn.kept = self._host_fault(HostFailure(kind=REFUSED, reason=str(error)))
            return
        if kept is not None:
            turn.kept = kept.reply
        elif self._answers is not None and self._answers.is_offline:
            why = f"no kept answer for decision {self._decisions} of this match in {self._answers.folder}"
            turn.kept = self._host_fault(HostFailure(kind=REFUSED, reason=f"offline: {why}"))
        else:
            self._process.put(
                Question(
                    base_url=settings.base_url, model=settings.model, key_env=settings.key_env, messages=turn.messages,
                    temperature=settings.temperature, max_tokens=settings.max_tokens, effort=settings.effort,
                    seconds=max(0.0, turn.end - time.monotonic()),
                )
            )  # fmt: skip

    def _waited(self, turn: "_Turn") -> Reply | Fault:
        """The answer that comes from the process that asks."""
        found = self._process.wait(turn.end)
        if isinstance(found, Reply):
            if self._answers is not None:
                try:
                    self._answers.keep(turn.key, found, turn.messages)
                except StoreError as error:
                    return self._host_fault(HostFailure(kind=REFUSED, reason=str(error)))
            return found
        if isinstance(found, Begun):  # the time is over, and the model was answering
            limit = min(self._settings.timeout_s, self._settings.match_timeout_s)
            return Fault(Ending.TIMEOUT, f"was still answering after {limit:g} s of wall time for the decision or the match")
        return self._host_fault(found)

    def _host_fault(self, failure: HostFailure) -> Fault:
        self.stops = STOPS_AT if failure.kind in LASTING else 1
        return Fault(Ending.HOST, f"language model {self._settings.model}: {failure.kind}: {failure.reason}")

    def _read(self, turn: "_Turn", reply: Reply) -> Read:
        """Read an answer, and note the call."""
        self.stops = 0
        language = self._settings.language
        read = read_answer(reply.text, turn.view.legal, is_cut=reply.finish_reason in _CUT)
        read = explained(read, turn.view, language=language)
        self._notes = read.notes or self._notes
        self._calls.append(
            CallRecord(
                seat=self._number, decision=0, attempt=turn.attempt, model=reply.model, prompt_sha256=turn.prompt,
                prompt_tokens=reply.prompt_tokens, cached_tokens=reply.cached_tokens,
                completion_tokens=reply.completion_tokens, reasoning_tokens=reply.reasoning_tokens,
                finish_reason=reply.finish_reason, first_token_s=reply.first_token_s, total_s=reply.total_s, kind=read.kind,
                raw=read.raw, played=read.action, answer=turn.key,
            )
        )  # fmt: skip
        return read

    def _again(self, turn: "_Turn", read: Read, text: str) -> None:
        """Ask once more, with what was wrong."""
        settings = self._settings
        legal = None if settings.legal == OMIT else turn.view.legal
        echo = text if len(text) <= _ECHO else f"... {text[-_ECHO:]}"
        turn.messages = [
            *turn.messages,
            {"role": "assistant", "content": echo},
            {"role": "user", "content": again(read, legal=legal, language=settings.language)},
        ]
        turn.attempt += 1
        self._put(turn)

    def _told(self, turn: "_Turn", read: Read) -> str:
        """Why a model is at fault, in words."""
        tries = f" in {turn.attempt + 1} tries" if turn.attempt else ""
        why = f": {read.raw}" if read.raw else ""
        rule = f" (rules, {read.rule})" if read.rule else ""
        return f"{_WORDS[read.kind]}{tries}{why}{rule}"


class _Turn:
    """A decision while it is asked for."""

    def __init__(self, view: View, messages: list[Message], seconds: float) -> None:
        self.view = view
        self.messages = messages
        self.attempt = 0
        self.began = self.since = time.monotonic()
        self.end = self.began + seconds
        self.prompt = self.key = ""
        self.kept: Reply | Fault | None = None  # what is known without asking


class _Asker:
    """The process that asks (arena/llm/asking.py), started when it is first needed."""

    def __init__(self, key_env: str) -> None:
        self._key_env = key_env
        self._process: subprocess.Popen[bytes] | None = None
        self._read = b""

    def put(self, question: Question) -> None:
        """Send a question. What goes wrong shows when the answer is waited for."""
        if self._process is None:
            self._process = subprocess.Popen(
                [sys.executable, "-P", "-m", "arena.llm.asking"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL, env=_environment(self._key_env), start_new_session=True,
            )  # fmt: skip
            self._read = b""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(msgspec.json.encode(question) + b"\n")
            self._process.stdin.flush()

    def wait(self, end: float) -> Said:
        """What came of the question: a Reply, a HostFailure, or Begun: at `end` the answer was not whole yet."""
        has_begun = False
        while True:
            line = self._line(end)
            if line is None:
                self.close()
                return Begun() if has_begun else HostFailure(kind=TRANSPORT, reason="no answer in the time that there was")
            if not line:
                self.close()
                return HostFailure(kind=TRANSPORT, reason="the process that asks ended by itself")
            said: Said = msgspec.json.decode(line, type=Said)
            if not isinstance(said, Begun):
                return said
            has_begun = said.is_so

    def close(self) -> None:
        """End the process."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None and process.stdout is not None
        with contextlib.suppress(OSError):
            process.stdin.close()
        process.kill()
        process.stdout.close()
        process.wait()

    def _line(self, end: float) -> bytes | None:
        """The next line; empty: there is no process any more; None: it did not come in time."""
        assert self._process is not None and self._process.stdout is not None
        pipe = self._process.stdout.fileno()
        while b"\n" not in self._read:
            if not select.select([pipe], [], [], max(0.0, end - time.monotonic()))[0]:
                return None
            news = os.read(pipe, _PIPE)
            if not news:
                return b""
            self._read += news
        line, _, self._read = self._read.partition(b"\n")
        return line


def _environment(key_env: str) -> Mapping[str, str]:
    """What the process needs of this one's environment: the key, the way to the network, and no more."""
    proxies = [name for name in os.environ if name.lower().endswith("_proxy")]
    names: Sequence[str] = [*_ENVIRONMENT, *proxies, *([key_env] if key_env else [])]
    found: dict[str, Any] = {name: os.environ[name] for name in names if name in os.environ}
    return {**found, "PYTHONPATH": os.pathsep.join(path for path in sys.path if path)}
