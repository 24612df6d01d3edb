"""Latency, throughput, back pressure, turns and multicast (hardware.md 9 and 17, S0:44-66)."""

from __future__ import annotations

from fabric_bench import Bench


def test_latency_of_a_hop() -> None:
    # issue 0 -> output queue 4 -> link R 5 -> P1 7 -> P2 9 -> readable at 12
    b = Bench(3)
    b.rule(0, 0, 3, "[C>R]")
    b.rule(1, 0, 3, "[L>R]")
    b.rule(2, 0, 3, "[L>C]")
    b.out(0, 0, 0, 3).send(0, 0, 0x1234)
    b.inp(2, 0, 2, 3).take(12, 2, "32")
    assert b.run()
    assert b.seen.landings == [
        (5, "P0.0", 3, "R", 0x1234),
        (7, "P1.0", 3, "W", 0x1234),
        (9, "P2.0", 3, "W", 0x1234),
    ]
    assert b.core(2).got == [(12, 2, 0x1234)]
    assert b.seen.delivered == [(10, "P2.0", 3, 2, 0x1234)]


def test_not_readable_a_cycle_earlier() -> None:
    b = Bench(2)
    b.rule(0, 0, 3, "[C>R]")
    b.rule(1, 0, 3, "[L>C]")
    b.out(0, 0, 0, 3).send(0, 0, 1)
    core = b.inp(1, 0, 2, 3)
    b.run(9)
    assert b.fabric.now == 9 and not core.readable(2, "32", 9)
    b.run(10)
    assert core.readable(2, "32", 10)  # landed at 7


def test_all_four_directions_and_the_own_core() -> None:
    # The middle tile sends one wavelet on each of five colors; R carries one a cycle, so they leave a cycle apart.
    # Paint's U is south (y + 1), the log's link is the side where the wavelet comes in.
    b = Bench(3, 3)
    for color, (out, x, y, back) in enumerate(
        [("L", 0, 1, "R"), ("R", 2, 1, "L"), ("U", 1, 2, "D"), ("D", 1, 0, "U"), ("C", 1, 1, "")]
    ):
        b.rule(1, 1, color, f"[C>{out}]")
        if back:
            b.rule(x, y, color, f"[{back}>C]")
        b.inp(x, y, 0, color)
        b.out(1, 1, color, color).send(color, color, 100 + color)
    b.run()
    assert b.seen.landings == [
        (5, "P1.1", 0, "R", 100),
        (6, "P1.1", 1, "R", 101),
        (7, "P0.1", 0, "E", 100),
        (7, "P1.1", 2, "R", 102),
        (8, "P2.1", 1, "W", 101),
        (8, "P1.1", 3, "R", 103),
        (9, "P1.2", 2, "N", 102),
        (9, "P1.1", 4, "R", 104),
        (10, "P1.0", 3, "S", 103),
    ]
    assert b.core(1, 1).events[-1] == ("wavelet", 0, 12)  # landed at 9, readable at 12


def test_one_wavelet_a_cycle_back_to_back() -> None:
    b = Bench(4)
    b.rule(0, 0, 0, "[C>R]")
    b.rule(1, 0, 0, "[L>R]")
    b.rule(2, 0, 0, "[L>R]")
    b.rule(3, 0, 0, "[L>C]")
    b.out(0, 0, 0, 0).stream(0, 0, range(20))
    b.inp(3, 0, 0, 0).drain(0)
    b.run()
    assert b.landed("P0.0") == [(5 + i, "R", i) for i in range(20)]
    assert b.landed("P3.0") == [(11 + i, "W", i) for i in range(20)]
    assert b.core(3).got == [(14 + i, 0, i) for i in range(20)]


