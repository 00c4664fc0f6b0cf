"""The search methods: a file each, and a line each in METHODS; nothing else in this package names one.

A method's file has its name and sets METHOD.
"""

from importlib import import_module

from arena.search.method import Method

METHODS: dict[str, Method] = {
    name: import_module(f"{__name__}.{name}").METHOD
    for name in (
        "ismcts",
        "pimc",
        "flat",
    )
}
"""Methods by name; the default first."""
