"""Reading: what is one argument and what two, rule or list, comments, names."""

from __future__ import annotations

import pytest

from diag.report import Reporter
from diag.spans import Source
from paint import ast
from paint.grammar import parse


def read(text: str) -> list[ast.Stmt]:
    reporter = Reporter()
    statements = parse(Source("t.paint", text), reporter)
    assert [d.message for d in reporter.diagnostics] == []
    return statements


def show(e: ast.Expr) -> str:
    """An expression with every bracket written out."""
    match e:
        case ast.Num():
            return repr(e.value)
        case ast.Name():
            return e.id
        case ast.Sym():
            return f"'{e.text}"
        case ast.Hole():
            return f"@{e.name}"
        case ast.Binary():
            return f"({show(e.left)}{e.op}{show(e.right)})"
        case ast.Negate():
            return f"-{show(e.operand)}"
        case ast.Call():
            return f"{e.name}<{' '.join(map(show, e.args))}>"
        case ast.ListLit():
            return "[" + " ".join((f"{i.name}:" if i.name else "") + show(i.value) for i in e.items) + "]"
        case ast.RuleLit():
            return "rule"
        case _:
            return "?"


def value(text: str) -> str:
    (statement,) = read(text)
    assert isinstance(statement, ast.Evaluate)
    return show(statement.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # Blanks separate arguments, operators bind tighter (paint.md 1).
        ("rect(0 0 NX+2 NY+2)", "rect<0 0 (NX+2) (NY+2)>"),
        ("vstackrep(b n-2)", "vstackrep<b (n-2)>"),
        ("f(a -1)", "f<a -1>"),
        ("f(a-1)", "f<(a-1)>"),
        ("f(a - 1)", "f<(a-1)>"),
        ("f(a- 1)", "f<(a-1)>"),
        ("f(a\n-1)", "f<a -1>"),
        ("f((a -1))", "f<(a-1)>"),
        ("f(-1 -a)", "f<-1 -a>"),
        ("f(a +1)", "f<(a+1)>"),
        ("f(a *-1)", "f<(a*-1)>"),
        ("f(a (b))", "f<a b>"),
        ("f(b (n-2))", "f<b (n-2)>"),
        ("f(g(1)-2 -g(1))", "f<(g<1>-2) -g<1>>"),
        # Precedence: comparisons, sums, products, signs.
        ("a+b*c-d//e", "((a+(b*c))-(d//e))"),
        ("a-b-c", "((a-b)-c)"),
        ("a/b/c", "((a/b)/c)"),
        ("-a*b", "(-a*b)"),
        ("a%2==0", "((a%2)==0)"),
        ("a<b+1", "(a<(b+1))"),
        ("f(a <= b c)", "f<(a<=b) c>"),
        ("(a<b)*(c!=d)", "((a<b)*(c!=d))"),
        ("f()", "f<>"),
        ("f( )", "f<>"),
        ("tile ()", "tile<>"),
        # Numbers.
        ("1.5", "1.5"),
        ("1e3", "1000.0"),
        (".5", "0.5"),
        ("0x10", "16"),
        # Symbols and strings name things alike.
        ("code('swe [N:N])", "code<'swe [N:N]>"),
        ('code("dot" [Z:Z])', "code<'dot [Z:Z]>"),
        ("name('a-b.c_2)", "name<'a-b.c_2>"),
        ('name("a b")', "name<'a b>"),
        # Lists and rules.
        ("[N:N tx:c]", "[N:N tx:c]"),
        ("[N : 4 tx:c]", "[N:4 tx:c]"),
        ("[a b:c -1]", "[a b:c -1]"),
        ("[]", "[]"),
        ("[X:1]", "[X:1]"),
        ("[LXR:c]", "[LXR:c]"),
        ("[C D]", "[C D]"),
        ("[L X C]", "[L X C]"),
        ("[H]", "[H]"),
        ("[p:range(0 n)]", "[p:range<0 n>]"),
        ("[n>2]", "[(n>2)]"),
        ("[C>R]", "rule"),
        ("[ C > R ]", "rule"),
        ("[LXC]", "rule"),
        ("[L|LXC]", "rule"),
        ("[CXR|R]", "rule"),
        ("[CH]", "rule"),
        ("[XR]", "rule"),
        ("[C>]", "rule"),
        ("[>C]", "rule"),
        ("[L>R ; C>R]", "rule"),
        ("[L>R;C>R*; pop=adv ring]", "rule"),
        ("[L>R; fabadder]", "rule"),
        ("[P:@p+1]", "[P:(@p+1)]"),
        # Names may have the letters of Tungsten's.
        ("[Δx⁻¹:1 r⃗₀:2 ρ′:3]", "[Δx⁻¹:1 r⃗₀:2 ρ′:3]"),
        ("letter", "letter"),
        ("included+defined", "(included+defined)"),
    ],
)
def test_expressions(text: str, expected: str) -> None:
    assert value(text) == expected


