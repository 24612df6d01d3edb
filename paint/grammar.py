"""Reading a Paint source: a PEG for one statement, and a loop over statements that goes on after an error.

Statements need no separators, so the text is read statement by statement from where the last one ended; the body
of a `define` is read by the same loop. After a syntax error reading goes on at the next line that can begin a
statement, so that one run reports several errors (paint.md 1).

Blanks separate arguments and are also allowed around operators; what decides is the sign: in arguments `a -1`, a
blank before and none after, is two arguments, everywhere else it is a difference.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable
from functools import cache
from typing import Any

from diag.report import Reporter
from diag.spans import Source, Span
from paint import ast
from paint.names import FUNCTIONS, KEYWORDS
from paint.rules import parse_rule
from paint.scan import Scanned, scan

# A name may also be a kernel's parameter, so it has the letters of Tungsten: marks, superscripts, primes.
ID = r"[^\W\d](?:[\w\u00b2\u00b3\u00b9\u0300-\u036f\u20d0-\u20ff\u2070-\u209f\u2032])*"
ID_END = r"(?![\w\u00b2\u00b3\u00b9\u0300-\u036f\u20d0-\u20ff\u2070-\u209f\u2032])"
# What is read as a rule: brackets with a `;`, a `|` or directions around an operator; the rule's own reader then
# says exactly what is wrong with it. A list is what remains.
RULE = (
    r"\[\s*(?:[^\[\]():'\"]*[;|][^\[\]():'\"]*|[A-Z\s|]*>[A-Z\s|*>]*(?:\s[a-z][^\[\]():'\"]*)?"
    r"|[CLRUDHVX]*[CLRUD][HVX][CLRUDHVX]*\s*\*?|[HVX][CLRUD]+\s*\*?)\s*\]"
)

_GRAMMAR = rf"""
statement   = include / let / head / directive / expr
include     = "include" end _ (string / symbol)
let         = "let" end _ id _ equals _ expr
head        = "define" end _ id _ open (_ id)* _ close _ brace
directive   = id _ colon _ dircall
dircall     = id _ open args _ close

expr        = sum (_ compare _ sum)*
sum         = product (_ addop _ product)*
argument    = argsum (_ compare _ argsum)*
argsum      = product (argop product)*
argop       = plus / wideminus / minus
plus        = _ "+" _
wideminus   = blank "-" blank
minus       = "-" _
product     = unary (_ mulop _ unary)*
unary       = (negation _)* atom
atom        = number / placeholder / symbol / string / rule / list / parens / call / name

parens      = "(" _ expr _ close
call        = ((id "(") / (known _ "(")) args _ close
args        = (_ argument)*
list        = "[" items _ bracket
items       = (_ item)*
item        = named / argument
named       = id _ ":" _ argument
rule        = ~r"{RULE}"
placeholder = "@" id
number      = ~r"0[xX][0-9a-fA-F]+|[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?" end
symbol      = "'" ~r"[\w.\-]+"
string      = '"' ~r'[^"\n]*' '"'
name        = id !"("

open        = "("
close       = ")"
brace       = "{{"
bracket     = "]"
colon       = ":"
equals      = ~r"=(?!=)"
compare     = "<=" / ">=" / "==" / "!=" / "<" / ">"
addop       = "+" / "-"
mulop       = "//" / "/" / "%" / "*"
negation    = "-"
id          = ~r"(?!(?:{"|".join(KEYWORDS)}){ID_END}){ID}"
known       = ~r"(?:{"|".join(sorted(FUNCTIONS, key=len, reverse=True))}){ID_END}"
end         = ~r"{ID_END}"
blank       = ~r"\s+"
_           = ~r"\s*"
"""


@cache
def _rules() -> Any:
    """The compiled grammar; made at first use, since a command's help needs none."""
    from parsimonious.grammar import Grammar

    return Grammar(_GRAMMAR)


