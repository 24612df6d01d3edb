"""Switch positions, control words, pops, ring, reset, flips (hardware.md 1, 15, 18; S0:93-101)."""

from __future__ import annotations

import pytest
from fabric_bench import Bench

from fabric import arch
from fabric.reference.fault import FabricFault
from fabric.reference.wavelet import NOCE, command, commands_of, control_payload, popped

ADVANCE = 0x0940 << 16 | 0x9249  # {0x9249, 0x0940} as {lo, hi}: the known words of hardware.md 15
RESET = 0x0980 << 16 | 0x9249
NOP = 0x0900 << 16 | 0x9249  # ADVANCE with its command popped: eight times NOP with noce


def test_the_known_control_words() -> None:
    assert control_payload(1 | NOCE, task=0) == ADVANCE
    assert control_payload(2 | NOCE, task=0) == RESET
    assert commands_of(0x01C00000) & 7 == 3 | NOCE  # TEARDOWN {0x0000, 0x01c0}
    assert commands_of(ADVANCE) == 0b100_100_100_100_100_100_100_101


def test_a_pop_shifts_the_string_and_keeps_the_task() -> None:
    word = control_payload(1, 2, 3, task=12)
    assert command(word) == 1
    assert command(popped(word)) == 2
    assert command(popped(popped(word))) == 3
    assert popped(word) >> 16 & 63 == 12
    assert commands_of(popped(word)) >> 21 == 4  # the vacated slot reads NOP with noce
    assert popped(ADVANCE) == NOP


def test_the_input_switch_moves_at_arrival_and_the_output_switch_after_leaving() -> None:
    # P1 [L>R ; L>C]. The ADVANCE lands on P1 at 8, leaves to the right by the old output at 9; the output switch has
    # moved as of 10. What follows goes to the core.
    #            R     P1                       P2
    #   value 1  5     7   leaves R 8           9
    #   ADVANCE  6     8   leaves R 9           10
    #   value 2  7     9   leaves C 10
    b = Bench(3)
    b.rule(0, 0, 3, "[C>R]")
    b.rule(1, 0, 3, "[L>R ; L>C]")
    b.rule(2, 0, 3, "[L>C]")
    core = b.out(0, 0, 0, 3)
    core.send(0, 0, 1)
    core.send(1, 0, ADVANCE, ctrl=True)
    core.send(2, 0, 2)
    b.inp(1, 0, 0, 3)
    b.inp(2, 0, 0, 3)
    b.run()
    assert [s for s in b.seen.switches if s[1] == "P1.0"] == [
        (8, "P1.0", 3, "input", 0, 1, "advance"),
        (9, "P1.0", 3, "output", 0, 1, "advance"),
    ]
    assert b.landed("P2.0") == [(9, "W", 1), (10, "W", ADVANCE)]
    assert [d for d in b.seen.departures if d[1] == "P1.0"] == [
        (8, "P1.0", 3, "E", 1),
        (9, "P1.0", 3, "E", ADVANCE),
        (10, "P1.0", 3, "R", 2),
    ]


def test_an_input_that_moves_at_arrival_shuts_out_what_comes_next() -> None:
    # P1 [L>R ; R>L]: after the ADVANCE landed at 7, the next value from the left (on P0 at 6) is not taken.
    b = Bench(3)
    b.rule(0, 0, 3, "[C>R]")
    b.rule(1, 0, 3, "[L>R ; R>L]")
    b.rule(2, 0, 3, "[L>]")
    core = b.out(0, 0, 0, 3)
    core.send(0, 0, ADVANCE, ctrl=True)
    core.send(1, 0, 2)
    b.run()
    assert b.landed("P1.0") == [(7, "W", ADVANCE)]
    assert b.held(0, 0, 3) == [2]


@pytest.mark.parametrize(
    ("rule", "positions"),
    [
        ("[L>C ; L>R]", [1, 1, 1, 1]),  # no ring: no effect at the last valid position (S4:5757, 5789)
        ("[L>C ; L>R ; ring]", [1, 0, 1, 0]),
        ("[L>C ; L>R ; L>U]", [1, 2, 2, 2]),
        ("[L>C ; L>R ; L>U ; L>D ; ring]", [1, 2, 3, 0]),
        ("[L>C ; L>R* ; L>U ; L>D ; ring]", [2, 3, 0, 1]),  # the start position is 1
        ("[L>C ; ring]", [0, 0, 0, 0]),
    ],
)
def test_advances(rule: str, positions: list[int]) -> None:
    b = Bench(2)
    b.rule(0, 0, 3, "[C>R]")
    b.rule(1, 0, 3, rule)
    core = b.out(0, 0, 0, 3)
    channel = b.fabric.tile(1, 0).router.channels[3]
    b.inp(1, 0, 0, 3).drain(0)
    for i, position in enumerate(positions):
        core.send(100 * i, 0, ADVANCE, ctrl=True)
        b.run(100 * i + 99)
        assert (channel.in_pos, channel.out_pos) == (position, position)


