"""A bot's folder as a zip: packed to be sent, and unpacked from whoever sent it, who is not trusted.

Nothing of a zip is believed: what it says about sizes is counted while it is read, and a name is a plain path below the bot's
folder or the whole zip is refused. One folder around everything is taken away; hidden and compiled files are left out.
"""

import io
import stat
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

from arena import userfiles
from arena.agent.files import BotFiles
from arena.agent.plain_files import BOT_BYTES, BOT_FILES, DEEPEST
from arena.errors import BotError, one_line, printable

SIGNATURES = (b"PK\x03\x04", b"PK\x05\x06")
"""The first bytes of a zip with files, and of an empty one."""
MOST_ENTRIES = BOT_FILES
MOST_RATIO = 200
"""How many times larger than in the zip a file may be; the smallest ones apart."""
_SMALL = 1 << 20  # bytes of a file that may be as packed as it likes
_STEP = 1 << 16
_LIST_BYTES = 1 << 20
"""The most bytes of a zip's list of its files: what it says of 1,000 takes a third of that, and a million cost seconds."""
_LONGEST_PATH = 1000  # bytes, as those of disks: a letter may have four
_LONGEST_PART = 200
_ENCRYPTED = 1  # in the flags of an entry
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_NOT_OURS = "__MACOSX"
_BROKEN = (
    zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError, OverflowError,
    MemoryError, IndexError,
)  # fmt: skip


def is_zip(content: bytes) -> bool:
    """Return whether some bytes begin as a zip does."""
    return content.startswith(SIGNATURES)


def zipped(bot: BotFiles) -> bytes:
    """The files of a bot as a zip; the same files give the same bytes."""
    target = io.BytesIO()
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in sorted(bot.files.items()):
            entry = zipfile.ZipInfo(name)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (stat.S_IFREG | 0o644) << 16
            archive.writestr(entry, content)
    return target.getvalue()


def unzip(path: Path, folder: Path) -> None:
    """Write the files of a zip into `folder`, which must be empty. Raises BotError for a zip that is damaged or hostile."""
    try:
        with zipfile.ZipFile(_Sent(userfiles.content(path))) as archive:
            chosen = _chosen(archive.infolist())
            total = 0
            for name, entry in chosen.items():
                content = _read(archive, entry)
                total += len(content)
                if total > BOT_BYTES:
                    raise BotError(f"the zip holds more than {BOT_BYTES >> 20} MiB of files, which a bot may have")
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
    except _BROKEN as error:
        if isinstance(error, OSError) and error.errno is not None:
            raise  # the machine's, such as a full disk
        raise BotError(f"the zip is damaged: {printable(str(error) or type(error).__name__, 200)}") from None


class _Sent(io.BytesIO):
    """The bytes of a zip, of which the list of files is read at once, as long as the zip says that it is."""

    def read(self, size: int | None = -1, /) -> bytes:
        """The next bytes. Raises BotError where they are more than a list of files has."""
        if size is not None and size > _LIST_BYTES:
            raise BotError(f"the zip's list of files has {size:,} bytes; those of {MOST_ENTRIES:,} files take less than 1 MiB")
        return super().read(size)


def _chosen(entries: list[zipfile.ZipInfo]) -> dict[str, zipfile.ZipInfo]:
    """The entries that are the bot's files, by their paths. Raises BotError."""
    if len(entries) > MOST_ENTRIES:
        raise BotError(f"the zip has {len(entries):,} entries; a bot may have {MOST_ENTRIES:,} files")
    found: dict[PurePosixPath, zipfile.ZipInfo] = {}
    for entry in entries:
        path = _checked(entry)
        if entry.is_dir() or not _belongs(path):
            continue
        if path in found:
            raise BotError(f"{path}: twice in the zip")
        found[path] = entry
    folders = {folder for path in found for folder in path.parents}
    if both := sorted(str(path) for path in found if path in folders):
        raise BotError(f"{both[0]}: a file and a folder in the zip")
    tops = {path.parts[0] for path in found}
    is_wrapped = len(tops) == 1 and all(len(path.parts) > 1 for path in found)
    return {str(path.relative_to(path.parts[0]) if is_wrapped else path): entry for path, entry in found.items()}


def _checked(entry: zipfile.ZipInfo) -> PurePosixPath:
    """The path of an entry that is a plain file or a folder. Raises BotError."""
    name = entry.filename.replace("\\", "/")
    shown = one_line(printable(name, 100))
    path = PurePosixPath(name)
    parts = path.parts
    if not parts or path.is_absolute() or ".." in parts or ":" in parts[0] or "\0" in entry.orig_filename:
        raise BotError(f"{shown}: leads out of the bot's folder")
    if not name.isprintable() or _bytes(name) > _LONGEST_PATH or max(map(_bytes, parts)) > _LONGEST_PART:
        raise BotError(f"{shown}: no name for a bot's file")
    if len(parts) > DEEPEST:
        raise BotError(f"{shown}: more than {DEEPEST} folders in each other")
    kind = stat.S_IFMT(entry.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        raise BotError(f"{shown}: a link or a special file; a bot's files are plain files in its own folder")
    if entry.flag_bits & _ENCRYPTED:
        raise BotError(f"{shown}: encrypted; send the zip without a password")
    if entry.compress_type not in _METHODS:
        raise BotError(f"{shown}: packed in a way that is not known here; use a plain zip (stored or deflated)")
    return path


def _bytes(name: str) -> int:
    return len(name.encode("utf-8", "surrogatepass"))


def _belongs(path: PurePosixPath) -> bool:
    """Return whether a file is part of the bot: compiled and hidden files are not, as in a folder."""
    return not any(part in ("__pycache__", _NOT_OURS) or part.startswith(".") for part in path.parts)


def _read(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> bytes:
    """The content of an entry, counted while it is read. Raises BotError."""
    content = bytearray()
    for part in _parts(archive, entry):
        content += part
        if len(content) > BOT_BYTES:
            raise BotError(f"{entry.filename}: larger than {BOT_BYTES >> 20} MiB, which a bot's files may have together")
        if len(content) > max(_SMALL, MOST_RATIO * entry.compress_size):
            raise BotError(f"{entry.filename}: more than {MOST_RATIO} times larger than in the zip")
    return bytes(content)


def _parts(archive: zipfile.ZipFile, entry: zipfile.ZipInfo) -> Iterator[bytes]:
    with archive.open(entry) as file:
        while part := file.read(_STEP):
            yield part