# What each rule is called where it was expected and not found.
_EXPECTED = {
    "statement": "a statement",
    "expr": "an expression",
    "sum": "an expression",
    "argument": "an argument",
    "argsum": "an argument",
    "product": "an expression",
    "unary": "an expression",
    "atom": "an expression",
    "args": "an argument",
    "items": "an element",
    "string": "a file name in quotes",
    "symbol": "a file name in quotes",
    "id": "a name",
    "name": "an expression",
    "number": "a number",
    "end": "a blank",
    "head": "define name(parameters) {",
    "placeholder": "a placeholder's name",
    "open": "'('",
    "close": "an argument or ')'",
    "brace": "'{'",
    "bracket": "an element or ']'",
    "colon": "a statement",
    "equals": "'='",
}


class _Reader:
    """Statements of one source."""

    def __init__(self, scanned: Scanned, reporter: Reporter) -> None:
        self.scanned = scanned
        self.source = scanned.source
        self.text = scanned.text
        self.reporter = reporter
        # Places where brackets were found wrong: a second message about the same statement says nothing new.
        self.known = [
            d.span.start for d in reporter.diagnostics if d.span and d.span.source is scanned.source
        ]

    # -- the loop over statements ---------------------------------------------------------------------------

    def body(self, at: int, inside: bool) -> tuple[list[ast.Stmt], int]:
        """The statements from `at` to the end of the text, or to the `}` of a define."""
        found: list[ast.Stmt] = []
        statement: ast.Stmt
        text, end = self.text, len(self.text)
        while True:
            at = _skip(text, at)
            if at >= end:
                return found, at
            if text[at] == "}":
                if inside:
                    return found, at + 1
                at += 1  # reported by the scan
                continue
            node, error_at, expected = self._match(at)
            if node is None:
                start, at = at, self._error(at, error_at, expected)
                broken = self._broken(start)
                if broken is not None:
                    found.append(broken)
                continue
            what = node.children[0] if node.expr_name == "statement" else node
            if what.expr_name == "head":
                statement, at = self._define(what)
            else:
                statement, at = self._statement(what), node.end
            found.append(statement)

    def _match(self, at: int) -> tuple[Any, int, str]:
        from parsimonious.exceptions import ParseError

        # With a colon behind its name a statement is a directive: matched as nothing else, it tells where it failed.
        rule = "directive" if _DIRECTED.match(self.text, at) else "statement"
        try:
            return _rules()[rule].match(self.text, at), at, ""
        except ParseError as e:
            name = str(getattr(e.expr, "name", "") or "")
            return None, max(at, int(e.pos)), _EXPECTED.get(name, "")

    def _error(self, start: int, at: int, expected: str) -> int:
        """Reports a syntax error and returns where to go on."""
        text = self.text
        at = _skip(text, at)
        go_on = max(self.scanned.resume(max(at - 1, start)), start + 1)
        if any(start <= place < max(go_on, at + 1) for place in self.known):
            return go_on
        word, length = _token(text, at)
        hint = None
        bracket = self._bracket(start, at)
        if bracket and _LIKE_RULE.match(bracket):
            hint = "a rule is written as [C>R], with ';' between switch positions: [C>R; L>R]"
        elif word == "','":
            hint = "arguments are separated by blanks, without a comma"
        elif word == "';'":
            hint = "statements need no ';'"
        elif word == "':'" and at > start and "argument" in expected:
            hint = "what has a name stands in brackets: [N:4 tx:c]"
        elif word == "':'":
            hint = "a directive follows a name: `let r = …` first, then `r : …`"
        elif word == "'='" and bracket:
            hint = "in brackets a name takes a colon: [N:4 tx:c]"
        elif word == "'='":
            hint = "a name is given with `let name = …`; `==` compares"
        elif word == "'.'":
            hint = "a directive is written with a colon: r : paint(c [C>R])"
        elif word == "'#'":
            hint = "a comment is (* … *)"
        elif expected == "'('" and at > start:
            hint = "a directive's arguments stand in parentheses: r : name('n)" if self._directive(start) else None
        elif word in ("'&'", "'|'"):
            hint = "regions are laid over each other with union(a b)"
        elif word == "'//'" and at == start:
            hint = "a comment is (* … *)"
        elif word == "'{'":
            hint = "braces stand only after `define name(parameters)`"
        elif at == start and word[1:-1] in _OPERATORS:
            # The statement before ended where its operator should have had a right side.
            expected = "an expression"
            at = _skip(text, at + length)
            word, length = _token(text, at)
        span = self.source.span(at, at + length)
        if not expected or (at == start and expected != "an expression"):
            expected = "a statement"
        self.reporter.report("PT001", span, expected=expected, found=word, hint=hint)
        return go_on

    def _bracket(self, start: int, at: int) -> str:
        """The text from a square bracket that is open at an offset, or nothing."""
        opened = self.text.rfind("[", start, at)
        return self.text[opened:] if opened >= 0 and "]" not in self.text[opened:at] else ""

    def _directive(self, start: int) -> bool:
        return _DIRECTED.match(self.text, start) is not None

    def _broken(self, start: int) -> ast.Stmt | None:
        """A let or define that could not be read, so that its name is known and its uses stay quiet."""
        match = _HEAD.match(self.text, start)
        if match is None:
            return None
        span, name_span = self.source.span(start, match.end()), self.source.span(*match.span(2))
        if match.group(1) == "let":
            return ast.Let(span, match.group(2), name_span, ast.Bad(span))
        return ast.Define(span, match.group(2), name_span, (), None)

    # -- from the grammar's nodes to the tree ---------------------------------------------------------------

    def span(self, node: Any) -> Span:
        return self.source.span(node.start, node.end)

    def _define(self, node: Any) -> tuple[ast.Define, int]:
        _, _, _, name, _, _, params, *_ = node.children
        parameters = tuple(
            ast.Parameter(self.span(p.children[1]), p.children[1].text) for p in params.children
        )
        statements, end = self.body(node.end, True)
        span = self.source.span(node.start, end)
        return ast.Define(span, name.text, self.span(name), parameters, tuple(statements)), end

    def _statement(self, node: Any) -> ast.Stmt:
        kind = node.expr_name
        if kind == "include":
            path = self.expr(node.children[3].children[0])
            assert isinstance(path, ast.Sym)
            return ast.Include(self.span(node), path)
        if kind == "let":
            _, _, _, name, _, _, _, value = node.children
            return ast.Let(self.span(node), name.text, self.span(name), self.expr(value))
        if kind == "directive":
            target, _, _, _, call = node.children
            name, _, _, args, _, _ = call.children
            made = ast.Call(self.span(call), name.text, self.span(name), self._args(args))
            return ast.Directive(self.span(node), target.text, self.span(target), made)
        return ast.Evaluate(self.span(node), self.expr(node))

    def _args(self, node: Any) -> tuple[ast.Expr, ...]:
        return tuple(self.expr(pair.children[1]) for pair in node.children)

    def expr(self, node: Any) -> ast.Expr:
        return _BUILD[node.expr_name](self, node)

    def _chain(self, node: Any) -> ast.Expr:
        """Left-associative operators: first (_ op _ operand)*."""
        left = self.expr(node.children[0])
        for tail in node.children[1].children:
            if len(tail.children) == 4:
                op, right = tail.children[1].text, self.expr(tail.children[3])
            else:
                op, right = tail.children[0].text.strip(), self.expr(tail.children[1])
            left = ast.Binary(left.span.to(right.span), op, left, right)
        return left

    def _unary(self, node: Any) -> ast.Expr:
        signs, atom = node.children
        value = self.expr(atom.children[0])
        for sign in reversed(signs.children):
            span = self.source.span(sign.start, value.span.end)
            # A sign before a number is part of it, so that `-1` is a number in messages too.
            value = ast.Num(span, -value.value) if isinstance(value, ast.Num) else ast.Negate(span, value)
        return value

    def _parens(self, node: Any) -> ast.Expr:
        return self.expr(node.children[2])

    def _call(self, node: Any) -> ast.Expr:
        head, args, _, _ = node.children
        name = head.children[0].children[0]
        return ast.Call(self.span(node), name.text, self.span(name), self._args(args))

    def _list(self, node: Any) -> ast.Expr:
        items: list[ast.Item] = []
        for pair in node.children[1].children:
            element = pair.children[1].children[0]
            if element.expr_name == "named":
                name, _, _, _, value = element.children
                items.append(ast.Item(self.span(element), name.text, self.expr(value)))
            else:
                items.append(ast.Item(self.span(element), None, self.expr(element)))
        return ast.ListLit(self.span(node), tuple(items))

    def _number(self, node: Any) -> ast.Expr:
        text = node.children[0].text
        value: int | float
        if text[:2] in ("0x", "0X"):
            value = int(text, 16)
        elif text.isdigit() and len(text) <= 4000:
            value = int(text)
        else:
            value = float(text)
        return ast.Num(self.span(node), value)

    def _word(self, node: Any) -> ast.Expr:
        return ast.Sym(self.span(node), node.children[1].text)

    def _hole(self, node: Any) -> ast.Expr:
        return ast.Hole(self.span(node), node.children[1].text)

    def _name(self, node: Any) -> ast.Expr:
        return ast.Name(self.span(node), node.text)

    def _rule(self, node: Any) -> ast.Expr:
        span = self.span(node)
        return ast.RuleLit(span, parse_rule(span, self.text[span.start : span.end], self.reporter))


