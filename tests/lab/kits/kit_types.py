"""The file of types of every kit."""

import json
from typing import Any

from helpers.paths import DOCS
from lab.kits import c, scripting
from lab.kits.cpp import cpp
from lab.kits.java import java
from lab.kits.rust import rust
from lab.kits.schema import read

_WRITERS = {
    "c/messages.h": c.header,
    "c/messages.c": c.source,
    "cpp/messages.hpp": cpp,
    "go/messages.go": scripting.go,
    "java/Messages.java": java,
    "node/messages.js": scripting.javascript,
    "python-command/messages.py": scripting.python,
    "rust/messages.rs": rust,
    "ts/messages.ts": scripting.typescript,
}


def types(schema: dict[str, Any] | None = None) -> dict[str, str]:
    """The text of each file of types, by its path in the folder of the kits, from a schema; None: the stored one."""
    protocol = read(schema or json.loads((DOCS / "protocol.schema.json").read_text("utf-8")))
    return {path: write(protocol) for path, write in _WRITERS.items()}
