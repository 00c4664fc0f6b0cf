"""The process that asks a language model: questions come in as lines of JSON, what came of them goes out the same way.

It alone reaches the network, and it alone reads the key from its environment; the key stands in no line. It speaks to an
OpenAI-compatible `/chat/completions`, streams where the server does, and tries again what may pass: a lost connection, a
limit on the rate, an error of the server. Everything else that is not an answer is reported as it is, and is no loss for
anybody: who plays knows the model's faults from the host's. It ends, in the middle of a call too, when its standard input does.
"""

import contextlib
import http.client
import json
import os
import queue
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from typing import Any

import msgspec

from arena.errors import one_line, printable
from arena.llm.calls import KEY, LASTING, RATE_LIMIT, REFUSED, SERVER, TRANSPORT, Begun, HostFailure, Question, Reply, Said

TRIES = 4
"""How often a call is tried, if its trouble may pass."""
FIRST_PAUSE = 0.5  # seconds before the second try; then twice as long each time
MOST_PAUSE = 60.0  # seconds that a server may have us wait before the next try
MOST_BYTES = 8 << 20  # of an answer
SHOWN = 300  # letters of what a server says
_LOOKED_AT = 8 * SHOWN  # bytes of it: more than are shown, so that a key that is cut off here is not
_QUOTA = "insufficient_quota"


class _Failed(Exception):
    """A call that brought no answer."""

    def __init__(self, kind: str, reason: str, pause: float | None = None) -> None:
        """`pause`: seconds after which the server wants to be asked again."""
        super().__init__(reason)
        self.kind = kind
        self.pause = pause


def main() -> None:
    """Answer questions from standard input until it ends."""
    questions: queue.SimpleQueue[Question] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(questions,), daemon=True).start()
    opener = new_opener()
    while True:
        _say(asked(questions.get(), opener))


def new_opener() -> urllib.request.OpenerDirector:
    """What requests are sent through: the proxies of the environment, and no redirect."""
    return urllib.request.build_opener(_NoRedirects)


def asked(question: Question, opener: urllib.request.OpenerDirector) -> Reply | HostFailure:
    """Ask, again where the trouble may pass and there is time. The reason of a failure never has the key in it.

    The seat has looked at the key before (calls.key_problem).
    """
    key = os.environ.get(question.key_env, "") if question.key_env else ""
    end, pause = time.monotonic() + question.seconds, FIRST_PAUSE
    for number in range(1, TRIES + 1):
        try:
            return _called(question, key, opener, end)
        except _Failed as failed:
            found = failed
        wait = min(MOST_PAUSE, pause if found.pause is None else found.pause)
        if found.kind in LASTING or number == TRIES or time.monotonic() + wait >= end:
            break
        _say(Begun(is_so=False))
        time.sleep(wait)
        pause *= 2
    reason = str(found).replace(key, "***") if key else str(found)
    return HostFailure(kind=found.kind, reason=one_line(printable(reason, SHOWN)))


def _listen(questions: "queue.SimpleQueue[Question]") -> None:
    """Read questions. Once nobody is there to ask any, nobody waits for an answer either: end at once."""
    for line in sys.stdin.buffer:
        questions.put(msgspec.json.decode(line, type=Question))
    os._exit(0)


def _called(question: Question, key: str, opener: urllib.request.OpenerDirector, end: float) -> Reply:
    """Ask once. Raises _Failed."""
    request = urllib.request.Request(
        f"{question.base_url.rstrip('/')}/chat/completions",
        json.dumps(_body(question)).encode(),
        {"Content-Type": "application/json", **({"Authorization": f"Bearer {key}"} if key else {})},
    )
    began = time.monotonic()
    try:
        with opener.open(request, timeout=max(0.05, end - began)) as answer:
            if "event-stream" in answer.headers.get("Content-Type", ""):
                return _streamed(answer, question, began)
            return _whole(answer.read(MOST_BYTES + 1), question, began)
    except urllib.error.HTTPError as error:
        raise _refusal(error) from None
    except (OSError, http.client.HTTPException) as error:  # the first: also URLError and TimeoutError
        cause = getattr(error, "reason", error)
        raise _Failed(TRANSPORT, f"{question.base_url}: {type(cause).__name__}: {cause}") from None
    except ValueError as error:  # an address that no request can be made of
        raise _Failed(REFUSED, f"{question.base_url}: {error}") from None


def _body(question: Question) -> dict[str, Any]:
    """The request. A model that is told how much to think takes its limit under another name."""
    body: dict[str, Any] = {
        "model": question.model, "messages": question.messages, "stream": True, "stream_options": {"include_usage": True},
    }  # fmt: skip
    if question.temperature is not None:
        body["temperature"] = question.temperature
    if question.effort is None:
        return body | {"max_tokens": question.max_tokens}
    return body | {"max_completion_tokens": question.max_tokens, "reasoning_effort": question.effort}


