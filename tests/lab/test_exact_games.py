"""End games of the games: the worlds behind a view, solutions that agree with each other, and searches that come near them."""

import itertools
import json
from collections import Counter, defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from arena.engine.game import States
from arena.engine.rng import seed_words
from arena.errors import BotError, ConfigError
from arena.match.probe import profile
from arena.search import Settings, search
from helpers.paths import HOUSE_BOTS
from lab import end_games as end_games_module
from lab.__main__ import app
from lab.end_games import (
    ANY,
    STYLES,
    Asked,
    Player,
    any_exploitability,
    end_games,
    exploitability,
    players_of,
    search_error,
    searched_value,
)
from lab.exact import naga
from lab.exact.games import Worlds, gain, grow
from lab.exact.moments import MOST_WORLDS, Moment, Solved, moments
from lab.exact.solve import best_response, expected, solve
from lab.exact.solve import exploitability as given_away

KINDS = {f"{kind.game.name}, {kind.name}": kind for name in ("hisatsu", "naga", "yaniv") for kind in moments(name)}


@cache
def first(kind: str, count: int) -> list[Solved]:
    return end_games(KINDS[kind], count)


def hidden_part(states: States, left: int) -> bytes:
    """Hands, hidden cards, and the cards that may still be drawn."""
    state = states[0]
    drawn = state.stock[max(0, state.num_stock - left) : state.num_stock]
    return b"".join(states[name].tobytes() for name in ("hand", "cards") if name in states.dtype.names) + drawn.tobytes()


@pytest.mark.parametrize(
    ("kind", "left"), [("hisatsu, 2 turns left", 0), ("naga, last two contests", 2), ("yaniv, 2 turns left", 2)]
)
def test_the_worlds_are_those_that_determinize_draws(kind: str, left: int) -> None:
    """The same ones, as often, and each looks the same to the seat."""
    for one in first(kind, 4):
        game = one.moment.game
        for seat in range(one.moment.seats):
            observed = game.observed(one.states, seat)
            listed: dict[bytes, float] = defaultdict(float)
            worlds = one.moment.worlds(one.states, seat, MOST_WORLDS)
            for world, weight in worlds.items():
                states = game.from_bytes(world)
                assert game.observed(states, seat).tobytes() == observed.tobytes()
                listed[hidden_part(states, left)] += weight / sum(worlds.values())
            rng, draws = seed_words(one.number + 1), 40 * len(listed)
            drawn: Counter[bytes] = Counter()
            for _ in range(draws):
                states = game.from_bytes(observed.tobytes())
                game.engine.determinize(states, seat, rng)
                drawn[hidden_part(states, left)] += 1
            assert drawn.keys() == listed.keys()
            for part, share in listed.items():
                assert drawn[part] == pytest.approx(draws * share, abs=6 * (draws * share) ** 0.5)


def by_view(moment: Moment, worlds: Worlds, seat: int) -> list[Worlds]:
    """Worlds in parts that `seat` can tell apart."""
    parts: dict[bytes, dict[bytes, float]] = defaultdict(dict)
    for world, weight in worlds.items():
        parts[moment.game.observed(moment.game.from_bytes(world), seat).tobytes()][world] = weight
    return list(parts.values())


def common_games() -> Iterator[tuple[Moment, Worlds]]:
    """Small games in which each seat knows no hand but its own, and both know that."""
    (contests,), (_, two_left, three_left) = moments("naga"), moments("yaniv")
    for moment, number in ((two_left, 34), (two_left, 40), (three_left, 29), (contests, 0), (contests, 4)):
        states = moment.position(number)
        assert states is not None
        is_naga = moment is contests
        yield moment, naga.worlds(moment.game, states, hidden=1) if is_naga else moment.worlds(states, None, MOST_WORLDS)


def test_what_a_seat_does_not_know_is_worth_something() -> None:
    """The value of the whole hidden game lies between those of the games in which one seat's cards are known to the other."""
    differing = 0
    for moment, worlds in common_games():
        whole = solve(grow(moment.game, worlds, moment.settle)).value
        known = []
        for seat in range(2):
            parts = by_view(moment, worlds, seat)
            values = [solve(grow(moment.game, part, moment.settle)).value for part in parts]
            known.append(np.average(values, weights=[sum(part.values()) for part in parts]))
        assert known[0] - 1e-9 <= whole <= known[1] + 1e-9
        differing += known[1] - known[0] > 1e-6
    assert differing >= 3


