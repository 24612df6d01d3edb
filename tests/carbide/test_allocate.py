"""Register allocation against an interpreter of virtual registers: random routines must store the same values.

The oracle runs the routine as lowering made it, with as many registers as it likes and calls and suspends that
disturb nothing. The other side runs what allocation made of it on sixteen registers, where every call and suspend
leaves garbage behind.
"""

from __future__ import annotations

import copy
import random
from collections.abc import Callable

import pytest

from carbide.allocate import WORDS, allocate
from carbide.ir import Addr, Data, Imm, Label, Op, Reg, Routine
from carbide.schedule import schedule

OPERATIONS: dict[str, Callable[[int, int], int]] = {
    "add": lambda a, b: a + b,
    "sub": lambda a, b: a - b,
    "xor": lambda a, b: a ^ b,
    "and": lambda a, b: a & b,
}


def _routine(seed: int) -> tuple[Routine, list[Data]]:
    """A loop around a straight body with branches, suspends and more values than there are registers."""
    rng = random.Random(seed)
    entry, loop, end = Label("entry"), Label("loop"), Label("end")
    out = [Data(f"out{i}", 4, 2) for i in range(8)]
    values = {"R": [Reg("R", f"r{i}") for i in range(6)], "D": [Reg("D", f"d{i}") for i in range(6)]}
    values["Q"] = [Reg("Q", f"q{i}") for i in range(2)]
    flags = [Reg("P", f"p{i}") for i in range(rng.choice([2, 11]))]
    counter = Reg("R", "counter")
    code: list[Op | Label] = [entry, Op("mov16", counter, (Imm(3),))]
    for file, regs in values.items():
        for r in regs:
            code.append(Op(f"mov{16 * WORDS[file]}", r, (Imm(rng.getrandbits(16 * WORDS[file])),)))
    for p in flags:
        code.append(Op("ne16", p, (counter, Imm(rng.randrange(4)))))
    code.append(loop)
    skips = 0
    for n in range(rng.randrange(5, 60)):
        file = rng.choice("RRDDQ")
        d, a, b = (rng.choice(values[file]) for _ in range(3))
        kind = rng.random()
        if kind < 0.6:
            code.append(Op(f"{rng.choice(list(OPERATIONS))}{16 * WORDS[file]}", d, (a, b), statement=n))
        elif kind < 0.7:
            name = f"st{16 * WORDS[file]}"
            code.append(Op(name, None, (a,), (Addr(rng.choice(out)),), statement=n))
        elif kind < 0.78:
            after = Label(f"after{n}")
            code += [Op("suspend", targets=(after,), statement=n), after]
        elif kind < 0.86:
            r, s = rng.choice(values["R"]), rng.choice(values["R"])
            code.append(Op("ltu16", rng.choice(flags), (r, s), statement=n))
        elif kind < 0.93:
            code.append(Op(f"mov{16 * WORDS[file]}", d, (a,), pred=rng.choice(flags), negated=rng.random() < 0.5, statement=n))
        else:
            skips += 1
            over = Label(f"over{skips}")
            jump = Op("jmp", None, (), (over,), pred=rng.choice(flags), negated=rng.random() < 0.5, statement=n)
            code += [jump, Op("add16", d if file == "R" else values["R"][0], (values["R"][1], Imm(7)), statement=n), over]
    code += [
        Op("sub16", counter, (counter, Imm(1)), statement=1000),
        Op("ne16", flags[0], (counter, Imm(0)), statement=1001),
        Op("jmp", None, (), (loop,), pred=flags[0], statement=1002),
        end,
    ]
    for i, r in enumerate([*values["R"][:3], *values["D"][:3], *values["Q"]]):
        code.append(Op(f"st{16 * WORDS[r.file]}", None, (r,), (Addr(out[i]),), statement=2000 + i))
    code.append(Op("end", statement=3000))
    return Routine("random", entry, code), out


