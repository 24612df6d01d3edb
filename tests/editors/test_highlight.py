"""Editor support: the Pygments lexers and the TextMate grammars, on hand-written pieces and on all sources.

The expectations were written from the languages' descriptions (tungsten.md 1 to 6, paint.md 1 to 5). Both highlighters
have to fulfil them, and to agree on every character of every source in the tree.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from diag.report import Reporter
from diag.spans import Source

from . import classes
from .classes import LANGUAGES, ROOT, by_pygments, by_textmate, documented, lexer, pieces, sources

VSCODE = ROOT / "editors" / "vscode"
HIGHLIGHTERS = {"pygments": ("pygments", by_pygments), "textmate": ("onigurumacffi", by_textmate)}

# A text and its pieces, `class:text` with blanks between.
TUNGSTEN = {
    # comments, and what only looks like one
    "xp a; // xp b": "type:xp name:a punctuation:; comment:// xp b",
    "/* sp */a/2;": "comment:/* sp */ name:a operator:/ number:2 punctuation:;",
    "/* a\n * b */ x;": "comment:/* a\n * b */ name:x punctuation:;",
    "#pragma uthread enable on // now\n": "pragma:#pragma uthread enable on comment:// now",
    "#pragma teardown on {}": "pragma:#pragma teardown on punctuation:{}",
    # declarations
    "xp param N = 8, M;": "type:xp declaration:param name:N operator:= number:8 punctuation:, name:M punctuation:;",
    "sp const C² ← 0.25;": "type:sp declaration:const name:C² operator:← number:0.25 punctuation:;",
    "import messages;": "declaration:import namespace:messages punctuation:;",
    "typedef sp ℝ³[3];": "declaration:typedef type:sp name:ℝ³ punctuation:[ number:3 punctuation:];",
    "union nb { sp sp; xp w[2]; } p;": "declaration:union class:nb punctuation:{ type:sp name:sp punctuation:; "
    "type:xp name:w punctuation:[ number:2 punctuation:]; punctuation:} name:p punctuation:;",
    "function f(struct s v[]) { return v; }": "declaration:function function:f punctuation:( declaration:struct "
    "class:s name:v punctuation:[]) punctuation:{ keyword:return name:v punctuation:; punctuation:}",
    "xp clock[3] address(0x7b30);": "type:xp name:clock punctuation:[ number:3 punctuation:] keyword:address "
    "punctuation:( number:0x7b30 punctuation:);",
    "u32 w[4] address(&x) bank(1);": "type:u32 name:w punctuation:[ number:4 punctuation:] keyword:address "
    "punctuation:( operator:& name:x punctuation:) keyword:bank punctuation:( number:1 punctuation:);",
    "xp bank = 1;": "type:xp name:bank operator:= number:1 punctuation:;",
    "wv GO = {0b101, 6.0e-8:sp};": "type:wv name:GO operator:= punctuation:{ number:0b101 punctuation:, "
    "number:6.0e-8:sp punctuation:};",
    "x = .5 + 0.:hp + 12:u16;": "name:x operator:= number:.5 operator:+ number:0.:hp operator:+ number:12:u16 "
    "punctuation:;",
    # names with marks
    "r⃗₀ ←̟ Δx⁻¹ * ρ′;": "name:r⃗₀ operator:←̟ name:Δx⁻¹ operator:* name:ρ′ punctuation:;",
    "form = 1; ifs = 2;": "name:form operator:= number:1 punctuation:; name:ifs operator:= number:2 punctuation:;",
    # hardware objects
    "sp socket rx[[dir=in, id=3]];": "type:sp type:socket name:rx punctuation:[[ option:dir operator:= constant:in "
    "punctuation:, option:id operator:= number:3 punctuation:]];",
    "sp fifo ff = {.mem=mem};": "type:sp type:fifo name:ff operator:= punctuation:{. member:mem operator:= name:mem "
    "punctuation:};",
    "filter f[counter] = {.tick=wavelet};": "type:filter name:f punctuation:[ name:counter punctuation:] operator:= "
    "punctuation:{. member:tick operator:= name:wavelet punctuation:};",
    "iterator it = ∀i a[i];": "type:iterator name:it operator:= keyword:∀ definition:i name:a punctuation:[ name:i "
    "punctuation:];",
    "stream e; reset it; reset = 1;": "type:stream name:e punctuation:; keyword:reset name:it punctuation:; "
    "name:reset operator:= number:1 punctuation:;",
    # statements, both spellings
    "let i in [0, N);": "keyword:let definition:i word operator:in punctuation:[ number:0 punctuation:, name:N "
    "punctuation:);",
    "i ∈ [0,∞) ff[] <- rx[];": "name:i word operator:∈ punctuation:[ number:0 punctuation:, constant:∞ punctuation:) "
    "name:ff punctuation:[] operator:<- name:rx punctuation:[];",
    "k in [1, N) s <+- in[];": "definition:k word operator:in punctuation:[ number:1 punctuation:, name:N "
    "punctuation:) name:s operator:<+- name:in punctuation:[];",
    "∀i ∀j acc = ∑ a*b;": "keyword:∀ definition:i keyword:∀ definition:j name:acc operator:= word operator:∑ name:a "
    "operator:* name:b punctuation:;",
    "[[dot.state(on)]] f();": "punctuation:[[ option:dot punctuation:. option:state punctuation:( constant:on "
    "punctuation:)]] function:f punctuation:();",
    "if (a<=b && !c) x = max(a, b); else tx.flip;": "keyword:if punctuation:( name:a operator:<= name:b operator:&& "
    "operator:! name:c punctuation:) name:x operator:= builtin:max punctuation:( name:a punctuation:, name:b "
    "punctuation:); keyword:else name:tx punctuation:. keyword:flip punctuation:;",
    "u.sp = (sp) u.flip;": "name:u punctuation:. member:sp operator:= punctuation:( type:sp punctuation:) name:u "
    "punctuation:. keyword:flip punctuation:;",
    "wv:tx[] <- x;": "type:wv punctuation:: name:tx punctuation:[] operator:<- name:x punctuation:;",
    "forever dispatch (rx) { wavelet(xp x) {} control(20) {} }": "keyword:forever keyword:dispatch punctuation:( "
    "name:rx punctuation:) punctuation:{ builtin:wavelet punctuation:( type:xp name:x punctuation:) punctuation:{} "
    "builtin:control punctuation:( number:20 punctuation:) punctuation:{} punctuation:}",
    "main { parallel {} while (a>>1) {} }": "keyword:main punctuation:{ keyword:parallel punctuation:{} "
    "keyword:while punctuation:( name:a operator:>> number:1 punctuation:) punctuation:{} punctuation:}",
}
PAINT = {
    "(* a (* b *) c *) tile()": "comment:(* a (* b *) c *) builtin:tile punctuation:()",
    "let e = color(5)   let ep = color()": "declaration:let definition:e operator:= builtin:color punctuation:( number:5 "
    "punctuation:) declaration:let definition:ep operator:= builtin:color punctuation:()",
    "define lane(a b) { a : paint(b [C>R|R]) }": "declaration:define function:lane punctuation:( name:a name:b "
    "punctuation:) punctuation:{ member:a punctuation:: builtin:paint punctuation:( name:b punctuation:[ constant:C "
    "operator:> constant:R operator:| constant:R punctuation:]) punctuation:}",
    'include "x.paint"': 'declaration:include string:"x.paint"',
    "t : code('send-1.x [N:2*W tx:wire])": "member:t punctuation:: builtin:code punctuation:( symbol:'send-1.x "
    "punctuation:[ member:N punctuation:: number:2 operator:* name:W member:tx punctuation:: name:wire punctuation:])",
    "x : paint(r [L|LXC])": "member:x punctuation:: builtin:paint punctuation:( name:r punctuation:[ constant:L "
    "operator:| constant:L word operator:X constant:C punctuation:])",
    "[L>C ; C>R* ; pop=adv ring]": "punctuation:[ constant:L operator:> constant:C punctuation:; constant:C "
    "operator:> constant:R operator:* punctuation:; flag:pop=adv flag:ring punctuation:]",
    "[L>R; fabadder]": "punctuation:[ constant:L operator:> constant:R punctuation:; flag:fabadder punctuation:]",
    "arrayplace(t range(0 3) [p:@p])": "builtin:arrayplace punctuation:( name:t builtin:range punctuation:( number:0 "
    "number:3 punctuation:) punctuation:[ member:p punctuation:: placeholder:@p punctuation:])",
    "rect(0 0 NX+2 n//2-1.5)": "builtin:rect punctuation:( number:0 number:0 name:NX operator:+ number:2 name:n "
    "operator:// number:2 operator:- number:1.5 punctuation:)",
    "setif(a>=0x10 u v) lane(u v)": "builtin:setif punctuation:( name:a operator:>= number:0x10 name:u name:v "
    "punctuation:) function:lane punctuation:( name:u name:v punctuation:)",
}
EXPECTED = [
    ("tungsten" if table is TUNGSTEN else "paint", text, want)
    for table in (TUNGSTEN, PAINT)
    for text, want in table.items()
]


@pytest.mark.parametrize("highlighter", HIGHLIGHTERS)
@pytest.mark.parametrize("language, text, want", EXPECTED, ids=[text for _, text, _ in EXPECTED])
def test_pieces_have_the_classes_they_should(highlighter: str, language: str, text: str, want: str) -> None:
    module, classify = HIGHLIGHTERS[highlighter]
    pytest.importorskip(module)
    assert " ".join(pieces(text, classify(language, text))) == want


@pytest.mark.parametrize("language", LANGUAGES)
def test_lexers_take_all_sources(language: str) -> None:
    """No error token, and the tokens together are the text."""
    pytest.importorskip("pygments")
    texts = [f.read_text(encoding="utf-8") for f in sources(language)] + documented(language)
    assert len(texts) > 50
    for text in texts:
        tokens = list(lexer(language).get_tokens(text))
        assert "".join(value for _, value in tokens) == text
        wrong = [value for token, value in tokens if str(token) == "Token.Error"]
        assert not wrong, wrong


@pytest.mark.parametrize("language", LANGUAGES)
def test_both_highlighters_agree_on_all_sources(language: str) -> None:
    pytest.importorskip("pygments")
    pytest.importorskip("onigurumacffi")
    for text in [f.read_text(encoding="utf-8") for f in sources(language)] + documented(language):
        one, other = (pieces(text, classify(language, text)) for _, classify in HIGHLIGHTERS.values())
        assert one == other
        assert not any(piece.startswith(("?", "nothing:")) for piece in one), "a class without a name"


def test_the_lexer_draws_the_lines_of_the_compiler() -> None:
    """Names, numbers, comments and operators begin and end where the compiler's own lexer says."""
    pytest.importorskip("pygments")
    from tungsten.lexer import tokenize

    for file in sources("tungsten"):
        text = file.read_text(encoding="utf-8")
        tokens = tokenize(Source(str(file), text), Reporter())
        ends = {0, len(text)}
        at = 0
        for _, value in lexer("tungsten").get_tokens(text):
            at += len(value)
            ends.add(at)
        for n, kind in enumerate(tokens.kinds[:-1]):
            if kind.isalnum() or kind in "⊕⊖⊗⇐«»≤≥≡≠∧∨":
                assert {tokens.starts[n], tokens.ends[n]} <= ends, (file, tokens.text(n))


