"""What somebody has submitted: `/me` with the own bots, the queue and the quotas, and one submission in full."""

import datetime
from dataclasses import replace
from typing import Annotated, Any

import msgspec
from msgspec.structs import replace as replaced

from arena import games
from arena.agent.submissions import PREFIX
from arena.errors import StoreError, telling_line
from arena.reports.checks import bot_check_text
from arena.results.inbox import PAGE, Place, Sent, State
from arena.results.site_file import Account
from arena.server.asked import Asked
from arena.server.contest.messages import Checked
from arena.server.problems import Problem
from arena.server.submitting.checks import Submitting, author_of
from arena.server.views.bots import BotCard, BotsQuery, BotState, Field, PoolRating
from arena.server.views.copies import copies
from arena.server.views.matches import MatchCard, MatchesQuery, matches
from arena.server.views.versions import VersionResult, against_earlier
from arena.tournament.check_report import BotCheck, FailedMatches, failed_in

LATEST = 3
"""Matches on the card of a bot."""
_LONGEST_LINE = 300
_CHECKED = msgspec.json.Decoder(Checked)


class MeQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which submissions `/me` shows."""

    before: Annotated[int, msgspec.Meta(ge=0, le=1 << 62)] | None = None
    """Only those that came before the one with this number: the `next` of the page before."""
    everybody: bool = False
    """Whether to show those of all authors, for organisers."""


class SubmissionQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A submission takes no parameters."""


class Submitted(msgspec.Struct, frozen=True, kw_only=True):
    """A submission and how far it is. All times are UTC, ISO 8601."""

    id: str
    """The id in its address, `/submissions/ID`."""
    number: int
    bot: str
    state: str
    """`waiting`, `checking`, `accepted`, `refused`, `void` (the machine failed: not counted), `entered` (into the ladder),
    `rated` (it has a rated match there) or `slow` (it is left out of the ladder: see `asleep`)."""
    is_pending: bool
    """Whether its check has yet to end."""
    received: str
    size: int
    """How many bytes were sent."""
    started: str | None
    """When its check began."""
    ended: str | None
    """When its check ended."""
    entered: str | None
    """When it came into the ladder."""
    rated: str | None
    """When it had its first rated match there."""
    asleep: float | None
    """How many seconds it slept in the ladder while others waited, so that it is left out there; None: it takes part."""
    place: int | None
    """The place in the queue: 1 is the next one, 0 is being checked; None: its check has ended."""
    seconds: int | None
    """About how long until its check ends; None: nobody knows, or it has ended."""
    checking: str
    """How far its check is, in words."""
    attempts: int
    """How often its check has begun; more than once if the machine failed."""
    version: int | None
    """The version under which the bot is kept; None: it may not enter, or nobody knows yet."""
    is_new: bool | None
    """False: these files were this version already. None: there is no version."""
    reference: str | None
    """How configs name this version."""
    sha256: str | None
    reasons: tuple[str, ...]
    """Why the bot may not enter, or what the machine's trouble was."""
    failed: tuple[FailedMatches, ...]
    """What those of the reasons count that tell of matches which failed."""
    fault: str | None
    """What went wrong first, in one line; None: nothing did."""
    warnings: tuple[str, ...]
    """What its author should know although it may enter."""
    author: str | None = None
    """The name of the account that sent it; for organisers."""
    same_as: tuple[str, ...] = ()
    """Bots of others with the same files, such as `alice v2`; for organisers."""


class WholeSubmission(msgspec.Struct, frozen=True, kw_only=True):
    """A submission in full."""

    submission: Submitted
    report: BotCheck | None
    """What the check found, as `arena check --format json` prints it; None: it has not ended, or the machine failed."""
    text: str
    """The report as the terminal prints it; empty: there is none."""
    trouble: str
    """Why nothing is checked on the server at present; empty: all is well."""
    versions: tuple[VersionResult, ...]
    """The version against the one before, in each pool of the contest; empty before they have met."""


