"""The grammar of Tungsten, over the letters that `tungsten.lexer` gives the tokens.

A PEG reads one simple statement, one head of a compound statement or one declaration at a time; `tungsten.reader`
puts them together and goes on after an error at the next statement. Expressions are read flat, operand by operand;
precedence is given to them afterwards, which keeps the trees small (tungsten.md 1, 2, 4).

Letters (lexer.py): `n` a name, `t` a type word, other small letters contextual words, which are names too; capital
letters reserved words; `0` a number, `#` a pragma; `⇐` the spelling `<-`, `⊕ ⊖ ⊗` the assignments += -= *=,
`« » ≤ ≥ ≡ ≠ ∧ ∨` the operators << >> <= >= == != && ||.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from tungsten.lexer import NAMES

_GRAMMAR = rf"""
assignment  = view? postfix assign expr ";"
view        = type_word ":"
assign      = "=" / "←" / "⇐" / "⊕" / "⊖" / "⊗"
evaluate    = expr ";"
flip        = name "." "p" ";"
reset       = "r" name ";"
return      = "Z" expr? ";"
import      = "I" name ";"
let         = "L" name in range ";"
decl        = decl_head item ("," item)* ";"
decl_head   = (role role &name) / (fixed type role? &name) / (role &name) / (type role? &name)
type        = record / type_word / name
record      = record_word name
record_word = "S" / "U"
fixed       = "C" / "P"
role        = "C" / "P" / (~r"[sfFi]" &name)
item        = name dim* place* init?
dim         = "[" (name "=")? expr? "]"
place       = address / bank / attributes
address     = "a" "(" "&"? expr ")"
bank        = "b" "(" expr ")"
init        = ("=" / "←" / "⇐") value
value       = plain / braces / walk / expr
plain       = ~r"-?0(?=[,}}])"
braces      = "{{" (field ("," field)* ","?)? "}}"
field       = ("." name "=")? value
walk        = level+ postfix
level       = ("∀" name in range) / (name in range) / ("∀" name)
range       = "[" expr "," limit ")"
limit       = "∞" / expr
attributes  = "[" "[" attribute ("," attribute)* "]" "]"
attribute   = (name "=" word) / (name ("." name)* "(" word ")")
word        = ("-"? "0") / any_name

record_head = record_word name? "{{"
record_tail = items? ";"
items       = item ("," item)*
typedef     = "T" type item ("," item)* ";"
typedef_rec = "T" record_head
function    = "N" name "(" parameters ")"
parameters  = (parameter ("," parameter)*)?
parameter   = type name dim*
if          = "Y" "(" expr ")"
while       = "W" "(" expr ")"
loop        = one_range / foralls
one_range   = "∀"? name in range
foralls     = ("∀" name !in)+
dispatch    = "R" "d" "(" name ")" "{{"
wavelet     = "w" "(" parameters ")"
control     = "c" "(" control_args ")"
control_args = (expr ("," parameter)?)?

expr        = operand (binary operand)* (question expr ":" expr)?
question    = "?"
binary      = ~r"[-+*/%&|^«»<>⇐≤≥≡≠∧∨]"
operand     = leaf / prefixed
leaf        = ~r"[{NAMES}0](?![\[(.])"
prefixed    = prefix* (sum / postfix)
prefix      = cast / ~r"[-~!]"
cast        = "(" type_word ")" &operand_start
            / "(" name ")" &cast_start
operand_start = ~r"[{NAMES}0(∑~!-]"
cast_start  = ~r"[{NAMES}0(∑]"
sum         = "∑" expr
postfix     = atom (more tail)*
more        = &~r"[\[(.]"
atom        = number / parens / name
parens      = "(" expr ")"
number      = "0"
tail        = subscript / member / read / call
read        = "[" "]"
subscript   = "[" expr "]"
call        = "(" arguments ")"
member      = "." name
arguments   = (expr ("," expr)*)?

in          = "∈" / "e"
type_word   = "t"
name        = ~r"[{NAMES}]"
any_name    = ~r"[{NAMES}A-Z]"
"""


@cache
def rules() -> Any:
    """The compiled grammar by rule name; made at first use, since a command's help needs none."""
    from parsimonious.grammar import Grammar

    grammar = Grammar(_GRAMMAR)
    # The parser notes how far it came at expressions with a name only: every terminal gets one.
    pending: list[Any] = list(grammar.values())
    seen: set[int] = set()
    while pending:
        one = pending.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        members = getattr(one, "members", ())
        pending += members
        if not members and not one.name:
            one.name = f"'{getattr(one, 'literal', 'terminal')}'"
    return grammar


def match(rule: str, kinds: str, at: int) -> tuple[Any, int]:
    """The node of a rule at a token, or None and the number of the token that does not fit.

    Raises RecursionError when the text is nested too deeply.
    """
    from parsimonious.exceptions import ParseError

    try:
        return rules()[rule].match(kinds, at), at
    except ParseError as e:
        return None, max(at, int(e.pos))
