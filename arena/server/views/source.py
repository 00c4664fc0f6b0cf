"""The source of a submitted version, as text: for its author and organisers, and for all if it is published."""

import codecs
import zipfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from arena import userfiles
from arena.agent.submissions import Submission, Submissions
from arena.errors import visible
from arena.names import NAME
from arena.reports.table import shown
from arena.results.site_file import OwnedBot
from arena.server.asked import Asked
from arena.server.library import Library, SubmittedBot
from arena.server.problems import Problem
from arena.server.rights import log_look, may_manage, may_see_source
from arena.server.visitors import Visitor

MOST_LETTERS = 40_000
"""Characters that a page shows of one file."""
MOST_SHOWN = 120_000
"""Characters that a page shows of all files together."""
MOST_FILES = 200
_PART = 1 << 16
_EARLIEST = (1980, 1, 1, 0, 0, 0)  # that a file in a zip can be from
_Version = Annotated[int, msgspec.Meta(ge=1, le=999_999_999)]


class SourceQuery(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Which version's source to show."""

    v: _Version | None = None
    """The version; by default the newest one that may be seen."""


class SourceFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of a bot."""

    path: str
    bytes: int
    text: str | None
    """The text, with whatever is no visible character escaped; None: it is no text, or not shown."""
    is_cut: bool
    """Whether there is more of it in the zip."""


class Source(msgspec.Struct, frozen=True, kw_only=True):
    """The files of a version of a bot."""

    name: str
    shown: str
    """The bot's name with the version, as a page shows it."""
    version: int
    versions: tuple[int, ...]
    """The versions whose source who asks may see."""
    submitted: str
    """When the version was submitted: UTC, ISO 8601."""
    sha256: str
    main: str
    """The bot's main file."""
    published: int | None
    """The version that everybody may see."""
    may_manage: bool
    """Whether who asks may publish it."""
    files: tuple[SourceFile, ...]
    """The main file first."""
    left_out: int
    """How many more files there are."""


def source(asked: Asked[SourceQuery]) -> Source:
    """The data of `/bots/NAME/source`. Raises Problem 404 for an unknown bot or version, and 403 if it is private."""
    owned = asked.owned.of(asked.place["name"])
    found, allowed = allowed_version(asked.library, asked.visitor, owned, asked.place["name"], asked.query.v)
    log_look(asked.accounts, asked.visitor, owned, found.version)
    bot = Submissions(asked.library.out).files(found)
    order = sorted(bot.files, key=lambda path: (path != bot.main, path))
    return Source(
        name=found.name, shown=shown(found.name, found.version), version=found.version, versions=allowed,
        submitted=found.submitted, sha256=found.sha256, main=visible(bot.main),
        published=None if owned is None else owned.published, may_manage=may_manage(asked.visitor, owned),
        files=_shown({path: bot.files[path] for path in order[:MOST_FILES]}), left_out=max(0, len(order) - MOST_FILES),
    )  # fmt: skip


def allowed_version(
    library: Library, visitor: Visitor, owned: OwnedBot | None, name: str, version: int | None
) -> tuple[Submission, tuple[int, ...]]:
    """The version that is asked for, None being the newest, and all that the visitor may see. Raises Problem as `source`."""
    known = submitted_bot(library, name)
    allowed = [one for one in known.versions if may_see_source(visitor, owned, one.version)]
    wanted = [one for one in known.versions if version in (None, one.version)]
    if not wanted:
        raise Problem(404, "refusal_no_version", name=name, n=version)
    chosen = [one for one in allowed if version in (None, one.version)]
    if not chosen:
        raise Problem(403, "refusal_private_source", name=name)
    return chosen[-1], tuple(one.version for one in allowed)


def submitted_bot(library: Library, name: str) -> SubmittedBot:
    """A submitted bot. Raises Problem 404 if there is none of this name."""
    known = library.submitted.of(name) if NAME.fullmatch(name) else None
    if known is None:
        raise Problem(404, "refusal_no_submission", name=repr(shown(name)))
    return known


def zip_parts(files: Mapping[str, Path], folder: str) -> Iterator[bytes]:
    """Files as a zip, in a folder of this name, part by part: no more than a part is held. The same files make the same zip.

    They are not compressed: whoever asks again and again would have the server compute for nothing.

    `files`: where each lies, by its path in the folder. Raises OSError.
    """
    out = _Written()
    with zipfile.ZipFile(out, "w") as packed:  # type: ignore[call-overload]
        for path, file in files.items():
            about = zipfile.ZipInfo(f"{folder}/{path}", _EARLIEST)
            about.external_attr = 0o644 << 16
            with userfiles.opened(file) as source, packed.open(about, "w") as target:
                while part := source.read(_PART):
                    target.write(part)
                    yield out.taken()
    yield out.taken()


class _Written:
    """A file that can only be written, as a socket: what was written is taken away now and then."""

    def __init__(self) -> None:
        self._new = bytearray()

    def write(self, data: bytes) -> int:
        """Write."""
        self._new += data
        return len(data)

    def flush(self) -> None:
        """Do nothing."""

    def taken(self) -> bytes:
        """Return what was written since this was called last."""
        new, self._new = bytes(self._new), bytearray()
        return new


def _shown(files: Mapping[str, bytes]) -> tuple[SourceFile, ...]:
    found, left = [], MOST_SHOWN
    for path, content in files.items():
        text, is_cut = _text(content, min(MOST_LETTERS, left))
        left -= len(text or "")
        found.append(SourceFile(path=visible(path), bytes=len(content), text=text, is_cut=is_cut))
    return tuple(found)


def _text(content: bytes, most: int) -> tuple[str | None, bool]:
    """The beginning of a file as text of which everything can be seen, None if it is no text; and whether there is more."""
    begin = content[: 4 * most]  # a character has four bytes at most
    is_part = len(begin) < len(content)
    try:
        text = codecs.getincrementaldecoder("utf-8")().decode(begin, final=not is_part)
    except UnicodeDecodeError:
        return None, False
    if "\x00" in text:
        return None, False
    text = "\t".join(map(visible, text.replace("\r\n", "\n").split("\t")))
    return text[:most], is_part or len(text) > most