class OwnBot(msgspec.Struct, frozen=True, kw_only=True):
    """A bot of the author."""

    name: str
    version: int | None
    """The newest version; None: none was accepted yet."""
    submitted: str | None
    """When the newest version was stored."""
    withdrawn: str | None
    """Why it plays no more, in words; None: it plays."""
    newest: Submitted | None
    """The submission of the newest accepted version."""
    matches: int
    """How many rated matches its newest rated version has played."""
    ratings: tuple[PoolRating, ...]
    """The newest ratings, that of all games first if there is one."""
    latest: tuple[MatchCard, ...]
    """The last matches in the first of these tournaments, the newest first; none once the bot is withdrawn."""


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """What an author may still send."""

    versions_a_day: int | None
    """Submissions within 24 hours; None: any number."""
    versions_left: int | None
    pending: int | None
    """Submissions that may wait or be checked at a time; None: any number."""
    pending_left: int | None
    bytes: int
    """The most bytes of one submission."""
    seconds: int
    """How long to wait before the next submission; 0: it may come now."""


class Me(msgspec.Struct, frozen=True, kw_only=True):
    """The bots and submissions of who asks."""

    name: str
    is_organiser: bool
    everybody: bool
    """Whether the submissions are those of all authors."""
    bots: tuple[OwnBot, ...]
    submissions: tuple[Submitted, ...]
    """The newest first."""
    next: int | None
    """What `before` has to be for the following ones; None: these were the last."""
    pending: int
    """How many of the own submissions have yet to end."""
    queue: int
    """How many submissions of all wait or are checked."""
    allowance: Allowance
    trouble: str
    """Why nothing is checked on the server at present; empty: all is well."""
    games: tuple[str, ...]
    """The games that a bot can be for: those of the contest, else all."""
    freeze: str | None
    """When the marks of the contest are frozen: UTC, ISO 8601. None: by hand, or there is none."""


def me(asked: Asked[MeQuery]) -> Me:
    """The data of `/me`."""
    account = author_of(asked.visitor)
    submitting, query = asked.submitting, asked.query
    inbox = submitting.inbox
    if query.everybody and not account.is_organiser:
        raise Problem(403, "submit_not_all")
    found = (
        inbox.everything(before=query.before, most=PAGE + 1)
        if query.everybody
        else inbox.of_account(account.id, before=query.before, most=PAGE + 1)
    )
    shown_rows = found[:PAGE]
    places = inbox.places() if any(sent.state.is_pending for sent in shown_rows) else {}
    names = asked.submitting.names() if query.everybody else {}
    same = copies(asked, shown_rows) if query.everybody else {}
    used = inbox.use(account.id)
    return Me(
        name=account.name, is_organiser=account.is_organiser, everybody=query.everybody, bots=_bots(asked, account),
        submissions=tuple(
            replaced(
                _shown(sent, places, submitting.checks.text_of(sent), names.get(sent.account) if query.everybody else None),
                same_as=same.get(sent.id, ()),
            )
            for sent in shown_rows
        ),
        next=shown_rows[-1].number if len(found) > PAGE else None, pending=used.pending, queue=inbox.pending(),
        allowance=_allowance(submitting, account), trouble=submitting.checks.trouble, games=_games(submitting),
        freeze=_freeze(submitting),
    )  # fmt: skip


def submission(asked: Asked[SubmissionQuery]) -> WholeSubmission:
    """The data of `/submissions/ID`. Others learn nothing of it, not even that it is there."""
    account = author_of(asked.visitor)
    sent = asked.submitting.inbox.find(asked.place["id"])
    if sent is None or (sent.account != account.id and not account.is_organiser):
        raise Problem(404, "submit_not_found")
    if sent.account != account.id:
        asked.accounts.log_look(account, "submission", sent.bot, sent.id)
    author = None if sent.account == account.id else asked.submitting.names().get(sent.account)
    outcome = outcome_of(sent)
    report = None if outcome is None else outcome.report
    same = copies(asked, [sent]).get(sent.id, ()) if account.is_organiser else ()
    return WholeSubmission(
        submission=replaced(shown(sent, asked.submitting, author), same_as=same), report=report,
        text="" if report is None else bot_check_text(report),
        trouble=asked.submitting.checks.trouble if sent.state.is_pending else "", versions=_versions(asked, sent),
    )  # fmt: skip


def _versions(asked: Asked[SubmissionQuery], sent: Sent) -> tuple[VersionResult, ...]:
    if asked.contest is None or sent.version is None:
        return ()
    return against_earlier(asked.library, asked.boards, asked.contest.contest.name, sent.bot, sent.version)


def shown(sent: Sent, submitting: Submitting, author: str | None = None) -> Submitted:
    """A submission as programs get it."""
    places = submitting.inbox.places() if sent.state.is_pending else {}
    return _shown(sent, places, submitting.checks.text_of(sent), author)


