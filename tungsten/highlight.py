"""Colors for Tungsten sources: a lexer for Pygments, which registers it as `tungsten` (`*.w`).

The only module of this package that imports Pygments, which is optional: the documentation's blocks use it, and
`pygmentize -l tungsten` does. Words are told apart as the grammar does it, by what stands around them (tungsten.md 1):
`sp` is a type in `sp x`, a member in `u.sp`; `in` is the operator in `i in [0, N)`, a socket in `in[]`.

The TextMate grammar of editors/vscode says the same once more; tests/editors compares both over all sources.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

from pygments.lexer import RegexLexer, bygroups, words
from pygments.token import (
    Comment,
    Error,
    Keyword,
    Name,
    Number,
    Operator,
    Punctuation,
    Text,
    Whitespace,
    _TokenType,
)

from tungsten.lexer import MORE, TYPE_WORDS

_NAME = rf"[^\W\d][\w{MORE}]*"
_END = rf"(?![\w{MORE}])"
_GAP = r"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)"  # blanks and comments
_TYPE = rf"(?:{'|'.join(TYPE_WORDS)}){_END}"
_SUFFIX = rf"(?::(?:{'|'.join(TYPE_WORDS[:-1])}){_END})?"


def _mark(_: RegexLexer, match: re.Match[str]) -> Iterator[tuple[int, _TokenType, str]]:
    """A combining mark outside the ranges of `MORE` goes on with the name before it; any other sign is an error."""
    sign = match.group()
    yield match.start(), Name if unicodedata.category(sign)[0] == "M" else Error, sign


class TungstenLexer(RegexLexer):
    """Tungsten, the kernel language."""

    name = "Tungsten"
    aliases = ["tungsten"]
    filenames = ["*.w"]
    mimetypes = ["text/x-tungsten"]

    tokens = {
        "root": [
            (r"[\s\ufeff]+", Whitespace),
            (r"//[^\n]*", Comment.Single),
            (r"/\*(?:[^*]|\*(?!/))*\*/", Comment.Multiline),
            (r"#[^\n{]*?(?=\s*(?://|/\*|\n|\{|\Z))", Comment.Preproc),
            (r"\[\[", Punctuation, "attributes"),
            # Places in which a word is a name whatever it is: members, indices.
            (rf"(\.)(\s*)(flip)(?={_GAP}*;)", bygroups(Punctuation, Whitespace, Keyword)),
            (rf"(\.)(\s*)({_NAME})", bygroups(Punctuation, Whitespace, Name.Attribute)),
            (
                rf"(∀|let{_END})(\s*)({_NAME})(?:(\s+)(in)(?=\s*\[))?",
                bygroups(Keyword, Whitespace, Name.Variable, Whitespace, Operator.Word),
            ),
            (rf"(import){_END}(\s+)({_NAME})", bygroups(Keyword.Namespace, Whitespace, Name.Namespace)),
            (rf"(function){_END}(\s+)({_NAME})", bygroups(Keyword.Declaration, Whitespace, Name.Function)),
            (
                rf"(struct|union){_END}(\s+)({_NAME})",
                bygroups(Keyword.Declaration, Whitespace, Name.Class),
            ),
            (
                words(("import", "typedef", "struct", "union", "function", "const", "param"), suffix=_END),
                Keyword.Declaration,
            ),
            (words(("main", "if", "else", "while", "forever", "parallel", "return", "let"), suffix=_END), Keyword),
            # Contextual words, by what follows them.
            (rf"{_TYPE}(?={_GAP}+[^\W\d]|{_GAP}*\)|:[^\W\d])", Keyword.Type),
            (rf"(?:socket|fifo|filter|iterator){_END}(?={_GAP}+[^\W\d])", Keyword.Type),
            (rf"reset{_END}(?={_GAP}+{_NAME}{_GAP}*;)", Keyword),
            (rf"dispatch{_END}(?={_GAP}*\()", Keyword),
            (rf"(?:address|bank){_END}(?={_GAP}*\()", Keyword),
            (rf"(?:wavelet|control|max|min|abs){_END}(?={_GAP}*\()", Name.Builtin),
            (rf"({_NAME})(\s+)(in)(?=\s*\[[^\]])", bygroups(Name.Variable, Whitespace, Operator.Word)),
            (r"0[xX][0-9a-fA-F]+" + _SUFFIX, Number.Hex),
            (r"0[bB][01]+" + _SUFFIX, Number.Bin),
            (
                r"(?:[0-9]+\.[0-9]*(?:[eE][+-]?[0-9]+)?|\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+[eE][+-]?[0-9]+)"
                + _SUFFIX,
                Number.Float,
            ),
            (r"[0-9]+" + _SUFFIX, Number.Integer),
            (rf"{_NAME}(?={_GAP}*\()", Name.Function),
            (_NAME, Name),
            (r"[∀∈∑]", Operator.Word),
            (r"∞", Keyword.Constant),
            (r"<\+-|←\u031f?|<-|<<|>>|[-+*<>=!]=|&&|\|\||[-+*/%&|^~!<>=?]", Operator),
            (r"[()\[\]{},;:.]", Punctuation),
            (r"[^\x00-\x7f]", _mark),
        ],
        # [[dot.state(on), id=3]]
        "attributes": [
            (r"\]\]", Punctuation, "#pop"),
            (r"\s+", Whitespace),
            (rf"({_NAME})(\s*)(=)", bygroups(Name.Decorator, Whitespace, Operator)),
            (rf"{_NAME}(?=\s*[.(])", Name.Decorator),
            (_NAME, Name.Constant),
            (r"0[xX][0-9a-fA-F]+", Number.Hex),
            (r"[0-9]+", Number.Integer),
            (r"[.,()]", Punctuation),
            (r"-", Operator),
            (r"//[^\n]*", Comment.Single),
            (r"", Text, "#pop"),
        ],
    }
