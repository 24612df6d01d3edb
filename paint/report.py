"""`paint … report=FILE.html`: a layout as one page that needs no network.

The page holds the layout as this program has it: classes of tiles as rectangles and grids with strides, rules,
bindings and numbers once each. A script in it draws what is in view, so that the page of a whole wafer is small
and opens at once. The tables are made here and can be read without a script.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from diag.report import Diagnostic, UserError
from diag.spans import Source, Span
from fabric import arch
from paint.checks import diagnostic, tiles_text
from paint.folding import shown
from paint.tiles import TileSet, union

if TYPE_CHECKING:
    from paint.flatten import TileClass
    from paint.link import Placed
    from paint.pipeline import Built

LONGEST_SOURCE = 400_000  # characters of a source shown in the page
_PARTS = {"style": "report.css", "fabric": "report_fabric.js", "script": "report_page.js"}


def page(built: Built, title: str, diagnostics: Sequence[Diagnostic]) -> str:
    """The page of a painted layout. `diagnostics` are all messages of the run, of findings and others."""
    import jinja2

    maker = _Maker(built)
    content = maker.content(diagnostics)
    environment = jinja2.Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True)
    template = environment.from_string(_text("report.html.j2"))
    data = json.dumps(maker.data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c")
    parts = {name: _text(file) for name, file in _PARTS.items()}
    return template.render(title=title, data=data, **parts, **content)


def _text(file: str) -> str:
    return files("paint").joinpath(file).read_text(encoding="utf-8")


@dataclass
class _Holders:
    """What holds a color: texts of one kind with their place and tiles."""

    found: dict[tuple[str, str], tuple[dict[str, Any] | None, list[TileSet]]] = field(default_factory=dict)

    def add(self, kind: str, text: str, place: dict[str, Any] | None, tiles: TileSet) -> None:
        label = place["label"] if place else ""
        self.found.setdefault((kind, f"{text}\0{label}"), (place, []))[1].append(tiles)

    def rows(self) -> Iterator[dict[str, Any]]:
        for (kind, text), (place, sets) in self.found.items():
            tiles = union(sets)
            yield {"kind": kind, "text": text.partition("\0")[0], "place": place, "tiles": tiles_text(tiles)}

    def tiles(self) -> TileSet:
        return union(s for _, sets in self.found.values() for s in sets)


class _Maker:
    """Makes the data of the script and the rows of the tables."""

    def __init__(self, built: Built) -> None:
        self.built = built
        self.layout = built.layout
        self.sources: dict[str, Source] = {}
        self.order = {path: i for i, path in enumerate(dict.fromkeys(built.depends))}
        self.colors = {c.key: i for i, c in enumerate(self.layout.colors)}
        self.data: dict[str, Any] = {}

    def content(self, diagnostics: Sequence[Diagnostic]) -> dict[str, Any]:
        """What the template shows; `self.data` is complete after it."""
        layout = self.layout
        kernels = [self._kernel(p) for p in self.built.placed]
        rules, rulesets, classes = self._classes()
        labels: dict[str, list[TileSet]] = {}
        for label, tiles in layout.labels:
            labels.setdefault(label.name, []).append(tiles)
        found = self._findings(diagnostics)
        columns, rows = shown(
            [*(c.tiles for c in layout.classes), *(t for _, t in layout.labels)], layout.width, layout.height
        )
        self.data = {
            "width": layout.width,
            "height": layout.height,
            "columns": columns,
            "rows": rows,
            "kernels": kernels,
            "colors": [
                {"name": c.name, "number": self.built.numbers.get(c.key, -1), "bank": c.bank}
                for c in layout.colors
            ],
            "rules": rules,
            "rulesets": rulesets,
            "classes": classes,
            "labels": [{"name": name, "at": _rects(union(sets))} for name, sets in labels.items()],
            "findings": [{"at": f.pop("at"), "severity": f["severity"], "code": f["code"]} for f in found],
        }
        return {
            "width": layout.width,
            "height": layout.height,
            "tiles": sum(c.tiles.count() for c in layout.classes),
            "kinds": len(layout.classes),
            "kernels": kernels,
            "numbers": self._numbers(),
            "findings": found,
            "labels": [{"name": name, "tiles": tiles_text(union(sets))} for name, sets in labels.items()],
            "sources": [self._source(path) for path in self.order],
        }

    # -- places -------------------------------------------------------------------------------------------------

    def place(self, span: Span | None) -> dict[str, Any] | None:
        """A place in a source of the page; None for what has none."""
        if span is None or not span.source.text:
            return None
        self.sources.setdefault(span.path, span.source)
        s = self.order.setdefault(span.path, len(self.order))
        return {"label": f"{os.path.basename(span.path)}:{span.line}:{span.col}", "at": f"s{s}-{span.line}"}

    def place_of(self, text: str) -> dict[str, Any] | None:
        """The place of a "file:line:col" of a compiled kernel."""
        path, _, rest = text.rpartition(":")
        path, _, line = path.rpartition(":")
        if not line.isdecimal() or not path:
            return None
        s = self.order.setdefault(path, len(self.order))
        return {"label": f"{os.path.basename(path)}:{line}:{rest}", "at": f"s{s}-{line}"}

    def _source(self, path: str) -> dict[str, Any]:
        from diag.files import read_source

        source = self.sources.get(path)
        if source is None:
            try:
                source = read_source(path)
            except UserError:
                source = Source(path, "")
        lines = source.text.splitlines() if len(source.text) <= LONGEST_SOURCE else []
        return {"path": path, "key": f"s{self.order[path]}", "lines": lines}

    # -- tiles --------------------------------------------------------------------------------------------------

    def _kernel(self, p: Placed) -> dict[str, Any]:
        program = p.program
        bound = dict(p.code.sockets)
        queues = [
            {
                "queue": s.queue,
                "dir": s.dir,
                "socket": s.socket,
                "elem": s.elem,
                "color": self.colors[bound[s.socket].key],
                "place": self.place_of(s.span),
            }
            for s in sorted(program.sockets, key=lambda s: (s.dir, s.queue))
        ]
        return {
            "name": program.name,
            "region": p.region,
            "params": " ".join(f"{n}:{v}" for n, v in p.code.params),
            "queues": queues,
            "words": program.memory_end,
            "routes": program.self_routing,
            "place": self.place(p.code.span),
            "tiles": p.tiles.count(),
            "where": tiles_text(p.tiles),
        }

    def _classes(self) -> tuple[list[dict[str, Any]], list[list[list[int]]], list[dict[str, Any]]]:
        """Rules once each, sets of (color, rule) once each, and the classes that refer to them."""
        rules: dict[tuple[str, str], int] = {}
        texts: list[dict[str, Any]] = []
        rulesets: dict[tuple[tuple[int, int], ...], int] = {}
        classes: list[dict[str, Any]] = []
        kernels = {_binding(p.code, p.code.name): i for i, p in enumerate(self.built.placed)}
        for c in self.layout.classes:
            held = []
            for color, painted in c.rules.items():
                rule = painted.rule
                place = self.place(rule.span or painted.span)
                key = str(rule), place["at"] + place["label"] if place else ""
                if key not in rules:
                    rules[key] = len(texts)
                    texts.append(
                        {
                            "text": str(rule),
                            "positions": [[p.inputs, p.outputs] for p in rule.positions],
                            "swap": rule.swap_bits,
                            "start": rule.start,
                            "adder": int(rule.adder),
                            "place": place,
                        }
                    )
                held.append((self.colors[color.key], rules[key]))
            ruleset = rulesets.setdefault(tuple(held), len(rulesets))
            kernel = kernels.get(_binding(c.code, c.code.name), -1) if c.code else -1
            classes.append(
                {"at": _rects(c.tiles), "kernel": kernel, "rules": ruleset, "banks": sorted(c.banks)}
            )
        return texts, [[list(x) for x in held] for held in rulesets], classes

    # -- numbers ------------------------------------------------------------------------------------------------

    def _numbers(self) -> list[dict[str, Any]]:
        """For each number its colors, and what holds each where."""
        holders: dict[str, _Holders] = {c.key: _Holders() for c in self.layout.colors}
        for c in self.layout.classes:
            self._hold(c, holders)
        pairs: dict[str, list[str]] = {}
        for pair in self.layout.pairs:
            pairs.setdefault(pair.a.key, []).append(pair.b.name)
            pairs.setdefault(pair.b.key, []).append(pair.a.name)
        by_number: dict[int, list[dict[str, Any]]] = {n: [] for n in range(arch.COLORS)}
        for color in self.layout.colors:
            number = self.built.numbers.get(color.key, -1)
            held = holders[color.key]
            if number < 0 or not held.found:
                continue
            demands = [f"pair of {name}" for name in dict.fromkeys(pairs.get(color.key, ()))]
            if color.bank is not None:
                demands.append(f"bank {color.bank}")
            elif color.pinned is not None:
                demands.append("pinned")
            by_number[number].append(
                {
                    "index": self.colors[color.key],
                    "name": color.name,
                    "demands": ", ".join(demands),
                    "place": self.place(color.span),
                    "tiles": held.tiles().count(),
                    "holders": list(held.rows()),
                }
            )
        return [{"number": n, "colors": colors} for n, colors in by_number.items()]

    def _hold(self, c: TileClass, holders: dict[str, _Holders]) -> None:
        for color, painted in c.rules.items():
            place = self.place(painted.rule.span or painted.span)
            holders[color.key].add("rule", str(painted.rule), place, c.tiles)
        if c.code is not None:
            places = dict(c.code.places)
            for socket, color in c.code.sockets:
                place = self.place(places.get(socket, c.code.span))
                holders[color.key].add("socket", f"{c.code.kernel}.{socket}", place, c.tiles)
        for bank, passing in c.banks.items():
            for color in self.layout.colors:
                if color.bank == bank:
                    holders[color.key].add("bank", f"mp of bank {bank}", self.place(passing.span), c.tiles)

    # -- findings -----------------------------------------------------------------------------------------------

    def _findings(self, diagnostics: Iterable[Diagnostic]) -> list[dict[str, Any]]:
        tiles: dict[tuple[str, Span | None, str], TileSet] = {}
        for finding in self.built.findings:
            d = diagnostic(finding)
            tiles[d.code.code, d.span, d.message] = finding.tiles
        return [
            {
                "code": d.code.code,
                "severity": d.code.severity,
                "message": d.message,
                "hint": d.hint or "",
                "place": self.place(d.span),
                "notes": [{"text": text, "place": self.place(span)} for span, text in d.notes],
                "at": _rects(tiles[d.code.code, d.span, d.message])
                if (d.code.code, d.span, d.message) in tiles
                else [],
            }
            for d in diagnostics
        ]


def _binding(code: Any, name: str) -> tuple[object, ...]:
    """What makes two codes one kernel with one binding and name."""
    params = tuple(sorted((n, type(v).__name__, v) for n, v in code.params))
    return code.kernel, params, tuple(sorted((n, c.key) for n, c in code.sockets)), name


def _rects(tiles: TileSet) -> list[list[int]]:
    """[x, y, w, h] of plain rectangles, [x, y, w, h, dx, dy] of grids."""
    return [list(r[:4]) if r.dense else list(r) for r in tiles.rects()]
