"""The check of a bot as the results of an autograder: for Gradescope, and for Classroom 50.

That it is a bot is one test, and each game is one: a point for a game in which all matches were played without a fault. What
went wrong stands in the output of the test, which whoever handed the bot in may see: `arena check` tells them the same.

Sources: https://gradescope-autograders.readthedocs.io/en/latest/specs/ (results.json), and
https://github.com/foundation50/classroom50/wiki/Advanced-Autograding (the contract of result.json, `classroom50/result/v1`).
"""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from arena.errors import ConfigError, printable
from arena.reports.checks import bot_check_text, where_played
from arena.tournament.check_report import BotCheck, GameCheck, failures

POINTS = 1
"""What each test is worth; both systems let the teacher scale the sum."""
FAULTS_TOLD = 3
OUTPUT_LETTERS = 10_000
"""The longest output of a test: what a bot prints may be long."""
_NEEDED = ("CLASSROOM", "ASSIGNMENT", "SUBMISSION_TAG", "COMMIT_URL", "RELEASE_URL")
_SCHEMA = "classroom50/result/v1"


@dataclass(frozen=True)
class GradedTest:
    """One test of a bot."""

    name: str
    is_passed: bool
    output: str
    """What was found, in words."""

    @property
    def score(self) -> int:
        """The points that it gives."""
        return POINTS if self.is_passed else 0


def graded(report: BotCheck, wanted: Sequence[str]) -> tuple[GradedTest, ...]:
    """The tests of a bot: that it is one, and each game. `wanted`: the games that count; empty for those that it plays."""
    found = {game.game: game for game in report.games}
    failed = {name: [*failures([game])] for name, game in found.items()}
    of_games = {reason for reasons in failed.values() for reason in reasons}
    others = [reason for reason in report.refusals if reason not in of_games]
    tests = [GradedTest("it is a bot", not others, "\n".join(others or ["it was read"]))]
    for name in dict.fromkeys(wanted or found):
        output = _told(report, found[name], failed[name]) if name in found else "no match was played"
        tests.append(GradedTest(f"{name}: every match without a fault", name in found and not failed[name], output))
    return tuple(tests)


def gradescope(report: BotCheck, wanted: Sequence[str] = ()) -> dict[str, object]:
    """The content of Gradescope's results.json."""
    return {
        "output": bot_check_text(report),
        "output_format": "text",
        "visibility": "visible",
        "tests": [
            {
                "name": test.name, "name_format": "text", "score": test.score, "max_score": POINTS,
                "status": "passed" if test.is_passed else "failed", "output": test.output, "output_format": "text",
                "visibility": "visible",
            }
            for test in graded(report, wanted)
        ],
    }  # fmt: skip


def check_classroom50(environment: Mapping[str, str]) -> None:
    """Raise ConfigError unless the runner of Classroom 50 has said which submission this is."""
    if missing := [name for name in _NEEDED if not environment.get(name)]:
        raise ConfigError(
            f"--format classroom50: {', '.join(missing)} not set: the runner of Classroom 50 sets these variables; "
            f"elsewhere use --format json"
        )


def classroom50(report: BotCheck, wanted: Sequence[str], environment: Mapping[str, str]) -> dict[str, object]:
    """The content of Classroom 50's result.json. `environment`: what `check_classroom50` has looked at."""
    tests = graded(report, wanted)
    classroom, assignment, submission, commit, release = (environment[name] for name in _NEEDED)
    return {
        "schema": _SCHEMA,
        "classroom": classroom,
        "assignment": assignment,
        "submission": submission,
        "commit": commit,
        "release": release,
        "review": environment.get("REVIEW_URL") or commit,
        "datetime": datetime.datetime.now(datetime.UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        "score": sum(test.score for test in tests),
        "max-score": POINTS * len(tests),
        "tests": [
            {
                "test-name": test.name, "passed": test.is_passed, "score": test.score, "max-score": POINTS,
                "output": test.output,
            }
            for test in tests
        ],
    }  # fmt: skip


def _told(report: BotCheck, game: GameCheck, failed: Sequence[str]) -> str:
    """What was found in a game."""
    return printable("\n".join(_lines(report, game, failed)), OUTPUT_LETTERS)


def _lines(report: BotCheck, game: GameCheck, failed: Sequence[str]) -> Iterator[str]:
    yield from failed or (f"{game.matches} matches, {game.decisions} decisions; the slowest took {game.cpu_ms_max:.2f} ms",)
    for fault in [one for one in report.faults if one.game == game.game][:FAULTS_TOLD]:
        yield f"\n{fault.ending.value} in {where_played(fault.game, fault.seats, fault.options)}\n{fault.reason}"
        if fault.output and fault.output not in fault.reason:
            yield f"it printed at the end:\n{fault.output}"
        if fault.view is not None:
            yield f"what it saw:\n{fault.view}"
