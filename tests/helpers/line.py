"""A line between a server and its guests that a test cuts, or that swallows what is sent."""

import contextlib
import socket
import threading


class Line:
    """Passes bytes on to a server that may be another one each time, until it is cut."""

    def __init__(self) -> None:
        self.target = 0
        self._open: list[socket.socket] = []
        self._swallowing: set[socket.socket] = set()
        self._all: list[socket.socket] = []
        self._place = socket.create_server(("127.0.0.1", 0))
        self.port = self._place.getsockname()[1]
        self._passing: list[threading.Thread] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    def cut(self) -> None:
        """Cut all connections that are open now."""
        while self._open:
            with contextlib.suppress(OSError):
                self._open.pop().shutdown(socket.SHUT_RDWR)

    def swallow(self) -> None:
        """Pass nothing on of all connections that are open now, and tell neither side."""
        self._swallowing.update(self._open)

    def close(self) -> None:
        self.cut()
        with contextlib.suppress(OSError):
            self._place.shutdown(socket.SHUT_RDWR)
        self._place.close()
        self._accepting.join()
        for thread in self._passing:
            thread.join()
        for each in self._all:
            each.close()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                here, _ = self._place.accept()
                try:
                    there = socket.create_connection(("127.0.0.1", self.target))
                except OSError:
                    here.close()
                    continue
                self._open += [here, there]
                self._all += [here, there]
                for one, other in ((here, there), (there, here)):
                    self._passing.append(threading.Thread(target=self._pass_on, args=(one, other), daemon=True))
                    self._passing[-1].start()

    def _pass_on(self, one: socket.socket, other: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := one.recv(1 << 16):
                if one not in self._swallowing:
                    other.sendall(data)
        for each in () if one in self._swallowing else (one, other):
            with contextlib.suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
