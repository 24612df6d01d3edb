"""Run faults: what stops the fabric (codes FB4xx)."""

from __future__ import annotations

from diag.report import UserError, make


class FabricFault(UserError):
    """The fabric stopped. `code`, place and cycle are set for the log; `color` or `direction` None where neither
    plays a part. `direction` is the log's letter of the link (W E S N R)."""

    def __init__(
        self,
        code: str,
        cycle: int,
        x: int,
        y: int,
        color: int | None = None,
        direction: str | None = None,
        kind: str = "",
        number: int = 0,
    ) -> None:
        super().__init__([make(code, cycle=cycle, x=x, y=y, color=color, direction=direction, kind=kind, number=number)])
        self.code = code
        self.cycle = cycle
        self.x = x
        self.y = y
        self.color = color
        self.direction = direction
