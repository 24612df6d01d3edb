"""The compiler's decorators."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from fabric.engine.cache import cache_directory
from fabric.engine.mode import COMPILED

F = TypeVar("F", bound=Callable[..., Any])
KEPT = 4  # cache directories of other versions that stay


def _prune(keep: Path) -> None:
    """Removes the oldest directories of other versions."""
    import shutil

    try:
        old = sorted((p for p in keep.parent.glob("engine-*") if p != keep), key=lambda p: p.stat().st_mtime)
    except OSError:
        return
    for path in old[: max(len(old) - KEPT, 0)]:
        shutil.rmtree(path, ignore_errors=True)


if COMPILED:
    import numba
    import numba.core.config

    _directory = cache_directory()
    try:
        _directory.mkdir(parents=True, exist_ok=True)
        _prune(_directory)
        numba.core.config.CACHE_DIR = str(_directory)
        CACHED = True
    except OSError:  # a home that can't be written: compile in every process
        CACHED = False

    from fabric.engine.wholeprogram import part, watches, whole_program

    def jit(fn: F) -> F:
        """A compiled function that others call."""
        part(fn.__qualname__)
        made: F = numba.njit(error_model="numpy", nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True)(fn)
        return made

    def inline(fn: F) -> F:
        """A small hot function."""
        part(fn.__qualname__)
        made: F = numba.njit(
            error_model="numpy", nogil=True, no_cpython_wrapper=True, no_cfunc_wrapper=True
        )(fn)
        return made

    def entry(fn: F) -> F:
        """A function that Python calls, all of its arguments int64: compiled once a version and kept."""
        made: F = numba.njit(error_model="numpy", nogil=True, cache=CACHED, no_cfunc_wrapper=True)(fn)
        return made

    def watched_entry(fn: F) -> F:
        """An entry that tells watchers what happens."""
        watches(fn.__qualname__)
        return entry(fn)

    def prepare(fn: Callable[..., Any]) -> bool:
        """Compiles an entry, or takes it from the cache; True when it was compiled."""
        made: Any = fn
        arguments = made.py_func.__code__.co_argcount
        with whole_program({made.py_func.__qualname__}):
            made.compile((numba.int64,) * arguments)
        return bool(sum(made.stats.cache_misses.values()))

else:

    def jit(fn: F) -> F:
        """Plain Python."""
        return fn

    inline = entry = watched_entry = jit

    def prepare(fn: Callable[..., Any]) -> bool:
        """Nothing to compile."""
        return False
