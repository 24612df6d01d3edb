"""Which statements under ∀ are one vector instruction (S0:82-85, tungsten.md 4).

The values have to be those of the sequential order: memory operands lie apart or are the same elements at the same
time, a scalar operand does not change, a left side that does not depend on the index is a running value or keeps the
last one. Everything else stays a scalar loop. `recognise` only looks; lower_vector.py writes the instruction.
"""

from __future__ import annotations

from dataclasses import replace

from carbide import select
from carbide.address import Access, Shape, injective, relation, shape
from carbide.extremes import plain
from carbide.operands import Matched, Operands, Walk
from carbide.patterns import MAX_EXTENT, Level, Memory, Pattern, Queue, Running, Scalar, Source
from carbide.walk import has_effects, mentions, same_place, waits
from fabric.isa import BY_NAME, FORM_DEST, FORM_SRC0, FORM_SRC1, TYPES
from tungsten import tree as t
from tungsten.types import HP, SP
from tungsten.types import Scalar as ScalarType


class Recognition(Operands):
    """Recognition of vector instructions; writes nothing."""

    def recognise(
        self, s: t.Stmt, levels: tuple[Level, ...], background: bool = False, at_hand: bool = False
    ) -> Pattern | None:
        """The vector instruction that a statement within loop levels is, or None. background: it has to run as a
        microthread, which writes to memory and queues only. at_hand: a single element, whose operands have to be
        constants, registers, and places that need no computing."""
        walk = self.walk_of(levels)
        if walk is not None and at_hand:
            walk = replace(walk, at_hand=True)
        if walk is None or s.options.get("vectorize") == "off":
            return None
        if isinstance(s, t.Send):
            found = self._send(s, walk)
        elif isinstance(s, t.Discard):
            found = self._discard(s, walk)
        elif isinstance(s, t.Assign):
            found = self._assign(s, walk)
        elif isinstance(s, t.Accumulate):
            found = self._accumulate(s, walk)
        elif isinstance(s, t.Dot):
            found = self._dot(s, walk)
        else:
            return None
        if found is None or not self._legal(found, walk, background):
            return None
        if at_hand and found.form != "queue" and (found.place is None or not self.in_place(found.place.access)):
            return None
        return found

    def walk_of(self, levels: tuple[Level, ...]) -> Walk | None:
        moving = {x.index for x in levels if x.index is not None}
        lows: dict[t.Symbol, t.Expr] = {}
        total = 1
        for x in levels:
            for bound in (x.low, x.high):
                if bound is not None and (has_effects(bound) or mentions(bound, moving)):
                    return None
            if x.index is not None:
                assert x.low is not None
                lows[x.index] = x.low
                if x.count is None and not x.endless and x.index.type.words != 1:
                    return None
            total *= 1 if x.count is None else x.count
        running = [x for x in levels if x.count is None]
        if total > MAX_EXTENT or running and any(x.count != 1 for x in levels if x is not running[0]):
            return None
        return Walk(levels, moving, lows)

    # --- statements

    def _send(self, s: t.Send, walk: Walk) -> Pattern | None:
        if s.value.type.words > 2:
            return None
        found = self.operation(s.value, walk)
        if found is None:
            return None
        return Pattern(found[0], "queue", walk.levels, found[1], send=s, words=s.value.type.words)

    def _discard(self, s: t.Discard, walk: Walk) -> Pattern | None:
        if not isinstance(s.value, t.Recv) or s.value.type.words > 2:
            return None
        row = select.move(s.value.type.words)
        return Pattern(row, "last", walk.levels, (Queue(s.value),), words=s.value.type.words)

    def aim(self, lv: t.LValue, walk: Walk) -> Walk | None:
        """The walk with its target; None where a subscript has effects."""
        if has_effects(lv):
            return None
        if self.is_register(lv):
            assert isinstance(lv, t.Var)
            if lv.symbol in walk.moving:
                return None
            return replace(walk, place=None, register=lv.symbol)
        place = self.memory_operand(lv, walk)
        if place is None:
            return None
        aimed = replace(walk, place=place)
        if not all(self.steady(x.expr, aimed) for x in place.access.without(walk.moving)):
            return None
        return aimed

    def _assign(self, s: t.Assign, walk: Walk) -> Pattern | None:
        if not isinstance(s.target, t.LValue):
            return None
        if not isinstance(s.target.type, ScalarType):
            return self._copy(s, walk)
        if s.target.type.words > 2:
            return None
        aimed = self.aim(s.target, walk)
        if aimed is None:
            return None
        words = s.target.type.words
        if aimed.place is not None and (aimed.moves(aimed.place.access) or aimed.once):
            found = self.operation(s.value, aimed)
            return found and Pattern(found[0], "memory", walk.levels, found[1], s.target, aimed.place, words=words)
        found = self._running_value(s.target, s.value, aimed)
        if found is not None:
            return Pattern(found[0], "running", walk.levels, found[1], s.target, aimed.place, words=words)
        found = self.operation(s.value, aimed)
        return found and Pattern(found[0], "last", walk.levels, found[1], s.target, aimed.place, words=words)

    def _running_value(self, target: t.LValue, value: t.Expr, walk: Walk) -> Matched | None:
        """`x = x op e` and `x = e op x`."""
        value = plain(value)
        if not isinstance(value, t.Binary) or value.type != target.type:
            return None
        row = select.binary(value.op, value.type)
        if same_place(value.left, target):
            leaf = self.leaf(value.right, walk)
            return None if leaf is None else (row, (Running(), leaf))
        if same_place(value.right, target):
            leaf = self.leaf(value.left, walk)
            return None if leaf is None else (row, (leaf, Running()))
        return None

    def _accumulate(self, s: t.Accumulate, walk: Walk) -> Pattern | None:
        if s.target.type.words > 2:
            return None
        aimed = self.aim(s.target, walk)
        if aimed is None:
            return None
        elements = aimed.place is not None and (aimed.moves(aimed.place.access) or aimed.once)
        itself: Source = aimed.place if elements and aimed.place is not None else Running()
        found = self._fused_step(s, aimed, itself) if s.factors is not None else self._plain_step(s, aimed, itself)
        if found is None:
            return None
        form = "memory" if elements else "running"
        return Pattern(found[0], form, walk.levels, found[1], s.target, aimed.place, words=s.target.type.words)

    def _plain_step(self, s: t.Accumulate, walk: Walk, itself: Source) -> Matched | None:
        assert s.value is not None
        kind = select.scalar(s.target.type)
        value = s.value
        if s.op == "+" and kind is SP and isinstance(value, t.Cast) and value.operand.type is HP:
            leaf = self.leaf(value.operand, walk)
            if isinstance(leaf, Memory | Queue):
                return "faddhs", (itself, leaf)
        leaf = self.leaf(value, walk)
        return None if leaf is None else (select.binary(s.op, kind), (itself, leaf))

    def _fused_step(self, s: t.Accumulate, walk: Walk, itself: Source) -> Matched | None:
        """`y <+- a*b` and `-=`: with one rounding."""
        assert s.factors is not None
        kind = select.scalar(s.target.type)
        if not kind.is_float:
            return None
        a, b = s.factors
        minus = s.op == "-"
        halves = [f.operand if isinstance(f, t.Cast) and f.operand.type is HP else None for f in (a, b)]
        if kind is SP and not minus and halves[0] is not None and halves[1] is not None :
            x, y = self.leaf(halves[0], walk), self.leaf(halves[1], walk)
            if isinstance(x, Scalar) and not isinstance(y, Scalar):
                x, y = y, x
            if x is not None and isinstance(y, Scalar) and not isinstance(x, Scalar) and isinstance(itself, Memory):
                return "fmachs", (itself, x, y)
        x, y = self.leaf(a, walk), self.leaf(b, walk)
        if x is None or y is None:
            return None
        if isinstance(x, Scalar) and not isinstance(y, Scalar):
            x, y = y, x
        letter = select.letter(kind)
        if isinstance(itself, Memory) and isinstance(y, Scalar) and not isinstance(x, Scalar):
            row = ("fmss" if kind is SP else "fmsh") if minus else f"fmac{letter}"
            return row, (itself, x, y)
        return ("fmssa" if minus else "fmaca") + letter, (x, y)

    def _dot(self, s: t.Dot, walk: Walk) -> Pattern | None:
        if s.target is not None and (has_effects(s.target) or mentions(s.target, walk.moving)):
            return None
        terms = [s.a] if s.b is None else [s.a, s.b]
        halves = all(_half(x) is not None for x in terms)
        leaves: list[Source] = []
        for x in terms:
            half = _half(x)
            leaf = self.leaf(half if halves and half is not None else x, walk)
            if leaf is None:
                return None
            leaves.append(leaf)
        if s.b is None:
            leaves.append(Scalar(t.Const(s.span, HP if halves else SP, 0x3C00 if halves else 0x3F800000)))
        if all(isinstance(x, Scalar) for x in leaves):
            return None
        row = f"dot{'h' if halves else 's'}{'k' if s.keep else ''}{'x' if s.no_load else ''}"
        target = None if s.no_load else s.target
        place = None
        if target is not None and not self.is_register(target):
            a = self.access(target)
            place = Memory(a, a, 2)
        return Pattern(row, "dot", walk.levels, tuple(leaves), target, place, words=2)

    def _copy(self, s: t.Assign, walk: Walk) -> Pattern | None:
        """Whole records and arrays, word by word."""
        if not isinstance(s.target, t.LValue) or not isinstance(s.value, t.LValue) or has_effects(s.value):
            return None
        words = s.target.type.words
        inner = Level(None, None, None, words)
        whole = Walk((*walk.levels, inner), walk.moving, walk.lows)
        aimed = self.aim(s.target, whole)
        if aimed is None or aimed.place is None:
            return None
        a = self.memory_operand(s.value, whole)
        if a is None:
            return None
        one = ScalarType("u16", 1, "uint")
        place, source = _as_words(aimed.place, one), _as_words(a, one)
        if not aimed.once and not all(c == 1 or st for c, st in whole.steps(place.access)):
            return None
        if shape(whole.steps(place.access), 1) is None or shape(whole.steps(source.access), 1) is None:
            return None
        return Pattern("mov16", "memory", whole.levels, (source,), s.target, place, words=1)

    # --- checks

    def _legal(self, p: Pattern, walk: Walk, background: bool) -> bool:
        """The row has the form, the order of elements does not matter, and the operands fit the machine."""
        row = BY_NAME[p.row]
        vectors = [isinstance(s, Memory | Queue) for s in p.sources]
        if len(vectors) > 2 and vectors[2]:
            return False
        waiting = [r for r in p.queues if waits(r.source)]
        if len({r.source for r in p.queues}) != len(p.queues):
            return False
        # A queue and a FIFO go together, each element when both are there. Two queues do not: the core reads one a
        # cycle; and a stream may turn out to be either.
        if len(waiting) > 1 and {type(r.source) for r in waiting} != {t.Socket, t.Fifo}:
            return False
        if p.form in ("running", "last") and not any(vectors):
            return False
        dest_in_memory = p.form in ("memory", "queue") or background or p.form == "last" and p.place is not None
        mask = FORM_DEST if dest_in_memory and not (p.form == "dot" and p.target is None) else 0
        for k, bit in ((0, FORM_SRC0), (1, FORM_SRC1)):
            if k < len(vectors) and (vectors[k] or background and isinstance(p.sources[k], Running)):
                mask |= bit
        if p.form != "last" and mask not in row.forms or p.form == "last" and mask | FORM_DEST not in row.forms:
            return False
        if not all(self._typed(row.sources[k], s) for k, s in enumerate(p.sources)):
            return False
        if p.endless and (p.form not in ("queue",) or any(isinstance(r.source, t.StreamVar) for r in p.queues)):
            return False
        if any(isinstance(s, Memory) and walk.endless and walk.moves(s.access) for s in p.sources):
            return False
        if background and p.form == "running" and p.total is None:
            return False
        return p.form in ("queue", "dot") or p.target is None or self.ordered(p, walk)

    def _typed(self, kind: str, s: Source) -> bool:
        """The element size of a source is that of the row's operand."""
        words = TYPES[kind].words
        if isinstance(s, Memory):
            return s.words == words
        return not isinstance(s, Queue) or s.recv.type.words == words

    def ordered(self, p: Pattern, walk: Walk) -> bool:
        """The values are those of the sequential order."""
        total = p.total
        if total == 1 and not any(x.count is None for x in p.levels):
            return True
        place = p.place
        if place is None:
            return True
        whole = Walk(p.levels, walk.moving, walk.lows)
        steps = self.steps_of(whole, place)
        if p.form == "memory" and any(s == 0 for _, s in steps.levels):
            return False
        for source in p.sources:
            if isinstance(source, Memory):
                how = relation(place.start, steps, source.start, self.steps_of(whole, source))
                if how == "same" and p.form == "memory" and injective(steps, place.words):
                    continue
                if how != "apart":
                    return False
            elif isinstance(source, Queue):
                touched = self.kernel.touched(source.recv.source)
                root = place.start.base.root
                if touched is None or root in touched or root is None and touched and not place.start.base.absolute:
                    return False
        if p.row[:5] in ("fmaca", "fmssa") and p.form == "memory":
            return injective(steps, place.words)
        return True

    def layout(self, p: Pattern, m: Memory) -> Shape:
        """The descriptor's shape of a memory operand of a recognised pattern."""
        walk = Walk(p.levels, set(), {})
        found = shape(walk.steps(m.access), m.words)
        assert found is not None
        return found


def _half(e: t.Expr) -> t.Expr | None:
    """The fp16 expression behind a factor of a sum."""
    if e.type is HP:
        return e
    return e.operand if isinstance(e, t.Cast) and e.operand.type is HP else None


def _as_words(m: Memory, one: ScalarType) -> Memory:
    a, s = m.access, m.start
    return Memory(Access(a.base, a.offset, a.terms, one), Access(s.base, s.offset, s.terms, one), 1)
