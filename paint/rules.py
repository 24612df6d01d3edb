"""Rules: their text, what is left of them at the edges of a region, and their register words (paint.md 5).

A rule's text becomes a `Template`. Painting a region resolves it to one `Rule` for each kind of edge: `[L|LXC]`
is `[LXC]` in the middle and `[XC]` on the left edge. A `Rule` has no boundary operators; it is what one router
does with one color, and knows its words of hardware.md 16 and of docs/registers.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace

from diag.report import Reporter, suggest
from diag.spans import Span
from fabric import arch

PORTS = arch.PORTS  # "LRUDC", in the order of the bits of a mask
CORE = 1 << arch.C
SWAPS = {
    ">": 0,
    "H": arch.OURS_SWAP_H,
    "V": arch.OURS_SWAP_V,
    "X": arch.OURS_SWAP_H | arch.OURS_SWAP_V | arch.OURS_SWAP_CORE,
}
POPS = ("adv", "always", "advnop")
FLAGS = ("fabadder", "ring", "pop=adv", "pop=always", "pop=advnop")
MAX_POSITIONS = 4

# float16_dtype= as users write it (S3:44-54) -> bits 11:10 of our switch word.
FP16_CODE = {10: 1, 16: 2, 15: 3}

_TOGETHER_HINT = "all flags stand together behind the last ';': [C>D; U>D; pop=adv ring]"
_FLAG_HINT = "a ';' sets the flags off: [C>D; U>D; pop=adv ring]"
_EDGE_HINT = "the boundary operator takes this side away on the region's edge"

# Makes a span of an offset and a length within a rule's text.
_Place = Callable[[int, int], Span]


def letters(mask: int) -> str:
    """The directions of a mask in the order C L R U D."""
    return "".join(p for p in "CLRUD" if mask >> PORTS.index(p) & 1)


@dataclass(frozen=True)
class Position:
    """One switch position: masks of ports. Resolved rules have at most one input."""

    inputs: int
    outputs: int

    @property
    def code(self) -> int:
        """The 8-bit code of hardware.md 16; 0xa0 for a position with neither side."""
        source = self.inputs.bit_length() - 1 if self.inputs else None
        return arch.route_code(source, self.outputs)


@dataclass(frozen=True)
class Rule:
    """What one router does with one color. `start` is the position active at the start, `swap` one of > H V X,
    `pop` "" or one of adv, always, advnop."""

    positions: tuple[Position, ...]
    swap: str = ">"
    start: int = 0
    ring: bool = False
    pop: str = ""
    adder: bool = False
    span: Span | None = field(default=None, compare=False)

    def __str__(self) -> str:
        parts = []
        for i, p in enumerate(self.positions):
            star = "*" if i == self.start and i else ""
            parts.append(f"{letters(p.inputs)}{self.swap}{letters(p.outputs)}{star}")
        flags = [f for f, on in (("fabadder", self.adder), ("ring", self.ring)) if on]
        if self.pop:
            flags.insert(0, f"pop={self.pop}")
        return "[" + "; ".join([*parts, *([" ".join(flags)] if flags else [])]) + "]"

    @property
    def switches(self) -> bool:
        """Whether the rule needs a color that can switch."""
        return len(self.positions) > 1 or self.ring or bool(self.pop)

    @property
    def swap_bits(self) -> int:
        return SWAPS[self.swap]

    @property
    def outputs(self) -> int:
        """All outputs of all positions, a mask of ports."""
        mask = 0
        for p in self.positions:
            mask |= p.outputs
        return mask

    @property
    def inputs(self) -> int:
        mask = 0
        for p in self.positions:
            mask |= p.inputs
        return mask

    def filled(self, other: Rule) -> Rule | None:
        """The rule that both are, where one is the other with open sides filled in (paint.md 2), else None."""
        for a, b in ((self, other), (other, self)):
            if a == b:
                return self
            if replace(a, positions=b.positions) == b and len(a.positions) == len(b.positions):
                if all(_opens(p, q) for p, q in zip(a.positions, b.positions, strict=True)):
                    return b
        return None

    def flipped(self, axis: str) -> Rule:
        """Mirrored along "x" (L and R exchanged) or "y" (U and D exchanged)."""
        turned = tuple(Position(_mirror(p.inputs, axis), _mirror(p.outputs, axis)) for p in self.positions)
        return replace(self, positions=turned)

    def words(self, fp16: int = 0) -> tuple[int, int, int, int]:
        """The route word (0x7c00+c), the two switch words (0x7c80+4c, +1) and our word (+2).

        `fp16` is the float16_dtype= of the layout (10, 16, 15); only an adder rule carries it.
        """
        codes = [p.code for p in self.positions] + [arch.ROUTE_NONE] * (MAX_POSITIONS - len(self.positions))
        word0 = codes[1]
        if self.ring:
            word0 |= arch.SWITCH_RING
        if self.pop == "adv":
            word0 |= arch.SWITCH_POP_ADV
        ours = self.swap_bits | self.start << arch.OURS_IN_POS_SHIFT | self.start << arch.OURS_OUT_POS_SHIFT
        if self.pop == "always":
            ours |= arch.OURS_POP_ALWAYS
        if self.pop == "advnop":
            ours |= arch.OURS_POP_ADVNOP
        if self.adder:
            ours |= arch.OURS_ADDER | FP16_CODE[fp16] << arch.OURS_FP16_SHIFT
        return codes[0], word0, codes[2] | codes[3] << 8, ours


def _opens(open_: Position, full: Position) -> bool:
    """Whether `full` is `open_` with a side of it filled in."""
    return open_.inputs in (0, full.inputs) and open_.outputs in (0, full.outputs)


def _mirror(mask: int, axis: str) -> int:
    a, b = (arch.L, arch.R) if axis == "x" else (arch.U, arch.D)
    return mask & ~(1 << a | 1 << b) | (mask >> a & 1) << b | (mask >> b & 1) << a


@dataclass(frozen=True)
class Side:
    """One switch position as written: boundary directions, inputs, outputs, boundary directions (masks)."""

    edge_in: int
    inputs: int
    op: str
    outputs: int
    edge_out: int
    span: Span


@dataclass(frozen=True)
class Template:
    """A rule as written."""

    sides: tuple[Side, ...]
    start: int
    ring: bool
    pop: str
    adder: bool
    span: Span

    @property
    def edges(self) -> int:
        """The directions whose edges matter, a mask of ports."""
        mask = 0
        for s in self.sides:
            mask |= s.edge_in | s.edge_out
        return mask

    @property
    def swap(self) -> str:
        return self.sides[0].op

    def resolve(self, edges: int, reporter: Reporter) -> Rule | None:
        """The rule on tiles that lie on the edges in `edges` (a mask); None where it had neither side.

        Reports PT071 when several inputs are left, and PT077 to PT079 for an adder that lost a side.
        """
        positions = tuple(
            Position(s.inputs & ~(s.edge_in & edges), s.outputs & ~(s.edge_out & edges)) for s in self.sides
        )
        if not any(p.inputs or p.outputs for p in positions):
            return None
        for side, p in zip(self.sides, positions, strict=True):
            if p.inputs & (p.inputs - 1):
                reporter.report("PT071", side.span, inputs=letters(p.inputs))
        if self.adder:
            _check_adder(self, positions[0], reporter)
        return Rule(positions, self.swap, self.start, self.ring, self.pop, self.adder, self.span)


def _check_adder(template: Template, p: Position, reporter: Reporter) -> None:
    """S3:2-47: one fabric input, one fabric output; the core's operand is taken without being named."""
    side = template.sides[0]
    span = side.span
    if p.inputs == CORE or not p.inputs:
        reporter.report("PT079", span, hint=_EDGE_HINT if side.inputs != p.inputs else None)
    if p.outputs & CORE:
        reporter.report("PT077", span)
    elif not p.outputs or p.outputs & (p.outputs - 1):
        hint = _EDGE_HINT if side.outputs != p.outputs else None
        reporter.report("PT078", span, count=p.outputs.bit_count(), hint=hint)


