"""The compiled search: it knows what its seat sees and no more, repeats itself, and comes near to what is exactly right."""

import itertools
import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import numpy as np
import pytest

from arena.agent import Agent, StartInfo, read_bot
from arena.agent.view import View
from arena.engine.game import Game, States
from arena.engine.options import OptionValue
from arena.engine.rng import derive, seed_words
from arena.errors import ConfigError
from arena.games import load, names
from arena.match import Answer, play
from arena.match.sandbox import LockedSeat, Supervisor
from arena.match.single_match import agree, play_match
from arena.records import Clock, Ending
from arena.search import Findings, Memory, scratch, task
from arena.search.scratch import Scratch
from arena.search.settings import METHODS, Settings
from arena.search.workspace import NANOSECONDS, SHARE
from helpers.locked_matches import CLOCK, LIMITS
from helpers.paths import HOUSE_BOTS
from lab.exact import naga
from lab.exact.games import grow
from lab.exact.solve import best_response, solve
from lab.exact.tree import Tree

GAMES, NAGA = names(), load("naga")
BOT = read_bot(HOUSE_BOTS / "ismcts.py")


def view_of(game: Game, states: States, seat: int) -> View:
    """What the referee hands to the bot of a seat that is to choose."""
    seen = game.observed(states, seat)
    return game.view(game, seen, seat, codes=game.legal_list(seen), events=list, clock=Clock(1.0, 1.0))


def moments(game: Game, seats: int, deal: int, count: int = 6) -> Iterator[tuple[States, int]]:
    """Some decisions of a match of random actions with a choice, and who is to choose."""
    chance = random.Random(deal)
    states = game.deal(seats, game.resolve_options({}, seats), deal)
    for number in range(30 * count):
        codes = game.legal_list(states)
        if len(codes) > 1 and number % 29 < 2:
            yield game.from_bytes(states.tobytes()), game.engine.current_seat(states)
        game.engine.advance(states, chance.choice(codes))
        if game.engine.is_terminal(states):
            return


def same(one: Findings, other: Findings) -> bool:
    return one.best == other.best and one.choices == other.choices and one.decisions == other.decisions


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("loaded", GAMES)
def test_what_a_seat_cannot_see_changes_nothing(loaded: str, method: str) -> None:
    """Another world behind the same view, and even the true state itself: the same search, number by number."""
    game, asked = load(loaded), Settings(iterations=60, method=method, world_iterations=20, habit=0.5)
    for seats in sorted({game.seats[0], game.seats[-1]}):
        for deal in range(3):
            for states, seat in moments(game, seats, deal):
                found = view_of(game, states, seat).search(iterations=60, method=method, world_iterations=20, habit=0.5)
                world = game.from_bytes(states.tobytes())
                game.engine.determinize(world, seat, seed_words(deal + 1))
                assert same(
                    found, view_of(game, world, seat).search(iterations=60, method=method, world_iterations=20, habit=0.5)
                )
                codes = game.legal_list(states)
                seen, true = (
                    task.Part(game, shown, seat, len(codes), asked, game.constants, 0, 1)
                    for shown in (game.observed(states, seat), states)
                )
                true._rng[:] = seen._rng  # else it would come from the bytes of the state
                seen.run(0)
                true.run(0)
                assert np.array_equal(seen.results, true.results), f"{game}: seat {seat} used what it does not see"


@pytest.mark.parametrize("loaded", GAMES)
def test_the_same_seed_is_the_same_search(loaded: str) -> None:
    game = load(loaded)
    for states, seat in moments(game, game.seats[0], deal=1, count=2):
        view, before = view_of(game, states, seat), states.tobytes()
        found = view.search(iterations=300)
        assert same(found, view.search(iterations=300)) and states.tobytes() == before
        assert found.choices != view.search(iterations=300, seed=1).choices
        assert [choice.action for choice in found.choices] == view.legal
        assert found.best in view.legal
        assert sum(choice.visits for choice in found.choices) == found.simulations == 300
        assert sum(choice.share for choice in found.choices) == pytest.approx(1.0)