def test_reset_goes_to_position_0_and_nop_does_nothing() -> None:
    b = Bench(2)
    b.rule(0, 0, 3, "[C>R]")
    b.rule(1, 0, 3, "[L>C ; L>R ; L>U]")
    core = b.out(0, 0, 0, 3)
    for i, word in enumerate((ADVANCE, ADVANCE, NOP, RESET)):
        core.send(i, 0, word, ctrl=True)
    b.inp(1, 0, 0, 3)
    b.run()
    assert [(s[3], s[4], s[5], s[6]) for s in b.seen.switches if s[1] == "P1.0"] == [
        ("input", 0, 1, "advance"),
        ("input", 1, 2, "advance"),
        ("output", 0, 1, "advance"),
        ("output", 1, 2, "advance"),
        ("input", 2, 0, "reset"),
        ("output", 2, 0, "reset"),
    ]


def arrives(rule: str, word: int, noce_task: int = 0) -> int:
    """What P2 gets of a control word that passes through a rule on P1."""
    b = Bench(3)
    b.rule(0, 0, 3, "[C>R]")
    b.rule(1, 0, 3, rule)
    b.rule(2, 0, 3, "[L>]")
    b.out(0, 0, 0, 3).send(0, 0, word, ctrl=True)
    b.run()
    (_, _, data), = b.landed("P2.0")
    return data


TWO = control_payload(1, 2)  # ADVANCE, then RESET
NOP_TWO = control_payload(0, 2)
RESET_TWO = control_payload(2, 1)


@pytest.mark.parametrize(
    ("flags", "rule", "word", "pops"),
    [
        ("", "[L>R ; L>R", TWO, False),
        ("pop=adv", "[L>R ; L>R", TWO, True),
        ("pop=adv", "[L>R", TWO, False),  # it moved nothing
        ("pop=adv", "[L>R ; L>R*", TWO, False),  # at the last position, no ring
        ("pop=adv ring", "[L>R ; L>R*", TWO, True),
        ("pop=adv", "[L>R ; L>R*", RESET_TWO, False),  # never a RESET (hardware.md 18)
        ("pop=adv", "[L>R ; L>R", NOP_TWO, False),
        ("pop=advnop", "[L>R ; L>R", NOP_TWO, True),
        ("pop=advnop", "[L>R ; L>R", TWO, True),
        ("pop=advnop", "[L>R", TWO, False),
        ("pop=advnop", "[L>R ; L>R*", RESET_TWO, False),
        ("pop=always", "[L>R", TWO, True),
        ("pop=always", "[L>R", NOP_TWO, True),
        ("pop=always", "[L>R ; L>R*", RESET_TWO, True),
    ],
)
def test_pop_modes(flags: str, rule: str, word: int, pops: bool) -> None:
    assert arrives(f"{rule} ; {flags}]", word) == (popped(word) if pops else word)


def test_without_a_pop_one_advance_moves_every_router_on_its_path() -> None:
    b = Bench(4)
    b.rule(0, 0, 3, "[C>R]")
    for x in (1, 2):
        b.rule(x, 0, 3, "[L>R ; L>C]")
    b.rule(3, 0, 3, "[L>]")
    b.out(0, 0, 0, 3).send(0, 0, ADVANCE, ctrl=True)
    b.run()
    assert [b.fabric.tile(x, 0).router.channels[3].in_pos for x in range(4)] == [0, 1, 1, 0]


