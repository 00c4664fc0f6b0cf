"""The search methods: a file each, and a line each in METHODS; nothing else in this package names one."""

from arena.search.methods.flat import FLAT
from arena.search.methods.ismcts import ISMCTS
from arena.search.methods.pimc import PIMC

METHODS = {
    "ismcts": ISMCTS,
    "pimc": PIMC,
    "flat": FLAT,
}
"""Methods by name; the default first."""
