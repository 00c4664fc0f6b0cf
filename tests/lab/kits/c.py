"""The types of the kit in C, with what reads them from its own JSON values and writes the replies."""

from lab.kits.schema import FLAG, INTEGER, JSON, NUMBER, TEXT, Field, Protocol, Record
from lab.kits.texts import WRITTEN, comment, title

_KINDS = {INTEGER: "long long ", NUMBER: "double ", TEXT: "const char *", FLAG: "int ", JSON: "const struct json *"}
_READ = {
    INTEGER: "json_as_integer",
    NUMBER: "json_as_number",
    TEXT: "json_as_text",
    FLAG: "json_as_flag",
    JSON: "json_as_object",
}
_WRITE = {INTEGER: "json_write_integer", NUMBER: "json_write_number", TEXT: "json_write_text", FLAG: "json_write_flag"}


def header(protocol: Protocol) -> str:
    """messages.h."""
    lines = [f"/* {title(protocol)}. {WRITTEN} */", "#ifndef MESSAGES_H", "#define MESSAGES_H", ""]
    lines += ["#include <stddef.h>", "#include <stdio.h>", "", '#include "json.h"', ""]
    for name in map(str.lower, protocol.choices):
        lines += ["/* The text of a legal action, or (text is NULL) its index in `legal`. */"]
        lines += [f"struct {name} {{", "    const char *text;", "    long long index;", "};", ""]
    for record in protocol.records:
        lines += [*_documented(record.about), f"struct {record.name.lower()} {{"]
        for field in record.fields:
            lines += [f"    {line};" for line in _members(field)]
        lines += ["};", ""]
    readers = [f"{_reader_head(record)};" for record in protocol.records if not record.is_reply]
    writers = [f"{_writer_head(record)};" for record in protocol.records if record.is_reply]
    lines += [
        "/* Each returns 0 where the value is no such message. What is read lasts until the next line is read. */",
        *readers,
        "",
    ]
    lines += ["/* Each writes a reply without the line feed. */", *writers, "", "#endif"]
    return "\n".join(lines) + "\n"


def source(protocol: Protocol) -> str:
    """messages.c."""
    lines = [f"/* {title(protocol)}. {WRITTEN} */", "", '#include "messages.h"', ""]
    for name in map(str.lower, protocol.choices):
        lines += [f"static void write_{name}(FILE *out, const struct {name} *from) {{"]
        lines += [
            "    if (from->text) json_write_text(out, from->text);",
            "    else json_write_integer(out, from->index);",
            "}",
            "",
        ]
    for record in protocol.records:
        lines += _writer(record) if record.is_reply else _reader(record)
    return "\n".join(lines).rstrip() + "\n"


def _members(field: Field) -> list[str]:
    kind = _KINDS.get(field.kind, f"struct {field.kind.lower()} ")
    if field.is_list:
        rows = kind if kind.startswith("const") else f"const {kind}"
        return [f"{rows}{'const *' if kind.endswith('*') else '*'}{field.name}", f"size_t {field.name}_count"]
    given = [] if field.is_needed or field.default is not None else [f"int has_{field.name}"]
    return [*given, f"{kind}{field.name}"]


def _reader_head(record: Record) -> str:
    name = record.name.lower()
    return f"int read_{name}(const struct json *from, struct {name} *into)"


def _writer_head(record: Record) -> str:
    name = record.name.lower()
    return f"void write_{name}(FILE *out, const struct {name} *from)"


def _reader(record: Record) -> list[str]:
    lines: list[str] = []
    steps = []
    for place, field in enumerate(record.fields):
        value = f"json_at(from, {place})" if record.is_row else f'json_get(from, "{field.name}")'
        if field.is_list:
            lines += _list_reader(record, field)
            steps.append(f"read_{field.name}({value}, into)")
        elif field.default is not None:
            steps.append(f"(!{value} || {_read(field)}({value}, &into->{field.name}))")
        else:
            steps.append(f"{_read(field)}({value}, &into->{field.name})")
    lines += [f"{_reader_head(record)} {{"]
    lines += [f"    into->{field.name} = {field.default};" for field in record.fields if field.default is not None]
    joined = "\n        && ".join(steps)
    return [*lines, f"    return {joined};", "}", ""]


def _read(field: Field) -> str:
    return _READ.get(field.kind, f"read_{field.kind.lower()}")


def _list_reader(record: Record, field: Field) -> list[str]:
    kind, name = _KINDS.get(field.kind, f"struct {field.kind.lower()} "), field.name
    return [
        f"static int read_{name}(const struct json *from, struct {record.name.lower()} *into) {{",
        "    size_t place = 0;",
        "    if (!from || from->kind != JSON_LIST) return 0;",
        f"    {kind}*items = json_take(from->count * sizeof *items);",
        "    if (!items) return 0;",
        "    for (const struct json *item = from->first; item; item = item->next)",
        f"        if (!{_read(field)}(item, &items[place++])) return 0;",
        f"    into->{name} = items;",
        f"    into->{name}_count = from->count;",
        "    return 1;",
        "}",
        "",
    ]


def _writer(record: Record) -> list[str]:
    begin, end = ("[", "]") if record.is_row else ("{", "}")
    lines = [f"{_writer_head(record)} {{"]
    for place, field in enumerate(record.fields):
        key = ("" if place else begin) + (", " if place else "")
        key += "" if record.is_row else f'\\"{field.name}\\": '
        name = field.name
        if field.is_list:
            lines += [f"    if (from->{name}_count) {{", f'        fputs("{key}[", out);']
            lines += [f"        for (size_t place = 0; place < from->{name}_count; place++) {{"]
            lines += [
                '            if (place) fputs(", ", out);',
                f"            write_{field.kind.lower()}(out, &from->{name}[place]);",
            ]
            lines += ["        }", '        fputs("]", out);', "    }"]
            continue
        lines.append(f'    fputs("{key}", out);')
        if field.kind not in _WRITE:
            lines.append(f"    write_{field.kind.lower()}(out, &from->{name});")
        elif field.is_needed:
            lines.append(f"    {_WRITE[field.kind]}(out, from->{name});")
        else:
            lines += [f"    if (from->has_{name}) {_WRITE[field.kind]}(out, from->{name});", '    else fputs("null", out);']
    return [*lines, f'    fputs("{end}", out);', "}", ""]


def _documented(about: str) -> list[str]:
    lines = comment(" * ", about)
    return ["/*" + lines[0][2:], *lines[1:-1], lines[-1] + " */"] if len(lines) > 1 else [f"/*{lines[0][2:]} */"]
