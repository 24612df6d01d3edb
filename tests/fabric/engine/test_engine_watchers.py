"""Logs, profiles and timelines of the engine are those of the reference, line for line."""

from __future__ import annotations

import random
from pathlib import Path

import exchange
import pytest
import test_checkpoint
import test_trace
from core_bench import Machine, with_meta
from engine_images import random_image
from watching_compare import Window, note, same

from diag.report import UserError
from fabric import arch
from fabric.cmd_simfabric import main
from fabric.elf import save_elf
from fabric.engine import fast
from fabric.image import Image
from fabric.rects import Rect
from fabric.reference.wavelet import control_payload
from fabric.trace import CLASSES

SEND = """.socket tx out 0 sp
.socket rx in 0 sp
.symbol a sp n=8
.long {values}
.var b sp n=8
.var n sp
from: .dsd mem1d base=a extent={sent}
to: .dsd fabout queue=tx extent={sent} {flags}
in: .dsd fabin queue=rx extent={got}
into: .dsd mem1d base=b extent={got}
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
 ldd DD1 = [into];
 lds0 SA1 = [in];
 mov32.ut0 [DD0] = [SA0];
 mov32.ut1 [DD1] = [SA1] -> activate 9; terminate;
.task 9
 ld16 R0 = [b];
 st16 [n] = R0; terminate;
"""


def sender(sent: int, got: int, values: list[int], flags: str = "") -> str:
    words = ", ".join(f"0x{v:08x}" for v in (values + [0] * 8)[:8])
    return SEND.format(values=words, sent=max(sent, 1), got=got, flags=flags)


def arithmetic() -> Image:
    """Scalars of all sizes, predicates, calls and loops, reductions, dot products, divisions."""
    m = Machine()
    m.kernel(0, 0, """.symbol a sp n=8
.float 1.5, -2.25, 1e30, 1e-40, 0.0, 3.0, 4.0, 5.0
.var b sp n=8
va: .dsd mem1d base=a extent=8
vb: .dsd mem1d base=b extent=8
.func main
.entry
 mov16 R0 = 5;
loop:
 call twice;
 djnz R0, loop;
 mov64 Q4 = 0x123456789abcdef0;
 add64 Q8 = Q4, Q4;
 lt16 P1 = R1, 100;
 P1? add16 R2 = R1, 1;
 !P1? add16 R2 = R1, 2;
 ldd DD0 = [vb];
 lds0 SA0 = [va];
 lds1 SB0 = [va];
 fmuls [DD0] = [SA0], [SB0];
 mov32 D4 = 0x3f800000;
 fadds D4 = D4, [SB0];
 dots D6 = [SA0], [SB0];
 fdivs D8 = D6, D4;
 fmacas [DD0] = [SA0], D8;
 st32 [b] = D8;
 terminate;
twice:
 add16 R1 = R0, R0;
 jmpr R15;
""")  # fmt: skip
    return with_meta(m)


def switching() -> Image:
    """A color whose input and output move with control wavelets and flips."""
    m = Machine(3, 1)
    advance = control_payload(1, task=31)
    m.kernel(0, 0, sender(3, 1, [5, 6, 7], "advance_switch"), {"tx": 2, "rx": 3})
    m.kernel(1, 0, sender(1, 3, [advance], "control"), {"tx": 2, "rx": 2})
    m.kernel(2, 0, sender(1, 1, [9]), {"tx": 3, "rx": 2})
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>C")
    m.route(2, 0, 2, "L>C")
    code = arch.route_code(arch.C, 1 << arch.R)
    m.image.add_fill(Rect(0, 0, 1, 1), arch.SWITCH + 8, [arch.route_code(arch.C, 1 << arch.R) | arch.SWITCH_RING])
    m.image.add_fill(Rect(1, 0, 1, 1), arch.SWITCH + 8, [code | arch.SWITCH_RING])
    return with_meta(m)


def teardown() -> Image:
    """A color goes down behind a command, task 29 writes its route anew."""
    m = Machine(2, 1)
    m.kernel(0, 0, sender(1, 1, [control_payload(3, task=31)], "control"), {"tx": 2, "rx": 3})
    route = arch.route_code(arch.L, 1 << arch.C)
    m.kernel(1, 0, sender(1, 1, [4]) + f".task 29\n mov16 R0 = 0x{route:04x};\n st16 [0x{arch.ROUTE + 2:04x}] = R0;\n"
             f" mov16 R0 = 4;\n st16 [0x{arch.TEARDOWN_CLEAR:04x}] = R0; terminate;\n", {"tx": 3, "rx": 2})  # fmt: skip
    for x, color, way in ((0, 2, "C>R"), (1, 2, "L>C"), (1, 3, "C>L"), (0, 3, "R>C")):
        m.route(x, 0, color, way)
    return with_meta(m)


