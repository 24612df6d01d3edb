"""Operations with registers given out become instructions: a fixed length each, then addresses, then words."""

from __future__ import annotations

from dataclasses import dataclass, field

from carbide.ir import COMPLETIONS, Addr, Dsr, Imm, Label, Op, Operand, Reg, Routine
from carbide.place import Layout
from diag.spans import Span
from fabric.encode import Async, Instr, encode
from fabric.isa import BY_NAME, FORM_DEST, FORM_SRC0, FORM_SRC1, Row

LINK = 15


@dataclass
class Emitted:
    """One instruction with what stands behind it: its place, routine and, until resolved, its symbolic parts."""

    instr: Instr
    span: Span | None
    routine: str
    labels: list[Label] = field(default_factory=list)
    imm_place: Addr | None = None
    arg_places: tuple[Label | Addr | int | None, ...] = ()
    address: int = 0
    function: str = ""  # the source function, where that is not the routine


def _number(operand: Operand | None, place: dict[Reg, int]) -> int:
    if isinstance(operand, Reg):
        return place[operand]
    if isinstance(operand, Dsr):
        return operand.number
    return 0


def _source_bits(row: Row, k: int, imm: Imm) -> int:
    return imm.bits & ((1 << 16 * row.source_words(k)) - 1)


def _instruction(op: Op, place: dict[Reg, int], routine: Routine) -> Emitted:
    row = BY_NAME[op.name]
    form = 0
    if row.kind not in ("dsr",):
        form |= FORM_DEST if isinstance(op.dest, Dsr) else 0
        for k, bit in ((0, FORM_SRC0), (1, FORM_SRC1)):
            if k < len(op.sources) and isinstance(op.sources[k], Dsr):
                form |= bit
    imm: int | None = None
    imm_place: Addr | None = None
    numbers = [0, 0, 0]
    for k, source in enumerate(op.sources):
        if isinstance(source, Imm):
            imm = _source_bits(row, k, source)
        elif isinstance(source, Addr):
            imm, imm_place = 0, source
        else:
            numbers[k] = _number(source, place)
    background = None
    if op.background is not None:
        done = COMPLETIONS.index(op.background.completion)
        background = Async(op.background.ut or 0, done, op.background.task if done else 0)
    args = tuple(a & 0xFFFF if isinstance(a, int) else 0 for a in op.args)
    instr = Instr(
        row,
        _number(op.dest, place),
        numbers[0],
        numbers[1],
        numbers[2],
        form,
        imm,
        args,
        place[op.pred] if op.pred is not None else None,
        op.negated,
        False,
        background,
    )
    return Emitted(instr, op.span, routine.name, [], imm_place, tuple(op.args), function=op.function)


def _expand(op: Op, routine: Routine) -> list[Op]:
    """Pseudo-operations of a routine as operations of the machine (the link register is handled by number)."""
    if op.name in ("suspend", "end"):
        return [Op("terminate", span=op.span, pred=op.pred, negated=op.negated)]
    return [op]


def _moves_to_itself(op: Op, place: dict[Reg, int]) -> bool:
    """A copy whose two registers came to be one, as a handler's value that stays where the queue put it."""
    if op.name not in ("mov16", "mov32", "mov64") or not isinstance(op.dest, Reg):
        return False
    source = op.sources[0]
    return isinstance(source, Reg) and source.file == op.dest.file and place[source] == place[op.dest]


def instructions(routine: Routine, place: dict[Reg, int]) -> list[Emitted]:
    """The instructions of a routine, labels attached to the one that follows them."""
    out: list[Emitted] = []
    waiting: list[Label] = []

    def add(e: Emitted) -> None:
        e.labels += waiting
        waiting.clear()
        out.append(e)

    link = Reg("R", "link")
    numbers = {**place, link: LINK}
    for item in routine.code:
        if isinstance(item, Label):
            waiting.append(item)
            if item is routine.entry and routine.link is not None:
                add(_instruction(Op("st16", None, (link,), (Addr(routine.link),), routine.span), numbers, routine))
            continue
        if item.name == "ret":
            if routine.link is not None:
                add(_instruction(Op("ld16", link, (), (Addr(routine.link),), item.span), numbers, routine))
            add(_instruction(Op("jmpr", None, (link,), (), item.span), numbers, routine))
            continue
        if not _moves_to_itself(item, numbers):
            for op in _expand(item, routine):
                add(_instruction(op, numbers, routine))
    if waiting:
        add(_instruction(Op("terminate", span=routine.span), numbers, routine))
    return out


def merge_terminates(code: list[Emitted]) -> list[Emitted]:
    """A `terminate` that nothing jumps to becomes the flag of the instruction before it."""
    out: list[Emitted] = []
    for e in code:
        before = out[-1] if out else None
        i = e.instr
        if (
            i.row.name == "terminate"
            and i.pred is None
            and not e.labels
            and before is not None
            and before.routine == e.routine
            and before.instr.pred is None
            and before.instr.background is None
            and before.instr.form == 0
            and not before.instr.row.jumps
        ):
            b = before.instr
            before.instr = Instr(
                b.row, b.dest, b.src0, b.src1, b.src2, b.form, b.imm, b.args, None, False, True, b.background
            )
            continue
        out.append(e)
    return out


def drop_jumps_to_next(code: list[Emitted]) -> list[Emitted]:
    """Removes unconditional jumps to the instruction that follows."""
    out: list[Emitted] = []
    carried: list[Label] = []
    for k, e in enumerate(code):
        e.labels = carried + e.labels
        carried = []
        target = e.arg_places[0] if e.instr.row.name == "jmp" and e.arg_places else None
        if target is not None and k + 1 < len(code) and target in code[k + 1].labels:
            carried = e.labels
            continue
        out.append(e)
    return out


def assign_addresses(code: list[Emitted], start: int) -> tuple[dict[Label, int], int]:
    """Addresses of labels, and the first word after the code."""
    at = start
    where: dict[Label, int] = {}
    for e in code:
        e.address = at
        for label in e.labels:
            where[label] = at
        at += e.instr.length
    return where, at


def places(code: list[Emitted]) -> list[Addr]:
    """The places in memory that instructions name."""
    out = [e.imm_place for e in code if e.imm_place is not None]
    return out + [a for e in code for a in e.arg_places if isinstance(a, Addr)]


def resolve(code: list[Emitted], where: dict[Label, int], layout: Layout) -> list[int]:
    """Fills in addresses and encodes. Raises KeyError for a label that stands nowhere (a fault of the compiler)."""
    words: list[int] = []
    for e in code:
        i = e.instr
        args = list(i.args)
        for k, a in enumerate(e.arg_places):
            if isinstance(a, Label):
                args[k] = where[a]
            elif isinstance(a, Addr):
                args[k] = layout.of(a)
        imm = layout.of(e.imm_place) if e.imm_place is not None else i.imm
        e.instr = Instr(
            i.row,
            i.dest,
            i.src0,
            i.src1,
            i.src2,
            i.form,
            imm,
            tuple(args),
            i.pred,
            i.negated,
            i.terminate,
            i.background,
        )
        words += encode(e.instr)
    return words
