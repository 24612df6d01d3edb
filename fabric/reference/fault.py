"""Run faults: what stops the fabric (codes FB4xx)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from diag.report import UserError, make

if TYPE_CHECKING:
    from fabric.reference.wavelet import Born


class FabricFault(UserError):
    """The fabric stopped. `code`, place and cycle are set for the log; `color` or `direction` None where neither
    plays a part. `direction` is the log's letter of the link (W E S N R); `born` tells who sent the wavelet at fault,
    `pc` the address of the instruction that wrote the register at fault, for the message that a run makes of it."""

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
        born: Born | None = None,
        pc: int | None = None,
    ) -> None:
        args: dict[str, Any] = {"cycle": cycle, "x": x, "y": y, "color": color}
        args |= {"direction": direction, "kind": kind, "number": number}
        super().__init__([make(code, **args)])
        self.args_of_code = args
        self.born = born
        self.pc = pc
        self.code = code
        self.cycle = cycle
        self.x = x
        self.y = y
        self.color = color
        self.direction = direction
