"""Lets in whom the proxy names, with each request: by the session that the name has, which is opened when there is none."""

from collections import OrderedDict

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from arena.errors import StoreError
from arena.results.identities import Identities, NotAdmitted
from arena.results.site_file import Account
from arena.server.entrance import MOST_KEPT, Entrance, Entry
from arena.server.problems import Problem
from arena.server.sign_in.header import SIGNED_IN, Named
from arena.server.sign_in.settings import SignIn


class ProxyDoor:
    """Knows the sessions of the names. Lives in the event loop."""

    def __init__(self, settings: SignIn, identities: Identities, entrance: Entrance) -> None:
        self.settings = settings
        self._identities, self._entrance = identities, entrance
        self._sessions: OrderedDict[str, str] = OrderedDict()

    async def entry(self, named: Named, address: str | None) -> Entry:
        """Whoever is named. Raises Problem 409 for who cannot come in, 429 after too many new ones, and 503."""
        known = self._sessions.get(named.subject)
        if known is not None and (found := await self._entrance.of_session(known)) is not None:
            self._sessions.move_to_end(named.subject)
            return found
        self._entrance.count_lookup(address)
        session = await self._signed_in(named)
        self._sessions[named.subject] = session
        while len(self._sessions) > MOST_KEPT:
            self._sessions.popitem(last=False)
        entry = await self._entrance.of_session(session)
        if entry is None:  # it was ended meanwhile, or the file cannot be read
            raise Problem(503, "refusal_no_accounts")
        return entry

    async def connect(self, named: Named, account: Account) -> None:
        """Let a name open an account, whose token or join link was just shown. Raises Problem 409 and 503."""
        try:
            await run_in_threadpool(self._identities.connect, named.subject, account, self._how(named))
        except NotAdmitted as error:
            raise _refused(error, named) from None
        except StoreError:
            raise Problem(503, "refusal_no_accounts") from None

    async def _signed_in(self, named: Named) -> str:
        settings = self.settings

        def stored() -> str:
            return self._identities.sign_in(
                named.subject, named.name, role=settings.role, is_organiser=named.subject in settings.organisers,
                how=self._how(named),
            )  # fmt: skip

        try:
            return await run_in_threadpool(stored)
        except NotAdmitted as error:
            raise _refused(error, named) from None
        except StoreError:
            raise Problem(503, "refusal_no_accounts") from None

    def _how(self, named: Named) -> str:
        return f"{self.settings.header}: {named.subject}"


def named_in(request: Request) -> Named | None:
    """Whom the proxy names in a request that has passed the guard."""
    found: Named | None = request.scope.get("state", {}).get(SIGNED_IN)
    return found


def _refused(error: NotAdmitted, named: Named) -> Problem:
    return Problem(409, str(error), subject=named.subject, name=named.name)
