"""Coarse clocks for bots in Python: what is timed in caches takes some hundred nanoseconds, and nobody plays by less than
milliseconds.

The C library reads clocks by code that the kernel maps into each process ([vdso]), from numbers that lie beside it ([vvar]) and
the processor's own clock. The numbers are unmapped, and in the place of that code comes a copy that asks the kernel and rounds
what it says down to GRAIN. The filter of calls (seccomp.py) lets no other instruction ask. The processor's own clock can still
be read, by whoever finds an instruction for it in a library: to switch it off costs more than a tenth of a decision on some
virtual machines, so that is done only where a config asks for `clean_caches`.
"""

import contextlib
import itertools
import mmap
import struct
from collections.abc import Iterator, Mapping

from arena.match.sandbox import kernel, own_memory
from arena.match.sandbox.own_memory import EXECUTE, READ, mappings

GRAIN = 1_000_000  # nanoseconds
_PR_SET_TSC, _PR_TSC_SIGSEGV = 26, 2
_FILLED = b"\xcc"  # of what is no function any more: a trap
_ABSENT = bytes.fromhex("48c7c0daffffffc3")  # returns -ENOSYS
_DYNAMIC, _STRINGS, _SYMBOLS = 2, 5, 6  # PT_DYNAMIC, DT_STRTAB, DT_SYMTAB
_FUNCTION = 2  # STT_FUNC
_ASKED = 7  # bytes of clock_gettime until the kernel has answered
_GRAIN, _SECOND = struct.pack("<I", GRAIN).hex(), struct.pack("<I", 1000).hex()
_CODE = {
    # Asks, and rounds what was answered where it lies. After an error the kernel may have written a part of the nanoseconds:
    # each byte of them is wiped by itself, as the next one may lie where nobody can write.
    "clock_gettime": f"b8e40000000f0585c07515488b460831d2b9{_GRAIN}48f7f14829560831c0c3"
    + "".join(f"c646{place:02x}00" for place in range(8, 16)) + "c3",
    "clock_getres": f"b8e50000000f0585c075144885f6740fb9{_GRAIN}48394e087304 48894e08c3",
    "gettimeofday": f"574883ec1831ff4889e6e8 CLOCK 488b44240831d2b9{_SECOND}48f7f1488b0c244883c4185f4885ff7407"
    "48890f4889470831c0c3",
    "time": "574883ec1031ff4889e6e8 CLOCK 488b04244883c4105f4885ff7403488907c3",
    "getcpu": "b8350100000f05c3",
    "getrandom": "b83e0100000f05c3",
}  # fmt: skip
"""The functions for x86-64, by their names without `__vdso_`. CLOCK: a jump to clock_gettime, counted from its end."""


def coarsen(proc: int) -> int:
    """Have the clocks of this process, and of all that it forks, go in steps of GRAIN. `proc`: an open /proc.

    Returns where the one instruction ends that may ask the kernel for the time; 0: the clocks stay exact, as this is another
    kind of machine, or its kernel does not let its code be replaced.
    """
    parts = [(own_memory.Piece(start, end - start, READ | EXECUTE), file) for start, end, _, file in mappings(proc)]
    codes = [part for part, file in parts if file == b"[vdso]"]
    if kernel.MACHINE != "x86_64" or not codes:
        return 0
    try:
        code, clock = _replaced(bytes(own_memory.content_of(codes[0])))
        own_memory.replace_code(codes[0], code)
        for part in (part for part, file in parts if file.startswith(b"[vvar")):
            kernel.call("munmap", part.start, part.size)
    except (OSError, ValueError):
        return 0
    return codes[0].start + clock + _ASKED


def seal(clock: int) -> None:
    """Let nothing else be put in the place of these clocks, by this process or what it forks. `clock`: see `coarsen`."""
    with contextlib.suppress(OSError):  # a kernel before 6.10
        first = (clock - _ASKED) // mmap.PAGESIZE * mmap.PAGESIZE
        end = clock - _ASKED + len(bytes.fromhex(_CODE["clock_gettime"]))
        kernel.call("mseal", first, -(-(end - first) // mmap.PAGESIZE) * mmap.PAGESIZE, 0)


def refuse_the_processors() -> None:
    """End this process if it reads the processor's own clock; made or recorded (see kernel.call). Raises OSError."""
    kernel.prctl(_PR_SET_TSC, _PR_TSC_SIGSEGV)


def _replaced(vdso: bytes) -> tuple[bytes, int]:
    """The code with all functions replaced, and where clock_gettime is in it. Raises ValueError if they do not fit."""
    places = dict(_functions(vdso))
    first = min(places)
    clock = next((place for place, name in places.items() if name == "clock_gettime"), None)
    if clock is None:
        raise ValueError("no clock_gettime")
    code = bytearray(vdso[:first] + _FILLED * (len(vdso) - first))
    for place, after in itertools.pairwise([*sorted(places), len(vdso)]):
        function = _assembled(_CODE.get(places[place]), clock - place)
        if len(function) > after - place:
            raise ValueError(f"no room for {places[place]}")
        code[place : place + len(function)] = function
    return bytes(code), clock


def _assembled(text: str | None, clock: int) -> bytes:
    """The bytes of a function; `clock`: how far behind its beginning clock_gettime begins."""
    if text is None:
        return _ABSENT
    before, _, after = text.partition("CLOCK")
    end = len(bytes.fromhex(before)) + 4
    return bytes.fromhex(before) + (struct.pack("<i", clock - end) + bytes.fromhex(after) if after else b"")


def _functions(vdso: bytes) -> Iterator[tuple[int, str]]:
    """The place and the name of each function of a library of the ELF format, without `__vdso_`. Raises ValueError."""
    try:
        header, count = struct.unpack_from("<Q", vdso, 32)[0], struct.unpack_from("<H", vdso, 56)[0]
        parts = [struct.unpack_from("<IIQQQQ", vdso, header + 56 * number) for number in range(count)]
        dynamic = next(part for part in parts if part[0] == _DYNAMIC)
        entries: Mapping[int, int] = dict(struct.iter_unpack("<QQ", vdso[dynamic[2] : dynamic[2] + dynamic[5]]))
        strings, symbols = entries[_STRINGS], entries[_SYMBOLS]
        for name, kind, _, _, place, _ in struct.iter_unpack("<IBBHQQ", vdso[symbols:strings]):  # the names follow at once
            if kind & 15 == _FUNCTION and place:
                text = vdso[strings + name : vdso.index(b"\0", strings + name)].decode()
                yield place, text.removeprefix("__vdso_")
    except (struct.error, KeyError, StopIteration, UnicodeDecodeError) as error:
        raise ValueError(f"unknown form of [vdso]: {error}") from None
