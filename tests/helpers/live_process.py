"""The process of a live table, as the server talks to it."""

import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import msgspec

from arena.server.table_process.messages import Act, Ask, Envelope, FromTable, Setup, ToTable

_FROM_TABLE: msgspec.json.Decoder[FromTable] = msgspec.json.Decoder(FromTable)


class TableProcess:
    """A running `python -m arena.server.table_process.process`."""

    def __init__(self, first_line: bytes) -> None:
        command = [sys.executable, "-m", "arena.server.table_process.process"]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.write(first_line)

    def write(self, line: bytes) -> None:
        """Write a line as it is."""
        assert self.process.stdin is not None
        self.process.stdin.write(line + b"\n")
        self.process.stdin.flush()

    def say(self, message: ToTable) -> None:
        """Write a message."""
        self.write(msgspec.json.encode(message))

    def hang_up(self) -> None:
        """Close the line, as a server that was killed does."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    def messages(self) -> Iterator[FromTable]:
        """What the table says, until it ends or nobody wants more."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            yield _FROM_TABLE.decode(line)

    def until_asked(self) -> Envelope:
        """The next message that asks a person."""
        return next(one for one in self.messages() if isinstance(one, Envelope) and isinstance(one.message, Ask))

    def play_first(self) -> list[FromTable]:
        """All messages until the process ends; people play the first legal action."""
        found = []
        for message in self.messages():
            found.append(message)
            if isinstance(message, Envelope) and isinstance(message.message, Ask):
                self.answer(message)
        return found

    def answer(self, asked: Envelope) -> None:
        """Play the first legal action."""
        assert isinstance(asked.message, Ask)
        self.say(Act(seat=asked.seat, decision=asked.message.decision, action=asked.message.legal[0]))

    def errors(self) -> str:
        """All that the process wrote to stderr, once it has ended."""
        assert self.process.stderr is not None
        return self.process.stderr.read().decode()


@contextmanager
def table_process(first: Setup | bytes) -> Iterator[TableProcess]:
    """A table that plays; it is killed at the end if it still runs."""
    table = TableProcess(first if isinstance(first, bytes) else msgspec.json.encode(first))
    try:
        yield table
    finally:
        table.process.kill()
        table.process.wait()
        for stream in (table.process.stdin, table.process.stdout, table.process.stderr):
            if stream is not None:
                stream.close()
