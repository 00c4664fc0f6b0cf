"""The description of the JSON addresses, made from the types that answer: it cannot say anything else than they do."""

import inspect
from collections.abc import Iterator
from typing import Any

import msgspec

import arena
from arena.site.live.messages import HomeNews, Snapshot, Trouble, Update, Watch
from arena.site.problems import Failure
from arena.site.routes import EMBEDDED, SUBJECTS, Subject

PATH = "/api/openapi.json"
_REFERENCE = "#/components/schemas/{name}"
_SOCKET = (Watch, Snapshot, Update, HomeNews, Trouble)
_ABOUT = """\
Results of card-game tournaments, read only. Send the token that `arena serve` prints as `Authorization: Bearer TOKEN`;
addresses below `/embed/` need none. Boards that move: a WebSocket at `/live`, which takes messages of the type `Watch` and
sends `Snapshot`, `Update`, `HomeNews` and `Trouble`.
"""


def document() -> dict[str, Any]:
    """The OpenAPI 3.1 document of all JSON addresses."""
    described = [*((f"/api{subject.path}".rstrip("/"), subject) for subject in SUBJECTS), *_embedded()]
    types = [subject.answer for _, subject in described] + [Failure, *_SOCKET]
    schemas, components = msgspec.json.schema_components(list(dict.fromkeys(types)), ref_template=_REFERENCE)
    references = dict(zip(dict.fromkeys(types), schemas))
    return {
        "openapi": "3.1.0",
        "info": {"title": "arena", "version": arena.__version__, "description": _ABOUT},
        "paths": {_without_kinds(path): {"get": _operation(subject, references)} for path, subject in described},
        "components": {
            "schemas": {name: components[name] for name in sorted(components)},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}],
    }


def _embedded() -> Iterator[tuple[str, Subject]]:
    for subject in EMBEDDED:
        yield f"{subject.path}.json", subject


def _operation(subject: Subject, references: dict[type, Any]) -> dict[str, Any]:
    failure = {"description": "What is wrong.", "content": {"application/json": {"schema": references[Failure]}}}
    found = {
        "summary": subject.about,
        "parameters": [*_places(subject.path), *_parameters(subject.query)],
        "responses": {
            "200": {
                "description": inspect.cleandoc(subject.answer.__doc__ or ""),
                "content": {"application/json": {"schema": references[subject.answer]}},
            },
            "default": failure,
        },
    }
    return found | ({"security": []} if subject in EMBEDDED else {})


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
