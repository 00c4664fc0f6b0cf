"""`arena bench env --device cuda`: steps of tables on a graphics card per second, and whether they are those of the processor.

All figures are wall time of one card: what is asked of it is timed from an idle card until it is idle again.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from arena import games
from arena.cli.shared.printing import write_table
from arena.engine.options import OptionValue
from arena.engine.random_tables import variants
from arena.errors import ConfigError
from arena.learning.compiled import lanes
from arena.learning.compiled.layout import COUNT, STEP
from arena.learning.device import Device
from arena.learning.on_device import OnDevice
from arena.learning.selfplay import SelfPlay
from arena.learning.tables import Tables
from arena.reports.terminal import Page

SIZES = (1 << 14, 1 << 16, 1 << 18)
"""Tables at once; the best is told."""
PLAYERS = (1 << 17, 1 << 19)
"""Tables at once of random play, which keeps nothing of what seats see."""
DECISIONS = 300  # of random play at each table, in one measurement
TURNS = 20  # steps between two looks at the clock: a look waits for the card
PLAIN, SMALL, ROWS, RANDOM = "self-play", "self-play, uint8", "self-play, action features", "random play"
"""The forms: all seats choose at random, with what they see; the last one without."""
PGX = ("sparrow_mahjong", "leduc_holdem", "kuhn_poker")
CHECKED = 1024  # tables of a check
_ARRAYS = (
    "features", "final_features", "mask", "actions", "counts", "seat", "rewards", "seat_rewards", "terminated", "final_places",
    "final_scores", "states",
)  # fmt: skip


class CardSpeed(msgspec.Struct, frozen=True):
    """How fast tables on a card are stepped; observations, masks, random choices and new deals are included."""

    form: str
    environment: str
    """A game of ours, or one of pgx."""
    seats: int
    tables: int
    """How many at once."""
    steps_per_second: float
    times: float | None = None
    """How many times as fast as pgx's sparrow mahjong; None without it, and for random play."""
    gigabytes: float | None = None
    """Memory of the card that the tables take."""
    compile_seconds: float | None = None
    """To compile the kernels and load them; little where the cache had them."""


class Check(msgspec.Struct, frozen=True):
    """What a comparison of tables on a card with tables on the processor found."""

    game: str
    seats: int
    options: dict[str, OptionValue]
    steps: int
    """At all tables together."""
    difference: str | None
    """The first one, or None."""


def card_speeds(names: Sequence[str], card: Device, seconds: float, say: Callable[[str], None]) -> list[CardSpeed]:
    """The speeds of some games at their smallest tables in all forms, and those of pgx. Raises ConfigError."""
    pgx = _pgx_speeds(seconds, say)
    ruler = pgx[0].steps_per_second if pgx else None
    found = []
    for name in names:
        for form in (PLAIN, SMALL, ROWS, RANDOM):
            say(f"{name}: {form} ...")
            best = _best(name, form, card, seconds)
            is_compared = ruler is not None and form != RANDOM
            found.append(msgspec.structs.replace(best, times=best.steps_per_second / ruler if is_compared and ruler else None))
    return found + pgx


def checks(names: Sequence[str], card: Device, steps: int, say: Callable[[str], None]) -> Iterator[Check]:
    """Play the same random choices on the card and on the processor, at all numbers of seats and in all variants of games."""
    for name in names:
        game = games.load(name)
        for seats in game.seats:
            for options in variants(game, seats):
                if game.ms_per_tick(options) is None:
                    found = _check(name, seats, options, card, steps)
                    say(f"{name}, {seats} seats: {found.steps:,} steps: {found.difference or 'equal bytes'}")
                    yield found


def write_speeds(page: Page, card: str, speeds: Sequence[CardSpeed]) -> None:
    """Write the table of speeds."""
    write_table(
        page, f"Steps per second on {card}",
        ("form", "environment", "seats", "tables", "steps/s", "times as fast", "GB", "compiled in s"),
        [
            (
                one.form, one.environment, str(one.seats), f"{one.tables:,}", f"{one.steps_per_second:,.0f}",
                *("-" if number is None else f"{number:.1f}" for number in (one.times, one.gigabytes, one.compile_seconds)),
            )
            for one in speeds
        ],
        names=2,
    )  # fmt: skip
    page.say("")
    page.say(f"`times as fast`: as pgx {PGX[0]} on the same card in this run. A step of random play is one decision.")


def write_checks(page: Page, found: Sequence[Check]) -> None:
    """Write what the comparisons found, a row for each game and number of seats."""
    groups: dict[tuple[str, int], list[Check]] = {}
    for one in found:
        groups.setdefault((one.game, one.seats), []).append(one)
    write_table(
        page, "Tables on the card beside tables on the processor: features, masks, rewards and states",
        ("game", "seats", "variants", "steps each", "found"),
        [
            (
                game, str(seats), str(len(some)), f"{some[0].steps:,}",
                next((f"{one.difference}; options {one.options}" for one in some if one.difference), "equal bytes"),
            )
            for (game, seats), some in groups.items()
        ],
        names=1,
    )  # fmt: skip


