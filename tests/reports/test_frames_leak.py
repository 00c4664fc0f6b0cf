"""No frame of a seat holds anything that the seat cannot know: what is permuted behind its back changes no byte."""

import os

import msgspec
import pytest

from arena.engine.game import Game, States
from arena.engine.random_tables import Decision, Table, decisions, make_table
from arena.games import load, names
from arena.reports.pages.frames import frame
from arena.reports.pages.scenes import Played, Scene
from helpers.views import same_action, seen_after, worlds

FRAMES = 2
"""Frames of a comparison: before the decision and after it."""
WORLDS = 4
"""Worlds that are compared with the true one, for each moment and seat."""
MANY = 20_000 if "ARENA_TEST_ALL" in os.environ else 5_000
"""Frames of each game in the slow test: all five have 100,000 where all is asked for."""


@pytest.mark.parametrize("game", names())
def test_what_a_seat_cannot_know_changes_no_byte_of_its_frames(game: str) -> None:
    assert compared(load(game), 200) >= 200


@pytest.mark.slow
@pytest.mark.parametrize("game", names())
def test_what_a_seat_cannot_know_changes_no_byte_of_thousands_of_frames(game: str) -> None:
    assert compared(load(game), MANY) >= MANY


def test_a_frame_that_showed_too_much_would_be_found() -> None:
    game = load("naga")
    moment = next(decisions(make_table(game, 1)))
    open_eyes = {bytes_of(game, states, moment, None) for states in (moment.states, *worlds(game, moment, 0, WORLDS))}
    assert len(open_eyes) == 1 + WORLDS


def compared(game: Game, wanted: int) -> int:
    """Compare so many frames of seats in permuted worlds with the true ones, in matches of all seat counts and options."""
    found, seed = 0, 0
    while found < wanted:
        table, seed = make_table(game, seed), seed + 1
        for moment in decisions(table):
            found += _compared_at(table, moment, seed)
            if found >= wanted:
                break
    return found


def _compared_at(table: Table, moment: Decision, seed: int) -> int:
    game, found = table.game, 0
    for viewer in range(table.seats):
        true, seen = bytes_of(game, moment.states, moment, viewer), seen_after(game, moment.states, moment, viewer)
        for world in worlds(game, moment, viewer, WORLDS):
            if seen_after(game, world, moment, viewer) == seen:  # what it sees differ, its page may show
                where = f"{table}: {moment}: seat {viewer} is shown more than it knows"
                assert bytes_of(game, world, moment, viewer) == true, where
                found += FRAMES
    return found


def bytes_of(game: Game, states: States, moment: Decision, eyes: int | None) -> bytes:
    """The frames before and after the decision, as they are sent."""
    action = same_action(game, states, moment)
    before = Scene(0, states.tobytes())
    first, place = frame(game, before, eyes, None, in_words=True)
    shown = [first]
    if action is not None:
        after = game.from_bytes(before.state)
        game.engine.step(after, action)
        scene = Scene(1, after.tobytes(), [Played(0, moment.seat, action, before.state)], game.engine.is_round_over(after))
        shown.append(frame(game, scene, eyes, place, in_words=False)[0])
    return msgspec.json.encode(shown)
