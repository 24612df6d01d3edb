"""State of the reference and of the engine, in one form, and where they differ."""

from __future__ import annotations

import json
from typing import Any

from fabric.engine import convert
from fabric.engine.machine import Machine
from fabric.reference import snapshot
from fabric.reference.fabric import Fabric


def normal(state: dict[str, Any]) -> dict[str, Any]:
    """Plain data in one order; lists whose order means nothing are sorted."""
    plain: dict[str, Any] = json.loads(json.dumps(state))
    plain["tiles"].sort(key=lambda t: t["at"])
    plain["lost"].sort()
    for tile in plain["tiles"]:
        tile["channels"].sort(key=lambda c: c["color"])
        tile["owners"].sort()
        if tile["core"]:
            tile["core"]["users"].sort()
            # Which of the teardowns of one cycle came first is not state that anything depends on.
            tile["core"]["events"] = sorted([c, a, t] for c, _, a, t in tile["core"]["events"])
    return plain


def differences(a: Any, b: Any, path: str = "") -> list[tuple[str, Any, Any]]:
    """(path, first, second) of every value that differs."""
    if type(a) is not type(b):
        return [(path, a, b)]
    if isinstance(a, dict):
        return [d for k in sorted({*a, *b}) for d in differences(a.get(k), b.get(k), f"{path}.{k}")]
    if isinstance(a, list):
        if len(a) != len(b):
            return [(path, a, b)]
        return [d for k, (x, y) in enumerate(zip(a, b, strict=True)) for d in differences(x, y, f"{path}[{k}]")]
    return [] if a == b else [(path, a, b)]


def words(fabric: Fabric) -> dict[tuple[int, int], tuple[bytes, bytes, dict[int, int]]]:
    """Memory, cache and registers of every tile."""
    return {
        at: (t.memory.tobytes(), t.cache.tobytes(), t.registers.words()) for at, t in sorted(fabric.tiles.items())
    }


def check(reference: Fabric, machine: Machine, whole: bool = False, early: bool = False) -> None:
    """Both are in the same state; `whole`: their words too, and the machine's state survives the way to a reference
    fabric. `early`: the machine may look at cores before they are due, as it does where delays are long."""
    one, other = normal(snapshot.take(reference)), normal(convert.take(machine))
    if early:
        del one["cores_due"], other["cores_due"]
    found = differences(one, other)
    assert not found, (reference.now, found[:8])
    if whole:
        other = convert.reference(machine)
        a, b = words(reference), words(other)
        assert a.keys() == b.keys()
        for at in a:
            assert a[at][0] == b[at][0], (at, "memory")
            assert a[at][1] == b[at][1], (at, "cache")
            assert a[at][2] == b[at][2], (at, "registers", differences(_text(a[at][2]), _text(b[at][2])))


def _text(registers: dict[int, int]) -> dict[str, int]:
    return {f"{k:04x}": v for k, v in registers.items()}