def test_back_pressure_four_deep() -> None:
    # Nobody reads queue 2 (depth 4) before cycle 40. By hand, wavelet i lands on R at 5 + i and on P1 at 7 + i:
    #   queue      0-3 delivered at 8-11, then full
    #   P1         4-7 land at 11-14, then full; as of cycle 14 wavelet 8 can't leave P0
    #   P0         8-11 land at 13-16, then full; as of cycle 16 wavelet 12 can't leave the output queue
    #   out queue  12-19
    b = Bench(2)
    b.rule(0, 0, 0, "[C>R]")
    b.rule(1, 0, 0, "[L>C]")
    sender = b.out(0, 0, 0, 0)
    sender.stream(0, 0, range(22))
    receiver = b.inp(1, 0, 2, 0)
    b.run(40)
    assert b.landed("P0.0") == [(5 + i, "R", i) for i in range(12)]
    assert b.landed("P1.0") == [(7 + i, "W", i) for i in range(8)]
    assert [e.wavelet.data for e in b.fabric.tile(1, 0).input_queues[2].entries] == [0, 1, 2, 3]
    assert b.held(1, 0, 0) == [4, 5, 6, 7]
    assert b.held(0, 0, 0) == [8, 9, 10, 11]
    assert [s.value for s in b.fabric.tile(0, 0).output_queues[0].entries] == [*range(12, 20)]
    assert sender.issued[-1][1] == 19 and len(sender.late[0]) == 2
    assert b.seen.pressed == [(16, "P0.0", 0, 0)]
    # A read at 40 frees a place as of 41: wavelet 4 leaves at 41, 8 at 42 (lands 43), 12 at 43 (lands 44), and
    # from 44 on there is room for a send, which is in the queue at 48.
    receiver.take(40, 2)
    b.run(1000)
    assert b.seen.delivered[-1] == (41, "P1.0", 0, 2, 4)
    assert b.landed("P1.0")[-1] == (43, "W", 8)
    assert b.landed("P0.0")[-1] == (44, "R", 12)
    assert sender.issued[-1] == (44, 20)
    # Reading one a cycle from 50 on, the stream is at full speed again at once.
    receiver.drain(2, 50)
    assert b.run(1000)
    assert [g[2] for g in receiver.got] == [*range(22)]
    assert [g[0] for g in receiver.got[1:]] == [*range(50, 50 + 21)]


def test_a_queue_of_eight() -> None:
    # Queues 0 and 1 hold 8, the others 4 (hardware.md 14.1); an output queue holds 8.
    for number, depth in ((0, 8), (1, 8), (2, 4), (7, 4)):
        b = Bench(1)
        b.rule(0, 0, 0, "[C>C]")
        b.inp(0, 0, number, 0)
        b.out(0, 0, 0, 0).stream(0, 0, range(30))
        b.run(200)
        tile = b.fabric.tile(0, 0)
        assert len(tile.input_queues[number].entries) == depth
        assert b.held(0, 0, 0) == [depth, depth + 1, depth + 2, depth + 3]
        assert tile.output_queues[0].wavelets == 8


def test_colors_take_turns_on_a_port() -> None:
    # On P1 color 0 comes from the west and color 1 from the core, both landing at 7, 8, 9; both go to R.
    #   cycle  8  9 10 11 12 13
    #   color  0  1  0  1  0  1      (the first turn is color 0's)
    b = Bench(3)
    b.rule(0, 0, 0, "[C>R]")
    b.rule(1, 0, 0, "[L>R]")
    b.rule(1, 0, 1, "[C>R]")
    b.rule(2, 0, 0, "[L>C]")
    b.rule(2, 0, 1, "[L>C]")
    b.out(0, 0, 0, 0).stream(0, 0, [10, 11, 12])
    b.out(1, 0, 0, 1).stream(2, 0, [20, 21, 22])
    b.inp(2, 0, 0, 0)
    b.inp(2, 0, 1, 1)
    b.run()
    assert b.landed("P2.0") == [
        (9, "W", 10),
        (10, "W", 20),
        (11, "W", 11),
        (12, "W", 21),
        (13, "W", 12),
        (14, "W", 22),
    ]


