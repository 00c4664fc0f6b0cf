"""What was found of the bots of a pull request: as a file that goes from one workflow to the other, and as Markdown.

The file comes from a run in which somebody else's code has run, and maybe somebody else's workflow: it is read as what a
stranger wrote. Whatever it says of a bot is shown as code, which no Markdown, no mention and no HTML gets out of.
"""

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

MOST_BOTS = 20
LONGEST_FILE = 1 << 20
"""Bytes of the file."""
LONGEST_PATH = 200
LONGEST_TEXT = 3000
"""Letters that are shown of what was found of a bot."""
MOST_LETTERS = 40_000
"""Letters of all of them together: a comment may have 65,536."""
_WORDS = {0: "may enter", 1: "may not enter", 2: "was not checked"}


class Verdict(NamedTuple):
    """What was found of one bot."""

    path: str
    """Where it lies in the repository."""
    code: int
    """0: it may enter, 1: it may not, 2: it could not be checked."""
    text: str
    """What was found, in words."""


def written(verdicts: Sequence[Verdict]) -> bytes:
    """The file."""
    cut = [Verdict(path[:LONGEST_PATH], code, text[:LONGEST_TEXT]) for path, code, text in verdicts]
    return json.dumps({"bots": [verdict._asdict() for verdict in cut]}).encode()


def read(data: bytes) -> list[Verdict]:
    """The verdicts of a file. Raises ValueError for one that is none, or too long."""
    if len(data) > LONGEST_FILE:
        raise ValueError("the file is too long")
    try:
        document = json.loads(data)
    except (RecursionError, UnicodeDecodeError) as error:
        raise ValueError(str(error)) from None
    bots = document.get("bots") if isinstance(document, dict) else None
    if not isinstance(bots, list) or len(bots) > MOST_BOTS:
        raise ValueError("not a list of bots")
    return [_verdict(bot) for bot in bots]


def _verdict(bot: object) -> Verdict:
    if not isinstance(bot, dict) or set(bot) != set(Verdict._fields):
        raise ValueError("not a bot")
    path, code, text = bot["path"], bot["code"], bot["text"]
    if not isinstance(path, str) or not isinstance(text, str) or type(code) is not int or code not in _WORDS:
        raise ValueError("not a bot")
    return Verdict(path, code, text)


def markdown(verdicts: Sequence[Verdict]) -> str:
    """A table of the verdicts, and below it what was found of each bot."""
    if not verdicts:
        return "No bot was added or changed.\n"
    most = min(LONGEST_TEXT, MOST_LETTERS // len(verdicts))
    rows = [f"| {_code(verdict.path)} | {_WORDS[verdict.code]} |" for verdict in verdicts]
    parts = [_details(verdict, most) for verdict in verdicts]
    return "\n".join(["| bot | |", "|---|---|", *rows, "", *parts])


def _details(verdict: Verdict, most: int) -> str:
    text = "".join(
        letter if letter == "\n" or letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in verdict.text[:most]
    )
    if len(verdict.text) > most:
        text += "\n..."
    text = re.sub("`{3,}", lambda run: "'" * len(run[0]), text)  # nothing in it ends the block
    return f"<details><summary>{_code_in_html(verdict.path)}</summary>\n\n```text\n{text}\n```\n\n</details>\n"


def _code(path: str) -> str:
    return f"`{_plain(path)}`"


def _code_in_html(path: str) -> str:
    return f"<code>{_plain(path)}</code>"


def _plain(path: str) -> str:
    """A path in letters that mean nothing in Markdown, in a table or in HTML."""
    return "".join(letter if letter.isalnum() or letter in "._-/ " else "?" for letter in path[:LONGEST_PATH]) or "?"
