"""Deep Monte Carlo: a small network learns by self-play what each action is worth, and becomes a bot.

The network estimates the reward at the end of the episode from what a seat knows and from one action. It plays all seats of
many tables at once: the action that it values most, now and then any other. What each choice led to in the end is what it
learns next. The method is that of DouZero (Zha et al., "DouZero: Mastering DouDizhu with Self-Play Deep Reinforcement
Learning", 2021), made small. It needs torch: `pip install arena-hall[learn]`.

    python learn.py learnt                          learns Naga; the folder `learnt` is then a bot
    python learn.py learnt --game yaniv --seed 2    all settings: --help
"""

import argparse
import shutil
from dataclasses import dataclass, fields
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch
from torch import nn

from arena.errors import ArenaError
from arena.games import load
from arena.learning.rivals import Batch
from arena.learning.selfplay import SelfPlay
from arena.learning.tables import Tables

PLAYER = Path(__file__).with_name("player.py")


@dataclass(frozen=True)
class Settings:
    """What learning depends on: the same settings on the same machine give the same network, bit for bit."""

    game: str = "naga"
    seats: int = 2
    episode: str = "match"  # or "round"
    generations: int = 300  # of play, then learning from it
    tables: int = 1024
    steps: int = 32  # choices at each table per generation
    hidden: int = 128  # width of the network
    batch: int = 1024  # choices per step of the optimizer
    rate: float = 0.001  # of learning at the beginning; it falls to 0
    explore: float = 0.05  # share of choices that are random
    seed: int = 1


class Network(nn.Module):
    """The value of an action: two hidden layers over what the seat knows and what the action does."""

    def __init__(self, features: int, action_features: int, hidden: int) -> None:
        super().__init__()
        self.known = nn.Linear(features, hidden)
        self.action = nn.Linear(action_features, hidden, bias=False)
        self.inner = nn.Linear(hidden, hidden)
        self.value = nn.Linear(hidden, 1)

    def forward(self, features: torch.Tensor, rows: torch.Tensor, counts: torch.Tensor) -> torch.Tensor:
        """[sum of counts]: the values of all `rows`, of which `counts` belong to each row of `features`."""
        known = self.known(features).repeat_interleave(counts, 0)  # the larger half of the work, once per table
        hidden = torch.relu(known + self.action(rows))
        return self.value(torch.relu(self.inner(hidden))).squeeze(1)


def best_places(network: Network, batch: SelfPlay | Tables | Batch) -> np.ndarray:
    """The place of the best action in the legal list of each table; 0 where there is none."""
    legal = np.arange(batch.action_features.shape[1]) < batch.counts[:, None]
    values = np.full(legal.shape, -np.inf, np.float32)
    with torch.no_grad():
        rows = torch.from_numpy(batch.action_features[legal])
        values[legal] = network(torch.tensor(batch.features), rows, torch.tensor(batch.counts)).numpy()
    return values.argmax(axis=1)


def indices(batch: SelfPlay | Tables | Batch, places: np.ndarray, codes: tuple[int, ...] | None) -> np.ndarray:
    """What `step` takes for places in the legal lists: the same, or where these actions stand in the game's few `codes`."""
    return places if codes is None else np.searchsorted(codes, batch.actions[np.arange(len(places)), places])


class Choices(NamedTuple):
    """Choices at all tables, one below the other."""

    known: np.ndarray
    chosen: np.ndarray  # the features of the action
    tables: np.ndarray
    seats: np.ndarray
    outcomes: np.ndarray  # the reward at the end of the episode; NaN while it goes on


