"""The error catalogue: cause and cure of each code, for a terminal and for the manual.

`paint explain=TW021` (any command takes `explain=`) prints one entry. `python -m diag.catalogue` prints the page of
the manual, `python -m diag.catalogue TW021 PT5` entries of these codes, or of all that begin so. Both come from the
table in diag/codes.py, so that a code can't be without its entry.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Mapping, Sequence

from diag.codes import Code, table
from diag.report import fail, suggest

# Who speaks, by the letters of a code: heading and introduction of its chapter, in the order of the page.
SPEAKERS = {
    "DG": ("All commands", "The words of a command line, and files that can't be read or written."),
    "TW": ("Tungsten", "What `carbide` and `paint` say about a kernel; [tungsten.md](tungsten.md) is the language."),
    "CB": ("Carbide", "What does not fit into a tile or its instructions; [compiler.md](compiler.md) tells why."),
    "PT": ("Paint", "Layouts, colors and routes; see [paint.md](paint.md), [colors.md](colors.md), [checks.md](checks.md)."),
    "FB": ("Machine, files, simulator", "Images, ELF files, maps, assembly, and runs; see [simfabric.md](simfabric.md)."),
}
HEAD = """\
# Error catalogue

Every error and warning has a code: what it means, where it comes from, and what to do about it. The same stands behind
`explain=` of every command:

    $ paint explain=TW021

Words in capitals stand for what the message names. An error ends a command with exit code 1 and leaves no file half
written; a warning lets it go on. A message that does not tell enough is a defect of the toolchain.
"""


def plain(text: str) -> str:
    """A template as a reader sees it: `{name}` becomes NAME, doubled braces single ones."""
    shown = re.sub(r"(?<!\{)\{(\w+)(?:[!:][^{}]*)?\}(?!\})", lambda m: m[1].upper(), text)
    return shown.replace("{{", "{").replace("}}", "}")


def entry(code: Code) -> str:
    """What `explain=` prints."""
    return (
        f"{code.code} ({code.severity}): {plain(code.text)}\n"
        f"  cause: {plain(code.cause)}\n"
        f"  cure:  {plain(code.cure)}"
    )


def find(name: str) -> Code:
    """The code of that name, in any case. Raises UserError (DG011)."""
    code = table().get(name.strip().upper())
    if code is None:
        raise fail("DG011", name=name, hint=suggest(name.upper(), table()))
    return code


def page(examples: Mapping[str, str] | None = None) -> str:
    """The catalogue as Markdown: a chapter for each speaker, a heading with an anchor (`#tw021`) for each code.

    `examples` are messages as they are printed, by code.
    """
    parts = [HEAD]
    rows = sorted(table().values(), key=lambda c: c.code)
    unknown = {row.code[:2] for row in rows} - set(SPEAKERS)
    if unknown:
        raise ValueError(f"no chapter for {', '.join(sorted(unknown))}")
    for letters, (title, text) in SPEAKERS.items():
        parts.append(f"## {title}\n\n{text}\n")
        for row in rows:
            if row.code.startswith(letters):
                parts.append(_section(row, (examples or {}).get(row.code)))
    return "\n".join(parts)


def _section(row: Code, example: str | None) -> str:
    lines = [
        f"### {row.code} {{ #{row.code.lower()} }}",
        "",
        f"**{row.severity}**: {_escaped(plain(row.text))}",
        "",
        f"- *Cause*: {_escaped(plain(row.cause))}",
        f"- *Cure*: {_escaped(plain(row.cure))}",
        "",
    ]
    if example is not None:
        lines += ["```text", example.rstrip("\n"), "```", ""]
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Message text as Markdown: what would be markup stands for itself; what is in backquotes stays as it is."""
    parts = re.split(r"(`[^`]*`)", text)
    return "".join(p if p.startswith("`") else re.sub(r"([\\*_\[\]<>#|{}])", r"\\\1", p) for p in parts)


def collect(texts: Iterable[str]) -> dict[str, str]:
    """The first message of each code that stands in `texts`, as printed: headline and the indented lines below."""
    found: dict[str, str] = {}
    message = re.compile(r"^(?:\S+: )?(?:error|warning) ([A-Z]{2}\d{3}): .*\n?(?:  .*\n?)*", re.M)
    for text in texts:
        for m in message.finditer(text):
            found.setdefault(m[1], m[0])
    return found


def main(argv: Sequence[str] | None = None) -> int:
    """Prints the page, or the entries of the codes that begin with the given words; 1 when there is none."""
    words = [w.upper() for w in (sys.argv[1:] if argv is None else argv)]
    if not words:
        print(page())
        return 0
    rows = [row for row in table().values() if row.code.startswith(tuple(words))]
    print("\n\n".join(map(entry, sorted(rows, key=lambda c: c.code))) or f"no code begins with {' or '.join(words)}")
    return 0 if rows else 1


if __name__ == "__main__":
    raise SystemExit(main())