# -- the text ---------------------------------------------------------------------------------------------------

_OPERATOR = re.compile(r"[>HVX]")


def _sections(inner: str) -> Iterator[tuple[int, str]]:
    """The parts between semicolons with their offsets, stripped of blanks."""
    at = 0
    for part in inner.split(";"):
        lead = len(part) - len(part.lstrip())
        yield at + lead, part.strip()
        at += len(part) + 1


def parse_rule(span: Span, text: str, reporter: Reporter) -> Template | None:
    """Reads the text of a rule, brackets included; comments in it are blanks. Errors PT070 to PT085; None then."""
    errors = len(reporter.errors)

    def place(start: int, length: int) -> Span:
        return Span(span.source, span.start + start, span.start + start + max(length, 1))

    sections = [(at + 1, part) for at, part in _sections(text[1:-1])]
    flags: list[tuple[int, str]] = []
    if len(sections) > 1 and re.match(r"[a-z]", sections[-1][1]):
        at, part = sections.pop()
        flags = [(at + m.start(), m.group()) for m in re.finditer(r"[^\s]+", part)]
    sides: list[Side] = []
    stars: list[Span] = []
    for number, (at, part) in enumerate(sections):
        if number == MAX_POSITIONS:
            reporter.report("PT072", place(at, len(part)), count=len(sections))
        if part.endswith("*"):
            stars.append(place(at + len(part) - 1, 1))
            part = part[:-1].rstrip()
            if len(stars) == 1:
                start = number
            else:
                reporter.report("PT073", stars[-1], notes=[(stars[0], "the other '*'")])
        side = _position(at, part, place, reporter)
        if side:
            sides.append(side)
    template = Template(tuple(sides), start if stars else 0, False, "", False, span)
    if len(reporter.errors) == errors:
        template = _with_flags(template, flags, place, reporter)
        _check(template, reporter)
    return template if len(reporter.errors) == errors else None


