"""From text to tokens, each with a one-letter kind, so that the grammar reads a short string without blanks.

`Tokens.kinds` is a string with one character a token: operators stand for themselves (those of several characters
for one sign of their own), names are letters by what they may mean in a place (`n` a plain name, `t` a type word,
`s` the word socket, …), reserved words capital letters. Since one token is one character, an offset in this string
is the number of a token, and the grammar's parser needs no rules for blanks and comments.

Source: tungsten.md 1.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from diag.report import Reporter
from diag.spans import Source, Span

RESERVED = {
    "import": "I",
    "typedef": "T",
    "struct": "S",
    "union": "U",
    "function": "N",
    "main": "M",
    "let": "L",
    "const": "C",
    "param": "P",
    "if": "Y",
    "else": "E",
    "while": "W",
    "forever": "R",
    "parallel": "Q",
    "return": "Z",
}
TYPE_WORDS = ("xp", "u16", "u32", "u64", "i32", "hp", "sp", "wv", "stream")
CONTEXTUAL = {
    **{word: "t" for word in TYPE_WORDS},
    "socket": "s",
    "fifo": "f",
    "filter": "F",
    "iterator": "i",
    "in": "e",
    "reset": "r",
    "dispatch": "d",
    "address": "a",
    "bank": "b",
    "wavelet": "w",
    "control": "c",
    "flip": "p",
}
NAMES = "ntsfFierdabwcp"
# Spellings of several characters, longest first, and the sign that stands for them in `kinds`.
OPERATORS = {
    "<+-": "⊕",
    "←\u031f": "⊕",
    "+=": "⊕",
    "-=": "⊖",
    "*=": "⊗",
    "<-": "⇐",
    "<<": "«",
    ">>": "»",
    "<=": "≤",
    ">=": "≥",
    "==": "≡",
    "!=": "≠",
    "&&": "∧",
    "||": "∨",
    "←": "←",
}
_SINGLE = "+-*/%&|^~!<>=?:()[]{}.,;∀∈∑∞"

# Marks, superscripts and primes that may continue a name; other combining marks are looked up one by one.
MORE = "\u00b2\u00b3\u00b9\u0300-\u036f\u20d0-\u20ff\u2070-\u2079\u207a-\u207c\u207f\u2080-\u208c\u2032-\u2034"
_TOKEN = re.compile(
    rf"(?P<blank>[\s\ufeff]+|//[^\n]*)"
    rf"|(?P<comment>/\*(?:[^*]|\*(?!/))*(?:\*/)?)"
    rf"|(?P<name>[^\W\d][\w{MORE}]*)"
    r"|(?P<number>(?:0[xX][0-9a-zA-Z_]*|0[bB][0-9a-zA-Z_]*"
    r"|(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?[A-Za-z_0-9]*)"
    r"(?::(?:xp|u16|u32|u64|i32|hp|sp|wv)(?![\w′]))?)"
    rf"|(?P<pragma>\#[^\n{{]*)"
    rf"|(?P<op>{'|'.join(re.escape(op) for op in OPERATORS)}|[{re.escape(_SINGLE)}])"
)
_NUMBER = re.compile(r"0[xX][0-9a-fA-F]+|0[bB][01]+|[0-9]+|(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+)(?:[eE][+-]?[0-9]+)?")

MAX_DEPTH = 120  # of brackets: far more than any kernel, and within what the readers' recursion bears


@dataclass
class Tokens:
    """The tokens of one source; the last one is the end of the file, kind `$`."""

    source: Source
    kinds: str = ""
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    ok: bool = True  # brackets are nested shallowly enough to be read

    def text(self, at: int) -> str:
        return self.source.text[self.starts[at] : self.ends[at]]

    def span(self, first: int, after: int) -> Span:
        """The span of the tokens [first, after); of the first alone when there are none."""
        return Span(self.source, self.starts[first], self.ends[max(first, after - 1)])

    def describe(self, at: int) -> str:
        """A token as a message names it."""
        if self.kinds[at] == "$":
            return "the end of the file"
        text = self.text(at).split("\n")[0]
        return f"'{text[:40]}…'" if len(text) > 40 else f"'{text.rstrip()}'"


def tokenize(source: Source, reporter: Reporter) -> Tokens:
    """The tokens of a source. Bad characters and numbers are reported (TW001 to TW004) and passed over."""
    tokens = Tokens(source)
    kinds: list[str] = []
    text, at, end = source.text, 0, len(source.text)
    match = _TOKEN.match

    def put(kind: str, start: int, stop: int) -> None:
        kinds.append(kind)
        tokens.starts.append(start)
        tokens.ends.append(stop)

    while at < end:
        m = match(text, at)
        if m is None:
            at = _stray(source, at, reporter)
            continue
        start, at = at, m.end()
        what = m.lastgroup
        if what == "name":
            at = _name_end(text, at)
            if not (text[start].isalpha() or text[start] == "_"):
                _bad(source, start, start + 1, reporter)
                at = start + 1
                continue
            word = text[start:at]
            put(RESERVED.get(word) or CONTEXTUAL.get(word) or "n", start, at)
        elif what == "op":
            spelling = m.group()
            put(OPERATORS.get(spelling, spelling), start, at)
        elif what == "number":
            _check_number(source, start, at, reporter)
            put("0", start, at)
        elif what == "pragma":
            body = m.group().split("//")[0].split("/*")[0].rstrip()
            at = start + max(len(body), 1)
            put("#", start, at)
        elif what == "comment" and not (at - start >= 4 and text.endswith("*/", start, at)):
            reporter.report("TW002", source.span(start, start + 2))
    put("$", end, end)
    tokens.kinds = "".join(kinds)
    _check_depth(tokens, reporter)
    return tokens


def _name_end(text: str, at: int) -> int:
    while at < len(text) and text[at] > "\u02ff" and unicodedata.category(text[at])[0] == "M":
        at += 1
        m = re.compile(rf"[\w{MORE}]*").match(text, at)
        at = m.end() if m else at
    return at


def _stray(source: Source, at: int, reporter: Reporter) -> int:
    """Reports a character that starts no token, once for a run of them, and returns the place behind."""
    end = at + 1
    while end < len(source.text) and not _TOKEN.match(source.text, end):
        end += 1
    _bad(source, at, end, reporter)
    return end


_LIKE = {"×": "*", "·": "*", "÷": "/", "−": "-", "≤": "<=", "≥": ">=", "≠": "!=", "→": "←", "Σ": "∑", "’": "′"}


def _bad(source: Source, start: int, end: int, reporter: Reporter) -> None:
    text = source.text[start:end]
    hint = f"did you mean '{_LIKE[text]}'?" if text in _LIKE else None
    if text[:1] in "\"'":
        hint = "Tungsten has no strings and no characters"
    shown = text if text.isprintable() else " ".join(f"U+{ord(c):04X}" for c in text[:8])
    reporter.report("TW001", source.span(start, end), text=shown[:40], hint=hint)


def _check_number(source: Source, start: int, end: int, reporter: Reporter) -> None:
    number, _, suffix = source.text[start:end].partition(":")
    if not _NUMBER.fullmatch(number) or len(number) > 400:
        hint = None
        lower = number.lower()
        if lower[-1:] in "fu" and _NUMBER.fullmatch(number[:-1]):
            hint = "a type follows after a colon: 1.5:sp, 7:u16"
        elif lower.startswith("0b"):
            hint = "after 0b only the digits 0 and 1"
        elif lower.startswith("0x"):
            hint = "after 0x only the digits 0-9 and a-f"
        reporter.report("TW003", source.span(start, start + len(number)), text=number[:40], hint=hint)


def number_value(text: str) -> tuple[int | float, str | None]:
    """The value of a number token and its suffix; a malformed one (already reported) counts as 0."""
    number, _, suffix = text.partition(":")
    if not _NUMBER.fullmatch(number) or len(number) > 400:
        return 0, suffix or None
    lower = number.lower()
    value: int | float
    if lower.startswith("0x"):
        value = int(number, 16)
    elif lower.startswith("0b"):
        value = int(number, 2)
    elif number.isdigit():
        value = int(number)
    else:
        value = float(number)
    return value, suffix or None


def _check_depth(tokens: Tokens, reporter: Reporter) -> None:
    depth = 0
    for i, kind in enumerate(tokens.kinds):
        if kind in "([{":
            depth += 1
            if depth > MAX_DEPTH:
                reporter.report("TW004", tokens.span(i, i + 1), limit=MAX_DEPTH)
                tokens.ok = False
                return
        elif kind in ")]}":
            depth = max(0, depth - 1)
