"""Reads, writes, connects and calls what no build may. Expected: refused; the build goes on."""

import ctypes
import mmap
import os
import signal
import socket
import subprocess
from collections.abc import Callable
from pathlib import Path

SECRETS = Path("secrets.txt").read_text().split()
libc = ctypes.CDLL(None, use_errno=True)


def call(number: int, *arguments: int) -> int:
    result = libc.syscall(number, *arguments)
    if result < 0:
        raise OSError(ctypes.get_errno(), "refused")
    return int(result)


def run(*command: str) -> None:
    subprocess.run(command, check=True, capture_output=True)


X86 = os.uname().machine == "x86_64"
ATTEMPTS: dict[str, Callable[[], object]] = {
    **{f"read {path}": (lambda path=path: Path(path).read_bytes()) for path in SECRETS},
    **{f"list {path}": (lambda path=path: os.listdir(Path(path).parent)) for path in SECRETS},
    **{f"write beside {path}": (lambda path=path: Path(path + ".new").write_text("x")) for path in SECRETS},
    "read the accounts": lambda: Path("/etc/passwd").read_text(),
    "have another program read them": lambda: run("cat", "/etc/passwd"),
    "read what the first process was told": lambda: Path("/proc/1/environ").read_bytes(),
    "read the machine's name": lambda: Path("/etc/hostname").read_text(),
    "write at the top": lambda: Path("/arena-was-here").write_text("x"),
    "write among the programs": lambda: Path("/usr/bin/arena-was-here").write_text("x"),
    "write into shared memory": lambda: Path("/dev/shm/arena-was-here").write_text("x"),
    "make a device": lambda: os.mknod("device", 0o20666, os.makedev(1, 3)),
    "open a socket of the network": lambda: socket.socket(socket.AF_INET),
    "open a datagram": lambda: socket.socket(socket.AF_INET6, socket.SOCK_DGRAM),
    "open a local socket": lambda: socket.socket(socket.AF_UNIX),
    "make a pair of datagrams": lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM),
    "ask the kernel for its interfaces": lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW),
    "signal its parent": lambda: os.kill(os.getppid(), signal.SIGKILL),
    "leave its session": os.setsid,
    "leave its group": lambda: os.setpgid(0, 0),
    "become root": lambda: os.setuid(0),
    "make a namespace": lambda: call(272 if X86 else 97, 0x1000_0000),
    "trace its parent": lambda: call(101 if X86 else 117, 16, os.getppid(), 0, 0),
    "keep memory in a file": lambda: call(319 if X86 else 279, 0, 0),
    "share memory that is in no file": lambda: mmap.mmap(-1, 1 << 12),
    "mount something": lambda: call(165 if X86 else 40, 0, 0, 0, 0),
    "set up a ring": lambda: call(425, 1, 0),
    "load a filter": lambda: call(321 if X86 else 280, 0, 0, 0),
    "raise a limit": lambda: call(302 if X86 else 261, os.getppid(), 7, 0, 0),
}

for name, attempt in ATTEMPTS.items():
    try:
        attempt()
    except (OSError, subprocess.CalledProcessError):
        print("REFUSED", name)
    else:
        print("GOT", name)
Path("bot").write_text("made")
