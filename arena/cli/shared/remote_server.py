"""A client of a server elsewhere: an address and a token, JSON over HTTP, one sentence for what goes wrong. `arena submit --to
URL` sends a bot with it, and follows the bot until it is accepted or refused.
"""

import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from typing import TypeVar
from urllib.parse import quote

import msgspec

from arena.agent import BotFiles
from arena.agent.zipped import zipped
from arena.cli.shared.printing import error_console, note, plain_text
from arena.errors import ArenaError, ConfigError, printable
from arena.server.joining.address import UNKNOWN_TOKEN, ServerAddress
from arena.tournament.check_report import BotCheck

_SECONDS = 60.0  # for an answer
_LONGEST = 64 << 20  # bytes of an answer
T = TypeVar("T")


class Unreachable(ArenaError):
    """The server does not answer."""


class _Failure(msgspec.Struct, frozen=True):
    error: str


class RemoteServer:
    """One server."""

    def __init__(self, address: ServerAddress) -> None:
        self.url = address.url
        self._token = address.token

    def get(self, path: str, kind: type[T]) -> T:
        """The answer at an address below `/api`. Raises Unreachable, and ConfigError with the server's words if it refuses."""
        return self._asked(urllib.request.Request(f"{self.url}/api{path}"), kind)

    def put(self, path: str, content: bytes, kind: type[T]) -> T:
        """The answer to bytes that are sent to an address below `/api`. Raises as `get` does."""
        request = urllib.request.Request(f"{self.url}/api{path}", data=content, method="PUT")
        request.add_header("content-type", "application/octet-stream")
        return self._asked(request, kind)

    def _asked(self, request: urllib.request.Request, kind: type[T]) -> T:
        request.add_header("authorization", f"Bearer {self._token}")
        request.add_header("accept", "application/json")
        try:
            with _OPENER.open(request, timeout=_SECONDS) as answer:
                content = answer.read(_LONGEST)
        except urllib.error.HTTPError as error:
            with error:
                raise self._refusal(error.code, error.read(1 << 16)) from None
        except (urllib.error.URLError, OSError, ValueError) as error:
            why = f"{why_silent(error)}{_proxy_of(request)}"
            raise Unreachable(f"{self.url}: the server does not answer: {why}") from None
        try:
            return msgspec.json.decode(content, type=kind)
        except msgspec.MsgspecError:
            raise ConfigError(f"{self.url}: that is no server of arena, or one of another version") from None

    def _refusal(self, status: int, content: bytes) -> ConfigError:
        try:
            failure = msgspec.json.decode(content, type=_Failure)
        except msgspec.MsgspecError:
            asked = _proxy_of(urllib.request.Request(self.url))
            if status in (502, 503, 504):
                raise Unreachable(
                    f"{self.url}: the server does not answer: what stands before it says {status}{asked}"
                ) from None
            return ConfigError(f"{self.url}: that is no server of arena: it answers {status}{asked}")
        if status == 401:
            return ConfigError(f"{self.url}: {UNKNOWN_TOKEN}")
        return ConfigError(f"{self.url}: {printable(failure.error, 500)}")


def why_silent(error: Exception) -> str:
    """Why an address gave no answer, in a line. `error`: what opening it raised."""
    reason = error.reason if isinstance(error, urllib.error.URLError) else error
    return printable(str(getattr(reason, "strerror", None) or reason), 200)


def _proxy_of(request: urllib.request.Request) -> str:
    """A word on the proxy that the variables name for a request; empty without one."""
    address = urllib.parse.urlsplit(request.full_url)
    proxy = urllib.request.getproxies().get(address.scheme)
    if proxy is None or urllib.request.proxy_bypass(address.netloc):
        return ""
    shown, name = printable(proxy.rpartition("@")[2], 200), f"{address.scheme}_proxy"  # without a password
    return f"; it was asked through the proxy {shown}, which {name} names: add {address.hostname} to no_proxy to go without"


class _Straight(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the token is for the server that was named."""

    def redirect_request(self, *_: object, **__: object) -> None:
        """Leave the redirection as the answer."""


_OPENER = urllib.request.build_opener(_Straight)


def straight_opener() -> urllib.request.OpenerDirector:
    """Return what asks an address, and follows no redirection: what is sent is for whoever was named."""
    return _OPENER


SOON, LATER = 0.5, 2.0
"""Seconds between two questions, in the first half minute and then."""
_QUICK = 60  # questions
_PATIENCE = 120.0  # seconds for which the server may be away


class Followed(msgspec.Struct, frozen=True, kw_only=True):
    """What a server says of a submission; the page `/submissions/ID` shows the same."""

    id: str
    state: str
    is_pending: bool
    place: int | None = None
    seconds: int | None = None
    checking: str = ""
    version: int | None = None
    is_new: bool | None = None
    reference: str | None = None
    sha256: str | None = None
    reasons: tuple[str, ...] = ()


class Outcome(msgspec.Struct, frozen=True, kw_only=True):
    """How a submission has ended."""

    submission: Followed
    report: BotCheck | None = None


class _Allowance(msgspec.Struct, frozen=True, kw_only=True):
    bytes: int
    seconds: int


class _Me(msgspec.Struct, frozen=True, kw_only=True):
    allowance: _Allowance


def sent(server: RemoteServer, name: str, bot: BotFiles) -> Outcome:
    """Send a bot to a server, and wait until its check has ended. Raises ConfigError, and ArenaError if a machine failed."""
    content = _packed(bot)
    allowance = server.get("/me", _Me).allowance
    if len(content) > allowance.bytes:
        size, most = len(content) / 1e6, allowance.bytes / 1e6
        raise ConfigError(f"{server.url}: {size:,.1f} MB to send; a submission may have {most:,.0f} MB there")
    first = server.put(f"/bots/{quote(name)}", content, Followed)
    look = f"{server.url}/submissions/{first.id}"
    try:
        with error_console().status("received") as status:
            found = _ended(server, first, lambda text: status.update(plain_text(text)))
    except KeyboardInterrupt:
        note(f"it is received, and goes on without you: {look}")
        raise
    if found.submission.state == "void":
        why = "; ".join(found.submission.reasons)
        raise ArenaError(f"{look}: the server's machine failed, not the bot, so it is not counted: {why}; send it again")
    return found


def _packed(bot: BotFiles) -> bytes:
    """Return what is sent of a bot: one file as it is, a folder as a zip."""
    (content, *others) = bot.files.values()
    return content if not others and bot.command is None and bot.model is None else zipped(bot)


def _ended(server: RemoteServer, first: Followed, say: Callable[[str], None]) -> Outcome:
    """Ask until the check has ended."""
    asked, away_since = 0, None
    path = f"/submissions/{first.id}"
    while True:
        try:
            found = server.get(path, Outcome)
        except Unreachable as error:
            away_since = away_since or time.monotonic()
            if time.monotonic() - away_since > _PATIENCE:
                raise ArenaError(f"{error}. The bot was received: look at {server.url}{path}") from None
            say("the server does not answer; what it has received is not lost")
        else:
            away_since = None
            if not found.submission.is_pending:
                return found
            say(_in_words(found.submission))
        asked += 1
        time.sleep(SOON if asked < _QUICK else LATER)


def _in_words(found: Followed) -> str:
    about = "" if found.seconds is None else f", done in about {found.seconds} s"
    if found.place:
        return f"waiting: place {found.place} in the queue{about}"
    return f"checking{about}{': ' if found.checking else ''}{found.checking}"
