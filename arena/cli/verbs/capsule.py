"""`arena capsule MATCH_ID SEAT`: the decision where a bot failed, as a file, and the bot brought there again."""

from pathlib import Path
from typing import Annotated

import msgspec
import typer

from arena import games
from arena.agent import BotFiles, read_bot, unpacked
from arena.agent.loading import named_bot
from arena.agent.submissions import Submissions
from arena.audit.capsule import Capsule, Rerun, bring_back, first_fault, match_settings, pack, read_capsule, setup_of
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.games import ready
from arena.cli.shared.options import FormatOption, Out, TrustBots
from arena.cli.shared.printing import Format, note, refuse_csv, show
from arena.disk import write_whole
from arena.errors import ArenaError, ConfigError
from arena.match import HostTrouble
from arena.match.builds import built
from arena.match.holder import Holder
from arena.match.sandbox import LOCKED, NONE, PROCESS
from arena.records import json_object
from arena.reports.checks import print_capsule, print_rerun
from arena.reports.terminal import Page
from arena.results_folder import RESULTS
from arena.tournament.archive.finding import locate_match, with_faults


def capsule(
    match: Annotated[
        str, typer.Argument(metavar="MATCH_ID", help="Id of a stored match, or its first digits; or the file of a capsule.")
    ],
    seat: Annotated[
        int | None, typer.Argument(metavar="SEAT", help="Seat of the bot, from 0. A capsule's file knows its own.")
    ] = None,
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

    The file holds what the bot saw, its legal actions, its answer and what it printed. Its author runs it without the results:
    arena capsule FILE --run --bot BOT. A bot that is run again is locked in, whatever the results say about it.
    """
    refuse_csv(format, "a capsule")
    if bot is not None and not run:
        raise ConfigError("--bot: only with --run")
    file, content = _file_of(match), None
    if file is not None:
        given = {"SEAT": seat, "--decision": decision, "--to": to}
        if wrong := [name for name, value in given.items() if value is not None]:
            raise ConfigError(f"{wrong[0]}: not with the file of a capsule, which says it itself")
        packed, isolation = read_capsule(file), LOCKED
        _require_rules(packed, file)
    else:
        if seat is None:
            raise ConfigError("SEAT: needed with the id of a match: the seat of the bot, from 0")
        packed, isolation = _packed(out, match, seat, decision)
        file = to or Path(f"capsule-{packed.match_id}-{seat}.json")
        content = msgspec.json.format(msgspec.json.encode(packed), indent=1) + b"\n"
        write_whole(file, content)
    rerun: Rerun | None = None
    remarks: list[str] = []
    if run:
        rerun, remarks = _run(packed, isolation, _files(packed, bot, out), unsafe_trust_bots=unsafe_trust_bots)

    def write(page: Page) -> None:
        print_capsule(packed, page)
        if content is not None:
            page.say(f"wrote {file}, {len(content):,} bytes")
            page.line(f"its author runs it: arena capsule {file.name} --run --bot BOT")
        for remark in remarks:
            page.say(remark)
        if rerun is not None:
            print_rerun(packed, rerun, page)

    show(format, write, {"file": str(file), "capsule": packed, "rerun": rerun})
    return DONE


def _file_of(match: str) -> Path | None:
    """The capsule's file, if that is what was given."""
    path = Path(match)
    return path if path.suffix == ".json" or path.is_file() else None


def _packed(out: Path, match_id: str, seat: int, decision: int | None) -> tuple[Capsule, str]:
    """The capsule of a stored match, and the isolation with which its bot played. Raises ConfigError and StoreError."""
    folder, record, key = locate_match(out, match_id)
    if not 0 <= seat < len(record.seats):
        raise ConfigError(f"SEAT: a seat from 0 to {len(record.seats) - 1}, not {seat}")
    name, clock, limits = match_settings(folder, record)
    record = with_faults(record, folder)
    game = ready(record.game)
    setup = setup_of(record, key, clock)
    fault = first_fault(record, seat) if decision is None else decision
    packed = pack(game, record, setup, name, seat, fault, limits=limits)
    return packed, record.seats[seat].isolation


def _require_rules(packed: Capsule, file: Path) -> None:
    """Raise ConfigError if this version has other rules than the match was played by."""
    version = games.load(packed.game).version
    if packed.rules_version != version:
        raise ConfigError(
            f"{file}: played by version {packed.rules_version} of the rules of {packed.game}; this arena has version {version}"
        )


def _run(packed: Capsule, isolation: str, files: BotFiles, *, unsafe_trust_bots: bool) -> tuple[Rerun, list[str]]:
    """Bring the bot to the decision again. Returns what it did, and remarks on how that differs from the match.

    Raises ArenaError if the bot must be locked in and cannot be. That the row says it was not locked in proves nothing: the
    results may be a stranger's, and so may be the bot; and so may be the capsule, whose states no rules need have made: what a
    house bot has compiled for them reads and writes beside its memory.
    """
    was_open = isolation == NONE
    is_trusted = unsafe_trust_bots and was_open
    with Holder([packed.game], limits=packed.limits) as holder:
        params = json_object(bytes(packed.params).decode())
        if holder.not_locked and not unsafe_trust_bots:
            raise ArenaError(
                f"--run: this machine cannot lock the bot in ({holder.not_locked}); --unsafe-trust-bots runs it all the same"
            )
        game = ready(packed.game, [(files, params)])

        def brought() -> Rerun:
            with holder.seat(files, int(packed.seed, 16), params, is_trusted=is_trusted) as held:
                return bring_back(game, packed, held)

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
        return built(read_bot(path), path.stem, least=PROCESS, say=note, every=10.0).files
    found = Submissions(out).of_content(packed.bot_sha256) or unpacked(packed.bot_sha256)
    if found is None:
        raise ConfigError(f"--run: the files of {packed.bot} are not here any more; name them with --bot PATH")
    return found
