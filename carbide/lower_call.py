"""Calls: scalars go by memory, arrays and records as places that a copy of the function is made for. Small functions
without loops are written where they are called."""

from __future__ import annotations

from abc import abstractmethod

from carbide.address import Access, Base
from carbide.builder import Value
from carbide.ir import Addr, Imm, Reg
from carbide.kernel import Copy
from carbide.select import file_of
from carbide.split import Splitting
from carbide.tasks import Thread
from tungsten import tree as t
from tungsten.types import VOID, Array, Dim, Scalar, Type


class Calls(Splitting):
    """Writing calls."""

    thread: Thread
    waiting: bool = False

    @abstractmethod
    def statement(self, s: t.Stmt) -> None:
        """Writes one statement."""

    # --- calls

    def call(self, node: t.Call, into: Reg | None) -> Value | None:
        """Calls a copy of the function that fits the arguments; scalars go by memory."""
        f = node.function
        places: list[Access | None] = []
        values: list[Value | None] = []
        for p, arg in zip(f.params, node.args, strict=True):
            if p.by_reference:
                assert isinstance(arg, t.LValue)
                a = self.access(arg)
                places.append(Access(a.base, a.offset, a.terms, argument_type(p.type, arg.type)))
                values.append(None)
            else:
                places.append(None)
                values.append(self.value(arg))
        if self.kernel.is_small(f):
            return self._in_place_of_call(f, places, values)
        c = self.kernel.copy(f, places, self.thread)
        self._pass(c, places, values)
        self.op("call", None, (), (c.routine.entry,), callee=c.routine)
        self.forget()
        if c.result is None:
            return None
        assert isinstance(f.result, Scalar)
        out = into if into is not None else self.reg(file_of(f.result))
        self.op(f"ld{f.result.bits}", out, (), (Addr(c.result),))
        return out

    def _in_place_of_call(self, f: t.Function, places: list[Access | None], values: list[Value | None]) -> Value | None:
        """Writes a function's body here. Parameters that it does not change are the arguments themselves."""
        owner, span, waiting, function = self.owner, self.span, self.waiting, self.within
        self.owner = self.kernel.inline_owner(f, self.thread)
        changed = self.kernel.assigned(f)
        for p, place, v in zip(f.params, places, values, strict=True):
            if place is not None:
                self.bindings[p] = self._bound(p, place)
            elif v is not None and self.in_memory(p):
                self.store(self.access(t.Var(p.span, p.type, p)), p.type, v)
            elif v is not None and p not in changed and isinstance(v, Reg | Imm):
                self.constants.pop(p, None)
                if isinstance(v, Imm):
                    self.constants[p] = v
                else:
                    self.regs[p] = v
            elif v is not None:
                self.constants.pop(p, None)
                self.regs[p] = self.reg(file_of(p.type), p.name)
                self.move(self.regs[p], v)
        self.within = f.name
        for local in f.locals:
            self.regs.pop(local, None)
        result: Value | None = None
        for s in f.body.body:
            if isinstance(s, t.Return):
                if s.value is not None:
                    self.span = s.span
                    result = self.value(s.value)
                break
            self.statement(s)
        self.owner, self.span, self.waiting, self.within = owner, span, waiting, function
        if f.result is VOID:
            return None
        return result if result is not None else Imm(0)

    def _bound(self, p: t.Symbol, place: Access) -> Access:
        """The place of a parameter by reference within the function's text."""
        if p.rebased:
            base = self.kernel.storage.base(p, self.owner)
            assert base.pointer is not None and not isinstance(base.pointer, Reg)
            at = self.address_value(place.base, place.offset, place.terms)
            self.op("st16", None, (at,), (Addr(base.pointer),))
            return Access(base, 0, (), place.type)
        if not place.terms and (place.base.data is not None or isinstance(place.base.pointer, Reg)):
            return place
        at = self.in_register(self.address_value(place.base, place.offset, place.terms), "R")
        return Access(Base(place.base.root, pointer=at), 0, (), place.type)

    def _pass(self, c: Copy, places: list[Access | None], values: list[Value | None]) -> None:
        for p, place, v in zip(c.function.params, places, values, strict=True):
            if v is not None:
                self.op(f"st{16 * p.type.words}", None, (v,), (Addr(c.params[p]),))
            elif p in c.pointers:
                assert place is not None
                at = self.address_value(place.base, place.offset, place.terms)
                self.op("st16", None, (at,), (Addr(c.pointers[p]),))


def argument_type(wanted: Type, given: Type) -> Type:
    """The type of a parameter by reference for one argument: extents that the parameter leaves open are the
    argument's; a single record counts as an array of one."""
    if not isinstance(wanted, Array):
        return wanted
    dims = given.dims if isinstance(given, Array) else (Dim("n0", 1),)
    if len(dims) != len(wanted.dims):
        return wanted
    pairs = zip(wanted.dims, dims, strict=True)
    return Array(wanted.elem, tuple(Dim(w.name, w.extent if w.extent is not None else g.extent) for w, g in pairs))
