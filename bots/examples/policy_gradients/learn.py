"""Policy gradients: a small network learns by self-play how likely to choose each action, and becomes a bot.

It plays all seats of many tables at once. A judge beside it learns what a seat may expect: an action that brought more becomes
likelier, one that brought less unlikelier, a little at a time: proximal policy optimisation (Schulman et al., 2017).
    python learn.py learnt --game yaniv --seed 2  (the folder `learnt` is then a bot; all settings: --help)
"""

import argparse
import shutil
from collections import namedtuple
from pathlib import Path

import numpy as np

from arena.errors import ArenaError
from arena.games import load
from arena.learning.selfplay import SelfPlay
from arena.learning.tables import Tables

TABLES, STEPS, PASSES, HIDDEN = 1024, 32, 2, 128  # steps of play at each table, then passes of learning from them; units
RATE, ENTROPY = 0.001, 0.01  # of learning, and what it is worth to stay unpredictable, at the beginning: both fall to 0
TRACE, CLIP = 0.95, 0.2  # of advantages; the most that a chance changes in a generation
SETTINGS = {"game": "yaniv", "seats": 2, "episode": "round", "reward": "score", "generations": 60, "seed": 1}  # if not given
# At each table: what a seat knows; its legal actions, how many, the first; the chosen one, its chance, its gain, and its worth.
Step = namedtuple("Step", "known rows counts begins chosen likely gains wanted")


class Network:
    """Two hidden layers over what a seat knows and what each action does; the judge has one over what the seat knows."""

    def __init__(self, features: int, action_features: int, rng: np.random.Generator) -> None:
        sizes = {"known": features, "action": action_features, "inner": HIDDEN, "judged": features}
        self.weights = {k: rng.standard_normal((n, HIDDEN), np.float32) * np.float32((2 / n) ** 0.5) for k, n in sizes.items()}
        self.weights |= {name: np.zeros(HIDDEN, np.float32) for name in ("bias", "inner_bias", "judged_bias", "out", "worth")}
        self.moments = {name: np.zeros((2, *weight.shape), np.float32) for name, weight in self.weights.items()}

    def ask(self, known: np.ndarray, rows: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, ...]:
        """The chances of all actions, what the judge expects at each table, and what the hidden units say."""
        w, begins = self.weights, np.cumsum(counts) - counts
        first = np.maximum(np.repeat(known @ w["known"] + w["bias"], counts, axis=0) + rows @ w["action"], 0)
        inner = np.maximum(first @ w["inner"] + w["inner_bias"], 0)
        judged = np.maximum(known @ w["judged"] + w["judged_bias"], 0)
        logits = inner @ w["out"]
        powers = np.exp(logits - np.repeat(np.maximum.reduceat(logits, begins), counts))
        return powers / np.repeat(np.add.reduceat(powers, begins), counts), judged @ w["worth"], first, inner, judged

    def learn(self, step: Step, left: float) -> None:
        """Change the weights a little, by what came of some choices. `left`: the share of learning that is left."""
        w, rate, entropy = self.weights, np.float32(RATE * left), np.float32(ENTROPY * left)
        chances, worth, first, inner, judged = self.ask(step.known, step.rows, step.counts)
        ratio, logs = chances[step.chosen] / step.likely, np.log(chances + 1e-12)
        pull = step.gains * ratio * np.where(step.gains > 0, ratio < 1 + CLIP, ratio > 1 - CLIP)
        spread = np.add.reduceat(chances * logs, step.begins)
        slope = chances * (np.repeat(pull - entropy * spread, step.counts) + entropy * logs)  # of the loss, by the logits
        slope[step.chosen] -= pull
        error = np.nan_to_num(worth - step.wanted)
        by_inner = np.outer(slope, w["out"]) * (inner > 0)
        by_first = by_inner @ w["inner"].T * (first > 0)
        by_known, by_judged = np.add.reduceat(by_first, step.begins), np.outer(error, w["worth"]) * (judged > 0)
        slopes = {
            "known": step.known.T @ by_known, "bias": by_known.sum(axis=0), "action": step.rows.T @ by_first,
            "inner": first.T @ by_inner, "inner_bias": by_inner.sum(axis=0), "out": inner.T @ slope,
            "judged": step.known.T @ by_judged, "judged_bias": by_judged.sum(axis=0), "worth": judged.T @ error,
        }  # fmt: skip
        for name, total in slopes.items():  # Adam, without its first corrections
            (mean, square), found = self.moments[name], total / len(worth)
            mean += np.float32(0.1) * (found - mean)
            square += np.float32(0.01) * (found * found - square)
            w[name] -= rate * mean / (np.sqrt(square) + np.float32(1e-6))


