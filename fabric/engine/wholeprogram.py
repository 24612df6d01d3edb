"""Compiles an entry function and all that it calls as one unit.

By itself numba optimizes every function together with all that it calls, and then its caller together with all that
again: for a hundred small functions on top of each other that takes a quarter of an hour. Here the functions below
an entry are only translated; the entry links each of them once, and the optimizer runs once over the whole.

What an entry is for is a constant in it: `WATCHING` is a function that every entry has of its own (1 in those that
tell watchers what happens, else 0), so that the optimizer drops what an entry has no use for.

The three methods that this stands on are internal to numba. Where they are not as expected, numba's own way is taken,
which gives the same code later.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

WATCHING = "engine_watching"
_names: set[str] = set()
_watched: set[str] = set()


def _available() -> bool:
    """The parts of numba that this stands on are as expected."""
    try:
        from numba.core.codegen import CPUCodeLibrary
        from numba.core.cpu import CPUContext
    except ImportError:
        return False
    needed = ("finalize", "_finalize_final_module", "_get_module_for_linking")
    return all(hasattr(CPUCodeLibrary, name) for name in needed) and hasattr(CPUContext, "get_executable")


AVAILABLE = _available()


def watches(name: str) -> None:
    """An entry that tells watchers what happens."""
    _watched.add(name)


def part(name: str) -> None:
    """A function that is only compiled into entries."""
    _names.add(name)


def _is_part(library: Any, entries: set[str]) -> bool:
    name = str(library.name)
    return name not in entries and name in _names


def _closure(library: Any, entries: set[str]) -> Iterator[Any]:
    """All that a library calls, each once; what is below a part is linked here too."""
    seen = {library}
    todo = list(library._linking_libraries)
    while todo:
        other = todo.pop()
        if other in seen:
            continue
        seen.add(other)
        yield other
        if _is_part(other, entries):
            todo += other._linking_libraries


def _constant(name: str, value: int) -> Any:
    """A module with a function of one argument that returns a constant."""
    from llvmlite import binding

    return binding.parse_assembly(f"define linkonce_odr i64 @{name}(i64) {{\n  ret i64 {value}\n}}")


def _finalize_entry(library: Any, entries: set[str]) -> None:
    library._codegen._check_llvm_bugs()
    library._raise_if_finalized()
    for other in _closure(library, entries):
        library._reload_init.update(other._reload_init)
        library._final_module.link_in(other._get_module_for_linking(), preserve=True)
    library._final_module.link_in(_constant(WATCHING, int(library.name in _watched)))
    for function in library._final_module.functions:
        if function.linkage.name == "linkonce_odr":
            function.linkage = "internal"
    passes, builder = library._codegen._module_pass_manager()
    passes.run(library._final_module, builder)
    library._final_module.verify()
    library._finalize_final_module()


def _stand_in(context: Any, library: Any, description: Any, env: Any) -> Any:
    """The Python object of a part, which has no machine code of its own and is never called from Python."""
    import ctypes

    from numba import _dynfunc

    address = ctypes.cast(ctypes.pythonapi.Py_IsInitialized, ctypes.c_void_p).value
    name = description.qualname.split(".")[-1]
    return _dynfunc.make_function(description.lookup_module(), name, name, address, env, (library,))


@contextmanager
def whole_program(entries: set[str]) -> Iterator[None]:
    """While it is open, numba compiles entries in one piece each."""
    if not AVAILABLE:
        yield
        return
    from numba.core.codegen import CPUCodeLibrary
    from numba.core.cpu import CPUContext

    finalize, get_executable = CPUCodeLibrary.finalize, CPUContext.get_executable

    def finalize_once(self: Any) -> None:
        if str(self.name) in entries:
            _finalize_entry(self, entries)
        elif _is_part(self, entries):
            self._finalized = True
        else:
            finalize(self)

    def executable(self: Any, library: Any, description: Any, env: Any) -> Any:
        if _is_part(library, entries):
            return _stand_in(self, library, description, env)
        return get_executable(self, library, description, env)

    CPUCodeLibrary.finalize = finalize_once
    CPUContext.get_executable = executable
    try:
        yield
    finally:
        CPUCodeLibrary.finalize = finalize
        CPUContext.get_executable = get_executable
