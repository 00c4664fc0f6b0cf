"""Rivals of learners: search in compiled code, bots as in a match, snapshots in one batch; all from what their seats see."""

from pathlib import Path
from typing import Any, ClassVar

import msgspec
import numpy as np
import pytest

from arena import search
from arena.agent import Agent, EndInfo, StartInfo
from arena.agent.view import View
from arena.engine.rng import next_word
from arena.errors import ArenaError, BotError, ConfigError
from arena.learning.compiled.layout import COUNT, RIVAL_RNG, SEAT
from arena.learning.rivals import AskedSearch, Batch
from arena.learning.selfplay import SelfPlay
from arena.learning.tables import Tables
from arena.match import Answer, Fault, play
from arena.match.seeds import single_match_seeds
from arena.match.single_match import agree, bot_seat, named
from arena.search.task import Part
from helpers.learning import Chooser, Episode, episodes
from helpers.paths import TESTS


class Noting(Agent[Any]):
    """Chooses at random and notes all that it was asked and told."""

    seen: ClassVar[list[Any]] = []

    def start(self, info: StartInfo) -> None:
        self.seen.append((info.seat, info.seats, dict(info.options)))

    def act(self, view: View) -> str:
        self.seen.append((view.seat, view.position, tuple(view.legal), tuple(view.events)))
        return self.rng.choice(view.legal)

    def end(self, result: EndInfo) -> None:
        self.seen.append(result)


class Eager(Noting):
    """Wants forced decisions, too."""

    seen: ClassVar[list[Any]] = []
    wants_forced = True


class Scripted:
    """Answers what the log of an episode says; implements match.Seat."""

    isolation = "none"
    wants_forced = True

    def __init__(self, seat: int, episode: Episode, tables: Tables) -> None:
        game, states = tables.game, tables.game.deal(tables.seats, tables.options, episode.deal)
        self.actions = []
        for action in episode.log:
            if game.engine.current_seat(states) == seat:
                self.actions.append(action)
            game.engine.advance(states, action)

    def start(self, _info: StartInfo) -> Fault | None:
        return None

    def ask(self, view: View) -> None:
        self.view = view

    def answer(self) -> Answer:
        return Answer(list(self.view.codes).index(self.actions.pop(0)), 0.0, 0.0)

    def end(self, _result: EndInfo) -> None:
        pass


@pytest.mark.parametrize(
    ("game", "seats", "bot", "options"),
    [
        ("naga", 2, Noting, {"series": "first_to:2"}),
        pytest.param("hisatsu", 3, Noting, {}, marks=pytest.mark.slow),
        pytest.param("nertz", 3, Eager, {"max_rounds": 1, "tick_limit": 30}, marks=pytest.mark.slow),
    ],
)
def test_a_bot_is_asked_as_in_a_match(game: str, seats: int, bot: type[Noting], options: dict[str, Any]) -> None:
    tables = Tables(game, 1, seats=seats, rivals=[bot], options=options, logs=True)
    bot.seen.clear()
    tables.reset()
    (first, *_) = played = episodes(tables, 150)
    assert len(played) > 1
    told = list(bot.seen)
    bot.seen.clear()
    setup = agree(game, ["bot"] * seats, options=options)
    seeds = single_match_seeds(first.deal.to_bytes(16, "big"), seats, "rival").bots
    entered: list[Any] = [bot_seat(named(bot, Path()), seed) for seed in seeds]
    entered[first.own] = Scripted(first.own, first, tables)
    record = play(tables.game, msgspec.structs.replace(setup, deal_seed=first.deal), entered)
    assert list(record.actions) == first.log
    assert len(bot.seen) > 2 * seats

    def of(seat: int, noted: list[Any]) -> list[Any]:
        return [one for one in noted if type(one) is tuple and one[0] == seat]

    for seat in set(range(seats)) - {first.own}:
        wanted = of(seat, bot.seen)
        assert of(seat, told)[: len(wanted)] == wanted
    assert EndInfo(tuple(first.places), tuple(first.scores)) in told


def test_a_bot_that_fails_ends_the_step_with_its_reason() -> None:
    for name, reason in (("raises", "rival raises failed: "), ("illegal", "is not legal; legal: ")):
        tables = Tables("naga", 2, rivals=[TESTS / "bad_bots" / f"{name}.py"])
        with pytest.raises(BotError, match=reason):
            tables.reset()
            episodes(tables, 10)
    with pytest.raises(BotError, match="rival fails_at_start does not start: "):
        Tables("naga", 2, rivals=[TESTS / "bad_bots" / "fails_at_start.py"])


def test_a_bot_of_another_game_is_refused() -> None:
    with pytest.raises(BotError, match=r"rival yaniv_counter does not play naga; it plays yaniv"):
        Tables("naga", rivals=["house:yaniv_counter"])


