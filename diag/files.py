"""Whole-or-nothing files: written beside their place, then renamed; several of them together."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

from diag.report import UserError, fail
from diag.spans import Source, nowhere


class Outputs:
    """Files that appear together at the end of a `with` block, or not at all when it raises.

    Raises UserError (DG008) when a file can't be written.
    """

    def __init__(self) -> None:
        self._pending: list[tuple[str, str]] = []

    def add(self, path: str, content: bytes | str) -> None:
        data = content.encode("utf-8") if isinstance(content, str) else content
        if os.path.isdir(path):
            raise fail("DG008", None, path=path, why="Is a directory")
        if not _special(path) and any(os.path.realpath(p) == os.path.realpath(path) for _, p in self._pending):
            raise fail("DG008", None, path=path, why="another output of the same run goes there")
        # A pipe or a device (/dev/null, /dev/stdout) is written to, never replaced.
        directory = tempfile.gettempdir() if _special(path) else os.path.dirname(path) or "."
        try:
            handle, beside = tempfile.mkstemp(prefix=f".{os.path.basename(path)}.", dir=directory)
            self._pending.append((beside, path))
            with os.fdopen(handle, "wb") as f:
                f.write(data)
            os.chmod(beside, 0o666 & ~_umask())
        except OSError as e:
            raise fail("DG008", None, path=path, why=e.strerror or str(e)) from None

    def __enter__(self) -> Outputs:
        return self

    def __exit__(self, kind: type[BaseException] | None, e: BaseException | None, tb: TracebackType | None) -> None:
        if kind is None:
            # Devices first: they may refuse in the middle, and a file in its place can't be taken back.
            self._pending.sort(key=lambda pair: not _special(pair[1]))
            for i, (beside, path) in enumerate(self._pending):
                try:
                    if os.path.isdir(path):
                        raise IsADirectoryError(21, "Is a directory")
                    if _special(path):
                        Path(path).write_bytes(Path(beside).read_bytes())
                        os.unlink(beside)
                    else:
                        os.replace(beside, path)
                except OSError as error:
                    self._drop(self._pending[i:])
                    raise fail("DG008", None, path=path, why=error.strerror or str(error)) from None
        else:
            self._drop(self._pending)

    @staticmethod
    def _drop(pending: list[tuple[str, str]]) -> None:
        for beside, _ in pending:
            try:
                os.unlink(beside)
            except OSError:
                pass


def _special(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path) and not os.path.isdir(path)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def write_whole(path: str, content: bytes | str) -> None:
    """Writes one file whole or not at all. Raises UserError (DG008)."""
    with Outputs() as out:
        out.add(path, content)


def check_writable(path: str) -> None:
    """Says before long work that a file can't be written afterwards. Raises UserError (DG008)."""
    directory = os.path.dirname(path) or "."
    if os.path.isdir(path):
        raise fail("DG008", None, path=path, why="Is a directory")
    if not os.path.isdir(directory):
        raise fail("DG008", None, path=path, why="No such file or directory")
    if not os.access(directory, os.W_OK | os.X_OK):
        raise fail("DG008", None, path=path, why="Permission denied")


def check_apart(options: Mapping[str, object], reads: Sequence[str], writes: Sequence[str]) -> None:
    """Raises UserError where an output would replace a file that is read (DG012) or another output (DG013). `reads` and
    `writes` are names of options; devices may stand for several."""
    taken: dict[str, tuple[str, str]] = {}
    for names, code in ((reads, ""), (writes, "DG012")):
        for name in names:
            path = options.get(name)
            if not isinstance(path, str) or not path or (os.path.exists(path) and not os.path.isfile(path)):
                continue
            real = os.path.realpath(path)
            if code and real in taken:
                other, of = taken[real]
                raise fail(of, None, option=name, other=other, path=path)
            taken.setdefault(real, (name, "DG013" if code else "DG012"))


def read_bytes(path: str) -> bytes:
    """Reads a file. Raises UserError (DG007)."""
    try:
        return Path(path).read_bytes()
    except OSError as e:
        raise fail("DG007", None, path=path, why=e.strerror or str(e)) from None


def read_source(path: str) -> Source:
    """Reads a UTF-8 source. Raises UserError (DG007, DG009)."""
    data = read_bytes(path)
    try:
        return Source(path, data.decode("utf-8-sig"))
    except UnicodeDecodeError as e:
        raise fail("DG009", nowhere(path), path=path, offset=e.start) from None


__all__ = ["Outputs", "UserError", "check_writable", "read_bytes", "read_source", "write_whole"]