def _position(at: int, part: str, place: _Place, reporter: Reporter) -> Side | None:
    """One `[dirs |] dirs op dirs [| dirs]`; `at` is its offset in the rule's text."""
    operators = list(_OPERATOR.finditer(part))
    if len(operators) != 1:
        glued = re.search(r"[a-z]", part)
        if glued:
            word = part[glued.start() :]
            cure = _TOGETHER_HINT if word in FLAGS else _FLAG_HINT
            reporter.report("PT086", place(at + glued.start(), len(word)), word=word, hint=cure)
        else:
            what, hint = "no operator", suggest(part, FLAGS)
            if operators:
                what, hint = "more than one operator", "a ';' separates switch positions: [C>R; L>R]"
            reporter.report("PT085", place(at, len(part)), what=what, hint=hint)
        return None
    op = operators[0]
    masks = [0, 0, 0, 0]
    left, right = part[: op.start()], part[op.end() :]
    offset = at
    for half, (text, slots) in enumerate(((left, (0, 1)), (right, (2, 3)))):
        fields = text.split("|")
        if len(fields) > 2:
            bar = text.index("|", text.index("|") + 1)
            reporter.report("PT085", place(offset + bar, 1), what="more than one '|' on a side")
            return None
        if len(fields) == 1:
            fields = ["", text] if half == 0 else [text, ""]
        position = offset
        for slot, field_text in zip(slots, fields, strict=True):
            if field_text or slot in (0, 3):
                mask = _directions(position, field_text, place, reporter)
                if mask is None:
                    return None
                masks[slot] = mask
            position += len(field_text) + (1 if "|" in text else 0)
        offset = at + op.end()
    side = Side(masks[0], masks[1], op.group(), masks[2], masks[3], place(at, len(part)))
    if not side.inputs and not side.outputs:
        reporter.report("PT080", side.span)
        return None
    for edge, mask, what in ((side.edge_in, side.inputs, "input"), (side.edge_out, side.outputs, "output")):
        if edge & ~mask:
            reporter.report("PT083", side.span, letters=letters(edge & ~mask), what=what)
    return side


def _directions(at: int, text: str, place: _Place, reporter: Reporter) -> int | None:
    mask = 0
    for i, letter in enumerate(text):
        if letter.isspace():
            continue
        port = PORTS.find(letter)
        if port < 0:
            hint = (
                f"directions are written in capitals: {letter.upper()}" if letter.upper() in PORTS else None
            )
            compass = {"N": "D", "S": "U", "E": "R", "W": "L"}.get(letter)
            if compass:
                hint = f"Paint writes {letter} as {compass}"
            word = re.match(r"[^\s|;*]*", text[i:])
            if letter.islower() and word and len(word.group()) > 1:
                reporter.report("PT086", place(at + i, len(word.group())), word=word.group(), hint=_FLAG_HINT)
            else:
                reporter.report("PT070", place(at + i, 1), letter=letter, hint=hint)
            return None
        if mask >> port & 1:
            reporter.report("PT082", place(at + i, 1), letter=letter)
            return None
        mask |= 1 << port
    return mask


def _with_flags(
    template: Template, flags: Iterable[tuple[int, str]], place: _Place, reporter: Reporter
) -> Template:
    seen: dict[str, tuple[str, Span]] = {}
    for at, flag in flags:
        span = place(at, len(flag))
        if flag not in FLAGS:
            reporter.report("PT074", span, flag=flag, hint=suggest(flag, FLAGS))
            continue
        kind = flag.partition("=")[0]
        if kind in seen:
            reporter.report(
                "PT075", span, flag=flag, first=seen[kind][0], notes=[(seen[kind][1], "the first one")]
            )
            continue
        seen[kind] = flag, span
    pop = seen["pop"][0].partition("=")[2] if "pop" in seen else ""
    return replace(template, ring="ring" in seen, pop=pop, adder="fabadder" in seen)


def _check(template: Template, reporter: Reporter) -> None:
    sides = template.sides
    for side in sides[1:]:
        if side.op != sides[0].op:
            note = [(sides[0].span, f"the first position has '{sides[0].op}'")]
            reporter.report("PT081", side.span, op=side.op, first=sides[0].op, notes=note)
    if template.adder:
        if len(sides) > 1:
            reporter.report("PT076", sides[1].span)
        if template.ring or template.pop:
            reporter.report("PT087", template.span)
    # What no edge can cure is an error of the text, wherever the rule is painted.
    everywhere = 0b11111
    for side in sides:
        left = side.inputs & ~(side.edge_in & everywhere)
        if left & (left - 1):
            reporter.report("PT071", side.span, inputs=letters(side.inputs))
    if template.adder and len(sides) == 1 and not template.edges:
        _check_adder(template, Position(sides[0].inputs, sides[0].outputs), reporter)
