"""The description of the JSON addresses, made from the types that answer: it cannot say anything else than they do."""

import inspect
from collections.abc import Iterator
from functools import cache
from typing import Any, get_args

import msgspec

import arena
from arena.server.accounts import Changed, Invitation, JoinLink, Nothing
from arena.server.asking.handlers import ASKING, AskedFor
from arena.server.asking.match_request import MatchRequest
from arena.server.live_board.channel import Alive, HomeNews, Snapshot, Trouble, Update, Watch
from arena.server.playing import OPENING, Opened
from arena.server.problems import Failure
from arena.server.routes import EMBEDDED, SUBJECTS, Subject
from arena.server.submitting.receiving import PATH as RECEIVING
from arena.server.table_process.messages import FromPerson, ToPerson
from arena.server.tables.plan import Opening
from arena.server.views.submissions import Submitted

PATH = "/api/openapi.json"
_REFERENCE = "#/components/schemas/{name}"
_SOCKET = (Watch, Alive, Snapshot, Update, HomeNews, Trouble)
_TABLE_SOCKET = (*get_args(FromPerson), *get_args(ToPerson))
_ABOUT = """\
Results of card-game tournaments, and tables to play at. Send the token that `arena serve` prints, or one of your account, as
`Authorization: Bearer TOKEN`; addresses below `/embed/` and `/api/join/` need none. Boards that move: a WebSocket at `/live`,
which takes messages of the type `Watch` and sends `Snapshot`, `Update`, `HomeNews`, `Trouble` and `Alive`. A live table: a
WebSocket at `/tables/ID/socket`, which takes `Act`, `Advise`, `Ping`, `Start` and `Leave` and sends `Welcome`, `Notice`,
`Pong`, `Frame`, `Ask`, `Hint`, `Refused`, `Over` and `Luck`; the cookie that came when the table was opened or joined says
who you are.
"""


@cache
def encoded() -> bytes:
    """The document as it is sent."""
    return msgspec.json.encode(document())


def document() -> dict[str, Any]:
    """The OpenAPI 3.1 document of all JSON addresses."""
    described = [*((f"/api{subject.path}".rstrip("/"), subject) for subject in SUBJECTS), *_embedded()]
    types = [subject.answer for _, subject in described] + [Failure, *_SOCKET, *_TABLE_SOCKET]
    types += [Opening, Opened, MatchRequest, AskedFor, Submitted, Invitation, list[JoinLink], Changed, Nothing]
    schemas, components = msgspec.json.schema_components(list(dict.fromkeys(types)), ref_template=_REFERENCE)
    references = dict(zip(dict.fromkeys(types), schemas))
    paths: dict[str, Any] = {_without_kinds(path): {"get": _operation(subject, references)} for path, subject in described}
    paths.setdefault(RECEIVING, {})["put"] = _receiving(references)
    paths.setdefault(OPENING, {})["post"] = _making("Open a table to play at.", Opening, Opened, references)
    paths.setdefault(ASKING, {})["post"] = _making("Ask for a match of any bots, at once.", MatchRequest, AskedFor, references)
    return {
        "openapi": "3.1.0",
        "info": {"title": "arena", "version": arena.__version__, "description": _ABOUT},
        "paths": {**paths, **_organising(references)},
        "components": {
            "schemas": {name: _plain(components[name]) for name in sorted(components)},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _plain(schema: dict[str, Any]) -> dict[str, Any]:
    """A schema as it is sent: a default that is a tuple is a list there."""
    found: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(schema))
    return found


def _embedded() -> Iterator[tuple[str, Subject]]:
    for subject in EMBEDDED:
        yield f"{subject.path}.json", subject


def _operation(subject: Subject, references: dict[type, Any]) -> dict[str, Any]:
    found = {
        "summary": subject.about,
        "parameters": [*_places(subject.path), *_parameters(subject.query)],
        "responses": {
            "200": {
                "description": inspect.cleandoc(subject.answer.__doc__ or ""),
                "content": {"application/json": {"schema": references[subject.answer]}},
            },
            "default": _failure(references),
        },
    }
    return found | ({"security": []} if subject in EMBEDDED or subject.path.startswith("/join/") else {})


def _making(summary: str, sent: type, answer: type, references: dict[type, Any]) -> dict[str, Any]:
    """A POST of JSON by which something is made."""
    return {
        "summary": summary,
        "requestBody": {"required": True, "content": {"application/json": {"schema": references[sent]}}},
        "responses": {
            "201": {
                "description": inspect.cleandoc(answer.__doc__ or ""),
                "content": {"application/json": {"schema": references[answer]}},
            },
            "default": _failure(references),
        },
    }


def _receiving(references: dict[type, Any]) -> dict[str, Any]:
    return {
        "summary": "Submit the next version of a bot: the body is a .py file, or a zip of the bot's folder.",
        "parameters": list(_places(RECEIVING)),
        "requestBody": {"required": True, "content": {"application/octet-stream": {}}},
        "responses": {
            "201": {
                "description": inspect.cleandoc(Submitted.__doc__ or ""),
                "content": {"application/json": {"schema": references[Submitted]}},
            },
            "default": _failure(references),
        },
    }


def _organising(references: dict[Any, Any]) -> dict[str, Any]:
    """Return what organisers do to accounts."""
    acts: tuple[tuple[str, str, Any, Any, str], ...] = (
        ("invite", "Make join links; each works once, and is told only here.", Invitation, list[JoinLink], "201"),
        ("role", "Let an account do more, or less.", Changed, Nothing, "200"),
        ("close", "Close an account, with all its sessions, tokens and tables.", Changed, Nothing, "200"),
        ("rename", "Mend the name of an account that nobody has played under yet.", Changed, Nothing, "200"),
        ("reopen", "Open a closed account again; it needs a new link.", Changed, Nothing, "200"),
    )
    return {
        f"/api/admin/{act}": {
            "post": {
                "summary": summary,
                "requestBody": {"required": True, "content": {"application/json": {"schema": references[sent]}}},
                "responses": {
                    status: {"description": "Done.", "content": {"application/json": {"schema": references[answer]}}},
                    "default": _failure(references),
                },
            }
        }
        for act, summary, sent, answer, status in acts
    }


def _failure(references: dict[type, Any]) -> dict[str, Any]:
    return {"description": "What is wrong.", "content": {"application/json": {"schema": references[Failure]}}}


def _places(path: str) -> Iterator[dict[str, Any]]:
    for part in path.split("/"):
        if part.startswith("{"):
            yield {"name": _without_kinds(part).strip("{}"), "in": "path", "required": True, "schema": {"type": "string"}}


def _parameters(query: type[msgspec.Struct]) -> Iterator[dict[str, Any]]:
    (schema,), components = msgspec.json.schema_components([query], ref_template=_REFERENCE)

    def inlined(kind: dict[str, Any]) -> dict[str, Any]:
        """A schema with its references replaced: types of parameters are no components of the document."""
        if "$ref" in kind:
            return inlined(components[kind["$ref"].rpartition("/")[2]])
        return kind | ({"anyOf": [inlined(one) for one in kind["anyOf"]]} if "anyOf" in kind else {})

    own = inlined(schema)
    for name, kind in own.get("properties", {}).items():
        yield {"name": name, "in": "query", "required": name in own.get("required", ()), "schema": inlined(kind)}


def _without_kinds(path: str) -> str:
    """A path as OpenAPI writes it: a part that may hold slashes looks as any other."""
    return path.replace(":path}", "}")
