"""`arena replay MATCH_ID`: a stored match as readable text, or as a trace."""

from typing import Annotated

import typer

from arena import games
from arena.audit.laws.traces import logged_lines
from arena.audit.notes import notes_of
from arena.cli.shared.exit_codes import DONE
from arena.cli.shared.games import ready
from arena.cli.shared.options import MatchId, Out, TrustBots
from arena.cli.shared.printing import note, say_all
from arena.engine.game import Game
from arena.engine.options import OptionValue
from arena.engine.readiness import CHANCE
from arena.errors import ConfigError, StoreError
from arena.match.log import check_log, checked_options
from arena.match.seeds import deal_seed
from arena.ratings.match_luck import LuckCourse, course_of
from arena.records import MatchRecord
from arena.reports.replay import decision_lines, luck_lines, luck_summary, replay_lines, summary_lines
from arena.results_folder import RESULTS
from arena.tournament.archive.finding import find_match
from arena.tournament.workers.compiling import warm_games


def replay(
    match_id: MatchId,
    seat: Annotated[
        int | None, typer.Option("--seat", metavar="SEAT", help="Show only what this seat saw. Default: all cards open.")
    ] = None,
    trace: Annotated[
        bool, typer.Option("--trace", help="Print JSON Lines, as `arena trace` does, with all cards open.")
    ] = False,
    notes: Annotated[
        int | None,
        typer.Option(
            "--notes",
            metavar="SEAT",
            help="Play the match again to show what the bot of this seat notes and prints at its decisions.",
        ),
    ] = None,
    luck: Annotated[
        bool, typer.Option("--luck", help="Tell what the cards did and what the players did, with all cards open.")
    ] = False,
    unsafe_trust_bots: TrustBots = False,
    out: Out = RESULTS,
) -> int:
    """Print a stored match, decision by decision.

    `arena leaderboard --explain BOT` and the HTML report name matches by their ids.
    """
    record, key = find_match(out, match_id)
    seats = len(record.seats)
    if seat is not None and not 0 <= seat < seats:
        raise ConfigError(f"--seat: a seat from 0 to {seats - 1}, not {seat}")
    if trace and seat is not None:
        raise ConfigError("--trace shows all cards; leave --seat out")
    if trace and notes is not None:
        raise ConfigError("--trace has no place for notes; leave --notes out")
    if luck and (seat is not None or trace):
        raise ConfigError("--luck looks at all cards and has no place in a trace; leave --seat and --trace out")
    if notes is not None and not 0 <= notes < seats:
        raise ConfigError(f"--notes: a seat from 0 to {seats - 1}, not {notes}")
    game = ready(record.game)
    options = checked_options(game, record)
    seed = deal_seed(key, record.game, seats, record.options, record.deal)
    if trace:
        if not check_log(game, record, options, seed):
            raise StoreError(f"match {record.match_id}: its log ends before the match does, so it makes no trace")
        say_all(logged_lines(game, seats, options, seed, record.actions, record.delays))
    else:
        found = None
        if notes is not None:
            found = notes_of(out, record.match_id, notes, say=note, unsafe_trust_bots=unsafe_trust_bots)
        course = _course(game, record, options, seed) if luck else None
        remarks = {} if course is None else luck_lines(course)
        for decision, lines in ({} if found is None else decision_lines(found)).items():
            remarks[decision] = [*remarks.get(decision, ()), *lines]
        say_all(replay_lines(game, record, options, seed, seat, remarks))
        say_all([] if course is None else luck_summary(record, course))
        say_all([] if found is None else summary_lines(found))
    return DONE


def _course(game: Game, record: MatchRecord, options: dict[str, OptionValue], seed: int) -> LuckCourse:
    """The match as chance and choices took it. Raises ConfigError where nothing is known of chance, StoreError for its log."""
    games.luck(game)
    if not record.is_void and not check_log(game, record, options, seed):
        raise StoreError(f"match {record.match_id}: its log ends before the match does")
    warm_games({record.game: (CHANCE,)}, note)
    return course_of(game, record, options, seed)
