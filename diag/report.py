"""Diagnostics: collected by a `Reporter`, printed with the source line and a caret.

The printed form is one for all tools:

    file.w:3:7: error TW012: unknown name 'foe'
      3 |   x = foe + 1;
        |       ^^^
      hint: did you mean 'foo'?

A message about two places prints the second one in the same way, introduced by `note:`.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from diag.codes import Code, table
from diag.spans import Span

MOST_ERRORS = 100
LONGEST_NAME = 40  # a longer name gets no suggestion: comparing takes the product of both lengths


@dataclass(frozen=True)
class Diagnostic:
    """One message. `notes` are further places with a text each."""

    code: Code
    span: Span | None
    message: str
    notes: tuple[tuple[Span, str], ...] = ()
    hint: str | None = None

    @property
    def is_error(self) -> bool:
        return self.code.severity == "error"


class UserError(Exception):
    """What the user gave is wrong; the driver prints the diagnostics and exits with 1."""

    def __init__(self, diagnostics: Sequence[Diagnostic]) -> None:
        super().__init__("\n".join(d.message for d in diagnostics))
        self.diagnostics = list(diagnostics)


def make(
    code: str,
    span: Span | None = None,
    *,
    notes: Iterable[tuple[Span, str]] = (),
    hint: str | None = None,
    **args: object,
) -> Diagnostic:
    """A diagnostic of a code of the table; `args` fill the row's template."""
    row = table()[code]
    return Diagnostic(row, span, row.text.format(**args), tuple(notes), hint)


def fail(
    code: str,
    span: Span | None = None,
    *,
    notes: Iterable[tuple[Span, str]] = (),
    hint: str | None = None,
    **args: object,
) -> UserError:
    """`raise fail(...)`: a UserError of one diagnostic."""
    return UserError([make(code, span, notes=notes, hint=hint, **args)])


@dataclass
class Reporter:
    """Collects the messages of one run in order, each place and code once. Raises UserError (DG014 as the last one)
    when there are `MOST_ERRORS` errors."""

    diagnostics: list[Diagnostic] = field(default_factory=list)
    _errors: int = 0
    _seen: set[tuple[str, str, int, int, str]] = field(default_factory=set)

    def add(self, diagnostic: Diagnostic) -> None:
        span = diagnostic.span
        key = (
            diagnostic.code.code,
            span.path if span else "",
            span.start if span else 0,
            span.end if span else 0,
            diagnostic.message,
        )
        if key not in self._seen:
            self._seen.add(key)
            self.diagnostics.append(diagnostic)
            self._errors += diagnostic.is_error
            if diagnostic.is_error and self._errors >= MOST_ERRORS:
                self.diagnostics.append(make("DG014", span, count=self._errors))
                raise UserError(self.diagnostics)

    def report(
        self,
        code: str,
        span: Span | None = None,
        *,
        notes: Iterable[tuple[Span, str]] = (),
        hint: str | None = None,
        **args: object,
    ) -> None:
        """Adds an error or a warning, as the code's row says."""
        self.add(make(code, span, notes=notes, hint=hint, **args))

    @property
    def errors(self) -> list[Diagnostic]:
        return [d for d in self.diagnostics if d.is_error]

    def raise_if_errors(self) -> None:
        """Raises UserError with all diagnostics when one of them is an error."""
        if self.errors:
            raise UserError(self.diagnostics)


def _width(text: str) -> int:
    """Columns that a terminal takes for a text: combining marks none, wide characters two."""
    total = 0
    for c in text:
        if unicodedata.combining(c):
            continue
        total += 2 if unicodedata.east_asian_width(c) in "WF" else 1
    return total


def _excerpt(span: Span, indent: str = "  ") -> list[str]:
    """The source line with carets below the span (its part on the first line)."""
    if not span.source.text:
        return []
    line = span.source.line_text(span.line).replace("\t", " ")
    number = str(span.line)
    first = span.col - 1
    length = max(1, min(span.end - span.start, len(line) - first))
    # A line of a generated file may be endless: show the part around the caret.
    if len(line) > 160:
        cut = max(0, first - 60)
        line = ("…" if cut else "") + line[cut : cut + 140] + "…"
        first = first - cut + (1 if cut else 0)
        length = max(1, min(length, len(line) - first))
    pad = " " * _width(line[:first])
    carets = "^" * max(1, _width(line[first : first + length]))
    return [f"{indent}{number} | {line}", f"{indent}{' ' * len(number)} | {pad}{carets}"]


def render(diagnostic: Diagnostic) -> str:
    """The message as printed, without a final newline."""
    head = f"{diagnostic.code.severity} {diagnostic.code.code}: {diagnostic.message}"
    if diagnostic.span is None:
        lines = [head]
    elif diagnostic.span.source.text:
        lines = [f"{diagnostic.span.label()}: {head}", *_excerpt(diagnostic.span)]
    else:
        lines = [f"{diagnostic.span.path}: {head}"]
    for span, text in diagnostic.notes:
        if span.source.text:
            lines += [f"  {span.label()}: note: {text}", *_excerpt(span, "    ")]
        else:
            lines += [f"  {span.path}: note: {text}"]
    if diagnostic.hint:
        lines.append(f"  hint: {diagnostic.hint}")
    return "\n".join(lines)


def _distance(a: str, b: str, limit: int) -> int:
    """Edit distance with transpositions (optimal string alignment), cut off above `limit`."""
    if abs(len(a) - len(b)) > limit or max((Counter(a) - Counter(b)).total(), (Counter(b) - Counter(a)).total()) > limit:
        return limit + 1  # each edit brings at most one letter that is missing
    far = limit + 1
    before: list[int] = []
    row = [min(j, far) for j in range(len(b) + 1)]
    for i, x in enumerate(a, 1):  # beside the diagonal's `limit` neighbours all is far
        first, last = max(1, i - limit), min(len(b), i + limit)
        after = [far] * (len(b) + 1)
        after[first - 1] = min(i, far) if first == 1 else far
        for j in range(first, last + 1):
            y = b[j - 1]
            cost = min(row[j] + 1, after[j - 1] + 1, row[j - 1] + (x != y))
            if i > 1 and j > 1 and x == b[j - 2] and a[i - 2] == y:
                cost = min(cost, before[j - 2] + 1)
            after[j] = min(cost, far)
        if min(after) == far:
            return far
        before, row = row, after
    return row[-1]


def suggest(name: str, candidates: Iterable[str]) -> str | None:
    """`did you mean 'x'?` for the nearest candidate, or None when none is near."""
    if len(name) > LONGEST_NAME:
        return None
    limit = 1 if len(name) <= 3 else 2 if len(name) <= 7 else 3
    best: tuple[int, str] | None = None
    for candidate in sorted(set(candidates)):
        d = 0 if candidate.lower() == name.lower() else _distance(name, candidate, limit)
        if d <= limit and d < len(name):
            best, limit = (d, candidate), d - 1  # from now on only a nearer one counts
    if best is None:
        return None
    alike = unicodedata.normalize("NFC", best[1]) == unicodedata.normalize("NFC", name)
    points = f" It is spelt with other characters: {_points(best[1])}" if alike and best[1] != name else ""
    return f"did you mean '{best[1]}'?{points}"


def _points(name: str) -> str:
    """The characters of a name that are not ASCII, as code points."""
    return " ".join(f"U+{ord(c):04X}" for c in name if not c.isascii())
