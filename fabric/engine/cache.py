"""Where compiled code is kept.

numba's cache looks at the file of the entry function only, so the directory's name holds a hash of every source that
the compiled code depends on: an edit anywhere starts a new directory (and old ones are removed).
"""

from __future__ import annotations

import hashlib
import os
import sys
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

# Sources of which nothing is compiled, and sources elsewhere whose constants are compiled in.
PLAIN = (
    "__init__.py", "machine.py", "convert.py", "restore.py", "faults.py", "programs.py", "storage.py", "cores.py", "fast.py",
    "support.py", "cache.py", "watching.py", "seen.py", "rawstate.py", "survey.py",
)  # fmt: skip
CONSTANTS = ("arch.py", "descriptor.py", "encode.py", "reference/messages.py", "reference/wavelet.py")


def source_hash() -> str:
    """A hash of the engine's sources, of the facts that they take in as constants, and of the compiler's version."""
    digest = hashlib.sha256()
    here = Path(__file__).parent
    sources = [path for path in sorted(here.glob("*.py")) if path.name not in PLAIN]
    for path in (*sources, *(here.parent / name for name in CONSTANTS)):
        digest.update(path.name.encode() + b"\0" + path.read_bytes() + b"\0")
    try:
        compiler = version("numba")
    except PackageNotFoundError:
        compiler = ""
    digest.update(f"{compiler} {sys.version}".encode())
    return digest.hexdigest()[:16]


def cache_root() -> Path:
    """The directory that holds one directory a version."""
    if os.environ.get("NUMBA_CACHE_DIR"):
        return Path(os.environ["NUMBA_CACHE_DIR"]) / "open-tungsten"
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "open-tungsten"


def cache_directory() -> Path:
    """Where the code of this version is kept."""
    return cache_root() / f"engine-{source_hash()}"


def code_directory() -> Path:
    """Where numba puts the code of this version and this installation: it adds a name made from where the sources
    lie. Another installation of the same version compiles its own."""
    sources = os.path.dirname(os.path.abspath(__file__))
    place = hashlib.sha1(sources.encode(), usedforsecurity=False).hexdigest()
    return cache_directory() / f"{os.path.basename(sources)}_{place}"
