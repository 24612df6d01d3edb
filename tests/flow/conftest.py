"""Projects outside the tree, built by make: with stub commands that record their words, or with the real ones."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]

# A command that writes its name and words, one a line, to $FLOWLOG and makes the files its words name.
STUB = r"""#!/bin/bash
{ echo "@$(basename "$0") $(basename "$PWD")"; printf '%s\n' "$@"; } >> "$FLOWLOG"
declare -A o
for w in "$@"; do [[ $w == *=* ]] && o[${w%%=*}]=${w#*=}; done
case $(basename "$0") in
  paint) [[ -e ${o[source]} ]] || exit 1
         for f in image map listing; do echo "painted" > "${o[$f]}"; done
         deps="${o[source]} $(ls ../*.w ../lib/*.w 2> /dev/null | tr '\n' ' ')"
         echo "${o[image]} ${o[map]} ${o[listing]}: $deps" > "${o[depfile]}" ;;
  milink) echo linked >> "${o[out]}" ;;
  mielf) cp "${o[image]}" "${o[elf]}" ;;
  elfmi) cp "${o[elf]}" "${o[image]}" ;;
  simfabric | other-sim) [[ -e fail-sim || -e ../fail-sim ]] && { echo "@0 broken"; exit 1; }
         cp "${o[elf]}" "${o[core]}"; echo "Simulation used 1 s, cycles=123, cyc/sec=9" ;;
  miset) echo "set ${o[symbol]}" >> "${o[image]}" ;;
esac
exit 0
"""
COMMANDS = "paint milink weight mielf elfmi simfabric other-sim miset miget fcmp carbide".split()


@dataclass
class Project:
    """A project directory and the SYSROOT its Makefile is given."""

    path: Path
    sysroot: Path
    log: Path

    def write(self, name: str, text: str) -> None:
        file = self.path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def make(self, *words: str, code: int = 0, **env: str) -> str:
        """Runs make in the project; its output and errors. Asserts the exit code."""
        clean = {k: v for k, v in os.environ.items() if not k.startswith(("MAKE", "TEST", "MFLAGS", "SYSROOT"))}
        run = subprocess.run(
            ["make", *words],
            cwd=self.path,
            env={**clean, "FLOWLOG": str(self.log), **env},
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=600,
        )
        assert run.returncode == code, run.stdout + self.logs()
        return run.stdout

    def logs(self) -> str:
        return "".join(f"--- {f}\n{f.read_text()}" for f in sorted(self.path.rglob("make-log")))

    def calls(self, command: str = "", row: str = "") -> list[list[str]]:
        """The recorded words of each call of a stub (in a row's directory), in order."""
        calls: list[list[str]] = []
        for line in self.log.read_text().splitlines() if self.log.exists() else []:
            if line.startswith("@"):
                calls.append([line[1:]])
            else:
                calls[-1].append(line)
        return [c[1:] for c in calls if c[0].split()[0] in (command or c[0]) and row in ("", c[0].split()[1])]

    def forget(self) -> None:
        self.log.unlink(missing_ok=True)


@pytest.fixture
def stub_sysroot(tmp_path: Path) -> Path:
    """A SYSROOT with stub commands and the real make files."""
    root = tmp_path / "sysroot"
    (root / "bin").mkdir(parents=True)
    for command in COMMANDS:
        file = root / "bin" / command
        file.write_text(STUB)
        file.chmod(0o755)
    shutil.copytree(ROOT / "share", root / "share")
    return root


@pytest.fixture(scope="session")
def real_sysroot(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SYSROOT as an installation makes it, of the tree under test: commands from pyproject's entry points."""
    root = tmp_path_factory.mktemp("sysroot")
    (root / "bin").mkdir()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    for name, target in project["project"]["scripts"].items():
        module, function = target.split(":")
        file = root / "bin" / name
        file.write_text(
            f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT)!r})\n"
            f"from {module} import {function}\nsys.exit({function}())\n"
        )
        file.chmod(0o755)
    (root / "bin" / "python").write_text(f'#!/bin/bash\nexec {sys.executable} "$@"\n')
    (root / "bin" / "python").chmod(0o755)
    for place, files in project["tool"]["setuptools"]["data-files"].items():
        (root / place).mkdir(parents=True)
        for name in files:
            shutil.copy(ROOT / name, root / place)
    return root


@pytest.fixture
def project(tmp_path: Path, stub_sysroot: Path) -> Project:
    path = tmp_path / "project"
    path.mkdir()
    return Project(path, stub_sysroot, tmp_path / "calls")
