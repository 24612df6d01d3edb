"""Input queues as queues of halves, packing in output queues (S0:46, tungsten.md 5)."""

from __future__ import annotations

import pytest
from fabric_bench import Bench, Send


def loop(queue: int = 0) -> Bench:
    """One tile whose output queue 0 comes back into an input queue on color 0."""
    b = Bench(1)
    b.rule(0, 0, 0, "[C>C]")
    b.out(0, 0, 0, 0)
    b.inp(0, 0, queue, 0)
    return b


def sent(b: Bench) -> list[tuple[int, int, bool]]:
    return [(t, w.data, w.half) for t, _, _, w in b.seen.sent]


def test_two_16_bit_sends_of_one_cycle_share_a_wavelet() -> None:
    b = loop()
    b.core(0).at(0, Send(0, 0x1111, 16), Send(0, 0x2222, 16))
    b.run()
    assert sent(b) == [(4, 0x22221111, False)]  # the first one is the low half


def test_a_lone_send_leaves_as_a_half_wavelet() -> None:
    # The second is in the queue at 5; the first left at 4.
    b = loop()
    b.core(0).stream(0, 0, [0x1111, 0x2222], bits=16)
    b.run()
    assert sent(b) == [(4, 0x1111, True), (5, 0x2222, True)]


def test_sends_pack_while_the_first_one_waits() -> None:
    # Color 1 has the first turn on link R at 4; the half of color 0 leaves at 5, when the second has come.
    b = loop()
    b.rule(0, 0, 1, "[C>]")
    b.out(0, 0, 1, 1)
    core = b.core(0)
    b.fabric.tile(0, 0).router.last_queue = 0
    core.at(0, Send(0, 0x1111, 16), Send(1, 5))
    core.send(1, 0, 0x2222, 16)
    b.run()
    assert sent(b) == [(4, 5, False), (5, 0x22221111, False)]


def test_three_sends_make_a_pair_and_a_half() -> None:
    b = loop()
    b.core(0).at(0, Send(0, 1, 16), Send(0, 2, 16), Send(0, 3, 16))
    b.run()
    assert sent(b) == [(4, 0x00020001, False), (5, 3, True)]


def test_a_16_bit_send_does_not_join_a_32_bit_one_or_jump_over_it() -> None:
    b = loop()
    b.core(0).at(0, Send(0, 1, 16), Send(0, 0xAAAABBBB), Send(0, 2, 16))
    b.run()
    assert sent(b) == [(4, 1, True), (5, 0xAAAABBBB, False), (6, 2, True)]


def test_a_16_bit_send_of_another_color_does_not_join() -> None:
    b = loop()
    b.rule(0, 0, 1, "[C>]")
    core = b.core(0)
    core.send(0, 0, 1, 16)
    core.write(0, 0x7B80, 1 << 4)
    b.fabric.tile(0, 0).router.last_queue = 7
    b.run(1)
    # The write came first in the script's cycle: both sends of the test are on color 1 unless the queue is set back.
    assert b.fabric.tile(0, 0).output_queues[0].entries[0].color == 1
    core.write(1, 0x7B80, 0)
    core.send(1, 0, 2, 16)
    b.run()
    assert [(w.color, w.data, w.half) for _, _, _, w in b.seen.sent] == [(1, 1, True), (0, 2, True)]


@pytest.mark.parametrize(
    ("sends", "places", "room16", "room32"),
    [
        ([], 0, 16, 8),
        ([16], 1, 15, 7),
        ([16, 16], 1, 14, 7),
        ([16, 16, 16], 2, 13, 6),
        ([32, 16], 2, 13, 6),
        ([16, 32], 2, 12, 6),
        ([32] * 7 + [16], 8, 1, 0),
        ([32] * 8, 8, 0, 0),
    ],
)
def test_room_counts_wavelets(sends: list[int], places: int, room16: int, room32: int) -> None:
    b = loop()
    queue = b.fabric.tile(0, 0).output_queues[0]
    for bits in sends:
        queue.push(0, bits, False, False, 1000)
    assert (queue.wavelets, queue.room(16), queue.room(32)) == (places, room16, room32)


