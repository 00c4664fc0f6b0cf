"""The plan of a tournament: made of its config, and held against what its folder has already.

A run that has begun holds on to the bots that it began with, whatever was submitted or broken since. A ladder takes new bots
and versions in at its next stage, so nothing binds it.
"""

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from arena import games
from arena.agent.submissions import PREFIX, Submissions
from arena.disk import is_there
from arena.errors import ConfigError, StoreError
from arena.match.seeds import key_from_seed, new_key
from arena.names import Name
from arena.records import canonical_json
from arena.results.journal import JOURNAL_FILE, Journal
from arena.results.manifest import MANIFEST_FILE, LeftOut
from arena.tournament.building import with_built
from arena.tournament.config import Bot, Tournament
from arena.tournament.field import admit
from arena.tournament.formats.plan import Contestant, Plan
from arena.tournament.formats.schedule import FormatState, Schedule
from arena.tournament.session import Settings

MOST_MATCHES = 100_000_000  # a byte of memory each
_LEFT_OUT = "left_out"


@dataclass(frozen=True)
class Planned:
    """A tournament that can be played."""

    folder: Path
    tournament: Tournament
    """The config, with the bots that the run began with."""
    plan: Plan
    """The matches with their seeds; they follow from the config alone until the plan is `resumed`."""
    isolation: str
    """The isolation level of bots that are not trusted."""
    left_out: tuple[LeftOut, ...]
    """The bots that cannot be loaded: they play no match."""
    state: FormatState | None = None
    """What a format remembers between its runs besides the rows."""
    news: tuple[str, ...] = ()
    """What of the config this run does not play, in words."""

    @property
    def name(self) -> str:
        """The name of the results."""
        return self.folder.name

    @property
    def with_luck(self) -> bool:
        """Whether the luck of its matches is worked out."""
        return bool(self.tournament.ratings.luck) or self.plan.format.uses_luck

    def schedule(self) -> Schedule:
        """Return what decides on the way how the tournament goes on, before its first match."""
        return self.plan.format.schedule(self.plan, self.tournament.ratings)

    def matches(self, schedule: Schedule) -> int:
        """Return how many matches there are, as far as the schedule tells before the first one."""
        return len(self.plan) or schedule.total() or 0


def plan(tournament: Tournament, settings: Settings, say: Callable[[str], None] = lambda text: None) -> Planned:
    """The plan by a config alone, with all bots that can be loaded; writes nothing. Raises ConfigError and BotError.

    `say`: is told how the builds of bots go on that come as source.
    """
    tournament = with_built(tournament, isolation=settings.isolation, unsafe_trust_bots=settings.unsafe_trust_bots, say=say)
    folder = settings.out / (settings.name or tournament.name)
    begun = NOT_BEGUN if settings.fresh else begun_in(folder)
    tournament, news = as_it_began(tournament, begun, Submissions(settings.out))
    contestants, isolation, left_out = admit(
        tournament, isolation=settings.isolation, unsafe_trust_bots=settings.unsafe_trust_bots, begun=begun.contestants,
        known=settings.known,
    )  # fmt: skip
    seed = tournament.seed if settings.seed is None else settings.seed
    plan = Plan(
        entries=tournament.entries, contestants=contestants, rotations=tournament.rotations, clock=tournament.clock,
        limits=tournament.limits, faults=tournament.faults, seed=seed, format=tournament.format,
        key=new_key() if seed is None else key_from_seed(seed),
    )  # fmt: skip
    return Planned(
        folder, tournament, plan, isolation, begun.left_out if begun.contestants else left_out, news=tuple(news)
    )  # fmt: skip


def resumed(planned: Planned, journal: Journal) -> Planned:
    """The plan with the journal's key and all that a format has decided before; what is new is stored at once.

    Raises StoreError for a journal of another plan, and ConfigError for more matches than one tournament can have.
    """
    has_matches = next(journal.indices(), None) is not None
    plan = planned.plan
    if plan.seed is None and has_matches and (stored_key := journal.meta("key")):
        plan = msgspec.structs.replace(plan, key=stored_key)
    plan, state = plan.format.begin(plan, journal, has_matches=has_matches)
    document = canonical_json(plan.lasting_document)
    stored = journal.read_meta("plan", dict[str, Any])
    if stored is None and is_there(planned.folder / MANIFEST_FILE):  # the journal is written first
        raise StoreError(
            f"{planned.folder}: holds results, but {journal.path.name} is missing or empty: it cannot go on; restore that, "
            f"or move the folder away to start anew (a tournament also has --fresh, which does that, and --name)"
        )
    if stored is not None and has_matches and canonical_json(stored) != document:
        raise OtherPlan(planned.folder, _differences(stored, msgspec.json.decode(document)))
    try:
        plan.format.check(plan)
    except ValueError as error:
        raise StoreError(f"{journal.path}: not ours: {error}; move {planned.folder} away to start anew") from None
    matches = max(len(plan), plan.format.most_matches(plan))
    if matches > MOST_MATCHES:
        raise ConfigError(f"deals: {matches:,} matches are too many for one tournament, {MOST_MATCHES:,} are possible")
    if stored is None or not has_matches:  # what was never begun binds nobody
        journal.set_meta({"plan": document.encode()})
    journal.set_meta({"key": plan.key, **(state.values() if state is not None else {})})
    journal.set_meta({_LEFT_OUT: msgspec.json.encode(planned.left_out)})
    return dataclasses.replace(planned, plan=plan, state=state)


