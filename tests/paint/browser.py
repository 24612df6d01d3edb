"""A page in headless chromium: its elements after the scripts have run. Where no chromium can be had, tests skip."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path

import pytest

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
WORDS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --hide-scrollbars --window-size=1400,950"
).split()
SECONDS = 120
VOID = {"meta", "link", "br", "img", "input", "hr"}


@dataclass
class Element:
    tag: str
    attributes: dict[str, str]
    children: list[Element | str] = field(default_factory=list)

    def walk(self) -> Iterator[Element]:
        yield self
        for c in self.children:
            if isinstance(c, Element):
                yield from c.walk()

    def all(self, tag: str = "", css: str = "", **attributes: str) -> list[Element]:
        """The elements below with a tag, a class and attributes (`data_x` is data-x)."""
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        return [
            e
            for e in self.walk()
            if (not tag or e.tag == tag)
            and (not css or css in e.attributes.get("class", "").split())
            and all(e.attributes.get(n) == v for n, v in wanted.items())
        ]

    def one(self, tag: str = "", css: str = "", **attributes: str) -> Element:
        (found,) = self.all(tag, css, **attributes)
        return found

    @property
    def text(self) -> str:
        parts = [c if isinstance(c, str) else c.text for c in self.children]
        return " ".join("".join(parts).split())


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.root = Element("", {})
        self.open = [self.root]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        e = Element(tag, {n: v or "" for n, v in attrs})
        self.open[-1].children.append(e)
        if tag not in VOID:
            self.open.append(e)

    def handle_endtag(self, tag: str) -> None:
        if tag not in VOID:
            while len(self.open) > 1 and self.open.pop().tag != tag:
                pass

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def read(html: str) -> Element:
    reader = _Reader()
    reader.feed(html)
    return reader.root


def opened(path: Path, address: str = "") -> Element:
    """The page as the browser has it once it is loaded."""
    chromium = next((found for name in NAMES if (found := shutil.which(name))), None)
    if chromium is None:
        pytest.skip("no chromium here: apt-get install chromium")
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [chromium, *WORDS, f"--user-data-dir={profile}", "--dump-dom", f"{path.as_uri()}#{address}"],
            capture_output=True,
            text=True,
            timeout=SECONDS,
            env={**os.environ, "HOME": profile},
            check=True,
        )
    return read(done.stdout)
