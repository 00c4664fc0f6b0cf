"""The types of the kit in C++, with what reads them from its own JSON values and writes the replies."""

from lab.kits.schema import FLAG, INTEGER, JSON, NUMBER, TEXT, Field, Protocol, Record
from lab.kits.texts import WRITTEN, comment, title

_KINDS = {INTEGER: "long long", NUMBER: "double", TEXT: "std::string", FLAG: "bool", JSON: "Json"}
_READ = {INTEGER: "{}.integer()", NUMBER: "{}.number()", TEXT: "{}.text()", FLAG: "{}.flag()", JSON: "{}.object()"}


def cpp(protocol: Protocol) -> str:
    """messages.hpp."""
    lines = [f"// {title(protocol)}. {WRITTEN}", "#pragma once", ""]
    lines += [
        "#include <optional>",
        "#include <string>",
        "#include <variant>",
        "#include <vector>",
        "",
        '#include "json.hpp"',
        "",
    ]
    for name in protocol.choices:
        lines += [
            "// The text of a legal action, or its index in `legal`.",
            f"using {name} = std::variant<std::string, long long>;",
        ]
        lines += ["", f"inline Json written(const {name}& action) {{"]
        lines += ["    if (const auto* text = std::get_if<std::string>(&action)) return Json(*text);"]
        lines += ["    return Json(std::get<long long>(action));", "}", ""]
    for record in protocol.records:
        lines += [*comment("// ", record.about), f"struct {record.name} {{"]
        lines += [f"    {_kind(field)} {field.name}{_initial(field)};" for field in record.fields]
        lines += ["", *(_writer(record) if record.is_reply else _reader(record)), "};", ""]
    return "\n".join(lines).rstrip() + "\n"


def _reader(record: Record) -> list[str]:
    """A static function that throws JsonError where the value is another one."""
    lines = [f"    static {record.name} read(const Json& json) {{", f"        {record.name} into;"]
    for place, field in enumerate(record.fields):
        source = f"json.at({place})" if record.is_row else f'json.get("{field.name}")'
        if field.is_list:
            lines.append(
                f"        for (const Json& item : {source}.list()) into.{field.name}.push_back({_read('item', field)});"
            )
        elif field.default is not None:
            lines.append(f'        if (json.has("{field.name}")) into.{field.name} = {_read(source, field)};')
        else:
            lines.append(f"        into.{field.name} = {_read(source, field)};")
    return [*lines, "        return into;", "    }"]


def _read(source: str, field: Field) -> str:
    return _READ[field.kind].format(source) if field.kind in _READ else f"{field.kind}::read({source})"


def _writer(record: Record) -> list[str]:
    lines = ["    Json write() const {", "        Json json = Json::" + ("list_of();" if record.is_row else "object_of();")]
    for field in record.fields:
        put = "json.add({});" if record.is_row else f'json.put("{field.name}", {{}});'
        if field.is_list:
            name = field.name
            lines += [f"        if (!{name}.empty()) {{", "            Json rows = Json::list_of();"]
            lines += [f"            for (const auto& item : {name}) rows.add(item.write());"]
            lines += [f"            {put.format('std::move(rows)')}", "        }"]
        elif not field.is_needed:
            lines.append(f"        {put.format(f'{field.name} ? Json(*{field.name}) : Json()')}")
        else:
            value = f"Json({field.name})" if field.kind in _KINDS else f"written({field.name})"
            lines.append(f"        {put.format(value)}")
    return [*lines, "        return json;", "    }"]


def _kind(field: Field) -> str:
    kind = _KINDS.get(field.kind, field.kind)
    if field.is_list:
        return f"std::vector<{kind}>"
    return kind if field.is_needed or field.default is not None else f"std::optional<{kind}>"


def _initial(field: Field) -> str:
    if field.is_list or (not field.is_needed and field.default is None):
        return ""
    first = {INTEGER: " = 0", NUMBER: " = 0", FLAG: " = false"}.get(field.kind, "")
    return f" = {field.default}" if field.default is not None else first
