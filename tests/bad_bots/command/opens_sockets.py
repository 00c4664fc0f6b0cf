"""Opens network and local sockets of every kind. Expected: refused; the bot plays on: played, no blame."""

import socket

from attempts import try_all

KINDS = [
    (socket.AF_INET, socket.SOCK_STREAM), (socket.AF_INET, socket.SOCK_DGRAM), (socket.AF_INET6, socket.SOCK_STREAM),
    (socket.AF_UNIX, socket.SOCK_STREAM), (socket.AF_NETLINK, socket.SOCK_RAW), (socket.AF_INET, socket.SOCK_RAW),
]  # fmt: skip


def attack(reply):
    try_all(*(lambda kind=kind: socket.socket(*kind) for kind in KINDS), socket.socketpair)
