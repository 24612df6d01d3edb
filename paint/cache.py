"""Compiled kernels kept between runs of the command, so that an edited layout does not compile them again.

An entry is found by all that decides a compilation from outside (the toolchain's own sources, path, lib=,
parameters, optimisation) and holds the hash of each file that was read and of the names in each directory that was
searched; it is used only if these are the same. Only kernels that compile without a message are kept. The
directory is $TUNGSTEN_CACHE (empty: no cache), else open-tungsten in the user's cache directory.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from functools import cache
from importlib.util import find_spec
from typing import Any

from diag.files import write_whole
from diag.report import UserError
from fabric.program import Program

MOST = 1000  # entries; the oldest go first

Words = tuple[str, tuple[str, ...], tuple[tuple[str, int | float], ...], int]


def default_directory() -> str | None:
    """Where the command keeps kernels, or None."""
    given = os.environ.get("TUNGSTEN_CACHE")
    if given is not None:
        return given or None
    home = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(home, "open-tungsten", "kernels") if os.path.isabs(home) else None


@cache
def _toolchain() -> str:
    """Changes whenever a source of the compiler does."""
    found: list[object] = [sys.version]
    for package in ("diag", "fabric", "tungsten", "carbide"):
        spec = find_spec(package)
        for place in spec.submodule_search_locations or () if spec else ():
            for entry in sorted(os.scandir(place), key=lambda e: e.name):
                if entry.name.endswith(".py"):
                    stat = entry.stat()
                    found.append((entry.path, stat.st_size, stat.st_mtime_ns))
    return _hash(repr(found))


def _hash(data: str | bytes) -> str:
    return hashlib.sha256(data.encode() if isinstance(data, str) else data).hexdigest()


def _file(path: str) -> str:
    try:
        with open(path, "rb") as f:
            return _hash(f.read())
    except OSError:
        return ""


def _names(directory: str) -> str:
    """The kernels of a directory: a new one may come before the one an import meant."""
    try:
        return _hash("\n".join(sorted(f for f in os.listdir(directory or ".") if f.endswith(".w"))))
    except OSError:
        return ""


class Cache:
    """`directory` None: nothing is found and nothing kept. Never raises; a cache that fails is no error."""

    def __init__(self, directory: str | None) -> None:
        self.directory = directory

    def _entry(self, words: Words) -> str:
        path, lib, params, opt = words
        typed = [(n, type(v).__name__, repr(v)) for n, v in params]
        key = _hash(json.dumps([_toolchain(), os.path.abspath(path), path, lib, typed, opt]))
        return os.path.join(self.directory or "", f"{key}.json")

    def get(self, words: Words) -> Program | None:
        """The program kept for these words, if all it was made of is as it was."""
        if self.directory is None:
            return None
        try:
            with open(self._entry(words), encoding="utf-8") as f:
                kept: dict[str, Any] = json.load(f)
            files, directories = kept["files"], kept["directories"]
            if all(_file(p) == h for p, h in files.items()) and all(
                _names(d) == h for d, h in directories.items()
            ):
                return Program.from_json(kept["program"])
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            pass
        return None

    def put(self, words: Words, program: Program) -> None:
        """Keeps a program that compiled without messages."""
        if self.directory is None:
            return
        files = {p: _file(p) for p in dict.fromkeys([words[0], *program.depends])}
        directories = {d: _names(d) for d in dict.fromkeys([*words[1], *(os.path.dirname(p) for p in files)])}
        kept = {"files": files, "directories": directories, "program": program.to_json()}
        try:
            os.makedirs(self.directory, exist_ok=True)
            write_whole(self._entry(words), json.dumps(kept))
            self._prune(self.directory)
        except (OSError, UserError):
            pass

    @staticmethod
    def _prune(directory: str) -> None:
        entries = [e for e in os.scandir(directory) if e.name.endswith(".json")]
        for old in sorted(entries, key=lambda e: e.stat().st_mtime_ns)[: max(0, len(entries) - MOST)]:
            os.unlink(old.path)
