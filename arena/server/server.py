"""Running the server: one process with one loop, which ends within three seconds and leaves nothing behind."""

import asyncio
import contextlib
import errno
import os
import resource
import socket
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from types import FrameType
from typing import Any, Literal

import uvicorn
from starlette.applications import Starlette
from starlette.types import ASGIApp

from arena.errors import ConfigError
from arena.server.limits import CountingSocket
from arena.server.transfer import LARGEST_HEAD, PromptProtocol
from arena.stopping import heard_by

LARGEST_MESSAGE = 64 * 1024
"""Bytes of a message that a socket may send to us."""
_ASKS_AFTER = 20.0  # seconds: how often a socket is asked whether it is there, and how long the answer may take
_FAREWELL_SECONDS = 1  # for open requests, after Ctrl-C
_LAST_SECONDS = 2.5  # after which the process ends, whatever a thread is computing
UNIX = "unix:"
"""How the address begins of a server that listens at a file."""
_OF_OTHERS = 0o117  # what a socket's file allows to nobody else
_SOCKETS = 65_536  # file descriptors, if the system allows so many
_TAKEN = {
    errno.EADDRINUSE: "is in use; choose another one with {options}port, or {options}port 0 for any free one",
    errno.EACCES: "is not for every user; choose one above 1023 with {options}port",
}


def listener(host: str, port: int, options: str = "--") -> socket.socket:
    """A socket that listens at this address; port 0 is any free one. Raises ConfigError.

    `options`: how the options begin that name host and port.
    """
    if not 0 <= port <= 65_535:
        raise ConfigError(f"{options}port {port}: a port is a number from 0 to 65535")
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[0]
    except (OSError, UnicodeError):
        raise ConfigError(f"{options}host {host}: this machine has no such address") from None
    found = socket.socket(family, kind, protocol)
    try:
        found.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        found.bind(address)
        found.listen(2048)
        found.set_inheritable(False)
    except OSError as error:
        found.close()
        if error.errno in _TAKEN:
            raise ConfigError(f"port {port} {_TAKEN[error.errno].format(options=options)}") from None
        raise ConfigError(f"{options}host {host}: this machine cannot listen there: {error.strerror}") from None
    return found


def socket_file(path: Path) -> socket.socket:
    """A socket that listens at a file, which its owner and the group of its folder's rules may open. Raises ConfigError."""
    found = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    umask = os.umask(_OF_OTHERS)
    try:
        if path.is_socket():
            _clear(path)
        found.bind(str(path))
        found.listen(2048)
        found.set_inheritable(False)
    except OSError as error:
        found.close()
        why = "another server listens there" if error.errno == errno.EADDRINUSE else error.strerror or error
        raise ConfigError(f"--host {UNIX}{path}: this file cannot be made: {why}") from None
    finally:
        os.umask(umask)
    return found


def _clear(path: Path) -> None:
    """Take away the file of a server that has ended; one that answers stays, and is in the way."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as asking, contextlib.suppress(ConnectionRefusedError):
        asking.connect(str(path))
        return
    path.unlink()


def run(
    app: Starlette,
    place: socket.socket,
    protocol: type[Any] = PromptProtocol,
    *,
    beside: tuple[ASGIApp, socket.socket] | None = None,
) -> None:
    """Serve until the process is stopped. For its main thread; it then ends.

    `beside`: an application with a socket of its own, which the same loop serves as long.
    """
    allow_many_sockets()
    _leave_pipes_quietly()
    _Server(configured(app, protocol), beside).run([place])


def _leave_pipes_quietly() -> None:
    """Say nothing of pipes that outlive the loop: a ladder may end later, and what a child started holds them."""
    report = sys.unraisablehook

    def hear(unraisable: "sys.UnraisableHookArgs") -> None:
        if not isinstance(unraisable.exc_value, RuntimeError) or str(unraisable.exc_value) != "Event loop is closed":
            report(unraisable)

    sys.unraisablehook = hear


def configured(app: ASGIApp, protocol: type[Any] = PromptProtocol, *, lifespan: Literal["on", "off"] = "on") -> uvicorn.Config:
    """Return how the server works: no log, no compression of messages, no word about itself."""
    return uvicorn.Config(
        app, loop="asyncio", http=protocol, ws=CountingSocket, ws_max_size=LARGEST_MESSAGE, ws_per_message_deflate=False,
        ws_ping_interval=_ASKS_AFTER, ws_ping_timeout=_ASKS_AFTER, log_config=None,
        log_level="critical", access_log=False, proxy_headers=False, server_header=False, lifespan=lifespan,
        h11_max_incomplete_event_size=LARGEST_HEAD, timeout_graceful_shutdown=_FAREWELL_SECONDS,
    )  # fmt: skip


def allow_many_sockets() -> None:
    """Raise this process's limit of open files as far as the system lets it."""
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _SOCKETS if most == resource.RLIM_INFINITY else min(_SOCKETS, most)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, most))


class _Server(uvicorn.Server):
    """A server that takes Ctrl-C and its like as its proper end, and does not wait for threads that compute."""

    def __init__(self, config: uvicorn.Config, beside: tuple[ASGIApp, socket.socket] | None = None) -> None:
        super().__init__(config)
        self._beside = beside

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        if self._beside is None:
            await super().serve(sockets)
            return
        app, place = self._beside
        other = _Beside(configured(app, self.config.http, lifespan="off"))  # type: ignore[arg-type]
        task = asyncio.get_running_loop().create_task(other.serve([place]))
        try:
            await super().serve(sockets)
        finally:
            other.should_exit = True
            await asyncio.gather(task, return_exceptions=True)

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        with heard_by(self.handle_exit):
            yield

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if not self.should_exit:
            last = threading.Timer(_LAST_SECONDS, os._exit, (0,))
            last.daemon = True
            last.start()
        super().handle_exit(sig, frame)


class _Beside(uvicorn.Server):
    """A server that hears no signals: another one ends it."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield
