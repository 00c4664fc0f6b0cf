"""What organisers ask of a contest: its marks as CSV, and that they are frozen now."""

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from arena.errors import StoreError
from arena.results.accounts import Accounts
from arena.results.site_file import OwnedBots
from arena.server.login import Confirming
from arena.server.problems import Problem
from arena.server.running_contest.running import RunningContest
from arena.server.transfer import form_of
from arena.server.views.contest import contest_of, marks_csv
from arena.server.visitors import Persons, Visitor, visitor_of


class Freezing:
    """The handlers of the marks."""

    def __init__(
        self, contest: RunningContest | None, persons: Persons, accounts: Accounts, owned: OwnedBots, confirming: Confirming
    ) -> None:
        self._contest, self._persons, self._accounts, self._owned = contest, persons, accounts, owned
        self._confirming = confirming

    def routes(self) -> list[BaseRoute]:
        """All addresses."""
        return [Route("/marks.csv", self.exported), Route("/marks/freeze", self.frozen, methods=["POST"])]

    async def exported(self, request: Request) -> Response:
        """The marks for a spreadsheet."""
        text = await run_in_threadpool(self._exported, request)
        name = contest_of(self._contest).contest.name
        headers = {"cache-control": "no-store", "content-disposition": f'attachment; filename="marks-{name}.csv"'}
        return Response(text, headers=headers, media_type="text/csv")

    def _exported(self, request: Request) -> str:
        self._organiser(request)
        contest = contest_of(self._contest)
        try:
            authors = [one.account for one in self._accounts.members() if one.account.role == "author"]
            return marks_csv(contest.marks.now(), self._owned, (one for one in authors if one.closed is None))
        except StoreError as error:
            raise Problem(500, "refusal_unreadable", text=error) from None

    async def frozen(self, request: Request) -> Response:
        """Have the marks frozen now. A page has to say that its reader is sure: it cannot be undone."""
        fields = await form_of(request)
        visitor = await run_in_threadpool(self._organiser, request)
        contest = contest_of(self._contest)
        if fields.get("sure") != "yes":
            raise Problem(400, "refusal_not_sure")
        if (asked := await self._confirming.page(request, fields)) is not None:
            return asked
        await run_in_threadpool(self._accounts.log, visitor.account, "freeze", contest.contest.name)
        contest.freeze()
        return RedirectResponse("/marks", 303)

    def _organiser(self, request: Request) -> Visitor:
        visitor = visitor_of(request, self._persons)
        if not visitor.is_organiser:
            raise Problem(403, "refusal_organisers_only")
        return visitor
