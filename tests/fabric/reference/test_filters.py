"""Counter filters (tungsten.md 6, hardware.md 8)."""

from __future__ import annotations

import pytest
from fabric_bench import Bench

from fabric import arch


def passed(limit: int, maxpass: int, counter: int, count: int) -> list[int]:
    """Which of the wavelets 0..count-1 reach the core."""
    b = Bench(1)
    b.rule(0, 0, 4, "[C>C]")
    for i, word in enumerate((1, 4, limit, maxpass, counter)):
        b.fabric.tile(0, 0).registers.write(arch.FILTERS + 24 + i, word, loading=True)
    b.out(0, 0, 0, 4).stream(0, 0, range(count))
    core = b.inp(0, 0, 0, 4)
    core.drain(0)
    b.run()
    return [v for _, _, v in core.got]


@pytest.mark.parametrize(
    ("limit", "maxpass", "counter", "expected"),
    [
        (3, 1, 0, [0, 1, 4, 5, 8, 9]),  # period 4: pass pass drop drop
        (3, 1, 2, [2, 3, 6, 7, 10, 11]),  # starts at the drop phase (.state=64)
        (0, 0, 0, [*range(12)]),  # period 1, one passes
        (4, 3, 0, [0, 1, 2, 3, 5, 6, 7, 8, 10, 11]),  # every fifth is dropped
        (5, 0, 0, [0, 6]),
        (5, 0, 1, [5, 11]),
    ],
)
def test_periods(limit: int, maxpass: int, counter: int, expected: list[int]) -> None:
    assert passed(limit, maxpass, counter, 12) == expected


def test_control_wavelets_pass_and_are_not_counted() -> None:
    b = Bench(1)
    b.rule(0, 0, 4, "[C>C]")
    for i, word in enumerate((1, 4, 1, 0, 0)):  # pass, drop, pass, drop
        b.fabric.tile(0, 0).registers.write(arch.FILTERS + i, word, loading=True)
    core = b.out(0, 0, 0, 4)
    core.send(0, 0, 1)
    core.send(1, 0, 0x001F0000, ctrl=True)
    core.send(2, 0, 2)
    core.send(3, 0, 0x001F0001, ctrl=True)
    core.send(4, 0, 3)
    b.inp(0, 0, 0, 4).drain(0)
    b.run()
    assert [v for _, _, v in core.got] == [1, 0x001F0000, 0x001F0001, 3]
    assert [q for _, _, _, q, _ in b.seen.delivered] == [0, 0, None, 0, 0]


def test_a_dropped_wavelet_needs_no_room() -> None:
    # L=4, P=3: the first four fill queue 2, the fifth is dropped although the queue is full, the sixth waits.
    b = Bench(1)
    b.rule(0, 0, 4, "[C>C]")
    for i, word in enumerate((1, 4, 4, 3, 0)):
        b.fabric.tile(0, 0).registers.write(arch.FILTERS + i, word, loading=True)
    b.out(0, 0, 0, 4).stream(0, 0, range(6))
    b.inp(0, 0, 2, 4)
    b.run()
    assert [e.wavelet.data for e in b.fabric.tile(0, 0).input_queues[2].entries] == [0, 1, 2, 3]
    assert b.held(0, 0, 4) == [5]


def test_a_disabled_filter_and_one_of_another_color() -> None:
    b = Bench(1)
    b.rule(0, 0, 4, "[C>C]")
    words = b.fabric.tile(0, 0).registers
    for i, word in enumerate((0, 4, 9, 0, 1)):  # disabled
        words.write(arch.FILTERS + i, word, loading=True)
    for i, word in enumerate((1, 5, 9, 0, 1)):  # color 5
        words.write(arch.FILTERS + 8 + i, word, loading=True)
    b.out(0, 0, 0, 4).stream(0, 0, range(3))
    core = b.inp(0, 0, 0, 4)
    core.drain(0)
    b.run()
    assert [v for _, _, v in core.got] == [0, 1, 2]


def test_the_counter_is_a_register() -> None:
    b = Bench(1)
    b.rule(0, 0, 4, "[C>C]")
    tile = b.fabric.tile(0, 0)
    for i, word in enumerate((1, 4, 9, 9, 0)):
        tile.registers.write(arch.FILTERS + i, word, loading=True)
    b.out(0, 0, 0, 4).stream(0, 0, range(3))
    b.inp(0, 0, 0, 4)
    b.run()
    assert tile.read_word(arch.FILTERS + arch.FILTER_COUNTER) == 3