def _best(name: str, form: str, card: Device, seconds: float) -> CardSpeed:
    """The fastest of several numbers of tables. Raises ConfigError where the card has no room for the fewest."""
    found = []
    for tables in PLAYERS if form == RANDOM else SIZES:
        with suppress(MemoryError):
            found.append(_speed(name, form, tables, card, seconds))
    if not found:
        raise ConfigError(f"device: no room for {SIZES[0]:,} tables of {name}")
    best = max(found, key=lambda one: one.steps_per_second)
    return msgspec.structs.replace(best, compile_seconds=max(one.compile_seconds or 0.0 for one in found))


def _speed(name: str, form: str, tables: int, card: Device, seconds: float) -> CardSpeed:
    """One measurement. Raises MemoryError where the card has no room."""
    free, began = card.free_memory(), time.perf_counter()
    kind = "uint8" if form == SMALL else "float32"
    play = SelfPlay(name, tables, seed=1, device=card, action_features=form == ROWS, feature_type=kind).tables
    on = play.playing
    assert isinstance(on, OnDevice)

    def turn(number: int) -> int:
        if form == RANDOM:
            on.run_lane(lanes.random_lane, DECISIONS)
            return tables * DECISIONS
        on.run_lane(lanes.choose_lane, number)
        on.run(STEP)
        return tables

    turn(0)
    card.synchronize()
    compiled, taken = time.perf_counter() - began, free - card.free_memory()
    turns = 1 if form == RANDOM else TURNS
    for number in range(turns):
        turn(number)
    card.synchronize()
    began, steps, done = time.perf_counter(), 0, turns
    while time.perf_counter() - began < seconds:
        steps += sum(turn(done + number) for number in range(turns))
        done += turns
        card.synchronize()
    return CardSpeed(form, name, play.seats, tables, steps / (time.perf_counter() - began), None, taken / 1e9, compiled)


def _pgx_speeds(seconds: float, say: Callable[[str], None]) -> list[CardSpeed]:
    """Games of pgx on the same card; empty where it, or JAX for cards, is not installed."""
    try:
        import jax
        import pgx
    except ImportError:
        return []
    if jax.default_backend() != "gpu":
        return []
    found = []
    for name in PGX:
        say(f"pgx {name} ...")
        env = pgx.make(name)
        rates = {tables: _pgx_rate(env, tables, seconds) for tables in SIZES}
        best = max(rates, key=rates.__getitem__)
        found.append(CardSpeed(PLAIN, f"pgx {name}", int(env.num_players), best, rates[best]))
    return found


def _pgx_rate(env: Any, tables: int, seconds: float) -> float:
    """Steps per second of a game of pgx: a hundred in one compiled loop, legal actions at random, the observation used."""
    import jax
    import jax.numpy as jnp

    init, step, turns = jax.vmap(env.init), jax.vmap(env.step), 100

    def one(carry: Any, key: Any) -> tuple[Any, None]:
        state, total = carry
        drawing, dealing = jax.random.split(key)
        chosen = jax.random.categorical(drawing, jnp.where(state.legal_action_mask, 0.0, -1e9), axis=-1)
        keys = jax.random.split(dealing, tables)
        after, fresh = step(state, chosen, keys), init(keys)
        ended = after.terminated | after.truncated
        after = jax.tree_util.tree_map(
            lambda new, old: jnp.where(ended.reshape((-1, *[1] * (old.ndim - 1))), new, old), fresh, after
        )
        return (after, total + after.observation.astype(jnp.float32).sum()), None

    def many(state: Any, key: Any) -> Any:
        return jax.lax.scan(one, (state, jnp.float32(0)), jax.random.split(key, turns))[0]

    compiled = jax.jit(many)
    state, total = compiled(init(jax.random.split(jax.random.PRNGKey(0), tables)), jax.random.PRNGKey(1))
    jax.block_until_ready(total)
    began, steps = time.perf_counter(), 0
    while time.perf_counter() - began < seconds:
        state, total = compiled(state, jax.random.PRNGKey(steps + 2))
        jax.block_until_ready(total)
        steps += turns * tables
    return steps / (time.perf_counter() - began)


def _check(name: str, seats: int, options: dict[str, OptionValue], card: Device, steps: int) -> Check:
    tables = min(CHECKED, steps)
    here, there = (
        SelfPlay(name, tables, seats=seats, options=options, seed=1, action_features=True, device=where).tables
        for where in ("cpu", card)
    )
    rng, played, found = np.random.default_rng(1), 0, _difference(here, there)
    while found is None and played < steps:
        mask = here.mask
        chosen: NDArray[np.int64] = (rng.random(mask.shape, np.float32) * mask + mask).argmax(axis=1)
        here.step(chosen)
        there.step(chosen)
        played += tables
        found = _difference(here, there)
    return Check(name, seats, options, played, found and f"{found} after {played // tables} steps")


def _difference(here: Tables, there: Tables) -> str | None:
    """Say where two groups of tables differ, if they do."""
    pairs = {name: (getattr(here, name), there.playing.read(getattr(there, name))) for name in _ARRAYS}
    rows = here.action_features, there.playing.read(there.action_features)
    is_legal = (np.arange(rows[0].shape[1]) < here.playing.arrays.books[:, COUNT, None])[:, :, None]
    pairs["action_features"] = np.where(is_legal, rows[0], 0), np.where(is_legal, rows[1], 0)
    for name, (one, other) in pairs.items():
        lines = [np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1) for array in (one, other)]
        different = (lines[0] != lines[1]).any(axis=1)
        if different.any():
            return f"{name} of table {int(different.argmax())}"
    return None