def waiting(at: Tables, which: np.ndarray | slice = slice(None)) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """What seats know that are to choose, their legal actions, and how many these are: copies, as tables write over them."""
    counts, rows = np.array(at.counts[which]), at.action_features[which]
    return np.array(at.features[which]), rows[np.arange(rows.shape[1]) < counts[:, None]], counts


def indices(at: Tables, places: np.ndarray) -> np.ndarray:
    """What `step` takes for places in the legal lists: the same, or where these actions stand in the game's few `codes`."""
    return places if (codes := at.encoding.codes) is None else np.searchsorted(codes, at.actions[range(len(places)), places])


def play_generation(play: SelfPlay, network: Network, rng: np.random.Generator) -> list[Step]:
    """Play on, each action by its chance, and work out what came of it, seat by seat: generalised advantages."""
    tables, played, steps = np.arange(len(play)), [], []
    for _ in range(STEPS):
        known, rows, counts = waiting(play.tables)
        chances, worth, *_ = network.ask(known, rows, counts)
        seat, begins = (tables, play.seat.copy()), np.cumsum(counts) - counts
        chosen = np.searchsorted(np.cumsum(chances, dtype=float), tables + rng.random(len(play)))  # each table's chances are 1
        chosen = np.clip(chosen, begins, begins + counts - 1)
        play.step(indices(play.tables, chosen - begins))
        step = Step(known, rows, counts, begins, chosen, chances[chosen], worth, worth)
        played.append((step, seat, play.seat_rewards.astype(np.float32), play.terminated.copy()))
    expected, paid, later = (np.full_like(play.seat_rewards, value, np.float32) for value in (np.nan, 0, 0))  # NaN: not known
    expected[tables, play.seat] = network.ask(*waiting(play.tables))[1]
    for step, seat, rewards, has_ended in reversed(played):
        expected[has_ended], later[has_ended], paid[has_ended] = 0, 0, rewards[has_ended]
        gains = paid[seat] + expected[seat] - step.wanted + TRACE * later[seat]
        steps.append(step._replace(gains=gains, wanted=step.wanted + gains))
        expected[seat], later[seat], paid[seat] = step.wanted, np.nan_to_num(gains), 0
    mean, spread = np.nanmean(every := np.stack([step.gains for step in steps])), np.nanstd(every) + 1e-6
    return [step._replace(gains=np.nan_to_num((step.gains - mean) / spread)) for step in steps]


def learn(settings: argparse.Namespace, report: int = 10) -> Network:
    """Play and learn; every `report` generations print how the network does."""
    rng, table = np.random.default_rng(settings.seed), {name: vars(settings)[name] for name in ("game", "seats", "episode")}
    play = SelfPlay(**table, tables=TABLES, seed=settings.seed, reward=settings.reward, action_features=True)
    network = Network(play.features.shape[1], play.action_features.shape[2], rng)
    for generation in range(settings.generations):
        steps = play_generation(play, network, rng)
        for step in rng.permutation(PASSES * STEPS) % STEPS:
            network.learn(steps[step], 1 - generation / settings.generations)
        if (generation + 1) % report == 0:
            shares = [f"{rival} {share_beaten(network, table, rival):.1%}" for rival in ("random", "policy", "search:20")]
            print(f"generation {generation + 1}: finishes before {', '.join(shares)}", flush=True)
    return network


def share_beaten(network: Network, table: dict, rival: str, episodes: int = 1024) -> float:
    """The share of rivals of a kind that the likeliest actions finish before in fixed episodes, a tie counting half."""
    tables = Tables(**table, tables=episodes, rivals=[rival], seed=1_000_000, autoreset="off", action_features=True)
    tables.reset()
    total = np.zeros(episodes)
    while len(which := np.flatnonzero(tables.counts)):
        asked, places = waiting(tables, which), np.zeros(episodes, int)
        places[which] = [chances.argmax() for chances in np.split(network.ask(*asked)[0], np.cumsum(asked[2])[:-1])]
        tables.step(indices(tables, places))
        total += tables.rewards
    return float((1 + total.mean()) / 2)


def export(network: Network, game: str, folder: Path) -> None:
    """Make a bot of the network: its weights, the encoding that it has learnt from, and the page that plays by them."""
    folder.mkdir(parents=True, exist_ok=True)
    np.savez(folder / "weights.npz", game=game, encoding=load(game).layout.sha256, **network.weights)
    shutil.copyfile(Path(__file__).with_name("player.py"), folder / "__init__.py")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Learn a game by self-play and write a bot that plays it.")
    parser.add_argument("folder", type=Path, help="where the bot goes")
    for name, usual in SETTINGS.items():
        parser.add_argument(f"--{name}", type=type(usual), default=usual, help=f"default: {usual}")
    settings = parser.parse_args()
    try:
        export(learn(settings), settings.game, settings.folder)
    except ArenaError as error:  # such as a game that there is not
        parser.error(str(error))
