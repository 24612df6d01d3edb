"""Sockets, FIFOs, filters, iterators, streams: their declarations and the queues they take (tungsten.md 6)."""

from __future__ import annotations

from diag.report import suggest
from tungsten import ast, tree, values
from tungsten.check_base import Stop
from tungsten.check_init import Inits
from tungsten.check_types import WIRE
from tungsten.scope import Broken, Constant, Hardware, LetRange, Variable
from tungsten.types import I32, U16, XP, Array, Scalar

QUEUES = 8
MAX_LEVELS = 4


class HardwareObjects(Inits):
    """Declarations of hardware objects."""

    def broken(self, name: ast.Name) -> None:
        """Keeps a name whose declaration is wrong from being unknown as well."""
        self.scope.names.setdefault(name.name, Broken(name.name, name.span))

    def hardware(self, decl: ast.Decl) -> None:
        """The items of a socket, fifo, filter or iterator declaration. Errors leave out the item only."""
        method = {
            "socket": self._socket,
            "fifo": self._fifo,
            "filter": self._filter,
            "iterator": self._iterator,
        }[decl.role]
        for item in decl.items:
            try:
                self._plain_item(item, decl.role)
                method(decl, item)
            except Stop:
                self.broken(item.name)

    def _plain_item(self, item: ast.Item, role: str) -> None:
        for part in (item.address, item.bank):
            if part is not None:
                self.fail("TW090", part.span, what=role)
        if item.dims and role != "filter":
            self.fail("TW091", item.dims[0].span, what=role)

    def elem_of(self, decl: ast.Decl) -> Scalar | None:
        """The element type before socket or fifo; a type that no wavelet carries is TW042."""
        if decl.type is None:
            return None
        type_ = self.type_of(decl.type)
        if not isinstance(type_, Scalar) or type_ not in WIRE:
            self.fail("TW042", decl.type.span, type=type_)
        return type_

    # -- sockets --------------------------------------------------------------------------------------------

    def _socket(self, decl: ast.Decl, item: ast.Item) -> None:
        if item.init is not None:
            self.fail("TW092", item.init.span, hint="its color is given in the layout: code('kernel [name:color])")
        if self.frame.function is not None or self.scope.parent is not None and self.frame.loops:
            self.fail("TW093", item.name.span, what="socket")
        socket = tree.Socket(item.name.name, self.elem_of(decl), item.name.span)
        for option in item.options:
            if option.key == "dir":
                if option.value not in ("in", "out"):
                    self.fail("TW094", option.value_span, value=option.value)
                socket.dir = option.value
            elif option.key == "id":
                socket.queue = self._queue_id(option)
            else:
                hint = suggest(option.key, ("dir", "id"))
                self.report("TW095", option.span, name=option.key, hint=hint)
        before = next((s for s in self.program.sockets if s.name == socket.name), None)
        if before is not None and self.scope.names.get(socket.name) is None:
            self.fail("TW020", item.name.span, name=socket.name, notes=[(before.span, "declared here before")])
        if self._declare_hardware(item, "socket", socket):
            self.program.sockets.append(socket)

    def _queue_id(self, option: ast.Option) -> int:
        number = values.parse(option.value)
        if number is None:
            entity = self.lookup(ast.Name(option.value_span, option.value))
            if not isinstance(entity, Constant):
                self.fail("TW046", option.value_span, what="a queue number")
            number = values.decode(int(entity.value), entity.type) if entity.type else entity.value
        if not isinstance(number, int) or not 0 <= number < QUEUES:
            self.fail("TW096", option.value_span, value=option.value)
        return number

    def _declare_hardware(self, item: ast.Item, what: str, thing: tree.Source | tree.Filter) -> bool:
        taken = item.name.name in self.scope.names
        self.declare(Hardware(item.name.name, item.name.span, what, object=thing, order=self.order))
        return not taken

    # -- FIFOs and filters ----------------------------------------------------------------------------------

    def _fields(self, item: ast.Item, role: str, known: tuple[str, ...]) -> dict[str, ast.Init]:
        """`{.name = value, …}` of a FIFO or filter."""
        if not isinstance(item.init, ast.Braces):
            hint = "{.mem = array}" if role == "fifo" else "{.limit=3, .maxpass=1, .tick=wavelet, .socket=rx}"
            self.fail("TW097", item.name.span, what=role, hint=f"write = {hint}")
        found: dict[str, ast.Init] = {}
        for name, value in item.init.items:
            if name is None:
                self.fail("TW086", value.span)
            if name.name not in known:
                self.fail("TW098", name.span, what=role, name=name.name, hint=suggest(name.name, known))
            if name.name in found:
                notes = [(found[name.name].span, "set here before")]
                self.fail("TW087", name.span, name=name.name, notes=notes)
            found[name.name] = value
        return found

    def _fifo(self, decl: ast.Decl, item: ast.Item) -> None:
        fields = self._fields(item, "fifo", ("mem",))
        if "mem" not in fields:
            self.fail("TW099", item.name.span, what="fifo", name="mem")
        place = fields["mem"]
        if not isinstance(place, ast.Name):
            self.fail("TW100", place.span)
        entity = self.lookup(place)
        symbol = entity.symbol if isinstance(entity, Variable) else None
        array = symbol.type if symbol is not None else None
        if symbol is None or not isinstance(array, Array) or not isinstance(array.elem, Scalar):
            self.fail("TW100", place.span, notes=[(entity.span, "declared here")])
        elem = self.elem_of(decl) or array.elem
        if elem.words != array.elem.words or elem not in WIRE:
            notes = [self.note_of(entity.span, array)]
            self.fail("TW101", place.span, type=elem, notes=notes)
        other = next((f for f in self.program.fifos if f.memory is symbol), None)
        if other is not None:
            self.fail("TW102", place.span, name=place.name, notes=[(other.span, "used by this fifo")])
        fifo = tree.Fifo(item.name.name, elem, symbol, item.name.span)
        if self._declare_hardware(item, "fifo", fifo):
            self.program.fifos.append(fifo)

    def _filter(self, decl: ast.Decl, item: ast.Item) -> None:
        kind = item.dims[0].extent if len(item.dims) == 1 else None
        if not isinstance(kind, ast.Name) or kind.name != "counter":
            self.fail("TW103", item.dims[0].span if item.dims else item.name.span)
        fields = self._fields(item, "filter", ("limit", "maxpass", "state", "tick", "socket"))
        for needed in ("limit", "maxpass", "socket"):
            if needed not in fields:
                self.fail("TW099", item.name.span, what="filter", name=needed)
        tick = fields.get("tick")
        if tick is not None and not (isinstance(tick, ast.Name) and tick.name == "wavelet"):
            self.report("TW104", tick.span)
        numbers = {name: self._filter_number(name, fields[name]) for name in ("limit", "maxpass", "state") if name in fields}
        if numbers["maxpass"] > numbers["limit"]:
            notes = [(fields["limit"].span, f"the limit is {numbers['limit']}")]
            self.fail("TW105", fields["maxpass"].span, value=numbers["maxpass"], limit=numbers["limit"], notes=notes)
        state = numbers.get("state", 0)
        if state not in (0, 64):
            self.fail("TW106", fields["state"].span, value=state)
        name = fields["socket"]
        entity = self.lookup(name) if isinstance(name, ast.Name) else None
        if not isinstance(entity, Hardware) or not isinstance(entity.object, tree.Socket):
            self.fail("TW107", name.span)
        socket = entity.object
        if socket.dir == "out":
            self.fail("TW072", name.span, name=socket.name, notes=[(socket.span, "declared here")])
        other = next((f for f in self.program.filters if f.socket is socket), None)
        if other is not None:
            self.fail("TW108", name.span, name=socket.name, notes=[(other.span, "it has this filter")])
        made = tree.Filter(item.name.name, socket, numbers["limit"], numbers["maxpass"], state, item.name.span)
        if self._declare_hardware(item, "filter", made):
            self.program.filters.append(made)

    def _filter_number(self, name: str, init: ast.Init) -> int:
        if isinstance(init, ast.Braces | ast.Walk):
            self.fail("TW046", init.span, what=f".{name}")
        value = self.constant_int(init, f".{name}")
        if not 0 <= value <= 0x7FFF:
            self.fail("TW109", init.span, name=name, value=value)
        return value

    # -- iterators and streams ------------------------------------------------------------------------------

    def _iterator(self, decl: ast.Decl, item: ast.Item) -> None:
        init = item.init
        if init is None or isinstance(init, ast.Braces):
            self.fail("TW097", item.name.span, what="iterator", hint="write = ∀i a[i], or = i in [0, 4) a[i]")
        walk = init if isinstance(init, ast.Walk) else ast.Walk(init.span, [], init)
        if len(walk.levels) > MAX_LEVELS:
            self.fail("TW110", walk.levels[MAX_LEVELS].span, found=len(walk.levels))
        levels: list[tree.Level] = []
        lets: list[LetRange] = []
        try:
            with self.inner():
                for ref in walk.levels:
                    levels.append(self._level(ref, lets, not levels))
                element = self._walked(walk, levels)
        finally:
            for let in lets:
                let.active.pop()
        if not levels:  # one element: a walk of one step
            one = tree.Symbol("_", XP, walk.span, "index")
            bounds = [tree.Const(walk.span, XP, bit) for bit in (0, 1)]
            levels.append(tree.Level(one, bounds[0], bounds[1]))
        elem = element.type
        assert isinstance(elem, Scalar)
        if decl.type is not None and self.type_of(decl.type) != elem:
            self.fail("TW111", walk.element.span, type=elem, notes=[(decl.type.span, "the iterator's type")])
        iterator = tree.Iterator(item.name.name, elem, levels, element, item.name.span)
        if self._declare_hardware(item, "iterator", iterator):
            self.program.iterators.append(iterator)

    def _level(self, ref: ast.LevelRef, lets: list[LetRange], outermost: bool) -> tree.Level:
        entity = None
        range_, scope = ref.range, self.scope
        if range_ is None:
            entity = self.range_named(ref.name)
            assert entity.range is not None and entity.scope is not None
            range_, scope = entity.range, entity.scope
        with self.within(scope):
            low = self.constant_int(range_.low, "a bound of an iterator")
            high = None if range_.high is None else self.constant_int(range_.high, "a bound of an iterator")
        if high is None and not outermost:
            self.fail("TW112", range_.span)
        if high is not None and high < low:
            high = low
        type_ = XP if -0x8000 <= low and (high or low) <= 0x7FFF else U16 if low >= 0 else I32
        symbol = tree.Symbol(ref.name.name, type_, ref.name.span, "index")
        if high is not None and high > low:
            self.ranges[symbol] = (low, high - 1)
        if entity is not None:
            entity.active.append(symbol)
            lets.append(entity)
        else:
            self.declare(Variable(ref.name.name, ref.name.span, "loop index", symbol=symbol))
        mask = (1 << type_.bits) - 1
        low_node = tree.Const(range_.low.span, type_, low & mask)
        if high is None or range_.high is None:
            return tree.Level(symbol, low_node, None)
        return tree.Level(symbol, low_node, tree.Const(range_.high.span, type_, high & mask))

    def _walked(self, walk: ast.Walk, levels: list[tree.Level]) -> tree.LValue:
        """The element that an iterator walks over: a scalar, affine in the levels' indices."""
        element = self.lvalue(walk.element)
        if not isinstance(element.type, Scalar):
            self.fail("TW043", element.span, type=element.type)
        indices = {level.index for level in levels}
        inner: tree.Expr = element
        while isinstance(inner, tree.Index | tree.Member):
            if isinstance(inner, tree.Index):
                for subscript in inner.indices:
                    if not affine(subscript, indices):
                        self.fail("TW113", subscript.span)
            inner = inner.base
        assert isinstance(inner, tree.Var)
        if inner.symbol.by_reference or inner.symbol.storage == "param":
            notes = [(inner.symbol.span, "the parameter")]
            self.fail("TW114", inner.span, name=inner.symbol.name, notes=notes)
        return element

    def range_named(self, name: ast.Name) -> LetRange:
        """The `let` of a ∀; anything else is TW115 or TW116."""
        entity = self.scope.find(name.name)
        if entity is None:
            ranges = [n for s in self.scope.chain() for n, e in s.names.items() if isinstance(e, LetRange)]
            hint = suggest(name.name, ranges) or f"declare it: let {name.name} in [0, n);"
            self.fail("TW115", name.span, name=name.name, hint=hint)
        if not isinstance(entity, LetRange):
            self.lookup(name)
            self.fail("TW116", name.span, name=name.name, what=entity.what, notes=[(entity.span, "declared here")])
        return entity

    # -- queues ---------------------------------------------------------------------------------------------

    def assign_queues(self) -> None:
        """Gives out queue numbers in order of declaration, skipping the fixed ones (TW117, TW118)."""
        for dir_ in ("in", "out"):
            wanting = [s for s in self.program.sockets if (s.receives if dir_ == "in" else s.sends)]
            taken: dict[int, tree.Socket] = {}
            for socket in wanting:
                if socket.queue is None:
                    continue
                if socket.queue in taken:
                    other = taken[socket.queue]
                    notes = [(other.span, f"'{other.name}' has it")]
                    self.report("TW117", socket.span, dir=dir_ + "put", queue=socket.queue, notes=notes)
                    continue
                taken[socket.queue] = socket
            for socket in wanting:
                queue = socket.queue
                if queue is None:
                    queue = next((q for q in range(QUEUES) if q not in taken), None)
                    if queue is None:
                        self._no_queue(socket, dir_, taken)
                        return
                    taken[queue] = socket
                if dir_ == "in":
                    socket.in_queue = queue
                else:
                    socket.out_queue = queue
        if self.reporter.errors:
            return  # a use may stand in a statement that is wrong
        for socket in self.program.sockets:
            if not socket.receives and not socket.sends and not any(f.socket is socket for f in self.program.filters):
                self.report("TW119", socket.span, name=socket.name)

    def _no_queue(self, socket: tree.Socket, dir_: str, taken: dict[int, tree.Socket]) -> None:
        what = {"in": "input", "out": "output"}[dir_]
        listed = ", ".join(f"{q} {s.name}" for q, s in sorted(taken.items()))
        notes = [(s.span, f"{what} queue {q} is taken by '{s.name}'") for q, s in sorted(taken.items())]
        self.report("TW118", socket.span, name=socket.name, what=what, listed=listed, notes=notes)


def affine(node: tree.Expr, indices: set[tree.Symbol]) -> bool:
    """Whether an expression is a sum of constants and constant multiples of the indices."""
    if isinstance(node, tree.Const):
        return True
    if isinstance(node, tree.Var):
        return node.symbol in indices
    if isinstance(node, tree.Cast):
        return affine(node.operand, indices)
    if isinstance(node, tree.Unary):
        return node.op == "-" and affine(node.operand, indices)
    if isinstance(node, tree.Binary):
        if node.op in "+-":
            return affine(node.left, indices) and affine(node.right, indices)
        if node.op == "*":
            left, right = node.left, node.right
            constant = isinstance(left, tree.Const) or isinstance(right, tree.Const)
            return constant and affine(left, indices) and affine(right, indices)
        if node.op == "<<":
            return isinstance(node.right, tree.Const) and affine(node.left, indices)
    return False


