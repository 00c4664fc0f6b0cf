"""The wire protocol of command bots: the schema is what the types say, and no line of a bot breaks the reader."""

import json
import os
import random
import re
import time
import tomllib
from collections import Counter
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest

from arena import games
from arena.agent.command_bot import CommandBot, read_toml
from arena.agent.kits import languages
from arena.cli.main import main
from arena.match import Answer, Fault, play, protocol
from arena.match.sandbox import CommandSeat
from arena.match.sandbox.wire import Pipes
from arena.match.single_match import agree
from arena.records import Clock, Ending, Limits
from helpers.command_bots import PLAIN, SHORT_MATCHES, TOOLS, lacks
from helpers.paths import DOCS, KITS
from helpers.seats_without_process import BLAMED, Nobody, NoKeeper
from helpers.wire_recorder import BOT, Recorder

ID = 77
REPLIES = 6_000
SCHEMA = DOCS / "protocol.schema.json"
PARAMS = {"depth": 3}


def answer(reply: bytes) -> Answer | Fault:
    """What a seat makes of the bytes that come back, after which the output closes."""
    to_host, to_program, output = os.pipe(), os.pipe(), os.pipe()
    os.set_blocking(output[0], False)
    seat = CommandSeat(NoKeeper(), BOT, seed=0, params={}, limits=Limits(memory=1))  # type: ignore[arg-type]
    pipes = Pipes(to_host[0], to_program[1])
    seat._child = Nobody(0, os.open(os.devnull, os.O_RDONLY), pipes, output[0])
    seat._child.use(pipes, protocol.Lines())
    seat._id, seat._limit, seat._began = ID, 5.0, time.perf_counter()
    os.set_blocking(to_host[1], False)
    os.write(to_host[1], reply)
    for number in (to_host[1], to_program[0], output[1]):
        os.close(number)
    found = seat.answer()
    seat.close()
    return found


def nearly_right(chance: random.Random) -> bytes:
    message: Any = chance.choice(
        [
            {"id": ID, "action": 0}, {"id": ID, "action": "field 1"}, {"id": ID, "ok": True}, {"id": ID + 1, "action": 0},
            {"action": 0}, {"id": ID}, {"id": str(ID), "action": 0}, {"id": ID, "action": True}, {"id": ID, "action": None},
            {"id": ID, "action": [0]}, {"id": ID, "action": 0.5}, {"id": ID, "action": 0, "more": 1}, [ID, 0], "text",
            {"id": ID, "action": 10**30}, {"id": ID, "action": "\ud800"}, {"id": ID, "action": "\u2028 \x00 \x1b[2J"},
        ]
    )  # fmt: skip
    data = bytearray(json.dumps(message).encode() + chance.choice([b"\n", b"\r\n", b"", b"\n\n", b" \n"]))
    for _ in range(chance.choice((0, 0, 1, 1, 2, 5))):
        place = chance.randrange(len(data) + 1)
        if chance.random() < 0.5:
            data[place : place + chance.randrange(3)] = chance.randbytes(chance.randrange(4))
        else:
            data[place:place] = chance.choice([b"{", b"[" * 3000, b'"', b"\n", b"\xff", b"9" * 40, b"\\u12", b"1e999", b"NaN"])
    return bytes(data[:60_000])


def test_thousands_of_replies_have_an_ending_each() -> None:
    chance = random.Random(4)
    seen: Counter[str] = Counter()
    for number in range(REPLIES):
        found = answer(nearly_right(chance) if number % 4 else chance.randbytes(chance.choice((0, 1, 30, 2000))))
        if isinstance(found, Fault):
            assert found.ending in BLAMED and found.reason.replace("\n", " ").isprintable()
            seen[found.ending.value] += 1
        else:
            assert isinstance(found.action, str | int)
            seen["answered"] += 1
    assert min(seen[name] for name in ("answered", "malformed", "protocol", "crash")) > 100, seen


@pytest.mark.parametrize(
    ("reply", "ending"),
    [
        (b'{"id": 77, "action": 0}\n{"id": 77, "action": 0}\n', Ending.PROTOCOL),
        (b'{"id": 77, "action": 0}\n ', Ending.PROTOCOL),
        (b'{"id": 78, "action": 0}\n', Ending.PROTOCOL),
        (b'{"id": 77, "ok": true}\n', Ending.MALFORMED),
        (b'{"id": 77, "action": 0, "ending": "host"}\n', Ending.MALFORMED),
        (b'{"id": 77, "action": true}\n', Ending.MALFORMED),
        (b'{"id": 77, "action": "\xff"}\n', Ending.MALFORMED),
        (b'{"id": 77, "action": ' + b"[" * 40_000 + b"\n", Ending.MALFORMED),
        (b"\n", Ending.MALFORMED),
        (b'{"id": 77, "action": 0}', Ending.CRASH),
        (b"", Ending.CRASH),
    ],
)
def test_each_break_of_the_protocol_has_its_ending(reply: bytes, ending: Ending) -> None:
    found = answer(reply)
    assert isinstance(found, Fault) and found.ending is ending, found


