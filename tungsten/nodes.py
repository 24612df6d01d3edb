"""From the grammar's nodes to the syntax tree: expressions with C's precedence, declarations, options."""

from __future__ import annotations

from typing import Any

from diag.report import Reporter
from diag.spans import Span
from tungsten import ast
from tungsten.lexer import Tokens, number_value

# C's precedence; all binary operators group to the left.
_LEVELS = ("∨", "∧", "|", "^", "&", "≡≠", "<>≤≥⇐", "«»", "+-", "*/%")
PRECEDENCE = {sign: level for level, signs in enumerate(_LEVELS) for sign in signs}
SPELLING = {"«": "<<", "»": ">>", "≤": "<=", "≥": ">=", "≡": "==", "≠": "!=", "∧": "&&", "∨": "||", "⇐": "<"}
_ROLES = {"C": "const", "P": "param", "s": "socket", "f": "fifo", "F": "filter", "i": "iterator"}
_ASSIGN = {"=": "=", "←": "=", "⇐": "=", "⊕": "+=", "⊖": "-=", "⊗": "*="}

MAX_OPERANDS = 500
MAX_TAILS = 40
MAX_CHOICES = 100  # `?:` inside each other


class Builder:
    """Makes syntax trees of one source's nodes."""

    def __init__(self, tokens: Tokens, reporter: Reporter) -> None:
        self.tokens = tokens
        self.reporter = reporter
        self.choices = 0

    def span(self, node: Any) -> Span:
        return self.tokens.span(node.start, node.end)

    def name(self, node: Any) -> ast.Name:
        return ast.Name(self.span(node), self.tokens.text(node.start))

    # -- expressions ----------------------------------------------------------------------------------------

    def expr(self, node: Any) -> ast.Expr:
        """expr = operand (binary operand)* (? expr : expr)?, by precedence climbing."""
        first, rest, ternary = node.children
        if rest.children:
            value = self._climb(first, rest.children)
        else:
            value = self.operand(first)
        if ternary.children:
            mark, then, _, other = ternary.children[0].children
            if self.choices >= MAX_CHOICES:
                self.reporter.report("TW005", self.span(mark), limit=MAX_CHOICES)
                return value
            self.choices += 1
            a, b = self.expr(then), self.expr(other)
            self.choices -= 1
            value = ast.Ternary(self.span(node), value, a, b)
        return value

    def _climb(self, first: Any, rest: list[Any]) -> ast.Expr:
        if len(rest) >= MAX_OPERANDS:
            span = self.span(rest[MAX_OPERANDS - 1])
            self.reporter.report("TW005", span, limit=MAX_OPERANDS)
            rest = rest[:1]
        operators: list[tuple[str, Span]] = []
        values = [self.operand(first)]
        for pair in rest:
            sign, operand = pair.children
            kind = sign.text
            while operators and PRECEDENCE[operators[-1][0]] >= PRECEDENCE[kind]:
                self._reduce(operators, values)
            operators.append((kind, self.span(sign)))
            value = self.operand(operand)
            if kind == "⇐":  # `a<-1` where no arrow can stand: less than a negative number
                dash = Span(self.tokens.source, self.tokens.starts[sign.start] + 1, value.span.end)
                value = ast.Unary(dash, "-", value)
            values.append(value)
        while operators:
            self._reduce(operators, values)
        return values[0]

    def _reduce(self, operators: list[tuple[str, Span]], values: list[ast.Expr]) -> None:
        kind, span = operators.pop()
        right, left = values.pop(), values.pop()
        whole = left.span.to(right.span)
        values.append(ast.Binary(whole, SPELLING.get(kind, kind), span, left, right))

    def operand(self, node: Any) -> ast.Expr:
        what = node.children[0]
        if what.expr_name == "leaf":
            return self.atom(what)
        prefixes, rest = what.children
        inner = rest.children[0]
        value: ast.Expr
        if inner.expr_name == "sum":
            value = ast.Sum(self.span(inner), self.expr(inner.children[1]))
        else:
            value = self.postfix(inner)
        if len(prefixes.children) > MAX_TAILS:
            self.reporter.report("TW005", self.span(prefixes.children[MAX_TAILS]), limit=MAX_TAILS)
            return value
        for prefix in reversed(prefixes.children):
            span = Span(self.tokens.source, self.tokens.starts[prefix.start], value.span.end)
            what = prefix.children[0]
            if what.expr_name == "cast":
                name = what.children[0].children[1]
                value = ast.Cast(span, self.name(name), value)
            else:
                value = ast.Unary(span, what.text, value)
        return value

    def atom(self, node: Any) -> ast.Expr:
        """A number or a name."""
        if self.tokens.kinds[node.start] == "0":
            number, suffix = number_value(self.tokens.text(node.start))
            return ast.Number(self.span(node), number, suffix)
        return self.name(node)

    def postfix(self, node: Any) -> ast.Expr:
        atom, tails = node.children
        what = atom.children[0]
        value: ast.Expr
        if what.expr_name == "parens":
            value = ast.Paren(self.span(what), self.expr(what.children[1]))
        else:
            value = self.atom(what)
        if len(tails.children) > MAX_TAILS:
            self.reporter.report("TW005", self.span(tails.children[MAX_TAILS]), limit=MAX_TAILS)
            return value
        for tail in tails.children:
            part = tail.children[1].children[0]
            span = Span(self.tokens.source, value.span.start, self.tokens.ends[tail.end - 1])
            kind = part.expr_name
            if kind == "read":
                value = ast.Subscript(span, value, None)
            elif kind == "subscript":
                value = ast.Subscript(span, value, self.expr(part.children[1]))
            elif kind == "call":
                value = ast.Apply(span, value, self.separated(part.children[1], self.expr))
            else:
                value = ast.Select(span, value, self.name(part.children[1]))
        return value

    def separated(self, node: Any, build: Any) -> list[Any]:
        """The elements of `(x ("," x)*)?` and of `x ("," x)*`."""
        if node.expr_name in ("arguments", "parameters"):
            if not node.children:
                return []
            node = node.children[0]
        first, more = node.children[0], node.children[1]
        return [build(first), *(build(pair.children[1]) for pair in more.children)]

    # -- declarations ---------------------------------------------------------------------------------------

    def type(self, node: Any) -> ast.TypeRef:
        what = node.children[0]
        if what.expr_name == "record":
            kind = "struct" if what.text[0] == "S" else "union"
            return ast.TypeRef(self.span(node), kind, self.name(what.children[1]))
        return ast.TypeRef(self.span(node), "", self.name(what))

    def range(self, node: Any) -> ast.RangeRef:
        _, low, _, limit, _ = node.children
        high = limit.children[0]
        return ast.RangeRef(self.span(node), self.expr(low), None if high.text == "∞" else self.expr(high))

    def level(self, node: Any) -> ast.LevelRef:
        parts = node.children[0].children
        names = [p for p in parts if p.expr_name == "name"]
        ranges = [self.range(p) for p in parts if p.expr_name == "range"]
        return ast.LevelRef(self.span(node), self.name(names[0]), ranges[0] if ranges else None)

    def value(self, node: Any) -> ast.Init:
        what = node.children[0]
        if what.expr_name == "plain":  # a number in a list: large tables hold nothing else
            last = self.tokens.span(what.end - 1, what.end)
            number = ast.Number(last, *number_value(self.tokens.text(what.end - 1)))
            return number if what.end - what.start == 1 else ast.Unary(self.span(what), "-", number)
        if what.expr_name == "braces":
            return self.braces(what)
        if what.expr_name == "walk":
            levels = [self.level(n) for n in what.children[0].children]
            return ast.Walk(self.span(what), levels, self.postfix(what.children[1]))
        return self.expr(what)

    def braces(self, node: Any) -> ast.Braces:
        items: list[tuple[ast.Name | None, ast.Init]] = []
        if node.children[1].children:
            first, more, _ = node.children[1].children[0].children
            for field in [first, *(pair.children[1] for pair in more.children)]:
                designator, value = field.children
                name = self.name(designator.children[0].children[1]) if designator.children else None
                items.append((name, self.value(value)))
        return ast.Braces(self.span(node), items)

    def dim(self, node: Any) -> ast.DimRef:
        _, name, extent, _ = node.children
        return ast.DimRef(
            self.span(node),
            self.name(name.children[0].children[0]) if name.children else None,
            self.expr(extent.children[0]) if extent.children else None,
        )

    def item(self, node: Any) -> ast.Item:
        name, dims, places, init = node.children
        item = ast.Item(self.span(node), self.name(name), [self.dim(d) for d in dims.children])
        for place in places.children:
            what = place.children[0]
            if what.expr_name == "attributes":
                item.options += self.options(what)
                continue
            if (item.address if what.expr_name == "address" else item.bank) is not None:
                self.reporter.report("TW012", self.span(what), what=what.expr_name)
            if what.expr_name == "address":
                item.address = self.expr(what.children[3])
                item.alias = bool(what.children[2].children)
            else:
                item.bank = self.expr(what.children[2])
        if init.children:
            item.init = self.value(init.children[0].children[1])
        return item

    def decl(self, node: Any) -> ast.Decl:
        head, first, more, _ = node.children
        type_, role = None, ""
        for part in _flatten(head):
            if part.expr_name == "type":
                type_ = self.type(part)
            elif part.expr_name in ("role", "fixed"):
                if role:
                    self.reporter.report("TW013", self.span(part), first=role, second=_ROLES[part.text])
                role = _ROLES[part.text]
        items = [self.item(first), *(self.item(pair.children[1]) for pair in more.children)]
        return ast.Decl(self.span(node), type_, role, items)

    def param(self, node: Any) -> ast.Param:
        type_, name, dims = node.children
        return ast.Param(self.span(node), self.type(type_), self.name(name), [self.dim(d) for d in dims.children])

    # -- options --------------------------------------------------------------------------------------------

    def options(self, node: Any) -> list[ast.Option]:
        """attributes = [[ attribute, … ]]"""
        _, _, first, more, _, _ = node.children
        return [self._attribute(n) for n in [first, *(pair.children[1] for pair in more.children)]]

    def _attribute(self, node: Any) -> ast.Option:
        parts = node.children[0].children
        names = [parts[0]]
        if len(parts) == 3:
            word = parts[2]
        else:
            names += [pair.children[1] for pair in parts[1].children]
            word = parts[3]
        key = ".".join(self.tokens.text(n.start) for n in names)
        text = "".join(self.tokens.text(i) for i in range(word.start, word.end))
        return ast.Option(self.span(node), key, text, self.span(word))

    def assign_op(self, node: Any) -> tuple[str, Span]:
        return _ASSIGN[node.text], self.span(node)


def _flatten(node: Any) -> list[Any]:
    """The named nodes below an unnamed or `decl_head` node."""
    if node.expr_name and node.expr_name != "decl_head":
        return [node]
    return [found for child in node.children for found in _flatten(child)]
