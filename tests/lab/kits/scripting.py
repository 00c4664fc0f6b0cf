"""The types of the languages that have a JSON reader and need no code to use one: Python, TypeScript, JavaScript, Go."""

from lab.kits.schema import FLAG, INTEGER, JSON, NUMBER, TEXT, Field, Protocol, Record
from lab.kits.texts import WRITTEN, comment, title

LINE = 128  # characters of a line of Python, as everywhere here
_PYTHON = {INTEGER: "int", NUMBER: "float", TEXT: "str", FLAG: "bool", JSON: "dict[str, Any]"}
_TYPESCRIPT = {INTEGER: "number", NUMBER: "number", TEXT: "string", FLAG: "boolean", JSON: "Record<string, unknown>"}
_GO = {INTEGER: "int64", NUMBER: "float64", TEXT: "string", FLAG: "bool", JSON: "json.RawMessage"}


def python(protocol: Protocol) -> str:
    """messages.py: what json.loads gives, as TypedDicts."""
    lines = [f'"""{title(protocol)}. {WRITTEN}"""', "", "from typing import Any, Literal, NotRequired, TypedDict", ""]
    for name in protocol.choices:
        lines += [f"{name} = str | int  # the text of a legal action, or its index in `legal`"]
    for record in protocol.records:
        if record.is_row:
            kinds = [_PYTHON[field.kind] + ("" if field.is_needed else " | None") for field in record.fields]
            lines += ["", "", *comment("# ", record.about), f"{record.name} = tuple[{', '.join(kinds)}]"]
            continue
        lines += ["", "", f"class {record.name}(TypedDict):", *_docstring(record.about), ""]
        lines += [f'    type: Literal["{record.tag}"]'] if record.tag else []
        for field in record.fields:
            kind = _listed(field, _PYTHON, "list[{}]")
            lines.append(f"    {field.name}: {kind if field.is_needed else f'NotRequired[{kind}]'}")
    return "\n".join([*lines, "", "", f"Request = {' | '.join(one.name for one in protocol.requests)}", ""])


def _docstring(about: str) -> list[str]:
    whole = f'    """{about}"""'
    return [whole] if len(whole) <= LINE else [*comment("    ", f'"""{about}'), '    """']


def typescript(protocol: Protocol) -> str:
    """messages.ts: interfaces."""
    lines = [f"// {title(protocol)}. {WRITTEN}", ""]
    for name in protocol.choices:
        lines += ["/** The text of a legal action, or its index in `legal`. */", f"export type {name} = string | number;", ""]
    for record in protocol.records:
        lines += _documented(record.about)
        if record.is_row:
            lines += [f"export type {record.name} = {_tuple(record)};", ""]
            continue
        lines.append(f"export interface {record.name} {{")
        lines += [f'  type: "{record.tag}";'] if record.tag else []
        for field in record.fields:
            lines.append(f"  {field.name}{'' if field.is_needed else '?'}: {_listed(field, _TYPESCRIPT, '{}[]')};")
        lines += ["}", ""]
    return "\n".join([*lines, f"export type Request = {' | '.join(one.name for one in protocol.requests)};", ""])


def javascript(protocol: Protocol) -> str:
    """messages.js: type definitions in comments, which editors and `tsc --checkJs` read."""
    lines = [f"// {title(protocol)}. {WRITTEN}", "", '"use strict";', ""]
    for name in protocol.choices:
        lines += [f"/** @typedef {{string | number}} {name} The text of a legal action, or its index in `legal`. */", ""]
    for record in protocol.records:
        kind = _tuple(record) if record.is_row else "Object"
        lines += ["/**", *comment(" * ", record.about), f" * @typedef {{{kind}}} {record.name}"]
        if not record.is_row:
            lines += [f' * @property {{"{record.tag}"}} type'] if record.tag else []
            for field in record.fields:
                name = field.name if field.is_needed else f"[{field.name}]"
                lines.append(f" * @property {{{_listed(field, _TYPESCRIPT, '{}[]')}}} {name}")
        lines += [" */", ""]
    requests = " | ".join(one.name for one in protocol.requests)
    return "\n".join([*lines, f"/** @typedef {{{requests}}} Request */", "", "module.exports = {};", ""])


def go(protocol: Protocol) -> str:
    """messages.go: structs for encoding/json."""
    lines = ["// Code generated from protocol.schema.json; DO NOT EDIT.", f"// {title(protocol)}.", ""]
    lines += ["package main", "", 'import "encoding/json"', ""]
    for name in protocol.choices:
        lines += [f"// {name} is the text of a legal action (string), or its index in `legal` (int).", f"type {name} any", ""]
    for record in protocol.records:
        lines += [*comment("// ", f"{record.name}: {record.about}"), f"type {record.name} struct {{"]
        names = [_exported(field.name) for field in record.fields]
        kinds = [_go_kind(field) for field in record.fields]
        widths = max(map(len, names)), max(map(len, kinds))
        for field, name, kind in zip(record.fields, names, kinds):
            key = f'`json:"{field.name}{"" if field.is_needed else ",omitempty"}"`'
            tag = "" if record.is_row else key
            lines.append(f"\t{name:<{widths[0]}} {kind:<{widths[1]}} {tag}".rstrip())
        lines += ["}", ""]
        if record.is_row and record.is_reply:
            values = ", ".join(f"row.{name}" for name in names)
            lines += [f"// MarshalJSON writes a row: [{', '.join(field.name for field in record.fields)}]."]
            lines += [f"func (row {record.name}) MarshalJSON() ([]byte, error) {{"]
            lines += [f"\treturn json.Marshal([]any{{{values}}})", "}", ""]
        elif record.is_row:
            places = ", ".join(f"&row.{name}" for name in names)
            lines += [f"// UnmarshalJSON reads a row: [{', '.join(field.name for field in record.fields)}]."]
            lines += [f"func (row *{record.name}) UnmarshalJSON(data []byte) error {{"]
            lines += [f"\treturn json.Unmarshal(data, &[]any{{{places}}})", "}", ""]
    return "\n".join(lines).rstrip() + "\n"


def _go_kind(field: Field) -> str:
    kind = _GO.get(field.kind, field.kind)
    if field.is_list:
        return f"[]{kind}"
    return kind if field.is_needed or field.default is not None else f"*{kind}"


def _exported(name: str) -> str:
    return "ID" if name == "id" else name.capitalize()


def _tuple(record: Record) -> str:
    kinds = [_TYPESCRIPT[field.kind] + ("" if field.is_needed else " | null") for field in record.fields]
    return f"[{', '.join(f'{field.name}: {kind}' for field, kind in zip(record.fields, kinds))}]"


def _documented(about: str) -> list[str]:
    lines = comment(" * ", about)
    return [f"/**{lines[0][2:]} */"] if len(lines) == 1 else ["/**", *lines, " */"]


def _listed(field: Field, kinds: dict[str, str], form: str) -> str:
    kind = kinds.get(field.kind, field.kind)
    return form.format(kind) if field.is_list else kind