def test_three_colors_take_turns_and_a_blocked_one_is_passed_over() -> None:
    # Colors 2, 5 and 7 wait on P0 with two wavelets each; 5 has no place to go. From the turn after 23: 2, 7, 2, 7.
    b = Bench(2)
    for color in (2, 5, 7):
        b.rule(0, 0, color, "[C>R]")
    b.rule(1, 0, 2, "[L>C]")
    b.rule(1, 0, 7, "[L>C]")
    b.inp(1, 0, 0, 2)
    b.inp(1, 0, 1, 7)
    for queue, color in enumerate((2, 5, 7)):
        b.out(0, 0, queue, color)
    core = b.core(0)
    for i in range(2):
        for queue in range(3):
            core.send(0, queue, 10 * queue + i)
    b.run()
    # Link R: queues 0 1 2 0 1 2 at 5..10. Color 2 lands at 5 and 8, color 7 at 7 and 10: no two meet on the port.
    assert b.landed("P0.0") == [(5 + i, "R", d) for i, d in enumerate([0, 10, 20, 1, 11, 21])]
    assert b.landed("P1.0") == [(7, "W", 0), (9, "W", 20), (10, "W", 1), (12, "W", 21)]
    assert b.held(0, 0, 5) == [10, 11]


def test_the_core_takes_one_wavelet_a_cycle() -> None:
    # Colors 0 (from the west) and 1 (from the east) land on the middle tile in the same cycles 7 and 8.
    b = Bench(3)
    b.rule(0, 0, 0, "[C>R]")
    b.rule(2, 0, 1, "[C>L]")
    b.rule(1, 0, 0, "[L>C]")
    b.rule(1, 0, 1, "[R>C]")
    b.out(0, 0, 0, 0).stream(0, 0, [10, 11])
    b.out(2, 0, 0, 1).stream(0, 0, [20, 21])
    b.inp(1, 0, 0, 0)
    b.inp(1, 0, 1, 1)
    b.run()
    assert b.seen.delivered == [
        (8, "P1.0", 0, 0, 10),
        (9, "P1.0", 1, 1, 20),
        (10, "P1.0", 0, 0, 11),
        (11, "P1.0", 1, 1, 21),
    ]


def test_multicast_waits_for_its_slow_output() -> None:
    # P1 sends on to its core (queue 2, four places, read late) and to P2. Wavelet 4 reaches P2 but waits on P1 for
    # the core, so wavelet 5 goes nowhere, although P2 would take it.
    b = Bench(3)
    b.rule(0, 0, 0, "[C>R]")
    b.rule(1, 0, 0, "[L>CR]")
    b.rule(2, 0, 0, "[L>C]")
    b.out(0, 0, 0, 0).stream(0, 0, range(7))
    slow = b.inp(1, 0, 2, 0)
    b.inp(2, 0, 0, 0).drain(0)
    slow.take(30, 2)
    b.run(30)
    assert b.landed("P2.0") == [(9 + i, "W", i) for i in range(5)]
    assert b.held(1, 0, 0) == [4, 5, 6]
    # The read at 30: the core takes wavelet 4 at 31, it is gone as of 32: wavelet 5 leaves to P2 at 32, lands 33.
    b.run()
    assert [d for d in b.seen.delivered if d[1] == "P1.0"][-1] == (31, "P1.0", 0, 2, 4)
    assert b.landed("P2.0")[5:] == [(33, "W", 5)]
    assert b.held(1, 0, 0) == [5, 6]


def test_copies_of_a_multicast_leave_when_they_can() -> None:
    # The R output of P1 is busy with color 1 in every other cycle; C takes its copy at once.
    b = Bench(3)
    b.rule(0, 0, 0, "[C>R]")
    b.rule(1, 0, 0, "[L>CR]")
    b.rule(1, 0, 1, "[C>R]")
    b.rule(2, 0, 0, "[L>C]")
    b.rule(2, 0, 1, "[L>C]")
    b.out(0, 0, 0, 0).stream(0, 0, [10, 11])
    b.out(1, 0, 0, 1).stream(1, 0, [20, 21, 22])
    b.inp(1, 0, 0, 0)
    b.inp(2, 0, 0, 0)
    b.inp(2, 0, 1, 1)
    b.run()
    # Color 1 lands on P1 at 6, 7, 8 and color 0 at 7, 8. Port R: 7 -> 20; 8 -> color 0's turn after 1: 10; 9 -> 21;
    # 10 -> 11; 11 -> 22. The core takes 10 at 8; 11 is the head as of 9, and the core takes it at 9, R at 10.
    assert sorted(d for d in b.seen.departures if d[1] == "P1.0") == [
        (7, "P1.0", 1, "E", 20),
        (8, "P1.0", 0, "ER", 10),
        (9, "P1.0", 0, "R", 11),
        (9, "P1.0", 1, "E", 21),
        (10, "P1.0", 0, "E", 11),
        (11, "P1.0", 1, "E", 22),
    ]