def announcement(planned: Planned, played: int) -> Iterator[str]:
    """Yield what is told before the first match, line by line. `played`: how many matches were played before."""
    plan, contestants = planned.plan, planned.plan.contestants
    yield from planned.news
    before = f", {played:,} of them played before" if played else ""
    yield f"{planned.name}: {len(contestants)} bots, {plan.format.size_text(plan)}{before}"
    yield from plan.format.notes(plan)
    for one in planned.left_out:
        yield f"warning: {one.name} is left out, because it cannot be loaded: {one.reason}"
    yield f"commitment to the deals: {plan.commitment}"
    untrusted = [bot.name for bot in contestants if not bot.trusted]
    if untrusted:
        yield f"isolation of bots that are not trusted: {planned.isolation} ({', '.join(untrusted)})"
        if plan.seed is not None:
            yield "warning: with a public seed, a bot that is not trusted can predict the deals"
    for place, entry in enumerate(plan.entries):
        for warning in games.load(entry.game).option_warnings(entry.seats, entry.options):
            yield f"warning: games[{place}].{warning}"


class OtherPlan(StoreError):
    """A folder that holds results of another plan than the one that is to be played there."""

    def __init__(self, folder: Path, differing: list[str]) -> None:
        """`differing`: the settings in which the two differ, in the words of the config."""
        self.differing = ", ".join(differing)
        super().__init__(
            f"{folder}: holds results of another plan (it differs in {self.differing}); start anew with --fresh (the "
            f"old results are set aside), or choose another --name"
        )


class _StoredPlan(msgspec.Struct, frozen=True):
    contestants: tuple["_Stored", ...] = ()


class _Stored(Contestant, frozen=True, kw_only=True, dict=True):
    name: Name


class Begun(msgspec.Struct, frozen=True):
    """The field with which a run began."""

    contestants: tuple[Contestant, ...]
    """The contestants; none if nothing binds this run."""
    left_out: tuple[LeftOut, ...]


NOT_BEGUN = Begun((), ())


def begun_in(folder: Path) -> Begun:
    """The field with which the run in a folder began. What is damaged binds nothing: it is refused later, in words."""
    if not (folder / JOURNAL_FILE).exists():
        return NOT_BEGUN
    try:
        with Journal(folder, is_read_only=True) as journal:
            stored, left_out = journal.meta("plan"), journal.meta(_LEFT_OUT)
            if stored is None or next(journal.indices(), None) is None:  # what was never begun binds nobody
                return NOT_BEGUN
        return Begun(
            msgspec.json.decode(stored, type=_StoredPlan).contestants,
            msgspec.json.decode(left_out or b"[]", type=tuple[LeftOut, ...]),
        )
    except (StoreError, msgspec.DecodeError, UnicodeError, RecursionError):
        return NOT_BEGUN


def as_it_began(tournament: Tournament, begun: Begun, submissions: Submissions) -> tuple[Tournament, list[str]]:
    """The tournament with the bots that its run began with, and in words what is therefore not played.

    Bots that were not submitted stay as the config has them: if they have changed, the plan says so.
    """
    if not begun.contestants:
        return tournament, []
    order = {(one.name, one.version): place for place, one in enumerate(begun.contestants)}
    out = {(one.name, one.version, one.sha256): one.reason for one in begun.left_out}
    bots: list[Bot] = []
    news: list[str] = []
    for bot in tournament.bots:
        reason = out.get((bot.name, bot.version, bot.files.sha256))
        if reason is not None:
            news.append(f"{bot.name} is left out of this run: {reason}")
        elif (bot.name, bot.version) in order or not str(bot.path).startswith(PREFIX):
            bots.append(bot)
        else:
            news.append(
                f"{bot.name}: version {bot.version} joins the next run (--fresh or another --name); this one began without"
            )
    kept = {(bot.name, bot.version) for bot in bots}
    missing = [one for one in begun.contestants if (one.name, one.version) not in kept]
    bots += [back for one in missing if (back := _submitted_as(one, submissions)) is not None]
    bots.sort(key=lambda bot: order.get((bot.name, bot.version), len(order)))
    return msgspec.structs.replace(tournament, bots=tuple(bots)), news


def _submitted_as(one: Contestant, submissions: Submissions) -> Bot | None:
    """The bot that a contestant was when the run began, from what is submitted, whatever the config called it."""
    for name in submissions.names():
        for version in submissions.versions(name):
            if (version.version, version.sha256) == (one.version, one.sha256):
                files = submissions.files(version)
                return Bot(one.name, Path(version.reference), files, one.params, one.trusted, one.games, one.version)
    return None


def _differences(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """The settings in which two plans differ, in the words of the config."""
    words = {"entries": "games", "contestants": "bots", "commitment": "seed"}
    keys = [words.get(key, key) for key in {**old, **new} if old.get(key) != new.get(key)]
    before, now = (_bots(plan.get("contestants")) for plan in (old, new))
    same = {str(bot.get("name")) for bot in before if bot in now}
    changed = sorted({str(bot.get("name")) for bot in before + now} - same)
    return sorted({f"bots: {', '.join(changed)}" if key == "bots" else key for key in keys})


def _bots(contestants: object) -> list[dict[str, Any]]:
    """The contestants of a plan, which may be somebody else's."""
    return [bot for bot in contestants if isinstance(bot, dict)] if isinstance(contestants, list) else []