_BUILD: dict[str, Callable[[_Reader, Any], ast.Expr]] = {
    "expr": _Reader._chain,
    "sum": _Reader._chain,
    "argument": _Reader._chain,
    "argsum": _Reader._chain,
    "product": _Reader._chain,
    "unary": _Reader._unary,
    "parens": _Reader._parens,
    "call": _Reader._call,
    "list": _Reader._list,
    "rule": _Reader._rule,
    "number": _Reader._number,
    "string": _Reader._word,
    "symbol": _Reader._word,
    "placeholder": _Reader._hole,
    "name": _Reader._name,
}

_OPERATORS = frozenset("+ - * / // % < > <= >= == !=".split())
_DIRECTED = re.compile(rf"(?!(?:{'|'.join(KEYWORDS)}){ID_END}){ID}\s*:")
# Directions with something between them that is no operator of a rule.
_LIKE_RULE = re.compile(r"\[\s*[CLRUD]+\s*\*?\s*(?:[-=]+>|<?[-=]+|[<>→=,])\s*[CLRUD]*[^\w:]")
_HEAD = re.compile(rf"(let|define)\s+({ID})")
_BLANKS = re.compile(r"\s*")
_WORD = re.compile(rf"{ID}|[0-9][\w.]*|//|[<>=!]=|\S")