def outcome_of(sent: Sent) -> Checked | None:
    """Return how the check of a submission ended; None: it has not. Raises StoreError."""
    if sent.report is None:
        return None
    try:
        return _CHECKED.decode(sent.report)
    except msgspec.MsgspecError as error:
        raise StoreError(f"submission {sent.id}: its report is damaged: {error}") from None


def _shown(sent: Sent, places: dict[str, Place], text: str, author: str | None) -> Submitted:
    outcome, place = outcome_of(sent), places.get(sent.id)
    report = None if outcome is None else outcome.report
    reasons = report.refusals if report is not None else (outcome.trouble,) if outcome is not None and outcome.trouble else ()
    failed = tuple(one for game in (() if report is None else report.games) if (one := failed_in(game)) is not None)
    return Submitted(
        id=sent.id, number=sent.number, bot=sent.bot, state=sent.stage, is_pending=sent.state.is_pending,
        received=sent.received, size=sent.size, started=sent.started, ended=sent.ended, entered=sent.entered,
        rated=sent.rated, asleep=sent.asleep, place=None if place is None else place.place,
        seconds=None if place is None else place.seconds,
        checking=text, attempts=sent.attempts, version=sent.version,
        is_new=outcome.is_new if outcome is not None and sent.state is State.ACCEPTED else None,
        reference=None if sent.version is None else f"{PREFIX}{sent.bot}@{sent.version}", sha256=sent.sha256,
        reasons=reasons, failed=failed, fault=_fault(report), warnings=() if report is None else report.warnings, author=author,
    )  # fmt: skip


def _fault(report: BotCheck | None) -> str | None:
    return telling_line(report.faults[0].reason)[:_LONGEST_LINE] if report is not None and report.faults else None


def _bots(asked: Asked[Any], account: Account) -> tuple[OwnBot, ...]:
    submitting = asked.submitting
    newest, names = submitting.inbox.newest(account.id), submitting.inbox.bots_of(account.id)
    if not names:
        return ()
    field = Field(replace(asked, query=BotsQuery()), [])
    return tuple(_bot(asked, name, newest.get(name), field.card(name)) for name in names)


def _bot(asked: Asked[Any], name: str, newest: Sent | None, card: BotCard) -> OwnBot:
    submitting = asked.submitting
    versions = submitting.store.versions(name)
    withdrawal = submitting.store.withdrawal(name) if versions else None
    return OwnBot(
        name=name, version=versions[-1].version if versions else None,
        submitted=versions[-1].submitted if versions else None, withdrawn=None if withdrawal is None else str(withdrawal),
        newest=None if newest is None else _shown(newest, {}, "", None), matches=card.matches,
        ratings=card.ratings, latest=_latest(asked, card),
    )  # fmt: skip


def _latest(asked: Asked[Any], card: BotCard) -> tuple[MatchCard, ...]:
    """The last matches of a bot; what cannot be read is left out."""
    if not card.ratings or card.state is BotState.WITHDRAWN:
        return ()
    place, query = {"name": card.ratings[0].tournament}, MatchesQuery(bot=card.name, limit=LATEST)
    try:
        return matches(replace(asked, place=place, query=query)).matches
    except (Problem, StoreError, OSError):
        return ()


def _games(submitting: Submitting) -> tuple[str, ...]:
    contest = submitting.contest
    return tuple(games.names()) if contest is None else tuple(dict.fromkeys(one.game for one in contest.games))


def _freeze(submitting: Submitting) -> str | None:
    freeze = None if submitting.contest is None else submitting.contest.freeze
    return None if freeze is None else freeze.astimezone(datetime.UTC).isoformat(timespec="seconds")


def _allowance(submitting: Submitting, account: Account) -> Allowance:
    quotas, most = submitting.quotas_of(account), submitting.most_bytes(account)
    if quotas is None:
        return Allowance(
            versions_a_day=None, versions_left=None, pending=None, pending_left=None, bytes=most, seconds=0
        )  # fmt: skip
    used = submitting.inbox.use(account.id)
    return Allowance(
        versions_a_day=quotas.versions_a_day, versions_left=max(0, quotas.versions_a_day - used.versions),
        pending=quotas.pending, pending_left=max(0, quotas.pending - used.pending), bytes=most,
        seconds=submitting.seconds_to_wait(account),
    )  # fmt: skip
