"""What the process that asks makes of servers that misbehave: it takes no more than it can hold, and shows no key."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import msgspec
import pytest

from arena.llm.asking import MOST_BYTES, asked, new_opener
from arena.llm.calls import KEY, REFUSED, SERVER, HostFailure, Question, key_problem
from helpers.stub_model import Said, action, serving

SECRET = "sk-a-key-that-nobody-may-see-0123456789"
VARIABLE = "ARENA_TEST_MODEL_KEY"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
MEGABYTE = 1 << 20


def question(address: str, *, seconds: float = 0.5) -> Question:
    """A question for which there is time to be asked once: the pause before the second time is as long."""
    return Question(
        base_url=address, model="stub", key_env=VARIABLE, messages=[{"role": "user", "content": "What do you play?"}],
        temperature=None, max_tokens=10, effort=None, seconds=seconds,
    )  # fmt: skip


def failure_of(answer: Callable[[dict[str, Any]], Said]) -> HostFailure:
    with serving(answer) as stub:
        found = asked(question(stub.address), new_opener())
    assert isinstance(found, HostFailure)
    return found


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, SECRET)


def test_a_line_without_end_is_not_read_to_its_end() -> None:
    sent = 0

    def endless() -> Iterator[bytes]:
        nonlocal sent
        yield STREAM + b"data: "
        for _ in range(64):
            sent += MEGABYTE
            yield b"x" * MEGABYTE

    found = failure_of(lambda _: {"raw": endless()})
    assert (found.kind, "more than" in found.reason) == (SERVER, True)
    assert sent < 3 * MOST_BYTES, "but for what the network holds"


@pytest.mark.parametrize("status", [b"401 Unauthorized", b"404 Not Found"])
def test_a_refusal_that_breaks_off_is_still_a_refusal(status: bytes) -> None:
    raw = b"HTTP/1.1 " + status + b"\r\nTransfer-Encoding: chunked\r\n\r\nff\r\nno su"
    found = failure_of(lambda _: {"raw": [raw]})
    assert found.kind == (KEY if b"401" in status else REFUSED)


@pytest.mark.parametrize("letters", range(250, 301, 5))
def test_no_part_of_the_key_is_shown_where_what_a_server_says_is_cut(letters: int) -> None:
    found = failure_of(lambda _: {"status": 401, "body": "x" * letters + SECRET})
    assert found.kind == KEY
    assert "sk-" not in found.reason


def test_an_address_that_cannot_be_asked_is_named() -> None:
    address = f"http://{'a' * 70}.example/v1"  # no label of a name is as long
    found = asked(question(address), new_opener())
    assert isinstance(found, HostFailure)
    assert (found.kind, address in found.reason) == (REFUSED, True)


@pytest.mark.parametrize(
    ("value", "problem"),
    [(SECRET, ""), ("", "is not set"), (f"{SECRET}\n", "line break"), ("sk-\u00e9", "ASCII"), ("sk-\u2026", "ASCII")],
)
def test_what_no_header_can_carry_is_no_key(value: str, problem: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(VARIABLE, value)
    assert problem in key_problem(VARIABLE) and bool(problem) == bool(key_problem(VARIABLE))
    assert SECRET not in key_problem(VARIABLE)


def test_it_ends_with_who_started_it_in_the_middle_of_an_answer() -> None:
    with serving(lambda _: {"text": action("call") * 100, "dawdle": 60.0}) as stub:
        command = [sys.executable, "-m", "arena.llm.asking"]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            assert process.stdin is not None and process.stdout is not None
            process.stdin.write(msgspec.json.encode(question(stub.address, seconds=60.0)) + b"\n")
            process.stdin.flush()
            assert b"begun" in process.stdout.readline()
            process.stdin.close()
            try:
                assert process.wait(timeout=20.0) == 0
            finally:
                process.kill()
