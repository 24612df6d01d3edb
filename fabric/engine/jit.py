"""The compiler's decorators, and where compiled code is kept.

numba's cache looks at the file of the entry function only, so the directory's name holds a hash of every source that
the compiled code depends on: an edit anywhere starts a new directory (and old ones are removed).
"""

from __future__ import annotations

import hashlib
import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from fabric.engine.mode import COMPILED

F = TypeVar("F", bound=Callable[..., Any])
KEPT = 4  # cache directories of other versions that stay
# Sources of which nothing is compiled, and sources elsewhere whose constants are compiled in.
PLAIN = ("__init__.py", "machine.py", "convert.py", "faults.py", "programs.py", "storage.py", "choice.py", "cores.py")
CONSTANTS = ("arch.py", "descriptor.py", "encode.py", "reference/messages.py", "reference/wavelet.py")


def source_hash() -> str:
    """A hash of the engine's sources, of the facts that they take in as constants, and of the compiler's version."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    sources = [path for path in sorted(here.glob("*.py")) if path.name not in PLAIN]
    for path in (*sources, *(here.parent / name for name in CONSTANTS)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    if COMPILED:
        import numba

        digest.update(f"{numba.__version__} {sys.version}".encode())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """The directory that holds one directory a version."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        return Path(os.environ["NUMBA_CACHE_DIR"]) / "open-tungsten"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "open-tungsten"


def cache_directory() -> Path:
    """Where the code of this version is kept."""
    return cache_root() / f"engine-{source_hash()}"


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

    from fabric.engine.wholeprogram import part, whole_program

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

    def prepare(fn: Callable[..., Any]) -> bool:
        """Compiles an entry, or takes it from the cache; True when it was compiled."""
        made: Any = fn
        arguments = made.py_func.__code__.co_argcount
        with whole_program({made.py_func.__qualname__}):
            made.compile((numba.int64,) * arguments)
        return sum(made.stats.cache_misses.values()) > 0

else:

    def jit(fn: F) -> F:
        """Plain Python."""
        return fn

    inline = entry = jit

    def prepare(fn: Callable[..., Any]) -> bool:
        """Nothing to compile."""
        return False
