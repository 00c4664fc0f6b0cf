"""Frames show, step for step, what `arena replay` prints, for all eyes; changes and pages lose nothing."""

import random
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from arena.errors import StoreError
from arena.games import names
from arena.records import Ending, FaultRecord
from arena.reports.pages import frames as module
from arena.reports.pages import scenes
from arena.reports.pages.frames import Frames, StoredMatch, change, changed, frames, opinion, stored_match
from arena.reports.pages.scenes import position
from arena.reports.replay import RULE, replay_lines, result_lines
from arena.reports.round_result import round_lines, said
from helpers.games_played import GAMES, play_all_games

EYES = [None, 0, 1]
KEY = bytes(32)


@pytest.fixture(scope="module")
def matches(tmp_path_factory: pytest.TempPathFactory) -> dict[str, StoredMatch]:
    return play_all_games(tmp_path_factory.mktemp("games"))[1]


@pytest.fixture
def no_drawings(monkeypatch: pytest.MonkeyPatch) -> None:
    """As if no room drew its table."""
    monkeypatch.setattr(module, "table_files", lambda *_games: [])


def test_a_match_of_every_game_is_looked_at(matches: dict[str, StoredMatch]) -> None:
    assert sorted(matches) == names() == sorted(game["game"] for game in GAMES)


@pytest.mark.usefixtures("no_drawings")
@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("game", names())
def test_steps_are_those_that_arena_replay_prints(matches: dict[str, StoredMatch], game: str, eyes: int | None) -> None:
    match = matches[game]
    printed = list(replay_lines(match.game, match.record, match.options, match.deal_seed, eyes))
    ending = list(result_lines(match.record, eyes))
    assert list(_lines(sent(match, eyes))) == printed[1 : len(printed) - len(ending)]


@pytest.mark.parametrize("eyes", EYES)
@pytest.mark.parametrize("game", names())
def test_changes_lead_to_the_position_of_every_step(matches: dict[str, StoredMatch], game: str, eyes: int | None) -> None:
    match, whole = matches[game], None
    for one, scene in zip(sent(match, eyes).frames, match.scenes, strict=True):
        whole = one.position if one.position is not None else changed(whole, one.change)
        expected = position(match.game, scene, eyes)
        assert whole == expected


def described(match: StoredMatch) -> set[str]:
    """The kinds of steps that are shown by a text, to any eyes, in place of the table."""
    found = set()
    for eyes in EYES:
        for one, scene in zip(sent(match, eyes).frames, match.scenes, strict=True):
            kind = "end" if scene.is_end_of_round else "step" if scene.played else "deal"
            found |= {kind} if one.text or position(match.game, scene, eyes) is None else set()
    return found


