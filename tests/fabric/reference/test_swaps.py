"""Color swaps, step by step as S0:103-208."""

from __future__ import annotations

import pytest
from fabric_bench import Bench

from fabric.reference.fault import FabricFault

A, B = 4, 5  # partners: 4 ^ 1 = 5


def test_step_1_changes_a_wavelets_color() -> None:
    #   P0  A [C>R]            wavelet lands on A at 5
    #   P1  B [LHC], A [LHC]   arrives on A from the left at 7, and is on B
    b = Bench(2)
    b.rule(0, 0, A, "[C>R]")
    b.rule(1, 0, B, "[LHC]")
    b.rule(1, 0, A, "[LHC]")
    b.out(0, 0, 0, A).stream(0, 0, [1, 2])
    receiver = b.inp(1, 0, 0, B)
    receiver.drain(0)
    b.run()
    assert b.seen.landings == [
        (5, "P0.0", A, "R", 1),
        (6, "P0.0", A, "R", 2),
        (7, "P1.0", B, "W", 1),
        (8, "P1.0", B, "W", 2),
    ]
    assert receiver.got == [(10, 0, 1), (11, 0, 2)]


def test_step_1_without_the_partners_swap_nothing_arrives() -> None:
    # A reads its own wavelets as well, has no route for them, and so both wait (S0:153-156).
    b = Bench(2)
    b.rule(0, 0, A, "[C>R]")
    b.rule(1, 0, B, "[LHC]")
    b.out(0, 0, 0, A).send(0, 0, 1)
    b.inp(1, 0, 0, B)
    b.run()
    assert b.landed("P1.0") == []
    assert b.held(0, 0, A) == [1]


def test_a_wavelet_goes_to_every_color_that_reads_it() -> None:
    # A unswapped from the left, B swapped: a copy on each, both landing at 7, only when both have room.
    b = Bench(2)
    b.rule(0, 0, A, "[C>R]")
    b.rule(1, 0, A, "[L>C]")
    b.rule(1, 0, B, "[LHC]")
    b.out(0, 0, 0, A).stream(0, 0, range(6))
    b.inp(1, 0, 0, A).drain(0)
    b.inp(1, 0, 2, B)  # four places that nobody empties, then four in the router
    b.run()
    on_a = [d for _, _, d in b.landed("P1.0", A)]
    on_b = [d for _, _, d in b.landed("P1.0", B)]
    assert on_a == on_b == [0, 1, 2, 3, 4, 5]
    idents = {(c, i) for _, p, c, i in b.seen.idents if p == "P1.0"}
    assert {i for c, i in idents if c == A} == {i for c, i in idents if c == B}  # copies keep the ident
    # With the queue of B full (0-3) and its buffer full (4-7), A gets no more either.
    b.core(0).stream(100, 0, range(6, 12))
    b.run()
    assert [d for _, _, d in b.landed("P1.0", A)] == [*range(8)]
    assert b.held(0, 0, A) == [8, 9, 10, 11]


def test_nobody_reads_it_could_not_land() -> None:
    # A [LHC] reads B's arrivals from the left, and nothing reads A's: the wavelet leaves P0 at 6, cannot land at 7.
    b = Bench(2)
    b.rule(0, 0, A, "[C>R]")
    b.rule(1, 0, A, "[LHC]")
    b.out(0, 0, 0, A).send(0, 0, 1)
    with pytest.raises(FabricFault) as e:
        b.run()
    fault = e.value
    assert (fault.code, fault.cycle, fault.x, fault.y, fault.color, fault.direction) == ("FB401", 7, 1, 0, A, "W")
    assert "arriving wavelet could not land: color 4 from link W at P1.0, cycle 7" in str(fault)


def test_from_the_core_could_not_land() -> None:
    # [CXR] on A: A takes what the core sends on B, and nothing reads what it sends on A.
    b = Bench(2)
    b.rule(0, 0, A, "[CXR]")
    b.out(0, 0, 0, A).send(0, 0, 1)
    with pytest.raises(FabricFault) as e:
        b.run()
    assert (e.value.cycle, e.value.x, e.value.color, e.value.direction) == (5, 0, A, "R")


def test_h_does_not_swap_up_and_down() -> None:
    #  B [UHC]: U is not swapped by H, so B takes its own wavelets from the south.
    b = Bench(1, 2)
    b.rule(0, 1, B, "[C>D]")
    b.rule(0, 0, B, "[UHC]")
    b.out(0, 1, 0, B).send(0, 0, 1)
    b.inp(0, 0, 0, B)
    b.run()
    assert b.landed("P0.0") == [(7, "S", 1)]


