"""What people and organisers do with accounts: join, tokens, sessions, invitations, roles. All organisers do is logged."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Annotated, TypeVar

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.errors import StoreError
from arena.names import in_words
from arena.reports.table import LANGUAGES
from arena.results.accounts import DAYS, LONGEST_LABEL, MOST_TOKENS, USUAL_DAYS, Accounts, Invited, Scope, join_link
from arena.results.site_file import HOST, Account, NameTaken, Role
from arena.server.entrance import Entrance
from arena.server.framing import frame_of, origin_of
from arena.server.headers import keep_cookie, session_cookie
from arena.server.login import Confirming, logged_in, signed_out
from arena.server.people.careers import has_played
from arena.server.people.invitations import MOST_NAMES, VALUES, BadList, invite_listed
from arena.server.problems import MEDIA_JSON, Problem
from arena.server.rendering import Templates
from arena.server.sign_in.door import ProxyDoor, named_in
from arena.server.tables.tables import Tables
from arena.server.transfer import body_of, form_of
from arena.server.visitors import checked_person_name, language_of, person_of

LONGEST_LIST = 64 * 1024
"""Bytes of a list of names."""
T = TypeVar("T")
Answer = Callable[[Request], Awaitable[Response]]


class Invitation(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Whom an organiser wants to invite."""

    names: Annotated[list[str], msgspec.Meta(min_length=1, max_length=MOST_NAMES)]
    role: Role = Role.AUTHOR
    """The role of accounts that are new; others keep theirs."""


class JoinLink(msgspec.Struct, frozen=True, kw_only=True):
    """A link that lets somebody in, once."""

    name: str
    role: Role
    link: str
    new: bool
    """Whether the account was made now; if not, the link replaces its token when it is used."""


class Changed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """An account that an organiser changes."""

    name: str
    role: Role | None = None
    """The new role, where the role is changed."""
    new: str | None = None
    """The new name, where the name is changed."""


class Nothing(msgspec.Struct, frozen=True):
    """An answer that says no more than that it is done."""


