"""Self-play policy gradients with tables and network on one card: how many choices a second, all included, and how strong."""

import time
from collections.abc import Callable
from typing import Any

import msgspec

from arena.learning.selfplay import SelfPlay
from arena.learning.tables import Tables

WIDE, NARROW = 512, 256  # the network's layers
TABLES, STEPS = 16_384, 64  # between two changes of the network
BATCH, EPOCHS = 65_536, 2
GAMMA_LAMBDA, CLIP, RATE = 0.95, 0.2, 5e-4
ENTROPY = 0.05, 0.003  # at the beginning and at the end
ENDED = 20_000  # episodes of a test against the rollout policy


class Training(msgspec.Struct, frozen=True):
    """What a training did."""

    game: str
    seconds: float
    choices: int
    choices_per_second: float
    places_before: float
    """The mean reward by places against the rollout policy, from -1 to 1, of the network as it begins."""
    places_after: float
    """The same at the end."""


def train(
    game: str, seconds: float, device: Any, say: Callable[[str], None], *, count: int = TABLES, ended: int = ENDED
) -> Training:
    """Train a policy for a game of two seats at `count` tables, and test it in `ended` episodes. Needs torch."""
    import torch
    from torch import nn

    torch.manual_seed(1)
    torch.backends.cuda.matmul.allow_tf32 = True
    play = SelfPlay(game, count, seats=2, seed=1, device=device)
    seen, legal, seat = (torch.from_dlpack(one) for one in (play.features, play.mask, play.seat))
    is_over, rewards = torch.from_dlpack(play.terminated), torch.from_dlpack(play.seat_rewards)
    where, width, actions = seen.device, seen.shape[1], legal.shape[1]
    is_card = where.type == "cuda"

    class Net(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.body = nn.Sequential(nn.Linear(width, WIDE), nn.ReLU(), nn.Linear(WIDE, NARROW), nn.ReLU())
            self.policy, self.value = nn.Linear(NARROW, actions), nn.Linear(NARROW, 1)
            nn.init.orthogonal_(self.policy.weight, 0.01)

        def forward(self, x: Any) -> Any:
            x = self.body(x)
            return self.policy(x), self.value(x).squeeze(-1).tanh()

    def logarithms(logits: Any, mask: Any) -> Any:
        return torch.log_softmax(logits.masked_fill(~mask, -1e9), -1)

    net = Net().to(where)
    optimizer = torch.optim.Adam(net.parameters(), lr=RATE, eps=1e-5, fused=is_card)
    kept = {"seen": torch.zeros(STEPS + 1, count, width, device=where)}
    kept["legal"] = torch.zeros(STEPS + 1, count, actions, dtype=torch.bool, device=where)
    kept["seat"] = torch.zeros(STEPS + 1, count, dtype=torch.int64, device=where)
    for name in ("reward", "ended", "value"):
        kept[name] = torch.zeros(STEPS + 1, count, device=where)
    chosen = torch.zeros(STEPS, count, dtype=torch.int64, device=where)
    old = torch.zeros(STEPS, count, device=where)

    def look(k: int) -> None:
        kept["seen"][k], kept["legal"][k], kept["seat"][k] = seen, legal, seat

    def strength() -> float:
        """The mean reward by places of the likeliest actions against the rollout policy."""
        tables = Tables(game, count, rivals=["policy"], seed=7, device=device)
        tables.reset()
        views = [torch.from_dlpack(one) for one in (tables.features, tables.mask, tables.terminated, tables.rewards)]
        total, done = torch.zeros((), device=where, dtype=torch.float64), torch.zeros((), device=where, dtype=torch.int64)
        while int(done) < ended:
            with torch.no_grad():
                tables.step(logarithms(net(views[0])[0], views[1]).argmax(-1))
            total += (views[3] * views[2]).sum()
            done += views[2].sum()
        return float(total / done)

    before = strength()
    look(0)
    if is_card:
        torch.cuda.synchronize()
    began, told, choices = time.perf_counter(), 0.0, 0
    while (spent := time.perf_counter() - began) < seconds:
        share = spent / seconds
        with torch.no_grad():
            for k in range(STEPS):
                logits, kept["value"][k] = net(kept["seen"][k])
                logs = logarithms(logits, kept["legal"][k])
                drawn = torch.rand_like(logs).clamp_(1e-9, 1 - 1e-9)
                chosen[k] = (logs - torch.log(-torch.log(drawn))).argmax(-1)
                old[k] = logs.gather(-1, chosen[k, :, None]).squeeze(-1)
                play.step(chosen[k])
                look(k + 1)
                kept["ended"][k + 1], kept["reward"][k + 1] = is_over, rewards[:, 0]
            kept["value"][STEPS] = net(kept["seen"][STEPS])[1]
            gains, run = torch.zeros(STEPS, count, device=where), torch.zeros(count, device=where)
            for k in reversed(range(STEPS)):
                own = 1.0 - 2.0 * kept["seat"][k]  # rewards are those of seat 0, and what one seat wins the other loses
                same = torch.where(kept["seat"][k + 1] == kept["seat"][k], 1.0, -1.0)
                goes_on = 1.0 - kept["ended"][k + 1]
                step = kept["ended"][k + 1] * kept["reward"][k + 1] * own + goes_on * same * kept["value"][k + 1]
                run = step - kept["value"][k] + GAMMA_LAMBDA * goes_on * same * run
                gains[k] = run
            wanted = (gains + kept["value"][:STEPS]).reshape(-1)
            worth = gains.reshape(-1)
            worth = (worth - worth.mean()) / (worth.std() + 1e-8)
        flat = [one[:STEPS].reshape(STEPS * count, *one.shape[2:]) for one in (kept["seen"], kept["legal"], chosen, old)]
        for _ in range(EPOCHS):
            order = torch.randperm(STEPS * count, device=where)
            for some in order.split(BATCH):
                x, mask, action, before_log = (one[some] for one in flat)
                logits, value = net(x)
                logs = logarithms(logits, mask)
                ratio = (logs.gather(-1, action[:, None]).squeeze(-1) - before_log).exp()
                loss = -torch.min(ratio * worth[some], ratio.clamp(1 - CLIP, 1 + CLIP) * worth[some]).mean()
                entropy = -(logs.exp() * logs.masked_fill(~mask, 0)).sum(-1).mean()
                weight = ENTROPY[0] + (ENTROPY[1] - ENTROPY[0]) * share
                optimizer.zero_grad(set_to_none=True)
                (loss + 0.5 * (value - wanted[some]).pow(2).mean() - weight * entropy).backward()
                nn.utils.clip_grad_norm_(net.parameters(), 0.5)
                optimizer.step()
        for one in kept.values():
            one[0] = one[STEPS]
        choices += STEPS * count
        if spent - told > 10:
            told = spent
            say(f"{game}: {spent:.0f} s, {choices / spent / 1e6:.2f} M choices a second, entropy {float(entropy.detach()):.3f}")
    if is_card:
        torch.cuda.synchronize()
    spent = time.perf_counter() - began
    return Training(game, spent, choices, choices / spent, before, strength())
