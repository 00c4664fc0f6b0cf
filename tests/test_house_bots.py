"""The house bots: a page each, within the lock of untrusted bots, legal, repeatable; rule bots in order of strength."""

import ast
import importlib
from functools import partial
from pathlib import Path

import pytest

from arena.agent import BotFiles, LoadedBot, read_bot
from arena.agent.view import View
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.games import load, names
from arena.match import Answer, Fault, play
from arena.match.in_process import InProcessSeat
from arena.records import Ending, MatchRecord
from helpers.paths import HOUSE_BOTS
from helpers.setups import setup_of

FILES = sorted(HOUSE_BOTS.glob("*.py"))
PAGE = 150  # lines, exclusive
PURE = {"bisect", "collections", "dataclasses", "functools", "itertools", "math", "random", "typing"}
OURS = {"arena.agent", "arena.cards", "arena.search"}
OPENSPIEL = ("open_spiel.python", "arena.learning.openspiel")
"""What one bot imports beside these: it is a door to that library."""
DECISIONS = 120  # of a match that is followed: enough for whole matches of Naga, and for a look into the longest games
BRIEF: dict[str, dict[str, object]] = {
    "champion.py": {"iterations": 8},
    "ismcts.py": {"iterations": 8},
    "learner.py": {"iterations": 8},
    "openspiel.py": {"simulations": 2},
    "pimc.py": {"iterations": 8, "world_iterations": 4},
    "scholar.py": {"iterations": 8},
}
"""`params` of bots that otherwise think for long."""

Log = list[tuple[int, str]]


class Enough(Exception):
    """A match was followed far enough."""


class WatchedSeat(InProcessSeat):
    """Checks every reply of a bot and notes it."""

    def __init__(self, bot: BotFiles, *, seat: int, seed: int, log: Log) -> None:
        super().__init__(partial(LoadedBot, bot), seed, BRIEF.get(bot.main, {}))
        self.seat, self.log = seat, log
        self.legal: list[str] = []

    def ask(self, view: View) -> None:
        self.legal = list(view.legal)
        super().ask(view)

    def answer(self) -> Answer | Fault:
        reply = super().answer()
        assert isinstance(reply, Answer), reply
        assert isinstance(reply.action, str)
        assert reply.action in self.legal
        self.log.append((self.seat, reply.action))
        if len(self.log) >= DECISIONS:
            raise Enough
        return reply


def followed(game: Game, bot: BotFiles, seats: int) -> Log:
    """The replies of a bot that plays all seats of a table."""
    setup, log = setup_of(game, [bot] * seats, deal=seats, rotation=0), Log()
    table = [WatchedSeat(bot, seat=seat, seed=seed, log=log) for seat, seed in enumerate(setup.bot_seeds)]
    try:
        record = play(game, setup, table)
        assert {row.ending for row in record.seats} == {Ending.PLAYED}, record.notes
    except Enough:
        pass
    finally:
        for seat in table:
            seat.__exit__()
    return log


def match_of(game: Game, bots: list[BotFiles], deal: int, rotation: int, **options: OptionValue) -> MatchRecord:
    setup = setup_of(game, bots, deal, rotation, **options)
    table = [InProcessSeat(partial(LoadedBot, bot), seed, {}) for bot, seed in zip(bots, setup.bot_seeds)]
    try:
        return play(game, setup, table)
    finally:
        for seat in table:
            seat.__exit__()


def win_share(better: str, worse: str, deals: int, game_name: str = "naga") -> float:
    """The share of won matches over deals in both rotations; a drawn match counts half."""
    game, bots = load(game_name), [read_bot(HOUSE_BOTS / f"{name}.py") for name in (better, worse)]
    points = 0.0
    for deal in range(deals):
        for rotation in range(2):
            record = match_of(game, bots[::-1] if rotation else bots, deal, rotation)
            assert {row.ending for row in record.seats} == {Ending.PLAYED}, record.notes
            places = [row.place for row in record.seats]
            own, other = places[rotation], places[1 - rotation]
            points += 1.0 if own < other else 0.5 if own == other else 0.0
    return points / (2 * deals)


def games_of(bot: BotFiles) -> list[str]:
    with LoadedBot(bot) as loaded:
        return list(loaded.agent_class.games) or names()


def tables() -> list[tuple[str, str, int]]:
    """(bot, game, seats) for the smallest and the largest table of each game that each bot claims."""
    return [
        (path.stem, game, seats)
        for path in FILES
        for game in games_of(read_bot(path))
        for seats in sorted({min(load(game).seats), max(load(game).seats)})
    ]