@pytest.mark.parametrize("game", names())
def test_no_step_is_a_text_in_place_of_the_table(
    matches: dict[str, StoredMatch], game: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = matches[game]
    assert any(scene.is_end_of_round for scene in match.scenes) and described(match) == set()
    monkeypatch.setattr(scenes, "_outcomes", lambda game: None)
    assert described(match) <= {"end"}, "only the end of a round needs a table of its own"
    monkeypatch.setattr(module, "table_files", lambda *_games: [])
    assert {"step", "end"} <= described(match)


@pytest.mark.parametrize("game", names())
def test_pages_together_are_the_match(matches: dict[str, StoredMatch], game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PAGE", 7)
    match = matches[game]
    pages = [frames(match, 1, page) for page in range(-(-len(match.scenes) // 7))]
    assert [one for page in pages for one in page.frames] == frames(match, 1).frames
    assert [page.header is None for page in pages] == [False] + [True] * (len(pages) - 1)
    assert all(page.frames[0].position is not None or page.frames[0].text for page in pages)
    assert frames(match, 1, len(pages)).frames == []


@pytest.mark.parametrize("game", names())
def test_a_number_means_the_same_step_for_all_eyes(matches: dict[str, StoredMatch], game: str) -> None:
    match = matches[game]
    outlines = [header_of(match, eyes).outline for eyes in EYES]
    assert all((one.numbers, one.rounds) == (outlines[0].numbers, outlines[0].rounds) for one in outlines)
    numbers, choosing = outlines[0].numbers, outlines[0].choosing
    assert (numbers[0], numbers[-1]) == (0, len(match.record.actions))
    assert [after - before for before, after in pairwise(numbers)] == [len(seats) for seats in choosing[:-1]]
    for eyes in (0, 1):
        shown = outlines[EYES.index(eyes)].choosing
        assert [eyes in seats for seats in shown] == [eyes in seats for seats in choosing]
        assert all(seats == [eyes] or len(seats) < 2 for seats in shown)


def test_a_seat_is_told_neither_the_seed_nor_the_notes_on_others(matches: dict[str, StoredMatch]) -> None:
    match = matches["naga"]
    notes = ("seat 0: crash: at home", "seat 1: crash: abroad")
    match = StoredMatch(match.game, replace(match.record, notes=notes), match.options, match.deal_seed)
    assert header_of(match, None).seed == f"{match.deal_seed:032x}" and header_of(match, None).notes == list(notes)
    assert header_of(match, 0).seed is None
    seed = f"{match.deal_seed:032x}".encode()
    for eyes in (0, 1):
        assert seed not in msgspec.json.encode(frames(match, eyes)) and b"rng" not in msgspec.json.encode(frames(match, eyes))
    assert b"abroad" not in msgspec.json.encode(frames(match, 0))


def test_names_of_bots_are_printable(matches: dict[str, StoredMatch]) -> None:
    match = matches["naga"]
    seats = tuple(replace(seat, bot="\u202e" + "x" * 200 + "\n") for seat in match.record.seats)
    match = StoredMatch(match.game, replace(match.record, seats=seats), match.options, match.deal_seed)
    assert all(len(player.bot) < 100 and player.bot.isprintable() for player in header_of(match, None).players)


def test_faults_are_marked_with_or_without_their_evidence(matches: dict[str, StoredMatch]) -> None:
    match = matches["naga"]
    seats = (replace(match.record.seats[0], fault_decision=3, ending=Ending.CRASH), match.record.seats[1])
    faults = tuple(FaultRecord(seat=0, decision=at, ending=Ending.CRASH, reason="", output="secret") for at in (3, 6))
    for found, expected in (((), [(0, 3)]), (faults, [(0, 3), (0, 6)])):
        changed_record = replace(match.record, seats=seats, faults=found)
        there = frames(StoredMatch(match.game, changed_record, match.options, match.deal_seed), None)
        assert there.header is not None
        assert [(fault.seat, fault.decision) for fault in there.header.faults] == expected
        assert b"secret" not in msgspec.json.encode(there)


@pytest.mark.parametrize("game", names())
def test_it_was_lost_before_the_largest_drop_of_a_decision(matches: dict[str, StoredMatch], game: str) -> None:
    match = matches[game]
    found = opinion(match)
    assert len(found.values) == len(match.scenes)
    for seat, lost in enumerate(found.lost):
        drops = {
            index: found.values[index + 1][seat] - found.values[index][seat]
            for index, scene in enumerate(match.scenes[1:])
            if scene.played  # a new deal is nobody's mistake
        }
        assert drops[lost] == min(drops.values()) < 0 if lost is not None else min(drops.values()) >= 0


def test_a_match_of_other_rules_has_no_frames(matches: dict[str, StoredMatch]) -> None:
    record = matches["naga"].record
    with pytest.raises(StoreError, match="played by version 99 of the rules of naga"):
        stored_match(replace(record, rules_version=99), KEY)
    with pytest.raises(StoreError, match="damaged"):
        frames(stored_match(replace(record, actions=(1 << 40,)), KEY), None)


def test_a_change_leads_from_any_value_to_any_other() -> None:
    rng = random.Random(1)
    for _ in range(2_000):
        old, new = _value(rng, 3), _value(rng, 3)
        there = changed(old, msgspec.json.decode(msgspec.json.encode(change(old, new))))
        assert _sorted(there) == _sorted(new)
        assert change(old, old) is None


def header_of(match: StoredMatch, eyes: int | None) -> Any:
    return frames(match, eyes, 0).header


def sent(match: StoredMatch, eyes: int | None) -> Frames:
    """The frames as a browser gets them."""
    return msgspec.json.decode(msgspec.json.encode(frames(match, eyes)), type=Frames)


def _lines(found: Frames) -> Iterator[str]:
    """The frames in words as `arena replay` prints them."""
    assert found.header is not None
    for one in found.frames:
        names = [player.bot for player in found.header.players]
        for event in one.events:
            told = event.fact and said(event.fact, found.header.game, names)
            yield f"       -> {told}" if told else f"{event.number:5}  seat {event.seat}  {event.text}"
        yield RULE
        yield one.text
        if one.result is not None:
            yield from round_lines(one.result, found.header.game, names)


def _value(rng: random.Random, depth: int) -> Any:
    kind = rng.randrange(6 if depth else 4)
    if kind == 4:
        return [_value(rng, depth - 1) for _ in range(rng.randrange(5))]
    if kind == 5:
        return {rng.choice("abcd"): _value(rng, depth - 1) for _ in range(rng.randrange(4))}
    return (None, rng.randrange(3), rng.choice("xyz"), rng.random())[kind]


def _sorted(value: Any) -> str:
    return msgspec.json.encode(value, order="deterministic").decode()