def _skip(text: str, at: int) -> int:
    match = _BLANKS.match(text, at)
    return match.end() if match else at


def _token(text: str, at: int) -> tuple[str, int]:
    """The token at an offset as a message names it, with its length (1 at the end)."""
    match = _WORD.match(text, at)
    if match is None:
        return "the end of the file", 1
    return f"'{match.group()}'", len(match.group())


def parse(source: Source, reporter: Reporter) -> list[ast.Stmt]:
    """The statements of a source. Syntax errors (PT001 to PT006, and PT07x inside rules) go to the reporter; what
    could be read is returned, so that a caller may look for further errors."""
    own = Reporter()
    scanned = scan(source, own)
    statements: list[ast.Stmt] = []
    if not any(d.code.code == "PT006" for d in own.errors):
        limit = sys.getrecursionlimit()
        sys.setrecursionlimit(max(limit, 20_000))
        try:
            statements, _ = _Reader(scanned, own).body(0, False)
        finally:
            sys.setrecursionlimit(limit)
    for d in sorted(own.diagnostics, key=lambda d: d.span.start if d.span else 0):
        reporter.add(d)
    return statements


def parse_value(source: Source, reporter: Reporter) -> ast.Expr | None:
    """The expression that a whole text is, or None (for the values of set=)."""
    statements = parse(source, reporter)
    if len(statements) == 1 and isinstance(statements[0], ast.Evaluate):
        return statements[0].value
    return None
