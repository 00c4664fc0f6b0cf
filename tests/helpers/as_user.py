"""Runs pytest as an ordinary user (uid 65534): `python as_user.py ROOT CACHE arguments...`, started as root.

Where the user cannot reach Python's own folders (a home of mode 0700), they are shown to it in a mount namespace.
"""

import ctypes
import os
import sys
import tempfile
from pathlib import Path

NOBODY = 65534
_NEW_MOUNTS, _BIND, _RECURSIVE, _PRIVATE = 0x20000, 4096, 16384, 1 << 18


def mount(source: str, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    words = [None if word is None else word.encode() for word in (source, target, kind)]
    if libc.mount(*words, ctypes.c_ulong(flags), data.encode() if data else None) != 0:
        raise OSError(ctypes.get_errno(), f"mount {target}: {os.strerror(ctypes.get_errno())}")


def closed_ancestor(path: Path) -> Path | None:
    """The outermost folder on the way to `path` that others may not pass."""
    for folder in reversed([path, *path.parents]):
        if not folder.stat().st_mode & 0o001:
            return folder
    return None


def show(paths: list[Path]) -> None:
    """Make `paths` reachable, in a mount namespace of this process alone."""
    hidden: dict[Path, list[Path]] = {}
    for path in paths:
        closed = closed_ancestor(path)
        if closed is not None:
            hidden.setdefault(closed, []).append(path)
    if not hidden:
        return
    if ctypes.CDLL(None, use_errno=True).unshare(_NEW_MOUNTS) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    mount("none", "/", None, _RECURSIVE | _PRIVATE)
    for closed, wanted in hidden.items():
        stage = tempfile.mkdtemp()
        mount("stage", stage, "tmpfs", 0, "mode=755")
        for path in wanted:
            target = Path(stage, path.relative_to(closed))
            if path == closed:
                raise OSError(f"{path} itself is closed to others")
            if not target.exists():
                target.mkdir(parents=True, mode=0o755)
            mount(str(path), str(target), None, _BIND | _RECURSIVE)
        mount(stage, str(closed), None, _BIND | _RECURSIVE)


def main() -> None:
    root, cache, *arguments = sys.argv[1:]
    show([Path(path) for path in dict.fromkeys((sys.base_prefix, sys.prefix, root))])
    os.setgroups([])
    os.setresgid(NOBODY, NOBODY, NOBODY)
    os.setresuid(NOBODY, NOBODY, NOBODY)
    os.chdir(root)
    environment = {
        "PATH": os.environ.get("PATH", ""), "HOME": cache, "ARENA_CACHE_DIR": cache, "PYTHONDONTWRITEBYTECODE": "1",
        "TMPDIR": cache, "PYTHONPATH": root, "ARENA_TEST_AS_USER": "1",
    }  # fmt: skip
    os.execve(sys.executable, [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments], environment)


if __name__ == "__main__":
    main()