def test_noce_keeps_a_control_wavelet_from_the_core() -> None:
    # To core and right: with noce it goes right alone; with C as its only output it is taken and discarded.
    b = Bench(3)
    b.rule(0, 0, 3, "[C>R]")
    b.rule(1, 0, 3, "[L>CR]")
    b.rule(2, 0, 3, "[L>C]")
    core = b.out(0, 0, 0, 3)
    core.send(0, 0, ADVANCE, ctrl=True)
    core.send(1, 0, control_payload(1, task=5), ctrl=True)
    b.inp(1, 0, 0, 3)
    b.inp(2, 0, 0, 3)
    b.run()
    assert [(t, links) for t, p, _, links, _ in b.seen.departures if p == "P1.0"] == [(8, "E"), (9, "ER")]
    assert [(t, links) for t, p, _, links, _ in b.seen.departures if p == "P2.0"] == [(10, ""), (11, "R")]
    for x in (1, 2):
        entry, = b.fabric.tile(x, 0).input_queues[0].entries
        assert entry.wavelet.ctrl and entry.wavelet.task == 5


def test_noce_is_the_one_of_the_current_command() -> None:
    # always popped on P1: P2 sees the second command, whose noce is clear.
    b = Bench(3)
    b.rule(0, 0, 3, "[C>R]")
    b.rule(1, 0, 3, "[L>CR ; pop=always]")
    b.rule(2, 0, 3, "[L>C]")
    b.out(0, 0, 0, 3).send(0, 0, control_payload(NOCE, 0, task=6), ctrl=True)
    b.inp(1, 0, 0, 3)
    b.inp(2, 0, 0, 3)
    b.run()
    assert not b.fabric.tile(1, 0).input_queues[0].entries
    assert len(b.fabric.tile(2, 0).input_queues[0].entries) == 1


def test_a_flip_moves_the_own_input_switch_only() -> None:
    # P1 [C>R ; L>R]: it sends two values, the second with a flip, and then lets P0's pass.
    #            P1 (R or W)         P2
    #   200      5    leaves 6        7
    #   201 lf   6    leaves 7        8     the input switch moves at 6, so as of 6 P0's 100 (landed 5) may leave
    #   100      7    leaves 8        9
    b = Bench(3)
    b.rule(0, 0, 3, "[C>R]")
    b.rule(1, 0, 3, "[C>R ; L>R]")
    b.rule(2, 0, 3, "[L>C]")
    b.out(0, 0, 0, 3).send(0, 0, 100)
    core = b.out(1, 0, 0, 3)
    core.send(0, 0, 200)
    core.send(1, 0, 201, flip=True)
    b.inp(2, 0, 0, 3)
    b.run()
    assert b.seen.switches == [(6, "P1.0", 3, "input", 0, 1, "flip")]
    assert b.landed("P1.0") == [(5, "R", 200), (6, "R", 201), (7, "W", 100)]
    assert b.landed("P2.0") == [(7, "W", 200), (8, "W", 201), (9, "W", 100)]
    assert not any(e.wavelet.lf for e in b.fabric.tile(2, 0).input_queues[0].entries)


def test_a_flip_moves_no_router_but_the_senders() -> None:
    b = Bench(2)
    b.rule(0, 0, 3, "[C>R ; L>R]")
    b.rule(1, 0, 3, "[L>C ; R>C]")
    b.out(0, 0, 0, 3).send(0, 0, 1, flip=True)
    b.inp(1, 0, 0, 3)
    b.run()
    assert [b.fabric.tile(x, 0).router.channels[3].in_pos for x in (0, 1)] == [1, 0]


@pytest.mark.parametrize("color", [10, 11, 14, 15, 18, 19, 22, 23])
def test_colors_that_cannot_switch(color: int) -> None:
    # Neither may they be given positions, nor does a command move them.
    b = Bench(2)
    with pytest.raises(FabricFault) as e:
        b.rule(0, 0, color, "[C>R ; L>R]")
    assert e.value.code == "FB404"
    b = Bench(2)
    b.rule(0, 0, color, "[C>R ; ring pop=adv]")
    b.rule(1, 0, color, "[L>]")
    b.out(0, 0, 0, color).send(0, 0, ADVANCE, ctrl=True)
    b.run()
    assert b.landed("P1.0") == [(7, "W", ADVANCE)]
    assert b.seen.switches == []


