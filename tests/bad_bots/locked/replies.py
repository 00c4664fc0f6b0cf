"""Replies: actions that are none, and whatever else may be written to the channel of a seat."""

import os
import struct
import sys
import time

from arena.match.sandbox import worker, wire


def send(content):
    os.write(worker.SOCKET, content)


def reply(id):
    return wire.frame(wire.Action(id, 0))


def asked():
    """Return the request that the bot is answering: two calls above the attack."""
    return sys._getframe(3).f_locals["ask"]


def compute():
    while True:
        pass


@ends("illegal")
def plays_a_rivals_card(bot, view):
    """Plays an action that is not legal."""
    return "field 99"


@ends("illegal")
def returns_a_huge_text(bot, view):
    """Returns a text of 100 MB."""
    return "x" * 100_000_000


@ends("malformed")
def returns_an_object(bot, view):
    """Returns an object instead of an action."""
    return {"action": view.legal}


@ends("malformed")
def announces_two_gigabytes(bot, view):
    """Announces a reply of 2 GiB."""
    send(b"\x00\x00\x00\x80" + bytes(1000))
    compute()


@ends("malformed")
def nests_deeply(bot, view):
    """Sends a deeply nested message."""
    send(struct.pack("<I", 60000) + b"\x91" * 60000)
    compute()


@ends("malformed")
def sends_nonsense(bot, view):
    """Sends bytes that are no message."""
    send(b"\x05\x00\x00\x00\xc1\xc1\xc1\xc1\xc1")
    compute()


@ends("protocol")
def claims_host_trouble(bot, view):
    """Claims that the host failed."""
    send(wire.frame(wire.Failed(asked().id, "host", "not me")))
    compute()


@ends("protocol")
def closes_its_channel(bot, view):
    """Closes its channel and lives on."""
    os.close(worker.SOCKET)
    time.sleep(60)


@ends("protocol")
def replies_ahead(bot, view):
    """Sends the reply to the next request before it is asked."""
    send(reply(asked().id) + reply(asked().id + 1))


@ends("protocol")
def replies_to_an_old_id(bot, view):
    """Replies to a request of the past."""
    send(reply(1))


@ends("protocol")
def replies_twice(bot, view):
    """Replies twice to one request: the second is meant for the next one."""
    send(reply(asked().id) * 2)


@ends("timeout")
def computes_when_not_asked(bot, view):
    """Sends its reply and computes on while nobody asks it."""
    send(reply(asked().id))
    compute()


@ends("timeout")
def drips(bot, view):
    """Sends a message byte by byte, and never ends it."""
    send(b"\x00\x80\x00\x00")
    while True:
        send(b"\x01")
        time.sleep(0.02)


@ends("timeout")
def drips_while_it_computes(bot, view):
    """Computes without end, and sends a byte now and then so that nobody looks at the clock."""
    send(b"\x00\x80\x00\x00")
    while True:
        for _ in range(100_000):
            pass
        send(b"\x01")
