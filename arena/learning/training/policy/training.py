"""A policy learns from play of its own: the work of `arena train GAME --method policy`, part after part.

A part is some rounds of play and learning between two checkpoints, with random numbers of its own: a training that was stopped
goes on after its last whole part, and finds the same as one that was not. What is judged, and what becomes the result, is the
mean of the weights of late, not the last ones.
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

import msgspec
import numpy as np

from arena import games
from arena.engine import jit
from arena.engine.game import Game
from arena.engine.net import KINDS, POLICY, Net, Nets
from arena.engine.net_files import Note, read_note, write_nets
from arena.learning.tables import EACH_ROUND, MATCH, ROUND
from arena.learning.training.folders import check_folder
from arena.learning.training.generations import sources
from arena.learning.training.policy.acceptance import gates_of, is_kept
from arena.learning.training.policy.checkpoint import State, keep, take_up
from arena.learning.training.policy.compiled import decide
from arena.learning.training.policy.decisions import Decisions
from arena.learning.training.policy.learning import Learner
from arena.learning.training.policy.network import Shape, Weights, new_weights
from arena.learning.training.policy.tables import DECISIONS, Group, groups_of, share_beaten
from arena.learning.training.selfplay import seed_of
from arena.learning.training.watching import Watcher

METHOD = "policy"  # of `arena train`
HIDDEN, JUDGING = 128, 64  # units
UPDATES = 16  # rounds of play and learning in a part
WARM = 256  # decisions at each table before the first part
BATCH, PASSES = 1024, 2
CLIP, GAE_LAMBDA, NORM = 0.2, 0.95, 0.5
RATE, LAST_RATE = 1e-3, 0.05  # of the first step; share of it in the last one
ENTROPY, LAST_ENTROPY = 0.01, 0.1  # what a unit of entropy counts in the first step; share of it in the last one
LATE = 0.95  # share of the mean weights that stays in an update
SETTLING = 0.9  # share of the scale of rewards that stays in an update
SNAPSHOTS = 8  # earlier policies that are met; where there are more, every second one is forgotten
REPORTS = 6  # times that strength is measured on the way
HELD_OUT = {ROUND: 256, MATCH: 64}  # deals on which; a match is long, and luck decides less of it
SHORT = "search:20"
GATE_DEALS = {ROUND: 150, MATCH: 40}  # at most, where nothing else is asked for
TO_TABLES = 66  # bits that seeds of tables leave out: tables count up from what is left


class Plan(msgspec.Struct, frozen=True, kw_only=True):
    """What a training of a policy plays."""

    seats: tuple[int, ...]
    """Numbers of seats at a table; one policy learns at all of them."""
    decisions: int = 10_000_000
    """Decisions that it learns from, rounded up to whole parts."""
    strangers: float = 0.25
    """Share of the tables at which it meets others: itself as it was, the game's rollout policy, and random play."""
    episode: str = ROUND
    """What it plays: a `round`, a whole `match`, or `each_round` of matches that go on."""
    reward: str = "score"
    """What it strives for: the `score` above the mean of all seats, or `places`."""
    gae_lambda: float = GAE_LAMBDA
    """The lambda of generalized advantage estimation: the share of what later decisions brought that counts for one; 0.99 pays
    where rounds have very many."""
    deals: int = GATE_DEALS[ROUND]
    """The most deals of a gate, which plays what the policy plays: matches are long (GATE_DEALS)."""

    @property
    def tested(self) -> str:
        """What its tests play: matches also where each round is an episode."""
        return MATCH if self.episode == EACH_ROUND else self.episode

    @property
    def parts(self) -> int:
        """How many parts there are."""
        return -(-self.decisions // (UPDATES * DECISIONS))


@dataclass(frozen=True)
class TrainedPolicy:
    """The result of a training."""

    nets: Nets
    """The policy, at the numbers of seats at which it was kept; none where it was kept nowhere."""
    note: Note
    folder: Path


def train_policy(
    name: str,
    folder: Path,
    plan: Plan,
    *,
    seed: int,
    threads: int = 1,
    command: str = "",
    watcher: Watcher | None = None,
) -> TrainedPolicy:
    """Train a policy, or go on with what lies in the folder. The number of threads changes nothing but the time.

    Raises ConfigError for numbers of seats that the game has not, and for a folder of another training.
    """
    game, watcher = games.load(name), watcher or Watcher()
    games.encoding(game)
    for seats in plan.seats:
        game.check_seats(seats)
    note = Note(
        game=name, seats=plan.seats, command=command, seed=seed, sources=f"{sources(game)}-{jit.source_hash(jit.LEARNING)}",
        encoding=game.layout.sha256,
    )  # fmt: skip
    training = {"method": METHOD, "game": name, "seed": seed, "sources": note.sources, **msgspec.to_builtins(plan)}
    check_folder(folder, training, {})
    if not jit.cached_signatures(decide):
        watcher.say("compiling what policies learn with (asked for the first time) ...")
    state = _begun(game, seed, threads)
    take_up(folder, state, game.rules.STATE)
    told = _learn(game, folder, plan, state, seed, threads, watcher)
    net = _net(state)
    gates = gates_of(game, net, plan.seats, episode=plan.tested, deals=plan.deals, seed=seed, watcher=watcher)
    kept = tuple(seats for seats in plan.seats if is_kept(gates, seats))
    nets = Nets({KINDS[POLICY]: net}, frozenset(kept)) if kept else Nets()
    found = {
        "generation": 0, "method": METHOD, "positions": 0, "decisions": plan.parts * UPDATES * DECISIONS, "losses": told,
        "gates": gates, "accepted": bool(kept), "kept": [*nets.nets], "sha256": nets.sha256,
    }  # fmt: skip
    write_nets(folder, nets, msgspec.structs.replace(note, generations=[found]))
    return TrainedPolicy(nets, read_note(folder), folder)


def _begun(game: Game, seed: int, threads: int) -> State:
    """The beginning of a training."""
    shape = Shape(game.encoding.size, game.encoding.action_size, HIDDEN, JUDGING)
    weights = new_weights(shape, np.random.default_rng(seed_of(seed, "weights")))
    learner = Learner(weights, batch=BATCH, passes=PASSES, clip=CLIP, norm=NORM, threads=threads)
    return State(learner, Weights(shape, weights.numbers.copy()), [weights.numbers.copy()])


def _learn(game: Game, folder: Path, plan: Plan, state: State, seed: int, threads: int, watcher: Watcher) -> dict[str, float]:
    """Play and learn all parts that are left; gives what was told of the last update."""
    shape = state.averaged.shape
    past = Weights(shape, state.averaged.numbers.copy())
    groups = groups_of(game, plan.seats, past, strangers=plan.strangers, episode=plan.episode, reward=plan.reward)
    _seat(groups, state, seed)
    watcher.begin("play and learning", plan.parts)
    for _ in range(state.part):
        watcher.advance()
    with ThreadPoolExecutor(threads) as pool:
        while state.part < plan.parts:
            state.told = _play_part(state, groups, past, plan, seed, pool)
            state.positions = [group.play.tables.positions() for group in groups]
            keep(folder, state)
            watcher.advance()
            if state.part * REPORTS // plan.parts > (state.part - 1) * REPORTS // plan.parts:
                watcher.say(_line(game, state, plan, seed))
    return state.told


def _seat(groups: list[Group], state: State, seed: int) -> None:
    """Deal all tables, or put back how they stood at the checkpoint."""
    for place, group in enumerate(groups):
        if state.part:
            group.play.tables.put_back(*state.positions[place])
            continue
        own = seed_of(seed, "tables", place)
        for snapshot in (group.past, player := group.player(state.learner.weights)):
            if snapshot is not None:
                snapshot.sow(own)
        group.play.begin(player, WARM, own >> TO_TABLES)


def _play_part(
    state: State, groups: list[Group], past: Weights, plan: Plan, seed: int, pool: ThreadPoolExecutor
) -> dict[str, float]:
    """Play and learn up to the next checkpoint; gives what was told of the last update."""
    seeds = [seed_of(seed, "part", state.part, place) for place in range(len(groups) + 1)]
    rng, *rngs = map(np.random.default_rng, seeds)
    past.numbers[:] = state.past[rng.integers(len(state.past))]
    for group, own in zip(groups, seeds[1:]):
        if group.past is not None:
            group.past.sow(own)
    scales = state.scales = state.scales or dict.fromkeys(plan.seats, 0.0)
    for update in range(UPDATES):
        left = 1.0 - (state.part * UPDATES + update) / (plan.parts * UPDATES)

        def play(group: Group, rng: np.random.Generator) -> Decisions:
            return group.play.steps(state.learner.weights, group.steps, plan.gae_lambda, scales[group.seats] or 1.0, rng)

        played = list(pool.map(play, groups, rngs))
        if plan.reward == "score":
            _scale(scales, groups)
        rate, entropy = (first * max(left, last) for first, last in ((RATE, LAST_RATE), (ENTROPY, LAST_ENTROPY)))
        told = state.learner.learn(played, rate, entropy, rng)
        averaged = state.averaged.numbers
        averaged += np.float32(1.0 - LATE) * (state.learner.weights.numbers - averaged)
    state.part += 1
    if state.part % state.every == 0:
        state.past.append(averaged.copy())
    if len(state.past) > SNAPSHOTS:
        state.past = state.past[::2]
        state.every *= 2
    return told


def _scale(scales: dict[int, float], groups: list[Group]) -> None:
    """Let what rewards are divided by follow what they were of late."""
    for seats in scales:
        found = [spread for group in groups if group.seats == seats and (spread := group.play.spread())]
        if found:
            now = float(np.mean(found))
            scales[seats] = SETTLING * scales[seats] + (1.0 - SETTLING) * now if scales[seats] else now


def _line(game: Game, state: State, plan: Plan, seed: int) -> str:
    """How strong the policy is on deals from which it does not learn."""
    told = []
    for seats in plan.seats:
        shares = [
            share_beaten(
                game, state.averaged, rival, seats=seats, episode=plan.tested, deals=HELD_OUT[plan.tested],
                seed=seed_of(seed, "held out", seats) >> TO_TABLES,
            )
            for rival in ("policy", SHORT)
        ]  # fmt: skip
        told.append(f"{seats} seats {shares[0]:.1%} and {shares[1]:.1%}")
    done = state.part * UPDATES * DECISIONS
    return f"{done:,} decisions; finishes before the rollout policy, and {SHORT}: {'; '.join(told)}"


def _net(state: State) -> Net:
    """The policy as games have it. Inputs that were never used count nothing: what they began with is no knowledge."""
    known, action = (Weights(state.averaged.shape, state.learner.squares).parts[place].any(axis=1) for place in (0, 1))
    net = state.averaged.net()
    return replace(net, weights=net.weights * np.concatenate([known, action])[:, None].astype(np.float32))
