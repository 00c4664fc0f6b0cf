"""What the frame of every page needs to know of the request: who asks, and where the navigation leads."""

from typing import Any

from starlette.requests import Request

from arena.results.site_file import Account
from arena.server.routes import SUBJECTS
from arena.server.sign_in.header import SIGNED_IN

_THERE = {subject.path for subject in SUBJECTS}
NOBODY = "nobody"
"""The access of a visitor without a session."""


def frame_of(request: Request, came_in: Account | None = None) -> dict[str, Any]:
    """The values for the frame of a page: `access`, `account`, `contest`, `nav` (addresses, each with the key of its word), and
    `is_signed_in`, whether a proxy says who asks.

    `access`: how much of the server the visitor may see: `all`, what a `guest` of a table may, or what `nobody` is kept from.
    `came_in`: whoever comes in with this very request.
    """
    state = request.scope.get("state", {})
    access = NOBODY if state.get("session") is None else "guest" if state.get("is_guest") else "all"
    if came_in is not None:
        access = "all"
    contest = getattr(request.app.state.server, "contest", None)
    account: Account | None = came_in or state.get("account")
    return {
        "access": access, "account": account, "contest": contest, "origin": origin_of(request),
        "is_signed_in": state.get(SIGNED_IN) is not None,
        "nav": _navigation(access, account, has_contest=contest is not None),
    }  # fmt: skip


def origin_of(request: Request) -> str:
    """The server as the one who asks reaches it, without a path."""
    return f"{request.url.scheme}://{request.headers.get('host', '')}"


def _navigation(access: str, account: Account | None, *, has_contest: bool) -> list[tuple[str, str]]:
    if access == "guest":
        return [("/rules", "nav_rules")]
    if account is None:
        return []
    found = [("/", "nav_boards"), ("/bots", "nav_bots"), ("/play", "nav_play"), ("/rules", "nav_rules"), ("/tv", "nav_tv")]
    if has_contest:
        found.append(("/marks", "nav_marks"))
    if account.is_author:
        found += [("/me", "nav_me"), ("/ask", "nav_ask")]
    if account.is_organiser:
        found.append(("/admin", "nav_admin"))
    return [one for one in found if one[0] in _THERE]