class AccountPages:
    """The handlers of what is sent by POST, and of the page that a join link leads to."""

    def __init__(
        self, results: Path, accounts: Accounts, entrance: Entrance, tables: Tables, templates: Templates,
        confirming: Confirming, door: ProxyDoor | None = None,
    ) -> None:  # fmt: skip
        self._results, self._accounts, self._entrance = results, accounts, entrance
        self._tables, self._templates, self._confirming, self._door = tables, templates, confirming, door

    def routes(self) -> list[BaseRoute]:
        """All addresses."""
        return [
            Route("/invite", self.shown, methods=["GET"]),
            Route("/invite", self.joined, methods=["POST"]),
            Route("/account/token", self.token_replaced, methods=["POST"]),
            Route("/account/tokens", self.token_made, methods=["POST"]),
            Route("/account/tokens/end", self.token_ended, methods=["POST"]),
            Route("/account/consent", self._consenting(is_given=True), methods=["POST"]),
            Route("/account/consent/end", self._consenting(is_given=False), methods=["POST"]),
            Route("/account/logout", self.logged_out, methods=["POST"]),
            Route("/admin/invite", self.invited, methods=["POST"]),
            Route("/api/admin/invite", self.invited_by_program, methods=["POST"]),
            *(
                Route(f"{before}/admin/{what}", self._changing(what), methods=["POST"])
                for what in ("role", "rename", "close", "reopen")
                for before in ("", "/api")
            ),
        ]

    # Whoever was invited

    async def shown(self, request: Request) -> Response:
        """The page that a join link leads to. Looking at it uses up nothing: previews of links do that, too."""
        return logged_in(request, self._templates) or self._page(request, "invite")

    async def joined(self, request: Request) -> Response:
        """Use a join link: show the personal token, once, and open a session."""
        fields = await form_of(request)
        if (page := logged_in(request, self._templates)) is not None:
            return page
        found = await self._stored(self._accounts.join, fields.get("code", "").strip())
        if found is None:
            raise Problem(403, "refusal_no_invitation")
        self._entrance.look_again(found.account)
        answer = self._secret(request, "joined", found.token, found.account)
        if self._door is not None and (named := named_in(request)) is not None:
            await self._door.connect(named, found.account)
        else:
            keep_cookie(request, answer, session_cookie(request), found.session, is_lasting=True)
        return answer

    # The own account

    async def token_replaced(self, request: Request) -> Response:
        """A new personal token; the old one and all other sessions end."""
        fields = await form_of(request)
        account = _own(request)
        if (asked := await self._confirming.page(request, fields)) is not None:  # who holds the token is fresh from then on
            return asked
        token = await self._stored(self._accounts.replace_token, account, request.scope["state"]["session"])
        self._entrance.look_again(account)
        return self._secret(request, "replaced", token, account)

    async def token_made(self, request: Request) -> Response:
        """A new token for programs."""
        fields = await form_of(request)
        account, label = _own(request), " ".join(fields.get("label", "").split())
        if not 1 <= len(label) <= LONGEST_LABEL or not label.isprintable():
            raise Problem(400, "refusal_label", most=LONGEST_LABEL)
        scope, days = fields.get("scope", Scope.LOOK), fields.get("days", f"{USUAL_DAYS}")
        if scope not in list(Scope) or days not in map(str, DAYS):
            raise Problem(400, "refusal_bounds", scopes=", ".join(Scope), days=", ".join(map(str, DAYS)))
        if (asked := await self._confirming.page(request, fields)) is not None:
            return asked
        token = await self._stored(self._accounts.make_api_token, account, label, Scope(scope), int(days))
        if token is None:
            raise Problem(409, "refusal_many_tokens", most=MOST_TOKENS)
        return self._secret(request, "made", token, account, can_send=scope != Scope.LOOK)

    async def token_ended(self, request: Request) -> Response:
        """End a token for programs."""
        fields = await form_of(request)
        account = _own(request)
        await self._stored(self._accounts.end_api_token, account, fields.get("id", ""))
        self._entrance.look_again(account)
        return RedirectResponse("/account", 303)

    def _consenting(self, *, is_given: bool) -> Answer:
        async def answer(request: Request) -> Response:
            await form_of(request)
            consents = self._accounts.consents
            await self._stored(consents.give if is_given else consents.withdraw, _own(request))
            return RedirectResponse("/account", 303)

        return answer

    async def logged_out(self, request: Request) -> Response:
        """End all sessions of the account."""
        await form_of(request)
        account = _own(request)
        await self._stored(self._accounts.close_sessions, account)
        self._entrance.look_again(account)
        if self._door is not None and named_in(request) is not None:
            return signed_out(request, self._templates, self._door)
        return RedirectResponse("/login", 303)

    # Organisers

    async def invited(self, request: Request) -> Response:
        """Make join links for the names of a form, and show them, once."""
        fields = await form_of(request, LONGEST_LIST)
        who = _organiser(request)
        if (asked := await self._confirming.page(request, fields)) is not None:
            return asked
        try:
            role = Role(fields.get("role", Role.AUTHOR))
        except ValueError:
            raise Problem(400, "refusal_no_role", roles=", ".join(Role)) from None
        names = "\n".join(fields.get("names", "").splitlines())  # browsers send other ends of lines
        try:
            found = await self._stored(invite_listed, self._accounts, who, names, role)
        except BadList as error:
            lines = _said(error, language_of(request))
            return self._page(request, "bad_names", 400, path="/admin", lines=lines, names=names, role=role)
        return self._page(request, "invited", path="/admin", links=_links(request, found))

    async def invited_by_program(self, request: Request) -> Response:
        """Make join links for the names that a program sends."""
        wanted = await _sent(request, Invitation)
        names = "\n".join(" ".join(name.replace("#", "\0").split()) or "\0" for name in wanted.names)  # a line for each name
        who = _organiser(request)
        await self._confirming.page(request, {})
        try:
            found = await self._stored(invite_listed, self._accounts, who, names, wanted.role)
        except BadList as error:
            lines = "; ".join(_said(error, LANGUAGES[0]))
            raise Problem(400, "refusal_bad_names", lines=lines) from None
        return Response(msgspec.json.encode(_links(request, found)), 201, {"cache-control": "no-store"}, MEDIA_JSON)

    def _changing(self, what: str) -> Answer:
        async def answer(request: Request) -> Response:
            is_program, fields = request.url.path.startswith("/api/"), dict[str, str]()
            if is_program:
                wanted = await _sent(request, Changed)
            else:
                fields = await form_of(request)
                try:
                    wanted = msgspec.convert({key: fields[key] for key in ("name", "role", "new") if key in fields}, Changed)
                except msgspec.ValidationError as error:
                    raise Problem(400, "refusal_bad_parameter", text=in_words(error)) from None
            who = _organiser(request)
            if (asked := await self._confirming.page(request, fields)) is not None:
                return asked
            await self._changed(who, what, wanted)
            if is_program:
                return Response(msgspec.json.encode(Nothing()), headers={"cache-control": "no-store"}, media_type=MEDIA_JSON)
            return RedirectResponse("/admin", 303)

        return answer

    async def _changed(self, who: Account, what: str, wanted: Changed) -> None:
        account = await self._stored(self._accounts.find, wanted.name)
        if account is None:
            raise Problem(404, "refusal_no_account", name=wanted.name)
        if account.id == who.id:
            raise Problem(409, "refusal_own_account")
        if what == "role":
            if wanted.role is None:
                raise Problem(400, "refusal_no_role", roles=", ".join(Role))
            await self._stored(self._accounts.change_role, who, account, wanted.role)
        elif what == "rename":
            await self._renamed(who, account, checked_person_name(wanted.new or ""))
        elif what == "reopen":
            await self._stored(self._accounts.reopen, who, account)
        else:
            await self._stored(self._accounts.close, who, account)
            person = person_of(account)
            for table in self._tables.running(person):
                seat = table.seat_of(person)
                if seat is not None:
                    table.leave(seat)
        self._entrance.look_again(account)

    async def _renamed(self, who: Account, account: Account, name: str) -> None:
        """Mend a misspelt name, as long as no match bears it. Raises Problem."""
        is_borne = await self._stored(has_played, self._results, account.name)
        if is_borne or self._tables.of(person_of(account)):
            raise Problem(409, "refusal_has_played", name=account.name)
        try:
            await self._stored(self._accounts.rename, who, account, name)
        except NameTaken:
            raise Problem(409, "refusal_name_taken", name=name) from None

    # Answers

    def _secret(self, request: Request, what: str, token: str, account: Account, *, can_send: bool = True) -> Response:
        """The page that shows a token, once."""
        frame = frame_of(request, account)
        return self._page(request, "secret", **frame, what=what, token=token, can_send=can_send, path="/account")

    def _page(self, request: Request, template: str, status: int = 200, **values: object) -> Response:
        page = self._templates.page(template, language_of(request), **({"path": request.url.path} | frame_of(request) | values))
        return Response(page, status, {"cache-control": "no-store"}, "text/html")

    async def _stored(self, act: Callable[..., T], *values: object) -> T:
        """The result of something that the file is needed for, from a thread. Raises Problem 503."""
        try:
            return await run_in_threadpool(act, *values)
        except StoreError:
            raise Problem(503, "refusal_no_accounts") from None


