"""`arena doctor`: what this machine offers: for locking untrusted bots in, and for everything else."""

import itertools
from importlib.util import find_spec
from pathlib import Path

from arena import disk
from arena.cache import cache_root, is_temporary
from arena.cli.shared.exit_codes import DONE, NO
from arena.cli.shared.options import FormatOption, Out
from arena.cli.shared.printing import Format, show
from arena.engine import jit
from arena.match.sandbox import Finding, examine, memory_here, present_toolchains
from arena.reports.table import Column, Table
from arena.reports.terminal import Page
from arena.results_folder import RESULTS
from arena.tournament.memory import megabytes, memory_needed

_SHARED = disk.SHARED_MEMORY


def doctor(format: FormatOption = Format.TABLE, out: Out = RESULTS) -> int:
    """Test whether untrusted bots can be locked in here, and folders, memory, compiled code and graphics cards.

    Exit code 0: all that is needed works, 1: not all. What it is "without" is not needed. Damaged compiled code is dropped.
    """
    others = examine_machine(out)  # first: it finds a place for temporary files
    locks = examine()
    findings = [*locks, *others]
    can_lock = all(finding.works for finding in locks if finding.is_needed)

    def write(page: Page) -> None:
        rows = [
            ["ok" if found.works else "missing" if found.is_needed else "without", found.name, found.detail]
            for found in findings
        ]
        page.table(Table([Column("state"), Column("layer"), Column("detail")], rows))
        if not can_lock:
            page.say("")
            page.say("Untrusted bots are refused here; `arena tournament --unsafe-trust-bots` runs them all the same.")

    show(format, write, {"can_lock": can_lock, "findings": findings}, findings)
    return DONE if all(finding.works for finding in findings if finding.is_needed) else NO


def examine_machine(results: Path) -> list[Finding]:
    """Try the folders that arena writes to, and read all compiled code. `results`: the results folder; it may not exist yet.

    Damaged code is dropped, so that it is compiled again.
    """
    cache = cache_root()
    kept = (
        "; a temporary one, as the user's cannot be written: all is compiled again for each command" if is_temporary() else ""
    )
    return [
        _folder("results folder", _existing(results), ""),
        _folder("cache folder", cache, kept),
        _memory(),
        _shared_memory(),
        _compiled_code(),
        _toolchains(),
        _graphics_cards(),
    ]


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that is there."""
    return next(place for place in (folder.absolute(), *folder.absolute().parents) if place.is_dir())


def _folder(name: str, folder: Path, about: str) -> Finding:
    try:
        lacking = disk.lacks(folder)
        room = f"{disk.free_bytes(folder) / 1e9:.1f} GB free"
    except OSError as error:
        return Finding(name, False, f"{folder}: cannot be written: {error.strerror}", True)
    detail = f"{folder}: {'; '.join(lacking) or 'modes, links, locks and syncs work'}; {room}{about}"
    return Finding(name, not lacking, detail, False)


def _memory() -> Finding:
    here = memory_here()
    trusted, locked, trusted_on_ray, locked_on_ray = (
        megabytes(memory_needed(workers=1, is_locked=is_locked, is_on_ray=is_on_ray))
        for is_on_ray, is_locked in itertools.product((False, True), repeat=2)
    )
    detail = (
        f"{megabytes(here)}; a tournament with one worker takes {trusted}, with bots that are locked in {locked}; on Ray "
        f"{trusted_on_ray} and {locked_on_ray}"
    )
    enough = memory_needed(workers=1, is_locked=True, is_on_ray=True)
    return Finding("memory", here >= enough, detail, False)


def _shared_memory() -> Finding:
    name, without = "shared memory", "; Ray then keeps matches in a folder, which is slower; --backend local needs none"
    if refused := disk.refusal(_SHARED):
        return Finding(name, False, f"{_SHARED}: {refused}{without}", False)
    return Finding(name, True, f"{_SHARED}: {disk.free_bytes(_SHARED) / 1e9:.1f} GB free", False)


def _compiled_code() -> Finding:
    count, damaged = jit.look_through()
    detail = f"{count} files of compiled code are sound"
    if damaged:
        detail += f"; {damaged} were damaged and are dropped: they are compiled again when they are needed, or by arena warmup"
    return Finding("compiled code", not damaged, detail, False)


def _toolchains() -> Finding:
    """The compilers that bots can be built with which come as source."""
    found = [f"{name} {version}" for name, version in present_toolchains()]
    return Finding("toolchains", bool(found), ", ".join(found) or "none that builds of bots find", False)


def _graphics_cards() -> Finding:
    """The cards for tables of learners. Asks their driver alone: neither numba-cuda nor a card is woken up."""
    name = "graphics card"
    if find_spec("numba_cuda") is None or find_spec("cuda") is None:
        return Finding(name, False, "numba-cuda is missing; tables on a card need it: pip install 'arena-hall[cuda]'", False)
    try:
        from arena.engine.cuda.present import present_cards

        cards = present_cards()
    except (ImportError, RuntimeError) as error:
        return Finding(name, False, f"none that can be used: {str(error).strip().partition(chr(10))[0]}", False)
    told = [
        f"{one.name}, compute capability {one.capability[0]}.{one.capability[1]}, {one.memory / 1e9:.1f} GB" for one in cards
    ]
    return Finding(name, bool(cards), "; ".join(told) or "none", False)
