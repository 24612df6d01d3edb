"""The option tables of docs/tools.md, from the commands' own tables.

    python -m manual.tools          renews the page
    python -m manual.tools check    says whether it is up to date

A table stands between `<!-- options of NAME -->` and `<!-- end -->`; the text around it is written by hand.
"""

from __future__ import annotations

import importlib
import re
import sys
import tomllib
from pathlib import Path

from diag.driver import Command, Opt

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "tools.md"
PLACE = re.compile(r"(<!-- options of ([\w-]+) -->\n).*?(<!-- end -->)", re.S)
ALIASES = {"simfabric-sdk": "simfabric"}


def commands() -> dict[str, Command]:
    """Each command that an installation has, by name, without other names of the same."""
    scripts = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["scripts"]
    return {
        name: importlib.import_module(target.partition(":")[0]).COMMAND
        for name, target in scripts.items()
        if name not in ALIASES
    }


def _word(o: Opt) -> str:
    if o.words:
        return " ".join([o.name, *["WORD"] * o.words])
    if o.kind == "flag":
        return f"{o.name}` or `{o.name}=0|1"
    return f"{o.name}={'|'.join(o.choices) if o.choices else o.what}"


def _default(o: Opt) -> str:
    if o.required:
        return "required"
    if o.many or o.words:
        return "none; may repeat"
    if o.kind == "flag":
        return "on" if o.default else "off"
    return "none" if o.default is None else f"`{o.default}`"


def table(command: Command) -> str:
    """A command's words with meaning and default, as a table."""
    rows = [f"| `{_word(o)}` | {o.help} | {_default(o)} |" for o in command.options]
    rows += [f"| `{verb}` | {text} | |" for verb, (text, _) in command.verbs.items()]
    escaped = [re.sub(r"`[^`]*`", lambda m: m[0].replace("|", "\\|"), row) for row in rows]
    return "\n".join(["", "| word | meaning | default |", "|---|---|---|", *escaped, "", ""])


def renewed(text: str) -> str:
    """The page with its tables as the commands have them. Raises KeyError for a command that does not exist."""
    found = commands()
    return PLACE.sub(lambda m: m[1] + table(found[m[2]]) + m[3], text)


def main(argv: list[str]) -> int:
    text = PAGE.read_text(encoding="utf-8")
    if argv == ["check"]:
        return 0 if renewed(text) == text else 1
    PAGE.write_text(renewed(text), encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
