"""The types of the kit in Java, with what reads them from its own JSON values and writes the replies."""

from lab.kits.schema import FLAG, INTEGER, JSON, NUMBER, TEXT, Field, Protocol, Record
from lab.kits.texts import WRITTEN, comment, title

_KINDS = {INTEGER: "long", NUMBER: "double", TEXT: "String", FLAG: "boolean", JSON: "Json"}
_BOXED = {"long": "Long", "double": "Double", "boolean": "Boolean"}
_READ = {INTEGER: "{}.integer()", NUMBER: "{}.number()", TEXT: "{}.text()", FLAG: "{}.flag()", JSON: "{}.object()"}
_REFERENCES = {INTEGER: "Json::integer", NUMBER: "Json::number", TEXT: "Json::text", FLAG: "Json::flag"}


def java(protocol: Protocol) -> str:
    """Messages.java."""
    lines = [
        f"// {title(protocol)}. {WRITTEN}",
        "",
        "import java.util.List;",
        "",
        "final class Messages {",
        "    private Messages() {}",
        "",
    ]
    for name in protocol.choices:
        lines += ["    /** The text of a legal action, or (text is null) its index in `legal`. */"]
        lines += [f"    record {name}(String text, long index) {{"]
        lines += [f"        static {name} text(String text) {{", f"            return new {name}(text, 0);", "        }", ""]
        lines += [
            f"        static {name} index(long index) {{",
            f"            return new {name}(null, index);",
            "        }",
            "",
        ]
        lines += [
            "        Json write() {",
            "            return text == null ? Json.of(index) : Json.of(text);",
            "        }",
            "    }",
            "",
        ]
    for record in protocol.records:
        about = comment("     * ", record.about)
        lines += ["    /**", *about, "     */"]
        parts = ", ".join(f"{_kind(field)} {field.name}" for field in record.fields)
        lines += [
            f"    record {record.name}({parts}) {{",
            *(_writer(record) if record.is_reply else _reader(record)),
            "    }",
            "",
        ]
    return "\n".join(lines).rstrip() + "\n}\n"


def _reader(record: Record) -> list[str]:
    """A static function that throws IllegalArgumentException where the value is another one."""
    values = []
    for place, field in enumerate(record.fields):
        source = f"json.at({place})" if record.is_row else f'json.get("{field.name}")'
        if field.is_list:
            one = _REFERENCES.get(field.kind, f"{field.kind}::read")
            values.append(f"{source}.list().stream().map({one}).toList()")
        elif field.default is not None:
            values.append(f'json.has("{field.name}") ? {_read(source, field)} : {field.default}')
        else:
            values.append(_read(source, field))
    lines = [f"        static {record.name} read(Json json) {{", f"            return new {record.name}("]
    lines += [f"                    {value}{',' if place < len(values) - 1 else ');'}" for place, value in enumerate(values)]
    return [*lines, "        }"]


def _read(source: str, field: Field) -> str:
    return _READ[field.kind].format(source) if field.kind in _READ else f"{field.kind}.read({source})"


def _writer(record: Record) -> list[str]:
    lines = ["        Json write() {", "            Json json = Json." + ("listOf();" if record.is_row else "objectOf();")]
    for field in record.fields:
        put = "json.add({});" if record.is_row else f'json.put("{field.name}", {{}});'
        if field.is_list:
            rows = put.format(f"Json.listOf({field.name}.stream().map({field.kind}::write).toList())")
            lines += [f"            if (!{field.name}.isEmpty()) {{", f"                {rows}", "            }"]
        elif not field.is_needed:
            lines.append(f"            {put.format(f'{field.name} == null ? Json.NULL : Json.of({field.name})')}")
        else:
            value = f"Json.of({field.name})" if field.kind in _KINDS else f"{field.name}.write()"
            lines.append(f"            {put.format(value)}")
    return [*lines, "            return json;", "        }"]


def _kind(field: Field) -> str:
    kind = _KINDS.get(field.kind, field.kind)
    if field.is_list:
        return f"List<{_BOXED.get(kind, kind)}>"
    return kind if field.is_needed or field.default is not None else _BOXED.get(kind, kind)
