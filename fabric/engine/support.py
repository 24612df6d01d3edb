"""What the engine takes, and whether its code lies ready: asked before anything of it is imported."""

from __future__ import annotations

from fabric.timing import DEFAULT, Timing

MOST_CYCLES = (1 << 31) - (1 << 21)  # cycles are 31-bit numbers, and the longest delay lies behind the last one
LONGEST = 1 << 20  # cycles of a delay
REACH = 60  # cycles: how far ahead a router's work may lie (the masks of due cycles have 64 bits)
# What is due so far ahead: wavelets on their way, and completions, of which a core holds a number.
AHEAD = (
    ("hop", "fabric_adder"),
    ("decode_to_execute", "execute_to_output_queue", "output_queue_to_router"),
    ("router_to_input_queue", "input_queue_to_wake"),
    ("decode_to_execute", "microthread_done", "join"),
)
STEM = "step.run_band"  # what the compiled code's files are called
WATCHED = "step.run_watched"  # and those of the code that tells watchers


def unsupported(timing: Timing = DEFAULT) -> str | None:
    """Why the engine cannot run with this, or None."""
    from dataclasses import fields

    for field in fields(timing):
        if not 0 <= getattr(timing, field.name) <= LONGEST:
            return f"it takes delays of 0 to {LONGEST} cycles, and {field.name} is {getattr(timing, field.name)}"
    for names in AHEAD:
        total = sum(getattr(timing, name) for name in names)
        if total > REACH:
            return f"{' + '.join(names)} are {total} cycles, and it looks no more than {REACH} ahead"
    return None


def warm(watched: bool = False) -> bool:
    """The compiled code lies in the cache, `watched`: that for watchers too. Does not import the compiler."""
    from fabric.engine.cache import code_directory

    try:
        here = code_directory()
        return all(any(here.glob(f"{stem}*.nbc")) for stem in (STEM, *([WATCHED] if watched else [])))
    except OSError:
        return False
