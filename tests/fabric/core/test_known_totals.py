"""Totals of hardware.md 17 that the timing table was chosen for; the 201 cycles of a move are in test_threads."""

from __future__ import annotations

from core_bench import Machine


def test_a_stencil_point_with_four_exchanges_takes_22_to_24_cycles_an_iteration() -> None:
    """Two tiles exchange on four colors each way, sum what comes and scale it.

    slot 0 set-up, 1-4 sends; a send can be read ten cycles later: 11-14 the four multiply-adds, 15 load of the sum,
    18 its product, 19 the branch; the next iteration begins at 22, when the product can be used too.
    """
    ways = range(4)
    code = "".join(f".socket t{k} out {k} sp\n.socket r{k} in {k} sp\n" for k in ways)
    code += ".symbol s sp\n.float 0\n" + "".join(
        f"to{k}: .dsd fabout queue=t{k} extent=1\nfrom{k}: .dsd fabin queue=r{k} extent=1\n" for k in ways
    )
    code += "sum: .dsd mem1d base=s extent=1\n.func main\n.entry\n mov16 R15 = 5;\n mov32 D2 = 0x3e800000;\n mov32 D0 = 0x3f800000;\n ldd DD7 = [sum];\n"
    code += "".join(f" ldd DD{k} = [to{k}];\n lds0 SA{k} = [from{k}];\n" for k in ways)
    code += "again:\n" + "".join(f" mov32 [DD{k}] = D0;\n" for k in ways)
    code += "".join(f" fmacas [DD7] = [SA{k}], D2;\n" for k in ways)
    code += " ld32 D0 = [s];\n fmuls D0 = D0, 0x3f000000;\n djnz R15, again;\n terminate;"
    m = Machine(2, 1)
    for x in (0, 1):
        colors = {f"{d}{k}": 2 * k + (x if d == "t" else 1 - x) for k in ways for d in "tr"}
        m.kernel(x, 0, code, colors)
    for k in ways:
        m.route(0, 0, 2 * k, "C>R")
        m.route(1, 0, 2 * k, "L>C")
        m.route(1, 0, 2 * k + 1, "C>L")
        m.route(0, 0, 2 * k + 1, "R>C")
    assert m.run()
    begins = m.when("mov32 set-up")
    assert [b - a for a, b in zip(begins, begins[1:], strict=False)] == [22] * 4
    one = [(c - begins[1], w) for c, w in m.slots() if begins[1] <= c < begins[2]]
    assert one == [
        (0, "mov32 set-up"),
        *((1 + k, "mov32 #1") for k in ways),
        *((11 + k, "fmacas #1") for k in ways),
        (15, one[9][1]),
        (18, "fmuls D0 = D0, 0x3f000000"),
        (19, one[11][1]),
    ]


def test_the_inner_step_of_a_27_point_stencil_takes_about_38_cycles() -> None:
    """Two vector sends of 3, eight dot-product pieces of 3 from a queue and one of 2 from memory, two scalar
    operations. A neighbour sends values without end and takes what comes.

    slot 0 set-up, 1-6 the sends, 7-30 the pieces from the queue, 31-32 the last piece (no bank conflict); its sum can
    be used four cycles later, at 36; a second, independent operation at 37: 38 cycles.
    """
    me = """.socket tx out 0 sp
.socket rx in 0 sp
.org 0x100
.var a sp n=3
.org 0x112
.var w sp n=3
.var out sp
to: .dsd fabout queue=tx extent=3
from: .dsd fabin queue=rx extent=3
da: .dsd mem1d base=a extent=3
two: .dsd mem1d base=a extent=2
dw: .dsd mem1d base=w extent=3
.func main
.entry
 mov16 R0 = 40;
wait:
 djnz R0, wait;
 ldd DD0 = [to];
 lds0 SA0 = [da];
 lds0 SA1 = [from];
 lds0 SA2 = [two];
 lds1 SB0 = [dw];
 mov32 [DD0] = [SA0];
 mov32 [DD0] = [SA0];
 dotsx [SA1], [SB0];
""" + " dotskx [SA1], [SB0];\n" * 7 + """ dotsk D0 = [SA2], [SB0];
 fadds D4 = D0, 0x3f800000;
 fmuls D6 = D2, D2;
 terminate;"""
    other = """.socket tx out 0 sp
.socket rx in 0 sp
to: .dsd fabout queue=tx extent=0 endless
from: .dsd fabin queue=rx extent=0 endless
.func main
.entry
 ldd DD0 = [to];
 lds0 SA0 = [from];
 mov32 D0 = 0x3f800000;
 mov32.ut0 [DD0] = D0;
 mov32.ut1 D2 = [SA0]; terminate;"""
    m = Machine(2, 1)
    m.kernel(0, 0, me, {"tx": 2, "rx": 3})
    m.kernel(1, 0, other, {"tx": 3, "rx": 2})
    m.route(0, 0, 2, "C>R")
    m.route(1, 0, 2, "L>C")
    m.route(1, 0, 3, "C>L")
    m.route(0, 0, 3, "R>C")
    m.run(400)
    begin = m.when("mov32 set-up")[0]
    assert [c - begin for c in m.when("mov32 #")] == [1, 2, 3, 4, 5, 6]
    assert [c - begin for c, w in m.slots() if w.startswith("dots") and "#" in w] == list(range(7, 33))
    assert [c - begin for c in m.when("fadds") + m.when("fmuls") + m.when("terminate")] == [36, 37, 38]
