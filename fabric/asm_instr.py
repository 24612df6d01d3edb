"""Instructions of assembler text, read along `Row.syntax`: operands, immediates, microthread and termination.

`read` takes one line's words and gives a `Pending`: the instruction with its length known and its label expressions
still open; `Pending.finish` resolves these and gives the `Instr`. Every message points at the operand it is about.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from diag.report import suggest
from diag.spans import Span
from fabric import isa
from fabric.asm_text import Expr, Stop, Token, Words, register, register_fault
from fabric.encode import COMPLETIONS, Async, EncodeError, Instr, check
from fabric.isa import ARGS, TYPES, Row
from fabric.numbers import bits16, bits32

Lookup = Callable[[Token], int | None]

_ORDINAL = {"d": "the destination", "s0": "source 0", "s1": "source 1", "s2": "source 2"}
_DSR_FILE = {"d": "DD", "s0": "SA", "s1": "SB"}
_PUNCT = (",", "=", "[", "]", "+")


@dataclass
class Pending:
    """An instruction as read. `imm` and `args` are expressions; `spans` says where each operand stands."""

    row: Row
    span: Span
    name: Token
    float_literals: bool = False
    fields: dict[str, int] = field(default_factory=dict)
    form: int = 0
    imm: Expr | None = None
    args: list[Expr] = field(default_factory=list)
    pred: int | None = None
    negated: bool = False
    terminate: bool = False
    ut: int | None = None
    completion: int = 0
    task: Expr | None = None
    spans: dict[str, Span] = field(default_factory=dict)
    words: Words | None = None

    @property
    def length(self) -> int:
        """Words of the encoding; it does not depend on labels."""
        n = 1 + (self.row.dest is not None or bool(self.row.sources)) + (self.pred is not None)
        n += (self.ut is not None) + len(self.row.args)
        return n + (self.row.source_words(len(self.row.sources) - 1) if self.imm is not None else 0)

    def finish(self, lookup: Lookup) -> Instr | None:
        """The instruction with labels resolved, or None after a message."""
        assert self.words is not None
        reporter = self.words.reporter
        imm, good = None, True
        if self.imm is not None:
            imm = self._immediate(self.imm, lookup)
            good = imm is not None
        args: list[int] = []
        for kind, expr in zip(self.row.args, self.args, strict=True):
            arg = ARGS[kind]
            value = whole(self.words, expr, lookup, f"the {arg.text}", arg.low, arg.high)
            good = good and value is not None
            args.append((value or 0) & 0xFFFF)
        background = None
        if self.ut is not None:
            task = 0
            if self.task is not None:
                low = 0 if COMPLETIONS[self.completion] == "unblock" else 8
                found = whole(self.words, self.task, lookup, f"the task of {COMPLETIONS[self.completion]}", low, 30)
                good, task = good and found is not None, found or 0
            background = Async(self.ut, self.completion, task)
        if not good:
            return None
        instr = Instr(self.row, self.fields.get("d", 0), self.fields.get("s0", 0), self.fields.get("s1", 0),
                      self.fields.get("s2", 0), self.form, imm, tuple(args), self.pred, self.negated,
                      self.terminate, background)  # fmt: skip
        try:
            check(instr)
        except EncodeError as e:
            part = {"dest": "d", "src0": "s0", "src1": "s1", "src2": "s2"}.get(e.part, e.part)
            reporter.report("FB114", self.spans.get(part, self.name.span), reason=e.reason)
            return None
        return instr

    def _immediate(self, expr: Expr, lookup: Lookup) -> int | None:
        assert self.words is not None
        t = TYPES[self.row.sources[-1]]
        bits = 16 * t.words
        # Moves and stores carry any 16 or 32 bits, so a literal with a fraction may stand there too.
        takes_float = t.is_float or (bits < 64 and self.row.name.startswith(("mov", "st")))
        decimal = (t.is_float or self.float_literals) and not expr.raw and expr.number() is not None
        if not (takes_float and expr.value is not None) and not decimal:
            value = whole(self.words, expr, lookup, "the immediate", -1 << (bits - 1), (1 << bits) - 1)
            return None if value is None else value & ((1 << bits) - 1)
        number = expr.value if expr.value is not None else float(expr.number() or 0)
        return bits32(number) if bits == 32 else bits16(number)


def whole(words: Words, expr: Expr, lookup: Lookup, what: str, low: int, high: int) -> int | None:
    """An integer expression in a range (FB119, FB108)."""
    if expr.value is not None:
        words.reporter.report("FB119", expr.span, what=what, value=expr.span.text)
        return None
    value = expr.resolve(lookup)
    if value is not None and not low <= value <= high:
        words.reporter.report("FB108", expr.span, what=what, low=low, high=high, value=value)
        return None
    return value


def describe(row: Row, slot: str) -> str:
    """What an operand of a row is: "a 32-bit register (D0, D2 …) or [SA0-15]"."""
    if slot[0] == "a":
        return ARGS[row.args[int(slot[1])]].text
    kind = row.dest if slot == "d" else row.sources[int(slot[1])]
    assert kind is not None
    file = TYPES[kind].file
    shown = {"R": "R0-R15", "D": "D0, D2 … D14", "Q": "Q0, Q4, Q8, Q12", "P": "P0-P7"}.get(file, f"{file}0-{file}15")
    out = [] if row.needs_async else [shown]
    bit = {"d": 1, "s0": 2, "s1": 4}.get(slot, 0)
    if any(f & bit for f in row.forms):
        out.append(f"[{_DSR_FILE[slot]}0-15]")
    if slot[0] == "s" and row.immediate and int(slot[1]) == len(row.sources) - 1:
        out.append("a value")
    return " or ".join(out)


def form(row: Row) -> str:
    """The row's text with placeholders: `add16 dest = src0, src1`."""
    shown = {"d": "dest", "s0": "src0", "s1": "src1", "s2": "src2"}
    words = [shown.get(t) or (t if t in _PUNCT else row.args[int(t[1])]) for t in row.syntax]
    body = " ".join(words)
    for wide, narrow in ((" ,", ","), ("[ ", "["), (" ]", "]")):
        body = body.replace(wide, narrow)
    return f"{row.name} {body}".rstrip()


