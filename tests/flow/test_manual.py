"""The manual as a site: all pages have their place, generated parts are up to date, links go over; and it builds."""

from __future__ import annotations

import html
import os
import re
import subprocess
import sys
from pathlib import Path
from urllib.parse import unquote

import pytest

from diag.codes import table
from manual import lessons, links, tools

from .doc_blocks import DOCUMENTS, ROOT, prose


def test_option_tables_are_the_commands() -> None:
    text = tools.PAGE.read_text(encoding="utf-8")
    assert tools.renewed(text) == text, "python -m manual.tools renews docs/tools.md"
    named = re.findall(r"<!-- options of ([\w-]+) -->", text)
    assert sorted(named) == sorted(tools.commands())
    for name in named:
        assert re.search(rf"^## .*\b{name}\b", text, re.M), name


def test_a_table_has_word_meaning_default() -> None:
    rows = tools.table(tools.commands()["carbide"]).splitlines()
    assert "| `source=FILE` | the kernel, name.w, or assembly, name.s | required |" in rows
    assert "| `opt=1\\|2` | 1 keeps the order of statements, 2 schedules across them | `1` |" in rows
    assert "| `verbose` or `verbose=0\\|1` | print the sizes | off |" in rows


def test_every_page_is_in_the_navigation() -> None:
    nav = (ROOT / "mkdocs.yml").read_text(encoding="utf-8").partition("\nnav:\n")[2]
    named = re.findall(r"[\w-]+\.md", nav)
    assert len(named) == len(set(named))
    made = {"index.md", "errors.md", "contributing.md", "changelog.md", "license.md"}
    assert set(named) == made | {f.name for f in (ROOT / "docs").glob("*.md")}
    assert "  - lessons/\n" in nav


def test_links_to_codes_name_codes() -> None:
    for path in DOCUMENTS:
        for code in re.findall(r"errors\.md#(\w+)", prose(path)):
            assert code.upper() in table(), f"{path.name}: {code}"


PLACES = {
    "docs/make.md": "make.md",
    "README.md": "index.md",
    "tutorial": "lessons/index.md",
    "tutorial/03-stream": "lessons/03-stream.md",
    "tutorial/03-stream/send.w": "lessons/03-stream.md#file-send-w",
    "tutorial/03-stream/a.png": "lessons/03-stream/a.png",
}


@pytest.mark.parametrize(
    ("source", "target", "text", "expected"),
    [
        ("docs/start.md", "start.md", "[a](make.md)", "[a](make.md)"),
        ("docs/start.md", "start.md", "[a](make.md#x)", "[a](make.md#x)"),
        ("docs/start.md", "start.md", "[all](../tutorial/) and [r](../README.md)", "[all](lessons/index.md) and [r](index.md)"),
        ("README.md", "index.md", "[m](docs/make.md), [t](tests/flow/)", "[m](make.md), t"),
        ("tutorial/04-relay/README.md", "lessons/04-relay.md", "[x](../../docs/make.md)", "[x](../make.md)"),
        ("tutorial/04-relay/README.md", "lessons/04-relay.md", "[x](../03-stream/)", "[x](03-stream.md)"),
        ("tutorial/03-stream/README.md", "lessons/03-stream.md", "[x](send.w)", "[x](#file-send-w)"),
        ("tutorial/03-stream/README.md", "lessons/03-stream.md", "![x](a.png)", "![x](03-stream/a.png)"),
        ("docs/start.md", "start.md", "[w](https://a.b/c) [h](#here)", "[w](https://a.b/c) [h](#here)"),
        ("docs/start.md", "start.md", "```sh\n[a](none)\n```\n", "```sh\n[a](none)\n```\n"),
    ],
)
def test_links_go_over_to_the_site(source: str, target: str, text: str, expected: str) -> None:
    assert links.relative(text, source, target, PLACES) == expected


def test_every_lesson_is_a_page_with_its_files() -> None:
    names = [lesson.name for lesson in lessons.all_lessons(ROOT)]
    assert names == sorted(f.parent.name for f in ROOT.glob("tutorial/*/test.rc")) and len(names) >= 24
    index = (ROOT / "tutorial" / "README.md").read_text(encoding="utf-8")
    for lesson in lessons.all_lessons(ROOT):
        assert f"]({lesson.name}/)" in index
        page = lessons.page(lesson)
        for file in [*lesson.glob("*.w"), lesson / "bench.paint", lesson / "Makefile", lesson / "check.py"]:
            assert f"### {file.name} {{ #" in page and file.read_text(encoding="utf-8").rstrip() in page


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("mkdocs")
    pytest.importorskip("material")
    out = tmp_path_factory.mktemp("site")
    run = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "-d", str(out)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=300,
    )
    assert run.returncode == 0 and not run.stdout.strip(), run.stdout
    return out


def test_the_site_builds_without_a_warning_and_its_links_hold(site: Path) -> None:
    pages = {f: f.read_text(encoding="utf-8") for f in site.rglob("*.html") if f.name != "404.html"}
    ids = {f: set(re.findall(r' id="([^"]+)"', text)) for f, text in pages.items()}
    assert len(pages) > 50
    for file, text in pages.items():
        for link in re.findall(r'(?:href|src)="([^"]+)"', text.partition("</head>")[2]):
            path, _, anchor = unquote(html.unescape(link)).partition("#")
            if "://" in path or path.startswith(("mailto:", "data:", "javascript:")):
                continue
            place = (file.parent / path.partition("?")[0]).resolve() if path else file
            place = place / "index.html" if place.is_dir() else place
            assert place.exists(), f"{file.relative_to(site)}: {link}"
            if anchor and place in ids and not anchor.startswith("__"):
                assert anchor in ids[place], f"{file.relative_to(site)}: {link}"


def test_the_site_has_the_catalogue_with_examples(site: Path) -> None:
    page = (site / "errors.html").read_text(encoding="utf-8")
    for code in table():
        assert f'id="{code.lower()}"' in page
    assert page.count('class="highlight"') > 0.8 * len(table())  # most codes have a message from a golden test


def test_kernels_and_layouts_are_colored(site: Path) -> None:
    """By the project's own lexers, where it is installed and not only in the path."""
    from pygments.plugin import find_plugin_lexers

    if not {"Tungsten", "Paint"} <= {lexer.name for lexer in find_plugin_lexers()}:
        pytest.skip("the lexers are not installed")
    assert re.search(r'<span class="k\w*">param</span>', (site / "tungsten.html").read_text(encoding="utf-8"))
    assert re.search(r'<span class="k\w*">let</span>', (site / "paint.html").read_text(encoding="utf-8"))
