"""What this machine offers beside locks for bots: its disks, its memory that processes share, and sound compiled code."""

from pathlib import Path

from arena import disk
from arena.cache import cache_root, is_temporary
from arena.engine import jit
from arena.match.sandbox import Finding

_SHARED = disk.SHARED_MEMORY


def examine_machine(results: Path) -> list[Finding]:
    """Try the folders that arena writes to, and read all compiled code. `results`: the results folder; it may not exist yet.

    Damaged code is dropped, so that it is compiled again.
    """
    cache = cache_root()
    kept = (
        "; a temporary one, as the user's cannot be written: all is compiled again for each command" if is_temporary() else ""
    )
    return [
        _folder("results folder", _existing(results), ""),
        _folder("cache folder", cache, kept),
        _shared_memory(),
        _compiled_code(),
    ]


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    return next(place for place in (folder.absolute(), *folder.absolute().parents) if place.is_dir())


def _folder(name: str, folder: Path, about: str) -> Finding:
    try:
        lacking = disk.lacks(folder)
        room = f"{disk.free_bytes(folder) / 1e9:.1f} GB free"
    except OSError as error:
        return Finding(name, False, f"{folder}: cannot be written: {error.strerror}", True)
    detail = f"{folder}: {'; '.join(lacking) or 'modes, links, locks and syncs work'}; {room}{about}"
    return Finding(name, not lacking, detail, False)


def _shared_memory() -> Finding:
    name, without = "shared memory", "; Ray then keeps matches in a folder, which is slower; --backend local needs none"
    if refused := disk.refusal(_SHARED):
        return Finding(name, False, f"{_SHARED}: {refused}{without}", False)
    return Finding(name, True, f"{_SHARED}: {disk.free_bytes(_SHARED) / 1e9:.1f} GB free", False)


def _compiled_code() -> Finding:
    count, damaged = jit.look_through()
    detail = f"{count} files of compiled code are sound"
    if damaged:
        detail += f"; {damaged} were damaged and are dropped: they are compiled again when they are needed, or by arena warmup"
    return Finding("compiled code", not damaged, detail, False)