def test_a_stray_sign_is_an_error_and_a_mark_is_not() -> None:
    pytest.importorskip("pygments")
    assert [str(t) for t, _ in lexer("tungsten").get_tokens("a × b")].count("Token.Error") == 1
    assert "Token.Error" not in [str(t) for t, _ in lexer("tungsten").get_tokens("कि = 1;")]


def test_highlighting_is_not_loaded_by_the_tools() -> None:
    """Pygments is optional: no command needs it."""
    code = (
        "import sys; sys.modules['pygments'] = None; import pkgutil, importlib\n"
        "for p in ('diag', 'fabric', 'tungsten', 'carbide', 'paint'):\n"
        "    for m in pkgutil.iter_modules(importlib.import_module(p).__path__, p + '.'):\n"
        "        if not m.name.endswith('.highlight') and '.cmd' not in m.name: importlib.import_module(m.name)\n"
    )
    run = subprocess.run([sys.executable, "-c", code], cwd=ROOT, text=True, capture_output=True)
    assert run.returncode == 0, run.stderr


def test_the_extension_is_whole() -> None:
    """Every file that package.json names is there and is JSON, and snippets are snippets."""
    package = json.loads((VSCODE / "package.json").read_text(encoding="utf-8"))
    contributes = package["contributes"]
    languages = {entry["id"]: entry for entry in contributes["languages"]}
    assert {name: entry["extensions"] for name, entry in languages.items()} == {
        name: [suffix] for name, suffix in LANGUAGES.items()
    }
    for entry in contributes["grammars"]:
        found = json.loads((VSCODE / entry["path"]).read_text(encoding="utf-8"))
        assert found["scopeName"] == entry["scopeName"]
    named = [entry["configuration"] for entry in languages.values()]
    for path in named + [entry["path"] for entry in contributes["snippets"]]:
        json.loads((VSCODE / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_snippets_are_of_the_language(language: str) -> None:
    """What a snippet inserts, with its placeholders filled in, has no sign that the language does not know."""
    pytest.importorskip("pygments")
    snippets = json.loads((VSCODE / "snippets" / f"{language}.json").read_text(encoding="utf-8"))
    for snippet in snippets.values():
        body = snippet["body"] if isinstance(snippet["body"], str) else "\n".join(snippet["body"])
        text = re.sub(r"\$(\d)", "a", re.sub(r"\$\{\d:([^}]*)\}", r"\1", body))
        assert "Error" not in " ".join(str(t) for t, _ in lexer(language).get_tokens(text)), text


def test_the_kernel_snippet_compiles(tmp_path: Path) -> None:
    import tungsten

    snippets = json.loads((VSCODE / "snippets" / "tungsten.json").read_text(encoding="utf-8"))
    body = "\n".join(snippets["kernel"]["body"])
    filled = dict(re.findall(r"\$\{(\d):([^}]*)\}", body))
    text = re.sub(r"\$\{(\d):[^}]*\}|\$(\d)", lambda m: filled[m[1] or m[2]], body)
    (tmp_path / "k.w").write_text(text, encoding="utf-8")
    reporter = Reporter()
    tungsten.load(str(tmp_path / "k.w"), [], {}, reporter)
    assert not reporter.errors


def test_the_problem_matcher_reads_our_messages() -> None:
    """As the commands print them, and as make shows them of a row that failed."""
    package = json.loads((VSCODE / "package.json").read_text(encoding="utf-8"))
    pattern = package["contributes"]["problemMatchers"][0]["pattern"]
    for line, file in [
        ("add.w:6:19: error TW021: unknown name 'bb'", "add.w"),
        ("| ../recv.w:6:19: error TW021: unknown name 'bb'", "recv.w"),
        ("/home/u/my kernels/k.w:6:19: error TW021: unknown name 'bb'", "/home/u/my kernels/k.w"),
    ]:
        found = re.match(pattern["regexp"], line)
        assert found, line
        values = [found[pattern[key]] for key in ("file", "line", "column", "severity", "code", "message")]
        assert values == [file, "6", "19", "error", "TW021", "unknown name 'bb'"]


def test_all_functions_and_types_are_known_to_the_grammars() -> None:
    """A new function of Paint or type of Tungsten must be added to the TextMate grammars by hand."""
    pytest.importorskip("onigurumacffi")
    from paint.names import FUNCTIONS
    from tungsten.lexer import TYPE_WORDS

    for name in FUNCTIONS:
        assert classes.by_textmate("paint", f"{name}(")[0] == "builtin", name
    for name in TYPE_WORDS:
        assert classes.by_textmate("tungsten", f"{name} x;")[0] == "type", name
