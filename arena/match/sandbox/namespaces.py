"""A file system of its own for locked bots. It holds the libraries and the bot's folder; nothing else has even a name."""

import contextlib
import ctypes
import mmap
import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NoReturn

from arena.match.sandbox import kernel

STORE, BOT = "/bots", "/bot"
"""The path at which the zygote sees all bots' folders, and the one at which a locked child sees its own."""
BUILD = "/build"
"""The path at which a build sees the only folder that it may write."""

_NEW_MOUNTS, _NEW_NAMES, _NEW_IPC, _NEW_USER, _NEW_NET = 0x0002_0000, 0x0400_0000, 0x0800_0000, 0x1000_0000, 0x4000_0000
_NEW_PIDS = 0x2000_0000
_READ_ONLY, _NO_SETUID, _NO_DEVICES, _NO_EXEC, _NO_ATIME, _NO_DIRATIME = 1, 2, 4, 8, 1024, 2048
_REMOUNT, _BIND, _RECURSIVE, _PRIVATE, _RELATIVE_ATIME = 32, 4096, 16384, 1 << 18, 1 << 21
_DETACH = 2
_FROM_HERE = -100  # AT_FDCWD
_NOWHERE = 65534  # the user inside a user namespace


def enter(libraries: Sequence[str], devices: Sequence[str], store: str, mount_point: str) -> None:
    """Move this single-threaded process into namespaces of its own whose root holds `libraries`, `devices` and the store.

    `mount_point`: an empty folder. Raises OSError where the kernel does not allow it.
    """
    separate()
    _make_root(libraries, devices, mount_point)
    _show(store, mount_point + STORE)
    os.mkdir(mount_point + BOT)
    _move_into(mount_point)


def enter_for_build(readable: Sequence[str], devices: Sequence[str], mount_point: str, *, size: int, files: int) -> None:
    """Move this process, which is in namespaces of its own already, into a root that holds `readable`, `devices` and BUILD.

    BUILD is an empty file system in memory with room for `size` bytes and so many `files`; `/tmp` leads into it. By /proc, of
    which nobody can open anything, programs find out where they lie. Raises OSError.
    """
    _make_root(readable, devices, mount_point)
    os.mkdir(mount_point + BUILD)
    _mount("build", mount_point + BUILD, "tmpfs", _NO_SETUID | _NO_DEVICES, f"size={size},nr_inodes={files},mode=755")
    with contextlib.suppress(FileExistsError):  # a compiler lies in /tmp: then TMPDIR alone leads into the build's folder
        os.symlink(f"{BUILD}/tmp", f"{mount_point}/tmp")
    os.mkdir(mount_point + "/proc")
    for options in ("subset=pid,hidepid=2", "hidepid=2"):  # the first one from Linux 5.8 on
        with contextlib.suppress(OSError):  # in some containers nobody may: then what lies beside a program is not found
            _mount("proc", mount_point + "/proc", "proc", _READ_ONLY | _NO_SETUID | _NO_DEVICES | _NO_EXEC, options)
            break
    _move_into(mount_point)


def separate(*, with_processes: bool = False) -> None:
    """Move this single-threaded process into namespaces of its own. Raises OSError where the kernel does not allow it.

    `with_processes`: the processes that it forks are in one, too: the first of them is number 1, and all others end with it.
    """
    private = _NEW_MOUNTS | _NEW_NET | _NEW_IPC | _NEW_NAMES | (_NEW_PIDS if with_processes else 0)
    try:
        if os.geteuid() != 0:
            raise PermissionError
        kernel.call("unshare", private)
    except PermissionError:
        uid, gid = os.geteuid(), os.getegid()
        kernel.call("unshare", private | _NEW_USER)
        Path("/proc/self/setgroups").write_text("deny")
        Path("/proc/self/uid_map").write_text(f"{_NOWHERE} {uid} 1")
        Path("/proc/self/gid_map").write_text(f"{_NOWHERE} {gid} 1")


def _make_root(libraries: Sequence[str], devices: Sequence[str], mount_point: str) -> None:
    """Mount the new root at `mount_point`, and in it what may be read."""
    _mount(None, "/", None, _RECURSIVE | _PRIVATE)
    _mount("arena", mount_point, "tmpfs", _NO_SETUID | _NO_DEVICES, "size=1m,mode=755")
    for path in outermost(libraries):
        _show(path, mount_point + path)
    for path in devices:
        if os.path.exists(path):
            _place(path, mount_point + path)
            _mount(path, mount_point + path, None, _BIND)


def _move_into(mount_point: str) -> None:
    """Make the new root the only one, which nobody can write."""
    os.chdir(mount_point)
    kernel.call("pivot_root", b".", b".")
    kernel.call("umount2", b".", _DETACH)
    os.chdir("/")
    _mount(None, "/", None, _REMOUNT | _BIND | _READ_ONLY | _NO_SETUID | _NO_DEVICES)


def take_out(folder: str) -> "Files":
    """Unmount the store, and keep a bot's folder of it open; for a child of a process that lives in namespaces.

    Raises OSError.
    """
    kernel.call("unshare", _NEW_MOUNTS)
    source = f"{STORE}/{folder}"
    files = replace(files_below(source), handle=os.open(source, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC))
    kernel.call("umount2", STORE.encode(), _DETACH)
    return files


def show_only(files: "Files", *, has_code: bool) -> None:
    """Mount a copy of a bot's files at BOT, and close the folder; after `take_out` in this process or in its parent.

    `has_code`: whether what is in the files may be executed.
    """
    kernel.call("unshare", _NEW_MOUNTS)
    show_copy(files, has_code=has_code)
    if files.handle is not None:
        kernel.call("close", files.handle)


