"""The way into a contest, in a terminal as in the hall: a bot is read, checked, and kept as the next version of its name."""

from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any

from arena.agent import BotFiles
from arena.agent.naming import NamedBot
from arena.agent.submissions import Submission, Submissions
from arena.errors import BotError
from arena.records import DEFAULT_LIMITS, Clock, Limits
from arena.tournament.admission.bot_check import check_bot
from arena.tournament.admission.check_report import CLOCK, BotCheck, refused
from arena.tournament.workers.warmup import warm_rooms


def examined(
    find: Callable[[], NamedBot],
    called: str,
    *,
    chosen: Sequence[str] = (),
    params: Mapping[str, Any] = MappingProxyType({}),
    clock: Clock = CLOCK,
    limits: Limits = DEFAULT_LIMITS,
    seed: int | None = None,
    say: Callable[[str], None] = lambda text: None,
    news: Callable[[str], None] = lambda text: None,
) -> tuple[BotCheck, BotFiles | None]:
    """The report on a bot, and its files as they were read, or None if they are no bot.

    `find`: reads the bot; `called`: the name of what turns out to be none; the others: see check_bot. What the machine lacks
    is compiled first. Raises HostTrouble and ArenaError if the machine failed.
    """
    try:
        found = find()
    except BotError as error:
        return refused(called, str(error)), None
    report = check_bot(
        found.name, found.files, params=params, chosen=chosen, clock=clock, limits=limits, seed=seed,
        prepare=lambda needs: warm_rooms(needs, news), say=say, news=news,
    )  # fmt: skip
    return report, found.files


def kept(
    name: str, report: BotCheck, files: BotFiles | None, store: Submissions, *, as_new: bool
) -> tuple[Submission, bool] | None:
    """Store a bot that may enter as the next version of its name, with whether it is new; None: it may not enter.

    `as_new`: see Submissions.submit. Raises StoreError.
    """
    if files is None or not report.may_enter:
        return None
    return store.submit(name, files, tuple(game.game for game in report.games), as_new=as_new)
