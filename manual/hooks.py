"""Hooks of mkdocs: pages that are made when the site is built.

- errors.md: the error catalogue, from the table in diag, with an example of each message from the golden tests
- lessons/: the tutorial's READMEs and, below each lesson's, its sources; their pictures
- index.md, changelog.md, contributing.md, license.md: texts of the root
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

from mkdocs.structure.files import File, Files

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))  # mkdocs runs hooks by path; the packages of this very tree are documented

from diag import catalogue  # noqa: E402
from manual import lessons, links  # noqa: E402

TEXTS = {
    "README.md": "index.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "tutorial/README.md": "lessons/index.md",
}
GOLDEN = ("tungsten/*.txt", "carbide/**/*.txt", "paint/messages/*", "paint/cases/**/*.out", "fabric/**/*.txt")


def pages() -> dict[str, str]:
    """Places in the tree and the pages of the site that are made of them."""
    found = {f"docs/{f.name}": f.name for f in (ROOT / "docs").glob("*.md")}
    made = {"docs/errors.md": "errors.md", "LICENSE": "license.md", "tutorial": TEXTS["tutorial/README.md"]}
    return {**found, **TEXTS, **lessons.pages(ROOT), **made}


def examples() -> dict[str, str]:
    """A message of each code, as a test of the tree has it."""
    files = sorted(f for pattern in GOLDEN for f in (ROOT / "tests").glob(pattern) if f.is_file())
    return catalogue.collect(f.read_text(encoding="utf-8") for f in files)


def on_config(config: Any) -> Any:
    """Puts the lessons into the navigation, in the order of their numbers."""
    entries = [{"All lessons": TEXTS["tutorial/README.md"]}, *({title: uri} for title, uri in lessons.titles(ROOT))]
    config["nav"] = [{"Lessons": entries} if item == "lessons/" else item for item in config["nav"] or []]
    return config


def on_files(files: Files, config: Any) -> Files:
    """Adds the pages that docs/ does not hold."""

    def add(uri: str, content: str) -> None:
        files.append(File.generated(config, uri, content=content))

    add("errors.md", catalogue.page(examples()))
    add("license.md", "# License\n\n```text\n" + (ROOT / "LICENSE").read_text(encoding="utf-8") + "```\n")
    places = pages()
    for source, uri in TEXTS.items():
        add(uri, links.relative((ROOT / source).read_text(encoding="utf-8"), source, uri, places))
    for lesson in lessons.all_lessons(ROOT):
        uri = f"lessons/{lesson.name}.md"
        text = lessons.page(lesson)
        add(uri, links.relative(text, f"tutorial/{lesson.name}/README.md", uri, places))
        for picture in lessons.pictures(lesson):
            files.append(File.generated(config, f"lessons/{lesson.name}/{picture.name}", abs_src_path=str(picture)))
    return files


def on_page_markdown(markdown: str, *, page: Any, config: Any, files: Files) -> str:
    """Links of docs/ to other places of the tree; commands and outputs as sessions."""
    uri = page.file.src_uri
    if (ROOT / "docs" / uri).exists():
        markdown = links.relative(markdown, f"docs/{uri}", uri, pages())
    return links.prompts(re.sub(r"^<!--.*?-->\n", "", markdown, flags=re.M | re.S))