@pytest.mark.parametrize("tiles", [1, 2, 5])
@pytest.mark.parametrize("rounds", [1, 3])
def test_switched_chain(tiles: int, rounds: int) -> None:
    # hardware.md 18: P1..Pn [C>R; L>R; pop=adv ring] send a value, then ADVANCE; the right end reads the values
    # nearest first; a RESET from the left end sets all switches back for the next round.
    b = Bench(tiles + 2)
    b.rule(0, 0, 2, "[C>R]")
    for x in range(1, tiles + 1):
        b.rule(x, 0, 2, "[C>R ; L>R ; pop=adv ring]")
        b.out(x, 0, 0, 2)
    b.rule(tiles + 1, 0, 2, "[L>C]")
    end = b.inp(tiles + 1, 0, 0, 2)
    end.drain(0)
    b.out(0, 0, 0, 2)
    expected = []
    for turn in range(rounds):
        for x in range(1, tiles + 1):
            core = b.core(x)
            # Each round begins at another cycle on each tile; the RESET is even sent first and waits.
            core.send(1000 * turn + 7 * (x * 3 % 4), 0, 100 * turn + x)
            core.send(1000 * turn + 7 * (x * 3 % 4) + 1, 0, ADVANCE, ctrl=True)
        b.core(0).send(1000 * turn, 0, RESET, ctrl=True)
        expected += [100 * turn + x for x in range(tiles, 0, -1)]
    b.run()
    assert [v for _, _, v in end.got] == expected
    for x in range(1, tiles + 1):
        channel = b.fabric.tile(x, 0).router.channels[2]
        assert (channel.in_pos, channel.out_pos) == (0, 0)


def test_switched_chain_cycle_by_cycle() -> None:
    # Two tiles, both sending 1xx at issue 0 and ADVANCE at 1:
    #            P1              P2                     P3
    #   102                      R 5   leaves 6         7
    #   ADV2                     R 6   leaves 7 (NOP)   8    P2's input is L as of 6: 101 leaves P1 at 6
    #   101      R 5  leaves 6   W 7   leaves 8         9
    #   ADV1     R 6  leaves 7   W 8   leaves 9 (NOP)   10
    b = Bench(4)
    for x in (1, 2):
        b.rule(x, 0, 2, "[C>R ; L>R ; pop=adv ring]")
        core = b.out(x, 0, 0, 2)
        core.send(0, 0, 100 + x)
        core.send(1, 0, ADVANCE, ctrl=True)
    b.rule(3, 0, 2, "[L>C]")
    b.inp(3, 0, 0, 2)
    b.run()
    assert b.landed("P2.0") == [(5, "R", 102), (6, "R", ADVANCE), (7, "W", 101), (8, "W", NOP)]
    assert b.landed("P3.0") == [(7, "W", 102), (8, "W", NOP), (9, "W", 101), (10, "W", NOP)]
    assert b.seen.switches == [
        (6, "P1.0", 2, "input", 0, 1, "advance"),
        (6, "P2.0", 2, "input", 0, 1, "advance"),
        (7, "P1.0", 2, "output", 0, 1, "advance"),
        (7, "P2.0", 2, "output", 0, 1, "advance"),
    ]


def test_positions_in_registers() -> None:
    # The current positions stand in our word; writing the route sets both to 0 (hardware.md 16).
    b = Bench(2)
    b.rule(0, 0, 3, "[C>R ; L>R]")
    b.rule(1, 0, 3, "[L>]")
    core = b.out(0, 0, 0, 3)
    core.send(0, 0, 1, flip=True)
    tile = b.fabric.tile(0, 0)
    b.run()
    word = tile.read_word(arch.SWITCH_OURS + 4 * 3)
    assert (word >> 5 & 3, word >> 7 & 3) == (1, 0)
    tile.write_word(arch.SWITCH_OURS + 4 * 3, 1 << 5 | 1 << 7)
    assert (tile.router.channels[3].in_pos, tile.router.channels[3].out_pos) == (1, 1)
    tile.write_word(arch.ROUTE + 3, tile.read_word(arch.ROUTE + 3))
    assert (tile.router.channels[3].in_pos, tile.router.channels[3].out_pos) == (0, 0)


def test_a_switch_word_at_run_time() -> None:
    # P0 [C>R] gets a position 1 [L>R] by a register write; then an ADVANCE has somewhere to go.
    b = Bench(2)
    b.rule(0, 0, 3, "[C>R]")
    b.rule(1, 0, 3, "[L>]")
    core = b.out(0, 0, 0, 3)
    core.send(0, 0, ADVANCE, ctrl=True)
    core.write(20, arch.SWITCH + 4 * 3, 0 << 5 | 2)
    core.send(21, 0, ADVANCE, ctrl=True)
    b.run()
    assert b.seen.switches == [
        (26, "P0.0", 3, "input", 0, 1, "advance"),
        (27, "P0.0", 3, "output", 0, 1, "advance"),
    ]
