"""`arena bench channels`: what locked bots can tell their next match, or each other.

An attack of the first kind is a bot that leaves its hand somewhere in one match, and in another match looks for it there. As
each deal is played in every seating, that would be a rival's hand. If nothing comes through, half of the bits are right, no
hand is known. One of the second kind watches a rival that means no harm, in a match of Naga: for each card that it cannot see
it says how likely the rival holds it. If nothing is seen, a card that is held looks likelier than another half of the time.
"""

import math
import os
import secrets
from collections.abc import Iterator
from contextlib import ExitStack
from importlib import resources
from typing import Annotated, Any, cast

import msgspec
import numpy as np
import typer
from numpy.typing import NDArray

from arena import games
from arena.agent import BotFiles, StartInfo
from arena.agent.view import View
from arena.cli.measuring import channel_bots
from arena.cli.measuring.channel_bots.attack import BITS, message
from arena.cli.measuring.channel_bots.pages import DATA, SIZE
from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.games import all_ready
from arena.cli.shared.options import FormatOption, OnlyGames
from arena.cli.shared.printing import Format, show, write_table
from arena.errors import ArenaError, ConfigError
from arena.games.naga.state import CARDS
from arena.match import Fault, play
from arena.match.choose import locked_seat
from arena.match.sandbox import LOCKED, NAMESPACE, PROCESS, HeldSeat, LockError, Supervisor, forget_caches
from arena.match.single_match import agree
from arena.records import DEFAULT_LIMITS, Clock, Ending
from arena.reports.terminal import Page

Numbers = NDArray[Any]

TRIALS = 20
_CLOCK = Clock(move=5.0, bank=5.0)
_SURE = 1.96  # standard errors of a 95 % interval
_MAIN = "__init__.py"


class Channel(msgspec.Struct, frozen=True):
    """One attack: what came through."""

    attack: str
    """What is used to carry bits, in words."""
    isolation: str
    right: float
    """The share of the bits that were read right. Of a rival that is watched: of pairs of a card that it holds and one that it
    does not, how often the first looked likelier (AUC). A half is chance."""
    low: float
    """The lower end of the 95 % interval of that share."""
    bits: float
    """Bits carried per match, of BITS or of the cards that are hidden: by a channel of which `low` is right; 0 at chance."""
    hands: int
    """How many hands were known in the later match, or of the rival."""
    trials: int
    refused: str
    """What the kernel said to the one who wrote or watched; empty: it did as it was asked."""
    is_watched: bool = False
    """Whether a rival was watched."""


ATTACKS: dict[str, tuple[str, dict[str, bool]]] = {
    "names asked for in its own folder": ("names", {"is_own": True}),
    "names asked for among the libraries": ("names", {"is_own": False}),
    "pages of its own data": ("pages", {"is_own": True}),
    "pages of a library": ("pages", {"is_own": False}),
    "a futex in a library, same table": ("futex", {}),
    "cache lines, by machine code of its own": ("lines", {"has_code": True}),
    "cache lines, by numpy": ("lines", {"has_code": False}),
}
"""The attacks on the next match: the file of the bot, and its params."""
WATCHERS = {
    "a rival's table lines, by machine code": {"has_code": True, "primes": False},
    "a rival's table lines, by numpy": {"has_code": False, "primes": False},
    "prime and probe, by machine code": {"has_code": True, "primes": True},
    "prime and probe, by numpy": {"has_code": False, "primes": True},
}
"""The attacks on a rival: the params of channel_bots/watcher.py."""
WATCHED_GAME = "naga"


