"""Reading a source: statement by statement, with blocks read by a loop that goes on after a syntax error.

The grammar knows one simple statement, one head or one declaration at a time. After an error reading goes on at
the next statement of the same block, so that one run reports several errors. What was expected at a place is found
out by asking the grammar: each token that could stand there is tried in its place.

Source: tungsten.md 1, 2, 4, 8.
"""

from __future__ import annotations

import re
from typing import Any, NoReturn

from diag.report import Reporter, suggest
from diag.spans import Source, Span
from tungsten import ast
from tungsten.expected import expected_at, hint_at
from tungsten.grammar import match
from tungsten.lexer import NAMES, RESERVED, Tokens, tokenize
from tungsten.nodes import Builder

MAX_ERRORS = 25
MAX_NESTING = 100
MAX_CHAIN = 1000  # of `else if`; the tree behind it nests, within what the readers' recursion bears

_NAME = f"[{NAMES}]"
_DECL = re.compile(rf"[CPSU]|{_NAME}(?:{_NAME}|[CP])|t[A-Z]")
_LOOP = re.compile(rf"∀|{_NAME}[e∈]\[")
_START = "INMYWRQZLTCPSU∀#"  # kinds that begin a statement wherever they stand first in a line

FAMILIES = ("uthread", "socket", "fifo", "timer", "teardown", "dot", "math", "vectorize")  # of options
_PREPROCESSOR = {
    "#include": "another file is taken in with import NAME;",
    "#define": "a constant is declared: const N = 4;, or xp param N = 4; for one that the layout binds",
    "#if": "there is no conditional text; an if with constants leaves nothing of the other branch",
    "#ifdef": "there is no conditional text; an if with constants leaves nothing of the other branch",
}


class _Bad(Exception):
    """A statement can't be read; reported already.

    `go_on`: the token at which to look for the next one, or, when `exact`, at which it begins.
    """

    def __init__(self, go_on: int, exact: bool = False) -> None:
        super().__init__()
        self.go_on = go_on
        self.exact = exact


def read(source: Source, reporter: Reporter) -> ast.File:
    """The syntax tree of a source. Syntax errors are reported; what could be read is in the tree."""
    tokens = tokenize(source, reporter)
    if not tokens.ok:
        return ast.File(tokens.span(0, 1), [])
    return _Reader(tokens, reporter).file()


