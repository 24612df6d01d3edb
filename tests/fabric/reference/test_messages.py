"""Message passing (S0:209-229, S3:111-195, hardware.md 9)."""

from __future__ import annotations

import pytest
from fabric_bench import Bench, ScriptedCore

from fabric import arch
from fabric.reference.fault import FabricFault
from fabric.reference.waiting import Reason, why_waiting

NORTH, SOUTH, BY_CONTROL = 1 << 7, 1 << 6, 1 << 5


def header(column: int, row: int, flags: int = 0, count: int = 0) -> int:
    return column << 20 | row << 8 | flags | count


def area(width: int, height: int = 1, bank: int = 0, holes: tuple[tuple[int, int], ...] = ()) -> Bench:
    """Every tile in the bank, with output queue 0 and input queue 0 on its core color."""
    b = Bench(width, height)
    for y in range(height):
        for x in range(width):
            if (x, y) not in holes:
                b.bank(x, y, bank)
                b.out(x, y, 0, arch.BANK_CORE_COLOR[bank])
                b.inp(x, y, 0, arch.BANK_CORE_COLOR[bank])
    return b


def got(core: ScriptedCore) -> list[int]:
    return [v for _, _, v in core.got]


@pytest.mark.parametrize(("bank", "core", "east"), [(0, 16, 14), (1, 21, 19)])
def test_the_example_of_two_tiles(bank: int, core: int, east: int) -> None:
    # The sender at P1 sends to P0: on the core color from link R, on the color of the east side in P0.
    b = area(2, 1, bank)
    b.core(1).stream(0, 0, [header(0, 0, count=2), 11, 12])
    b.core(0).take(10, 0)
    b.run()
    assert b.seen.landings == sorted(
        [(5 + i, "P1.0", core, "R", d) for i, d in enumerate([header(0, 0, count=2), 11, 12])]
        + [(7 + i, "P0.0", east, "E", d) for i, d in enumerate([header(0, 0, count=2), 11, 12])]
    )
    assert b.core(0).got == [(10, 0, header(0, 0, count=2))]
    queue = b.fabric.tile(0, 0).input_queues[0]
    assert [e.wavelet.data for e in queue.entries] == [11, 12]
    assert queue.entries[0].wavelet.color == core


def test_x_first_then_y() -> None:
    # From P0.0 to P2.2: east on color 18 (it comes in from the west), then south on color 15 (from the north).
    b = area(3, 3)
    b.core(0, 0).stream(0, 0, [header(2, 2, SOUTH, 1), 7])
    b.core(2, 2).drain(0)
    b.run()
    assert [x[:4] for x in b.seen.landings if x[4] == 7] == [
        (6, "P0.0", 16, "R"),
        (8, "P1.0", 18, "W"),
        (10, "P2.0", 18, "W"),
        (12, "P2.1", 15, "N"),
        (14, "P2.2", 15, "N"),
    ]
    assert got(b.core(2, 2)) == [header(2, 2, SOUTH, 1), 7]


def test_north_and_west() -> None:
    b = area(3, 3)
    b.core(2, 2).stream(0, 0, [header(0, 0, NORTH, 1), 7])
    b.core(0, 0).drain(0)
    b.run()
    assert [x[:4] for x in b.seen.landings if x[4] == 7] == [
        (6, "P2.2", 16, "R"),
        (8, "P1.2", 14, "E"),
        (10, "P0.2", 14, "E"),
        (12, "P0.1", 17, "S"),
        (14, "P0.0", 17, "S"),
    ]
    assert got(b.core(0, 0)) == [header(0, 0, NORTH, 1), 7]


def test_every_tile_to_every_tile() -> None:
    w, h = 3, 3
    for fx in range(w):
        for fy in range(h):
            b = area(w, h)
            for tx in range(w):
                for ty in range(h):
                    flags = NORTH if ty < fy else SOUTH if ty > fy else 0
                    b.core(fx, fy).stream(20 * (tx + w * ty), 0, [header(tx, ty, flags, 1), 100 * tx + ty])
                    b.core(tx, ty).drain(0)
            b.run()
            for tx in range(w):
                for ty in range(h):
                    assert got(b.core(tx, ty))[1:] == [100 * tx + ty]


