"""The checks of paint.md 6: golden messages on broken layouts, silence on correct ones, and random wirings against
a tile-by-tile reference."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from counting import calls
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import at_length
from naive_checks import Naive
from wired import brief, findings, shown, wired

from diag.spans import Source
from fabric import arch
from paint import checks
from paint.passing import _areas
from paint.rules import Position, Rule
from paint.tiles import TileSet, union
from paint.walk import Walk
from paint.wiring import Passing, Queue, Routed, Wiring

CASES = Path(__file__).parent / "cases" / "checks"


@pytest.mark.parametrize("path", sorted(CASES.glob("*.paint")), ids=lambda p: p.stem)
def test_broken_layouts(path: Path) -> None:
    """Each broken layout gives the messages beside it (GOLDEN=write rewrites them; a person reads the difference)."""
    text = shown(path.read_text()) + "\n"
    golden = path.with_suffix(".out")
    if os.environ.get("GOLDEN") == "write":
        golden.write_text(text)
    assert text == golden.read_text()
    assert path.stem[:5].upper() in text


def test_every_code_has_two_cases() -> None:
    stems = [p.stem[:5] for p in CASES.glob("*.paint")]
    assert all(stems.count(f"pt{n}") >= 2 for n in range(601, 615))


# -- correct layouts ----------------------------------------------------------------------------------------------

STEP_1 = """
let a = color()
let b = color()
let send = rect(0 0 1 1)
send : code('send [tx:a N:4])
send : paint(a [C>R])
send : name('send)
let recv = rect(1 0 1 1)
recv : code('recv [rx:b N:4])
recv : paint(b [LHC]) (* b takes a from the left, for the core *)
recv : paint(a [LHC]) (* a takes b, so it does not also claim a *)
recv : name('recv)
let row = rect(0 0 2 1)
row : colorpair(a b)
union(row send recv)
"""

STEP_2 = """
let r = color()
let rp = color()
let row = rect(0 0 K+2 1)
row : paint(rp [CXR|R])
row : paint(r [L|LXC])
row : colorpair(r rp)
let src = rect(0 0 1 1)
src : code('send [tx:r N:4])
let stages = rect(1 0 K 1)
stages : code('stage [br:r N:4])
let sink = rect(K+1 0 1 1)
sink : code('recv [rx:r N:4])
union(row src stages sink)
"""

# S0:191-203 over a whole grid: each row is wrapped around by its moats.
WRAPPED = """
let c0 = color()
let c0x = color()
let d = color()
let left = rect(0 0 1 NY)
left : paint(c0x [RXR])
left : paint(c0 [RXR])
let right = rect(NX+1 0 1 NY)
right : paint(c0x [LXL])
right : paint(c0 [LXL])
let grid = rect(1 0 NX NY)
grid : paint(c0x [R>L])
let first = rect(1 0 1 NY)
first : code('first [rx:c0 td:d])
first : paint(c0 [L>C])
first : paint(d [C>R])
let mid = rect(2 0 NX-2 NY)
mid : code('mid [])
mid : paint(d [L>R])
let last = rect(NX 0 1 NY)
last : code('last [tx:c0 rd:d])
last : paint(c0 [C>R])
last : paint(d [L>C])
let all = union(left right grid first mid last)
all : colorpair(c0 c0x)
all
"""

# S0:182-189: four sockets, four pairs and the same eight rules on every tile, in a border that answers.
HALO = """
let a = color() let ap = color()
let b = color() let bp = color()
let c = color() let cp = color()
let d = color() let dp = color()
let all = rect(0 0 NX+2 NY+2)
all : paint(ap [CXR|R]) all : paint(a [L|LXC])
all : paint(bp [CXL|L]) all : paint(b [R|RXC])
all : paint(cp [CXU|U]) all : paint(c [D|DXC])
all : paint(dp [CXD|D]) all : paint(d [U|UXC])
all : colorpair(a ap) all : colorpair(b bp) all : colorpair(c cp) all : colorpair(d dp)
let grid = rect(1 1 NX NY)
grid : code('cell [ba:a bb:b bc:c bd:d])
let west = rect(0 1 1 NY)
west : code('answer [ta:a rb:b])
let east = rect(NX+1 1 1 NY)
east : code('answer [ta:b rb:a])
let south = rect(1 0 NX 1)
south : code('answer [ta:c rb:d])
let north = rect(1 NY+1 NX 1)
north : code('answer [ta:d rb:c])
union(all grid west east south north)
"""

# hardware.md 18: each tile sends, then lets its left neighbours pass.
CHAIN = """
let c = color()
let row = rect(0 0 N 1)
row : code('node [tx:c])
row : paint(c [C>R; L>R; pop=adv ring])
let end = tile()
end : code('end [rx:c])
end : paint(c [L>C])
hstack(row end)
"""

ADDER = """
let c = color()
let head = tile()
head : code('head [tx:c])
head : paint(c [C>R])
let mid = rect(0 0 N 1)
mid : code('add [tx:c])
mid : paint(c [L>R; fabadder])
let tail = tile()
tail : code('recv [rx:c])
tail : paint(c [L>C])
hstack(head mid tail)
"""

PASSING = """
let b0 = bank(0) let b1 = bank(1)
let c0 = color(b0) let c1 = color(b1)
let grid = rect(0 0 NX NY)
grid : code('node [b0:c0 b1:c1])
grid : mp(b0) grid : mp(b1)
grid
"""

BROADCAST = """
let c = color()
let row = rect(0 0 2*N+1 1)
let src = rect(N 0 1 1)
src : code('src [tx:c]) src : paint(c [C>LR])
let left = rect(0 0 N 1)
left : code('dst [rx:c]) left : paint(c [R>CL|L])
let right = rect(N+1 0 N 1)
right : code('dst [rx:c]) right : paint(c [L>CR|R])
union(src left right)
"""

# Two neighbours that take turns, and a tile beside them that sets its routes at run time.
TURNS = """
let c = color() let free = color()
let a = tile()
a : code('turn [bc:c]) a : paint(c [C>R; R>C])
let b = tile()
b : code('turn [bc:c tf:free]) b : paint(c [L>C; C>L]) b : paint(free [C>R])
let s = tile()
s : code('selfrouter [bf:free])
let e = tile()
e : code('end [rf:free]) e : paint(free [L>C])
hstack(a b s e)
"""

# A copy by a swap (S0:129): b takes a's wavelets along downward, a goes on to the right.
COPY = """
let a = color() let b = color()
let src = rect(0 1 1 1)
src : code('src [ta:a]) src : paint(a [C>R])
let fork = rect(1 1 1 1)
fork : paint(a [L>R]) fork : paint(b [LHD])
let one = rect(2 1 1 1)
one : code('one [ra:a]) one : paint(a [L>C])
let two = rect(1 0 1 1)
two : code('two [rb:b]) two : paint(b [U>C])
let all = union(src fork one two)
all : colorpair(a b)
all
"""

DISCARD = """
let c = color()
let a = tile()
a : code('a [tc:c]) a : paint(c [C>R])
let b = tile()
b : paint(c [L>])
hstack(a b)
"""

TRANSPORT = """
let c = color()
let a = tile()
a : code('a [tc:c]) a : paint(c [C>])
a : paint(c [C>R])
let b = tile()
b : code('b [rc:c]) b : paint(c [>C])
b : paint(c [L>C])
hstack(a b)
"""

CORRECT = {
    "swap": (STEP_1, {}),
    "pipeline of no stages": (STEP_2, {"K": 0}),
    "pipeline of one": (STEP_2, {"K": 1}),
    "pipeline": (STEP_2, {"K": 40}),
    "wrapped rows": (WRAPPED, {"NX": 5, "NY": 3}),
    "wrapped rows, short": (WRAPPED, {"NX": 2, "NY": 1}),
    "halo": (HALO, {"NX": 4, "NY": 3}),
    "halo of one cell": (HALO, {"NX": 1, "NY": 1}),
    "switched chain": (CHAIN, {"N": 6}),
    "adder chain": (ADDER, {"N": 3}),
    "message passing": (PASSING, {"NX": 4, "NY": 3}),
    "broadcast": (BROADCAST, {"N": 4}),
    "turns": (TURNS, {}),
    "copy": (COPY, {}),
    "discard": (DISCARD, {}),
    "transport": (TRANSPORT, {}),
}


@pytest.mark.parametrize("name", CORRECT)
def test_correct_layouts_are_silent(name: str) -> None:
    text, given = CORRECT[name]
    assert shown(text, **given) == ""


def test_self_routing_silences_its_tile_only() -> None:
    """The sender without a rule routes for itself; the same kernel under another name gets a warning."""
    text = """
        let c = color()
        let t = tile()
        t : code('{name} [tx:c])
        let e = tile()
        e : code('end [rx:c])
        e : paint(c [L>C])
        hstack(t e)
    """
    assert shown(text.format(name="selfmade")) == ""
    assert [f[0] for f in brief(text.format(name="plain"))] == ["PT610", "PT606"]


def test_message_areas_of_other_shapes() -> None:
    """What does get through is silent: one direction round the corner of an L, areas of their own; a gap is not."""
    corner = """
        let b = bank(0) let core = color(b)
        let a = union(rect(0 0 4 1) rect(0 1 1 3)) a : mp(b)
        let s = rect(3 0 1 1) s : code('s [tx:core])
        let r = rect(0 3 1 1) r : code('r [rx:core])
        union(a s r)
    """
    assert shown(corner) == ""
    assert [f[0] for f in brief(corner.replace("[tx", "[bx").replace("[rx", "[bx"))] == ["PT615"]
    two = "let b = bank(0) let core = color(b) let a = rect(0 0 3 2) a : mp(b) a : code('n [bx:core]) hstackrep(a 2 1)"
    assert shown(two) == ""
    alone = "let b = bank(0) let a = tile() a : mp(b) {}"
    assert shown(alone.format("a")) == ""
    gap = [("PT612", "bank 0", "", [(2, 0, 1, 1)])]
    assert brief(alone.format("hstack(a a tile() a)")) == gap
    assert brief(alone.format("union(vstack(a a) place(a 2 0))")) == [("PT612", "bank 0", "", [(1, 0, 1, 1)])]


def test_a_kernel_that_reads_its_place_may_leave_sockets_unused() -> None:
    """Only such a kernel is trusted to know where it has no route; the routes themselves are judged as all others."""
    text = """
        let c = color()
        let t = rect(0 0 3 1)
        t : code('{name} [tc:c rc:c])
        let s = tile()
        s : paint(c [C>R])
        union(t s)
    """
    assert [f[:2] for f in brief(text.format(name="placed"))] == [("PT605", "c")]
    assert [f[:2] for f in brief(text.format(name="plain"))] == [("PT610", "c"), ("PT616", "c"), ("PT605", "c")]
    row = "let c = color() let t = rect(0 0 3 1) t : code('{name} [tc:c]) t : paint(c [C>R]) t"
    assert [f[0] for f in brief(row.format(name="placed"))] == ["PT602", "PT604"]
    assert [f[0] for f in brief(row.format(name="plain"))] == ["PT601", "PT602"]


def test_boundary_operator_is_the_cure() -> None:
    """The hints of PT602 and PT606 work: the same row with boundary operators is silent but for the unfed head."""
    row = "let c = color() let r = rect(0 0 4 1) r : code('relay [rx:c tx:c]) r : paint(c {rule}) r"
    assert "PT606" in shown(row.format(rule="[L>CR|R]"))
    assert "PT606" not in shown(row.format(rule="[L|L>CR|R]"))


# -- random wirings -------------------------------------------------------------------------------------------------

SIZE = 7
SOURCE = Source("random", "x" * 4000)


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    def position() -> Position:
        side = draw(st.sampled_from([None, 0, 1, 2, 3, 4]))
        outputs = draw(st.lists(st.sampled_from(range(5)), max_size=2))
        return Position(0 if side is None else 1 << side, sum(1 << o for o in set(outputs)))

    positions = [position() for _ in range(draw(st.sampled_from([1, 1, 1, 2])))]
    return Rule(tuple(positions), draw(st.sampled_from(">>>HVX")))


@st.composite
def straight(draw: st.DrawFn) -> Rule:
    """A rule as layouts have it: on to the other side, around a corner, from or to the core."""
    side = draw(st.sampled_from(range(5)))
    out = draw(st.sampled_from([p for p in range(5) if p != side]))
    more = draw(st.sampled_from([0, 0, 1 << arch.C]))
    return Rule((Position(1 << side, (1 << out | more) & ~(1 << side)),), draw(st.sampled_from(">>>>HVX")))


@st.composite
def boxes(draw: st.DrawFn) -> TileSet:
    x, y = draw(st.integers(0, SIZE - 1)), draw(st.integers(0, SIZE - 1))
    w, h = draw(st.integers(1, SIZE)), draw(st.integers(1, SIZE))
    return TileSet.box(x, y, min(w, SIZE - x), min(h, SIZE - y))


@st.composite
def wirings(draw: st.DrawFn) -> Wiring:
    tiles = TileSet.box(0, 0, draw(st.integers(3, SIZE)), draw(st.integers(1, SIZE)))
    made = Wiring(tiles)
    place = iter(range(1000))
    for number in (4, 5):
        rest = tiles
        for _ in range(draw(st.integers(0, 5))):
            where = draw(boxes()) & rest
            if where:
                rest = rest - where
                at = next(place)
                rule = draw(st.one_of(rules(), straight()))
                made.routed.append(Routed(number, f"c{number}", rule, SOURCE.span(at, at + 1), where))
        for sends in (True, False):
            where = draw(boxes()) & tiles
            if where and draw(st.booleans()):
                name = f"{'t' if sends else 'r'}{number}"
                at = next(place)
                made.queues.append(Queue(number, f"c{number}", name, "k", sends, SOURCE.span(at, at + 1), where))
    if draw(st.integers(0, 3)) == 0:
        made.self_routing = draw(boxes()) & tiles
    if draw(st.integers(0, 3)) == 0:
        made.by_place = draw(boxes()) & tiles
    return made


@st.composite
def routed(draw: st.DrawFn) -> Wiring:
    """A path that turns and may come back to its start, with a swap here and there, then something painted over."""
    tiles = TileSet.box(0, 0, SIZE, SIZE)
    x, y = draw(st.integers(0, SIZE - 1)), draw(st.integers(0, SIZE - 1))
    ring = draw(st.booleans())
    if ring:
        x, y = draw(st.integers(0, 3)), draw(st.integers(0, 3))
        w, h = draw(st.integers(1, SIZE - 1 - x)), draw(st.integers(1, SIZE - 1 - y))
        ports = [arch.R] * w + [arch.U] * h + [arch.L] * w + [arch.D] * h
    else:
        legs = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(1, 5)), min_size=1, max_size=4))
        ports = [port for port, n in legs for _ in range(n)]
    number = 4
    side = arch.OPPOSITE[ports[-1]] if ring else arch.C
    first = (x, y)
    cells: dict[tuple[int, int, int], tuple[int, int, bool]] = {}
    swap = False
    for port in ports:
        if not (0 <= x < SIZE and 0 <= y < SIZE) or (x, y, number) in cells or port == side:
            break
        cells[x, y, number] = side, 1 << port, swap
        x, y, side = x + arch.STEP[port][0], y + arch.STEP[port][1], arch.OPPOSITE[port]
        swap = draw(st.integers(0, 9)) == 0
        number ^= swap
    if not ring and (x, y, number) not in cells:
        cells[x, y, number] = side, 1 << arch.C, swap
    made = Wiring(tiles)
    place = iter(range(1000))
    extra = draw(st.sampled_from([0, 0, 1 << arch.C]))
    groups: dict[tuple[int, Rule], list[TileSet]] = {}
    over = draw(boxes()) if draw(st.integers(0, 2)) == 0 else TileSet.box(0, 0, 0, 0)
    for (i, j, n), (from_, out, swapped) in cells.items():
        if 0 <= i < SIZE and 0 <= j < SIZE and not over.has(i, j):
            positions = [Position(1 << from_, out | (extra & ~(1 << from_)))]
            if ring and (i, j) == first:
                way_in = draw(st.sampled_from([None, Position(1 << arch.C, out), Position(1 << from_, 1 << arch.C)]))
                positions += [way_in] if way_in else []
            rule = Rule(tuple(positions), "X" if swapped else ">")
            groups.setdefault((n, rule), []).append(TileSet.box(i, j, 1, 1))
            if swapped and draw(st.integers(0, 3)):
                stay = Rule((Position(0, 1),), "X")
                if (i, j, n ^ 1) not in cells:
                    groups.setdefault((n ^ 1, stay), []).append(TileSet.box(i, j, 1, 1))
    for (n, rule), sets in groups.items():
        at = next(place)
        made.routed.append(Routed(n, f"c{n}", rule, SOURCE.span(at, at + 1), union(sets)))
    ends = [TileSet.box(*first, 1, 1)] if draw(st.booleans()) else []
    for sends, where in ((True, union(ends)), (False, TileSet.box(x, y, 1, 1) & tiles)):
        for n in (4, 5):
            if where and draw(st.integers(0, 4)):
                at = next(place)
                name = f"{'t' if sends else 'r'}{n}"
                made.queues.append(Queue(n, f"c{n}", name, "k", sends, SOURCE.span(at, at + 1), where))
    if draw(st.integers(0, 6)) == 0:
        made.self_routing = draw(boxes())
    return made


def spread(found: list[checks.Finding]) -> set[tuple[str, str, str, tuple[int, int]]]:
    """Findings but loops as (code, number or socket, direction, tile)."""
    result = set()
    for f in found:
        if f.code != "PT611":
            what = str(f.args["socket"] if f.code in ("PT610", "PT616") else f.args["number"])
            for b in f.tiles.boxes():
                for x in range(b.x, b.x + b.w):
                    for y in range(b.y, b.y + b.h):
                        result.add((f.code, what, f.direction, (x, y)))
    return result


@settings(max_examples=130, deadline=None)
@given(st.one_of(wirings(), routed()))
def test_findings_as_the_tile_by_tile_reference(wiring: Wiring) -> None:
    assert spread(checks.check(wiring)) == Naive(wiring, SIZE).findings()


def messages_stop(area: set[tuple[int, int]], froms: set[tuple[int, int]], to: set[tuple[int, int]]) -> set[tuple[int, int]]:
    """The first tile without the bank on the way of each message that does not get through: X first, then Y."""
    stops = set()
    for x, y in froms:
        for at in to:
            way = [(i, y) for i in range(x, at[0], 1 if at[0] > x else -1)]
            way += [(at[0], j) for j in range(y, at[1], 1 if at[1] > y else -1)]
            stops |= set([t for t in way if t not in area][:1])
    return stops


@settings(max_examples=200, deadline=None)
@given(st.lists(boxes(), min_size=1, max_size=3), st.booleans(), st.lists(boxes(), min_size=2, max_size=2))
def test_messages_get_through_where_no_finding_says_otherwise(
    parts: list[TileSet], coded: bool, roles: list[TileSet]
) -> None:
    """A connected area is silent just when every sender reaches every receiver; without code all tiles are both."""
    area = union(parts)
    if len(list(_areas(area))) > 1:
        return
    span = SOURCE.span(0, 1)
    queues = [
        Queue(16, "b", "s", "k", sends, span, where & area)
        for sends, where in zip((True, False), roles, strict=True)
        if coded and where & area
    ]
    made = Wiring(TileSet.box(0, 0, SIZE, SIZE), queues=queues, passing={0: Passing(area, span)})
    every = {(x, y) for x in range(SIZE) for y in range(SIZE)}
    inside = {t for t in every if area.has(*t)}
    froms = {t for t in every for q in queues if q.sends and q.tiles.has(*t)}
    to = {t for t in every for q in queues if not q.sends and q.tiles.has(*t)}
    if not froms and not to:
        froms = to = inside
    found = [f for f in checks.check(made) if f.code in ("PT612", "PT615")]
    if not messages_stop(inside, inside, inside):
        assert not found
    if messages_stop(inside, froms, to):
        assert found
    for f in found:
        if f.code == "PT615":
            assert messages_stop(inside, {f.args["sender"]}, {f.args["receiver"]})
            assert not any(area.has(*t) for t in every if f.tiles.has(*t))


@settings(max_examples=100, deadline=None)
@given(st.one_of(wirings(), routed()))
def test_loops_as_the_tile_by_tile_reference(wiring: Wiring) -> None:
    """A circle is found when there is one, and each one found is one."""
    edges, inside = Naive(wiring, SIZE).circling()
    walk = Walk(wiring, 4)
    circles = list(walk.loops())
    assert bool(circles) == bool(inside)
    for circle in circles:
        assert len(set(circle)) == len(circle) > 1
        for (n, s), bit in circle:
            box = walk.plane.box(bit)
            assert ((box.x, box.y), n, "LRUDC"[s]) in inside


ANY = st.one_of(wirings(), routed())
test_findings_at_length = at_length(test_findings_as_the_tile_by_tile_reference, ANY, 400)
test_loops_at_length = at_length(test_loops_as_the_tile_by_tile_reference, ANY, 300)


# -- scale ------------------------------------------------------------------------------------------------------------


def test_the_whole_wafer_takes_no_more_than_a_corner_of_it() -> None:
    """The work grows with rows and columns, by a few calls each, and not with the 893,064 tiles."""
    silent, small = calls(lambda: shown(HALO, NX=4, NY=3))
    assert silent == ""
    silent, large = calls(lambda: shown(HALO, NX=760, NY=1170))
    assert silent == ""
    assert large < small + 60 * (762 + 1172)


CHECKERED = """
let c = color() let d = color()
let a = tile() a : code('k [tc:c]) a : paint(c [C>R]) a : paint(d [L>R])
let b = tile() b : code('k [rc:c]) b : paint(c [L>C]) b : paint(d [L>R])
let e = tile() e : code('k [tc:c]) e : paint(c [C>R]) e : paint(d [R>L])
let f = tile() f : code('deaf []) f : paint(c [L>C]) f : paint(d [R>L])
vstackrep(hstackrep(vstack(hstack(e f) hstack(a b)) NX) NY)
"""


def test_a_checkered_wafer() -> None:
    """Rows of pairs, in every second row along R and in the others along L, on the whole wafer."""
    _, small = calls(lambda: findings(CHECKERED, NX=2, NY=2))
    wrong, large = calls(lambda: findings(CHECKERED, NX=381, NY=586))
    assert sorted((f.code, f.color, f.tiles.count()) for f in wrong) == [
        ("PT602", "d", 586),
        ("PT602", "d", 586),
        ("PT606", "d", 586),
        ("PT606", "d", 586),
        ("PT609", "c", 381 * 586),
    ]
    assert large < small + 150 * (762 + 1172)


def triangle(n: int) -> Wiring:
    """Rows of all lengths up to n: each sends along to its end; that of the first has nobody who receives."""
    rows = [TileSet.box(1, y, n - y, 1) for y in range(n)]
    ends = [TileSet.box(n + 1 - y, y, 1, 1) for y in range(n)]
    span = [SOURCE.span(i, i + 1) for i in range(9)]
    head = TileSet.box(0, 0, 1, n)
    return Wiring(
        TileSet.box(0, 0, n + 2, n),
        [
            Routed(0, "c", Rule((Position(1 << arch.C, 1 << arch.R),)), span[0], head),
            Routed(0, "c", Rule((Position(1 << arch.L, 1 << arch.R),)), span[1], union(rows)),
            Routed(0, "c", Rule((Position(1 << arch.L, 1 << arch.C),)), span[2], union(ends)),
        ],
        [
            Queue(0, "c", "t", "k", True, span[3], head),
            Queue(0, "c", "r", "k", False, span[4], union(ends[1:])),
        ],
    )


def test_a_pattern_that_cannot_be_drawn_together() -> None:
    """Twice the rows are twice the work, though they are four times the tiles."""
    half, whole = triangle(150), triangle(300)
    _, small = calls(lambda: checks.check(half))
    found, large = calls(lambda: checks.check(whole))
    assert [(f.code, list(f.tiles.boxes())) for f in found] == [("PT609", [(301, 0, 1, 1)])]
    assert large < 2.5 * small


def test_wiring_reaches_to_the_last_tile() -> None:
    made = wired("let c = color() let a = tile() a : code('a [tc:c]) a : paint(c [C>]) place(a 2 3)")
    assert made.tiles == TileSet.box(0, 0, 3, 4)
    assert [q.socket for q in made.queues] == ["tc"]
