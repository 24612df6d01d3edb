"""How long a kernel of 400 lines takes to compile as a whole process: `python benchmarks/compile.py [lines]`.

Prints processor and wall-clock seconds of `carbide` on it, and the seconds of each stage within one process.
"""

from __future__ import annotations

import os
import platform
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).parents[1]
HEAD = """xp param N = 64;
sp socket tx;
sp socket rx;
struct cell { sp h; xp n; };
struct cell cf[8];
sp a[N], b[N], c[N], s, t, u = 1.0;
xp p[N], q[N], k;
let i in [0, N);
function mix(sp x, sp y) { return x * 0.5 + y; }
main {
"""
# One round of statements: scalars, vectors, branches, loops, calls, records, transfers.
ROUND = """  sp t{n} = s * 2.0 + t - a[{m}];
  ∀i c[i] <- a[i] * b[i];
  if (t{n} > 0.5 && s < u) {{
    s += t * u;
  }} else {{
    t = u - s * t{n};
  }}
  u = max(u, t{n}) + (sp)(N * {n});
  ∀i p[i] <- q[i] + {n};
  k = (k << 1) ^ p[{m}] & 0xff;
  cf[{r}].h = mix(t{n}, u);
  cf[{r}].n += k;
  j{n} in [0, 6) {{
    b[j{n}] = b[j{n}] * t{n} + c[j{n} + 1];
    a[j{n}] = b[j{n}] > 0.0 ? b[j{n}] : a[j{n}];
  }}
  parallel {{
    ∀i tx[] <- c[i];
    ∀i b[i] <- rx[];
  }}
  while (k > 100) k = k >> 1;
"""


def kernel(lines: int) -> str:
    """A kernel of at least so many lines, less than a round more."""
    rounds = -((HEAD.count("\n") + 1 - lines) // ROUND.count("\n"))
    return HEAD + "".join(ROUND.format(n=n, m=n % 60, r=n % 8) for n in range(rounds)) + "}\n"


def whole(path: Path) -> tuple[float, float]:
    """Processor and wall-clock seconds of the command."""
    code = "import sys; from carbide.cmd import main; sys.exit(main(sys.argv[1:]))"
    paths = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
    before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = [sys.executable, "-c", code, f"source={path}", f"object={path.with_suffix('.o')}"]
    subprocess.run(command, check=True, env={**os.environ, "PYTHONPATH": paths})
    took, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, took


def stages(path: Path) -> dict[str, float]:
    """Processor seconds of each stage, imports apart."""
    out: dict[str, float] = {}
    clock = time.process_time()

    def lap(name: str) -> None:
        nonlocal clock
        now = time.process_time()
        out[name], clock = now - clock, now

    from carbide import backend, lower
    from carbide.compile import assemble_program
    from diag.report import Reporter
    from tungsten import load

    lap("imports")
    reporter = Reporter()
    source = load(str(path), [], {}, reporter)
    lap("read and check")
    unit = lower.lower(source, reporter)
    lap("lower")
    compiled = backend.run(unit)
    lap("back end")
    assemble_program(source, compiled)
    lap("program")
    return out


def main() -> None:
    lines = int(sys.argv[1]) if len(sys.argv) > 1 else 400
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "big.w"
        path.write_text(kernel(lines), encoding="utf-8")
        whole(path)  # the first run may write byte code
        processor, wall = whole(path)
        print(f"{platform.machine()}, Python {platform.python_version()}, {kernel(lines).count(chr(10))} lines")
        print(f"whole process: {processor:.2f} s of processor time, {wall:.2f} s by the clock")
        for name, seconds in stages(path).items():
            print(f"{name:>16} {seconds:6.2f} s")


if __name__ == "__main__":
    main()
