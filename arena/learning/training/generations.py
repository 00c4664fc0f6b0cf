"""Generations of networks: rollout play teaches the first, rounds between searches that use the last ones teach the next.

Each generation is kept in a folder of its own, with log losses on rounds that it has not seen, and with gates: betting tests on
new deals against the search without networks, and against the best generation before; beside the search without them it may not
do worse against strangers; its policy meets a short search. What passed last is the result.
What a generation finds depends on nothing but the game, the plan and the seed, so a training goes on where it was stopped.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from arena import games
from arena.disk import is_there
from arena.engine import jit
from arena.engine.game import Game
from arena.engine.net import BELIEF, KINDS, POLICY, VALUE, Net, Nets
from arena.engine.net_files import FILE, NOTE, Note, read_nets, read_note, write_nets
from arena.errors import ConfigError
from arena.learning.training.folders import check_folder
from arena.learning.training.gate import Gate, Imitator, Player, Searcher, deal_score, judged_gate, pool_score
from arena.learning.training.networks import (
    agreement,
    belief_network,
    by_seat,
    calibration,
    fit_policy,
    log_loss,
    predicted_shares,
    shares_of,
    value_network,
    worlds_of,
)
from arena.learning.training.rows import Choices, Rows, joined
from arena.learning.training.selfplay import (
    STRANGERS,
    Round,
    Table,
    default_table,
    joined_rounds,
    rollout_rows,
    searched_round,
    seed_of,
)
from arena.learning.training.watching import Watcher
from arena.learning.training.worth import played_policy
from arena.search import Settings
from arena.tournament.workers.processes import SPAWNING

POLICY_HIDDEN = 64
POLICY_PASSES = 32
LESS_OF_VALUE = 4  # times less often a value goes through the rows than a belief: all rows of a round have the same outcome
SEARCHED_SHARE = 0.6  # of the rows of a later generation: those of searches are few, so they count several times
SHORT = 20  # iterations of the search that a policy is to replace
SEARCH, AMONG, OF_POLICY = "search", "search among strangers", "policy"  # what a gate is of


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """How much a training plays."""

    generations: int = 2
    """The first learns from rollout play, each later one from searches too."""
    positions: int = 300_000
    """Rows of rollout play."""
    rounds: int = 1000
    """Rounds between searches, in each later generation."""
    iterations: int = 100
    """Iterations of these searches."""
    deals: int = 150
    """The most deals of a gate."""
    gate_iterations: int = 300
    """Iterations of the searches in gates."""
    networks: tuple[str, ...] = KINDS
    """Which networks are learnt; a belief only where the game has belief features, a policy only from searches."""
    passes: int = 4
    """How often the rows are gone through to fit a belief: the fewer rows, the more often; for a value a quarter of that."""
    cut: int = 1
    """Decisions after which a simulation ends where the value network judges: with a good judge it need not go on."""
    decisions: int = 0
    """Decisions of its own play that a policy learns from, in the first generation; 0: it imitates searches, in later ones."""
    strangers: float = 0.0
    """Chance of each seat in these rounds to be played by a stranger: a belief then trusts less in what searches would do."""
    pace: float = 1.0
    """Iterations of the search with networks in gates, for each iteration of the search without: what takes them equal time.

    It is measured once and given, not measured here, so that the same plan finds the same."""


@dataclass(frozen=True)
class Trained:
    """The result of a training."""

    nets: Nets
    """The value and belief networks of the best accepted generation, if any; the last policy that was kept."""
    note: Note
    folder: Path

    @property
    def is_better(self) -> bool:
        """Whether some generation was accepted."""
        return any(one["accepted"] for one in self.note.generations)


def train(
    name: str,
    folder: Path,
    plan: Plan,
    *,
    seed: int,
    workers: int = 1,
    hours: float | None = None,
    command: str = "",
    watcher: Watcher | None = None,
) -> Trained:
    """Train the networks of a game; goes on with what lies in the folder. No generation begins after so many hours.

    Raises ConfigError for a game without state features, and for a folder of another training.
    """
    began, watcher = time.monotonic(), watcher or Watcher()
    game = games.load(name)
    table = default_table(game)
    kind = Note(game=name, seats=(table.seats,), command=command, seed=seed, sources=sources(game), encoding=game.layout.sha256)
    same: dict[str, Any] = {"game": name, "seed": seed, "sources": kind.sources}
    same |= {field: value for field, value in msgspec.to_builtins(plan).items() if field != "generations"}
    check_folder(folder, same, msgspec.to_builtins(Plan()))
    best, told = Nets(), list[dict[str, Any]]()
    for number in range(plan.generations):
        place = folder / f"generation-{number}"
        if not is_there(place / FILE):
            if number and hours is not None and time.monotonic() - began > 3600 * hours:
                watcher.say(f"the {hours:g} hours are over; the same command with more of them goes on")
                break
            place.mkdir(parents=True, exist_ok=True)
            with _players(game, workers, best) as pool:
                nets, found = _generation(number, table, plan, best, seed, pool, watcher)
            write_nets(place, nets, msgspec.structs.replace(kind, generations=[found]))
        else:
            nets, found = read_nets(place), _told(place)
        watcher.say(line_of(found))
        told.append(found)
        best = _best_of(best, nets, found)
    note = msgspec.structs.replace(kind, generations=told)
    write_nets(folder, best, note)
    return Trained(best, read_note(folder), folder)


def _best_of(best: Nets, nets: Nets, found: dict[str, Any]) -> Nets:
    """Return what is kept after a generation.

    Notes that do not say it are older than gates of policies, and kept every policy.
    """
    kept = found.get("kept", [*nets.nets] if found["accepted"] else [KINDS[POLICY]])
    return Nets({**best.nets, **{name: net for name, net in nets.nets.items() if name in kept}}, nets.seats)


def sources(game: Game) -> str:
    """Hashes over the sources of the game and the engine, and over those of the compiled play too."""
    return f"{jit.source_hash(game.package)}-{jit.source_hash(jit.learning_of(game.package))}"


def line_of(found: dict[str, Any]) -> str:
    """Return what a generation found, in a line."""
    losses = ", ".join(f"{name} {value:.3f}" for name, value in found["losses"].items())
    gates = ", ".join(
        f"{one.get('of', SEARCH)} {share_text(one)} over {one['against']} in {one['deals']} deals" for one in found["gates"]
    )
    verdict = "accepted" if found["accepted"] else "not accepted"
    told = "; ".join(part for part in (f"{found['positions']:,} positions", losses, gates) if part)
    return f"generation {found['generation']}: {told}: {verdict}"


def share_text(gate: dict[str, Any]) -> str:
    """The share of rivals finished before, with its interval."""
    return f"{gate['share']:.1%} ({gate['low']:.1%} to {gate['high']:.1%})"


def _told(place: Path) -> dict[str, Any]:
    """Return what a generation that is over brought. Raises ConfigError."""
    told = read_note(place).generations
    if len(told) != 1 or not {"generation", "positions", "losses", "gates", "accepted"} <= told[0].keys():
        raise ConfigError(f"{place / NOTE}: not the note of one generation; name another --out")
    return told[0]


def _generation(
    number: int, table: Table, plan: Plan, best: Nets, seed: int, pool: "_Pool", watcher: Watcher
) -> tuple[Nets, dict[str, Any]]:
    """Play, fit, measure, and let the new networks play for their acceptance."""
    own = seed_of(seed, "generation", number) & 0xFFFFFFFF
    watcher.begin("rollout play", 1)
    rows = rollout_rows(table, plan.positions, seed)
    watcher.advance()
    choices = None
    learnt, measured = rows.parts()
    if number:
        asked: dict[str, Any] = {"iterations": plan.iterations, "seed": number, **_use(best, plan)}
        watcher.begin("rounds between searches", plan.rounds)
        first = number * plan.rounds
        searched, choices = joined_rounds(
            table, pool.rounds(asked, plan.strangers, range(first, first + plan.rounds), seed, watcher)
        )
        more, measured = searched.parts()
        learnt = joined([learnt, *[more] * _times(len(learnt), len(more))])
    watcher.begin("fitting", 3)
    nets, losses = _fitted(table, plan, learnt, measured, choices, own, watcher)
    if KINDS[POLICY] in plan.networks and plan.decisions and not number:
        policy, told = played_policy(table, plan.decisions, seed, watcher)
        nets, losses = Nets({**nets.nets, KINDS[POLICY]: policy.rounded()}, nets.seats), {**losses, **told}
    gates = [
        {"of": one.of, "against": one.against, **_passed(one, plan, pool, own, watcher).document()}
        for one in _trials(nets, best, plan)
    ]
    searches, pools, policies = ([gate for gate in gates if gate["of"] == of] for of in (SEARCH, AMONG, OF_POLICY))
    is_better = bool(searches) and searches[0]["verdict"] == "above" and all(gate["share"] > 0.5 for gate in searches)
    is_better = is_better and pools[0]["verdict"] != "below"
    is_played = bool(policies) and policies[0]["verdict"] != "below"
    found = {
        "generation": number, "positions": len(learnt), "decisions": len(choices) if choices else 0,
        "losses": dict(sorted(losses.items())), "gates": gates, "accepted": is_better if searches else is_played,
        "kept": [kind for kind in nets.nets if (is_played if kind == KINDS[POLICY] else is_better)], "sha256": nets.sha256,
    }  # fmt: skip
    return nets, found


def _use(nets: Nets, plan: Plan) -> dict[str, Any]:
    """The settings of a search that uses what there is."""
    judge = {"judge": "net", "evaluate": plan.cut} if nets.has(VALUE) else {}
    return {**judge, **({"worlds": "net"} if nets.has(BELIEF) else {})}


@dataclass(frozen=True)
class _Side:
    """One of two that meet in a gate: networks, and the settings of a search; without settings, the policy alone."""

    nets: Nets
    asked: dict[str, Any] | None


@dataclass(frozen=True)
class _Trial:
    """A gate to be played."""

    of: str
    against: str
    first: _Side
    second: _Side


def _trials(nets: Nets, best: Nets, plan: Plan) -> list[_Trial]:
    """The gates of a generation."""
    few: dict[str, Any] = {"iterations": plan.gate_iterations}
    found = []
    if _use(nets, plan):
        more = {"iterations": max(1, round(plan.pace * plan.gate_iterations))}
        own = _Side(nets, {**more, **_use(nets, plan)})
        found.append(_Trial(SEARCH, "the search without networks", own, _Side(Nets(), few)))
        if _use(best, plan):
            found.append(_Trial(SEARCH, "the generation before", own, _Side(best, {**more, **_use(best, plan)})))
        found.append(_Trial(AMONG, "the search without networks", own, _Side(Nets(), few)))
    if nets.has(POLICY):
        short = _Side(Nets(), {"iterations": SHORT})
        found.append(_Trial(OF_POLICY, f"a search of {SHORT} iterations", _Side(nets, None), short))
    return found


def _passed(trial: _Trial, plan: Plan, pool: "_Pool", seed: int, watcher: Watcher) -> Gate:
    """Play a gate."""
    watcher.begin(f"gate of the {trial.of} against {trial.against}", plan.deals)
    path = (trial.against,) if trial.of != AMONG else (trial.of, trial.against)
    return judged_gate(pool.scores(trial, plan, seed_of(seed, *path), watcher), plan.deals)


def _times(rows: int, few: int) -> int:
    """Return how often the few rows of searches are to count."""
    return max(1, round(SEARCHED_SHARE / (1.0 - SEARCHED_SHARE) * rows / max(1, few)))


def _fitted(
    table: Table, plan: Plan, learnt: Rows, measured: Rows, choices: Choices | None, seed: int, watcher: Watcher
) -> tuple[Nets, dict[str, float]]:
    """Fit the networks of the plan; gives them with their log losses on what is measured, beside the game's own judge's."""
    nets, losses = dict[str, Net](), dict[str, float]()
    if "value" in plan.networks:
        value = nets["value"] = value_network(learnt, seed, max(1, plan.passes // LESS_OF_VALUE)).rounded()
        wanted, found = shares_of(measured.outcomes, value), predicted_shares(value, by_seat(measured.seat_features))
        losses |= {
            "value": log_loss(found, wanted),
            "rule": log_loss(shares_of(measured.judged, value), wanted),
            "value_calibration": calibration(found, wanted),
        }
    watcher.advance()
    if table.game.state_features.BELIEF_FEATURES and "belief" in plan.networks:
        nets["belief"] = belief_network(learnt, seed + 1, plan.passes).rounded()
        worlds, are_true = worlds_of(measured)
        losses["belief"] = log_loss(predicted_shares(nets["belief"], worlds), are_true)
    watcher.advance()
    if choices is not None and "policy" in plan.networks and not plan.decisions:
        known, held_out = choices.parts()
        nets["policy"] = fit_policy(known, hidden=POLICY_HIDDEN, seed=seed + 2, passes=POLICY_PASSES).rounded()
        if len(held_out):
            losses["policy_agreement"], losses["policy"] = agreement(nets["policy"], held_out)
    watcher.advance()
    return Nets(nets, frozenset({table.seats})), losses


class _Pool:
    """Plays rounds and deals, in this process or in several; what comes out is the same."""

    def __init__(self, game: Game, best: Nets, executor: ProcessPoolExecutor | None, workers: int) -> None:
        self._game, self._best, self._executor, self._workers = game, best, executor, workers

    def rounds(
        self, asked: dict[str, Any], strangers: float, numbers: Sequence[int], seed: int, watcher: Watcher
    ) -> list[Round]:
        """Rounds between searches with the best networks so far, and so many strangers."""
        tasks = [(self._game.name, self._best, asked, strangers, number, seed) for number in numbers]
        return list(self._results(_play_round, tasks, watcher))

    def scores(self, trial: _Trial, plan: Plan, seed: int, watcher: Watcher) -> Iterator[float]:
        """The scores of the first side of a gate on one deal after the other; strangers take turns."""
        kinds = [_Side(Nets(), {"iterations": plan.gate_iterations, **stranger}) for stranger in STRANGERS]
        tasks = [
            (self._game.name, trial, kinds[deal % len(kinds)] if trial.of == AMONG else None, seed_of(seed, "gate", deal))
            for deal in range(plan.deals)
        ]
        return self._results(_play_deal, tasks, watcher)

    def _results(self, play: Callable[[Any], Any], tasks: Sequence[Any], watcher: Watcher) -> Iterator[Any]:
        """The results in the order of the tasks; no more than are asked for are begun, but for one a worker."""
        step = max(1, self._workers)
        for begin in range(0, len(tasks), step):
            some = tasks[begin : begin + step]
            found = map(play, some) if self._executor is None else self._executor.map(play, some)
            for one in found:
                watcher.advance()
                yield one


@contextmanager
def _players(game: Game, workers: int, best: Nets) -> Iterator[_Pool]:
    if workers == 1:
        yield _Pool(game, best, None, 1)
        return
    with ProcessPoolExecutor(workers, mp_context=SPAWNING) as executor:
        yield _Pool(game, best, executor, workers)


def _play_round(task: tuple[str, Nets, dict[str, Any], float, int, int]) -> Round:
    name, nets, asked, strangers, number, seed = task
    return searched_round(default_table(_with(name, nets)), Settings(**asked), number, seed, strangers)


def _play_deal(task: tuple[str, _Trial, _Side | None, int]) -> float:
    name, trial, stranger, seed = task
    first, second, table = _player(name, trial.first), _player(name, trial.second), default_table(games.load(name))
    if stranger is None:
        return deal_score(first, second, table, seed)
    return pool_score(first, second, _player(name, stranger), table, seed)


def _player(name: str, side: _Side) -> Player:
    game = _with(name, side.nets)
    return Imitator(game) if side.asked is None else Searcher(game, Settings(**side.asked))


_games: dict[tuple[str, str], Game] = {}  # of this process: a game keeps the arrays that its searches work in


def _with(name: str, nets: Nets) -> Game:
    """A game with other networks."""
    key = (name, nets.sha256)
    if key not in _games:
        _games[key] = replace(games.load(name), nets=nets)
    return _games[key]
