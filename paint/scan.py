"""Before the grammar: comments become blanks, brackets are matched.

Comments nest (paint.md 1), and a bracket that is left open would make a grammar complain far from its place, so
both are looked at here, once, in one pass over the text.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass

from diag.report import Reporter
from diag.spans import Source

# Deep enough for any layout, and far below what the readers' recursion can bear.
MAX_DEPTH = 100

_TOKEN = re.compile(r"\(\*|\*\)|[()\[\]{}\"\n]|(?<!\w)(?:let|define|include)(?!\w)")
_CLOSER = {"(": ")", "[": "]", "{": "}"}
# What can begin a statement at the start of a line: used to find the place to go on after a syntax error.
_START = re.compile(r"[ \t]*(?:(?:let|define|include)\b|[^\W\d][^\s()\[\]{}:;,]*\s*[:(])")


@dataclass
class Scanned:
    """`text` has the length of the source's text. `ok` tells that all brackets match; `starts` are the offsets
    of lines at which a statement may begin, outside all round and square brackets."""

    source: Source
    text: str
    ok: bool
    starts: list[int]

    def resume(self, offset: int) -> int:
        """Where reading may go on after an error at `offset`: the next start behind it, or the end."""
        i = bisect_right(self.starts, offset)
        return self.starts[i] if i < len(self.starts) else len(self.text)


def scan(source: Source, reporter: Reporter) -> Scanned:
    """Blanks out comments and reports what does not match (PT002 to PT006)."""
    text = source.text
    pieces: list[str] = []
    copied = at = 0
    comments: list[int] = []
    stack: list[tuple[str, int]] = []
    errors = len(reporter.errors)
    starts: list[int] = []
    deep = False

    def at_line(offset: int) -> None:
        if all(b == "{" for b, _ in stack):
            starts.append(offset)

    while match := _TOKEN.search(text, at):
        token, place = match.group(), match.start()
        at = match.end()
        if comments:
            if token == "(*":
                comments.append(place)
            elif token == "*)":
                first = comments.pop()
                if not comments:
                    pieces.append(re.sub(r"[^\n]", " ", text[first:at]))
                    copied = at
            continue
        if token == "(*":
            comments.append(place)
            pieces.append(text[copied:place])
            copied = place
        elif token == "*)":
            reporter.report("PT005", source.span(place, at), token="*)", opener="(*")
        elif token == '"':
            end = text.find('"', at)
            line_end = text.find("\n", at)
            if end < 0 or 0 <= line_end < end:
                stop = line_end if line_end >= 0 else len(text)
                reporter.report("PT003", source.span(place, stop))
                # It swallowed what closes the brackets of its statement.
                stack = [(b, o) for b, o in stack if b == "{"]
                at = stop
            else:
                at = end + 1
        elif token == "\n":
            at_line(at)
        elif token in _CLOSER:
            stack.append((token, place))
            if len(stack) > MAX_DEPTH and not deep:
                deep = True
                reporter.report("PT006", source.span(place, at), limit=MAX_DEPTH)
        elif token in (")", "]", "}"):
            if not stack:
                reporter.report(
                    "PT005", source.span(place, at), token=token, opener="([{"[")]}".index(token)]
                )
            else:
                opener, opened = stack.pop()
                if _CLOSER[opener] != token:
                    note = [(source.span(opened, opened + 1), f"'{opener}' was opened here")]
                    reporter.report(
                        "PT004", source.span(place, at), opener=opener, token=f"'{token}'", notes=note
                    )
                    # The closer may belong to a bracket further out: close up to it.
                    while stack and _CLOSER[stack[-1][0]] != token:
                        stack.pop()
                    if stack:
                        stack.pop()
        elif any(b != "{" for b, _ in stack):
            # A statement's keyword inside ( or [: what is open was forgotten.
            opener, opened = next((b, o) for b, o in stack if b != "{")
            note = [(source.span(opened, opened + 1), f"'{opener}' was opened here")]
            reporter.report("PT004", source.span(place, at), opener=opener, token=f"'{token}'", notes=note)
            stack = [(b, o) for b, o in stack if b == "{"]
            starts.append(place)
    if comments:
        reporter.report("PT002", source.span(comments[0], comments[0] + 2))
        pieces.append(re.sub(r"[^\n]", " ", text[comments[0] :]))
        copied = len(text)
    pieces.append(text[copied:])
    if stack:
        opener, opened = stack[-1]
        reporter.report("PT004", source.span(opened, opened + 1), opener=opener, token="the end of the file")
    clean = "".join(pieces)
    lines = [s for s in starts if _START.match(clean, s) or clean.startswith("}", s)]
    return Scanned(source, clean, len(reporter.errors) == errors, lines)