def test_statements_need_no_separators() -> None:
    statements = read("let a = color() let b = color() r : code('k) r:name('r) include \"x\" union(r r)")
    assert [type(s).__name__ for s in statements] == [
        "Let",
        "Let",
        "Directive",
        "Directive",
        "Include",
        "Evaluate",
    ]


def test_a_sign_after_a_let_is_a_difference() -> None:
    (statement,) = read("let a = b -1")
    assert isinstance(statement, ast.Let)
    assert show(statement.value) == "(b-1)"


def test_comments_nest_and_keep_places() -> None:
    statements = read("(* a (* b *) \" ' [ *)let(*x*)a(**)=(* *) 1 (* end *)")
    (statement,) = statements
    assert isinstance(statement, ast.Let)
    assert statement.name_span.col == 30
    assert show(statement.value) == "1"


def test_a_string_may_hold_a_comment_sign() -> None:
    assert value('name("x(*y")') == "name<'x(*y>"


def test_define() -> None:
    (statement,) = read("define f(a b) { let c = a define g() { tile() } c : name('x) } ")
    assert isinstance(statement, ast.Define)
    assert [p.name for p in statement.params] == ["a", "b"]
    assert statement.body is not None
    assert [type(s).__name__ for s in statement.body] == ["Let", "Define", "Directive"]


def test_spans() -> None:
    (statement,) = read("  row : paint(rp\n [CXR|R])")
    assert isinstance(statement, ast.Directive)
    assert statement.span.text == "row : paint(rp\n [CXR|R])"
    assert statement.call.args[1].span.label() == "t.paint:2:2"


def test_several_syntax_errors_in_one_run() -> None:
    reporter = Reporter()
    text = "let a = rect(0, 0 1 1)\nlet b = 1 +\nlet c = [C>Q]\nlet d = 4\nlet e = tile(\nlet f = 2"
    statements = parse(Source("t.paint", text), reporter)
    assert [(d.code.code, d.span.line if d.span else 0) for d in reporter.errors] == [
        ("PT001", 1),
        ("PT001", 3),
        ("PT070", 3),
        ("PT004", 6),
    ]
    assert [s.name for s in statements if isinstance(s, ast.Let)] == list("abcdef")


@pytest.mark.parametrize("shape", ["({})", "f({})", "[{}]", "[a:{}]", "-({})", "1+({})"])
def test_three_thousand_brackets_are_an_error(shape: str) -> None:
    opening, _, closing = shape.partition("{}")
    reporter = Reporter()
    assert parse(Source("t.paint", "let a = " + opening * 3000 + "1" + closing * 3000), reporter) == []
    assert [d.code.code for d in reporter.errors] == ["PT006"]


@pytest.mark.parametrize("text", ["-" * 5000 + "1", "1" + "+1" * 5000, "(" * 99 + "1" + ")" * 99])
def test_long_expressions_are_read(text: str) -> None:
    read(text)
