"""Random statements: assignments, loops that vectorise and loops that don't, branches, sums, hardware objects."""

from __future__ import annotations

from making import FLOATS, INTEGERS, KINDS, WORDS, ArrayVar, Expressions, Index

# Borders of 16 and 32 bits that a range may lie about, with a type that holds it.
FAR = (
    *(("xp", 32760), ("xp", -32760), ("u16", 32768), ("u16", 65530), ("i32", 32768), ("i32", 65536), ("u32", 65536)),
    *(("i32", -32768), ("i32", -65536), ("i32", 2147483640), ("u32", 2147483648), ("u32", 4294967280)),
)


class Statements(Expressions):
    """Makes statements; `sums`: dot products among them."""

    sums = True

    def assignment(self, depth: int = 3) -> str:
        found = self.place()
        if found is None:
            return ";"
        text, kind = found
        form = self.number(8)
        # x[f()] += e of another kind is an error (TW157): x = (kind)(x + e) would call f twice.
        effects = "[]" in text or any(f"{f.name}(" in text for f in self.scope.functions)
        if form == 0:
            value = f"({kind})({self.expr(kind, depth - 1)})" if effects else self.expr(kind, depth - 1)
            return f"{text} {self.one(('+=', '-=', '*='))} {value};"
        if form == 1 and kind in FLOATS and not effects:
            return f"{text} {self.one(('<+-', '+=', '-='))} {self.factor(kind)} * {self.factor(kind)};"
        if form == 2 and kind in FLOATS:
            a, b, c = (self.read(kind) for _ in range(3))
            return f"{text} = {a} {self.one('+-')} {b}*{c};"
        return f"{text} {self.one(('=', '<-'))} {self.expr(kind, depth)};"

    def factor(self, kind: str) -> str:
        return self.read(kind) if self.chance(60) else self.expr(self.one(KINDS), 1)

    def local(self) -> str:
        kind = self.one(KINDS)
        name = self.new("t")
        if self.chance(25):
            size = 2 + self.number(3)
            constant = self.chance(30)
            values = ", ".join(
                self.expr(kind, 1) if not constant and self.chance(40) else self.literal(kind) for _ in range(size)
            )
            (self.scope.constants if constant else self.scope.arrays).append(ArrayVar(name, kind, (size,)))
            return f"{kind} {'const ' if constant else ''}{name}[{size}] = {{{values}}};"
        text = f"{kind} {name} = {self.operand(kind, 2)};"
        self.scope.scalars[name] = kind
        return text

    # --- loops

    def loop(self) -> str:
        """∀ over one to three ranges."""
        levels = self.one((1, 1, 1, 2, 2, 3))
        with self.inner():
            head = " ".join(self.range_() for _ in range(levels))
            form = self.number(6)
            if form <= 2:
                body = self.assignment(2)
            elif form == 3:
                body = self.reduction()
            elif form == 4:
                body = self.straight()
            else:
                body = self.block(1 + self.number(2))
        pragma = "#pragma vectorize off\n  " if self.chance(4) else ""
        return f"{pragma}{head} {body}"

    def range_(self) -> str:
        """One level; its index is in scope from here on."""
        free = [r for r in self.scope.ranges if r not in self.scope.indices]
        if free and self.chance(25):
            index = self.one(free)
            self.scope.indices.append(index)
            self.trips *= index.high
            return f"∀{index.name}"
        name = self.new("i")
        if self.chance(12):
            return self.far_range(name)
        low = self.one((0, 0, 0, 1, 2, -2))
        high = low + self.one((3, 2, 4, 6, 1, 8, 5, 12, 6, 0) if self.trips < 100 else (2, 1))
        self.trips *= max(high - low, 3)
        index = Index(name, low, max(high, low + 1))
        bound = str(high)
        if self.chance(15):
            kinds = INTEGERS if low >= 0 else ("xp", "i32")  # -2 + an unsigned number is a large one
            counts = [n for n, k in (*self.scope.scalars.items(), *self.scope.fixed.items()) if k in kinds]
            if counts:
                bound = f"{low} + ({self.one(counts)} & 3)"
                index = Index(name, low, low + 3)
        self.scope.indices.append(index)
        return f"{self.one(('∀', ''))}{name} {self.one(('in', '∈'))} [{low}, {bound})"

    def far_range(self, name: str) -> str:
        """A short range about a border of 16 or 32 bits, its bounds constant or known at run time only."""
        kind, middle = self.one(FAR)
        low = middle - self.number(3)
        index = Index(name, low, low + 1 + self.number(4), kind)
        self.trips *= index.high - low
        bounds = [f"({low})", f"({index.high})"]
        free = [n for n, k in (*self.scope.scalars.items(), *self.scope.fixed.items()) if k == kind]
        for k in range(2):
            if free and self.chance(40):
                bounds[k] += f" + ({self.one(free)} & 0)"
        self.scope.indices.append(index)
        return f"{self.one(('∀', ''))}{name} {self.one(('in', '∈'))} [{bounds[0]}, {bounds[1]})"

    def straight(self) -> str:
        """One operation on elements of one kind: what should become a vector instruction."""
        kinds = [k for k in KINDS if any(a.kind == k for a in self.scope.arrays)]
        if not kinds:
            return self.assignment(2)
        kind = self.one(kinds)
        arrays = [a for a in self.scope.arrays if a.kind == kind]
        dest, x = self.element(self.one(arrays)), self.element(self.one(arrays))
        other = self.one(kinds)
        y = self.element(self.one([a for a in self.scope.arrays if a.kind == other]))
        walks = [w for w in self.scope.walks if w.total is None and w.kind == kind]
        if walks and self.chance(30):
            x = f"{self.one(walks).name}[]"
        form = self.number(8)
        if form == 7:  # max or min, as a choice
            y = self.one((y, self.literal(kind))) if other == kind else self.literal(kind)
            arms = self.one((f"{x} : {y}", f"{y} : {x}"))
            return f"{dest} <- {x} {self.one(('<', '>', '<=', '>='))} {y} ? {arms};"
        if form == 4 and kind in INTEGERS:
            y = self.one((f"({kind})({y})", self.read(kind)))
            op = self.one(("&", "|", "^", "<<", ">>", "/", "%"))
            if op in ("<<", ">>") and y in self.scope.fixed:  # may be a constant, which no shift takes below 0
                y = f"({y} & 31)"
            return f"{dest} <- {x} {op} {y};"
        y = self.one((y, self.read(kind), self.literal(kind)))
        if form == 0:
            return f"{dest} <- {x};"
        if form == 1:
            return f"{dest} <- {y};"
        if form == 2:
            return f"{dest} {self.one(('+=', '-=', '<+-'))} {x} * {y};"
        if form == 3:
            return f"{dest} <- {self.one(('max', 'min'))}({x}, {y});"
        if form == 5:
            return f"{dest} <- {self.one(('-', 'abs', '~' if kind in INTEGERS else '-'))}({x});"
        return f"{dest} <- {x} {self.one('+-*')} {y};"

    def reduction(self) -> str:
        scalars = list(self.scope.scalars.items())
        if not scalars:
            return self.assignment(2)
        name, kind = self.one(scalars)
        form = self.number(5)
        if form == 0:
            return f"{name} {self.one(('+=', '-=', '*='))} {self.expr(kind, 1)};"
        if form == 1:
            return f"{name} {self.one(('+=', '-=', '<+-'))} {self.read(kind)} * {self.read(kind)};"
        if form == 2:
            return f"{name} = {self.one(('max', 'min'))}({name}, {self.expr(kind, 1)});"
        if form == 3:
            return f"{name} = {name} {self.one('+-*')} {self.read(kind)};"
        return f"{name} <- {self.expr(kind, 1)};"

    def dot(self) -> str:
        options = [o for o in ("dot.state(on)", "dot.load(off)") if self.chance(30)]
        attrs = f"[[{', '.join(options)}]] " if options else ""
        with self.inner():
            head = " ".join(self.range_() for _ in range(self.one((1, 1, 2))))
            pick = [self.read(self.one(FLOATS)) for _ in range(2)]
            target = self.place("sp") if self.chance(30) else None
        if target is None:
            target = self.place("sp")
        if target is None:
            return self.assignment(2)
        term = pick[0] if self.chance(25) else f"{pick[0]} * {pick[1]}"
        return f"{attrs}{head} {target[0]} = ∑ {term};"

    # --- hardware objects

    def walk(self) -> str:
        """Iterators, FIFOs, streams and pointers."""
        form = self.number(5)
        scope = self.scope
        name = self.new("i")
        if form == 0 and scope.walks:
            w = self.one(scope.walks)
            n = 1 + self.number(min(w.total or 8, 8))
            fitting = [a for a in scope.arrays if len(a.dims) == 1 and a.dims[0] >= n]
            if fitting:
                a = self.one(fitting)
                op = self.one(("", f" + {a.name}[{name}]", " * 3"))
                return f"{{ reset {w.name}; ∀{name} in [0, {n}) {a.name}[{name}] <- {w.name}[]{op}; }}"
        if form == 1 and scope.fifos:
            f = self.one(scope.fifos)
            n = 1 + self.number(f.capacity)
            sources = [a for a in scope.arrays if a.kind == f.kind and len(a.dims) == 1 and a.dims[0] >= n]
            targets = [a for a in scope.arrays if len(a.dims) == 1 and a.dims[0] >= n]
            if sources and targets:
                a, b = self.one(sources), self.one(targets)
                pop = self.one(("", f" - {b.name}[{name}]"))
                push = f"∀{name} in [0, {n}) {f.name}[] <- {a.name}[{name}];"
                return f"{{ {push} ∀{name}b in [0, {n}) {b.name}[{name}b] <- {f.name}[]{pop.replace(name, name + 'b')}; }}"
        if form == 2 and scope.captured:
            k = self.number(len(scope.captured))
            kind = scope.captured[k]
            targets = [a for a in scope.arrays if a.kind == kind and len(a.dims) == 1]
            if targets:
                a = self.one(targets)
                n = 1 + self.number(a.dims[0])
                return f"{{ e{WORDS[kind]} = d[{k}]; ∀{name} in [0, {n}) {a.name}[{name}] <- ({kind})(e{WORDS[kind]}[]); }}"
        if scope.pointers:
            p = self.one(scope.pointers)
            sources = [a for a in scope.globals_of() if a.kind == p.kind and len(a.dims) == 1 and a.dims[0] >= p.dims[0]]
            sources = [a for a in sources if a.name[0] == "a"]
            if sources:
                a = self.one(sources)
                shift = self.number(a.dims[0] - p.dims[0] + 1) * WORDS[p.kind]
                return f"{p.name}.base = {a.name}.base{f' + {shift}' if shift else ''};"
        return self.assignment()

    # --- the rest

    def block(self, statements: int) -> str:
        with self.inner():
            return "{ " + " ".join(self.statement() for _ in range(statements)) + " }"

    def statement(self) -> str:
        form = self.number(16)
        nested = self.depth < 4
        if form <= 3:
            return self.assignment()
        if form == 4:
            return self.local()
        if form <= 8 and nested:
            return self.loop()
        if form == 9 and nested:
            text = f"if ({self.condition(1)}) {self.block(1 + self.number(2))}"
            if self.chance(30):
                text += f" else if ({self.condition(1)}) {self.block(1)}"
            return text + (f" else {self.block(1)}" if self.chance(50) else "")
        if form == 10 and nested:
            return self._while()
        if form == 11 and nested and self.sums:
            return self.dot()
        if form == 12:
            call = self.call(2)
            return f"{call};" if call is not None else self.assignment()
        if form == 13:
            return self.walk()
        if form == 14 and nested and self.chance(40):
            return self.pressure()
        return self.copy() if self.chance(30) else self.assignment()

    def pressure(self) -> str:
        """Many variables that are alive at the same time."""
        with self.inner():
            names = {self.new("t"): self.one((*KINDS, "sp", "i32", "u64")) for _ in range(5 + self.number(10))}
            texts = [f"{k} {n} = {self.expr(k, 1)};" for n, k in names.items()]
            self.scope.scalars |= names
            texts += [self.assignment(2) for _ in range(1 + self.number(3))]
            whole = self.one(("u32", "sp", "xp"))
            total = " + ".join(f"({whole})({n})" for n in names)
            target = self.place(whole)
        return "{ " + " ".join(texts) + (f" {target[0]} = {total};" if target is not None else "") + " }"

    def _while(self) -> str:
        name = self.new("w")
        with self.inner():
            self.scope.fixed[name] = "xp"
            self.trips *= 3
            test = f"{name} < {self.number(4)}" + (f" && {self.condition(1)}" if self.chance(40) else "")
            body = " ".join(self.statement() for _ in range(1 + self.number(2)))
        return f"{{ xp {name} = 0; while ({test}) {{ {body} {name} += 1; }} }}"

    def copy(self) -> str:
        """A whole record, or a row of an array."""
        structs = [text for k, text in self.scope.records if k == "S"]
        rows = [a for a in self.scope.arrays if len(a.dims) == 2]
        if rows and self.chance(40):
            a = self.one(rows)
            return f"{a.name}[{self.number(a.dims[0])}] = {a.name}[{self.number(a.dims[0])}];"
        return f"{self.one(structs)} = {self.one(structs)};" if structs else self.assignment()