def busy() -> Image:
    """Iterators, FIFOs, microthreads that wait for each other, a join (tests of checkpoints)."""
    return test_checkpoint.image()


PROGRAMS = {
    "arithmetic": arithmetic,
    "busy": busy,
    "endless": lambda: test_checkpoint.image(test_checkpoint.ENDLESS),
    "late reader": lambda: with_meta(test_trace.machine(), {2: "east"}),
    "switches": switching,
    "teardown": teardown,
    "exchange": lambda: exchange.image(3, 3, 2),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_programs(name: str) -> None:
    image = PROGRAMS[name]()
    reference = note(image, "python", 900)
    same(reference, note(image, "fast", 900))
    assert len(reference.lines) > 60


@pytest.mark.parametrize("seed", range(400, 440))
def test_random_images(seed: int) -> None:
    """Swaps, banks, adders, filters, faults in the middle of a cycle; narrowed in some way; on several threads."""
    rng = random.Random(seed)
    image = random_image(seed, calm=seed % 2 == 0)
    classes = CLASSES if seed % 3 else tuple(c for c in CLASSES if rng.random() < 0.4) or ("landing",)
    first = rng.choice([0, 0, rng.randrange(90), rng.randrange(90)])
    last = rng.choice([None, first + rng.randrange(60)])
    x, y = rng.randrange(image.width), rng.randrange(image.height)
    rect = rng.choice([None, Rect(x, y, image.width - x, 1)])
    window: Window = (first, last, rect)
    files = bool(seed % 4)
    try:
        reference = note(image, "python", 300, classes, window, files=files)
    except UserError:
        return
    same(reference, note(image, "fast", 300, classes, window, 1 + seed % 2, files))


def test_what_the_reference_began(monkeypatch: pytest.MonkeyPatch) -> None:
    """engine=auto: the first cycles are the reference's, the others the engine's; operations go on in between."""
    for limit in range(50, 450, 50):
        monkeypatch.setattr(fast, "SMALL", limit)
        monkeypatch.setattr(fast, "COLD", limit)
        for name in ("busy", "late reader", "exchange"):
            image = PROGRAMS[name]()
            same(note(image, "python", 700), note(image, "auto", 700))


def test_nothing_is_recorded_outside_of_the_window() -> None:
    """A log of a few cycles of a long run does not cost more than those: the others run without records."""
    from fabric.engine import machine as engine
    from fabric.engine import step

    image = exchange.image(4, 4, 60)
    entries: list[tuple[object, int]] = []
    original = engine.Machine._run

    def run(m: engine.Machine, until: int, entry: object) -> int:
        entries.append((entry, until))
        return original(m, until, entry)  # type: ignore[arg-type]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engine.Machine, "_run", run)
        noted = note(image, "fast", 8000, ("landing",), (5000, 5020, None), files=False)
    watched = [until for entry, until in entries if entry is step.run_watched]
    assert watched == [5021]
    assert {int(line[1:].split(" ")[0]) for line in noted.lines} <= {*range(5000, 5021)}
    assert noted.lines == note(image, "python", 5100, ("landing",), (5000, 5020, None), files=False).lines


def test_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Logs and files are the same, of a whole run and of one that goes on from a core of the other engine."""
    elf = str(tmp_path / "a.elf")
    save_elf(exchange.image(3, 2, 2), elf)
    outs: dict[str, list[object]] = {}
    for engine, other in (("python", "fast"), ("fast", "python")):
        found: list[object] = []
        for name, more in (("whole", []), ("first", ["cycles=250"]), ("rest", [f"restart={tmp_path}/{other}-first.core"])):
            if name == "rest" and not Path(f"{tmp_path}/{other}-first.core").exists():
                assert main([f"elf={elf}", "cycles=250", f"core={tmp_path}/{other}-first.core", f"engine={other}"]) == 0
                capsys.readouterr()
            files = [f"{tmp_path}/{engine}-{name}.{kind}" for kind in ("core", "profile", "timeline")]
            asked = [f"{what}={file}" for what, file in zip(("core", "profile", "timeline"), files, strict=True)]
            words = [f"elf={elf}", f"engine={engine}", "debug=landing,stalls,inst_trace", "trace-from=100", *asked, *more]
            assert main([*words, "verbose=1"]) == 0
            out, err = capsys.readouterr()
            found.append([x for x in out.splitlines() if not x.startswith(("Simulation used", "@250 Going on from"))])
            found += [Path(file).read_text() for file in files[1:]]
            assert ("fast engine, threads=1" in err) == (engine == "fast")
        outs[engine] = found
    assert len(outs["python"]) == 9 and len(outs["python"][0]) > 1000  # type: ignore[arg-type]
    for a, b in zip(outs["python"], outs["fast"], strict=True):
        assert a == b
