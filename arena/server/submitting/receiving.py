"""Receiving a bot: its bytes as the body of a PUT, stored for good before the answer says so."""

import asyncio
import contextlib
import math
from collections import Counter
from collections.abc import Iterator
from http import HTTPStatus

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from arena import games
from arena.agent.starter import python_bot
from arena.agent.submissions import ALL
from arena.agent.zipped import is_zip
from arena.errors import ConfigError, StoreError
from arena.names import NEW_NAME_RULE, may_be_given
from arena.results.inbox import NotTheirs, QuotaReached, Sent
from arena.results.site_file import Account
from arena.server.problems import MEDIA_JSON, Problem, answer_of
from arena.server.submitting.checks import Submitting, author_of
from arena.server.views.submissions import shown
from arena.server.visitors import QUERY, Persons, language_of, visitor_of

PATH = "/api/bots/{name}"
STARTER = "my_bot"
"""The name of the bot that one can begin with."""
UPLOAD_SECONDS = 120.0
"""How long an upload may take."""
MOST_UPLOADS, MOST_UPLOADS_EACH = 16, 2
"""Uploads at a time, of all and of an account: each is held in memory until it is whole."""
_BUSY_SECONDS = 5


class Receiving:
    """The handlers of uploads, and of what one can begin with."""

    def __init__(self, submitting: Submitting, persons: Persons) -> None:
        self._submitting, self._inbox, self._persons = submitting, submitting.inbox, persons
        self._uploads: Counter[str] = Counter()

    def routes(self) -> list[BaseRoute]:
        """All addresses."""
        return [Route(PATH, self.received, methods=["PUT"]), Route("/starter/{game}.py", self.begun, methods=["GET"])]

    async def begun(self, request: Request) -> Response:
        """A bot that plays a game and can be changed, as `arena new` writes it."""
        try:
            text = await run_in_threadpool(lambda: python_bot(STARTER, games.load(request.path_params["game"])))
        except ConfigError as error:
            raise Problem(404, "refusal_said", text=error) from None
        headers = {"cache-control": "no-store", "content-disposition": f'attachment; filename="{STARTER}.py"'}
        return Response(text, headers=headers, media_type="text/x-python")

    async def received(self, request: Request) -> Response:
        """Store what was sent as a submission of the bot of this name, and answer with the submission.

        The page asks in its language, and gets its problems in it.
        """
        try:
            return await self._received(request)
        except Problem as problem:
            if QUERY not in request.query_params:
                raise
            return answer_of(problem, request.url.path, language=language_of(request))

    async def _received(self, request: Request) -> Response:
        visitor = await run_in_threadpool(visitor_of, request, self._persons)
        account = author_of(visitor)
        name = str(request.path_params["name"])
        if not may_be_given(name) or name == ALL:
            raise Problem(400, "submit_bad_name", name=name[:80], rule=NEW_NAME_RULE)
        await run_in_threadpool(self._check, account, name)
        with self._counted(account.id):
            content = await _content(request, self._submitting.most_bytes(account))
            if not content:
                raise Problem(400, "submit_empty")
            sent = await run_in_threadpool(self._stored, account, name, content)
        self._submitting.checks.poke()
        found = await run_in_threadpool(shown, sent, self._submitting)
        headers = {"cache-control": "no-store", "location": f"/api/submissions/{sent.id}"}
        return Response(msgspec.json.encode(found), HTTPStatus.CREATED, headers, MEDIA_JSON)

    def _check(self, account: Account, name: str) -> None:
        """Refuse what will be refused in the end before anything is read. Raises Problem."""
        self._submitting.computing.check(account)
        with _as_problems(name):
            is_taken = self._submitting.is_taken(name)
            self._inbox.check_owner(account.id, name, is_taken=is_taken, is_organiser=account.is_organiser)
            if (quotas := self._submitting.quotas_of(account)) is not None:
                self._inbox.check_quotas(account.id, quotas.versions_a_day, quotas.pending)

    def _stored(self, account: Account, name: str, content: bytes) -> Sent:
        quotas = self._submitting.quotas_of(account)
        with _as_problems(name):
            return self._inbox.receive(
                account.id, name, content, ".zip" if is_zip(content) else ".py", is_taken=self._submitting.is_taken(name),
                is_organiser=account.is_organiser, versions_a_day=None if quotas is None else quotas.versions_a_day,
                pending=None if quotas is None else quotas.pending,
            )  # fmt: skip

    @contextlib.contextmanager
    def _counted(self, account: str) -> Iterator[None]:
        if self._uploads.total() >= MOST_UPLOADS or self._uploads[account] >= MOST_UPLOADS_EACH:
            raise Problem(429, "submit_busy", wait=_BUSY_SECONDS)
        self._uploads[account] += 1
        try:
            yield
        finally:
            self._uploads[account] -= 1
            self._uploads += Counter()  # without those at zero


@contextlib.contextmanager
def _as_problems(name: str) -> Iterator[None]:
    """What the inbox refuses as answers."""
    try:
        yield
    except NotTheirs:
        raise Problem(403, "submit_taken", name=name) from None
    except QuotaReached as quota:
        hours, minutes = divmod(math.ceil(quota.seconds / 60), 60)
        why = f"submit_quota_{quota.what}"
        raise Problem(429, why, most=quota.most, hours=hours, minutes=minutes, wait=quota.seconds) from None
    except StoreError as error:
        if "full" in str(error) or "No space" in str(error):
            raise Problem(507, "submit_disk_full") from None
        raise Problem(503, "submit_not_stored") from None


async def _content(request: Request, most: int) -> bytes:
    """The body of an upload. Raises Problem for one that is too long, too slow or cut off."""
    declared = request.headers.get("content-length", "")
    if declared.isdigit() and int(declared[:20]) > most:
        raise Problem(413, "submit_too_long", most=f"{most / 1e6:,.0f}")
    body = bytearray()
    try:
        async with asyncio.timeout(UPLOAD_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise Problem(413, "submit_too_long", most=f"{most / 1e6:,.0f}")
    except TimeoutError:
        raise Problem(408, "submit_slow") from None
    except ClientDisconnect:
        raise Problem(400, "submit_cut_off") from None
    return bytes(body)
