"""Hypothesis strategies: every instruction that has an encoding."""

from __future__ import annotations

from hypothesis import strategies as st

from fabric.encode import Async, Instr
from fabric.isa import ARGS, FILES, FORM_DEST, FORM_SRC0, FORM_SRC1, ROWS, TYPES, Row


def _number(draw: st.DrawFn, kind: str) -> int:
    count, step = FILES[TYPES[kind].file]
    return draw(st.integers(0, count // step - 1)) * step


@st.composite
def instructions(draw: st.DrawFn, rows: tuple[Row, ...] = ROWS) -> Instr:
    row = draw(st.sampled_from(rows))
    form = draw(st.sampled_from(sorted(row.forms)))
    dsr = st.integers(0, 15)
    dest = 0
    if row.dest:
        dest = draw(dsr) if form & FORM_DEST else _number(draw, row.dest)
    last = len(row.sources) - 1
    can = row.immediate and not (last < 2 and form & (FORM_SRC0 << last))
    imm = draw(st.none() | st.integers(0, (1 << 16 * row.source_words(last)) - 1)) if can else None
    sources = [0, 0, 0]
    for k, kind in enumerate(row.sources):
        if k == last and imm is not None:
            continue
        sources[k] = draw(dsr) if k < 2 and form & (FORM_SRC0 << k) else _number(draw, kind)
    if row.kind == "alu" and len(row.sources) > 1 and form in (FORM_SRC0, FORM_SRC1):
        running = 1 if form == FORM_SRC0 else 0
        sources[running] = dest
        imm = None if running == last else imm
    args = tuple(draw(st.integers(max(ARGS[a].low, 0), ARGS[a].high)) for a in row.args)
    pred = draw(st.none() | st.integers(0, 7))
    background = None
    if row.needs_async or (form and draw(st.booleans())):
        completion = draw(st.integers(0, 3))
        task = draw(st.integers(0 if completion == 2 else 8, 30)) if completion else 0
        background = Async(draw(st.integers(0, 7)), completion, task)
    terminate = not row.jumps and draw(st.booleans())
    return Instr(row, dest, *sources, form, imm, args, pred, pred is not None and draw(st.booleans()), terminate,
                 background)  # fmt: skip
