"""What the two highlighters say of a text, in words that both can be held against.

Pygments gives tokens, a TextMate grammar scopes; here both become one class for each character.
"""

from __future__ import annotations

import re
import tomllib
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
LANGUAGES = {"tungsten": ".w", "paint": ".paint"}

# The longest prefix that fits decides. In Tungsten a Name.Constant is an option's word, in Paint a direction.
TOKENS = {
    "Comment": "comment",
    "Comment.Preproc": "pragma",
    "Keyword": "keyword",
    "Keyword.Constant": "constant",
    "Keyword.Declaration": "declaration",
    "Keyword.Namespace": "declaration",
    "Keyword.Pseudo": "flag",
    "Keyword.Type": "type",
    "Literal.Number": "number",
    "Literal.String.Symbol": "symbol",
    "Literal.String": "string",
    "Name": "name",
    "Name.Attribute": "member",
    "Name.Builtin": "builtin",
    "Name.Class": "class",
    "Name.Constant": "constant",
    "Name.Decorator": "option",
    "Name.Function": "function",
    "Name.Namespace": "namespace",
    "Name.Variable": "definition",
    "Name.Variable.Magic": "placeholder",
    "Operator": "operator",
    "Operator.Word": "word operator",
    "Punctuation": "punctuation",
    "Text.Whitespace": "",
    "Text": "",
}
SCOPES = {
    "comment": "comment",
    "constant": "constant",
    "constant.numeric": "number",
    "constant.other.symbol": "symbol",
    "entity.name.function": "function",
    "entity.name.namespace": "namespace",
    "entity.name.type": "class",
    "entity.other.attribute-name": "option",
    "keyword.control": "keyword",
    "keyword.control.directive": "pragma",
    "keyword.operator": "operator",
    "keyword.operator.range": "word operator",
    "keyword.operator.swap": "word operator",
    "keyword.other.flag": "flag",
    "keyword.other.import": "declaration",
    "keyword.other.include": "declaration",
    "punctuation": "punctuation",
    "storage": "declaration",
    "string": "string",
    "support.function": "builtin",
    "support.type": "type",
    "variable.language.placeholder": "placeholder",
    "variable.other": "name",
    "variable.other.definition": "definition",
    "variable.other.member": "member",
    "variable.other.property": "member",
    "variable.parameter.index": "definition",
}


def _longest(name: str, table: dict[str, str]) -> str:
    parts = name.split(".")
    for n in range(len(parts), 0, -1):
        if ".".join(parts[:n]) in table:
            return table[".".join(parts[:n])]
    return f"?{name}"


@cache
def lexer(language: str) -> Any:
    """The lexer that pyproject.toml registers; it keeps every character of a text."""
    entries = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["entry-points"]
    module, name = entries["pygments.lexers"][language].split(":")
    return getattr(__import__(module, fromlist=[name]), name)(stripnl=False, ensurenl=False)


@cache
def grammar(language: str) -> Any:
    from .textmate import TextMate

    return TextMate.load(ROOT / "editors" / "vscode" / "syntaxes" / f"{language}.tmLanguage.json")


def by_pygments(language: str, text: str) -> list[str]:
    """The class of each character, "" for blanks."""
    classes: list[str] = []
    for token, value in lexer(language).get_tokens(text):
        classes += [_longest(str(token).removeprefix("Token."), TOKENS)] * len(value)
    return classes


def by_textmate(language: str, text: str) -> list[str]:
    """The class of each character, "" for what has no scope of its own."""
    return [
        _longest(scopes[-1].rpartition(".")[0], SCOPES) if len(scopes) > 1 and scopes[-1] != "meta.rule.paint" else ""
        for scopes in grammar(language).scopes(text)
    ]


def pieces(text: str, classes: list[str]) -> list[str]:
    """`class:text` for each run of one class; blanks end a run, but not in comments and pragmas."""

    def key(pair: tuple[str, str]) -> str:
        char, what = pair
        return "" if char.isspace() and what not in ("comment", "pragma") else what or "nothing"

    runs = [(what, "".join(c for c, _ in run)) for what, run in groupby(zip(text, classes, strict=True), key)]
    return [f"{what}:{run}" for what, run in runs if what]


def sources(language: str) -> list[Path]:
    """All sources of the tree, but not what rows of tests and builds have left in it."""
    suffix = LANGUAGES[language]
    found = [f for f in ROOT.rglob(f"*{suffix}") if not re.search(r"/(\.|test-|build/|dist/)", f.as_posix()[len(str(ROOT)):])]
    return sorted(f for f in found if f.is_file())


def documented(language: str) -> list[str]:
    """The blocks of the documentation in a language."""
    documents = sorted([ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("tutorial/*/README.md")])
    fence = re.compile(rf"^```{language}\n(.*?)^```$", re.M | re.S)
    return [block for path in documents for block in fence.findall(path.read_text(encoding="utf-8"))]
