"""The switched chain (hardware.md 18): K tiles share one color; each gives the line to the next with ADVANCE, and the
left end gives it back to all with RESET."""

from __future__ import annotations

import pytest
from programs import run

LAYOUT = """let c = color()
let left = tile()
left : code('left [line:c ROUNDS:ROUNDS])
left : paint(c [C>R])
let mid = tile()
mid : code('mid [line:c ROUNDS:ROUNDS])
mid : paint(c [C>R; L>R; pop=adv ring])
let end = tile()
end : code('end [line:c N:K*ROUNDS])
end : paint(c [L>C])
end : name('end)
hstack(left hstackrep(mid K-1) end)
"""
MID = """xp param ROUNDS;
sp socket line;
xp column[1] address(0x7c46);
wv advance = {0x9249, 0x0940};
main {
  r in [0, ROUNDS) {
    line[] <- (sp)(column[0] + 100 * r);
    line[] <- control(advance);
  }
}
"""
LEFT = """xp param ROUNDS;
sp socket line;
wv again = {0x9249, 0x0980};
main {
  r in [0, ROUNDS) {
    line[] <- (sp)(100 * r);
    line[] <- control(again);
  }
}
"""
END = """xp param N;
sp socket line;
sp got[n=N];
main { let i in [0, N); ∀i got[i] <- line[]; }
"""
FILES = {"bench.paint": LAYOUT, "left.w": LEFT, "mid.w": MID, "end.w": END}


@pytest.mark.parametrize("tiles", [1, 2, 5, 12])
@pytest.mark.parametrize("rounds", [1, 2, 4])
def test_values_come_nearest_first_round_by_round(tiles: int, rounds: int) -> None:
    r = run(FILES, K=tiles, ROUNDS=rounds)
    assert r.status == "done", r.why_blocked()
    want = [100.0 * k + x for k in range(rounds) for x in reversed(range(tiles))]
    assert r.get("end.got").ravel().tolist() == want


@pytest.mark.parametrize("tiles", [2, 5])
def test_all_switches_stand_at_the_start_after_the_last_reset(tiles: int) -> None:
    r = run(FILES, K=tiles, ROUNDS=2)
    fabric = r.simulation.fabric
    assert fabric is not None
    channels = [fabric.tiles[x, 0].router.channels[0] for x in range(1, tiles)]
    assert [(c.in_pos, c.out_pos) for c in channels] == [(0, 0)] * (tiles - 1)


def test_a_reset_waits_for_a_tile_that_has_not_had_its_turn() -> None:
    # The second tile sends late: the left end's value and RESET wait in front of its switch, and come after it.
    late = MID.replace("main {", "main {\n  xp pause = 300;\n  while (pause > 0) { pause = pause - 1; }")
    r = run({**FILES, "mid.w": late}, K=2, ROUNDS=2)
    assert r.status == "done"
    assert r.get("end.got").ravel().tolist() == [1.0, 0.0, 101.0, 100.0]


def test_a_chain_by_flip() -> None:
    # The same without a control wavelet: the last word of each tile's send flips its own input switch.
    mid = MID.replace("    line[] <- control(advance);\n", "    line.flip;\n")
    r = run({**FILES, "mid.w": mid}, K=4, ROUNDS=1)
    assert r.status == "done", r.why_blocked()
    assert r.get("end.got").ravel().tolist() == [3.0, 2.0, 1.0, 0.0]
