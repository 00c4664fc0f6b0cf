"""How compiled functions reach each other: each is lowered once, and only what Python calls becomes machine code.

By itself numba optimizes each function with all that it calls, makes machine code of that, and does both again in each caller,
which links a copy. Most of it is never run: in a game Python calls some thirty functions, compiled code calls the rest. Here a
function that compiled code calls is `Linked`: typed and lowered, no more. An `Entry`, which Python calls, links all that it
reaches, and is optimized and translated as one module; what it has linked nobody else can call. This halves the time that a
game takes to compile, and the code is faster.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from numba import types
from numba.core import codegen, compiler, ir, sigutils, typed_passes
from numba.core.compiler_lock import global_compiler_lock
from numba.core.compiler_machinery import register_pass
from numba.core.registry import CPUDispatcher

from arena.engine.machine import OWNING_NOTHING


class Linked(CPUDispatcher):  # type: ignore[misc]  # numba has no types
    """A function as compiled code calls it. Python cannot call it."""

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        """`options`: of numba's `jit`."""
        super().__init__(
            function, targetoptions={**options, "nopython": True, "no_cpython_wrapper": True}, pipeline_class=_Lowers
        )

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """Constants are passed as what they are constants of, so that they need no signature of their own."""
        return super().get_call_template(
            [types.unliteral(type_) for type_ in args], {name: types.unliteral(type_) for name, type_ in kws.items()}
        )

    def compile(self, sig: Any) -> Any:
        """Lower the function for one signature; gives the key under which its callers find it."""
        args, return_type = sigutils.normalize_signature(sig)
        if args not in self.overloads:
            with global_compiler_lock, self._compiling_counter:
                self.add_overload(self._compiler.compile(args, return_type))
        return self.overloads[args].entry_point

    def add_overload(self, cres: Any) -> None:
        """Keep a compiled signature for compiled callers alone."""
        self.overloads[tuple(cres.signature.args)] = cres


class Entry(CPUDispatcher):  # type: ignore[misc]
    """A function as Python calls it. Compiled code that names it gets it `Linked`."""

    def __init__(self, function: Callable[..., Any], options: Mapping[str, Any]) -> None:
        """`options`: of numba's `jit`."""
        super().__init__(function, targetoptions={**options, "nopython": True}, pipeline_class=_Translates)
        self._linked: Linked | None = None
        self._link_options = options

    @property
    def _numba_type_(self) -> Any:
        if self._linked is None:
            self._linked = Linked(self.py_func, self._link_options)
        return types.Dispatcher(self._linked)


class Chosen:
    """A function that compiled code calls by one name and that each game has of its own: the first argument's type decides."""

    is_compiling = False  # what numba asks of a dispatcher

    def __init__(self, name: str, games: Mapping[Any, Any]) -> None:
        """`games`: the modules that hold the functions, by the numba type of their first argument."""
        self._name = name
        self._games = games

    def function_of(self, record: Any) -> Any:
        """The function of the game whose states have a numba type."""
        return getattr(self._games[record], self._name)

    def get_call_template(self, args: Any, kws: Any) -> Any:
        """What numba's type inference asks of a dispatcher."""
        return self._linked(args).get_call_template(args, kws)

    def get_overload(self, sig: Any) -> Any:
        """What numba's lowering asks of a dispatcher."""
        return self._linked(sigutils.normalize_signature(sig)[0]).get_overload(sig)

    def _linked(self, args: Any) -> Any:
        return self.function_of(args[0])._numba_type_.dispatcher


def let_compiled_code_call(function: Callable[..., Any], dispatcher: Linked | Chosen) -> None:
    """Make compiled code that names the plain `function` call `dispatcher`; for Python the function stays as it is."""
    function._dispatcher = dispatcher  # type: ignore[attr-defined]  # numba's type holds it by a weak reference
    function._numba_type_ = types.Dispatcher(dispatcher)  # type: ignore[attr-defined]


class _FixedFlags(compiler.Flags):  # type: ignore[misc]
    """Compiler flags whose copies do not change: numba asks for the hash of the current ones at every call that it types."""

    __slots__ = ("_hash", "_known")

    def __init__(self, copy_from: Any = None) -> None:
        super().__init__(copy_from)
        self._known: dict[str, Any] | None = None

    def copy(self) -> Any:
        fixed = _FixedFlags(self)
        fixed._hash = hash(fixed)
        fixed._known = super(_FixedFlags, fixed).values()
        return fixed

    def values(self) -> Any:
        return super().values() if self._known is None else self._known

    def __hash__(self) -> int:
        known: int = super().__hash__() if self._known is None else self._hash
        return known

    def __eq__(self, other: object) -> bool:
        return self is other or bool(super().__eq__(other))