@pytest.mark.parametrize("loaded", GAMES)
def test_a_search_leaves_nothing_behind_for_the_next(loaded: str) -> None:
    """Although they work in the same arrays, one after the other."""
    game = load(loaded)
    views = [view_of(game, states, seat) for states, seat in moments(game, game.seats[0], deal=2, count=2)]
    asked = [{"method": method, "iterations": 40} for method in METHODS]
    asked += [{"iterations": 40, "selection": "regret"}, {"iterations": 200, "rollout": "uniform", "first": "ucb"}]
    alone = []
    for view in views:
        for settings in asked:
            scratch._spare.clear()
            alone.append(view.search(**settings))
    together = [view.search(**settings) for view in views for settings in asked]
    again = [view.search(**settings) for view in reversed(views) for settings in reversed(asked)]
    assert all(map(same, alone, together)) and all(map(same, alone, reversed(again)))


def test_settings_that_are_known_already_are_still_checked() -> None:
    game = load("naga")
    states = game.deal(2, game.resolve_options({}, 2), 1)
    view = view_of(game, states, game.engine.current_seat(states))
    assert view.search(iterations=1).simulations == view.search(iterations=np.int64(1)).simulations == 1
    for wrong in (True, 1.0, [1]):
        with pytest.raises(ConfigError, match="search: iterations: a whole number is needed"):
            view.search(iterations=wrong)


def test_threads_add_up_and_change_nothing_when_they_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = load("hisatsu")
    states = game.deal(3, game.resolve_options({}, 3), 1)
    view = view_of(game, states, game.engine.current_seat(states))
    found = view.search(iterations=101, threads=3)
    assert found.simulations == 101

    def refuse(_part: object) -> bool:
        return False

    monkeypatch.setattr(task.Part, "starts", refuse)
    assert same(found, view.search(iterations=101, threads=3))


