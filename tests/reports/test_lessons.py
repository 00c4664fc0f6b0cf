"""The guided first rounds: each is played on the engine, and what its texts state is held against the position."""

import re
from dataclasses import dataclass
from typing import Any

import msgspec
import pytest

from arena.engine.game import Document
from arena.errors import ConfigError
from arena.games import load, names
from arena.reports.pages import lessons
from arena.reports.pages.lessons import Lesson, Line, Script, lesson, script
from arena.reports.pages.scenes import Scene, position
from arena.reports.table import LANGUAGES

GAMES = [game for game in names() if load(game).package.startswith("arena.games.")]
"""The games of arena itself, which all have a lesson."""
EXPLAINED = range(8, 16)
"""How many steps of a lesson are explained."""


@dataclass
class DecisionContext:
    """What the learner's seat sees between two steps, and what whoever chooses may play."""

    position: Document | None
    legal: list[str]
    is_shown: bool
    """Whether the lesson stops here; it does not while others choose at the same time as the learner."""


@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_explains_eight_to_fifteen_steps_in_both_languages(game: str) -> None:
    written, rules = found(game)
    said = [line for line in written.steps if line.say]
    assert len(said) in EXPLAINED
    for texts in (written.intro, written.outro, *(line.say or {} for line in said)):
        assert sorted(texts) == sorted(LANGUAGES) and all(text.strip() == text != "" for text in texts.values()), texts
    assert all(line.say for line in written.steps if line.seat == written.seat), "each own step says why"
    for line in said:
        assert all(line.rule in numbers for numbers in rules.values()), f"{line.rule!r} is no heading: {line.say}"


@pytest.mark.parametrize("game", GAMES)
def test_every_action_is_legal_and_every_claim_is_true(game: str) -> None:
    written, _rules = found(game)
    passed = moments(game, written)
    for number, line in enumerate(written.steps):
        claims, where, before = line.claims, f"{line.action}: {line.say}", passed[number]
        checked(before.position, claims.position, where)
        checked(next(moment for moment in passed[number + 1 :] if moment.is_shown).position, claims.after, where)
        assert set(claims.legal) <= set(before.legal), where
        assert not set(claims.illegal) & set(before.legal), where
        assert claims.legal_count in (None, len(before.legal)), f"{len(before.legal)} legal: {where}"


@pytest.mark.parametrize("game", GAMES)
def test_the_page_gets_the_frames_of_the_learners_seat(game: str) -> None:
    written, _rules = found(game)
    shown = shown_of(game)
    own = [step for step in shown.steps if step.seat == written.seat]
    assert own and all(step.action in step.legal and step.choosing == [written.seat] for step in own)
    assert [step.say for step in shown.steps if step.say] == [line.say for line in written.steps if line.say]
    heard = [event.number for step in (*shown.steps, shown.end) for event in step.events]
    assert heard == sorted(heard) and heard, "events come in order"
    assert all(step.legal == [] for step in shown.steps if step.choosing != [written.seat])
    assert msgspec.json.decode(msgspec.json.encode(shown), type=Lesson) == shown


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (Line(seat=0, action="fly"), "step 1: 'fly' is not legal; legal: wait, flip"),
        (Line(seat=1, action="wait"), "step 1: seat 0 is to choose, not 1"),
    ],
)
def test_a_step_that_cannot_be_is_named(line: Line, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    written = Script(seats=2, seat=0, seed=1, intro={}, outro={}, steps=[line])
    monkeypatch.setattr(lessons, "script", lambda _game: written)
    with pytest.raises(ConfigError, match=re.escape(message)):
        lesson.__wrapped__("nertz")


def found(game: str) -> tuple[Script, dict[str, set[str]]]:
    """The lesson as the game writes it, and the numbers of the headings of its rules by language."""
    written, folder = script(game), load(game).folder
    assert written is not None, f"{game} has no page/lesson.json"
    texts = {"en": folder / "RULES.md", "ja": folder / "RULES.ja.md"}
    return written, {
        name: set(re.findall(r"^#+ (\d+\.\d+)\b", path.read_text("utf-8"), re.MULTILINE)) for name, path in texts.items()
    }


def shown_of(game: str) -> Lesson:
    shown = lesson(game)
    assert shown is not None
    return shown


def moments(game: str, written: Script) -> list[DecisionContext]:
    """Every moment of the lesson, the end included: before each step, and after the last one."""
    loaded = load(game)
    states = loaded.deal(written.seats, loaded.resolve_options(written.options, written.seats), written.seed)
    passed = []
    for line in (*written.steps, None):
        is_over = bool(loaded.engine.is_round_over(states))
        texts = [] if is_over else loaded.text.action_texts(states[0], loaded.legal_list(states))
        seen = position(loaded, Scene(0, states.tobytes(), is_end_of_round=is_over), written.seat)
        is_own = line is None or line.say is not None or line.seat == written.seat
        passed.append(DecisionContext(seen, texts, is_own or not loaded.engine.is_simultaneous(states)))
        if line is not None and line.action is not None:
            assert line.action in texts, f"{line.action} is not among {texts}: {line.say}"
            loaded.engine.step(states, loaded.legal_list(states)[texts.index(line.action)])
    return passed


def checked(seen: Document | None, claims: dict[str, Any], where: str) -> None:
    for path, expected in claims.items():
        assert at(seen, path.split(".")) == expected, f"{path} is {at(seen, path.split('.'))!r}: {where}"


def at(value: Any, path: list[str]) -> Any:
    """The value at a path of keys and indices; `length` counts entries."""
    for key in path:
        value = len(value) if key == "length" else value[int(key)] if isinstance(value, list | str) else value[key]
    return value
