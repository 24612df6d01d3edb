"""What could stand in the place of a token that does not fit, and what was probably meant.

The grammar itself is asked: each token that could stand there is tried in its place.
"""

from __future__ import annotations

from diag.report import suggest
from tungsten.grammar import match
from tungsten.lexer import NAMES, RESERVED, Tokens

# What is tried in the place of an unexpected token, and what a message calls it.
_TRIED = (
    (";", "';'"),
    (")", "')'"),
    ("]", "']'"),
    ("}", "'}'"),
    (",", "','"),
    ("∈", "'∈' or 'in'"),
    ("=", "'='"),
    ("{", "'{'"),
    (":", "':'"),
    ("(", "'('"),
    ("[", "'['"),
    ("∀", "'∀'"),
)

_ROLES = ("param", "const", "socket", "fifo")

_FOREIGN = {
    "for": "a loop is written i in [0, n) { … }, or let i in [0, n); and then ∀i { … }",
    "do": "there is no do; use while",
    "switch": "there is no switch; use if and else",
    "break": "there is no break; use while with a condition",
    "continue": "there is no continue; use if",
    "goto": "there is no goto",
}


def expected_at(kinds: str, rules: tuple[str, ...], start: int, at: int) -> list[str]:
    """What could stand at the place of an unexpected token."""

    def fits(kind: str) -> bool:
        text = kinds[:at] + kind + "$"
        for rule in rules:
            try:
                node, end = match(rule, text, start)
            except RecursionError:
                return False
            if (node is not None and node.end > at) or (node is None and end > at):
                return True
        return False

    found: list[str] = []
    number, name = fits("0"), fits("n")
    if number and name:
        found.append("an expression")
    elif name:
        found.append("a name")
    elif number:
        found.append("a number")
    elif fits("t"):
        found.append("a type")
    closing = [shown for kind, shown in _TRIED[:4] if fits(kind)]
    found += closing
    if not found or (name and not number):
        found += [shown for kind, shown in _TRIED[4:] if fits(kind)]
    elif closing and fits("+"):
        found.append("an operator")
    return found[:4] or ["a statement"]


def hint_at(tokens: Tokens, kinds: str, start: int, at: int) -> str | None:
    """The likely slip at a token that does not fit into the statement that begins at `start`."""
    first, here = tokens.text(start), tokens.text(at)
    before = kinds[at - 1] if at > start else ""
    if first in ("for", "do", "switch", "break", "continue", "goto"):
        return _FOREIGN[first]
    if kinds[at] == "&" and before != "&":
        return "'&' takes an address only inside address(&x)"
    if kinds[at] == "=" and before and before in "/%&|^«»":
        return f"there is no '{tokens.text(at - 1)}='; write x = x {tokens.text(at - 1)} …"
    if here in "+-" and before == here:
        return f"there is no '{here}{here}'; write x {here}= 1"
    if kinds[at] == "]" and "[" in kinds[start:at] and kinds[start] in "L∀" + NAMES and "," in kinds[start:at]:
        return "a range is half-open: [low, high)"
    if before and before in "e∈" and kinds[at] in "(0" or here.startswith(".") and before == "0":
        return "a range is written i in [low, high); high is not part of it"
    if kinds[at] == "∞":
        return "'∞' stands only as the upper bound of a range"
    if kinds[at] in "<>" and before == "=":
        return f"did you mean '{here}='?"
    if kinds[at] == "=" and kinds[at + 1] in "<>":
        return f"did you mean '{tokens.text(at + 1)}='?"
    if kinds[start] in "sf" and kinds[start + 1] == "t" and at == start + 2:
        return f"the type stands first: {tokens.text(start + 1)} {first} {here};"
    if kinds[at] == "≡" and at == start + 1:
        return "'==' compares; '=' or '<-' assigns"
    if kinds[start] == "L" and kinds[at] in "=←⇐":
        return "let names a range: let i in [0, n); a variable is declared with its type: xp i = 0;"
    if kinds[at] in "⊕⊖⊗=←" and at > start + 1:
        return "an assignment is a statement of its own"
    if here == "*" and before in tuple("tn") and kinds[start] in "tnSUN":
        return "there are no pointers; arrays, structs and unions go to functions by reference"
    return _misspelt(tokens, kinds, start, at)


def _misspelt(tokens: Tokens, kinds: str, start: int, at: int) -> str | None:
    """A word of the language with a slip in it, in front of what only that word may have behind it."""
    first = tokens.text(start)
    if first in ("elif", "elseif", "elsif"):
        return "did you mean 'else if'?"
    if kinds[start] == "d" and kinds[at] == "{":
        return "the statement is forever dispatch(…) { … }"
    if kinds[start] == "t" and at == start + 2 and kinds[at - 1] == "n":
        return suggest(tokens.text(at - 1), _ROLES)
    near = at == start + 1 or (at == start + 2 and kinds[at - 1] == "n") or (kinds[at] == "{" and kinds[start + 1] == "(")
    return suggest(first, RESERVED) if near and kinds[start] == "n" else None