class _LinkedLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The lowered code of one function."""

    def finalize(self) -> None:
        """Leave the code as it is: the entries that link it optimize it."""
        self._raise_if_finalized()
        self._finalized = True

    def own_module(self) -> Any:
        """The function without those that it calls."""
        return super()._get_module_for_linking()

    def _get_module_for_linking(self) -> Any:
        """The function with all that it reaches: what a function links that somebody else compiles by numba alone."""
        whole = self.own_module().clone()
        _link(self._linking_libraries, whole)
        return whole


class _EntryLibrary(codegen.JITCodeLibrary):  # type: ignore[misc]
    """The machine code of one entry with all that it reaches."""

    def finalize(self) -> None:
        """Link, optimize, translate."""
        own = {function.name for function in self._final_module.functions if not function.is_declaration}
        for library in _link(self._linking_libraries, self._final_module):
            self._reload_init.update(library._reload_init)
        self._linking_libraries.clear()
        for function in self._final_module.functions:
            if not function.is_declaration and function.name not in own:
                function.linkage = "internal"  # called from here alone: the optimizer may inline it and drop what nobody reads
        super().finalize()


def _link(libraries: Iterable[Any], module: Any) -> list[Any]:
    """Link libraries and all that they call into a module; gives them all."""
    reached = _reached(libraries)
    for library in reached:
        part = library.own_module() if isinstance(library, _LinkedLibrary) else library._get_module_for_linking()
        module.link_in(part, preserve=True)
    defined = {function.name for library in reached for function in library.get_defined_functions()}
    lost = defined.intersection(function.name for function in module.functions if function.is_declaration)
    if lost:
        raise AssertionError(f"{module.name}: not linked: {', '.join(sorted(lost))}")
    return reached


def _reached(libraries: Iterable[Any]) -> list[Any]:
    """The libraries and all that they call, callers first: LLVM's linker leaves out what nothing has referred to yet."""
    found: dict[Any, None] = {}

    def visit(library: Any) -> None:
        if library not in seen:
            seen.add(library)
            if isinstance(library, _LinkedLibrary):
                for called in library._linking_libraries:
                    visit(called)
            found[library] = None

    seen: set[Any] = set()
    for library in libraries:
        visit(library)
    return list(reversed(found))


@register_pass(mutates_CFG=True, analysis_only=False)
class _LinkedLowering(typed_passes.NativeLowering):  # type: ignore[misc]
    """Lower a function, and tell the compiler where its callers find it.

    References to arrays are counted only where the function comes to own one: counting costs more than many functions do.
    """

    _name = "linked_lowering"

    def run_pass(self, state: Any) -> bool:
        if not _owns_arrays(state):
            state.targetctx = state.targetctx.subtarget(enable_nrt=False)
        state.flags.no_compile = True
        state.library = _LinkedLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        super().run_pass(state)
        key = object()
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=key)
        return True


def _owns_arrays(state: Any) -> bool:
    """Whether a function makes arrays, gets them from what it calls, or gives them back; views do not count."""

    def counts(type_: Any) -> bool:
        return bool(state.targetctx.data_model_manager[type_].contains_nrt_meminfo())

    made = (
        state.typemap[assignment.target.name]
        for block in state.func_ir.blocks.values()
        for assignment in block.find_insts(ir.Assign)
        if isinstance(assignment.value, ir.Expr) and not _borrows(assignment.value, state.typemap)
    )
    return counts(state.return_type) or any(map(counts, made))


def _borrows(instruction: Any, typemap: Mapping[str, Any]) -> bool:
    """Whether what an instruction gives is a part of an array that is there, or lies where nothing is ever freed."""
    if instruction.op == "call":
        return getattr(typemap[instruction.func.name], "typing_key", None) in OWNING_NOTHING
    return instruction.op in _BORROWING


_BORROWING = {"getattr", "getitem", "static_getitem", "cast", "phi", "build_tuple"}
"""What numba's instructions are called that give a part of an array, or the array itself, and never a new one."""


@register_pass(mutates_CFG=True, analysis_only=False)
class _EntryLowering(typed_passes.NativeLowering):  # type: ignore[misc]
    _name = "entry_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = _EntryLibrary(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        return bool(super().run_pass(state))


class _Compiler(compiler.Compiler):  # type: ignore[misc]
    """Numba's compiler, with another way of lowering."""

    lowering: type

    def define_pipelines(self) -> Any:
        pipelines = super().define_pipelines()
        for pipeline in pipelines:
            pipeline.passes = [
                (self.lowering if step is typed_passes.NativeLowering else step, what) for step, what in pipeline.passes
            ]
            pipeline.finalize()
        return pipelines

    def _compile_core(self) -> Any:
        self.state.flags = _FixedFlags(self.state.flags)
        return super()._compile_core()


class _Lowers(_Compiler):
    lowering = _LinkedLowering


class _Translates(_Compiler):
    lowering = _EntryLowering
