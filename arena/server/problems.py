"""What cannot be answered, as a status and a sentence: a page for people, JSON below `/api`."""

from collections.abc import Callable

import msgspec
from starlette.responses import Response

from arena.reports.pages.words import filled, server_words
from arena.reports.table import LANGUAGES

API, DATA = "/api", ".json"

MEDIA_JSON = "application/json"
FEED = "/feed.atom"
"""The address that programs ask for which know passwords, and no tokens."""


class Problem(Exception):
    """A request that is not answered: the HTTP status, and a sentence that says why and what would be right."""

    def __init__(self, status: int, why: str, *, wait: int | None = None, **values: object) -> None:
        """`why`: the sentence in the catalogue of the pages; `values`: what it is filled with.

        `wait`: how many seconds to wait before the same may be asked again, in the sentence `{seconds}`.
        """
        super().__init__(why)
        self.status, self.why = status, why
        self.seconds = wait
        self.values = values if wait is None else {**values, "seconds": wait}
        """What the sentence, and the page, are filled with."""

    @property
    def message(self) -> str:
        """The sentence in English, for programs and terminals."""
        return self.said(LANGUAGES[0])

    def said(self, language: str) -> str:
        """The sentence in a language."""
        return filled(server_words(language)[self.why], self.values)


class Failure(msgspec.Struct, frozen=True, omit_defaults=True):
    """The JSON of every answer that is none."""

    error: str
    """What is wrong, and what would be right."""
    seconds: int | None = None
    """How long to wait before the same may be asked again, where that is known."""


def is_data(path: str) -> bool:
    """Return whether the answer at an address is JSON."""
    return path == API or path.startswith(f"{API}/") or path.endswith(DATA)


def answer_of(
    problem: Problem, path: str, page: Callable[[Problem], str] | None = None, language: str = LANGUAGES[0]
) -> Response:
    """The answer that tells of a problem: JSON below `/api`, else a page or, where none can be made, plain text."""
    headers = {"cache-control": "no-store"}
    if problem.status == 429:
        headers["retry-after"] = str(problem.seconds or 5)
    if problem.status == 401:
        headers["www-authenticate"] = 'Basic realm="arena", charset="UTF-8"' if path == FEED else "Bearer"
    if is_data(path):
        return Response(
            msgspec.json.encode(Failure(problem.said(language), problem.seconds)), problem.status, headers, MEDIA_JSON
        )
    if page is not None:
        return Response(page(problem), problem.status, headers, "text/html")
    return Response(f"{problem.status}: {problem.message}\n", problem.status, headers, "text/plain")