@pytest.mark.parametrize("game", ["naga", pytest.param("nanatoridori", marks=pytest.mark.slow)])
def test_a_search_is_that_of_a_view(game: str) -> None:
    """From the same random words it chooses the same, but for mixed choices, which are drawn by another generator."""
    tables = Tables(game, 8, learners=[0, 1], episode="round", logs=True)
    tables.reset()
    choose, asked, loaded = Chooser(tables), search.Settings(iterations=60), tables.game
    arrays = tables._arrays
    searching = AskedSearch(60, loaded, arrays)
    compared = 0
    for _ in range(12):
        words = arrays.books[:, RIVAL_RNG : RIVAL_RNG + 4].copy()
        searching.choose(np.arange(8))
        for table in range(8):
            seat, count = arrays.books[table, SEAT], int(arrays.books[table, COUNT])
            part = Part(
                loaded, loaded.observed(arrays.states[table : table + 1], seat), int(seat), count, asked, loaded.constants, 0, 1
            )
            part._rng = np.array([next_word(words[table]) for _ in range(4)])
            part.run(0)
            codes = arrays.actions[table, :count].tolist()
            found = search.Findings(loaded, part._observed, codes, part.results, part.counters, asked, part.prior)
            if not found._results[:, 2].any():
                compared += 1
                assert codes[arrays.chosen[table]] == found.best_code
        tables.step(choose(tables.mask))
    assert compared > 20


def test_searches_are_the_same_in_any_company() -> None:
    alone, together = (
        Tables("naga", count, rivals=["search:20"], logs=True, threads=threads) for count, threads in ((1, 1), (4, 2))
    )
    alone.reset()
    together.reset()
    found = episodes(alone, 20)
    assert found and found == [episode for episode in episodes(together, 20) if episode.table == 0]


def test_a_search_is_a_stronger_rival_than_chance() -> None:
    def beaten_by(rival: str, tables: int, steps: int) -> float:
        played = Tables("naga", tables, rivals=[rival], logs=True)
        played.reset()
        return float(np.mean([episode.reward for episode in episodes(played, steps)]))

    assert beaten_by("search:100", 24, 20) < beaten_by("random", 64, 40)


def test_snapshots_get_their_decisions_in_one_batch() -> None:
    batches: list[Batch] = []

    def last(batch: Batch) -> Any:
        batches.append(batch)
        return batch.mask.shape[1] - 1 - batch.mask[:, ::-1].argmax(axis=1)

    play = SelfPlay("naga", 32, snapshots={1: last}, action_features=True, seed=4)
    choose = Chooser(play.tables)
    ended = 0
    for _ in range(20):
        assert (play.seat == 0).all()
        play.step(choose(play.mask))
        ended += len(play.finished)
    assert ended and len(batches) < 3 * 20 and max(len(batch.tables) for batch in batches) > 10
    for batch in batches:
        assert (batch.seat == 1).all() and batch.features.shape == (len(batch.tables), play.features.shape[1])
        assert (batch.mask.sum(axis=1) == batch.counts).all() and batch.action_features is not None


@pytest.mark.parametrize(
    ("answer", "message"),
    [
        (lambda batch: np.full(len(batch.tables), 99), r"rivals\[0\]: index 99 in row 0 is not legal; see the batch's mask"),
        (lambda batch: batch.mask.argmax(axis=1)[1:], r"rivals\[0\]: a whole number for each of \d+ rows is needed, not array"),
        (lambda batch: [0.5] * len(batch.tables), r"rivals\[0\]: a whole number for each of \d+ rows is needed, not array"),
    ],
)  # fmt: skip
def test_what_a_snapshot_gives_is_checked(answer: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        SelfPlay("naga", 8, snapshots={0: answer})


def test_one_policy_plays_all_seats() -> None:
    play = SelfPlay("naga", 16, seed=2)
    choose = Chooser(play.tables)
    rewards, seats = [], set()
    for _ in range(30):
        seats |= set(play.seat.tolist())
        play.step(choose(play.mask))
        rewards += play.seat_rewards[play.finished].tolist()
        assert not play.seat_rewards[~play.terminated].any()
    assert rewards and all(first == -second for first, second in rewards) and seats == {0, 1}
    assert len(play) == 16 and play.counts.min() > 1 and play.actions.shape[0] == 16


@pytest.mark.parametrize(
    ("snapshots", "message"),
    [
        ({2: "random"}, "snapshots: no seat 2; there are seats 0 to 1"),
        ({0: "random", 1: "random"}, "snapshots: one of the 2 seats has to be left for the policy"),
    ],
)
def test_snapshots_at_impossible_seats_are_refused(snapshots: dict[int, Any], message: str) -> None:
    with pytest.raises(ArenaError) as raised:
        SelfPlay("naga", snapshots=snapshots)
    assert str(raised.value) == message


def test_the_seats_of_rivals_follow_the_learner() -> None:
    """Rivals sit in their order from the learner's left on, wherever the learner sits."""
    asked: list[tuple[str, int]] = []

    def named_one(name: str) -> Any:
        def first(batch: Batch) -> Any:
            asked.extend((name, int(seat)) for seat in batch.seat)
            return batch.mask.argmax(axis=1)

        return first

    tables = Tables("naga", 1, rivals=[named_one("left")])
    tables.reset()
    for _ in range(30):
        own = tables.own_seat(0)
        asked.clear()
        tables.step(tables.mask.argmax(axis=1))
        if not tables.terminated[0]:
            assert {seat for _, seat in asked} <= {1 - own}