def find_row(words: Words) -> tuple[Row, Token, int | None]:
    """Reads `name` or `name.utN`."""
    token = words.name("an instruction")
    base, _, tail = token.text.lower().partition(".")
    row = isa.BY_NAME.get(isa.ALIASES.get(base, base))
    if row is None or token.quoted:
        names = [*isa.BY_NAME, *isa.ALIASES]
        words.reporter.report("FB103", token.span, name=token.text, hint=suggest(base, names))
        raise Stop()
    ut = None
    if tail:
        if not (tail[:2] == "ut" and tail[2:].isascii() and tail[2:].isdigit()):
            words.reporter.report(
                "FB117", token.span, what="suffix", name=tail, choices="a microthread is written .ut0 to .ut7"
            )
            raise Stop()
        ut = int(tail[2:])
        if ut > 7:
            words.reporter.report("FB108", token.span, what="the microthread", low=0, high=7, value=ut)
            raise Stop()
    return row, token, ut


def read(words: Words) -> Pending:
    """Reads an instruction up to the end of the line. Raises Stop after a message."""
    start = words.here()
    negated = words.accept("!")
    pred = None
    t, mark = words.peek(), words.peek(1)
    if negated or (t and mark and t.kind == "name" and mark.text == "?"):
        token = words.name("a predicate")
        found = register(token.text)
        if not found or found[0] != "P" or token.quoted:
            words.reporter.report(
                "FB106", token.span, found=token.text, which="the predicate", name="an instruction", what="P0-P7"
            )
            raise Stop()
        _exists(words, token, *found)
        pred = found[1]
        words.expect("?")
    row, name, ut = find_row(words)
    p = Pending(row, start, name, name.text.lower().partition(".")[0] in isa.ALIASES, pred=pred, negated=negated, ut=ut)
    p.words = words
    p.spans = {"async": name.span, "form": name.span}
    _operands(words, p)
    if words.accept("->"):
        if ut is None:
            words.reporter.report("FB114", name.span, reason=f"only a microthread completes: {row.name}.ut0")
            raise Stop()
        token = words.word("completion", COMPLETIONS[1:])
        p.completion = COMPLETIONS.index(token.text.lower())
        p.task = words.expr("a task id")
    if words.sees(";", "terminate"):
        words.accept(";")
        p.spans["terminate"] = words.here()
        words.accept("terminate")
        p.terminate = True
    if not words.ended():
        if p.completion or p.terminate or words.accept(";"):
            raise words.missing("the end of the line (one statement stands on a line)")
        _count(words, p, words.here())
    last = words.items[-1 - words.items[-1].text.count(";")] if len(words.items) > 1 else words.items[-1]
    p.span = start.to(last.span)
    return p