def measured(game: str, level: str, *, trials: int = TRIALS) -> Iterator[Channel]:
    """Try every attack in matches of a game. `level`: the isolation of the bots. Raises LockError."""
    with Supervisor([game, WATCHED_GAME], level=level, least=level) as supervisor:
        for attack, (file, params) in ATTACKS.items():
            bot = _bot(file)
            _settle(supervisor, bot)
            found = [_trial(supervisor, game, bot, number, params, is_together=file == "futex") for number in range(trials)]
            right = sum(one == other for wanted, said, _ in found for one, other in zip(wanted, said)) / (BITS * trials)
            low = _lower_end(right, BITS * trials)
            yield Channel(
                attack=attack, isolation=supervisor.level, right=right, low=low, bits=BITS * _capacity(low),
                hands=sum(wanted == said for wanted, said, _ in found), trials=trials,
                refused="; ".join(dict.fromkeys(text for _, _, text in found if text)),
            )  # fmt: skip
        supervisor.stay()
        for attack, params in WATCHERS.items():
            yield _watched(supervisor, attack, [_match(supervisor, number, params) for number in range(trials)])


def _bot(name: str) -> BotFiles:
    """An attack as a bot: its file becomes the main one."""
    folder = resources.files(channel_bots)
    files = {_MAIN: folder.joinpath(f"{name}.py").read_bytes()}
    return BotFiles(_MAIN, files | ({DATA: bytes(SIZE)} if name == "pages" else {}))


def _settle(supervisor: Supervisor, bot: BotFiles) -> None:
    """Have no page of the bot's files in memory: what comes back are the pages that the attack asks for."""
    for path in supervisor.path(bot).rglob("*"):
        if path.is_file():
            with path.open("rb") as file:
                os.fsync(file.fileno())  # else they could not be dropped
                os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def _trial(
    supervisor: Supervisor, game: str, bot: BotFiles, number: int, how: dict[str, bool], *, is_together: bool
) -> tuple[list[int], list[int], str]:
    """The message, what was read, and what the kernel said to the one who wrote."""
    mark = secrets.token_hex(8)  # names of its own, which no trial before it has asked for
    view, others = _view(game, number, 0), _view(game, number, 1)

    def seat(*, reads: bool) -> HeldSeat:
        params = {"reads": reads, "trial": mark, **how}
        opened = locked_seat(supervisor, bot, seed=number, params=params, limits=DEFAULT_LIMITS)
        _check(opened.start(StartInfo(game, {}, games.load(game).seats[0], int(reads), _CLOCK)))
        return opened

    with seat(reads=False) as writer:
        writer.ask(view)
        if is_together:
            said = _answer(seat(reads=True), others)
        _check(writer.answer())
        refused = writer.output.strip()
    if not is_together:
        forget_caches()  # as workers do between such matches
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


def _watched(supervisor: Supervisor, attack: str, found: list[tuple[Numbers, Numbers, str]]) -> Channel:
    """Return what came of matches with a rival that is watched; see `_match`."""
    scores, held = (np.concatenate([match[part] for match in found]) for part in (0, 1))
    pairs = int(held.sum()) * int((~held).sum())
    right = (_ranks(scores)[held].sum() - held.sum() * (held.sum() + 1) / 2) / pairs
    low = right - _SURE * math.sqrt((len(held) + 1) / (12 * pairs))  # of Mann and Whitney's U, where there is no difference
    hands = sum(bool(score[held].min() > score[~held].max()) for score, held, _ in found)
    return Channel(
        attack=attack, isolation=supervisor.level, right=float(right), low=float(low),
        bits=float(len(held) / len(found) * _capacity(float(low))), hands=hands, trials=len(found),
        refused="; ".join(dict.fromkeys(text for _, _, text in found if text)), is_watched=True,
    )  # fmt: skip


