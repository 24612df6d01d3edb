"""Teardown and the registers that programs rewrite in it (hardware.md 1, 16, 18)."""

from __future__ import annotations

import pytest
from fabric_bench import Bench

from fabric import arch
from fabric.reference.fault import FabricFault

TEARDOWN = 0x01C0 << 16  # {0x0000, 0x01c0}: with noce
DOWN = arch.ROUTE_TEARDOWN


def row(tiles: int) -> Bench:
    """A broadcast from P0 along a row; every tile reads with queue 0."""
    b = Bench(tiles)
    b.rule(0, 0, 1, "[C>R]")
    for x in range(1, tiles):
        b.rule(x, 0, 1, "[L>C]" if x == tiles - 1 else "[L>CR]")
        b.inp(x, 0, 0, 1)
    b.out(0, 0, 0, 1)
    return b


def test_broadcast_cycle_by_cycle() -> None:
    # A value at issue 0, TEARDOWN at 1, more values at 2..5:
    #             P0                      P1               P2
    #   value     R 5   leaves 6          7   leaves 8     9   leaves 10
    #   TEARDOWN  R 6   leaves 7, down    8   leaves 9     10  discarded 11
    #   values    7, 8 land (the color is down as of 8, what left the queue at 7 still lands), the others stay
    b = row(3)
    core = b.core(0)
    core.send(0, 0, 1)
    core.send(1, 0, TEARDOWN, ctrl=True)
    for i in range(2, 6):
        core.send(i, 0, i)
    b.run()
    assert b.seen.downs == [(7, "P0.0", 1, True), (9, "P1.0", 1, True), (11, "P2.0", 1, True)]
    assert b.held(0, 0, 1) == [2, 3]
    assert b.fabric.tile(0, 0).output_queues[0].wavelets == 2
    assert [e.wavelet.data for e in b.fabric.tile(2, 0).input_queues[0].entries] == [1]
    for x, cycle in ((0, 8), (1, 10), (2, 12)):
        tile = b.fabric.tile(x, 0)
        assert tile.read_word(arch.TEARDOWN_PENDING) == 1 << 1
        assert tile.read_word(arch.ROUTE + 1) & DOWN
        assert ("teardown", 1, cycle) in b.core(x).events


@pytest.mark.parametrize("tiles", [2, 3, 8])
@pytest.mark.parametrize("delay", [0, 1, 9])
def test_broadcast_in_rounds(tiles: int, delay: int) -> None:
    # hardware.md 18: after each value a TEARDOWN; each tile's task 29 writes the route anew, sooner or later. What
    # comes behind waits meanwhile, so every tile gets all values in order.
    b = row(tiles)
    for x in range(tiles):
        core = b.core(x)
        core.rewrite[1] = (delay * (1 + x % 3), b.fabric.tile(x, 0).read_word(arch.ROUTE + 1))
        if x:
            core.drain(0)
    for i in range(5):
        b.core(0).send(2 * i, 0, 100 + i)
        b.core(0).send(2 * i + 1, 0, TEARDOWN, ctrl=True)
    assert b.run()
    for x in range(1, tiles):
        assert [v for _, _, v in b.core(x).got] == [100, 101, 102, 103, 104]
        assert [e for e, _, _ in b.core(x).events].count("teardown") == 5
        assert b.fabric.tile(x, 0).read_word(arch.TEARDOWN_PENDING) == 0


def test_writing_the_route_leaves_teardown_and_what_waited_goes_the_new_way() -> None:
    # P0 is down with values 2 and 3 in its buffer; at 40 it is sent downwards, as of 41.
    b = Bench(2, 2)
    b.rule(0, 0, 1, "[C>R]")
    b.rule(1, 0, 1, "[L>C]")
    b.rule(0, 1, 1, "[D>C]")
    b.inp(0, 1, 0, 1)
    core = b.out(0, 0, 0, 1)
    core.send(1, 0, TEARDOWN, ctrl=True)
    core.send(2, 0, 2)
    core.send(3, 0, 3)
    core.write(40, arch.ROUTE + 1, arch.route_code(arch.C, 1 << arch.U))
    b.run()
    assert (40, "P0.0", 1, False) in b.seen.downs
    assert b.landed("P0.1") == [(42, "N", 2), (43, "N", 3)]


def test_a_color_in_teardown_takes_nothing_in() -> None:
    b = row(2)
    core = b.core(1)
    core.write(0, arch.ROUTE + 1, arch.route_code(arch.L, 1 << arch.C) | DOWN)
    b.core(0).send(0, 0, 1)
    b.run()
    assert b.landed("P1.0") == []
    assert b.held(0, 0, 1) == [1]
    # Setting the bit by a write readies task 29 too.
    assert core.events == [("teardown", 1, 1)]
    core.write(50, arch.ROUTE + 1, arch.route_code(arch.L, 1 << arch.C))
    b.run()
    assert b.landed("P1.0") == [(52, "W", 1)]


def test_writing_the_bit_again_readies_nothing() -> None:
    b = row(2)
    core = b.core(1)
    for cycle in (0, 5):
        core.write(cycle, arch.ROUTE + 1, DOWN | 0xA0)
    core.write(6, arch.TEARDOWN_CLEAR, 1 << 1)
    core.write(7, arch.ROUTE + 1, DOWN | 0x10)
    b.run()
    assert core.events == [("teardown", 1, 1)]
    assert b.fabric.tile(1, 0).read_word(arch.TEARDOWN_PENDING) == 0