def _streamed(answer: Any, question: Question, began: float) -> Reply:
    """Read an answer that comes bit by bit."""
    texts: list[str] = []
    found: dict[str, Any] = {"model": question.model, "finish_reason": "", "usage": {}}
    first, size, is_whole = 0.0, 0, False
    while line := answer.readline(MOST_BYTES + 1):
        size += len(line)
        if size > MOST_BYTES:
            raise _Failed(SERVER, f"an answer of more than {MOST_BYTES:,} bytes")
        if not line.startswith(b"data:"):
            continue
        data = line[5:].strip()
        if data == b"[DONE]":
            is_whole = True
            break
        for part in _parts(data, found):
            if not first:
                first = time.monotonic() - began
                _say(Begun())
            texts.append(part)
    if not is_whole and not found["finish_reason"]:
        raise _Failed(TRANSPORT, "the answer broke off")
    return _reply("".join(texts), found, first, time.monotonic() - began)


def _parts(data: bytes, found: dict[str, Any]) -> Iterator[str]:
    """The text of one event; an empty one for a thought. `found` takes what else it says."""
    event = _object(data)
    if isinstance(event.get("model"), str):
        found["model"] = event["model"]
    if isinstance(event.get("usage"), dict):
        found["usage"] = event["usage"]
    for choice in _dicts(event.get("choices"))[:1]:
        if isinstance(choice.get("finish_reason"), str):
            found["finish_reason"] = choice["finish_reason"]
        delta = choice.get("delta")
        if isinstance(delta, dict):
            content = delta.get("content")
            if isinstance(content, str) and content:
                yield content
            elif any(delta.get(name) for name in ("reasoning_content", "reasoning")):
                yield ""


def _whole(data: bytes, question: Question, began: float) -> Reply:
    """Read an answer that came at once."""
    if len(data) > MOST_BYTES:
        raise _Failed(SERVER, f"an answer of more than {MOST_BYTES:,} bytes")
    said = _object(data)
    choices = _dicts(said.get("choices"))
    message = choices[0].get("message") if choices else None
    if not isinstance(message, dict):
        raise _Failed(SERVER, f"an answer without choices[0].message: {_shown(data)}")
    content = message.get("content")
    usage, seconds = said.get("usage"), time.monotonic() - began
    found = {
        "model": said["model"] if isinstance(said.get("model"), str) else question.model,
        "finish_reason": str(choices[0].get("finish_reason") or ""), "usage": usage if isinstance(usage, dict) else {},
    }  # fmt: skip
    return _reply(content if isinstance(content, str) else "", found, seconds, seconds)


def _reply(text: str, found: dict[str, Any], first: float, total: float) -> Reply:
    usage = found["usage"]
    return Reply(
        text=text.encode("utf-8", "replace").decode(), finish_reason=one_line(printable(found["finish_reason"], 40)),
        model=one_line(printable(found["model"], 100)), prompt_tokens=_count(usage, "prompt_tokens"),
        cached_tokens=_count(usage.get("prompt_tokens_details"), "cached_tokens"),
        completion_tokens=_count(usage, "completion_tokens"),
        reasoning_tokens=_count(usage.get("completion_tokens_details"), "reasoning_tokens"),
        first_token_s=round(first, 4), total_s=round(total, 4),
    )  # fmt: skip


def _refusal(error: urllib.error.HTTPError) -> _Failed:
    """What a status of HTTP means."""
    said = ""
    with error, contextlib.suppress(OSError, http.client.HTTPException):  # what it says may break off
        said = _shown(error.read(_LOOKED_AT))
    reason = f"HTTP {error.code}: {said}"
    if error.code in (401, 403):
        return _Failed(KEY, reason)
    if error.code == 429:
        if _QUOTA in said:
            return _Failed(REFUSED, reason)
        return _Failed(RATE_LIMIT, reason, _seconds(error.headers.get("Retry-After")))
    return _Failed(
        SERVER if error.code >= 500 or error.code == 408 else REFUSED, reason, _seconds(error.headers.get("Retry-After"))
    )


def _object(data: bytes) -> dict[str, Any]:
    """A JSON object of a server. Raises _Failed for anything else, and for one that tells of an error."""
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        raise _Failed(SERVER, f"not JSON: {_shown(data)}") from None
    if not isinstance(found, dict):
        raise _Failed(SERVER, f"no JSON object: {_shown(data)}")
    if found.get("error"):
        raise _Failed(SERVER, f"an error in place of an answer: {_shown(data)}")
    return found


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _count(usage: Any, name: str) -> int:
    """A number of tokens; 0 where the server does not say it."""
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if type(value) is int and 0 <= value < 1 << 31 else 0


def _seconds(text: str | None) -> float | None:
    """The seconds of a Retry-After; None: none, or a date."""
    try:
        return None if text is None else max(0.0, float(text))
    except ValueError:
        return None


def _shown(data: bytes) -> str:
    """The beginning of what a server says, as it is: it may have the key in it, which `asked` takes out before it cuts."""
    return data[:_LOOKED_AT].decode("utf-8", "replace")


def _say(said: Said) -> None:
    sys.stdout.buffer.write(msgspec.json.encode(said) + b"\n")
    sys.stdout.buffer.flush()


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    """Follows no redirect: the key is for the server that the bot names."""

    def redirect_request(self, *_: Any, **__: Any) -> None:
        """Follow none."""
        return


if __name__ == "__main__":
    main()