def test_gains_by_hand_add_up_to_exploitability() -> None:
    """A best response found hand by hand is that of the whole hidden game, and an equilibrium leaves nothing to gain."""
    checked = 0
    for moment, worlds in common_games():
        tree = grow(moment.game, worlds, moment.settle)
        assert given_away(tree, solve(tree).profile) == pytest.approx(0.0, abs=1e-7)

        def last(_observed: States, _seat: int, codes: list[int]) -> int:
            return codes[-1]

        profile = [tree.uniform(seat) for seat in range(2)]
        for information_set in itertools.chain(*tree.information_sets):
            chances = np.zeros(len(information_set.actions))
            chances[-1] = 1.0
            profile[information_set.seat][information_set.sequences] = chances
        total = sum(worlds.values())
        gains = [
            sum(gain(moment.game, part, seat, last, moment.settle) * sum(part.values()) / total
                for part in by_view(moment, worlds, seat))
            for seat in range(2)
        ]  # fmt: skip
        assert np.mean(gains) == pytest.approx(given_away(tree, profile), abs=1e-7)
        checked += np.mean(gains) > 0.01
    assert checked >= 3


def test_eltam_is_settled_as_it_would_be_played() -> None:
    (moment,) = moments("naga")
    for one in first("naga, last two contests", 2):
        worlds = dict(itertools.islice(moment.worlds(one.states, 0, MOST_WORLDS).items(), 0, 42, 14))
        whole, settled = grow(moment.game, worlds), grow(moment.game, worlds, moment.settle)
        assert whole.size > 5 * settled.size
        assert solve(whole).value == pytest.approx(solve(settled).value)


@pytest.mark.parametrize("kind", ["hisatsu, 2 turns left", "yaniv, 2 turns left"])
def test_flat_searches_with_uniform_rollouts_are_exact_means(kind: str) -> None:
    """The value of each choice, when all play any legal action after it."""
    iterations = 20_000
    for one in first(kind, 4):
        moment = one.moment
        tree = grow(moment.game, moment.worlds(one.states, one.seat, MOST_WORLDS))
        observed = moment.game.observed(one.states, one.seat)
        codes = moment.game.legal_list(observed)
        asked = Settings(iterations=iterations * len(codes), method="flat", rollout="uniform")
        found = search(moment.game, observed, one.seat, codes, asked)
        root = tree.roots[0].information_set
        assert root is not None
        spread = np.ptp(tree.ends[2][:, one.seat])
        for place, value in enumerate(found.values if len(codes) > 1 else ()):
            profile = tree.uniform_profile()
            profile[one.seat][root.sequences] = np.eye(len(codes))[place]
            assert value == pytest.approx(expected(tree, profile)[one.seat], abs=2.5 * spread / iterations**0.5)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "bound"),
    [
        ("naga, last two contests", 0.1),  # games
        ("hisatsu, the last turn", 0.05),  # points, as those below
        ("hisatsu, 3 turns left", 0.3),
        ("yaniv, the last turn", 0.15),
        ("yaniv, 3 turns left", 0.6),
    ],
)
def test_more_iterations_come_nearer_to_the_exact_value(kind: str, bound: float) -> None:
    games = first(kind, 6)
    errors = [
        np.mean([abs(searched_value(one, Settings(iterations=iterations, **STYLES["plain"])) - one.value) for one in games])
        for iterations in (100, 1_000, 20_000)
    ]
    close = 1e-9  # in the last turn even a short search may meet the exact value
    assert errors[2] <= errors[1] + close and errors[1] <= errors[0] + close
    assert errors[2] < min(bound, 0.5 * errors[0] + close)
    assert errors[2] < 0.5 * np.mean([abs(one.value - one.any_value) for one in games])