def _match(supervisor: Supervisor, number: int, params: dict[str, bool]) -> tuple[Numbers, Numbers, str]:
    """For each card that is hidden from the watcher: how likely the rival holds it, whether it does; and what was refused."""
    game = games.load(WATCHED_GAME)
    setup = agree(WATCHED_GAME, ["watcher", "rival"], seed=number, clock=_CLOCK)
    states = game.deal(2, setup.options, setup.deal_seed)
    own, rivals = ([hand >> card & 1 == 1 for card in range(len(CARDS))] for hand in map(int, states[0]["hand"]))
    files: tuple[tuple[str, dict[str, bool]], ...] = (("watcher", params), ("rival", {}))
    with ExitStack() as opened:
        seats = [
            opened.enter_context(locked_seat(supervisor, _bot(name), seed=seed, params=given, limits=DEFAULT_LIMITS))
            for (name, given), seed in zip(files, setup.bot_seeds)
        ]
        seats[0].listen()
        for seat in play(game, setup, seats).seats:
            _check(None if seat.ending is Ending.PLAYED else Fault(seat.ending, "a seat did not play to the end"))
        said = seats[0].take_output().splitlines()
    seen = np.zeros(len(CARDS))
    for line in [line.split()[1:] for line in said if line.startswith("seen:")]:
        seen += np.array(line, float)
    hidden = ~np.array(own)
    refused = [line.removeprefix("refused: ") for line in said if line.startswith("refused: ")]
    return _ranks(seen[hidden]), np.array(rivals)[hidden], "".join(refused)


def _ranks(scores: Numbers) -> Numbers:
    from scipy.stats import rankdata  # only now: it takes as long to import as all of arena

    return cast(Numbers, rankdata(scores))


def _view(game: str, deal: int, seat: int) -> View:
    """The first decision of a deal, as a seat sees it."""
    loaded = games.load(game)
    seats = loaded.seats[0]
    states = loaded.deal(seats, loaded.resolve_options({}, seats), deal)
    view = loaded.view(loaded, loaded.observed(states, seat), seat, codes=loaded.legal_list(states), events=list, clock=_CLOCK)
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


def channels(
    game: OnlyGames = None,
    trials: Annotated[int, typer.Option("--trials", metavar="N", help="Hands to send by each attack.")] = TRIALS,
    isolation: Annotated[
        str, typer.Option("--isolation", metavar="LEVEL", help="The lock to try; process: none, for comparison.")
    ] = NAMESPACE,
    format: FormatOption = Format.TABLE,
) -> int:
    """Measure what locked bots can tell their next match, or each other.

    Attacks leave a hand in the kernel's memory of names, in the page cache, at a futex and in the processor's caches, and look
    for it in another match; others watch a rival through the caches. Of several games the first is played.
    Exit code 0: no hand was known there and no more bits than by chance, 1: some were.
    """
    if isolation not in (NAMESPACE, LOCKED, PROCESS):
        raise ConfigError(f"--isolation: {NAMESPACE}, {LOCKED} or {PROCESS}, not {isolation!r}")
    if trials < 1:
        raise ConfigError(f"--trials: at least 1, not {trials}")
    games = all_ready(game)
    all_ready([WATCHED_GAME])
    try:
        found = list(measured(games[0], isolation, trials=trials))
    except LockError as error:
        raise ArenaError(f"bots cannot be locked in here: {error}; `arena doctor` shows what this machine offers") from None
    show(format, lambda page: _write(page, found), found, found)
    return NO if any(channel.bits or channel.hands for channel in found) else DONE


def _write(page: Page, found: list[Channel]) -> None:
    level, trials = found[0].isolation, found[0].trials
    write_table(
        page, f"Messages of {BITS} bits sent to another match, isolation {level}, {trials} each",
        ("by way of", "bits right", "AUC", "bits a match", "hands known", "refused"),
        [
            (
                channel.attack, *(("-", f"{channel.right:.2f}") if channel.is_watched else (f"{channel.right:.0%}", "-")),
                f"{channel.bits:.1f}", f"{channel.hands} of {channel.trials}",
                channel.refused or "-",
            )
            for channel in found
        ],
    )  # fmt: skip
    page.say("")
    page.say(f"bits a match: at least so many of {BITS} come through, by the lower end of a 95 % interval; chance is 0")
    page.say("AUC: how often a card that a watched rival holds looks likelier than one that it does not; chance is 0.5")