class _Reader:
    def __init__(self, tokens: Tokens, reporter: Reporter) -> None:
        self.tokens = tokens
        self.kinds = tokens.kinds + "$$"  # so that looking ahead needs no care
        self.end = len(tokens.kinds) - 1
        self.reporter = reporter
        self.build = Builder(tokens, reporter)
        self.at = 0
        self.depth = 0
        self.errors = 0
        self.lost_if = False  # the head of an if was wrong: an else may follow on what was read as a block

    def file(self) -> ast.File:
        items: list[ast.Stmt] = []
        while self.kinds[self.at] != "$" and self.errors < MAX_ERRORS:
            if self.kinds[self.at] == "}":
                span = self.tokens.span(self.at, self.at + 1)
                self.reporter.report("TW007", span)
                self.errors += 1
                self.at += 1
                continue
            self._one(items)
        return ast.File(self.tokens.span(0, self.end + 1), items)

    def _one(self, items: list[ast.Stmt]) -> None:
        """Reads one statement into `items`, or reports why not and goes to the next."""
        start = self.at
        if self.kinds[start] == ";":  # an empty statement
            self.at += 1
            return
        depth = self.depth
        try:
            items.append(self.statement())
        except _Bad as bad:
            self._recover(start, depth, bad)

    def _recover(self, start: int, depth: int, bad: _Bad) -> None:
        """Goes to where the next statement of this block begins."""
        self.errors += 1
        self.depth = depth
        self.lost_if = self.kinds[start] == "Y"
        self.at = bad.go_on if bad.exact else self._resume(start, bad.go_on)
        if self.at <= start and self.kinds[start] not in "}$":
            self.at = start + 1
        if self.errors == MAX_ERRORS and self.kinds[self.at] != "$":  # nesting that is too deep goes beyond
            self.reporter.report("DG014", self.tokens.span(self.at, self.at + 1), count=self.errors)

    def _resume(self, start: int, at: int) -> int:
        """The next statement of this block, from the token that did not fit."""
        kinds, depth, i = self.kinds, 0, at
        if i > start and kinds[i] == "{":
            return i
        while kinds[i] != "$":
            kind = kinds[i]
            if kind == "{":
                if depth == 0 and i > at and kinds[i - 1] == ")":
                    return i  # the body behind a damaged head
                depth += 1
            elif kind == "}":
                if depth == 0:
                    return i
                depth -= 1
                if depth == 0:
                    return i + 1
            elif depth == 0 and kind == ";":
                return i + 1
            elif depth == 0 and i > start and kind in _START and self._first_in_line(i):
                return i
            i += 1
        return i

    def _first_in_line(self, at: int) -> bool:
        tokens = self.tokens
        return at == 0 or "\n" in tokens.source.text[tokens.ends[at - 1] : tokens.starts[at]]

    # -- matching with messages -----------------------------------------------------------------------------

    def need(self, *rules: str) -> Any:
        """The node of the first rule that matches at this place; the place moves behind it."""
        start, furthest = self.at, self.at
        for rule in rules:
            try:
                node, at = match(rule, self.kinds, start)
            except RecursionError:
                self.reporter.report("TW005", self.tokens.span(start, start + 1), limit="some hundred")
                raise _Bad(start) from None
            if node is not None:
                self.at = node.end
                return node
            furthest = max(furthest, at)
        raise self._unexpected(rules, start, furthest)

    def _unexpected(self, rules: tuple[str, ...], start: int, at: int) -> _Bad:
        expected = expected_at(self.kinds, rules, start, at)
        tokens, kind = self.tokens, self.kinds[at]
        hint = hint_at(self.tokens, self.kinds, start, at)
        if "';'" in expected and at > start and self._first_in_line(at):
            # A forgotten semicolon: the next statement is most likely whole.
            expected = ["';'"]
            last = tokens.span(at - 1, at)
            notes = [(Span(tokens.source, last.end - 1, last.end), "the statement before ends here")]
            self._report(at, expected, hint, notes)
            return _Bad(at, exact=True)
        if hint is None and kind in RESERVED.values() and "a name" in expected:
            hint = f"'{tokens.text(at)}' is a reserved word"
        self._report(at, expected, hint, [])
        return _Bad(at)

    def _report(self, at: int, expected: list[str], hint: str | None, notes: list[tuple[Span, str]]) -> None:
        self.reporter.report(
            "TW006",
            self.tokens.span(at, at + 1),
            expected=" or ".join(expected) if len(expected) < 3 else ", ".join(expected[:-1]) + " or " + expected[-1],
            found=self.tokens.describe(at),
            hint=hint,
            notes=notes,
        )

    def enter(self) -> None:
        self.depth += 1
        if self.depth > MAX_NESTING:
            self._too_deep(MAX_NESTING)

    def _too_deep(self, limit: int) -> NoReturn:
        self.reporter.report("TW004", self.tokens.span(self.at, self.at + 1), limit=limit)
        self.errors = MAX_ERRORS
        raise _Bad(self.end)

    # -- statements -----------------------------------------------------------------------------------------

    def statement(self) -> ast.Stmt:
        """One statement, declaration or definition at this place."""
        self.enter()
        kind = self.kinds[self.at]
        method = _BY_KIND.get(kind)
        if method is not None:
            made: ast.Stmt = method(self)
        else:
            made = self._by_look()
        self.depth -= 1
        return made

    def _by_look(self) -> ast.Stmt:
        """What begins with a name, a bracket or something that no statement begins with."""
        kinds, at = self.kinds, self.at
        kind = kinds[at]
        if kind == "[" and kinds[at + 1] == "[":
            return self._attributes()
        if kind == "r" and kinds[at + 1] in NAMES and kinds[at + 2] == ";":
            node = self.need("reset")
            return ast.Reset(self.build.span(node), self.build.name(node.children[1]))
        if kind in NAMES and kinds.startswith(".p;", at + 1):
            node = self.need("flip")
            return ast.Flip(self.build.span(node), self.build.name(node.children[0]))
        declares = _DECL.match(kinds, at)
        if _LOOP.match(kinds, at) and not (kind == "t" and self._is("decl")):
            return self._loop()
        if declares:
            return self._decl()
        if kind in NAMES or kind in "0(-~!":
            return self._simple()
        raise self._unexpected(("assignment", "evaluate"), at, at)

    def _is(self, rule: str) -> bool:
        try:
            return match(rule, self.kinds, self.at)[0] is not None
        except RecursionError:
            return False

    def _simple(self) -> ast.Stmt:
        node = self.need("assignment", "evaluate")
        build, span = self.build, self.build.span(node)
        if node.expr_name == "evaluate":
            return ast.Evaluate(span, build.expr(node.children[0]))
        view, target, op, value, _ = node.children
        word, op_span = build.assign_op(op)
        return ast.Assign(
            span,
            build.name(view.children[0].children[0]) if view.children else None,
            build.postfix(target),
            word,
            op_span,
            build.expr(value),
        )

    def _decl(self) -> ast.Stmt:
        kinds, at = self.kinds, self.at
        if kinds[at] in "SU" and (kinds[at + 1] == "{" or kinds[at + 2] == "{"):
            return self._record()
        return self.build.decl(self.need("decl"))

    def _record(self) -> ast.Stmt:
        """`struct NAME { members } [items];`"""
        record = self._record_def("record_head", 0)
        tail = self._record_tail()
        items: list[ast.Item] = []
        if tail.children[0].children:
            items = self.build.separated(tail.children[0].children[0], self.build.item)
        if not items:
            return record
        ref = ast.TypeRef(record.span, record.kind, record.name, record)
        return ast.Decl(record.span.to(items[-1].span), ref, "", items)

    def _record_tail(self) -> Any:
        at, tokens = self.at, self.tokens
        if self._first_in_line(at) and not self._is("record_tail"):
            last = tokens.span(at - 1, at)
            self._report(at, ["';'"], None, [(last, "the definition ends here")])
            raise _Bad(at, exact=True)
        return self.need("record_tail")

    def _record_def(self, rule: str, skip: int) -> ast.RecordDef:
        start = self.at
        head = self.need(rule)
        if skip:
            head = head.children[skip]
        kind = "struct" if head.children[0].text == "S" else "union"
        name = self.build.name(head.children[1].children[0]) if head.children[1].children else None
        members: list[ast.Decl] = []
        body: list[ast.Stmt] = []
        self._until_brace(head.end - 1, body, self._member)
        for member in body:
            if isinstance(member, ast.RecordDef):
                # Without a member name: its members count as this record's own.
                ref = ast.TypeRef(member.span, member.kind, member.name, member)
                members.append(ast.Decl(member.span, ref, "", []))
            elif isinstance(member, ast.Decl):
                members.append(member)
        return ast.RecordDef(self.tokens.span(start, self.at), kind, name, members)

    def _member(self, items: list[ast.Stmt]) -> None:
        start = self.at
        if self.kinds[start] == ";":
            self.at += 1
            return
        depth = self.depth
        try:
            self.enter()
            if not _DECL.match(self.kinds, start):
                raise self._unexpected(("decl",), start, start)
            items.append(self._decl())
            self.depth -= 1
        except _Bad as bad:
            self._recover(start, depth, bad)

    def _until_brace(self, opening: int, items: list[ast.Stmt], one: Any) -> Span:
        """Reads with `one` up to the closing brace and returns the brace's span."""
        while self.kinds[self.at] != "}":
            if self.errors >= MAX_ERRORS:
                raise _Bad(self.end)
            if self.kinds[self.at] == "$":
                notes = [(self.tokens.span(opening, opening + 1), "this one is open")]
                self.reporter.report("TW008", self.tokens.span(self.at, self.at + 1), notes=notes)
                raise _Bad(self.at)
            one(items)
        self.at += 1
        return self.tokens.span(self.at - 1, self.at)

    def block(self) -> ast.Block:
        """`{ statements }` at this place."""
        start = self.at
        if self.kinds[start] != "{":
            self._report(start, ["'{'"], None, [])
            raise _Bad(start)
        self.enter()
        self.at += 1
        body: list[ast.Stmt] = []
        end = self._until_brace(start, body, self._one)
        self.depth -= 1
        return ast.Block(self.tokens.span(start, self.at), body, end)

    def _empty(self) -> ast.Stmt:
        """`;` as a body: `while (busy[0]);`"""
        self.at += 1
        span = self.tokens.span(self.at - 1, self.at)
        return ast.Block(span, [], span)

    def _typedef(self) -> ast.Stmt:
        build, start = self.build, self.at
        if self.kinds[start + 1] in "SU" and "{" in self.kinds[start + 2 : start + 4]:
            record = self._record_def("typedef_rec", 1)
            tail = self._record_tail()
            items: list[ast.Item] = []
            if tail.children[0].children:
                items = build.separated(tail.children[0].children[0], build.item)
            ref = ast.TypeRef(record.span, record.kind, record.name, record)
            return ast.Typedef(self.tokens.span(start, self.at), ref, items)
        node = self.need("typedef")
        _, type_, first, more, _ = node.children
        items = [build.item(first), *(build.item(pair.children[1]) for pair in more.children)]
        return ast.Typedef(build.span(node), build.type(type_), items)

    def _import(self) -> ast.Stmt:
        node = self.need("import")
        return ast.Import(self.build.span(node), self.build.name(node.children[1]))

    def _let(self) -> ast.Stmt:
        node = self.need("let")
        return ast.Let(self.build.span(node), self.build.name(node.children[1]), self.build.range(node.children[3]))

    def _function(self) -> ast.Stmt:
        node = self.need("function")
        params = self.build.separated(node.children[3], self.build.param)
        return ast.FunctionDef(self.build.span(node), self.build.name(node.children[1]), params, self.block())

    def _main(self) -> ast.Stmt:
        start = self.at
        self.at += 1
        return ast.Main(self.tokens.span(start, start + 1), self.block())

    def _return(self) -> ast.Stmt:
        node = self.need("return")
        value = node.children[1].children
        return ast.Return(self.build.span(node), self.build.expr(value[0]) if value else None)

    def _if(self) -> ast.Stmt:
        """With all its `else if`: a chain is read as the list it looks like, however long, and does not nest."""
        heads: list[tuple[Any, ast.Stmt]] = []
        other: ast.Stmt | None = None
        while True:
            head = self.need("if")
            heads.append((head, self.statement()))
            if self.kinds[self.at] != "E":
                break
            self.at += 1
            if self.kinds[self.at] != "Y":
                other = self.statement()
                break
            if len(heads) == MAX_CHAIN:
                self._too_deep(MAX_CHAIN)
        for head, then in reversed(heads):
            span = self.tokens.span(head.start, head.start + 1)
            other = ast.If(span, self.build.expr(head.children[2]), then, other)
        assert other is not None
        return other

    def _else(self) -> ast.Stmt:
        if not self.lost_if:
            self.reporter.report("TW009", self.tokens.span(self.at, self.at + 1))
            self.errors += 1
        self.lost_if = False
        self.at += 1
        return self.statement()

    def _while(self) -> ast.Stmt:
        node = self.need("while")
        body = self.statement()
        return ast.While(self.tokens.span(node.start, node.start + 1), self.build.expr(node.children[2]), body)

    def _loop(self) -> ast.Stmt:
        node = self.need("loop")
        build, what = self.build, node.children[0]
        if what.expr_name == "foralls":
            levels = [
                ast.LevelRef(build.span(pair), build.name(pair.children[1]), None) for pair in what.children
            ]
        else:
            name, range_ = what.children[1], what.children[3]
            levels = [ast.LevelRef(build.span(what), build.name(name), build.range(range_))]
        span = build.span(what)
        return ast.Loop(span, levels, self.statement())

    def _forever(self) -> ast.Stmt:
        start = self.at
        if self.kinds[start + 1] != "d" or self.kinds[start + 2] != "(":
            self.at += 1
            if self.kinds[self.at] != "{":
                self._report(self.at, ["'{'", "'dispatch('"], None, [])
                raise _Bad(self.at)
            return ast.Forever(self.tokens.span(start, start + 1), self.block())
        node = self.need("dispatch")
        handlers: list[ast.HandlerDef] = []
        self._until_brace(node.end - 1, handlers, self._handler)  # type: ignore[arg-type]
        return ast.Dispatch(self.tokens.span(start, start + 2), self.build.name(node.children[3]), handlers)

    def _handler(self, handlers: list[ast.HandlerDef]) -> None:
        start, depth = self.at, self.depth
        if self.kinds[start] == ";":
            self.at += 1
            return
        build = self.build
        try:
            if self.kinds[start] == "w":
                node = self.need("wavelet")
                params = build.separated(node.children[2], build.param)
                handlers.append(ast.HandlerDef(build.span(node), "wavelet", None, params, self.block()))
            elif self.kinds[start] == "c":
                node = self.need("control")
                identity, params = None, []
                if node.children[2].children:
                    first, second = node.children[2].children[0].children
                    identity = build.expr(first)
                    params = [build.param(second.children[0].children[1])] if second.children else []
                handlers.append(ast.HandlerDef(build.span(node), "control", identity, params, self.block()))
            else:
                hint = suggest(self.tokens.text(start), ("wavelet", "control"))
                self._report(start, ["'wavelet('", "'control('", "'}'"], hint, [])
                raise _Bad(start)
        except _Bad as bad:
            self._recover(start, depth, bad)

    def _parallel(self) -> ast.Stmt:
        start = self.at
        self.at += 1
        return ast.Parallel(self.tokens.span(start, start + 1), self.block())

    # -- options --------------------------------------------------------------------------------------------

    def _attributes(self) -> ast.Stmt:
        node = self.need("attributes")
        options = self.build.options(node)
        return ast.Optioned(self.build.span(node), options, False, self._optioned())

    def _pragma(self) -> ast.Stmt:
        at = self.at
        span = self.tokens.span(at, at + 1)
        self.at += 1
        words = list(re.finditer(r"\S+", span.text))
        options: list[ast.Option] = []
        if words[0].group() != "#pragma":
            first = Span(span.source, span.start, span.start + words[0].end())
            self.reporter.report("TW010", first, found=words[0].group(), hint=_PREPROCESSOR.get(words[0].group()))
            self.errors += 1
        elif len(words) == 2 and words[1].group() not in FAMILIES:
            options.append(ast.Option(span, words[1].group(), "", span))  # unknown, such as `once`: a warning
        elif len(words) < 3:
            self.reporter.report("TW011", span)
            self.errors += 1
        else:
            last = words[-1]
            value_span = Span(span.source, span.start + last.start(), span.start + last.end())
            key = ".".join(w.group() for w in words[1:-1])
            options.append(ast.Option(span, key, last.group(), value_span))
        return ast.Optioned(span, options, True, self._optioned())

    def _optioned(self) -> ast.Stmt | None:
        """What the options stand before; None at the end of a block."""
        return None if self.kinds[self.at] in "}$" else self.statement()


_BY_KIND: dict[str, Any] = {
    "{": _Reader.block,
    "S": _Reader._decl,
    "U": _Reader._decl,
    "C": _Reader._decl,
    "P": _Reader._decl,
    "T": _Reader._typedef,
    "I": _Reader._import,
    "L": _Reader._let,
    "N": _Reader._function,
    "M": _Reader._main,
    "Z": _Reader._return,
    "Y": _Reader._if,
    "E": _Reader._else,
    "W": _Reader._while,
    "R": _Reader._forever,
    "Q": _Reader._parallel,
    "∀": _Reader._loop,
    "#": _Reader._pragma,
    ";": _Reader._empty,
}