@pytest.mark.slow
@pytest.mark.parametrize(("kind", "bound"), [("hisatsu, 3 turns left", 0.1), ("yaniv, 3 turns left", 0.3)])  # points
def test_where_the_others_go_by_habit_the_best_response_to_it_is_found(kind: str, bound: float) -> None:
    """Their habit is any action here; without it they are taken for players who do what is best for them."""
    errors = {0.0: 0.0, 1.0: 0.0}
    games = first(kind, 6)
    for one in games:
        tree = grow(one.moment.game, one.moment.worlds(one.states, one.seat, MOST_WORLDS))
        value, _ = best_response(tree, one.seat, tree.uniform_profile())
        for habit in errors:
            found = searched_value(one, Settings(iterations=20_000, rollout="uniform", habit=habit))
            errors[habit] += abs(found - value) / len(games)
    assert errors[1.0] < min(bound, 0.5 * errors[0.0])


@pytest.mark.slow
@pytest.mark.parametrize("style", STYLES)
def test_a_tree_without_room_is_no_worse_than_none(style: str) -> None:
    """What is in it still counts, and choices that cannot join it are none of its business."""
    games = first("naga, last two contests", 10)
    errors = [
        np.mean(
            [abs(searched_value(one, Settings(iterations=4_000, nodes=nodes, **STYLES[style])) - one.value) for one in games]
        )
        for nodes in (1, 300)
    ]
    assert errors[1] < errors[0]


@pytest.mark.slow
def test_a_longer_search_gives_less_away() -> None:
    """2,000 iterations leave next to nothing to gain in any position; one gives away more, and so does play by chance."""
    for kind, count, most in (
        ("hisatsu, the last turn", 4, 0.05),
        ("naga, last two contests", 4, 0.05),
        ("yaniv, the last turn", 2, 0.1),
    ):
        moment, games = KINDS[kind], first(kind, count)
        bots = [Player("ismcts", HOUSE_BOTS / "ismcts.py", {"iterations": number, **STYLES["plain"]}) for number in (1, 2_000)]
        short, long = (exploitability(moment, games, bot) for bot in bots)
        assert long.worst <= most < min(short.gain, any_exploitability(moment, games).gain)
        assert long.asked >= 3


def test_a_bot_is_asked_once_for_each_view() -> None:
    one = first("naga, last two contests", 1)[0]
    asked = Asked(one.moment, Player("greedy", HOUSE_BOTS / "naga_greedy.py"))
    gains = one.gains(asked)
    answers = dict(asked.answers)
    assert len(answers) >= 2 and one.gains(asked) == gains and asked.answers == answers


def test_the_figures_of_a_kind() -> None:
    kind = "yaniv, the last turn"
    figures = search_error(KINDS[kind], first(kind, 3), "plain")
    assert (figures.positions, figures.game, figures.moment) == (3, "yaniv", "the last turn")
    assert figures.looked_at >= 3 and figures.value > figures.any_value
    assert figures.errors[10_000] < figures.errors[100]


def test_a_game_without_end_games_is_refused() -> None:
    with pytest.raises(ConfigError, match="no end games of nertz are solved exactly"):
        moments("nertz")
    with pytest.raises(ConfigError, match="yaniv"):
        moments("yanif")


@pytest.mark.parametrize(
    ("bot", "reason"),
    [
        ("nobody.py", "nobody.py: cannot be read: No such file"),
        ("broken.py", "broken.py: line 1: syntax error"),
        ("crashing.py", "crashing.py: line 2: ZeroDivisionError"),
    ],
)
def test_bots_are_refused_before_anything_is_solved(
    bot: str, reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "broken.py").write_text("def act(:\n")
    (tmp_path / "crashing.py").write_text("one = 1\none / 0\n")
    monkeypatch.setattr(end_games_module, "probe", lambda bots, _seconds: [profile(bot) for bot in bots])
    with pytest.raises(BotError, match=reason):
        players_of([HOUSE_BOTS / "naga_greedy.py", tmp_path / bot])


def test_games_that_no_bot_plays_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(end_games_module, "end_games", lambda kind, _: first(f"{kind.game.name}, {kind.name}", 1))
    found = CliRunner().invoke(app, ["exact", "--bot", str(HOUSE_BOTS / "naga_greedy.py")], catch_exceptions=False)
    figures = json.loads(found.stdout)
    assert {one["game"] for one in figures["search"]} == {"naga"}
    assert {(one["game"], one["bot"]) for one in figures["bots"]} == {("naga", ANY), ("naga", "naga_greedy")}
