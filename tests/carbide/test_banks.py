"""Objects that meet in a vector instruction start in different banks: two memory sources whose groups start at
addresses equal modulo 4 cost a cycle a group (hardware.md 10, 14.4)."""

from __future__ import annotations

import pytest
from harness import ONE, unit

import paint
from carbide.banks import Meeting, meetings, phases
from carbide.ir import Data
from fabric.profile import BANK, Profile
from fabric.simulation import Simulation


def _apart(found: list[Meeting]) -> bool:
    start = phases(found)
    return all((start[m.a] + m.offset_a - start[m.b] - m.offset_b) % 4 for m in found)


def test_sixteen_bit_arrays_have_four_places() -> None:
    a, b, c, d = (Data(n, 8) for n in "abcd")
    pairs = [(a, b), (b, c), (c, d), (d, a), (a, c), (b, d)]
    assert _apart([Meeting(x, 0, y, 0, 1.0) for x, y in pairs])


def test_offsets_count() -> None:
    a, b = Data("a", 8, 2), Data("b", 8, 2)
    start = phases([Meeting(a, 2, b, 0, 1.0)])
    assert (start[a] + 2 - start[b]) % 4 == 2


def test_the_pair_that_runs_most_is_kept_apart() -> None:
    """Three 32-bit arrays that all meet: two places are too few."""
    a, b, c = (Data(n, 8, 2) for n in "abc")
    found = [Meeting(a, 0, b, 0, 1.0), Meeting(b, 0, c, 0, 9.0), Meeting(a, 0, c, 0, 5.0)]
    start = phases(found)
    assert start[b] != start[c] and start[a] != start[c] and start[a] == start[b]
    assert all(p % 2 == 0 for p in start.values())


def test_bank_and_fixed_addresses_stay() -> None:
    a, b, c = Data("a", 8, 2, bank=1), Data("b", 8, 2), Data("c", 8, 2, address=0x7F00)
    start = phases([Meeting(a, 0, b, 0, 1.0), Meeting(a, 0, c, 0, 1.0)])
    assert (start[a], start[b], start[c]) == (2, 0, 0)


def test_a_loop_weighs_more() -> None:
    u = unit(
        """sp a[8], b[8], c[8], d[8]; let i in [0, 8);
        main { ∀i d[i] <- a[i] + b[i]; k in [0, 9) { ∀i d[i] <- b[i] + c[i]; } ∀i d[i] <- a[i] * c[i]; }"""
    )
    by_pair = {m.a.name + m.b.name: m.weight for m in meetings(u)}
    assert by_pair["bc"] > by_pair["ab"] == by_pair["ac"]


@pytest.mark.parametrize(
    "text",
    [
        "sp a[64], b[64], c[64]; let i in [0, 62); main { ∀i c[i] <- a[i + 1] + b[i]; }",
        "xp a[64], b[64], c[64]; let i in [0, 64); main { ∀i c[i] <- a[i] + b[i]; ∀i b[i] <- a[i] + c[i]; ∀i a[i] <- b[i] ^ c[i]; }",
        "sp a[10][12], b[10][12], c[10][12]; let i in [1, 9); main { ∀i ∀j in [1, 9) c[i][j] <- a[i][j + 1] - b[i - 1][j]; }",
        "sp a[64] bank(1); sp b[64] bank(3), c[64], d[64]; let i in [0, 64); main { ∀i d[i] <- a[i] + c[i]; ∀i d[i] += b[i]; }",
    ],
    ids=["shifted", "three of 16 bits", "two levels", "bank"],
)
def test_no_conflict_is_left(text: str) -> None:
    profile = Profile()
    image = paint.build({"bench.paint": ONE, "k0.w": text})
    assert Simulation(image, probe=lambda tile: profile).run(5000).status == "done"
    assert sum(row[BANK] for row in profile.counts.values()) == 0
