"""Teardown broadcast and re-routing at run time (hardware.md 16, 18): after a value a TEARDOWN takes the color down
at every router it passes; each tile's task 29 writes the route anew, or leaves it down until the program needs it."""

from __future__ import annotations

import pytest
from programs import run

COLOR = 3
LAYOUT = f"""let c = color({COLOR})
let root = tile()
root : code('root [line:c])
root : paint(c [C>R])
root : name('root)
let mid = tile()
mid : code('mid [line:c])
mid : paint(c [L>CR])
let row = hstackrep(mid K-1)
row : name('row)
let end = tile()
end : code('end [line:c])
end : paint(c [L>C])
end : name('end)
hstack(root row end)
"""
# Routes: input in bits 7:5 (L 0, R 1, U 2, D 3, C 4), outputs L R U D C from bit 0.
C_TO_L, R_TO_CL, R_TO_C = 4 << 5 | 1, 1 << 5 | 16 | 1, 1 << 5 | 16


def kernel(route: int, body: str, handler: str = "route[0] = {route};") -> str:
    """A kernel whose teardown handler writes its route of the color."""
    return f"""sp socket line;
u16 route[1] address(0x{0x7C00 + COLOR:04x});
wv down = {{0x0000, 0x01c0}};
sp first;
sp back;
#pragma teardown on
{{ {handler.format(route=route)} }}
main {{
  {body}
}}
"""


ROOT = """line[] <- 2.5;
  line[] <- control(down);
  #pragma uthread enable on
  back <- line[];"""
MID = """#pragma uthread enable on
  {
    first <- line[];
    back <- line[];
  }"""
END = """#pragma uthread enable on
  {
    first <- line[];
    line[] <- first + 1.0;
  }"""


@pytest.mark.parametrize("tiles", [1, 2, 5, 12])
def test_each_tile_turns_its_route_around(tiles: int) -> None:
    files = {
        "bench.paint": LAYOUT,
        "root.w": kernel(R_TO_C, ROOT),
        "mid.w": kernel(R_TO_CL, MID),
        "end.w": kernel(C_TO_L, END),
    }
    r = run(files, K=tiles)
    assert r.status == "done", r.why_blocked()
    assert r.get("root.back").ravel().tolist() == [3.5]
    assert r.get("end.first").ravel().tolist() == [2.5]
    if tiles > 1:
        assert r.get("row.first").ravel().tolist() == [2.5] * (tiles - 1)
        assert r.get("row.back").ravel().tolist() == [3.5] * (tiles - 1)
    fabric = r.simulation.fabric
    assert fabric is not None
    routes = [fabric.tiles[x, 0].read_word(0x7C00 + COLOR) for x in range(tiles + 1)]
    assert routes == [R_TO_C, *[R_TO_CL] * (tiles - 1), C_TO_L]


@pytest.mark.parametrize("tiles", [1, 2, 5])
def test_a_color_left_down_until_the_program_needs_it(tiles: int) -> None:
    # The handlers only acknowledge. The end answers after a while; the others open their routes after they have counted.
    wait = "xp pause = {n};\n  while (pause > 0) {{ pause = pause - 1; }}\n  route[0] = {route};"
    files = {
        "bench.paint": LAYOUT,
        "root.w": kernel(
            R_TO_C,
            "line[] <- 2.5;\n  line[] <- control(down);\n  "
            + wait.format(n=400, route=R_TO_C)
            + "\n  #pragma uthread enable on\n  back <- line[];",
            "",
        ),
        "mid.w": kernel(
            R_TO_CL,
            "#pragma uthread enable on\n  first <- line[];\n  " + wait.format(n=200, route=R_TO_CL)
            + "\n  #pragma uthread enable on\n  back <- line[];",
            "",
        ),
        "end.w": kernel(
            C_TO_L,
            "#pragma uthread enable on\n  first <- line[];\n  " + wait.format(n=100, route=C_TO_L)
            + "\n  #pragma uthread enable on\n  line[] <- first + 1.0;",
            "",
        ),
    }
    r = run(files, K=tiles)
    assert r.status == "done", r.why_blocked()
    assert r.get("root.back").ravel().tolist() == [3.5]
    if tiles > 1:
        assert r.get("row.back").ravel().tolist() == [3.5] * (tiles - 1)


def test_a_queue_that_is_given_another_color() -> None:
    # The receiver reads two values on one color, then sets its queue's register to the other.
    layout = """let a = color(3)
let b = color(5)
let s = tile()
s : code('send [ta:a tb:b])
s : paint(a [C>R])
s : paint(b [C>R])
let r = tile()
r : code('recv [rx:a])
r : paint(a [L>C])
r : paint(b [L>C])
r : name('r)
hstack(s r)
"""
    send = """sp socket ta;
sp socket tb;
main {
  ta[] <- 1.0;
  ta[] <- 2.0;
  tb[] <- 3.0;
  tb[] <- 4.0;
}
"""
    recv = """sp socket rx[[dir=in, id=2]];
u16 queue[1] address(0x7bc4);
sp got[4];
main {
  got[0] <- rx[];
  got[1] <- rx[];
  queue[0] = 5;
  got[2] <- rx[];
  got[3] <- rx[];
}
"""
    r = run({"bench.paint": layout, "send.w": send, "recv.w": recv})
    assert r.status == "done", r.why_blocked()
    assert r.get("r.got").ravel().tolist() == [1.0, 2.0, 3.0, 4.0]
