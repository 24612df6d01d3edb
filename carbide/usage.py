"""Which function takes which memory: the table of the listing, of `weight`, and of the error when it is too much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from carbide.banks import root
from carbide.ir import Addr, Data, FifoRef, IterRef, Mem1, Mem4, Op, Routine, StreamRef, Unit
from fabric.program import Usage

GROUPS = {"descriptor": "vector descriptors", "block": "FIFOs and iterators", "pointer": "pointers (.base)"}
SHARED = "shared by functions"
DROPPED = ("local", "home", "descriptor")  # kinds of objects that are left out when nothing uses them


def _places(op: Op) -> Iterable[Addr]:
    """The places in memory that an operation names."""
    for x in (op.dest, *op.sources, *op.args):
        if isinstance(x, Addr):
            yield x
        elif isinstance(x, Mem1 | Mem4):
            if isinstance(x.base, Addr):
                yield x.base
        elif isinstance(x, StreamRef):
            yield x.where
        elif isinstance(x, FifoRef):
            yield Addr(x.block)
        elif isinstance(x, IterRef):
            yield Addr(x.descriptor)


def owners(unit: Unit) -> dict[Data, str]:
    """The function that alone uses an object, or, where several do, the one that it is called after (a parameter is
    written by callers too). Before vector operands become DSRs."""
    users: dict[Data, dict[str, None]] = {}
    for routine in unit.routines:
        for op in routine.code:
            if isinstance(op, Op):
                for place in _places(op):
                    data, _ = root(place)
                    if data is not None:
                        users.setdefault(data, {})[routine.name] = None
    out: dict[Data, str] = {}
    for data, names in users.items():
        named = [n for n in names if data.name.startswith(f"{n}.")]
        if len(names) == 1 or len(named) == 1:
            out[data] = (named or list(names))[0]
    return out


def used(data: list[Data], code: Iterable[Addr]) -> list[Data]:
    """Without the locals, homes and descriptors that no instruction names, directly or through a descriptor."""
    inside: dict[Data | None, list[Data]] = {}
    todo = [root(a)[0] for a in code]
    for d in data:
        inside.setdefault(root(Addr(d))[0], []).append(d)
        if d.kind not in DROPPED or d.address is not None:
            todo.append(root(Addr(d))[0])
    seen: set[Data | None] = set()
    while todo:
        r = todo.pop()
        if r not in seen:
            seen.add(r)
            todo += [root(w)[0] for d in inside.get(r, ()) for w in d.init or () if isinstance(w, Addr)]
    return [d for d in data if root(Addr(d))[0] in seen]


def rows(data: Iterable[Data], routines: list[Routine], code: Mapping[str, int], owner: Mapping[Data, str]) -> list[Usage]:
    """Code of every function, data of every function (locals, parameters, saved registers), every global, and the rest
    by what it is."""
    spans = {r.name: r.span.label() if r.span else "" for r in routines}
    out = [Usage(name, "code", words, spans.get(name, "")) for name, words in code.items()]
    own: dict[str, int] = {}
    other: dict[str, int] = {}
    for d in data:
        if d.address is not None or d.alias is not None:
            continue
        if d.kind == "global":
            out.append(Usage(d.name, "data", d.words, d.span.label() if d.span else ""))
        elif d.kind in GROUPS:
            other[GROUPS[d.kind]] = other.get(GROUPS[d.kind], 0) + d.words
        elif d in owner:
            own[owner[d]] = own.get(owner[d], 0) + d.words
        else:
            other[SHARED] = other.get(SHARED, 0) + d.words
    out += [Usage(name, "data", words, spans.get(name, "")) for name, words in own.items()]
    return out + [Usage(name, "data", words) for name, words in other.items()]
