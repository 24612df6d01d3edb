"""What a core has to do in later cycles: completions of microthreads, delayed activations, teardowns.

An event is (cycle, order, action, task); the earliest acts first, then the one that was put in first.
"""

from __future__ import annotations

from fabric.engine.access import const, ld8, ld32, ld64, st8, st32
from fabric.engine.jit import inline, jit
from fabric.engine.layout import (
    C_EXT,
    EVENT,
    EVENTS,
    HOT_EVENTS,
    NEVER,
    R_EVENT,
    R_EVENT_COUNT,
    R_EVENTS,
    V_CYCLE,
    V_ORDER,
    V_WHAT,
    X_EVENT,
)
from fabric.engine.slots import fail


@inline
def place(s: int, r: int, k: int) -> int:
    """The address of event number k."""
    if k < HOT_EVENTS:
        return r + R_EVENT + k * EVENT
    return ld64(s + C_EXT) + X_EVENT + (k - HOT_EVENTS) * EVENT


@jit
def later(s: int, r: int, cycle: int, action: int, task: int) -> None:
    """Adds an event."""
    n = ld8(r + R_EVENTS)
    if n >= EVENTS:
        fail(s, r, const(-2), const(0), const(0), const(0))
        return
    order = ld32(r + R_EVENT_COUNT) + 1
    st32(r + R_EVENT_COUNT, order)
    a = place(s, r, n)
    st32(a + V_CYCLE, cycle)
    st32(a + V_ORDER, order)
    st32(a + V_WHAT, action << 8 | task)
    st8(r + R_EVENTS, n + 1)


@jit
def first_event(s: int, r: int) -> int:
    """The number of the event that comes first, -1 when there is none."""
    best, cycle, order = -1, NEVER, NEVER
    for k in range(ld8(r + R_EVENTS)):
        a = place(s, r, k)
        c, o = ld32(a + V_CYCLE), ld32(a + V_ORDER)
        if c < cycle or (c == cycle and o < order):
            best, cycle, order = k, c, o
    return best


@jit
def next_event(s: int, r: int) -> int:
    """The cycle of the next event, NEVER when there is none."""
    k = first_event(s, r)
    return NEVER if k < 0 else ld32(place(s, r, k) + V_CYCLE)


@jit
def take_event(s: int, r: int, k: int) -> int:
    """Takes event k out: action << 8 | task."""
    n = ld8(r + R_EVENTS) - 1
    a, last = place(s, r, k), place(s, r, n)
    what = ld32(a + V_WHAT)
    st32(a + V_CYCLE, ld32(last + V_CYCLE))
    st32(a + V_ORDER, ld32(last + V_ORDER))
    st32(a + V_WHAT, ld32(last + V_WHAT))
    st8(r + R_EVENTS, n)
    return what