def test_a_message_without_data_and_two_in_a_row() -> None:
    b = area(2)
    words = [header(1, 0), header(1, 0, count=1), 5, header(0, 0, count=1), 6]
    b.core(0).stream(0, 0, words)
    b.core(1).drain(0)
    b.core(0).drain(0)
    b.run()
    assert got(b.core(1)) == words[:3]
    assert got(b.core(0)) == words[3:]


def test_31_data_wavelets() -> None:
    b = area(3)
    words = [header(2, 0, count=31), *range(31), header(1, 0, count=1), 99]
    b.core(0).stream(0, 0, words)
    b.core(1).drain(0)
    b.core(2).drain(0)
    b.run()
    assert got(b.core(2)) == words[:32]
    assert got(b.core(1)) == words[32:]


def test_ended_by_the_control_bit() -> None:
    # The bit ends the message; its wavelet reaches the core as a control wavelet; noce and commands are off.
    b = area(2)
    core = b.core(0)
    core.send(0, 0, header(1, 0, BY_CONTROL))
    core.stream(1, 0, [5, 6])
    core.send(3, 0, 0x01C00007, ctrl=True)  # as a control word it would be TEARDOWN with noce
    core.stream(4, 0, [header(1, 0, count=1), 8])
    b.run()
    entries = [e.wavelet for e in b.fabric.tile(1, 0).input_queues[0].entries]
    assert [w.data for w in entries] == [header(1, 0, BY_CONTROL), 5, 6, 0x01C00007, header(1, 0, count=1), 8]
    assert [w.ctrl for w in entries] == [False, False, False, True, False, False]
    assert b.seen.downs == [] and b.seen.switches == []


def test_messages_that_meet_do_not_mix() -> None:
    # P0 and P2 send to P1 in the same cycles: colors 14 (from the east) and 18 (from the west) both land at 7.
    # The first turn is color 14's; 18 waits until its last wavelet has passed at 10, and goes from 11 on.
    b = area(3)
    b.core(0).stream(0, 0, [header(1, 0, count=2), 11, 12])
    b.core(2).stream(0, 0, [header(1, 0, count=2), 21, 22])
    b.core(1).drain(0)
    b.run()
    head = header(1, 0, count=2)
    assert [(t, c, d) for t, _, c, _, d in b.seen.delivered] == [
        (8, 14, head),
        (9, 14, 21),
        (10, 14, 22),
        (11, 18, head),
        (12, 18, 11),
        (13, 18, 12),
    ]


def test_a_message_that_trickles_holds_its_path() -> None:
    # P0's second data wavelet comes at issue 50; P2's message waits all the while.
    b = area(3)
    b.core(0).stream(0, 0, [header(1, 0, count=2), 11])
    b.core(0).send(50, 0, 12)
    b.core(2).stream(10, 0, [header(1, 0, count=1), 21])
    b.core(1).drain(0)
    b.run(40)
    assert got(b.core(1)) == [header(1, 0, count=2), 11]
    wait, = why_waiting(b.fabric.tile(1, 0), 14, 40)
    assert (wait.reason, wait.color, wait.port) == (Reason.PATH_HELD, 18, arch.C)
    b.run()
    assert got(b.core(1)) == [header(1, 0, count=2), 11, 12, header(1, 0, count=1), 21]


def test_paths_that_do_not_share_an_output_pass_each_other() -> None:
    # West to east and east to west through P1, both at full speed.
    b = area(3)
    b.core(0).stream(0, 0, [header(2, 0, count=2), 91, 92])
    b.core(2).stream(0, 0, [header(0, 0, count=2), 93, 94])
    b.run()
    assert sorted((t, p, k) for t, p, _, k, d in b.seen.landings if d in (92, 94) and k != "R") == [
        (9, "P1.0", "E"),
        (9, "P1.0", "W"),
        (11, "P0.0", "E"),
        (11, "P2.0", "W"),
    ]


