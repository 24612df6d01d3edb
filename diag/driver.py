"""The driver of all commands: `key=value` words and bare words in any order, help, version, exit codes.

Exit codes (tools.md): 0 done, 1 the user's input is wrong or a check failed, 2 a fault of the tool, 130
interrupted. Messages go to stderr.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from diag.report import UserError, fail, render, suggest

VERSION = "0.1.0"


@dataclass(frozen=True)
class Opt:
    """One option.

    kind: "str", "path", "int", "float", "flag" (a bare word, also as name=0|1), or "choice".
    many: may repeat; its value is a list. words: for bare words that take following words
    (`toolname w carbide`), the number of words; its value is a list of tuples.
    """

    name: str
    help: str
    default: object = None
    kind: str = "str"
    required: bool = False
    many: bool = False
    choices: tuple[str, ...] = ()
    low: int | None = None
    high: int | None = None
    words: int = 0
    what: str = "VALUE"


@dataclass(frozen=True)
class Command:
    """A command: its options, its sub-commands (bare first words) and the function that runs it.

    `run` takes the options as a dict and returns an exit code.
    """

    name: str
    summary: str
    options: tuple[Opt, ...]
    run: Callable[[dict[str, object]], int]
    example: str = ""
    verbs: dict[str, tuple[str, Callable[[], int]]] = field(default_factory=dict)


def usage(command: Command) -> str:
    """The text of `X help`: every option with its default."""
    lines = [f"{command.name}: {command.summary}", ""]
    if command.example:
        lines += [f"  {command.example}", ""]
    rows: list[tuple[str, str]] = []
    for o in command.options:
        if o.words:
            left = " ".join([o.name, *["WORD"] * o.words])
        elif o.kind == "flag":
            left = o.name
        else:
            left = f"{o.name}={'|'.join(o.choices) if o.choices else o.what}"
        right = o.help
        if o.required:
            right += " (required)"
        elif o.many or o.words:
            right += " (may repeat)"
        elif o.kind == "flag":
            right += " (off)" if not o.default else " (on)"
        elif o.default is not None:
            right += f" (default {o.default})"
        rows.append((left, right))
    for verb, (text, _) in command.verbs.items():
        rows.append((verb, text))
    rows += [("explain=CODE", "print cause and cure of a message's code"), ("help", "print this text")]
    rows.append(("version", "print the version"))
    wide = max(len(left) for left, _ in rows)
    wide = min(wide, 34)
    for left, right in rows:
        if len(left) > wide:
            lines += [f"  {left}", f"  {'':{wide}}  {right}"]
        else:
            lines.append(f"  {left:{wide}}  {right}")
    lines += ["", "Exit codes: 0 done, 1 wrong input or a failed check, 2 a fault of the tool, 130 interrupted."]
    return "\n".join(lines)


def _value(command: Command, o: Opt, text: str) -> object:
    if text == "" and o.kind != "str":
        raise fail("DG010", name=o.name)
    if o.kind in ("int", "float"):
        try:
            value: float = int(text, 0) if o.kind == "int" else float(text)
        except ValueError:
            raise fail("DG004", name=o.name, value=text, why="not a number") from None
        if o.low is not None and value < o.low:
            raise fail("DG004", name=o.name, value=text, why=f"the least is {o.low}")
        if o.high is not None and value > o.high:
            raise fail("DG004", name=o.name, value=text, why=f"the most is {o.high}")
        return value
    if o.choices and text not in o.choices:
        hint = suggest(text, o.choices)
        raise fail("DG004", name=o.name, value=text, why="it takes " + ", ".join(o.choices), hint=hint)
    if o.kind == "flag":
        if text not in ("0", "1"):
            raise fail("DG004", name=o.name, value=text, why="it takes 0 or 1")
        return text == "1"
    return text


def parse(command: Command, argv: Sequence[str]) -> dict[str, object]:
    """The options of a command line. Raises UserError (DG001 to DG006, DG010)."""
    by_name = {o.name: o for o in command.options}
    found: dict[str, object] = {}
    raw: dict[str, str] = {}
    i = 0
    while i < len(argv):
        word = argv[i]
        i += 1
        key, eq, text = word.partition("=")
        key = key.strip().lstrip("-") if eq else word.lstrip("-")
        o = by_name.get(key)
        if o is None:
            code = "DG001" if eq or word.startswith("-") else "DG006"
            hint = suggest(key, by_name) or f"`{command.name} help` lists the options"
            first = command.options[0].name if command.options else ""
            if not eq and "." in word and first in ("source", "elf", "image"):
                hint = f"files are named by option: {first}={word}"
            raise fail(code, name=key, word=word, command=command.name, hint=hint)
        if o.words:
            if eq or i + o.words > len(argv):
                raise fail("DG002", name=key, what=" ".join(["WORD"] * o.words))
            previous = found.setdefault(key, [])
            assert isinstance(previous, list)
            previous.append(tuple(argv[i : i + o.words]))
            i += o.words
            continue
        if not eq:
            if o.kind != "flag":
                raise fail("DG002", name=key, what=o.what)
            found[key] = True
            continue
        value = _value(command, o, text)
        if o.many:
            values = found.setdefault(key, [])
            assert isinstance(values, list)
            values.append(value)
        elif key in found and raw.get(key) != text:
            raise fail("DG005", name=key, first=raw.get(key, ""), second=text)
        else:
            found[key] = value
            raw[key] = text
    for o in command.options:
        if o.name in found:
            continue
        if o.required:
            raise fail("DG003", name=o.name, command=command.name, hint=command.example or None)
        found[o.name] = [] if o.many or o.words else (bool(o.default) if o.kind == "flag" else o.default)
    return found


def _explain(words: Sequence[str]) -> int:
    """Prints the catalogue's entries. Raises UserError (DG006, DG011)."""
    from diag.catalogue import entry, find

    for word in words:
        if not word.startswith("explain="):
            raise fail("DG006", name=word, word=word, command="explain", hint="explain=CODE takes no other words")
    codes = [find(word.partition("=")[2]) for word in words]
    print("\n\n".join(map(entry, codes)), flush=True)
    return 0


def main(command: Command, argv: Sequence[str] | None = None) -> int:
    """Runs a command and returns its exit code; what a user typed never ends in a traceback."""
    words = list(sys.argv[1:] if argv is None else argv)
    try:
        if not words or words[0] in ("help", "--help", "-h"):
            print(usage(command), flush=True)
            return 0
        if words[0] in ("version", "--version"):
            print(f"{command.name} (open-tungsten) {VERSION}", flush=True)
            return 0
        if words[0].startswith("explain="):
            return _explain(words)
        if words[0] in command.verbs and len(words) == 1:
            return command.verbs[words[0]][1]()
        return command.run(parse(command, words))
    except UserError as e:
        for d in e.diagnostics:
            print(render(d) if d.span else f"{command.name}: {render(d)}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{command.name}: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:  # the reader (head, less) has enough; nothing is to be said at exit either
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except Exception:  # a fault of the tool, not of the user: say so, with what a report needs
        import traceback

        print(f"{command.name}: internal fault; please report it with the text below", file=sys.stderr)
        traceback.print_exc()
        return 2
