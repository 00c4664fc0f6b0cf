"""What the server and its two lasting children say to each other: lines of JSON, each with its `kind`.

    server -> checker      one Check, then nothing; the end of the input ends it
    checker -> server      Checking lines, then one Checked
    server -> ladder       one Begin, then LookNow and Freeze lines; the end of the input stops it as Ctrl-C stops a tournament
    ladder -> server       Entered, Rated, LadderState and Said lines

All of it can be said again: whoever was killed in between does the same again, and nothing is counted twice.
"""

import msgspec

from arena.tournament.check_report import BotCheck


class Message(msgspec.Struct, frozen=True, kw_only=True, tag_field="kind", tag=str.lower):
    """A line of JSON; its `kind` is the name of its class in small letters."""


# The checker (python -m arena.server.contest.checker) -------------------------------------------------------------------------


class Check(Message, frozen=True, kw_only=True):
    """Check what somebody has sent, and store it as the next version of the bot if it may enter."""

    submission: str
    """The id of the submission, which is asked about once more before its bot is stored."""
    bot: str
    """The name of the bot."""
    file: str
    """The path of what was sent: a `.py` file, or a zip of a folder."""
    results: str
    """The folder of results, where accepted bots are kept."""
    contest: str | None
    """The path of the contest's file: which games have to be played, with which clock; None: all that the bot plays."""


class Checking(Message, frozen=True, kw_only=True):
    """How far the check is, in words."""

    text: str


class Checked(Message, frozen=True, kw_only=True):
    """The end of a check."""

    report: BotCheck | None
    """What the check found; None if the machine failed, and not the bot."""
    version: int | None = None
    """The version under which the bot is kept; None: it may not enter."""
    is_new: bool = False
    """Whether this is a new version; if not, it is one that had the same files."""
    trouble: str = ""
    """What failed if it was not the bot: then the submission is void, and costs its author nothing."""
    ran_out: bool = False
    """Whether it failed because there was no memory left: the second time that is the bot's fault."""


FromChecker = Checking | Checked


# The ladder (python -m arena.server.contest.ladder) ---------------------------------------------------------------------------


class Begin(Message, frozen=True, kw_only=True):
    """Play the ladder of a contest, from where it was."""

    contest: str
    """The path of the contest's file."""
    results: str
    """The folder of results."""
    address: str | None = None
    """The address of a Ray cluster; None: the ladder plays in processes of this machine."""
    workers: int | None = None
    """How many; None: as many as the machine has cores."""


class LookNow(Message, frozen=True, kw_only=True, tag="look"):
    """Something has changed: a version was accepted or withdrawn."""


class Freeze(Message, frozen=True, kw_only=True):
    """Freeze the marks now, by the organiser's hand."""


class Entered(Message, frozen=True, kw_only=True):
    """A version is in the ladder. Said again for all of the field whenever the ladder starts."""

    bot: str
    version: int


class Rated(Message, frozen=True, kw_only=True):
    """A version has its first rated match. Said again for all that have whenever the ladder starts."""

    bot: str
    version: int


class LadderState(Message, frozen=True, kw_only=True, tag="state"):
    """What the ladder does now."""

    doing: str
    """`starting`, `compiling`, `playing`, `waiting` (too few bots, or all is settled), `failed`."""
    text: str = ""
    """The same in words, for the organiser."""
    matches: int = 0
    """All matches of the ladder so far."""
    rate: float = 0.0
    """Matches per second of late."""


class Said(Message, frozen=True, kw_only=True):
    """A line for the organiser."""

    text: str


FromLadder = Entered | Rated | LadderState | Said
