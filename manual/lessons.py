"""The lessons as pages: each README, and below it the files of the project.

The lessons have one list, the directories of tutorial/; their titles are the READMEs' first lines.
"""

from __future__ import annotations

from pathlib import Path

PICTURES = (".png", ".svg", ".jpg")
# What a file of a lesson is, for coloring; others (data) are not shown.
KINDS = {".paint": "paint", ".w": "tungsten", ".py": "python", "Makefile": "make", ".rc": "sh", ".s": "text"}
ORDER = (".paint", ".w", ".s", "Makefile", ".rc", ".py")


def all_lessons(root: Path) -> list[Path]:
    return sorted(f.parent for f in root.glob("tutorial/*/README.md"))


def _kind(file: Path) -> str:
    return file.name if file.name in KINDS else file.suffix


def sources(lesson: Path) -> list[Path]:
    """The files of a lesson that a reader wants to see: layout, kernels, then what runs and checks them."""
    files = [f for f in lesson.iterdir() if f.is_file() and _kind(f) in KINDS]
    return sorted(files, key=lambda f: (ORDER.index(_kind(f)), f.name))


def pictures(lesson: Path) -> list[Path]:
    return sorted(f for f in lesson.iterdir() if f.suffix in PICTURES)


def _anchor(file: Path) -> str:
    return "file-" + file.name.lower().replace(".", "-")


def title(lesson: Path) -> str:
    return (lesson / "README.md").read_text(encoding="utf-8").partition("\n")[0].lstrip("# ")


def titles(root: Path) -> list[tuple[str, str]]:
    """(title, page) of each lesson, in order."""
    return [(title(lesson), f"lessons/{lesson.name}.md") for lesson in all_lessons(root)]


def pages(root: Path) -> dict[str, str]:
    """Places of the lessons in the tree, and the pages made of them; a source leads to its place on the page."""
    found: dict[str, str] = {}
    for lesson in all_lessons(root):
        here, page = f"tutorial/{lesson.name}", f"lessons/{lesson.name}.md"
        found |= {here: page, f"{here}/README.md": page}
        found |= {f"{here}/{f.name}": f"{page}#{_anchor(f)}" for f in sources(lesson)}
        found |= {f"{here}/{f.name}": f"lessons/{lesson.name}/{f.name}" for f in pictures(lesson)}
    return found


def page(lesson: Path) -> str:
    """The README, then the sources as they run."""
    parts = [(lesson / "README.md").read_text(encoding="utf-8").rstrip(), "", "## The files", ""]
    for file in sources(lesson):
        text = file.read_text(encoding="utf-8").rstrip()
        parts += [f"### {file.name} {{ #{_anchor(file)} }}", "", f"```{KINDS[_kind(file)]}", text, "```", ""]
    return "\n".join(parts)
