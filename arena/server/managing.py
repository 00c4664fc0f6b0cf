"""What the owner of a bot, or an organiser, asks the server to do with it: withdraw it, publish its source, give it away."""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response, StreamingResponse
from starlette.routing import BaseRoute, Route

from arena.agent.loading import house_bots
from arena.agent.submissions import ALL, Submission, Submissions
from arena.errors import StoreError
from arena.names import NEW_NAME_RULE, may_be_given
from arena.reports.table import shown
from arena.results.accounts import Accounts
from arena.results.inbox import Inbox
from arena.results.site_file import HOST, OwnedBot, OwnedBots
from arena.server.blocks import bot_address
from arena.server.contest.entrants import WITHDRAWN, dropped
from arena.server.library import Library, SubmittedBot
from arena.server.problems import API, MEDIA_JSON, Problem, is_data
from arena.server.rights import log_look, may_manage, owns
from arena.server.running_contest.running import RunningContest
from arena.server.transfer import form_of
from arena.server.views.source import allowed_version, submitted_bot, zip_parts
from arena.server.visitors import Persons, Visitor, visitor_of

RENAMED = "the bot was given another name before this was checked: send it under the new one"
AT_ONCE = 2
"""Bots whose files are looked through at a time, before they are packed: each is in memory then."""


class Managed(msgspec.Struct, frozen=True, kw_only=True):
    """What is so of a bot now."""

    name: str
    withdrawn: bool
    """Whether it plays no new matches until a new version is submitted."""
    published: int | None
    """The version whose source everybody may see."""


