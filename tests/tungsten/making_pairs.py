"""Two random kernels that exchange data: what one sends the other receives, step by step in the same order.

Each direction has one to three wires: the left kernel's t0 ends at the right one's r0, and so on.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from making import FLOATS, KINDS, WORDS, ArrayVar, Scope
from making_kernels import Kernels


@dataclass(eq=False)
class Wire:
    """One direction of a color: its number, the kinds of element that the sending end may use, its socket's type or
    "", and the same of the receiving end, which may read wavelets of 32 bits by halves.

    period: limit, maxpass and state of a counter filter at the receiving end; `seen` are the wavelets it has counted.
    piped: a background transfer moves everything that arrives into the FIFO bg….
    """

    number: int
    kinds: tuple[str, ...]
    typed: str
    into_kinds: tuple[str, ...]
    into_typed: str
    period: tuple[int, int, int] | None = None
    piped: bool = False
    seen: int = 0

    @property
    def source(self) -> str:
        """What the receiving kernel reads."""
        return f"{'bg' if self.piped else 'r'}{self.number}"

    @property
    def each(self) -> int:
        """Reads for each element sent."""
        return WORDS[self.kinds[0]] // WORDS[self.into_kinds[0]]

    def arrive(self, n: int) -> int:
        """How many elements arrive when n are sent: those that pass, twice as many where they are read by halves."""
        return self._pass(n) * self.each

    def _pass(self, n: int) -> int:
        if self.period is None:
            return n
        limit, maxpass, state = self.period
        first = self.seen + (maxpass + 1 if state else 0)
        self.seen += n
        return sum((first + k) % (limit + 1) <= maxpass for k in range(n))


class End(Kernels):
    """One of the two. `out`, `into`: the wires it sends and receives on."""

    def __init__(self, number: Callable[[int], int], out: list[Wire], into: list[Wire]) -> None:
        super().__init__(number)
        self.out = out
        self.into = into
        self.lines = self.globals_()
        self.lines += [f"{w.typed} socket t{w.number}[[dir=out]];".strip() for w in out]
        self.lines += [f"{w.into_typed} socket r{w.number}[[dir=in]];".strip() for w in into]
        self.lines.append(f"u64 ds[{len(into)}]; stream es;")
        self.lines += [f"ds[{k}] = r{w.number};" for k, w in enumerate(into)]
        for w in into:
            if w.period is not None:
                values = "{{.limit={}, .maxpass={}, .state={}, .tick=wavelet, .socket=r{}}}".format(*w.period, w.number)
                self.lines.append(f"filter f{w.number}[counter] = {values};")
            if w.piped:
                bg = w.source
                self.lines.append(f"{w.into_typed} {bg}m[n=3]; {w.into_typed} fifo {bg} = {{.mem={bg}m}};")
                self.lines.append(f"i in [0, ∞) {bg}[] <- r{w.number}[];")
        self.lines += [f"{k} pipe_{k}m[n=5]; {k} fifo pipe_{k} = {{.mem=pipe_{k}m}};" for k in KINDS]
        for kind in KINDS:
            for w in range(3):
                # What sends and receives inside `parallel` use, and nothing else while the block runs.
                values = [", ".join(self.literal(kind) for _ in range(8)) for _ in range(2)]
                names = [f"out{w}_{kind}[8] = {{{values[0]}}}", f"in{w}_{kind}[8] = {{{values[1]}}}", f"s{w}_{kind}"]
                self.lines.append(f"{kind} {', '.join(names)};")
                self.scope.arrays += [ArrayVar(f"out{w}_{kind}", kind, (8,)), ArrayVar(f"in{w}_{kind}", kind, (8,))]
                self.scope.scalars[f"s{w}_{kind}"] = kind
        self.lines += [self.function() for _ in range(self.number(2))]
        self.helpers: dict[str, str] = {}
        self.body: list[str] = []

    def compute(self) -> None:
        for _ in range(self.number(3)):
            self.body.append(self.statement())

    def private(self, w: Wire | int, way: str) -> Scope:
        """What an arm may use while others run: the variables of one wire and direction."""
        number = w if isinstance(w, int) else w.number
        scope = Scope()
        scope.arrays = [ArrayVar(f"{way}{number}_{k}", k, (8,)) for k in KINDS]
        if way == "in":
            scope.scalars = {f"s{number}_{k}": k for k in KINDS}
        return scope

    def apart(self, w: Wire | int, way: str, statements: int) -> list[str]:
        """Statements for an arm."""
        with self.inner():
            self.scope = self.private(w, way)
            self.sums = False  # there is one accumulator
            made = [self.statement() for _ in range(statements)]
            self.sums = True
            return made

    # --- transfers

    def sends(self, w: Wire, n: int, private: bool) -> list[str]:
        """Statements that send n elements. private: they read out… alone."""
        kind = self.one(w.kinds)
        a, t = f"out{w.number}_{kind}", f"t{w.number}"
        form = self.number(7)
        i = self.new("i")
        if form == 0:
            return [f"{t}[] <- {self.sent(w, kind, f'{a}[{k}]', private)};" for k in range(n)]
        if form == 1:
            return [f"∀{i} in [0, {n}) {{ {kind} {i}t = {a}[{i}]; {t}[] <- {i}t; }}"]
        if form == 2 and n == 8:
            return [f"∀{i} in [0, 2) ∀{i}k in [0, 4) {t}[] <- {a}[4*{i} + {i}k];"]
        if form == 3:
            return [f"∀{i} in [0, {n}) {t}[] <- {a}[{i}] {self.one('+-*')} {a}[7 - {i}];"]
        if form == 4:
            name = f"put_{t}_{kind}"
            self.helpers[name] = f"function {name}({kind} v[], xp n) {{ i in [0, n) {t}[] <- v[i]; }}"
            return [f"{name}({a}, {n});"]
        if form == 5 and w.typed:
            other = self.one(KINDS)
            return [f"∀{i} in [0, {n}) {t}[] <- out{w.number}_{other}[{i}];"]
        return [f"∀{i} in [0, {n}) {t}[] <- {a}[{i}];"]

    def sent(self, w: Wire, kind: str, plain: str, private: bool) -> str:
        if private or self.chance(50):
            return plain
        if w.typed and self.chance(30):
            return self.expr(self.one(KINDS), 2)
        if WORDS[kind] == 2 and not w.typed and self.chance(15):
            return f"wavelet({self.read('xp')}, {self.read('u16')})"
        return f"({kind})({self.expr(kind, 2)})"

    def receives(self, w: Wire, n: int, private: bool) -> list[str]:
        """Statements that receive n elements. private: they touch in… and s… alone."""
        kind = self.one(w.into_kinds)
        a, s, r = f"in{w.number}_{kind}", f"s{w.number}_{kind}", w.source
        if n == 0:
            return []
        form = self.number(16)
        i = self.new("i")
        head = f"∀{i} in [0, {n})"
        if form == 0:
            return [f"{a}[{k}] <- {r}[];" for k in range(n)]
        if form == 1:
            return [f"{head} {a}[{i}] <- {r}[] {self.one('+-*')} {a}[{i}];"]
        if form == 2:
            return [f"{head} {a}[{i}] <- {self.one(('max', 'min'))}({a}[7 - {i}], {r}[]);"]
        if form == 3:
            return [f"{head} {s} {self.one(('+=', '-=', '*='))} {r}[];"]
        if form == 4:
            return [f"{head} {a}[{i}] {self.one(('+=', '-=', '<+-'))} {r}[] * {a}[{i}];"]
        if form == 5 and kind in FLOATS and not private:
            return [f"{head} s{w.number}_sp = ∑ {r}[] * {a}[{i}];"]
        if form == 6:
            other = self.one(KINDS)
            return [f"{head} in{w.number}_{other}[{i}] <- ({kind})({r}[]);"]
        if form == 7:
            keep = f"{s} = {s} {self.one('+-*')} {i}t; {a}[{i}] = {i}t;"
            return [f"{head} {{ {kind} {i}t <- {r}[]; {keep} }}"]
        if form == 8 and n > 1:
            first = f"{r}[];" if w.into_typed else f"{s} <- {r}[];"
            return [first, f"∀{i} in [1, {n}) {a}[{i}] <- {r}[];"]
        if form == 9 and not private:
            places = [self.place(kind) for _ in range(n)]
            return [f"{p[0] if p is not None else f'{a}[{k}]'} <- {r}[];" for k, p in enumerate(places)]
        if form == 10:
            name = f"get_{r}_{kind}"
            self.helpers[name] = f"function {name}({kind} v[], xp n) {{ i in [0, n) v[i] <- {r}[]; return v[0]; }}"
            return [f"{s} = {name}({a}, {n});"]
        if form == 11:
            return [f"{head} if ({a}[{i}] < {a}[0]) {s} <- {r}[]; else {a}[{i}] <- ({kind})({r}[]) {self.one('+-*')} {s};"]
        if form == 12:
            return [f"{head} {s} {self.one(('+=', '<+-'))} {r}[] * {a}[{i}];"]
        if form == 13 and not private and not w.piped:
            return [f"{{ es = ds[{self.into.index(w)}]; {head} {a}[{i}] <- ({kind})(es[]); }}"]
        if form == 14 and not private:
            return [f"parallel {{ {head} pipe_{kind}[] <- {r}[]; {head} {a}[{i}] <- pipe_{kind}[]; }}"]
        return [f"{head} {a}[{i}] <- {r}[];"]

    def attribute(self) -> str:
        return "[[uthread.enable(on)]] " if self.chance(12) else "[[uthread.enable(off)]] " if self.chance(5) else ""

    def add(self, statements: list[str]) -> None:
        self.body += [self.attribute() + s for s in statements]

    def parallel(self, arms: list[list[str]]) -> str:
        texts = []
        for arm in arms:
            alone = len(arm) == 1 and self.chance(60)
            texts.append(arm[0] if alone else "{ " + " ".join(arm) + " }")
        return "parallel { " + " ".join(texts) + " }"

    def dispatch(self, w: Wire, indexed: bool, control: bool, reply: str = "") -> str:
        """Serves what still comes on a wire, for ever. indexed: 32 bits as value and index."""
        kind = "xp" if indexed else self.one(w.into_kinds)
        with self.inner():
            self.scope = self.private(w, "in")
            self.scope.fixed["x"] = kind
            if indexed:
                self.scope.fixed["y"] = "xp"
            body = " ".join(self.statement() for _ in range(1 + self.number(2)))
        takes = f"wavelet({kind} x{', xp y' if indexed else ''}) {{ s{w.number}_{kind} += x; {body} {reply} }}"
        if control:
            takes += f" control(5, xp c) {{ s{w.number}_xp = s{w.number}_xp * 3 + c; }} control() {{ s{w.number}_u16 += 1; }}"
        return f"forever dispatch(r{w.number}) {{ {takes} }}"

    def kernel(self) -> str:
        text = "\n".join([*self.lines, *self.helpers.values()])
        return text + "\nmain {\n  " + "\n  ".join(self.body) + "\n}\n"


class Pair:
    """Writes both kernels at once."""

    def __init__(self, number: Callable[[int], int]) -> None:
        self.number = number
        wires = [[self.wire(k) for k in range(1 + self.number(3))] for _ in range(2)]
        self.wires = wires
        self.ends = [End(number, wires[0], wires[1]), End(number, wires[1], wires[0])]

    def one(self, choices: list[Wire]) -> Wire:
        return choices[self.number(len(choices))]

    def wire(self, k: int) -> Wire:
        kinds = (("xp", "u16", "hp"), ("i32", "u32", "sp"))[self.number(2)]
        typed = kinds[self.number(3)] if self.number(5) >= 3 else ""
        into, into_typed = kinds, typed
        if "i32" in kinds and self.number(4) == 0:
            into = ("xp", "u16", "hp")
            into_typed = into[self.number(3)] if self.number(2) else ""
        wire = Wire(k, (typed,) if typed else kinds, typed, (into_typed,) if into_typed else into, into_typed)
        if "i32" in kinds and self.number(4) == 0:
            limit = 1 + self.number(4)
            wire.period = limit, self.number(limit + 1), 64 * self.number(2)
        if into_typed and self.number(4) == 0:
            wire.piped = True
        return wire

    def step(self) -> None:
        form = self.number(6)
        side = self.number(2)
        if form == 5:
            self.in_a_row()
        elif form == 0:
            w = self.one(self.wires[side])
            n = 1 + self.number(8 // w.each)
            self.ends[side].add(self.ends[side].sends(w, n, False))
            self.ends[1 - side].add(self.ends[1 - side].receives(w, w.arrive(n), False))
        elif form == 1:  # both directions one after the other: what is on the way must fit into the queues
            both = [self.one(ws) for ws in self.wires]
            sizes = [1 + self.number(6 // w.each) for w in both]
            passing = [w.arrive(n) for w, n in zip(both, sizes, strict=True)]
            together = self.number(2) == 0
            for k, e in enumerate(self.ends):
                parts = [e.sends(both[k], sizes[k], False), e.receives(both[1 - k], passing[1 - k], False)]
                for part in parts if k == 0 or together else parts[::-1]:
                    e.add(part)
        else:
            self.exchange()

    def in_a_row(self) -> None:
        """Transfers behind each other under `uthread enable on`, on some wires: those that don't depend on each other
        go side by side. What is on the way fits into the queues."""
        used = [[w for w in ws if self.number(4)] for ws in self.wires]
        sizes = [[1 + self.number(6 // w.each) for w in ws] for ws in used]
        passing = [[w.arrive(n) for w, n in zip(*x, strict=True)] for x in zip(used, sizes, strict=True)]
        for k, e in enumerate(self.ends):
            private = self.number(2) == 0
            parts = [x for w, n in zip(used[k], sizes[k], strict=True) for x in e.sends(w, n, private)]
            for w, n in zip(used[1 - k], passing[1 - k], strict=True):
                parts += e.receives(w, n, private)
            e.body.append("#pragma uthread enable on\n  { " + " ".join(parts) + " }")

    def exchange(self) -> None:
        """A parallel block on both sides, perhaps a few times over."""
        used = [[w for w in ws if self.number(3)] for ws in self.wires]
        sizes = {(k, w.number): 1 + self.number(8 // w.each) for k, ws in enumerate(used) for w in ws}
        if not any(used):
            return
        filtered = any(w.period is not None for ws in used for w in ws)
        rounds = 1 if filtered else 1 + self.number(3)
        passing = {(k, w.number): w.arrive(sizes[k, w.number]) for k, ws in enumerate(used) for w in ws}
        for k, e in enumerate(self.ends):
            groups = []
            for way, wires, side in (("out", used[k], k), ("in", used[1 - k], 1 - k)):
                arms = []
                for w in wires:
                    if way == "out":
                        arms.append(e.sends(w, sizes[side, w.number], True))
                    else:
                        arms.append(e.receives(w, passing[side, w.number], True))
                    if self.number(4) == 0:
                        arms[-1] = [*e.apart(w, way, 1), *arms[-1], *e.apart(w, way, 1)]
                if self.number(4) == 0:  # an arm that only computes, on what no other arm has
                    free = [n for n in range(3) if n not in [w.number for w in wires]]
                    if free:
                        arms.append(e.apart(free[0], way, 2))
                groups.append(arms)
            if all(groups) and self.number(5) == 0:
                block = e.parallel([[e.parallel(arms)] for arms in groups])
            else:
                block = e.parallel(sorted(groups[0] + groups[1], key=lambda _: self.number(5)))
            if rounds > 1:
                block = f"{e.new('i')} in [0, {rounds}) {{ {block} }}"
            e.body.append(block)

    def serve(self) -> None:
        """One side serves wavelets for ever, on one wire or on two; it may answer them."""
        side = self.number(2)
        a, b = self.ends[side], self.ends[1 - side]
        wires = [w for w in self.wires[side] if not w.piped][: 1 + self.number(2)]
        if not wires:
            return
        back = self.one(self.wires[1 - side])
        statements = []
        for w in wires:
            wide = w.kinds[0] in ("i32", "u32", "sp")
            indexed = wide and not w.typed and not w.into_typed and self.number(3) == 0
            control = self.number(4) == 0
            short = w.each * back.each == 1  # answers fit into the queues, and into an array
            reply = f"t{back.number}[] <- ({back.kinds[0]})(x + 1);" if len(wires) == 1 and short and self.number(2) else ""
            n = 1 + self.number(6 // w.each)
            arrived = w.arrive(n) // (w.each if indexed else 1)
            answers = back.arrive(arrived) if reply else 0
            if indexed:
                a.body += [f"t{w.number}[] <- wavelet({a.read('xp')}, {a.read('xp')});" for _ in range(n)]
            else:
                a.add(a.sends(w, n, False))
            if control:
                for task in (5, 9)[: 1 + self.number(2)]:
                    name = a.new("cw")
                    a.lines.append(f"wv {name} = {{{self.number(1000)}, {task}}};")
                    a.body.append(f"t{w.number}[] <- control({name});")
            if reply and answers:
                i = a.new("i")
                kind = back.into_kinds[0]
                a.body.append(f"∀{i} in [0, {answers}) in{back.number}_{kind}[{i}] <- {back.source}[];")
            statements.append(b.dispatch(w, indexed, control, reply))
        b.body.append(statements[0] if len(statements) == 1 else "parallel { " + " ".join(statements) + " }")

    def make(self) -> tuple[str, str]:
        for _ in range(1 + self.number(5)):
            for e in self.ends:
                e.compute()
            self.step()
        for e in self.ends:
            e.compute()
        if self.number(3) == 0:
            self.serve()
        left, right = self.ends
        return left.kernel(), right.kernel()


def make_pair(number: Callable[[int], int]) -> tuple[str, str]:
    """Two kernels; `number(n)` chooses among n."""
    return Pair(number).make()
