"""Why something does not move, and state that is taken out and put back."""

from __future__ import annotations

import json

from fabric_bench import Bench, bits, half

from fabric import arch
from fabric.image import Image
from fabric.rects import Rect
from fabric.reference import snapshot
from fabric.reference.fabric import Fabric
from fabric.reference.waiting import Feed, Reason, sources, why_sending_waits, why_waiting


def blocked(b: Bench, x: int, color: int) -> list[tuple[Reason, str, int, int | None, int | None]]:
    waits = why_waiting(b.fabric.tile(x, 0), color, b.fabric.now)
    return [(w.reason, w.tile.name, w.color, w.port, w.queue) for w in waits]


def test_the_chain_of_a_stream_that_nobody_reads() -> None:
    b = Bench(2)
    b.rule(0, 0, 0, "[C>R]")
    b.rule(1, 0, 0, "[L>C]")
    b.out(0, 0, 1, 0).stream(0, 1, range(30))
    b.inp(1, 0, 2, 0)
    b.run()
    (w,) = why_sending_waits(b.fabric.tile(0, 0), 1, b.fabric.now)
    assert (w.reason, w.tile.name, w.color, w.port) == (Reason.BUFFER_FULL, "P0.0", 0, None)
    assert blocked(b, 0, 0) == [(Reason.BUFFER_FULL, "P1.0", 0, arch.R, None)]
    assert blocked(b, 1, 0) == [(Reason.QUEUE_FULL, "P1.0", 0, arch.C, 2)]


def test_no_rule_wrong_side_teardown_no_queue() -> None:
    for rule, reason in (("", Reason.NO_INPUT), ("[R>C]", Reason.OTHER_SIDE), ("down", Reason.TEARDOWN)):
        b = Bench(2)
        b.rule(0, 0, 0, "[C>R]")
        if rule == "down":
            b.fabric.tile(1, 0).registers.write(arch.ROUTE, 0x8010, loading=True)
        elif rule:
            b.rule(1, 0, 0, rule)
        b.out(0, 0, 0, 0).send(0, 0, 1)
        b.run()
        assert blocked(b, 0, 0) == [(reason, "P1.0", 0, arch.R, None)]
    b = Bench(1)
    b.rule(0, 0, 0, "[C>C]")
    b.out(0, 0, 0, 0).send(0, 0, 1)
    b.run()
    assert blocked(b, 0, 0) == [(Reason.NO_QUEUE, "P0.0", 0, arch.C, None)]


def test_each_output_that_has_not_taken_it_is_named() -> None:
    b = Bench(3)
    b.rule(1, 0, 0, "[C>LCR]")
    b.rule(0, 0, 0, "[R>]")
    b.out(1, 0, 0, 0).send(0, 0, 1)
    b.run()
    assert blocked(b, 1, 0) == [
        (Reason.NO_INPUT, "P2.0", 0, arch.R, None),
        (Reason.NO_QUEUE, "P1.0", 0, arch.C, None),
    ]


def test_a_swap_without_its_partner_is_named_by_the_color_that_stalls() -> None:
    # S0:153-156: B [LHC] reads A, and so does A itself, which has no route.
    b = Bench(2)
    b.rule(0, 0, 4, "[C>R]")
    b.rule(1, 0, 5, "[LHC]")
    b.out(0, 0, 0, 4).send(0, 0, 1)
    b.run()
    assert blocked(b, 0, 4) == [(Reason.NO_INPUT, "P1.0", 4, arch.R, None)]


def test_a_queue_without_a_color() -> None:
    b = Bench(1)
    b.core(0).send(0, 0, 1)
    b.run()
    (w,) = why_sending_waits(b.fabric.tile(0, 0), 0, b.fabric.now)
    assert w.reason is Reason.NO_COLOR


def test_sources() -> None:
    b = Bench(3)
    b.rule(0, 0, 0, "[C>R]")
    b.rule(1, 0, 0, "[L>C]")
    b.rule(1, 0, 2, "[R>C]")
    b.rule(2, 0, 2, "[C>U ; C>L]")
    b.rule(1, 0, 4, "[LHC]")
    b.rule(0, 0, 5, "[C>R]")
    b.out(0, 0, 3, 0)
    t0, t1, t2 = (b.fabric.tile(x, 0) for x in range(3))
    assert sources(t1, 0) == [Feed(t0, 0, arch.R)]
    assert sources(t0, 0) == [Feed(t0, 0, arch.C, 3)]
    assert sources(t1, 2) == [Feed(t2, 2, arch.L, open=False)]
    assert sources(t1, 4) == [Feed(t0, 5, arch.R)]
    assert sources(t1, 7) == []


