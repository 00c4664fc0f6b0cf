"""What a notebook shows of a thing: the page that `arena/reports/notebook.py` draws, which is imported when somebody looks.

Things of all floors can be shown, and all drawings are on one of the highest: so this door leads up, by name.
"""

import importlib
from typing import Any


def shown(thing: Any, kind: str) -> str:
    """The HTML of a thing, in a frame of its own that needs nothing else; `kind`: the function there that draws it."""
    drawing: str = getattr(importlib.import_module("arena.reports.notebook"), kind)(thing)
    return drawing