class Managing:
    """The handlers of what is done with a bot."""

    def __init__(
        self, library: Library, persons: Persons, accounts: Accounts, owned: OwnedBots, inbox: Inbox,
        contest: RunningContest | None,
    ) -> None:  # fmt: skip
        """`contest`: its ladder is told that something has changed."""
        self._library, self._persons, self._accounts, self._owned = library, persons, accounts, owned
        self._inbox, self._contest = inbox, contest
        self._zips = asyncio.Semaphore(AT_ONCE)

    def routes(self) -> list[BaseRoute]:
        """All addresses."""
        acts: dict[str, _Act] = {
            "withdraw": self._withdraw, "rename": self._rename, "publish": self._publish, "give": self._give
        }  # fmt: skip
        routes: list[BaseRoute] = [
            Route(f"{before}/bots/{{name}}/{act}", self._handler(do), methods=["POST"])
            for act, do in acts.items()
            for before in ("", API)
        ]
        return [*routes, Route("/bots/{name}/source.zip", self.packed), Route(f"{API}/bots/{{name}}/source.zip", self.packed)]

    async def packed(self, request: Request) -> Response:
        """The source of a version as a zip, packed while it is sent: who reads slowly holds some kilobytes."""
        number = request.query_params.get("v", "")
        if number and not number.isdecimal():
            raise Problem(400, "refusal_bad_parameter", text=f"v: {number!r} is no version")
        async with self._zips:
            found, paths = await run_in_threadpool(self._allowed, request, int(number) if number else None)
        name = f"{found.name}-v{found.version}"
        headers = {"cache-control": "no-store", "content-disposition": f'attachment; filename="{name}.zip"'}
        return StreamingResponse(zip_parts(paths, found.name), headers=headers, media_type="application/zip")

    def _allowed(self, request: Request, version: int | None) -> tuple[Submission, dict[str, Path]]:
        name, visitor = request.path_params["name"], visitor_of(request, self._persons)
        with _told():
            owned = self._owned.of(name)
            found, _ = allowed_version(self._library, visitor, owned, name, version)
            log_look(self._accounts, visitor, owned, found.version)
            submissions = Submissions(self._library.out)
            submissions.files(found)  # they are still what was submitted
            return found, submissions.paths(found)

    def _handler(self, act: "_Act") -> Callable[[Request], Awaitable[Response]]:
        """The handler of an act: it checks who asks, and leads back to the bot's page, or tells a program what is so now."""

        async def answer(request: Request) -> Response:
            fields = await form_of(request)

            def done() -> Managed:
                name, visitor = request.path_params["name"], visitor_of(request, self._persons)
                with _told():
                    bot = submitted_bot(self._library, name)
                    owned = self._owned.of(name)
                    if not may_manage(visitor, owned):
                        raise Problem(403, "refusal_not_your_bot", name=name)
                    name = act(_Asked(name, bot, owned, visitor, fields, is_program=is_data(request.url.path))) or name
                    now, owned = submitted_bot(self._library, name), self._owned.of(name)
                published = None if owned is None else owned.published
                return Managed(name=name, withdrawn=now.withdrawal is not None, published=published)

            managed = await run_in_threadpool(done)
            if self._contest is not None:
                self._contest.look()
            if is_data(request.url.path):
                return Response(msgspec.json.encode(managed), headers={"cache-control": "no-store"}, media_type=MEDIA_JSON)
            return RedirectResponse(bot_address(managed.name), 303)

        return answer

    def _withdraw(self, asked: "_Asked") -> None:
        """Take the bot out of new matches. A page has to say that its reader is sure."""
        if not asked.is_program and asked.fields.get("sure") != "yes":
            raise Problem(400, "refusal_not_sure")
        store = Submissions(self._library.out)
        with dropped(self._inbox, asked.name, WITHDRAWN):
            if store.withdrawal(asked.name) is not None:
                return  # somebody has pressed twice, or another was faster
            store.withdraw(asked.name)
        self._log(asked, "withdraw", f"version {asked.bot.versions[-1].version}")

    def _rename(self, asked: "_Asked") -> str:
        """Give the bot another name; its results stay under the old one. Returns the new name. The log keeps both."""
        new = asked.fields.get("new", "").strip()
        if not may_be_given(new) or new == ALL:
            raise Problem(400, "submit_bad_name", name=shown(new), rule=NEW_NAME_RULE)
        store = Submissions(self._library.out)
        if store.withdrawal(asked.name) is not None:
            raise Problem(409, "refusal_renamed_withdrawn", name=asked.name)
        owner = HOST.id if asked.owned is None else asked.owned.owner
        references = () if self._contest is None else self._contest.contest.reference_bots
        if new in house_bots() or new in references or store.versions(new) or not self._owned.claim(new, owner):
            raise Problem(409, "submit_taken", name=new)
        with dropped(self._inbox, asked.name, RENAMED):
            store.rename(asked.name, new)
        self._accounts.log(asked.visitor.account, "rename", new, f"was {asked.name}")
        return new

    def _publish(self, asked: "_Asked") -> None:
        """Let everybody see the source of one version, or of none."""
        text = asked.fields.get("version", "")
        versions = {str(one.version): one.version for one in asked.bot.versions}
        if text and text not in versions:
            raise Problem(404, "refusal_no_version", name=asked.name, n=shown(text))
        self._owned.publish(asked.name, versions.get(text))
        self._log(asked, "publish" if text else "unpublish", f"version {text}" if text else "")

    def _give(self, asked: "_Asked") -> None:
        """Give the bot to another account; only organisers do."""
        if not asked.visitor.is_organiser:
            raise Problem(403, "refusal_organisers_only")
        account = self._accounts.find(asked.fields.get("account", ""))
        if account is None or account.closed is not None or not account.is_author:
            raise Problem(404, "refusal_no_author", name=repr(shown(asked.fields.get("account", ""))))
        self._owned.give(asked.name, account.id)  # from here on no check enters what another sends
        with dropped(self._inbox, asked.name, "the bot was given to another author before this was checked"):
            pass
        before = "nobody" if asked.owned is None else asked.owned.owner_name or HOST.name
        self._accounts.log(asked.visitor.account, "give", asked.name, f"from {before} to {account.name}")

    def _log(self, asked: "_Asked", what: str, details: str) -> None:
        """Note what an organiser does to the bot of somebody else."""
        if not owns(asked.visitor, asked.owned):
            self._accounts.log(asked.visitor.account, what, asked.name, details)


@dataclass(frozen=True)
class _Asked:
    """Something to do with a bot."""

    name: str
    bot: SubmittedBot
    owned: OwnedBot | None
    visitor: Visitor
    fields: dict[str, str]
    is_program: bool


_Act = Callable[[_Asked], str | None]
"""What is done with a bot; returns its name, if it has another one now."""


@contextlib.contextmanager
def _told() -> Iterator[None]:
    """Tell whoever asks what cannot be read or written."""
    try:
        yield
    except (StoreError, OSError) as error:
        raise Problem(500, "refusal_unreadable", text=error) from None