def imports_of(tree: ast.Module) -> list[tuple[str, list[str]]]:
    """(module, names) of all imports; no names for a plain import."""
    found: list[tuple[str, list[str]]] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, []) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0 and node.module, "a single file has no neighbours to import"
            found.append((node.module, [alias.name for alias in node.names]))
    return found


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_bot_is_a_page_with_a_pedigree(path: Path) -> None:
    source = path.read_text(encoding="utf-8")
    assert len(source.splitlines()) < PAGE
    docstring = ast.get_docstring(ast.parse(source)) or ""
    first, _, pedigree = docstring.partition("\n\n")
    assert ": " in first and first.endswith("."), "the first line says what the bot does"
    assert "\n" not in first
    assert pedigree, "then comes where the idea is from"


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_bot_imports_only_what_untrusted_bots_may(path: Path) -> None:
    for module, imported in imports_of(ast.parse(path.read_text(encoding="utf-8"))):
        if module.startswith("arena.games."):
            assert module.count(".") == 2, f"{module}: bots use a game's public names"
            assert set(imported) <= set(importlib.import_module(module).__all__), module
        else:
            own = OPENSPIEL if path.name == "openspiel.py" else ()
            assert module in OURS or module.split(".")[0] in PURE or module.startswith(own), module


@pytest.mark.parametrize(("bot", "game", "seats"), tables())
def test_a_bot_plays_legally_and_the_same_from_the_same_seed(bot: str, game: str, seats: int) -> None:
    files = read_bot(HOUSE_BOTS / f"{bot}.py")
    first = followed(load(game), files, seats)
    assert first
    assert first == followed(load(game), files, seats)


@pytest.mark.slow
def test_greedy_beats_chance() -> None:
    assert win_share("naga_greedy", "random_bot", deals=40) > 0.75


@pytest.mark.slow
@pytest.mark.parametrize(("better", "worse"), [("nertz_greedy", "random_bot"), ("nertz_racer", "nertz_greedy")])
@pytest.mark.parametrize("seats", [2, 4])
def test_the_order_of_strength_at_nertz(better: str, worse: str, seats: int) -> None:
    """One better bot among worse ones, in every seat; the share of the others that it beats."""
    game, bots = load("nertz"), [read_bot(HOUSE_BOTS / f"{name}.py") for name in (better, worse)]
    points = 0.0
    for seat in range(seats):
        table = [bots[place != seat] for place in range(seats)]
        record = match_of(game, table, deal=1, rotation=seat, max_rounds=4)
        assert {row.ending for row in record.seats} == {Ending.PLAYED}, record.notes
        own = record.seats[seat].place
        points += sum((row.place > own) + 0.5 * (row.place == own) for row in record.seats) - 0.5
    assert points / (seats * (seats - 1)) > 0.6


def test_strong_bots_end_their_rounds_by_a_call() -> None:
    game, racer = load("nertz"), read_bot(HOUSE_BOTS / "nertz_racer.py")
    rounds = calls = 0
    for deal in range(4):
        states = game.deal(2, game.resolve_options({}, 2), setup_of(game, [racer] * 2, deal, 0).deal_seed)
        for action in match_of(game, [racer] * 2, deal, 0).actions:
            game.engine.step(states, action)
            if game.engine.is_round_over(states):
                rounds, calls = rounds + 1, calls + bool(states["caller"][0])
                if not game.engine.is_terminal(states):
                    game.rules.next_round(states[0])
    assert calls / rounds >= 0.85


@pytest.mark.slow
def test_shedding_beats_chance_at_yaniv() -> None:
    assert win_share("yaniv_greedy", "random_bot", deals=6, game_name="yaniv") > 0.75


@pytest.mark.slow
def test_counting_beats_shedding_at_yaniv() -> None:
    assert win_share("yaniv_counter", "yaniv_greedy", deals=6, game_name="yaniv") > 0.5


@pytest.mark.slow
def test_planner_beats_greedy() -> None:
    assert win_share("naga_planner", "naga_greedy", deals=16) > 0.6


def test_planner_refuses_an_unknown_parameter() -> None:
    game, bot = load("naga"), read_bot(HOUSE_BOTS / "naga_planner.py")
    setup = setup_of(game, [bot, bot], deal=0, rotation=0)
    table = [InProcessSeat(partial(LoadedBot, bot), 1, params) for params in ({"hands": 2}, {"hand": 2})]
    record = play(game, setup, table)
    for seat in table:
        seat.__exit__()
    assert [row.ending for row in record.seats] == [Ending.PLAYED, Ending.STARTUP]
    assert "'hand'" in record.notes[0]
