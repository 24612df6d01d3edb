"""What the engine takes, and whether its code lies ready: asked before anything of it is imported."""

from __future__ import annotations

from fabric.timing import DEFAULT, Timing

MOST_CYCLES = 1 << 31
LONGEST = 20  # cycles of a delay; sums of delays stay below 64, which is as far as the masks of due cycles reach
STEM = "step.run_band"  # what the compiled code's files are called
WATCHED = "step.run_watched"  # and those of the code that tells watchers


def unsupported(timing: Timing = DEFAULT, cycles: int = 0) -> str | None:
    """Why the engine cannot run with this, or None."""
    from dataclasses import fields

    for field in fields(timing):
        if not 0 <= getattr(timing, field.name) <= LONGEST:
            return f"it takes delays of 0 to {LONGEST} cycles, and {field.name} is {getattr(timing, field.name)}"
    if timing.issue != 1 or timing.join < timing.task_start:
        return "it takes one issue slot a cycle, and a join that is not shorter than the start of a task"
    if cycles >= MOST_CYCLES:
        return f"it counts to {MOST_CYCLES} cycles"
    return None


def warm(watched: bool = False) -> bool:
    """The compiled code lies in the cache, `watched`: that for watchers too. Does not import the compiler."""
    from fabric.engine.cache import code_directory

    try:
        here = code_directory()
        return all(any(here.glob(f"{stem}*.nbc")) for stem in (STEM, *([WATCHED] if watched else [])))
    except OSError:
        return False