def _count(words: Words, p: Pending, where: Span) -> None:
    n = sum(1 for t in p.row.syntax if t not in _PUNCT)
    count = "no operands" if n == 0 else "1 operand" if n == 1 else f"{n} operands"
    words.reporter.report("FB107", where, name=p.row.name, count=count, form=form(p.row))
    raise Stop()


def _operands(words: Words, p: Pending) -> None:
    syntax = list(p.row.syntax)
    for k, slot in enumerate(syntax):
        if slot == "+":
            continue  # the sign belongs to the offset
        if slot in _PUNCT:
            if slot == "]" and not words.sees("]") and syntax[k - 1] == "a0" and syntax[k - 2] == "+":
                raise words.missing("']'")
            if slot in (",", "=") and not words.sees(slot):
                _count(words, p, words.here())
            words.expect(slot)
        elif slot[0] == "a":
            if slot == "a0" and syntax[k - 1] == "+" and words.sees("]"):
                p.args.append(Expr(words.here(), ((1, 0),)))  # [R1] is [R1 + 0]
                continue
            if words.ended():
                _count(words, p, words.here())
            expr = words.expr(f"the {ARGS[p.row.args[int(slot[1])]].text}")
            p.spans["arg" + slot[1]] = expr.span
            p.args.append(expr)
        else:
            _operand(words, p, slot)


def _exists(words: Words, token: Token, file: str, number: int) -> None:
    why = register_fault(file, number)
    if why:
        words.reporter.report("FB105", token.span, name=token.text, why=why)
        raise Stop()


def _operand(words: Words, p: Pending, slot: str) -> None:
    row = p.row
    kind = row.dest if slot == "d" else row.sources[int(slot[1])]
    assert kind is not None
    start = words.here()

    def wrong(found: Span) -> Stop:
        words.reporter.report(
            "FB106", found, found=found.text, which=_ORDINAL[slot], name=row.name, what=describe(row, slot)
        )
        return Stop()

    if words.ended() or words.sees("->"):
        _count(words, p, start)
    if words.accept("["):
        token = words.name("a DSR")
        found = register(token.text)
        end = words.expect("]")
        where = start.to(end.span)
        bit = {"d": 1, "s0": 2, "s1": 4}.get(slot, 0)
        if token.quoted or not found or found[0] != _DSR_FILE.get(slot) or not any(f & bit for f in row.forms):
            raise wrong(where)
        _exists(words, token, *found)
        p.form |= bit
        p.fields[slot], p.spans[slot] = found[1], where
        return
    t = words.peek()
    found = register(t.text) if t and t.kind == "name" and not t.quoted else None
    if t and found:
        words.at += 1
        if found[0] != TYPES[kind].file:
            raise wrong(t.span)
        _exists(words, t, *found)
        p.fields[slot], p.spans[slot] = found[1], t.span
        return
    if slot == "d" or not row.immediate or int(slot[1]) != len(row.sources) - 1:
        if t and t.kind == "punct" and t.text not in "-+":
            _count(words, p, start)
        raise wrong(words.expr().span if t and t.kind != "punct" else start)
    p.imm = words.expr("an operand")
    p.spans["imm"] = p.spans[slot] = p.imm.span