def test_a_line_of_64_kib_is_read_and_no_longer_one() -> None:
    for length, is_read in ((protocol.MESSAGE_BYTES, True), (protocol.MESSAGE_BYTES + 1, False)):
        lines = protocol.Lines()
        lines.add(b"x" * (length - 1))
        assert lines.take() is None
        lines.add(b"x\n")
        if is_read:
            assert lines.take() == b"x" * length and not len(lines)
        else:
            with pytest.raises(protocol.NoMessage, match="more than 65,536 bytes"):
                lines.take()
    endless = protocol.Lines()
    endless.add(b"x" * (protocol.MESSAGE_BYTES + 1))
    with pytest.raises(protocol.NoMessage):
        endless.take()


@pytest.mark.parametrize("name", games.names())
def test_real_messages_are_as_the_schema_says(name: str) -> None:
    game = games.load(name)
    seats = [Recorder(seed, PARAMS) for seed in range(game.seats[0])]
    play(game, agree(name, ["x"] * len(seats), seed=2, options=SHORT_MATCHES.get(name), clock=Clock(1.0, 10.0)), seats)
    checker = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    messages = [json.loads(line) for line in seats[0].lines]
    assert [message["type"] for message in messages] == ["start", *["act"] * (len(messages) - 2), "end"] and len(messages) > 4
    for message in messages[:40] + messages[-1:]:
        checker.validate(message)
        assert not checker.is_valid({**message, "id": "1"})
    (start, *acts, _) = messages
    assert start["seed"] == f"{0:032x}" and set(start["options"]) <= {option.name for option in game.options}
    assert all("?" in json.dumps(act["position"]) and act["legal"] for act in acts)


def test_the_stored_schema_is_that_of_the_types() -> None:
    assert SCHEMA.read_text() == protocol.schema_text()
    checker = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    for kind, right in ((protocol.Ready, {"id": 1, "ok": True}), (protocol.Choice, {"id": 1, "action": "call"})):
        assert protocol.decode(json.dumps(right).encode(), kind) == msgspec.convert(right, kind)
        assert checker.is_valid(right) and not checker.is_valid({**right, "x": 1}) and not checker.is_valid({"id": 1})


PAGE = SCHEMA.with_name("wire-protocol.md")
SEED = 1234


def blocks(language: str) -> list[tuple[str, str]]:
    """The page's code blocks in a language, each with the words of the comment before it."""
    pattern = rf"(?:<!-- ([^>]*) -->\n)?```{language}\n(.*?)```"
    return re.findall(pattern, PAGE.read_text(), re.DOTALL)


def test_the_messages_on_the_page_are_real() -> None:
    game = games.load("naga")
    seats = [Recorder(SEED, PARAMS), Recorder(1, PARAMS)]
    seats[0].chance = random.Random(0)
    play(game, agree("naga", ["x", "x"], seed=2, clock=Clock(1.0, 10.0)), seats)
    real = [json.loads(line) for line in seats[0].lines]
    checker = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
    shown = 0
    for place, text in blocks("json"):
        message = json.loads(text)
        checker.validate(message)
        if place:
            assert {**message, "id": 0} == {**real[int(place.split()[1])], "id": 0}
            shown += 1
        elif "ok" in message:
            assert protocol.decode(text.encode(), protocol.Ready).ok
        else:
            action = protocol.decode(text.encode(), protocol.Choice).action
            assert action in (0, real[2]["legal"][0])
    assert shown == 3


def test_the_settings_on_the_page_are_read() -> None:
    (_, settings), (_, build) = blocks("toml")
    bot = read_toml(f"{settings}\n{build}".encode())
    assert isinstance(bot, CommandBot) and bot.command == ["node", "bot.js"]
    assert bot.build is not None and bot.build.command[0] == "rustc"


def test_the_commands_on_the_page_work(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (_, begin), (_, match), (_, schema) = blocks("bash")
    assert schema.split() == ["python", "-m", protocol.__name__]
    (new, *words), (check, *_) = (line.split()[1:] for line in begin.splitlines())
    assert (new, check) == ("new", "check") and words[-1] in TOOLS
    if lacks(PLAIN):
        pytest.skip(lacks(PLAIN))
    monkeypatch.chdir(tmp_path)
    assert main([new, *words[:-1], PLAIN]) == 0  # which needs no compiler
    assert main(match.split()[1:]) == 0
    assert "mybot" in capsys.readouterr().out.partition("place 1")[2]


def test_the_kits_on_the_page_are_those_that_are_there() -> None:
    rows = re.findall(r"^\| `([\w-]+)` \| `[\w.+-]+` \| (?:`(.*?)`)? ?\| `(.*?)` \|$", PAGE.read_text(), re.MULTILINE)
    assert [language for language, _, _ in rows] == languages()
    for language, build, program in rows:
        settings = tomllib.loads((KITS / language / "bot.toml").read_text("utf-8"))
        assert " ".join(settings.get("build", {"command": []})["command"]) == build
        first, *others = settings["command"]
        assert program == (f"{first} ... {others[-1]}" if others else first)
