"""Webhooks: what is news on a server is posted to an address, signed, until it has arrived, and remembered in a file.

The form is that of Standard Webhooks (https://www.standardwebhooks.com): the headers `webhook-id`, `webhook-timestamp` and
`webhook-signature`, HMAC-SHA256 over all three parts, so that ready libraries check it. A receiver knows by the id what comes
a second time: that happens only if this process is killed between an answer and the line in its file.
"""

import base64
import binascii
import contextlib
import hashlib
import hmac
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from arena import disk, userfiles
from arena.cli.shared.remote_server import straight_opener, why_silent
from arena.errors import ConfigError, StoreError
from arena.names import in_words

SECONDS = 20.0
"""How long a receiver may take for its answer."""
WAITS = (1.0, 5.0, 30.0)
"""Seconds before each new try; what has not arrived then is tried again at the next look."""
LONGEST_WAIT = 120.0
"""The longest that a receiver may have us wait, by `Retry-After`."""
MOST_KEPT = 2_000
"""Ids that are remembered: many times what a server tells of at once."""
_SECRET = "whsec_"
_NOT_YET = (408, 425, 429)  # answers from 400 to 499 after which a new try may succeed


class Item(msgspec.Struct, frozen=True):
    """What a server tells of, as far as it is looked at; all of it is handed on."""

    id: str
    kind: str
    at: str
    title: str
    page: str


class Kept(msgspec.Struct, frozen=True):
    """The content of the state file."""

    server: str
    to: str
    """The SHA-256 of the receiver's address, hex: some let in whoever knows them."""
    known: tuple[str, ...]
    """The ids of what was sent, or was there before the first start."""


class State:
    """The file that remembers what was sent: one process at a time has it. A context manager."""

    def __init__(self, path: Path, server: str, to: str) -> None:
        self.path, self._server, self._to = path, server, hashlib.sha256(to.encode()).hexdigest()
        self._known: dict[str, None] = {}
        self.is_new = True
        """Whether there is no file yet."""
        self._stack = contextlib.ExitStack()

    def __enter__(self) -> "State":
        """Lock and read the file. Raises StoreError, and ConfigError for the file of another server or receiver."""
        if not self.path.name:
            raise ConfigError(f"--state {self.path}: is a folder; name a file")
        lock = self.path.with_name(f"{self.path.name}.lock")
        try:
            file = self._stack.enter_context(disk.lock_file(lock))
        except OSError as error:
            raise StoreError(f"{lock}: cannot be written: {error.strerror}") from None
        if disk.lock(file, lock, waits=False) is False:
            self._stack.close()
            raise StoreError(f"{self.path}: another arena notify uses this file; give each one of its own with --state")
        try:
            self._read()
        except BaseException:
            self._stack.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        """Let go of the file."""
        self._stack.close()

    def is_known(self, item: Item) -> bool:
        """Return whether something was sent already."""
        return item.id in self._known

    def note(self, items: Sequence[Item]) -> None:
        """Remember what was sent. Raises StoreError."""
        self._known |= dict.fromkeys(item.id for item in items)
        kept = Kept(self._server, self._to, tuple(self._known)[-MOST_KEPT:])
        disk.write_whole(self.path, msgspec.json.format(msgspec.json.encode(kept), indent=2) + b"\n")
        self.is_new = False

    def _read(self) -> None:
        try:
            found = msgspec.json.decode(userfiles.content(self.path), type=Kept)
        except FileNotFoundError:
            return
        except OSError as error:
            raise StoreError(f"{self.path}: cannot be read: {error.strerror}") from None
        except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
            raise StoreError(f"{self.path}: damaged or not ours: {in_words(error)}") from None
        if (found.server, found.to) != (self._server, self._to):
            raise ConfigError(f"{self.path}: remembers what went from {found.server} elsewhere; name another file with --state")
        self._known, self.is_new = dict.fromkeys(found.known), False


def receiver_at(url: str) -> str:
    """The address of a receiver, checked. Raises ConfigError."""
    try:
        found = urlsplit(url)
        is_one = found.scheme in ("http", "https") and bool(found.hostname) and (found.port or 1) > 0
    except ValueError:
        is_one = False
    if not is_one or not url.isascii() or not url.isprintable() or " " in url:
        raise ConfigError("--to: no address of a receiver, such as https://example.org/hook")
    return url