@dataclass(frozen=True)
class Files:
    """What is in a folder, so that it need not be looked through for every copy."""

    source: str
    folders: tuple[str, ...]
    """Paths below the source, each after the folder that holds it; they begin with a slash."""
    files: tuple[tuple[str, int, int], ...]
    """Paths below the source, with a slash, permissions, and sizes in bytes."""
    size: int
    """The bytes of all pages that the files fill."""
    handle: int | None = None
    """The source as an open folder, where its path leads nowhere any more."""


def files_below(source: str) -> Files:
    """The folders and files below a folder. Raises OSError."""
    folders: list[str] = []
    files: list[tuple[str, int, int]] = []
    size = mmap.PAGESIZE  # 0 would mean no limit
    for parent, inner, names in os.walk(source, onerror=_raise):
        here = parent.removeprefix(source)
        folders += [f"{here}/{name}" for name in inner]
        for name in names:
            found = os.lstat(f"{parent}/{name}")
            files.append((f"{here}/{name}", 0o755 if found.st_mode & 0o100 else 0o644, found.st_size))
            size += -(-found.st_size // mmap.PAGESIZE) * mmap.PAGESIZE
    return Files(source, tuple(folders), tuple(files), size)


def show_copy(files: Files, *, has_code: bool) -> None:
    """Mount a new read-only file system at BOT that holds copies of `files`; for a process with mounts of its own.

    It ends with the mount namespace, and with it all that the kernel remembers of its names, pages and access times: a bot
    must not find out in one match what it looked for in another. It takes as much memory as the bot's files, which
    agent.files.BOT_BYTES bounds. Raises OSError.
    """
    flags = _NO_SETUID | _NO_DEVICES | _NO_ATIME | (0 if has_code else _NO_EXEC)
    inodes = 1 + len(files.folders) + len(files.files)
    _mount("bot", BOT, "tmpfs", flags, f"size={files.size},nr_inodes={inodes},mode=755")
    kernel.call("umask", 0o022)
    for path in files.folders:
        kernel.call("mkdirat", _FROM_HERE, os.fsencode(BOT + path), 0o755)
    for path, mode, size in files.files:
        _copy(files, path, mode, size)
    _mount(None, BOT, None, _REMOUNT | _BIND | _READ_ONLY | flags)


def read_all(source: str) -> None:
    """Read all files below a folder that cannot be copied: which of their pages are in memory must tell nothing."""
    for path, _, _ in files_below(source).files:
        with open(source + path, "rb", buffering=0) as file:
            while file.read(1 << 20):
                pass


def become_alone() -> bool:
    """Move this process into a user namespace of its own, in which the kernel counts only its threads; False if that failed."""
    try:
        kernel.call("unshare", _NEW_USER)
    except OSError:
        return False
    return True


def outermost(paths: Iterable[str]) -> list[str]:
    """The existing paths that are not below another one."""
    found: list[str] = []
    for path in sorted({os.path.normpath(path) for path in paths if os.path.exists(path)}):
        if not any(path.startswith(other + "/") for other in found):
            found.append(path)
    return found


def _raise(error: OSError) -> NoReturn:
    raise error


def _copy(files: Files, path: str, mode: int, size: int) -> None:
    source, folder = (files.source + path, _FROM_HERE) if files.handle is None else (path.removeprefix("/"), files.handle)
    reader = kernel.call("openat", folder, os.fsencode(source), os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW)
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC
    writer = kernel.call("openat", _FROM_HERE, os.fsencode(BOT + path), flags, mode)
    kernel.require(size, "sendfile", writer, reader, None, max(size, 1))
    kernel.call("close", reader)
    kernel.call("close", writer)


def _show(source: str, target: str) -> None:
    """Mount a file or folder read-only at `target`; a link stays a link."""
    _place(source, target)
    if os.path.islink(source):
        return
    _mount(source, target, None, _BIND | _RECURSIVE)
    kept = os.statvfs(source).f_flag
    flags = _READ_ONLY | _NO_SETUID | _NO_DEVICES
    for bit, flag in ((os.ST_NOEXEC, _NO_EXEC), (os.ST_NOATIME, _NO_ATIME), (os.ST_NODIRATIME, _NO_DIRATIME)):
        flags |= flag if kept & bit else 0
    kept_atime = _RELATIVE_ATIME if kept & os.ST_RELATIME else 0
    try:  # a time of access would tell in one match what was read in another
        _mount(None, target, None, _REMOUNT | _BIND | flags | _NO_ATIME)
    except PermissionError:  # inside a user namespace what the system has set must stay
        _mount(None, target, None, _REMOUNT | _BIND | flags | kept_atime)


def _place(source: str, target: str) -> None:
    os.makedirs(os.path.dirname(target), mode=0o755, exist_ok=True)
    if os.path.islink(source):
        os.symlink(os.readlink(source), target)
    elif os.path.isdir(source):
        os.makedirs(target, mode=0o755, exist_ok=True)
    else:
        os.close(os.open(target, os.O_CREAT | os.O_WRONLY | os.O_CLOEXEC, 0o644))


def _mount(source: str | None, target: str, kind: str | None, flags: int, data: str | None = None) -> None:
    words = [None if word is None else ctypes.create_string_buffer(word.encode()) for word in (source, target, kind, data)]
    kernel.call("mount", words[0], words[1], words[2], flags, words[3])
