"""Acts that let people in, shut them out, or cannot be undone: whoever does them has shown the token within the hour.

A browser that was left open, or a session that was stolen, is not enough for them; nor is any token that a program sends.
"""

from collections.abc import Mapping
from datetime import UTC, datetime

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from arena.errors import StoreError
from arena.results.account_rows import HOST, Account
from arena.results.accounts import Accounts, Kind
from arena.results.tokens import digest
from arena.server.framing import frame_of
from arena.server.language import language
from arena.server.problems import Problem, is_data
from arena.server.rendering import Templates
from arena.server.sessions import Sessions

FRESH_SECONDS = 3600.0
"""How long after the token was shown such acts are done without it."""
_TOKEN = "token"


class Confirming:
    """Asks for the token once more where it was shown too long ago."""

    def __init__(self, sessions: Sessions, accounts: Accounts, templates: Templates) -> None:
        self._sessions, self._accounts, self._templates = sessions, accounts, templates

    async def page(self, request: Request, fields: Mapping[str, str]) -> Response | None:
        """The page that asks for the token, and then does what `fields` say; None: it is done at once. Raises Problem."""
        if request.scope["state"]["is_program"]:
            raise Problem(403, "refusal_needs_session")
        try:
            is_fresh, is_wrong = await run_in_threadpool(self._looked, request.scope["state"], fields.get(_TOKEN, "").strip())
        except StoreError:
            raise Problem(503, "refusal_no_accounts") from None
        if is_fresh:
            return None
        if is_data(request.url.path):
            raise Problem(403, "refusal_not_fresh")
        kept = [(name, value) for name, value in fields.items() if name != _TOKEN]
        page = self._templates.page(
            "confirm", language(request), **{**frame_of(request), "path": request.url.path}, kept=kept, is_wrong=is_wrong
        )
        return Response(page, 403, {"cache-control": "no-store"}, "text/html")

    def _looked(self, state: Mapping[str, object], token: str) -> tuple[bool, bool]:
        """Whether the session is fresh, by the token if one is shown; and whether a wrong one was. May read the file."""
        account, session = state["account"], str(state["session"])
        assert isinstance(account, Account)
        if token:
            if account == HOST:
                is_right = self._sessions.is_token(token)
            else:
                owner = self._accounts.of_token(digest(token), Kind.PERSON)
                is_right = owner is not None and owner.id == account.id
            if is_right:
                self._confirm(account, session)
            return is_right, not is_right
        return self._age(account, session) < FRESH_SECONDS, False

    def _confirm(self, account: Account, session: str) -> None:
        if account == HOST:
            self._sessions.confirm(session)
        else:
            self._accounts.confirm_session(session)

    def _age(self, account: Account, session: str) -> float:
        if account == HOST:
            return self._sessions.age(session)
        opened = self._accounts.session_opened(session)
        return float("inf") if opened is None else (datetime.now(UTC) - datetime.fromisoformat(opened)).total_seconds()
