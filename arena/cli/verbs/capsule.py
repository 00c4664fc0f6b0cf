"""`arena capsule MATCH_ID SEAT`: the decision where a bot failed, as a file, and the bot brought there again."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arena.agent import BotFiles, read_bot, unpacked
from arena.agent.naming import is_house_bot, named_bot
from arena.agent.submissions import Submissions
from arena.audit.capsule import Capsule, Rerun, bring_back, first_fault, pack, setup_of
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.options import FormatOption, MatchId, Out, TrustBots
from arena.cli.shared.printing import Format, note, refuse_csv, show
from arena.cli.shared.rooms import ready
from arena.errors import ArenaError, ConfigError
from arena.hall.finding import locate_match
from arena.hall.folder import RESULTS
from arena.match import HostTrouble, MatchSetup
from arena.records import Limits, MatchRecord, json_object
from arena.report.terminal.capsule import print_capsule, print_rerun
from arena.report.terminal.page import Page
from arena.seats.holder import Holder
from arena.seats.sandbox import NONE
from arena.store import parquet
from arena.store.manifest import read_manifest, stored_clock, stored_limits


def capsule(
    match_id: MatchId,
    seat: Annotated[int, typer.Argument(metavar="SEAT", help="Seat of the bot, from 0.")],
    run: Annotated[
        bool, typer.Option("--run", help="Start the bot again, bring it to the decision, and show what it does now.")
    ] = False,
    bot: Annotated[
        Path | None,
        typer.Option(
            "--bot",
            metavar="BOT",
            parser=named_bot,
            help="With --run: use this bot, such as a mended one, instead of the one that played.",
        ),
    ] = None,
    decision: Annotated[
        int | None,
        typer.Option("--decision", metavar="N", help="Another decision of the seat, by its number in `arena replay`."),
    ] = None,
    to: Annotated[
        Path | None, typer.Option("--to", metavar="FILE", help="File to write. Default: capsule-MATCH_ID-SEAT.json.")
    ] = None,
    unsafe_trust_bots: TrustBots = False,
    format: FormatOption = Format.TABLE,
    out: Out = RESULTS,
) -> int:
    """Save the decision where a bot failed, and run the bot there again.

    The file holds what the bot saw, its legal actions, its answer and what it printed. A bot that is run again is locked in,
    whatever the results say about it, unless it is a house bot.
    """
    refuse_csv(format, "a capsule")
    if bot is not None and not run:
        raise ConfigError("--bot: only with --run")
    folder, record, key = locate_match(out, match_id)
    if not 0 <= seat < len(record.seats):
        raise ConfigError(f"SEAT: a seat from 0 to {len(record.seats) - 1}, not {seat}")
    manifest = read_manifest(folder)
    record = _with_faults(record, folder)
    game = ready(record.game)
    setup = setup_of(record, key, stored_clock(manifest, folder))
    fault = first_fault(record, seat) if decision is None else decision
    packed = pack(game, record, setup, manifest.name, seat, fault)
    path = to or Path(f"capsule-{record.match_id}-{seat}.json")
    _write(path, packed)
    rerun: Rerun | None = None
    remarks: list[str] = []
    if run:
        limits = stored_limits(manifest, folder)
        rerun, remarks = _run(packed, record, setup, limits, _files(packed, bot, out), unsafe_trust_bots=unsafe_trust_bots)

    def write(page: Page) -> None:
        print_capsule(packed, page)
        page.say(f"wrote {path}, {path.stat().st_size:,} bytes")
        for remark in remarks:
            page.say(remark)
        if rerun is not None:
            print_rerun(packed, rerun, page)

    show(format, write, {"file": str(path), "capsule": packed, "rerun": rerun})
    return DONE


def _run(
    packed: Capsule, record: MatchRecord, setup: MatchSetup, limits: Limits, files: BotFiles, *, unsafe_trust_bots: bool
) -> tuple[Rerun, list[str]]:
    """Bring the bot to the decision again. Returns what it did, and remarks on how that differs from the match.

    Raises ArenaError if the bot must be locked in and cannot be. That the row says it was not locked in proves nothing: the
    results may be a stranger's, and so may be the bot.
    """
    was_open = record.seats[packed.seat].isolation == NONE
    is_trusted = is_house_bot(files) or (unsafe_trust_bots and was_open)
    with Holder([packed.game], limits=limits) as holder:
        seed, params = setup.bot_seeds[packed.seat], json_object(record.seats[packed.seat].params)
        if holder.not_locked and not is_trusted and not unsafe_trust_bots:
            raise ArenaError(
                f"--run: this machine cannot lock the bot in ({holder.not_locked}); --unsafe-trust-bots runs it all the same"
            )
        room = ready(packed.game, [(files, params)])

        def brought() -> Rerun:
            with holder.seat(files, seed, params, is_trusted=is_trusted) as held:
                return bring_back(room, record, setup, packed.seat, packed.decision, held)

        try:
            rerun = holder.play(brought, note)
        except HostTrouble as trouble:
            raise ArenaError(f"the machine failed, not the bot: {trouble}; try again when it is idle") from None
    remarks = []
    if files.sha256 != packed.bot_sha256:
        remarks.append(f"with other files than those that played (sha256 {files.sha256[:16]}, then {packed.bot_sha256[:16]})")
    if was_open and not is_trusted:
        remarks.append("locked in, unlike in the match (--unsafe-trust-bots runs it as it ran then)")
    if holder.not_locked and not is_trusted:
        remarks.append(f"not locked in: {holder.not_locked}")
    return rerun, remarks


def _files(packed: Capsule, path: Path | None, out: Path) -> BotFiles:
    """The given files, or those that played. Raises ConfigError where nobody has them any more."""
    if path is not None:
        if not path.exists():
            raise ConfigError(f"--bot: {path.absolute()} does not exist")
        return read_bot(path)
    found = Submissions(out).of_content(packed.bot_sha256) or unpacked(packed.bot_sha256)
    if found is None:
        raise ConfigError(f"--run: the files of {packed.bot} are not here any more; name them with --bot PATH")
    return found


def _with_faults(record: MatchRecord, folder: Path) -> MatchRecord:
    """The record with the evidence of its faults, which is in a file of its own if there is no journal."""
    if record.faults:
        return record
    stored = tuple(found for found in parquet.read_faults(folder) if found.match_id == record.match_id)
    return msgspec.structs.replace(record, faults=stored)


def _write(path: Path, packed: Capsule) -> None:
    try:
        path.write_bytes(msgspec.json.format(msgspec.json.encode(packed), indent=1) + b"\n")
    except OSError as error:
        raise ConfigError(f"{path}: cannot be written: {error.strerror}") from None
