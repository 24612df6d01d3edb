"""Run faults of a core: what a program did that the machine does not do (codes FB5xx)."""

from __future__ import annotations


class CoreFault(Exception):
    """A core stopped. `run` turns it into a diagnostic that names the source line of `pc`.

    `pc` is the address of the instruction at fault, or None where no instruction is (a control wavelet); `others`
    are further instructions that play a part: (address, what it is).
    """

    def __init__(
        self,
        code: str,
        cycle: int,
        x: int,
        y: int,
        pc: int | None,
        others: tuple[tuple[int, str], ...] = (),
        **args: object,
    ) -> None:
        super().__init__(f"{code} at P{x}.{y} in cycle {cycle}: {args}")
        self.code = code
        self.cycle = cycle
        self.x = x
        self.y = y
        self.pc = pc
        self.others = others
        self.args_of_code = args
