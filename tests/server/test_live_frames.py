"""What people are told at a live table is what the replay of the stored match shows to their seats, step for step."""

import random
from itertools import pairwise

import pytest

from arena.games import names
from arena.reports.pages.frames import Frames, changed, frames, stored_match
from arena.server.table_process.messages import Ask, Frame, Ready
from helpers.scripted_tables import SEATS, ScriptedServer, at_random, played, setup


@pytest.mark.parametrize("game", names())
def test_live_frames_are_those_of_the_replay(game: str) -> None:
    for seed in range(3):
        rng, count = random.Random(seed), SEATS[game]
        people = sorted(rng.sample(range(count), rng.randint(1, count)))
        server = ScriptedServer(at_random(seed))
        seats = [None if seat in people else "house:random_bot" for seat in range(count)]
        table, record = played(setup(game, seats, seed=seed), server)
        match = stored_match(record, table.key)
        for seat in people:
            assert server.of(seat, Frame) == replayed(frames(match, seat)), f"{game}, seed {seed}, seat {seat}"


@pytest.mark.parametrize("game", names())
def test_what_happened_since_the_own_last_decision_is_told_once_and_in_order(game: str) -> None:
    server = ScriptedServer(at_random(1))
    played(setup(game, [None] * SEATS[game], seed=1), server)
    assert isinstance(server.sent[0], Ready)
    for seat in range(SEATS[game]):
        told = [one.message for one in server.sent[1:] if one.seat == seat]  # type: ignore[union-attr]
        events = []
        for message in told:
            if isinstance(message, Frame):
                events += message.events
            elif isinstance(message, Ask):
                assert message.since == events
                events = []
        asks = server.of(seat, Ask)
        assert asks and all(first.decision < second.decision for first, second in pairwise(asks))


def replayed(match: Frames) -> list[Frame]:
    """The frames of a replay as a live table tells them."""
    assert match.header is not None
    outline, whole, found = match.header.outline, None, []
    for index, one in enumerate(match.frames):
        whole = one.position if one.position is not None else changed(whole, one.change)
        frame = Frame(
            number=outline.numbers[index], events=one.events, text=one.text, choosing=outline.choosing[index],
            position=None if one.text else whole, is_end_of_round=index in outline.rounds, result=one.result,
        )  # fmt: skip
        found.append(frame)
    return found