def _own(request: Request) -> Account:
    """The account of who asks from a browser. Raises Problem 403: no token makes other tokens."""
    account: Account | None = request.scope["state"]["account"]
    if account is None or account == HOST:
        raise Problem(403, "refusal_no_own_account")
    if request.scope["state"]["is_program"]:
        raise Problem(403, "refusal_needs_session")
    return account


def _organiser(request: Request) -> Account:
    account: Account | None = request.scope["state"]["account"]
    if account is None or not account.is_organiser:
        raise Problem(403, "refusal_not_organiser")
    return account


def _said(error: BadList, lang: str) -> list[str]:
    """Return what is wrong with each line of a list, in a language."""
    return [f"{number}: {name!r}: {Problem(400, why, **VALUES).said(lang)}" for number, name, why in error.lines]


def _links(request: Request, found: list[Invited]) -> list[JoinLink]:
    return [
        JoinLink(name=one.account.name, role=one.account.role, link=join_link(origin_of(request), one.code), new=one.is_new)
        for one in found
    ]


async def _sent(request: Request, kind: type[T]) -> T:
    """The JSON that a program has sent. Raises Problem 400."""
    try:
        return msgspec.json.decode(await body_of(request, LONGEST_LIST), type=kind)
    except msgspec.ValidationError as error:
        raise Problem(400, "refusal_said", text=in_words(error)) from None
    except (msgspec.DecodeError, UnicodeError, RecursionError):
        raise Problem(400, "refusal_no_json") from None
