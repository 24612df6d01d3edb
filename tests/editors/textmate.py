"""A small TextMate tokenizer: enough of it to try a grammar file as an editor does, line by line, with Oniguruma.

It knows `match`, `begin`/`end`, captures, and `include` of `#name` and `$self`. At each place the leftmost match wins,
and of several at one place the first in the list; inside a begin/end pair its end comes before its patterns.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import onigurumacffi


@cache
def _compiled(pattern: str) -> Any:
    return onigurumacffi.compile(pattern)


@dataclass
class _Open:
    """A begin/end pair that is open: its rule, and the scopes in it."""

    rule: dict[str, Any]
    scopes: tuple[str, ...]


@dataclass
class TextMate:
    """A grammar; `scopes(text)` gives each character the scopes it has, outermost first."""

    grammar: dict[str, Any]
    _expanded: dict[int, list[dict[str, Any]]] = field(default_factory=dict)

    @classmethod
    def load(cls, path: Path) -> TextMate:
        return cls(json.loads(path.read_text(encoding="utf-8")))

    def _patterns(self, rule: dict[str, Any]) -> list[dict[str, Any]]:
        """The rules that may match in a rule, includes resolved."""
        key = id(rule)
        if key not in self._expanded:
            self._expanded[key] = list(self._expand(rule.get("patterns", []), set()))
        return self._expanded[key]

    def _expand(self, patterns: list[dict[str, Any]], seen: set[str]) -> Iterator[dict[str, Any]]:
        for pattern in patterns:
            include = pattern.get("include")
            if include is None:
                if "match" in pattern or "begin" in pattern:
                    yield pattern
                else:
                    yield from self._expand(pattern["patterns"], seen)
            elif include not in seen:
                seen.add(include)
                target = self.grammar if include == "$self" else self.grammar["repository"][include[1:]]
                yield from self._expand([target] if include != "$self" else target["patterns"], seen)

    def scopes(self, text: str) -> list[tuple[str, ...]]:
        """The scopes of each character of the text."""
        stack = [_Open(self.grammar, (self.grammar["scopeName"],))]
        result: list[tuple[str, ...]] = []
        for line in text.splitlines(keepends=True):
            marks = [stack[-1].scopes] * len(line)
            at = 0
            while at <= len(line):
                top = stack[-1]
                best: tuple[int, int, dict[str, Any], Any] | None = None
                candidates = ([top.rule] if "end" in top.rule else []) + self._patterns(top.rule)
                for order, rule in enumerate(candidates):
                    closes = order == 0 and rule is top.rule
                    found = _compiled(rule["end"] if closes else rule.get("match") or rule["begin"]).search(line, at)
                    if found and (best is None or found.start() < best[0]):
                        best = (found.start(), order, rule, found)
                if best is None:
                    break
                start, order, rule, found = best
                closes = order == 0 and rule is top.rule
                if closes:
                    self._mark(marks, found, top.scopes, rule.get("endCaptures", {}))
                    stack.pop()
                    at = max(found.end(), start)
                    marks[at:] = [stack[-1].scopes] * (len(line) - at)
                    continue
                scopes = (*top.scopes, rule["name"]) if "name" in rule else top.scopes
                marks[start : found.end()] = [scopes] * (found.end() - start)
                if "begin" in rule:
                    self._mark(marks, found, scopes, rule.get("beginCaptures", {}))
                    stack.append(_Open(rule, scopes))
                    marks[found.end() :] = [scopes] * (len(line) - found.end())
                else:
                    self._mark(marks, found, scopes, rule.get("captures", {}))
                    assert found.end() > start, f"an empty match of {rule['match']}"
                at = found.end()
            result += marks
        return result

    @staticmethod
    def _mark(marks: list[tuple[str, ...]], found: Any, scopes: tuple[str, ...], captures: dict[str, Any]) -> None:
        for number, capture in captures.items():
            start, end = found.span(int(number))
            if start >= 0:
                marks[start:end] = [(*scopes, capture["name"])] * (end - start)