def play_generation(
    play: SelfPlay, network: Network, settings: Settings, rng: np.random.Generator, pending: Choices | None
) -> tuple[Choices, Choices]:
    """Play on. Gives the choices in episodes that have ended, and those still `pending`."""
    tables = np.arange(len(play))
    codes = play.tables.encoding.codes
    known, chosen, seats, rewards, ended = [], [], [], [], []
    for _ in range(settings.steps):
        random = (rng.random(len(play)) * play.counts).astype(np.int64)
        places = np.where(rng.random(len(play)) < settings.explore, random, best_places(network, play))
        known.append(play.features.copy())  # the arrays are filled anew by the next step
        chosen.append(play.action_features[tables, places])
        seats.append(play.seat.copy())
        play.step(indices(play, places, codes))
        rewards.append(play.seat_rewards.astype(np.float32))
        ended.append(play.terminated.copy())
    outcome = np.full_like(rewards[0], np.nan)  # [tables, seats]: of the next episode that ends, from the last step back
    outcomes = []
    for seat, reward, end in zip(seats[::-1], rewards[::-1], ended[::-1]):
        outcome[end] = reward[end]
        outcomes.append(outcome[tables, seat])
    new = Choices(
        np.concatenate(known), np.concatenate(chosen), np.tile(tables, settings.steps), np.concatenate(seats),
        np.concatenate(outcomes[::-1]),
    )  # fmt: skip
    if pending is not None:
        pending = pending._replace(outcomes=outcome[pending.tables, pending.seats])
        new = Choices(*map(np.concatenate, zip(pending, new)))
    is_open = np.isnan(new.outcomes)
    return Choices(*(column[~is_open] for column in new)), Choices(*(column[is_open] for column in new))


def learn(settings: Settings, report: int = 50) -> Network:
    """Play and learn; every `report` generations print how the network does against the room's rollout policy."""
    torch.manual_seed(settings.seed)
    torch.use_deterministic_algorithms(True)
    torch.set_num_threads(1)  # sums depend on how they are split; layers this small gain nothing from a second thread
    rng = np.random.default_rng(settings.seed)
    play = SelfPlay(
        settings.game, settings.tables, seats=settings.seats, episode=settings.episode, seed=settings.seed, action_features=True
    )
    network = Network(play.features.shape[1], play.action_features.shape[2], settings.hidden)
    optimizer = torch.optim.Adam(network.parameters(), settings.rate)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.0, settings.generations)
    pending = None
    for generation in range(1, settings.generations + 1):
        ended, pending = play_generation(play, network, settings, rng, pending)
        known, chosen, outcomes = map(torch.from_numpy, (ended.known, ended.chosen, ended.outcomes))
        if not len(outcomes):
            continue  # the first episodes still go on
        for part in torch.randperm(len(outcomes)).split(settings.batch):
            values = network(known[part], chosen[part], torch.ones(len(part), dtype=torch.int64))
            loss = nn.functional.mse_loss(values, outcomes[part])
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
        schedule.step()
        if generation % report == 0:
            reward = mean_reward(network, settings, "policy")
            print(f"generation {generation}  loss {loss.item():.3f}  against the rollout policy {reward:+.3f}", flush=True)
    return network


def mean_reward(network: Network, settings: Settings, rival: str, episodes: int = 1024) -> float:
    """What the network gets on average in fixed episodes against a rival, who sits at all other seats."""
    tables = Tables(
        settings.game, episodes, seats=settings.seats, rivals=[rival], episode=settings.episode, seed=1_000_000,
        autoreset="off", action_features=True,
    )  # fmt: skip
    tables.reset()
    total = np.zeros(episodes)
    while tables.counts.any():
        tables.step(indices(tables, best_places(network, tables), tables.encoding.codes))
        total += tables.rewards
    return float(total.mean())


def export(network: Network, settings: Settings, folder: Path) -> None:
    """Make a bot of the network: its weights as plain arrays, and the page that plays by them."""
    folder.mkdir(parents=True, exist_ok=True)
    weights = {name: values.numpy() for name, values in network.state_dict().items()}
    encoding = load(settings.game).layout.sha256  # what the numbers mean that it has learnt from
    np.savez(folder / "weights.npz", game=np.array(settings.game), encoding=np.array(encoding), **weights)
    shutil.copyfile(PLAYER, folder / "__init__.py")


def main() -> None:
    """Read the settings, learn, export."""
    parser = argparse.ArgumentParser(description="Learn a game by self-play and write a bot that plays it.")
    parser.add_argument("folder", type=Path, help="where the bot goes")
    for field in fields(Settings):
        parser.add_argument(f"--{field.name}", type=field.type, default=field.default, help=f"default: {field.default}")
    given = vars(parser.parse_args())
    folder = given.pop("folder")
    try:
        settings = Settings(**given)
        export(learn(settings), settings, folder)
    except ArenaError as error:  # such as a game that there is not
        parser.error(str(error))


if __name__ == "__main__":
    main()
