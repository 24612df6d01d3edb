"""Writing the operations of one routine: registers, labels, spans, statement numbers, and address arithmetic that
is not done twice within a straight run."""

from __future__ import annotations

from carbide.ir import (
    Addr,
    Background,
    Data,
    Imm,
    Label,
    Op,
    Operand,
    Reg,
    Routine,
    Vector,
)
from carbide.select import commutes, takes_immediate
from diag.spans import Span

Value = Reg | Imm | Addr  # a scalar operand; an Addr is an address as a 16-bit constant
_WORDS = {"R": 1, "D": 2, "Q": 4}


class Builder:
    """`span` and `number` (of the statement) go into every operation that is written."""

    def __init__(self, routine: Routine) -> None:
        self.routine = routine
        self.code = routine.code
        self.span: Span | None = routine.span
        self.number = 0
        self.within = ""  # the function whose text is being written in place
        self._labels = 0
        self._version: dict[Reg, int] = {}
        self._known: dict[object, tuple[Reg, int]] = {}
        self.put(routine.entry)

    # --- registers and labels

    def reg(self, file: str, name: str = "") -> Reg:
        return Reg(file, name)

    def label(self, name: str) -> Label:
        """A new label of the routine, with a number to tell it apart."""
        self._labels += 1
        return Label(f"{self.routine.name}.{name}.{self._labels}")

    def put(self, label: Label) -> None:
        """The label stands here: control may come from elsewhere."""
        self.code.append(label)
        self.forget()

    def forget(self) -> None:
        """Computed addresses are not used again (after labels, calls and suspends)."""
        self._known.clear()

    def set(self, reg: Reg) -> None:
        """A register that holds a variable gets a new value."""
        self._version[reg] = self._version.get(reg, 0) + 1

    # --- operations

    def op(
        self,
        name: str,
        dest: Reg | Vector | None = None,
        sources: tuple[Operand, ...] = (),
        args: tuple[Label | Addr | int, ...] = (),
        *,
        pred: Reg | None = None,
        negated: bool = False,
        background: Background | None = None,
        callee: Routine | None = None,
        targets: tuple[Label, ...] = (),
    ) -> Op:
        """Writes one operation as it is."""
        op = Op(name, dest, sources, args, self.span, pred, negated, background, callee, targets, self.number, self.within)
        self.code.append(op)
        if isinstance(dest, Reg):
            self.set(dest)
        return op

    def in_register(self, value: Value, file: str) -> Reg:
        """The value in a register of a file."""
        if isinstance(value, Reg):
            return value
        out = self.reg(file)
        self.op(f"mov{16 * _WORDS[file]}", out, (value,))
        return out

    def compute(self, name: str, file: str, values: tuple[Value, ...], into: Reg | None = None, files: str = "") -> Reg:
        """Writes `into = name(values)`, constants where the row takes them. files: those of the sources, where they
        are not all of the result's file."""
        if len(values) == 2 and not isinstance(values[0], Reg) and isinstance(values[1], Reg) and commutes(name):
            values = (values[1], values[0])
        last = len(values) - 1
        sources: list[Operand] = []
        for k, v in enumerate(values):
            if isinstance(v, Reg) or k == last and takes_immediate(name):
                sources.append(v)
            else:
                sources.append(self.in_register(v, files[k] if files else file))
        out = into if into is not None else self.reg(file)
        self.op(name, out, tuple(sources))
        return out

    def address(self, name: str, values: tuple[Value, ...]) -> Reg:
        """16-bit arithmetic on addresses and indices; the same one within a straight run is done once."""
        key = (name, *(self._key(v) for v in values))
        found = self._known.get(key)
        if found is not None and self._version.get(found[0], 0) == found[1]:
            return found[0]
        out = self.compute(name, "R", values)
        self._known[key] = (out, self._version.get(out, 0))
        return out

    def _key(self, v: Value) -> object:
        if isinstance(v, Reg):
            return v, self._version.get(v, 0)
        if isinstance(v, Imm):
            return v.bits
        return v

    def move(self, dest: Reg, value: Value) -> None:
        """`dest = value`, unless it is there."""
        if value is not dest:
            self.op(f"mov{16 * _WORDS[dest.file]}", dest, (value,))

    # --- control

    def jump(self, label: Label, pred: Reg | None = None, negated: bool = False) -> None:
        self.op("jmp", None, (), (label,), pred=pred, negated=negated)

    def suspend(self, *targets: Label) -> None:
        """The task ends; control goes on at the targets."""
        self.op("suspend", targets=targets)
        self.forget()

    def follows_vector(self) -> bool:
        """The operation before is a vector instruction of the main thread: another one needs no set-up."""
        last = self.code[-1] if self.code else None
        if not isinstance(last, Op) or last.background is not None:
            return False
        return any(isinstance(x, Vector) for x in (last.dest, *last.sources))

    def reachable(self) -> bool:
        """Control can come to the next operation."""
        last = self.code[-1] if self.code else None
        if not isinstance(last, Op) or last.pred is not None:
            return True
        return last.name not in ("jmp", "jmpr", "ret", "end", "suspend", "terminate", "fault", "halt")


def place(data: Data, offset: int = 0) -> Addr:
    return Addr(data, offset)
