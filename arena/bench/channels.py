"""What locked bots can tell their next match, or each other: what `arena bench channels` prints, for this machine.

Each attack is a bot that leaves its hand somewhere in one match, and in another match looks for it there. As each deal is
played in every seating, that would be a rival's hand. If nothing comes through, half of the bits are right, no hand is known.
"""

import math
import os
import secrets
from collections.abc import Iterator
from importlib import resources
from typing import cast

import msgspec

from arena import games
from arena.agent import BotFiles, StartInfo
from arena.agent.view import View
from arena.bench import channel_bots
from arena.bench.channel_bots.attack import BITS, message
from arena.bench.channel_bots.pages import DATA, SIZE
from arena.match import Fault
from arena.records import Clock, Limits
from arena.seats.choose import locked_seat
from arena.seats.sandbox import HeldSeat, Keeper

TRIALS = 20
LIMITS = Limits(memory=512 << 20)
_CLOCK = Clock(move=5.0, bank=5.0)
_SURE = 1.96  # standard errors of a 95 % interval
_MAIN = "__init__.py"


class Channel(msgspec.Struct, frozen=True):
    """One attack: what came through."""

    attack: str
    """What is used to carry bits, in words."""
    isolation: str
    right: float
    """The share of the bits that were read right; a half is chance."""
    low: float
    """The lower end of the 95 % interval of that share."""
    bits: float
    """Bits carried per match, of BITS: the capacity of a channel of which `low` is right; 0 at chance."""
    hands: int
    """How many hands were known in the later match."""
    trials: int
    refused: str
    """What the kernel said to the one who wrote; empty: it did as it was asked."""


ATTACKS: dict[str, tuple[str, dict[str, bool]]] = {
    "names asked for in its own folder": ("names", {"is_own": True}),
    "names asked for among the libraries": ("names", {"is_own": False}),
    "pages of its own data": ("pages", {"is_own": True}),
    "pages of a library": ("pages", {"is_own": False}),
    "a futex in a library, same table": ("futex", {}),
    "cache lines, by machine code of its own": ("lines", {"has_code": True}),
    "cache lines, by numpy": ("lines", {"has_code": False}),
}
"""The attacks: the file of the bot, and its params."""


def channels(game: str, level: str, *, trials: int = TRIALS) -> Iterator[Channel]:
    """Try every attack in matches of a game. `level`: the isolation of the bots. Raises LockError."""
    with Keeper([game], level=level, least=level) as keeper:
        for attack, (file, params) in ATTACKS.items():
            bot = _bot(file)
            _settle(keeper, bot)
            found = [_trial(keeper, game, bot, number, params, is_together=file == "futex") for number in range(trials)]
            right = sum(one == other for wanted, said, _ in found for one, other in zip(wanted, said)) / (BITS * trials)
            low = _lower_end(right, BITS * trials)
            yield Channel(
                attack=attack, isolation=keeper.level, right=right, low=low, bits=BITS * _capacity(low),
                hands=sum(wanted == said for wanted, said, _ in found), trials=trials,
                refused="; ".join(dict.fromkeys(text for _, _, text in found if text)),
            )  # fmt: skip


def _bot(name: str) -> BotFiles:
    """An attack as a bot: its file becomes the main one."""
    folder = resources.files(channel_bots)
    files = {_MAIN: folder.joinpath(f"{name}.py").read_bytes()}
    return BotFiles(_MAIN, files | ({DATA: bytes(SIZE)} if name == "pages" else {}))


def _settle(keeper: Keeper, bot: BotFiles) -> None:
    """Have no page of the bot's files in memory: what comes back are the pages that the attack asks for."""
    for path in keeper.path(bot).rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())  # else they could not be dropped
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _trial(
    keeper: Keeper, game: str, bot: BotFiles, number: int, how: dict[str, bool], *, is_together: bool
) -> tuple[list[int], list[int], str]:
    """The message, what was read, and what the kernel said to the one who wrote."""
    mark = secrets.token_hex(8)  # names of its own, which no trial before it has asked for
    view, others = _view(game, number, 0), _view(game, number, 1)

    def seat(*, reads: bool) -> HeldSeat:
        params = {"reads": reads, "trial": mark, **how}
        opened = locked_seat(keeper, bot, seed=number, params=params, limits=LIMITS)
        _check(opened.start(StartInfo(game, {}, games.load(game).seats[0], int(reads), _CLOCK)))
        return opened

    with seat(reads=False) as writer:
        writer.ask(view)
        if is_together:
            said = _answer(seat(reads=True), others)
        _check(writer.answer())
        refused = writer.output.strip()
    if not is_together:
        said = _answer(seat(reads=True), others)
    return message(view), [int(bit) for bit in said], refused


def _answer(seat: HeldSeat, view: View) -> str:
    with seat:
        seat.ask(view)
        _check(seat.answer())
        return seat.output.strip()


def _check(outcome: object) -> None:
    if isinstance(outcome, Fault):
        raise RuntimeError(f"an attack could not be tried: {outcome.reason}")


def _view(game: str, deal: int, seat: int) -> View:
    """The first decision of a deal, as a seat sees it."""
    room = games.load(game)
    seats = room.seats[0]
    states = room.deal(seats, room.resolve_options({}, seats), deal)
    view = room.view(room, room.observed(states, seat), seat, codes=room.legal_list(states), events=list, clock=_CLOCK)
    return cast(View, view)


def _lower_end(share: float, count: int) -> float:
    """The lower end of Wilson's 95 % interval of a share."""
    square = _SURE * _SURE / count
    spread = _SURE * math.sqrt(share * (1 - share) / count + square / (4 * count))
    return (share + square / 2 - spread) / (1 + square)


def _capacity(right: float) -> float:
    """Bits per bit sent, if so many are right; 0 at chance or below."""
    if right <= 0.5:
        return 0.0
    wrong = 1 - right
    return 1 + sum(part * math.log2(part) for part in (right, wrong) if part > 0)
