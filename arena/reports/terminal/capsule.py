"""A capsule and what came of running it, in words."""

from arena.audit.capsule import AT_START, Capsule
from arena.audit.capsule_run import Rerun
from arena.reports.selection.names import bot_name
from arena.reports.terminal.page import Page

_DIFFERING_SHOWN = 5


def print_capsule(capsule: Capsule, page: Page) -> None:
    """Print what happened, what the bot saw and what it printed."""
    who = f"{capsule.game}, seat {capsule.seat} of {capsule.seats}: {bot_name(capsule.bot, capsule.bot_version)}"
    where = "at the start" if capsule.decision == AT_START else f"at decision {capsule.decision}"
    page.say(f"{who} {'chose' if capsule.ending is None else capsule.ending.value} {where}", "bold")
    _say_lines(capsule.reason, page)
    if capsule.exit:
        page.say(f"its process: {capsule.exit}")
    if capsule.output:
        page.say("it printed:")
        _say_lines(capsule.output, page)
    if capsule.view is not None:
        page.say("it saw:")
        _say_lines(capsule.view, page)
    if capsule.played is not None:
        page.say(f"played: {capsule.played}" + ("" if capsule.ending is None else " (chosen by the fallback in its place)"))


def print_rerun(capsule: Capsule, rerun: Rerun, page: Page) -> None:
    """Print what the bot did when it was put before the decision again."""
    page.say("")
    before = "1 decision" if rerun.asked == 1 else f"{rerun.asked} decisions"
    page.say(f"again, with the same views: {before} before it, {_compared(rerun)}", "bold")
    for index, then, now in rerun.differing[:_DIFFERING_SHOWN]:
        page.say(f"  decision {index}: then {then}, now {now}")
    if len(rerun.differing) > _DIFFERING_SHOWN:
        page.say(f"  ... and {len(rerun.differing) - _DIFFERING_SHOWN} more")
    if not rerun.reached:
        page.say("it does not come as far:")
    if rerun.fault is not None:
        page.say(f"it fails: {rerun.fault.ending.value}", "bold red")
        _say_lines(rerun.fault.reason.partition("\nit printed: ")[0], page)
        if rerun.fault.exit:
            page.say(f"its process: {rerun.fault.exit}")
    elif capsule.decision == AT_START:
        page.say("it starts without a fault", "bold green")
    else:
        verdict = "legal" if rerun.is_legal else "not legal"
        page.say(f"it answers {rerun.action!r} after {1000 * rerun.cpu_seconds:.1f} ms of CPU time: {verdict}", "bold")
    if rerun.output:
        page.say("it printed:")
        _say_lines(rerun.output, page)


def _compared(rerun: Rerun) -> str:
    if not rerun.asked:
        return "so nothing to compare"
    return f"{len(rerun.differing)} of them taken otherwise than then" if rerun.differing else "all taken as then"


def _say_lines(text: str, page: Page) -> None:
    for line in text.splitlines():
        page.say(f"  {line}")
