"""Landlock: the kernel lets this process read the named paths and reach no other file, ever again."""

import errno
import os
import stat
import struct
from collections.abc import Iterable

from arena.match.sandbox import kernel

EXECUTE, WRITE_FILE, READ_FILE, READ_DIR = 1 << 0, 1 << 1, 1 << 2, 1 << 3
_FIRST_RIGHTS = (1 << 13) - 1
_LATER_RIGHTS = {2: 1 << 13, 3: 1 << 14, 5: 1 << 15}  # by the version that brought them: refer, truncate, ioctl on devices
_TCP = 0b11  # bind, connect
_SCOPES = 0b11  # abstract unix sockets, signals
_PATH_BENEATH = 1
_FROM_HERE = -100  # AT_FDCWD
MISSING = "the kernel offers no Landlock"
_VERSION_FLAG = 1


def version() -> int:
    """The kernel's Landlock version; 0: it has none, or it is switched off."""
    try:
        return kernel.call_now("landlock_create_ruleset", None, 0, _VERSION_FLAG)
    except OSError:
        return 0


def opened(paths: Iterable[str | int]) -> tuple[int, ...]:
    """Descriptors of the existing ones among `paths`, for processes that will be forked from this one."""
    return tuple(handle for path in paths if (handle := _opened(path)) is not None)


def restrict(readable: Iterable[int | str], sinks: Iterable[int | str] = (), programs: Iterable[int | str] = ()) -> None:
    """Allow reading below `readable`, writing to the devices `sinks` and running `programs`; nothing else.

    All are paths or descriptors. Needs no_new_privs. Paths that do not
    exist are passed over. Raises OSError.
    """
    kind = version()
    if not kind:
        raise OSError(errno.ENOSYS, MISSING)
    rights = _FIRST_RIGHTS | sum(bit for since, bit in _LATER_RIGHTS.items() if kind >= since)
    attributes = struct.pack("=QQQ", rights, _TCP if kind >= 4 else 0, _SCOPES if kind >= 6 else 0)
    size = 24 if kind >= 6 else 16 if kind >= 4 else 8
    rules = kernel.call("landlock_create_ruleset", attributes, size, 0)
    for path in readable:
        _allow(rules, path, READ_FILE | READ_DIR)
    for path in sinks:
        _allow(rules, path, READ_FILE | WRITE_FILE)
    for program in programs:
        _allow(rules, program, EXECUTE | READ_FILE)
    kernel.call("landlock_restrict_self", rules, 0)
    kernel.call("close", rules)


def _allow(rules: int, path: int | str, rights: int) -> None:
    """Add a rule for a path, which is opened for that, or for a descriptor."""
    try:
        kind = os.stat(path).st_mode
    except OSError:
        return
    rule = kernel.Memory(struct.pack("=Qi", rights if stat.S_ISDIR(kind) else rights & ~READ_DIR, 0))
    handle = rule.word(8)
    if isinstance(path, int):
        handle.value = path
        kernel.call("landlock_add_rule", rules, _PATH_BENEATH, rule, 0)
        return
    found = kernel.call("openat", _FROM_HERE, os.fsencode(path), os.O_PATH | os.O_CLOEXEC, into=handle)
    kernel.call("landlock_add_rule", rules, _PATH_BENEATH, rule, 0)
    kernel.call("close", found)


def _opened(path: int | str) -> int | None:
    if isinstance(path, int):
        return path
    try:
        return os.open(path, os.O_PATH | os.O_CLOEXEC)
    except OSError:
        return None