def test_16_bit_reads_take_the_low_half_first() -> None:
    # Read at 12: the low half; the high one stays for the next read.
    b = loop()
    core = b.core(0)
    core.send(0, 0, 0x22221111)
    core.take(12, 0, "16")
    core.take(13, 0, "16")
    b.run()
    assert core.got == [(12, 0, 0x1111), (13, 0, 0x2222)]
    assert not b.fabric.tile(0, 0).input_queues[0].entries


def test_a_32_bit_read_takes_two_halves_in_order() -> None:
    # A half-wavelet and a whole one: halves 1, 2, 3 -> a word 0x00020001, then 3 is left alone, the high half of
    # a 32-bit wavelet: it waits for another half.
    b = loop()
    core = b.core(0)
    core.send(0, 0, 1, 16)
    core.send(1, 0, 0x00030002)
    b.run(20)
    queue = b.fabric.tile(0, 0).input_queues[0]
    assert (queue.available_halves(20), queue.available_words(20)) == (3, 1)
    assert queue.take32(20) == 0x00020001
    assert (queue.available_halves(20), queue.available_words(20)) == (1, 0)
    core.send(20, 0, 4, 16)
    b.run(40)
    assert queue.available_words(40) == 1
    assert queue.take32(40) == 0x00040003
    assert not queue.entries


def test_a_half_wavelet_alone_reads_as_a_zero_extended_word() -> None:
    b = loop()
    b.core(0).send(0, 0, 0xFFFF, 16)
    b.run(20)
    queue = b.fabric.tile(0, 0).input_queues[0]
    assert queue.available_words(20) == 1
    assert queue.take32(20) == 0x0000FFFF


def test_a_control_wavelet_keeps_its_place() -> None:
    b = loop()
    core = b.core(0)
    core.send(0, 0, 1)
    core.send(1, 0, 0x001F0000, ctrl=True)
    core.send(2, 0, 2)
    b.run(20)
    queue = b.fabric.tile(0, 0).input_queues[0]
    assert (queue.available_halves(20), queue.available_words(20)) == (2, 1)
    assert queue.take32(20) == 1
    assert queue.available_halves(20) == 0
    head = queue.peek(20)
    assert head is not None and head.ctrl and head.task == 31
    queue.take_wavelet(20)
    assert queue.available_words(20) == 1


def test_next_ready_names_the_next_arrival() -> None:
    # Two wavelets land at 5 and 6: readable at 8 and 9.
    b = loop()
    b.core(0).stream(0, 0, [1, 2])
    b.run(8)
    queue = b.fabric.tile(0, 0).input_queues[0]
    assert (queue.next_ready(7), queue.next_ready(8), queue.next_ready(9)) == (8, 9, None)


def test_the_core_is_woken_when_a_wavelet_is_readable_and_when_there_is_space() -> None:
    b = loop()
    core = b.core(0)
    core.send(0, 0, 1)
    b.run()
    # Leaves the output queue at 4: space as of 5. Lands 5, leaves for the core 6, readable 8.
    assert core.events == [("space", 0, 5), ("wavelet", 0, 8)]


def test_output_queues_take_turns_on_link_r() -> None:
    b = Bench(1)
    for queue in range(3):
        b.rule(0, 0, queue, "[C>]")
        b.out(0, 0, queue, queue)
    core = b.core(0)
    for i in range(2):
        core.at(0, *[Send(queue, 10 * queue + i) for queue in range(3)])
    b.run()
    assert [d for _, _, d in b.landed("P0.0")] == [0, 10, 20, 1, 11, 21]


def test_a_queue_whose_color_is_not_taken_is_passed_over() -> None:
    b = Bench(1)
    b.rule(0, 0, 1, "[C>]")
    b.out(0, 0, 0, 0)
    b.out(0, 0, 1, 1)
    core = b.core(0)
    core.send(0, 0, 1)
    core.stream(0, 1, [2, 3])
    b.run()
    assert b.landed("P0.0") == [(5, "R", 2), (6, "R", 3)]
    assert b.seen.pressed == [(4, "P0.0", 0, 0)]  # said once, not every cycle