def test_pending_bits_are_cleared_one_by_one_and_reading_clears_none() -> None:
    b = Bench(1)
    core = b.core(0)
    for color in (0, 1, 17):
        core.write(0, arch.ROUTE + color, DOWN)
    b.run()
    tile = b.fabric.tile(0, 0)
    for _ in range(2):
        assert [tile.read_word(arch.TEARDOWN_PENDING + i) for i in (0, 1)] == [3, 2]
    tile.write_word(arch.TEARDOWN_CLEAR, 1)
    assert [tile.read_word(arch.TEARDOWN_PENDING + i) for i in (0, 1)] == [2, 2]
    tile.write_word(arch.TEARDOWN_CLEAR + 1, 2)
    assert [tile.read_word(arch.TEARDOWN_PENDING + i) for i in (0, 1)] == [2, 0]


def test_an_image_that_starts_down_readies_nothing() -> None:
    b = Bench(1)
    tile = b.fabric.tile(0, 0)
    tile.registers.write(arch.ROUTE + 3, DOWN | 0xA0, loading=True)
    core = b.core(0)
    b.run()
    assert core.events == [] and tile.read_word(arch.TEARDOWN_PENDING) == 0


def test_a_queue_gets_another_color() -> None:
    # Queue 0 of P1 reads color 1, then, by a write at 20, color 2: what waited on color 2 goes in as of 21.
    b = Bench(2)
    for color in (1, 2):
        b.rule(0, 0, color, "[C>R]")
        b.rule(1, 0, color, "[L>C]")
    b.out(0, 0, 0, 1).send(0, 0, 11)
    b.out(0, 0, 1, 2).send(0, 1, 22)
    core = b.inp(1, 0, 0, 1)
    core.write(20, arch.INPUT_QUEUE, 2)
    b.run()
    # 11 lands on P1 at 7; 22 left the queue a cycle later and lands at 8.
    assert b.seen.delivered == [(8, "P1.0", 1, 0, 11), (21, "P1.0", 2, 0, 22)]


def test_a_send_keeps_the_color_it_issued_with() -> None:
    b = Bench(1)
    b.rule(0, 0, 1, "[C>C]")
    b.rule(0, 0, 2, "[C>C]")
    b.inp(0, 0, 0, 1)
    b.inp(0, 0, 1, 2)
    core = b.out(0, 0, 0, 1)
    core.send(0, 0, 5)
    core.write(1, arch.OUTPUT_QUEUE, 2 << 4)
    core.send(2, 0, 6)
    b.run()
    assert [(c, d) for _, _, c, _, d in b.seen.delivered] == [(1, 5), (2, 6)]


@pytest.mark.parametrize(("address", "value"), [(arch.INPUT_QUEUE + 4, 24), (arch.OUTPUT_QUEUE + 2, 30 << 4)])
def test_a_queue_takes_no_color_that_does_not_exist(address: int, value: int) -> None:
    b = Bench(1)
    with pytest.raises(FabricFault) as e:
        b.fabric.tile(0, 0).write_word(address, value)
    assert e.value.code == "FB407"
    assert "queue 2 of P0.0" in str(e.value)


def test_registers_read_back_what_was_written() -> None:
    b = Bench(3, 4)
    tile = b.fabric.tile(2, 3)
    assert (tile.read_word(arch.COLUMN_ID), tile.read_word(arch.ROW_ID)) == (2, 3)
    # Before anything is written: no input, no positions, no colors.
    assert tile.read_word(arch.ROUTE + 7) == 0x00A0
    assert [tile.read_word(arch.SWITCH + 28 + i) for i in range(4)] == [0x00A0, 0xA0A0, 0, 0]
    assert tile.read_word(arch.INPUT_QUEUE) == 31
    for address, value in (
        (arch.ROUTE + 7, 0x0082),
        (arch.SWITCH + 28, 0x50A1),
        (arch.SWITCH + 29, 0xA0A2),
        (arch.SWITCH + 30, 7 | 2 << 5 | 1 << 7),
        (arch.INPUT_QUEUE + 6, 7),
        (arch.INPUT_MODE + 6, 1),
        (arch.OUTPUT_QUEUE + 3, 7 << 4),
        (arch.FILTERS + 8, 1),
        (0x7E0C, 5),
        (0x7F12, 6),
        (0x0012, 7),
    ):
        tile.write_word(address, value)
        assert tile.read_word(address) == value, hex(address)


def test_reserved_addresses_read_0() -> None:
    tile = Bench(1).fabric.tile(0, 0)
    for address in (0x6000, 0x6ABC, 0x71FF):
        tile.write_word(address, 0x1234)
        assert tile.read_word(address) == 0


def test_the_cycle_counter() -> None:
    # Bit 2 of the timer control makes it count; it may be written; it keeps its value when stopped.
    b = Bench(1)
    tile = b.fabric.tile(0, 0)

    def read() -> list[int]:
        return [tile.read_word(arch.CYCLE_COUNTER + i) for i in range(3)]

    b.fabric.now = 100
    assert read() == [0, 0, 0]
    tile.write_word(arch.TIMER_CONTROL, 4)
    b.fabric.now = 150
    assert read() == [50, 0, 0]
    tile.write_word(arch.CYCLE_COUNTER, 0xFFFF)
    b.fabric.now = 151
    assert read() == [0, 1, 0]
    tile.write_word(arch.CYCLE_COUNTER + 2, 0xFFFF)
    tile.write_word(arch.CYCLE_COUNTER + 1, 0xFFFF)
    tile.write_word(arch.TIMER_CONTROL, 0)
    b.fabric.now = 900
    assert read() == [0, 0xFFFF, 0xFFFF]
    tile.write_word(arch.CYCLE_COUNTER, 0xFFFF)
    tile.write_word(arch.TIMER_CONTROL, 4)
    b.fabric.now = 901
    assert read() == [0, 0, 0]  # 48 bits wrap