@pytest.mark.parametrize("are_refused", [False, True])
def test_threads_share_the_time_where_they_are_refused(are_refused: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else each has all of it, and the seat is charged for what they take."""
    write, budgets = task.Part._write_settings, []

    def noted(one: task.Part, arrays: Scratch, *arguments: int) -> None:
        write(one, arrays, *arguments)
        budgets.append(int(arrays.settings[NANOSECONDS]))

    monkeypatch.setattr(task.Part, "_write_settings", noted)
    if are_refused:
        monkeypatch.setattr(task.Part, "starts", lambda _part: False)
    game = load("yaniv")
    states = game.deal(2, game.resolve_options({}, 2), 1)
    view = view_of(game, states, game.engine.current_seat(states))
    view.search(time=0.02, threads=4)
    assert budgets == [5_000_000 if are_refused else 20_000_000] * 4
    assert (view.thread_seconds == 0.0) == are_refused


def test_a_tree_has_no_more_nodes_than_allowed() -> None:
    for loaded in GAMES:
        game = load(loaded)
        for states, seat in moments(game, game.seats[-1], deal=2, count=2):
            for selection, nodes, habit in itertools.product(("ucb", "regret"), (1, 50), (0.0, 0.5)):
                found = view_of(game, states, seat).search(iterations=500, nodes=nodes, selection=selection, habit=habit)
                assert found.nodes <= nodes and found.simulations == 500
                assert sum(choice.visits for choice in found.choices) == 500  # each began with a choice of the seat


def remembered_match(
    game: Game, deal: int, between: bool = False, settings: Callable[[int], dict[str, Any]] = lambda turn: {}
) -> tuple[list[Findings], int]:
    """What the first seat finds in a match of two to three searchers with memories, and what it remembered of all its visits.

    `between`: each view is replaced by that of another world that looks the same.
    `settings`: what else is asked of a search, by how many the seat has made before.
    """
    seats, turns = game.seats[0], Counter[int]()
    states, memories, found, remembered = game.deal(seats, game.resolve_options({}, seats), deal), {}, [], 0
    while not game.engine.is_terminal(states) and len(found) < 12:
        seat, codes = game.engine.current_seat(states), game.legal_list(states)
        shown = game.from_bytes(states.tobytes())
        if between:
            game.engine.determinize(shown, seat, seed_words(len(found)))
        asked = {"iterations": 1000, "nodes": 3000, "memory": memories.setdefault(seat, Memory()), **settings(turns[seat])}
        result = view_of(game, shown, seat).search(**asked)
        turns[seat] += 1
        assert result.nodes <= 3000
        if seat == 0:
            found.append(result)
            remembered += sum(choice.visits for choice in result.choices) - result.simulations
        game.engine.advance(states, result.best_code if len(codes) > 1 else codes[0])
    return found, remembered


def test_a_tree_without_room_for_all_choices_shares_only_among_those_it_holds() -> None:
    game = load("naga")
    for states, seat in moments(game, 2, deal=1, count=3):
        found = view_of(game, states, seat).search(iterations=2_000, nodes=5, selection="regret")
        assert all(choice.visits or choice.share == 0.0 for choice in found.choices)
        assert found._results[:, SHARE].min() > -1e-6


def test_threads_play_no_more_simulations_than_asked_for() -> None:
    game = load("naga")
    states, seat = next(moments(game, 2, deal=1, count=1))
    choices = len(game.legal_list(states))
    assert choices > 2
    for iterations in (choices, 2 * choices):
        found = view_of(game, states, seat).search(iterations=iterations, method="flat", threads=8)
        assert found.simulations == iterations


def test_with_fewer_simulations_than_choices_any_of_them_may_be_tried() -> None:
    game = load("naga")
    states, seat = next(moments(game, 2, deal=1, count=1))
    choices = len(game.legal_list(states))
    tried = set()
    for seed in range(60):
        found = view_of(game, states, seat).search(iterations=3, rollout="uniform", seed=seed)
        tried |= {place for place, choice in enumerate(found.choices) if choice.visits}
        assert sum(choice.visits for choice in found.choices) == 3
    assert choices > 3 and len(tried) == choices


@pytest.mark.parametrize("deals", [1, pytest.param(4, marks=pytest.mark.slow)])
@pytest.mark.parametrize("loaded", GAMES)
def test_a_search_goes_on_from_the_one_before(loaded: str, deals: int) -> None:
    """With a memory, what was found below the choices that came true is kept; it is as blind to hidden cards as the rest."""
    game = load(loaded)
    found, remembered = zip(*(remembered_match(game, deal, between=False) for deal in range(deals)))
    other, _ = zip(*(remembered_match(game, deal, between=True) for deal in range(deals)))
    assert sum(remembered) > 0
    assert all(same(one, two) for ones, twos in zip(found, other) for one, two in zip(ones, twos, strict=True))


OFTEN_CHANGED: dict[str, float] = {}
"""Of a bot that hands the same mapping to each search, each time with another number in it."""


def constants_that_change(turn: int) -> dict[str, Any]:
    OFTEN_CHANGED["whim"] = 0.1 + 0.001 * turn
    return {"constants": OFTEN_CHANGED}


@pytest.mark.parametrize(
    ("settings", "is_used"),
    [
        (lambda turn: {"constants": {"whim": 0.1}}, True),
        (lambda turn: {"rollout": ("policy", "uniform")[turn % 2]}, False),
        (lambda turn: {"exploration": (0.3, 0.6)[turn % 2]}, False),
        (constants_that_change, False),
    ],
    ids=["the same", "rollout", "exploration", "constants"],
)
def test_a_memory_of_another_search_is_not_used(settings: Callable[[int], dict[str, Any]], is_used: bool) -> None:
    _, remembered = remembered_match(load("yaniv"), deal=0, settings=settings)
    assert (remembered > 0) == is_used


def test_a_memory_stays_as_it_is_when_a_search_is_refused() -> None:
    game, memory = load("naga"), Memory()
    states, seat = next(moments(game, 2, deal=1, count=1))
    view = view_of(game, states, seat)
    view.search(iterations=50, memory=memory)
    (nodes, _, used) = memory._trees[0]
    with pytest.raises(ConfigError, match="constants"):
        view.search(iterations=50, memory=memory, constants={"unheard_of": 1.0})
    assert memory._trees[0][0] is nodes and memory._trees[0][2] == used > 1


class Timed(Agent):
    def act(self, view: View) -> str:
        return view.search(time=0.0005).best


class Counted(Agent):
    def act(self, view: View) -> str:
        return view.search(iterations=20).best


def test_a_seat_with_a_time_budget_is_not_reproducible() -> None:
    record = play_match("naga", [Timed, Counted], seed=1)
    assert [seat.reproducible for seat in record.seats] == [False, True]
    assert [seat.ending for seat in record.seats] == [Ending.PLAYED] * 2


def test_a_locked_bot_searches_like_a_free_one(supervisor: Supervisor) -> None:
    """The twelve lines of bots/ismcts.py in a locked seat of every game, where nothing can be compiled."""
    for loaded in GAMES:
        game = load(loaded)
        states = game.deal(game.seats[0], game.resolve_options({}, game.seats[0]), 1)
        view = view_of(game, states, game.engine.current_seat(states))
        for params, is_timed in (({"iterations": 30, "threads": 2}, False), ({"iterations": 30, "time": 9.0}, True)):
            with LockedSeat(supervisor, BOT, seed=1, params=params, limits=LIMITS) as seat:
                assert seat.start(StartInfo(loaded, {}, game.seats[0], view.seat, CLOCK)) is None
                seat.ask(view)
                answer = seat.answer()
            assert isinstance(answer, Answer), answer
            assert (answer.action, answer.is_timed) == (view.search(**params).best, is_timed)


@pytest.mark.parametrize("loaded", GAMES)
def test_twelve_lines_play_whole_matches_in_locked_seats(loaded: str, supervisor: Supervisor) -> None:
    game = load(loaded)
    options: dict[str, OptionValue] = {"max_rounds": 1} if loaded == "nertz" else {}
    setup = agree(loaded, ["ismcts"] * game.seats[0], seed=2, clock=CLOCK, options=options)
    with ExitStack() as opened:
        seats = [
            opened.enter_context(LockedSeat(supervisor, BOT, seed=seed, params={"iterations": 4}, limits=LIMITS))
            for seed in setup.bot_seeds
        ]
        record = play(game, setup, seats)
    assert [seat.ending for seat in record.seats] == [Ending.PLAYED] * game.seats[0]
    assert all(seat.reproducible and seat.decisions > 3 for seat in record.seats)


def test_a_time_budget_marks_the_view() -> None:
    states = naga.position(NAGA, 1, contest=1)
    assert states is not None
    view = view_of(NAGA, states, 0)
    assert view.search(iterations=10).simulations == 10 and not view.is_timed
    assert view.search(time=0.01).simulations > 10 and view.is_timed


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({}, "iterations"),
        ({"iterations": 0}, "iterations: a whole number from 1 to 1,000,000,000 is needed, not 0"),
        ({"iterations": 10, "method": "ismct"}, "ismcts"),
        ({"iterations": 10, "rollout": "best"}, "rollout"),
        ({"iterations": 10, "judge": "nets"}, "judge: no 'nets'; did you mean \"net\""),
        ({"iterations": 10, "worlds": "all"}, "worlds"),
        ({"iterations": 10, "temper": 2}, "temper: a number from 0 to 1"),
        ({"time": -1.0}, "time: a number from 1e-09"),
        ({"time": float("inf")}, "time"),
        ({"iterations": "1e4"}, "iterations: a whole number is needed, not '1e4'"),
        ({"iterations": True}, "iterations: a whole number"),
        ({"iterations": 20.5}, "iterations: a whole number"),
        ({"iterations": 10, "iteration": 5}, "no setting 'iteration'; did you mean \"iterations\""),
        ({"iterations": 10, "method": []}, "method"),
        ({"iterations": 10, "threads": 100}, "threads: a whole number from 1 to 64"),
        ({"iterations": 10, "prior": float("nan")}, "prior"),
        ({"iterations": 10, "evaluate": "x"}, "evaluate"),
        ({"iterations": 10, "nodes": None}, "nodes"),
        ({"iterations": 10, "constants": ["fade"]}, "constants: names with numbers"),
        ({"iterations": 10, "constants": {"hands": 0}}, "constants: hands: a number from 2.0 to 16.0"),
        ({"iterations": 10, "constants": {"fade": float("nan")}}, "constants: fade"),
        ({"iterations": 10, "constants": {"fad": 0.5}}, "fade"),
    ],
)
def test_a_wrong_setting_is_named(wrong: dict[str, object], words: str) -> None:
    states = naga.position(NAGA, 1, contest=1)
    assert states is not None
    with pytest.raises(ConfigError, match=re.escape(words)):
        view_of(NAGA, states, 0).search(**wrong)


def secured(tree: Tree, seat: int, shares: list[float]) -> float:
    """What a seat gets of the game, 0 to 1, by its only choice, however the other replies."""
    profile = tree.uniform_profile()
    (choice,) = tree.information_sets[seat]
    profile[seat][choice.sequences] = shares
    return 1.0 - best_response(tree, 1 - seat, profile)[0]


def test_eltam_is_played_exactly() -> None:
    """The last contest: no card is hidden any more but in the other hand, where all that is unseen is."""
    played = 0
    for deal in range(60):
        states = naga.position(NAGA, deal, contest=7)
        if states is None:
            continue
        tree, codes = grow(NAGA, {states.tobytes(): 1.0}), NAGA.legal_list(states)
        value = solve(tree).value
        for seat, own in ((0, value), (1, 1.0 - value)):
            if seat == 1:
                NAGA.engine.step(states, codes[0])  # hidden from seat 1
            found = view_of(NAGA, states, seat).search(iterations=1000, selection="regret")
            pure = [float(code == found.best_code) for code in codes]
            assert secured(tree, seat, pure) >= own - 1e-9, f"deal {deal}: seat {seat} plays {found.best}"
            values = [choice.value * choice.visits for choice in found.choices]
            assert sum(values) / found.simulations == pytest.approx(own, abs=0.1)
            played += 1
    assert played > 40


@pytest.mark.parametrize(("deal", "seed"), [(317, 0), (62, 0)])
def test_simultaneous_choices_become_an_equilibrium(deal: int, seed: int) -> None:
    """The last two contests with open cards, a game in which the best play is mixed: more iterations, less to exploit."""
    states = naga.position(NAGA, deal)
    assert states is not None
    seen = NAGA.observed(states, 0)
    world = NAGA.from_bytes(seen.tobytes())
    rng = seed_words(derive(NAGA.without_history(seen.tobytes()), "search", 0, seed, 0))
    NAGA.engine.determinize(world, 0, rng)  # the one that is searched
    tree = grow(NAGA, {world.tobytes(): 1.0}, naga.settle_eltam(NAGA))
    value = solve(tree).value
    lost = []
    for iterations in (300, 30_000):
        asked = {"iterations": iterations, "world_iterations": iterations, "method": "pimc", "selection": "regret"}
        found = view_of(NAGA, states, 0).search(seed=seed, **asked)
        lost.append(value - secured(tree, 0, found.shares))
    assert lost[1] < 0.05 < lost[0]
    values = [choice.value * choice.visits for choice in found.choices]
    assert sum(values) / found.simulations == pytest.approx(value, abs=0.03)
