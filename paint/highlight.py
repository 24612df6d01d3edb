"""Colors for Paint sources: a lexer for Pygments, which registers it as `paint` (`*.paint`).

The only module of this package that imports Pygments, which is optional: the documentation's blocks use it, and
`pygmentize -l paint` does. What is a rule and what is a name is taken from the grammar (paint.md 1).

The TextMate grammar of editors/vscode says the same once more; tests/editors compares both over all sources.
"""

from __future__ import annotations

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import (
    Comment,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    String,
    Text,
    Whitespace,
)

from paint.grammar import ID, ID_END, RULE
from paint.names import FUNCTIONS
from paint.rules import FLAGS

_FLAGS = "|".join(sorted(FLAGS, key=len, reverse=True))


class PaintLexer(RegexLexer):
    """Paint, the layout language."""

    name = "Paint"
    aliases = ["paint"]
    filenames = ["*.paint"]
    mimetypes = ["text/x-paint"]

    tokens = {
        "root": [
            (r"\s+", Whitespace),
            (r"\(\*", Comment.Multiline, "comment"),
            (rf"(include){ID_END}", Keyword.Namespace),
            (rf"(let){ID_END}(\s+)({ID})", bygroups(Keyword.Declaration, Whitespace, Name.Variable)),
            (rf"(define){ID_END}(\s+)({ID})", bygroups(Keyword.Declaration, Whitespace, Name.Function)),
            (rf"(?:let|define){ID_END}", Keyword.Declaration),
            (rf"(?={RULE})\[", Punctuation, "rule"),
            (r"'[\w.\-]+", String.Symbol),
            (r'"[^"\n]*"', String.Double),
            (rf"@{ID}", Name.Variable.Magic),
            (r"0[xX][0-9a-fA-F]+" + ID_END, Number.Hex),
            (r"(?:[0-9]+\.[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?" + ID_END, Number.Float),
            (r"[0-9]+[eE][+-]?[0-9]+" + ID_END, Number.Float),
            (r"[0-9]+" + ID_END, Number.Integer),
            (words(tuple(FUNCTIONS), suffix=rf"{ID_END}(?=\s*\()"), Name.Builtin),
            (rf"{ID}(?=\()", Name.Function),
            # A parameter or a socket in the list of code(), the region of a directive.
            (rf"({ID})(\s*)(:)", bygroups(Name.Attribute, Whitespace, Punctuation)),
            (ID, Name),
            (r"<=|>=|==|!=|//|[-+*/%<>=]", Operator),
            (r"[()\[\]{}:]", Punctuation),
        ],
        # [C>R|R; U>D*; pop=adv ring]
        "rule": [
            (r"\]", Punctuation, "#pop"),
            (r"\s+", Whitespace),
            (rf"(?:{_FLAGS}){ID_END}", Keyword.Pseudo),
            (r"[HVX]", Operator.Word),
            (r"[CLRUD]+", Name.Constant),
            (r"[>|*]", Operator),
            (r";", Punctuation),
            (r"", Text, "#pop"),
        ],
        "comment": [
            (r"\(\*", Comment.Multiline, "#push"),
            (r"\*\)", Comment.Multiline, "#pop"),
            (r"[^(*]+|[(*]", Comment.Multiline),
        ],
    }
