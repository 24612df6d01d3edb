"""Words of assembler text: tokens with spans, numbers, and expressions over labels.

One statement stands on a line; `//` starts a comment. A name is letters, digits, `_`, `.` and `$` (not a digit
first), or anything in double quotes. Numbers are decimal, 0x…, 0b…, or floats (`1.5`, `2e-3`); an expression adds
and subtracts numbers and names.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from diag.report import Reporter, suggest
from diag.spans import Source, Span
from fabric.isa import FILES

_TOKEN = re.compile(
    r"""(?P<blank>[ \t\r]+|//.*)
      | (?P<number>0[xX][0-9a-fA-F]+ | 0[bB][01]+ | (?:\d+\.\d*|\.\d+|\d+)(?:[eE][+-]?\d+)?)(?![\w$])
      | (?P<string>"[^"\n]+")
      | (?P<name>[^\W\d][\w.$]*|\.[^\W\d][\w.$]*|[$][\w.$]*)
      | (?P<punct>->|[][=,+\-:;?!()])""",
    re.VERBOSE,
)
_REGISTER = re.compile(r"(DD|SA|SB|R|D|Q|P)(\d+)$", re.IGNORECASE)
_PLAIN = re.compile(r"[^\W\d][\w.$]*|[$][\w.$]*")


@dataclass(frozen=True)
class Token:
    """A word: `kind` is "number", "name" or "punct" ("name" for quoted ones too, without their quotes)."""

    kind: str
    text: str
    span: Span
    quoted: bool = False

    def shown(self) -> str:
        return f"'{self.span.text}'"


def register(text: str) -> tuple[str, int] | None:
    """(file, number) of a word that looks like a register, existing or not."""
    m = _REGISTER.match(text)
    return (m[1].upper(), int(m[2])) if m else None


def register_fault(file: str, number: int) -> str | None:
    """Why a register does not exist, or None."""
    count, step = FILES[file]
    if number < count and number % step == 0:
        return None
    if step > 1:
        return f"{file} registers are " + ", ".join(f"{file}{k}" for k in range(0, count, step))
    return f"{file} registers are {file}0 to {file}{count - 1}"


def quoted(name: str) -> str:
    """A name as it is written: in quotes unless it is plain and no register."""
    return name if _PLAIN.fullmatch(name) and not register(name) else f'"{name}"'


def tokens(source: Source, base: int, text: str, reporter: Reporter) -> list[Token] | None:
    """The words of a line whose text starts at offset `base`; None when it holds a character that begins none."""
    out: list[Token] = []
    at = 0
    while at < len(text):
        m = _TOKEN.match(text, at)
        if m is None:
            reporter.report("FB101", source.span(base + at, base + at + 1), char=text[at])
            return None
        span = source.span(base + at, base + m.end())
        at = m.end()
        if m.lastgroup == "string":
            out.append(Token("name", m[0][1:-1], span, True))
        elif m.lastgroup != "blank":
            out.append(Token(m.lastgroup or "", m[0], span))
    return out


@dataclass(frozen=True)
class Expr:
    """A sum: `terms` are (sign, int or name token). A float stands alone: then `value` holds it.

    `raw` says that it is one number in hexadecimal or binary (raw bits where a float belongs).
    """

    span: Span
    terms: tuple[tuple[int, int | Token], ...] = ()
    value: float | None = None
    raw: bool = False

    def number(self) -> int | None:
        """The value when no name is involved."""
        total = 0
        for sign, term in self.terms:
            if isinstance(term, Token):
                return None
            total += sign * term
        return total if self.value is None else None

    def resolve(self, lookup: Callable[[Token], int | None]) -> int | None:
        """The value; None when a name is unknown (then `lookup` has reported it)."""
        total, good = 0, True
        for sign, term in self.terms:
            value = lookup(term) if isinstance(term, Token) else term
            good = good and value is not None
            total += sign * (value or 0)
        return total if good else None


class Stop(Exception):
    """The rest of a line can't be read; the message has been reported."""


class Words:
    """The tokens of one line with a position; the reading methods report what they miss and raise Stop."""

    def __init__(self, items: list[Token], end: Span, reporter: Reporter) -> None:
        self.items, self.end, self.reporter = items, end, reporter
        self.at = 0

    def peek(self, ahead: int = 0) -> Token | None:
        k = self.at + ahead
        return self.items[k] if k < len(self.items) else None

    def here(self) -> Span:
        """Where the next word is, or the end of the line."""
        t = self.peek()
        return t.span if t else self.end

    def sees(self, *texts: str) -> bool:
        """The next words are this punctuation (or, for names, this text in lower case)."""
        for k, text in enumerate(texts):
            t = self.peek(k)
            if t is None or t.quoted or t.text.lower() != text:
                return False
        return True

    def accept(self, text: str) -> bool:
        if self.sees(text):
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> Token:
        t = self.peek()
        if t is None or t.quoted or t.text.lower() != text:
            raise self.missing(f"'{text}'")
        self.at += 1
        return t

    def missing(self, what: str) -> Stop:
        t = self.peek()
        self.reporter.report("FB102", self.here(), what=what, found=t.shown() if t else "the end of the line")
        return Stop()

    def name(self, what: str) -> Token:
        t = self.peek()
        if t is None or t.kind != "name":
            raise self.missing(what)
        self.at += 1
        return t

    def word(self, what: str, choices: Iterable[str]) -> Token:
        """A name out of a list (compared in lower case)."""
        t = self.name(what)
        known = list(choices)
        if t.text.lower() not in known:
            self.reporter.report(
                "FB117", t.span, what=what, name=t.text, choices="it is one of " + ", ".join(known), hint=suggest(t.text, known)
            )
            raise Stop()
        return t

    def ended(self) -> bool:
        """Nothing but a final semicolon is left."""
        return self.peek() is None or (self.sees(";") and self.peek(1) is None)

    def expr(self, what: str = "a value", names: bool = True) -> Expr:
        """A sum of numbers and names."""
        start, at = self.here(), self.at
        terms: list[tuple[int, int | Token]] = []
        sign = 1
        while True:
            while self.sees("-") or self.sees("+"):
                sign = -sign if self.accept("-") else sign
                self.accept("+")
            t = self.peek()
            if t is None or t.kind == "punct" or (t.kind == "name" and not names):
                raise self.missing(what if not terms else "a number or a name")
            self.at += 1
            last = t.span
            if t.kind == "name":
                if not terms and t.text.lower() in ("inf", "nan") and not t.quoted:
                    return Expr(start.to(last), value=sign * float(t.text))
                terms.append((sign, t))
            elif _is_float(t.text):
                if terms:
                    self.at -= 1
                    raise self.missing("a whole number")
                return Expr(start.to(last), value=sign * float(t.text))
            else:
                terms.append((sign, int(t.text, 0 if t.text[1:2].lower() in ("x", "b") else 10)))
            if not (self.sees("+") or self.sees("-")):
                break
            sign = 1
        raw = self.at == at + 1 and self.items[at].text[1:2].lower() in ("x", "b")
        return Expr(start.to(last), tuple(terms), raw=raw and self.items[at].kind == "number")


def _is_float(text: str) -> bool:
    return text[:2].lower() not in ("0x", "0b") and any(c in ".eE" for c in text)
