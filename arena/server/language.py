"""In which language a browser reads: the one it chose on a page, else the first that it says it understands."""

from starlette.requests import HTTPConnection

from arena.reports.table import LANGUAGES
from arena.server.cookies import cookie

QUERY, COOKIE = "lang", "arena_lang"


def language(connection: HTTPConnection) -> str:
    """The language of a page: `?lang=`, then the cookie, then `Accept-Language`, then English."""
    for wanted in (connection.query_params.get(QUERY), cookie(connection.headers.get("cookie", ""), COOKIE)):
        if wanted in LANGUAGES:
            return wanted
    return accepted(connection.headers.get("accept-language", ""))


def accepted(header: str) -> str:
    """The best language of an `Accept-Language` header; English if it names none of ours.

    >>> accepted("de, ja;q=0.8, en;q=0.5"), accepted("en-GB,ja;q=0.1"), accepted("")
    ('ja', 'en', 'en')
    """
    weighed = [_weighed(part) for part in header[:500].split(",")]
    known = [(weight, -place, name) for place, (name, weight) in enumerate(weighed) if name in LANGUAGES and weight > 0]
    return max(known)[2] if known else LANGUAGES[0]


def _weighed(part: str) -> tuple[str, float]:
    name, _, parameters = part.strip().partition(";")
    weight = parameters.strip().removeprefix("q=")
    try:
        return name.partition("-")[0].lower(), float(weight) if weight else 1.0
    except ValueError:
        return name, 0.0