def busy() -> Bench:
    """Streams, a chain of adders, messages, a filter, halves: much of everything under way in cycle 20."""
    b = Bench(4, 2)
    for x in range(4):
        b.rule(x, 0, 2, "[C>R]" if x == 0 else "[L>C]" if x == 3 else "[L>CR ; L>R ; ring pop=adv]")
        b.rule(x, 0, 10, "[C>R]" if x == 0 else "[L>C]" if x == 3 else "[L>R ; fabadder]")
        for y in (0, 1):
            b.bank(x, y, 0)
            b.out(x, y, 2, 16)
            b.inp(x, y, 2, 16)
        b.out(x, 0, 0, 2)
        b.out(x, 0, 1, 10)
        b.inp(x, 0, 0, 2).drain(0, 24 + x)
        b.inp(x, 0, 1, 10).drain(1)
    for i, word in enumerate((1, 2, 3, 1, 0)):
        b.fabric.tile(1, 0).registers.write(arch.FILTERS + i, word, loading=True)
    core = b.core(0)
    core.stream(0, 0, range(12))
    core.send(6, 0, 0x0940 << 16 | 0x9249, ctrl=True)
    core.stream(3, 1, [bits(float(i)) for i in range(8)])
    core.stream(2, 2, [3 << 20 | 1 << 8 | 1 << 6 | 3, 1, 2, 3])
    for x in (1, 2):
        b.core(x).stream(8, 1, [half(0.25 * i) for i in range(8)], bits=16)
    for y in (0, 1):
        b.core(3, y).drain(2, 30)
    b.core(2, 1).stream(0, 2, [3 << 20 | 1 << 8 | 5, *range(5)])
    return b


def test_a_state_put_back_goes_on_as_if_nothing_had_happened() -> None:
    whole = busy()
    whole.run()
    assert whole.core(3, 1).got and whole.core(3).got
    for cut in (0, 7, 13, 20, 29, 40):
        first = busy()
        first.run(cut)
        state = json.loads(json.dumps(snapshot.take(first.fabric)))
        second = busy()
        second.seen.landings.clear()
        for place, tile in first.fabric.tiles.items():
            other = second.fabric.tile(*place)
            other.memory[:] = tile.memory
            for address, word in sorted(tile.registers.words().items()):
                other.registers.write(address, word, loading=True)
        snapshot.restore(second.fabric, state)
        for core_at in ((x, y) for x in range(4) for y in range(2)):
            here, there = second.core(*core_at), first.core(*core_at)
            here.sends, here.late, here.takes = there.sends, there.late, there.takes
        second.run()
        assert first.seen.landings + second.seen.landings == whole.seen.landings
        assert second.fabric.now == whole.fabric.now
        for place, tile in whole.fabric.tiles.items():
            assert second.fabric.tile(*place).registers.words() == tile.registers.words()
            assert second.core(*place).got == whole.core(*place).got


def test_tracing_changes_nothing() -> None:
    watched, alone = busy(), busy()
    alone.fabric.observer = None
    watched.run()
    alone.run()
    assert watched.fabric.now == alone.fabric.now
    for place, tile in watched.fabric.tiles.items():
        assert alone.core(*place).got == watched.core(*place).got
        assert alone.fabric.tile(*place).registers.words() == tile.registers.words()
    assert watched.seen.cycles == sorted(watched.seen.cycles)  # the log is in order of cycles


def test_an_image_is_loaded() -> None:
    image = Image(4, 3)
    image.add_ids(Rect(0, 0, 4, 3))
    image.add_fill(Rect(1, 1, 2, 1), 0x100, [1, 2, 3])
    image.add_fill(Rect(1, 1, 1, 1), 0x101, [9])  # later wins
    image.add_fill(Rect(1, 1, 1, 1), arch.SWITCH_OURS + 4 * 3, [1 << 5 | 1 << 7])
    image.add_fill(Rect(1, 1, 1, 1), arch.ROUTE + 3, [0x0090])
    image.add_fill(Rect(1, 1, 1, 1), arch.SWITCH + 4 * 3, [0x0002])
    image.add_fill(Rect(2, 1, 1, 1), 0x7F00, [5])
    fabric = Fabric.load(image, lambda tile: None)
    assert sorted(fabric.tiles) == [(1, 1), (2, 1)]  # the others have nothing but their place
    a, b = fabric.tile(1, 1), fabric.tile(2, 1)
    assert list(a.memory[0x100:0x103]) == [1, 9, 3]
    assert list(b.memory[0x100:0x103]) == [1, 2, 3]
    assert b.read_word(0x7F00) == 5
    channel = a.router.channels[3]
    assert (channel.in_pos, channel.out_pos, channel.input, channel.outputs) == (1, 1, arch.L, 1 << arch.R)
    assert (a.read_word(arch.ROW_ID), a.read_word(arch.COLUMN_ID)) == (1, 1)
    assert fabric.run(10) and fabric.next_cycle() is None