def test_v_swaps_up_and_down() -> None:
    b = Bench(1, 2)
    b.rule(0, 1, B, "[C>D]")
    b.rule(0, 0, A, "[UVC]")
    b.rule(0, 0, B, "[UVC]")
    b.out(0, 1, 0, B).send(0, 0, 1)
    b.inp(0, 0, 0, A)
    b.run()
    assert b.seen.landings == [(5, "P0.1", B, "R", 1), (7, "P0.0", A, "S", 1)]


def step_2(stages: int) -> Bench:
    """The row of S0:157-187: r = A, rp = B on every tile; source, stages and sink."""
    b = Bench(stages + 2)
    for x in range(stages + 2):
        b.rule(x, 0, B, "[CX]" if x == stages + 1 else "[CXR]")
        b.rule(x, 0, A, "[XC]" if x == 0 else "[LXC]")
        b.out(x, 0, 0, A)
        b.inp(x, 0, 0, A)
    return b


def test_step_2_one_socket_for_a_whole_row() -> None:
    # The core sends on A and its wavelet is on B at once (landing 5), crosses, and lands on A in the next tile at 7.
    b = step_2(1)
    b.core(0).send(0, 0, 1)
    b.core(1).take(10, 0)  # 7 + 3
    b.core(1).send(10, 0, 2)  # lands on R at 15
    b.core(2).take(20, 0)
    b.run()
    assert b.seen.landings == [
        (5, "P0.0", B, "R", 1),
        (7, "P1.0", A, "W", 1),
        (15, "P1.0", B, "R", 2),
        (17, "P2.0", A, "W", 2),
    ]
    assert b.core(1).got == [(10, 0, 1)]
    assert b.core(2).got == [(20, 0, 2)]


def test_step_2_with_h_nothing_reaches_the_sink() -> None:
    # With r [LHC], r's core input still reads what the core sends on r and has no route from the core (S0:183-186).
    b = step_2(1)
    b.rule(0, 0, A, "[LHC]")
    b.core(0).send(0, 0, 1)
    b.run()
    assert b.seen.landings == []
    assert b.fabric.tile(0, 0).output_queues[0].wavelets == 1


def test_step_3_all_four_neighbours() -> None:
    # Four pairs, eight rules on every tile of 3 x 3; each tile sends its number in all four directions.
    pairs = {"R": (0, "L"), "L": (2, "R"), "U": (4, "D"), "D": (6, "U")}
    b = Bench(3, 3)
    for y in range(3):
        for x in range(3):
            edges = {"R": x == 2, "L": x == 0, "U": y == 2, "D": y == 0}
            for queue, (out, (color, back)) in enumerate(pairs.items()):
                b.rule(x, y, color + 1, "[CX]" if edges[out] else f"[CX{out}]")
                b.rule(x, y, color, "[XC]" if edges[back] else f"[{back}XC]")
                b.out(x, y, queue, color)
                b.inp(x, y, queue, color)
                b.core(x, y).send(0, queue, 10 * y + x)
    b.run()
    for y in range(3):
        for x in range(3):
            around = [(x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)]
            expected = [10 * v + u for u, v in around if 0 <= u < 3 and 0 <= v < 3]
            queues = b.fabric.tile(x, y).input_queues[:4]
            assert [e.wavelet.data for q in queues for e in q.entries] == expected


def test_step_4_the_row_wraps_around() -> None:
    # S0:196-203: c0 = A goes east through the grid, the right moat turns it west on c0x = B, the left one east again.
    #   P0 left moat   A [RXR], B [RXR]        P3 right moat  B [LXL], A [LXL]
    #   P1 sends on A to the right, P2 passes; B goes back through P2 and P1 ([R>L]); from P0 it comes on A to P1.
    # P1 holds A [C>R ; L>C]: it sends its wavelet with a flip and then takes what comes from the left.
    b = Bench(4)
    for color in (A, B):
        b.rule(0, 0, color, "[RXR]")
        b.rule(3, 0, color, "[LXL]")
        b.rule(2, 0, color, "[L>R]" if color == A else "[R>L]")
    b.rule(1, 0, B, "[R>L]")
    b.rule(1, 0, A, "[C>CR ; L>CR]")
    b.rule(2, 0, A, "[L>R]")
    b.out(1, 0, 0, A).send(0, 0, 9, flip=True)
    b.inp(1, 0, 0, A)
    b.run(40)
    assert b.seen.landings[:8] == [
        (5, "P1.0", A, "R", 9),
        (7, "P2.0", A, "W", 9),
        (9, "P3.0", B, "W", 9),  # arrives on A, B takes it
        (11, "P2.0", B, "E", 9),
        (13, "P1.0", B, "E", 9),
        (15, "P0.0", A, "E", 9),  # arrives on B, A takes it
        (17, "P1.0", A, "W", 9),
        (19, "P2.0", A, "W", 9),
    ]
    assert [e.wavelet.data for e in b.fabric.tile(1, 0).input_queues[0].entries][:2] == [9, 9]
