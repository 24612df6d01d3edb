"""Links between the texts of the tree, as the site has them.

A text knows its neighbours by their places in the tree (`../tutorial/11-halo/`). The site puts lessons and the texts
of the root elsewhere, so each relative link is resolved to a place in the tree and then to the page made of it. What
has no page (a test, a program) loses its link and keeps its words; that the place exists is a test of the tree.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping

FENCE = re.compile(r"^( *)```.*?^\1```[ ]*$", re.M | re.S)
LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^()\s]+)\)")


def outside_of_code(text: str, change: Callable[[str], str]) -> str:
    """`text` with `change` applied to all that stands outside of fenced blocks."""
    parts: list[str] = []
    at = 0
    for block in FENCE.finditer(text):
        parts += [change(text[at : block.start()]), block[0]]
        at = block.end()
    return "".join([*parts, change(text[at:])])


def relative(text: str, source: str, target: str, pages: Mapping[str, str]) -> str:
    """`text` of the tree's file `source` as the site's page `target`.

    `pages` maps places in the tree (files, and directories without the slash) to pages of the site, an anchor included.
    """

    def one(m: re.Match[str]) -> str:
        picture, words, link = m[1], m[2], m[3]
        if "://" in link or link.startswith(("#", "mailto:")):
            return m[0]
        path, _, anchor = link.partition("#")
        page = pages.get(posixpath.normpath(posixpath.join(posixpath.dirname(source), path)))
        if page is None:
            return words
        page, _, own = page.partition("#")
        anchor = anchor or own
        here = "" if page == target else posixpath.relpath(page, posixpath.dirname(target) or ".")
        return f"{picture}[{words}]({here}{'#' if anchor else ''}{anchor})"

    return outside_of_code(text, lambda part: LINK.sub(one, part))


def prompts(text: str) -> str:
    """Blocks of commands with their outputs, marked as sessions of a shell, so that only commands are colored."""
    return re.sub(r"^```sh$", "```console", text, flags=re.M)