def secret_of(text: str) -> bytes:
    """The key of a secret: what follows `whsec_` is base64, and any other text is the key itself. Raises ConfigError."""
    if not text.startswith(_SECRET):
        return text.encode()
    try:
        return base64.b64decode(text.removeprefix(_SECRET), validate=True)
    except binascii.Error:
        raise ConfigError(f"the secret begins with {_SECRET}, and what follows is no base64") from None


def signature(key: bytes, message_id: str, timestamp: int, body: bytes) -> str:
    """What the header `webhook-signature` says.

    >>> signature(base64.b64decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330,
    ...     b'{"test": 2432232314}')
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE='
    """
    signed = f"{message_id}.{timestamp}.".encode() + body
    return "v1," + base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest()).decode()


def body_of(item: Item, whole: dict[str, Any], server: str) -> bytes:
    """What is posted: the kind, the moment, a sentence for people, and all that the server tells."""
    data = whole | {"page": f"{server}{item.page}"}
    text = f"{item.title}: {server}{item.page}"
    return msgspec.json.encode({"type": f"arena.{item.kind}", "timestamp": item.at, "text": text, "data": data})


class NotTaken(Exception):
    """The receiver has not taken something; `wait`: how many seconds it asks for. None: it never will."""

    def __init__(self, why: str, wait: float | None) -> None:
        super().__init__(why)
        self.wait = wait


class Webhook:
    """One receiver."""

    def __init__(
        self, url: str, key: bytes | None, say: Callable[[str], None], *,
        sleep: Callable[[float], object] = time.sleep, clock: Callable[[], float] = time.time,
    ) -> None:  # fmt: skip
        """`key`: signs what is sent; None: nothing is signed. `sleep`: waits so many seconds, or ends the program."""
        self._url, self._key, self._say, self._sleep, self._clock = url, key, say, sleep, clock

    def send(self, item: Item, body: bytes) -> bool:
        """Post something, with new tries; whether it is done with, because it has arrived, or never will."""
        for wait in (*WAITS, None):
            try:
                self._post(item, body)
                return True
            except NotTaken as error:
                if error.wait is None:
                    self._say(f"not taken, and not sent again: {item.title}: {error}")
                    return True
                if wait is None:
                    self._say(f"not taken so far: {item.title}: {error}")
                    return False
                self._sleep(min(LONGEST_WAIT, max(wait, error.wait)))
        raise AssertionError("the last wait is none")

    def _post(self, item: Item, body: bytes) -> None:
        """Post it once. Raises NotTaken."""
        now = int(self._clock())
        request = urllib.request.Request(self._url, data=body, method="POST")
        headers = {"content-type": "application/json", "webhook-id": item.id, "webhook-timestamp": str(now)}
        if self._key is not None:
            headers["webhook-signature"] = signature(self._key, item.id, now, body)
        for name, value in headers.items():
            request.add_header(name, value)
        try:
            with straight_opener().open(request, timeout=SECONDS):
                return
        except urllib.error.HTTPError as error:
            with error:
                is_final = 300 <= error.code < 500 and error.code not in _NOT_YET
                raise NotTaken(f"it answers {error.code}", None if is_final else _asked_wait(error)) from None
        except (urllib.error.URLError, OSError, ValueError) as error:
            raise NotTaken(why_silent(error), 0.0) from None


def _asked_wait(error: urllib.error.HTTPError) -> float:
    text = error.headers.get("retry-after", "")
    return float(text) if text.isascii() and text.isdigit() else 0.0


def news_in(items: Sequence[dict[str, Any]]) -> Iterator[tuple[Item, dict[str, Any]]]:
    """What a server tells, the oldest first. Raises ConfigError for what is none of it."""
    for whole in reversed(items):
        try:
            yield msgspec.convert(whole, Item), whole
        except msgspec.ValidationError:
            raise ConfigError("that is no server of arena, or one of another version: its news lack what is needed") from None
