"""Kernels for graphics cards on this processor: the LLVM code that NVIDIA's compiler gets is run lane after lane.

So numba-cuda's own typing and lowering of our functions is tried without a card: all but what NVIDIA's compilers make of it.
"""

import ctypes
import re
from collections.abc import Callable
from typing import Any
from unittest.mock import patch

import llvmlite.binding as llvm
import numpy as np

from arena.engine.cuda.card import LANES_IN_BLOCK
from arena.engine.cuda.source import Source
from helpers.lanes import ProcessorLanes

CAPABILITY = (9, 0)
OF_A_CARD = re.compile(r"^(?:target |!nvvm).*$", re.MULTILINE)
"""Lines that say what the code is for, and which function is a kernel: another convention of calls."""
HALF = re.compile(r'asm +"cvt\.rn\.f16\.f32 \$0, \$1;", "=h,f"')
"""The one instruction of a card that numba-cuda writes itself in our kernels: a float32 becomes a float16."""
WORKING_MEMORY = re.compile(r"^ +(%.+) = alloca (.+), i64 (\d+), align 8$", re.MULTILINE)
"""What `stack_array` and `stack_states` become."""
FILLED = r"""\g<0>
  call void @llvm.memset.p0.i64(ptr \1, i8 -91, i64 ptrtoint (ptr getelementptr (\2, ptr null, i64 \3) to i64), i1 false)"""
"""Working memory holds nonsense at first: what reads it before it is written plays nonsense."""
DECLARED = "declare i16 @half(float)\ndeclare void @llvm.memset.p0.i64(ptr, i8, i64, i1)\n"
STAND_INS = """
@tid.x = internal global i32 0
@ntid.x = internal global i32 0
@ctaid.x = internal global i32 0
define i32 @read.tid.x() { %1 = load i32, ptr @tid.x ret i32 %1 }
define i32 @read.ntid.x() { %1 = load i32, ptr @ntid.x ret i32 %1 }
define i32 @read.ctaid.x() { %1 = load i32, ptr @ctaid.x ret i32 %1 }
declare void @KERNEL(i64, i64, i64, i64)
define void @run(i64 %lanes, i64 %records, i64 %places, i64 %number, i32 %blocks, i32 %size) {
entry:
  store i32 %size, ptr @ntid.x
  br label %block
block:
  %b = phi i32 [ 0, %entry ], [ %b.next, %done ]
  store i32 %b, ptr @ctaid.x
  br label %lane
lane:
  %t = phi i32 [ 0, %block ], [ %t.next, %lane ]
  store i32 %t, ptr @tid.x
  call void @KERNEL(i64 %lanes, i64 %records, i64 %places, i64 %number)
  %t.next = add i32 %t, 1
  %more = icmp slt i32 %t.next, %size
  br i1 %more, label %lane, label %done
done:
  %b.next = add i32 %b, 1
  %further = icmp slt i32 %b.next, %blocks
  br i1 %further, label %block, label %end
end:
  ret void
}
"""
"""What a card has and a processor lacks: the lanes' own numbers, and blocks of lanes."""
LIBRARY = """
declare i64 @llvm.cttz.i64(i64, i1)
define i32 @__nv_ffsll(i64 %mask) {
  %place = call i64 @llvm.cttz.i64(i64 %mask, i1 false)
  %next = add i64 %place, 1
  %is_zero = icmp eq i64 %mask, 0
  %found = select i1 %is_zero, i64 0, i64 %next
  %narrow = trunc i64 %found to i32
  ret i32 %narrow
}
"""
"""NVIDIA's library, as its manual says what its functions give; with EXACT and EXTREME."""
EXACT = """
declare double @llvm.NAME.f64(double)
define double @__nv_NAME(double %x) { %1 = call double @llvm.NAME.f64(double %x) ret double %1 }
"""
"""What has but one right result, which all machines give."""
EXTREME = """
define KIND @__nv_NAME(KIND %a, KIND %b) {
  %a.bits = bitcast KIND %a to WORD
  %b.bits = bitcast KIND %b to WORD
  %both = BOTH WORD %a.bits, %b.bits
  %zero = bitcast WORD %both to KIND
  %is_equal = fcmp oeq KIND %a, %b
  %is_a = fcmp ORDER KIND %a, %b
  %b.is_nan = fcmp uno KIND %b, %b
  %takes_a = or i1 %is_a, %b.is_nan
  %1 = select i1 %takes_a, KIND %a, KIND %b
  %2 = select i1 %is_equal, KIND %zero, KIND %1
  ret KIND %2
}
"""
"""The larger or smaller of two numbers: that which is none loses, and -0.0 is less than 0.0."""