def test_both_banks_at_once() -> None:
    b = Bench(2)
    for x in (0, 1):
        for bank in (0, 1):
            b.bank(x, 0, bank)
            b.out(x, 0, bank, arch.BANK_CORE_COLOR[bank])
            b.inp(x, 0, bank, arch.BANK_CORE_COLOR[bank])
    b.core(0).stream(0, 0, [header(1, 0, count=2), 1, 2])
    b.core(0).stream(0, 1, [header(1, 0, count=2), 3, 4])
    b.run()
    queues = b.fabric.tile(1, 0).input_queues
    assert [e.wavelet.data for e in queues[0].entries] == [header(1, 0, count=2), 1, 2]
    assert [e.wavelet.data for e in queues[1].entries] == [header(1, 0, count=2), 3, 4]


def test_relays_need_no_queue() -> None:
    b = Bench(3)
    for x in range(3):
        b.bank(x, 0, 0)
    b.out(0, 0, 0, 16).stream(0, 0, [header(2, 0, count=1), 9])
    b.inp(2, 0, 3, 16).drain(3)
    b.run()
    assert got(b.core(2)) == [header(2, 0, count=1), 9]


def test_a_hole_in_the_area_stops_the_message() -> None:
    b = area(3, holes=((1, 0),))
    b.core(0).stream(0, 0, [header(2, 0, count=1), 9])
    b.run()
    assert b.held(0, 0, 16) == [header(2, 0, count=1), 9]
    wait, = why_waiting(b.fabric.tile(0, 0), 16, b.fabric.now)
    assert (wait.reason, wait.tile.name, wait.color, wait.port) == (Reason.NO_INPUT, "P1.0", 18, arch.R)


@pytest.mark.parametrize("flags", [0, NORTH | SOUTH])
def test_a_missing_direction_bit_stops_the_message(flags: int) -> None:
    b = area(2, 2)
    b.core(0, 0).stream(0, 0, [header(1, 1, flags, 1), 9])
    b.run()
    assert b.held(1, 0, 18) == [header(1, 1, flags, 1), 9]
    wait, = why_waiting(b.fabric.tile(1, 0), 18, b.fabric.now)
    assert wait.reason is Reason.NO_DIRECTION


def test_a_wrong_direction_bit_leads_out_of_the_layout() -> None:
    b = area(1, 2)
    b.core(0, 0).stream(0, 0, [header(0, 1, NORTH, 1), 9])
    b.run()
    (key, lost), = b.fabric.lost.items()
    assert key == (0, 16, arch.D) and lost.wavelets == 2


def test_an_unfinished_message_locks_the_path() -> None:
    b = area(3)
    b.core(0).stream(0, 0, [header(1, 0, count=3), 1, 2])
    b.core(2).stream(30, 0, [header(1, 0, count=1), 9])
    b.core(1).drain(0)
    assert b.run()
    assert got(b.core(1)) == [header(1, 0, count=3), 1, 2]
    wait, = why_waiting(b.fabric.tile(1, 0), 14, b.fabric.now)
    assert wait.reason is Reason.PATH_HELD


def test_a_half_wavelet_is_a_fault() -> None:
    b = area(2)
    b.core(0).send(0, 0, 5, 16)
    with pytest.raises(FabricFault) as e:
        b.run()
    assert (e.value.code, e.value.cycle, e.value.x, e.value.color, e.value.direction) == ("FB402", 5, 0, 16, "R")


def test_the_row_and_column_registers_route() -> None:
    # A tile that believes it is at column 5 hands messages for column 5 to its core.
    b = area(2)
    b.fabric.tile(1, 0).write_word(arch.COLUMN_ID, 5)
    b.core(0).stream(0, 0, [header(5, 0, count=1), 9])
    b.core(1).drain(0)
    b.run()
    assert got(b.core(1)) == [header(5, 0, count=1), 9]
