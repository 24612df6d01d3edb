"""Memory of a kernel: objects for symbols, pointers of arrays whose `.base` is assigned, blocks of FIFOs, iterators
and captured descriptors.

Locals of functions are static, one set for each copy of the function that may run at the same time as another.
"""

from __future__ import annotations

from carbide.address import Access, Base, index, member, signed16
from carbide.ir import Addr, Data, Unit
from carbide.walk import constant
from diag.report import Reporter
from diag.spans import Span
from fabric import descriptor as dsd
from tungsten import tree as t
from tungsten.types import Array

Owner = object  # the copy of a function that a local belongs to; None at top level


class Storage:
    """Objects are made when first asked for; those of globals all at once, in the order of declaration."""

    def __init__(self, program: t.Program, unit: Unit, reporter: Reporter) -> None:
        self.unit = unit
        self.reporter = reporter
        self._objects: dict[tuple[Owner, t.Symbol], Data] = {}
        self._pointers: dict[tuple[Owner, t.Symbol], Data] = {}
        self._shared: list[Data] = []
        self._fifos: dict[t.Fifo, Data] = {}
        self._iterators: dict[t.Iterator, tuple[Data, Data]] = {}
        self._captures: dict[int, tuple[Data, Data | None]] = {}
        self._in_function: set[t.Symbol] = {s for f in program.functions for s in (*f.params, *f.locals)}
        for g in program.globals:
            self.object(g, None)

    def new(self, name: str, words: int, kind: str, init: list[int | Addr] | None = None, span: Span | None = None) -> Data:
        """A new object; 32-bit parts start at even addresses."""
        data = Data(name, words, min(words, 2), init=init, kind=kind, span=span)
        self.unit.data.append(data)
        return data

    # --- symbols

    def _owner(self, symbol: t.Symbol, owner: Owner) -> Owner:
        return owner if symbol in self._in_function else None

    def object(self, symbol: t.Symbol, owner: Owner) -> Data:
        """The memory of a variable."""
        where = (self._owner(symbol, owner), symbol)
        found = self._objects.get(where)
        if found is not None:
            return found
        kind = "global" if symbol.storage == "global" else "local"
        data = Data(symbol.name, symbol.type.words, max(1, symbol.type.align, symbol.align), kind=kind, span=symbol.span)
        data.address, data.bank = symbol.address, symbol.bank
        if symbol.alias is not None:
            target, offset = symbol.alias
            data.alias = (self.object(target, owner), offset)
        if symbol.init is not None:
            data.init = list(symbol.init)
        self._objects[where] = data
        self.unit.data.append(data)
        return data

    def pointer(self, symbol: t.Symbol, owner: Owner) -> Data:
        """The variable that holds the address of an array whose `.base` is assigned somewhere."""
        where = (self._owner(symbol, owner), symbol)
        found = self._pointers.get(where)
        if found is None:
            start: list[int | Addr] = [0] if symbol.by_reference else [Addr(self.object(symbol, owner))]
            found = self._pointers[where] = self.new(f"{symbol.name}.base", 1, "pointer", start, symbol.span)
        return found

    def base(self, symbol: t.Symbol, owner: Owner) -> Base:
        """Where a variable in memory begins (parameters by reference have their own bases)."""
        if symbol.rebased:
            return Base(None, pointer=self.pointer(symbol, owner))
        data = self.object(symbol, owner)
        root, offset = data, 0
        while root.alias is not None:
            offset += root.alias[1]
            root = root.alias[0]
        if root.address is not None:
            return Base(None, data, offset=root.address + offset, absolute=True)
        return Base(root, data, offset=offset)

    def share(self, symbol: t.Symbol, number: int) -> None:
        """Puts a temporary into the memory that all temporaries of its number share."""
        while len(self._shared) <= number:
            self._shared.append(self.new(f"vector.{len(self._shared)}", 2, "local"))
        data = self._shared[number]
        data.words = max(data.words, symbol.type.words)
        self._objects[None, symbol] = data

    # --- FIFOs and iterators

    def fifo(self, f: t.Fifo) -> Data:
        """The block of a FIFO: buffer, capacity in elements, head, count."""
        found = self._fifos.get(f)
        if found is None:
            memory = self.object(f.memory, None)
            init: list[int | Addr] = [Addr(memory), memory.words // max(1, f.elem.words), 0, 0]
            found = self._fifos[f] = self.new(f.name, dsd.FIFO_WORDS, "block", init, f.span)
        return found

    def iterator(self, it: t.Iterator) -> tuple[Data, Data]:
        """The descriptor of an iterator and its block, which holds the position."""
        found = self._iterators.get(it)
        if found is None:
            start, dims, endless = self._walk(it)
            block = self.new(f"{it.name}.walk", dsd.IBLOCK_WORDS, "block", [*dsd.i_block(dims, endless)], it.span)
            block.align = 2
            init: list[int | Addr] = [dsd.ITERATOR, start, 1, Addr(block)]
            found = self._iterators[it] = (self.new(it.name, dsd.WORDS, "descriptor", init, it.span), block)
        return found

    def walk(self, name: str, start: Addr, dims: list[tuple[int, int]]) -> tuple[Data, Data]:
        """The descriptor and the block of a walk over (extent, stride), innermost first, that goes on and on."""
        block = self.new(f"{name}.walk", dsd.IBLOCK_WORDS, "block", [*dsd.i_block(dims)])
        init: list[int | Addr] = [dsd.ITERATOR, start, 1, Addr(block)]
        return self.new(name, dsd.WORDS, "descriptor", init), block

    def capture(self, node: t.Capture) -> tuple[Data, Data | None]:
        """The descriptor that a captured socket or iterator becomes; an iterator's copy has a block of its own."""
        found = self._captures.get(id(node))
        if found is not None:
            return found
        source = node.source
        if isinstance(source, t.Iterator):
            original, _ = self.iterator(source)
            assert original.init is not None
            block = self.new(f"{source.name}.copy", dsd.IBLOCK_WORDS, "block", None, node.span)
            block.align = 2
            words: list[int | Addr] = [*original.init[:3], Addr(block)]
            made: tuple[Data, Data | None] = (self.new(f"{source.name}.value", dsd.WORDS, "descriptor", words, node.span), block)
        else:
            sends = source.dir == "out" or (source.dir is None and source.in_queue is None)
            queue = source.out_queue if sends else source.in_queue
            kind = dsd.FABOUT if sends else dsd.FABIN
            words = [kind, queue or 0, 1, 0]
            made = self.new(f"{source.name}.value", dsd.WORDS, "descriptor", words, node.span), None
        self._captures[id(node)] = made
        return made

    def _walk(self, it: t.Iterator) -> tuple[Addr, list[tuple[int, int]], bool]:
        """Start address, (extent, stride) innermost first, and whether it starts over. Elements of 64 bits are walked
        by halves."""
        access = self.static_access(it.element)
        if access is None:
            self.reporter.report("CB010", it.element.span, name=it.name)
            return Addr(None, 0), [(1, 0)], False
        unit = min(it.elem.words, 2)
        offset, dims, endless = access.offset, list[tuple[int, int]](), False
        for depth, level in enumerate(it.levels):
            low, high = constant(level.low), constant(level.high)
            assert low is not None
            coef = access.coefficient(level.index)
            offset += low * coef
            stride = signed16(coef // unit)
            if high is not None:
                dims.append((max(0, high - low), stride))
            elif coef or depth + 1 == len(it.levels):
                dims.append((1, stride))  # the outermost level counts on past its extent
            else:
                endless = True
        if it.elem.words > unit:
            dims.append((it.elem.words // unit, 1))
        if len(dims) > dsd.MAX_DIMENSIONS:
            self.reporter.report("CB011", it.span, name=it.name)
            dims = dims[-dsd.MAX_DIMENSIONS :]
        assert access.base.data is not None
        return Addr(access.base.data, offset), dims[::-1], endless

    def static_access(self, lv: t.LValue) -> Access | None:
        """Where an lvalue of a global lies, for descriptors in the image; None without a constant base."""
        if isinstance(lv, t.Var):
            base = self.base(lv.symbol, None)
            return None if base.data is None else Access(base, 0, (), lv.type)
        inner = self.static_access(lv.base)
        if inner is None:
            return None
        if isinstance(lv, t.Member):
            return member(inner, lv.name, lv.offset, lv.type)
        return index(inner, lv.indices) if isinstance(inner.type, Array) else None

    def roots_of(self, source: t.Source) -> set[Data] | None:
        """The objects that reads of a source touch; None = any."""
        if isinstance(source, t.Fifo):
            return {self.object(source.memory, None)}
        if isinstance(source, t.Iterator):
            access = self.static_access(source.element)
            return None if access is None or access.base.root is None else {access.base.root}
        return None if isinstance(source, t.StreamVar) else set()