@ctypes.CFUNCTYPE(ctypes.c_uint16, ctypes.c_float)
def half(number: float) -> int:
    """The bits of the nearest float16: not all processors have an instruction for it."""
    return int(np.float32(number).astype(np.float16).view(np.uint16))


_kept: dict[str, tuple[Any, Callable[..., None]]] = {}


class Code:
    """Takes the place of what numba-cuda gives NVIDIA's compiler: keeps the LLVM code and compiles nothing."""

    modules: tuple[str, ...] = ()

    def __init__(self, options: Any) -> None:
        Code.modules = ()

    def add_module(self, text: bytes) -> None:
        """Keep a module."""
        Code.modules += (text.decode(),)

    def verify(self) -> None:
        """Nothing to do."""

    def lazy_add_module(self, library: bytes) -> None:
        """NVIDIA's library, for which LIBRARY stands."""

    def compile(self) -> bytes:
        """No code for a card."""
        return b""


class KernelLanes(ProcessorLanes):
    """ProcessorLanes, but what runs is the kernels' own LLVM code, compiled for this processor."""

    name = "kernels on the processor"

    def prepare(self, source: Source) -> tuple[str, Callable[..., None]]:
        """As of a device."""
        key = f"{source.game.name} {source.name}"
        if key not in _kept:
            _kept[key] = compiled(*code_of(source))
        return source.name, _kept[key][1]

    def run(self, prepared: tuple[str, Callable[..., None]], tables: int, records: Any, places: Any, number: int) -> None:
        """As of a device."""
        name, function = prepared
        self.ran.append(name)
        blocks = -(-tables // LANES_IN_BLOCK)  # the last one has lanes without a table
        function(tables, records.ctypes.data, places.ctypes.data, number, blocks, LANES_IN_BLOCK)


def code_of(source: Source) -> tuple[str, tuple[str, ...]]:
    """The name of a kernel, and the LLVM code of it and of all that it calls, as NVIDIA's compiler gets it."""
    from arena.engine.cuda import kernels

    with patch("numba.cuda.cudadrv.nvvm.CompilationUnit", Code):
        name, _ = kernels.ptx(source, CAPABILITY)
    return name, Code.modules


def compiled(name: str, modules: tuple[str, ...]) -> tuple[Any, Callable[..., None]]:
    """A kernel in the machine code of this processor: what owns it, and the function that runs blocks of lanes."""
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    llvm.add_symbol("half", ctypes.cast(half, ctypes.c_void_p).value)
    machine = llvm.Target.from_default_triple().create_target_machine(opt=2, jit=True)
    whole = llvm.parse_assembly(STAND_INS.replace("KERNEL", name) + library())
    for text in dict.fromkeys(modules):
        plain = HALF.sub('@"half"', OF_A_CARD.sub("", text)).replace("llvm.nvvm.read.ptx.sreg.", "read.")
        whole.link_in(llvm.parse_assembly(WORKING_MEMORY.sub(FILLED, plain) + DECLARED))
    whole.triple, whole.data_layout = machine.triple, str(machine.target_data)
    whole.verify()
    assert not whole.get_function("run").is_declaration
    for function in whole.functions:
        if function.is_declaration:
            is_known = function.name == "half" or re.match(r"llvm\.(?!nvvm\.)", function.name)
            assert is_known, f"{function.name}: nothing stands for it"
        elif function.name != "run":
            function.linkage = "internal"
    optimized(whole, machine)
    engine = llvm.create_mcjit_compiler(whole, machine)
    engine.finalize_object()
    address = engine.get_function_address("run")
    words = (*(ctypes.c_int64,) * 4, ctypes.c_int32, ctypes.c_int32)
    return engine, ctypes.CFUNCTYPE(None, *words)(address)


def library() -> str:
    """All that stands for NVIDIA's library."""
    exact = [EXACT.replace("NAME", name) for name in ("fabs", "floor", "ceil", "trunc", "sqrt")]
    extreme = [
        EXTREME.replace("NAME", name + suffix)
        .replace("KIND", kind)
        .replace("WORD", word)
        .replace("BOTH", both)
        .replace("ORDER", order)
        for kind, word, suffix in (("double", "i64", ""), ("float", "i32", "f"))
        for name, both, order in (("fmax", "and", "ogt"), ("fmin", "or", "olt"))
    ]
    return "".join([LIBRARY, *exact, *extreme])


def optimized(module: Any, machine: Any) -> None:
    """Let LLVM optimize a module as it does at -O2."""
    builder = llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options(speed_level=2))
    builder.getModulePassManager().run(module, builder)
