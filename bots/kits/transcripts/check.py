"""Plays this bot through the transcripts: what the hall once sent in a match of each game, line by line.

    python3 transcripts/check.py              in the bot's folder: the program that bot.toml names
    python3 transcripts/check.py COMMAND ...  another one, such as one with a debugger

It checks that each message is answered by one line, at once, with its id and a legal action; that the same seed gives the same
answers; and that the program ends when its input does. It needs Python 3.11, and nothing else.
"""

import json
import queue
import subprocess
import sys
import threading
import tomllib
from pathlib import Path

HERE = Path(__file__).resolve().parent
BOT = HERE.parent
ANSWER_SECONDS = 30  # the first answer may wait until a runtime has started on a busy machine
END_SECONDS = 10


class Wrong(Exception):
    """Raised for what a bot must not do; says what."""


class Program:
    """The bot's program, started for one match."""

    def __init__(self, command: list[str]) -> None:
        try:
            self._process = subprocess.Popen(command, cwd=BOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        except OSError as error:
            raise Wrong(f"{command[0]} cannot be run: {error.strerror}; was it built?") from None
        self._lines: queue.Queue[bytes] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        for line in self._process.stdout:
            self._lines.put(line)
        self._lines.put(b"")  # the end of its output

    def send(self, message: bytes) -> None:
        """Write a line to the program."""
        if not self._lines.empty():
            line = self._lines.get()
            raise Wrong(f"it wrote a line that nobody asked for: {line[:100]!r}" if line else "it closed its output, or ended")
        try:
            self._process.stdin.write(message)
            self._process.stdin.flush()
        except OSError:
            raise Wrong("it closed its input, or ended") from None

    def answer(self) -> dict:
        """The next line that it writes."""
        try:
            line = self._lines.get(timeout=ANSWER_SECONDS)
        except queue.Empty:
            raise Wrong(f"no answer within {ANSWER_SECONDS} s: is each line ended and flushed?") from None
        if not line:
            raise Wrong("it ended without an answer")
        try:
            found = json.loads(line)
        except ValueError:
            raise Wrong(f"no JSON: {line[:100]!r}") from None
        if not line.endswith(b"\n") or not isinstance(found, dict):
            raise Wrong(f"not one object in a line: {line[:100]!r}")
        return found

    def finish(self) -> None:
        """End its input, and wait until it has ended."""
        self._process.stdin.close()
        try:
            line = self._lines.get(timeout=END_SECONDS)
            code = self._process.wait(END_SECONDS) if not line else None
        except (queue.Empty, subprocess.TimeoutExpired):
            raise Wrong(f"it did not end within {END_SECONDS} s after its input") from None
        if line:
            raise Wrong(f"it wrote a line after the end: {line[:100]!r}")
        if code != 0:
            raise Wrong(f"it ended with the exit code {code}")

    def kill(self) -> None:
        """End it, whatever it does."""
        self._process.kill()
        self._process.wait()


def check_start(message: dict, answer: dict) -> None:
    """Raise Wrong unless the answer is that of a start."""
    if answer != {"id": message["id"], "ok": True}:
        raise Wrong(f'start: the answer is {{"id": {message["id"]}, "ok": true}}, not {json.dumps(answer)[:100]}')


def check_act(message: dict, answer: dict) -> None:
    """Raise Wrong unless the answer is a legal action."""
    if not {"id", "action"} <= set(answer) <= {"id", "action", "notes"}:
        raise Wrong(f"an answer has an id and an action, and may have notes: {json.dumps(answer)[:100]}")
    if answer["id"] != message["id"]:
        raise Wrong(f"the id {answer['id']} instead of {message['id']}")
    action, legal = answer["action"], message["legal"]
    if isinstance(action, bool) or not (action in legal or (isinstance(action, int) and 0 <= action < len(legal))):
        raise Wrong(f"the action {json.dumps(action)[:100]} is not legal")
    for note in answer.get("notes", []):
        number = note[1] if len(note) == 2 else None
        if not note or len(note) > 2 or not isinstance(note[0], str) or not isinstance(number, int | float | None):
            raise Wrong(f"a note is a text, or a text and a number: {json.dumps(note)[:100]}")


def played(command: list[str], transcript: Path) -> list[dict]:
    """All answers of the program to a transcript. Raises Wrong."""
    program = Program(command)
    answers = []
    checks = {"start": check_start, "act": check_act}
    try:
        for number, line in enumerate(transcript.read_bytes().splitlines(keepends=True), 1):
            message = json.loads(line)
            try:
                program.send(line)
                if message["type"] in checks:
                    answers.append(program.answer())
                    checks[message["type"]](message, answers[-1])
            except Wrong as wrong:
                raise Wrong(f"line {number}: {wrong}") from None
        program.finish()
    finally:
        program.kill()
    return answers


def main() -> int:
    """Check all transcripts; returns the exit code: 0 if all is right, 1 if not."""
    settings = tomllib.loads((BOT / "bot.toml").read_text("utf-8"))
    command = sys.argv[1:] or settings["command"]
    games = settings.get("games")
    failed = 0
    for transcript in sorted(HERE.glob("*.jsonl")):
        if games is not None and transcript.stem not in games:
            continue
        try:
            answers = played(command, transcript)
            if played(command, transcript) != answers:
                raise Wrong("other answers from the same seed: is there randomness, or a clock, beside the seed?")
        except Wrong as wrong:
            print(f"{transcript.stem}: {wrong}")
            failed = 1
        else:
            print(f"{transcript.stem}: {len(answers)} answers, all right")
    return failed


if __name__ == "__main__":
    sys.exit(main())
