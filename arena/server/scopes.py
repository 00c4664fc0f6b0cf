"""What a program may ask for with its token. What is not listed asks for the widest scope; some acts no token does."""

import re
from collections.abc import Mapping
from typing import Any

from arena.results.accounts import Scope
from arena.server.problems import Problem

BY_NO_TOKEN = ("/login", "/logout", "/invite", "/account", "/admin", "/api/admin", "/marks/freeze")
"""How the paths begin where who logs in, and with what, is changed, or what cannot be undone: a person does that."""
_LOOKED_AT = ("GET", "HEAD", "OPTIONS")
_SENT = re.compile(r"/api/bots/[^/]+|(/api)?/(ask|play|tables|join)(/.*)?|/remote/socket")
_ORDER = tuple(Scope)


def beyond(scope: Scope, request: Mapping[str, Any]) -> Problem | None:
    """What keeps out a request that comes with a token of this scope; `request`: of HTTP or a socket, as ASGI has it."""
    path: str = request["path"]
    if request["type"] == "websocket":
        needed = Scope.SEND if _SENT.fullmatch(path) else Scope.LOOK
    elif request["method"] in _LOOKED_AT:
        needed = Scope.LOOK
    elif path.startswith(BY_NO_TOKEN):
        return Problem(403, "refusal_needs_session")
    else:
        needed = Scope.SEND if _SENT.fullmatch(path) else Scope.MANAGE
    if _ORDER.index(scope) >= _ORDER.index(needed):
        return None
    return Problem(403, "refusal_scope", has=scope.value, needs=needed.value)