def test_an_input_without_outputs_takes_and_discards() -> None:
    b = Bench(2)
    b.rule(0, 0, 0, "[C>R]")
    b.rule(1, 0, 0, "[L>]")
    b.out(0, 0, 0, 0).stream(0, 0, range(3))
    b.run()
    assert [d for d in b.seen.departures if d[1] == "P1.0"] == [(8 + i, "P1.0", 0, "", i) for i in range(3)]
    assert b.held(1, 0, 0) == []


def test_a_color_without_a_rule_waits_until_a_route_is_written() -> None:
    b = Bench(2)
    b.rule(0, 0, 0, "[C>R]")
    b.out(0, 0, 0, 0).send(0, 0, 7)
    core = b.inp(1, 0, 0, 0)
    assert b.run()  # nothing is due: nothing will ever happen
    assert b.held(0, 0, 0) == [7]
    core.write(50, 0x7C00, 0 << 5 | 16)  # [L>C], as of cycle 51: leaves 51, lands 52
    b.run()
    assert b.landed("P1.0") == [(52, "W", 7)]


def test_from_another_side_a_wavelet_is_not_taken() -> None:
    b = Bench(3)
    b.rule(0, 0, 0, "[C>R]")
    b.rule(1, 0, 0, "[R>C]")
    b.rule(2, 0, 0, "[C>L]")
    b.out(0, 0, 0, 0).send(0, 0, 1)
    b.out(2, 0, 0, 0).send(0, 0, 2)
    b.inp(1, 0, 0, 0)
    b.run()
    assert b.landed("P1.0") == [(7, "E", 2)]
    assert b.held(0, 0, 0) == [1]


def test_two_queues_on_one_color_the_lowest_numbered_takes() -> None:
    b = Bench(1)
    b.rule(0, 0, 0, "[C>C]")
    b.inp(0, 0, 5, 0)
    b.inp(0, 0, 3, 0)
    b.out(0, 0, 0, 0).stream(0, 0, range(6))
    b.run()
    tile = b.fabric.tile(0, 0)
    assert [e.wavelet.data for e in tile.input_queues[3].entries] == [0, 1, 2, 3]
    assert not tile.input_queues[5].entries  # no copy, and no way around the full queue either
    assert b.held(0, 0, 0) == [4, 5]


def test_idents_are_unique_and_stay_with_the_wavelet() -> None:
    # PE id = y * width + x = 5; ident = (5 << 8 | color) << 32 | sequence
    b = Bench(3, 2)
    b.rule(2, 1, 3, "[C>L]")
    b.rule(1, 1, 3, "[R>LC]")
    b.rule(0, 1, 3, "[R>C]")
    b.inp(1, 1, 0, 3)
    b.inp(0, 1, 0, 3)
    b.out(2, 1, 0, 3).stream(0, 0, [1, 2])
    b.run()
    first, second = 0x0000050300000000, 0x0000050300000001
    assert [i for _, _, _, i in b.seen.idents] == [first, second, first, second, first, second]
    entry = b.fabric.tile(0, 1).input_queues[0].entries[1].wavelet
    assert entry.ident == second and entry.born == (1, 5, 1)


def test_a_wavelet_that_leaves_the_layout_is_counted() -> None:
    b = Bench(2)
    b.rule(0, 0, 0, "[C>L]")
    b.out(0, 0, 0, 0).stream(0, 0, [5, 6])
    b.run()
    (key, lost), = b.fabric.lost.items()
    assert key == (0, 0, 0) and (lost.wavelets, lost.cycle, lost.first.data) == (2, 6, 5)
