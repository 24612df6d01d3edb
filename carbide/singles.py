"""Sends of single 16-bit values, each of which may leave its tile as a half-wavelet (S0:46).

Two 16-bit sends share a wavelet when the second is in the queue as the first leaves. So a vector send of an even
number of values makes none, nor do two sends of one right after the other; what is left over is alone. Message-passing
colors forbid half-wavelets (S0, MP constraints), and only the layout knows which sockets are on those.
"""

from __future__ import annotations

from collections.abc import Sequence

from carbide.walk import constant, statements
from diag.spans import Span
from tungsten import tree as t


def lone_halves(source: t.Program) -> dict[str, list[Span]]:
    """The places of such sends by the name of the socket. Where the number of values is known at run time only,
    it is taken to be even; code that constants rule out is left out."""
    found: dict[str, list[Span]] = {}
    bodies: list[Sequence[t.Stmt]] = [source.body, *(f.body.body for f in source.functions)]
    if source.teardown is not None:
        bodies.append(source.teardown.body)
    for body in bodies:
        _sequence(body, found)
    return {name: list(dict.fromkeys(spans)) for name, spans in found.items()}


def _sequence(body: Sequence[t.Stmt], found: dict[str, list[Span]]) -> None:
    """Statements in order: of a run of sends on one socket, the last is alone when their number is odd."""
    last: t.Send | None = None
    count = 0
    for s in body:
        send, values = _halves(s)
        if last is not None and (send is None or send.dest is not last.dest):
            _add(last, count, found)
            last, count = None, 0
        if send is None:
            _inside(s, found)
        else:
            last, count = send, count + values
    if last is not None:
        _add(last, count, found)


def _add(send: t.Send, count: int, found: dict[str, list[Span]]) -> None:
    if count % 2:
        found.setdefault(send.dest.name, []).append(send.span)


def _inside(s: t.Stmt, found: dict[str, list[Span]]) -> None:
    if isinstance(s, t.Block):
        _sequence(s.body, found)
    elif isinstance(s, t.If) and constant(s.test) is not None:
        taken = s.then if constant(s.test) else s.other
        if taken is not None:
            _sequence([taken], found)
    elif isinstance(s, t.Dispatch):
        for handler in s.handlers:
            _sequence([handler.body], found)
    else:
        for inner in statements(s):
            _sequence([inner], found)


def _halves(s: t.Stmt) -> tuple[t.Send | None, int]:
    """The send of 16-bit values to a socket that a statement is, loops around it included, and their number."""
    count = 1
    while isinstance(s, t.ForAll) or (isinstance(s, t.Block) and len(s.body) == 1):
        if isinstance(s, t.ForAll):
            for r in s.ranges:
                low, high = constant(r.low), constant(r.high)
                count *= 2 if low is None or high is None else max(high - low, 0)
            s = s.body
        else:
            s = s.body[0]
    if not isinstance(s, t.Send) or not isinstance(s.dest, t.Socket) or s.control:
        return None, 0
    wide = isinstance(s.value, t.Wavelet) or getattr(s.value.type, "words", 0) != 1
    return (None, 0) if wide else (s, count)


__all__ = ["lone_halves"]
