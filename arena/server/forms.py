"""Bodies of requests: short, and in time."""

import asyncio
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request

from arena.server import deadlines
from arena.server.problems import Problem

LONGEST_FORM = 16 * 1024
"""Bytes of a form, or of a table that a program wants to open."""
_MOST_FIELDS = 200


async def body_of(request: Request, most: int = LONGEST_FORM) -> bytes:
    """The body of a request. Raises Problem for one that is too long, too slow, or cut off."""
    body = b""
    try:
        async with asyncio.timeout(deadlines.BODY_SECONDS):
            async for part in request.stream():
                body += part
                if len(body) > most:
                    raise Problem(413, "refusal_long_form", most=f"{most:,}")
    except ClientDisconnect:
        raise Problem(400, "refusal_bad_form") from None
    except TimeoutError:
        raise Problem(408, "refusal_slow_form") from None
    return body


async def form_of(request: Request, most: int = LONGEST_FORM) -> dict[str, str]:
    """The fields of a form by name; of several of one name the first. Raises Problem for one that is none."""
    body = await body_of(request, most)
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, errors="strict", max_num_fields=_MOST_FIELDS)
    except ValueError:
        raise Problem(400, "refusal_bad_form") from None
    return dict(reversed(pairs))
