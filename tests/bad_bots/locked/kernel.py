"""The kernel: sockets, namespaces, mounts, and calls that filters may forget."""

import ctypes
import os
import socket


@refused
def opens_tcp(bot, view):
    """Connects by TCP."""
    return socket.socket(socket.AF_INET, socket.SOCK_STREAM)  # to connect could fail for want of a listener


@refused
def opens_udp(bot, view):
    """Sends by UDP."""
    return socket.socket(socket.AF_INET, socket.SOCK_DGRAM).sendto(b"x", ("127.0.0.1", 53))


@refused
def opens_unix(bot, view):
    """Opens an abstract unix socket."""
    return socket.socket(socket.AF_UNIX).bind("\0arena-x")


@refused
def opens_netlink(bot, view):
    """Talks to the kernel by netlink."""
    return socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)


@refused
def makes_namespaces(bot, view):
    """Makes a user and a mount namespace."""
    return system("unshare", 0x10020000)


@all_refused
def mounts(bot, view):
    """Mounts a file system, calls chroot."""
    return {"mount": lambda: system("mount", b"none", b"/tmp", b"tmpfs", 0, None), "root": lambda: os.chroot("/usr")}


@ends("crash")
def calls_x32(bot, view):
    """Makes a call of the x32 table, which filters may forget."""
    LIBC.syscall(0x40000000 + 41, 2, 1, 0)


@refused
def uses_io_uring(bot, view):
    """Goes round the filter by io_uring."""
    return system("syscall", 425, 8, ctypes.create_string_buffer(120))


@all_refused
def uses_userfaultfd(bot, view):
    """Opens userfaultfd, bpf, perf and keyrings."""
    calls = {"userfaultfd": 323, "bpf": 321, "perf_event_open": 298, "add_key": 248, "keyctl": 250}
    return {name: lambda number=number: system("syscall", number, 0, 0, 0, 0, 0) for name, number in calls.items()}
