"""The types of the kit in Rust, with what reads them from its own JSON values and writes the replies."""

from lab.kits.schema import FLAG, INTEGER, JSON, NUMBER, TEXT, Field, Protocol, Record
from lab.kits.texts import WRITTEN, comment, title

_KINDS = {INTEGER: "i64", NUMBER: "f64", TEXT: "String", FLAG: "bool", JSON: "Json"}
_READ = {
    INTEGER: "{}.as_integer()?", NUMBER: "{}.as_number()?", TEXT: "{}.as_text()?.to_string()", FLAG: "{}.as_flag()?",
    JSON: "{}.as_object()?.clone()",
}  # fmt: skip
_WRITTEN = {
    INTEGER: "Json::Number({} as f64)",
    NUMBER: "Json::Number({})",
    TEXT: "Json::Text({}.clone())",
    FLAG: "Json::Flag({})",
}
_RESERVED = ("move", "type")


def rust(protocol: Protocol) -> str:
    """messages.rs."""
    lines = [f"//! {title(protocol)}. {WRITTEN}", "", "#![allow(dead_code)]", "", "use crate::json::Json;", ""]
    for name in protocol.choices:
        lines += ["/// The text of a legal action, or its index in `legal`.", f"pub enum {name} {{"]
        lines += ["    Text(String),", "    Index(i64),", "}", "", f"impl {name} {{", "    pub fn write(&self) -> Json {"]
        lines += ["        match self {", f"            {name}::Text(text) => Json::Text(text.clone()),"]
        lines += [f"            {name}::Index(index) => Json::Number(*index as f64),", "        }", "    }", "}", ""]
    for record in protocol.records:
        lines += [*comment("/// ", record.about), f"pub struct {record.name} {{"]
        lines += [f"    pub {_name(field)}: {_kind(field)}," for field in record.fields]
        lines += ["}", "", f"impl {record.name} {{", *(_writer(record) if record.is_reply else _reader(record)), "}", ""]
    return "\n".join(lines).rstrip() + "\n"


def _reader(record: Record) -> list[str]:
    lines = [f"    pub fn read(json: &Json) -> Result<{record.name}, String> {{", f"        Ok({record.name} {{"]
    for place, field in enumerate(record.fields):
        source = f"json.at({place})?" if record.is_row else f'json.get("{field.name}")?'
        if field.is_list:
            found = f"{source}.as_list()?.iter().map({_reader_of(field)}).collect::<Result<_, String>>()?"
        elif field.default is not None:
            found = f'match json.find("{field.name}") {{ Some(value) => {_read("value", field)}, None => {field.default} }}'
        else:
            found = _read(source, field)
        lines.append(f"            {_name(field)}: {found},")
    return [*lines, "        })", "    }"]


def _reader_of(field: Field) -> str:
    """What reads an item of a list."""
    plain = {INTEGER: "Json::as_integer", NUMBER: "Json::as_number", FLAG: "Json::as_flag"}
    if field.kind == TEXT:
        return "|item| item.as_text().map(str::to_string)"
    return plain.get(field.kind, f"{field.kind}::read")


def _read(source: str, field: Field) -> str:
    return _READ[field.kind].format(source) if field.kind in _READ else f"{field.kind}::read({source})?"


def _writer(record: Record) -> list[str]:
    lines = ["    pub fn write(&self) -> Json {"]
    if record.is_row:
        return [*lines, f"        Json::List(vec![{', '.join(_value(field) for field in record.fields)}])", "    }"]
    always = [field for field in record.fields if field.is_needed]
    pairs = ", ".join(f'("{field.name}".to_string(), {_value(field)})' for field in always)
    seldom = [field for field in record.fields if not field.is_needed]
    lines.append(f"        let {'mut ' if seldom else ''}pairs = vec![{pairs}];")
    for field in seldom:
        lines += [f"        if !self.{field.name}.is_empty() {{"]
        lines += [f'            pairs.push(("{field.name}".to_string(), {_value(field)}));', "        }"]
    return [*lines, "        Json::Object(pairs)", "    }"]


def _value(field: Field) -> str:
    source = f"self.{_name(field)}"
    if field.is_list:
        return f"Json::List({source}.iter().map(|item| item.write()).collect())"
    if field.kind not in _WRITTEN:
        return f"{source}.write()"
    if not field.is_needed:
        return f"match {source} {{ Some(value) => {_WRITTEN[field.kind].format('value')}, None => Json::Null }}"
    return _WRITTEN[field.kind].format(source)


def _kind(field: Field) -> str:
    kind = _KINDS.get(field.kind, field.kind)
    if field.is_list:
        return f"Vec<{kind}>"
    return kind if field.is_needed or field.default is not None else f"Option<{kind}>"


def _name(field: Field) -> str:
    return f"r#{field.name}" if field.name in _RESERVED else field.name