def _run(
    code: list[Op | Label],
    read: Callable[[Reg], int],
    write: Callable[[Reg, int], None],
    garbage: Callable[[], None],
) -> dict[str, int]:
    memory: dict[str, int] = {}
    at, steps = 0, 0
    while True:
        steps += 1
        assert steps < 20000
        op = code[at]
        at += 1
        if isinstance(op, Label):
            continue
        if op.pred is not None and bool(read(op.pred)) == op.negated:
            continue
        if op.name == "end":
            return {k: v for k, v in memory.items() if k.startswith("out")}
        if op.name == "jmp":
            at = code.index(op.args[0])  # type: ignore[arg-type]
        elif op.name == "suspend":
            garbage()
            at = code.index(op.targets[0])
        elif op.name.startswith("st"):
            assert isinstance(op.args[0], Addr) and op.args[0].data is not None
            source = op.sources[0]
            assert isinstance(source, Reg)
            memory[op.args[0].data.name] = read(source)
        else:
            assert isinstance(op.dest, Reg)
            a, *rest = [read(s) if isinstance(s, Reg) else s.bits if isinstance(s, Imm) else 0 for s in op.sources] or [0]
            bits = 16 * WORDS[op.dest.file]
            name = op.name.rstrip("0123456789")
            if name == "mov":
                value = a
            elif name == "ld":
                assert isinstance(op.args[0], Addr) and op.args[0].data is not None
                value = memory[op.args[0].data.name]
            elif name == "ne":
                value = int(a != rest[0])
            elif name == "ltu":
                value = int(a < rest[0])
            else:
                value = OPERATIONS[name](a, rest[0])
            write(op.dest, value & ((1 << bits) - 1) if op.dest.file != "P" else value)


def _virtual(routine: Routine) -> dict[str, int]:
    held: dict[Reg, int] = {}
    return _run(routine.code, lambda r: held[r], lambda r, v: held.__setitem__(r, v), lambda: None)


def _physical(routine: Routine, place: dict[Reg, int], seed: int) -> dict[str, int]:
    rng = random.Random(seed)
    words = [0] * 16
    flags = [0] * 8

    def read(r: Reg) -> int:
        if r.file == "P":
            return flags[place[r]]
        return sum(words[place[r] + k] << 16 * k for k in range(WORDS[r.file]))

    def write(r: Reg, value: int) -> None:
        if r.file == "P":
            flags[place[r]] = value
            return
        for k in range(WORDS[r.file]):
            words[place[r] + k] = value >> 16 * k & 0xFFFF

    def garbage() -> None:
        words[:] = [rng.getrandbits(16) for _ in words]
        flags[:] = [rng.getrandbits(1) for _ in flags]

    return _run(routine.code, read, write, garbage)


@pytest.mark.parametrize("opt", [0, 1, 2])
@pytest.mark.parametrize("seed", range(60))
def test_random_routines_store_what_they_did_before(seed: int, opt: int) -> None:
    routine, _ = _routine(seed)
    expected = _virtual(copy.deepcopy(routine))
    if opt:
        schedule(routine, opt)
        assert _virtual(copy.deepcopy(routine)) == expected
    homes: list[Data] = []
    place = allocate(routine, homes)
    for r, at in place.items():
        assert at % WORDS[r.file] == 0
    assert _physical(routine, place, seed) == expected


def test_leaf_function_leaves_the_link_register_alone() -> None:
    entry = Label("f")
    values = [Reg("R", f"v{i}") for i in range(15)]
    code: list[Op | Label] = [entry, *[Op("mov16", v, (Imm(i),)) for i, v in enumerate(values)]]
    out = Data("out", 1)
    code += [Op("st16", None, (v,), (Addr(out),)) for v in values] + [Op("ret")]
    routine = Routine("f", entry, code, link=Data("f.link", 1))
    place = allocate(routine, [])
    assert routine.link is None, "nothing disturbs R15, so it needs no place in memory"
    assert 15 not in place.values()
    assert len(set(place.values())) == 15, "fifteen values live at once fit into fifteen registers"
