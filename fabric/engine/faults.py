"""Faults of the engine as the reference's exceptions."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fabric.arch import LINK_LETTER, MAIN_WORDS
from fabric.descriptor import FABIN, KINDS
from fabric.encode import MAX_LENGTH, DecodeError, decode
from fabric.engine import layout as y
from fabric.engine.storage import bytes_at
from fabric.reference.core_fault import CoreFault
from fabric.reference.fault import FabricFault
from fabric.reference.wavelet import Born

if TYPE_CHECKING:
    from fabric.engine.machine import Context, Machine

LANDING = 3
FILES = ("DD", "SA", "SB")
ROLES = ("a source", "a destination", "a destination that is read too")


def fault_of(m: Machine, c: Context) -> CoreFault | FabricFault:
    """The fault that a context holds."""
    code, p, pc, cycle = (c[at] for at in (y.C_FAULT_CODE, y.C_FAULT_TILE, y.C_FAULT_PC_OF, y.C_FAULT_CYCLE))
    args = [c[y.C_FAULT_ARGS + 8 * k] for k in range(8)]
    if code < 0:
        raise RuntimeError(f"the engine has no room for {'a wavelet' if code == -1 else 'an event'} of tile {p}")
    rank = (c[y.C_FAULT_KEY] - 1) >> 40
    if code < 500:
        fault = _fabric_fault(m, code, p, cycle + (rank > 0), args)
        fault.pc = pc if code >= 404 else None
        return fault
    x, row = p % m.stride - 1, p // m.stride - 1
    if code == 503:
        return _control_fault(m, cycle, x, row, args)
    others: tuple[tuple[int, str], ...] = ()
    more: dict[str, object] = {}
    if code == 504:
        others = ((args[0], "the operation that holds the queue"),)
        more = {"kind": "input" if args[1] == FABIN else "output", "queue": args[2]}
    elif code == 505:
        others = ((args[0], "the instruction that runs on it"),)
        more = {"ut": args[1]}
    elif code == 506:
        more = {"address": args[0], "why": _why_not(m, x, row, args[0])}
    elif code == 507:
        more = {"address": args[0], "what": "a store" if args[1] else "a load"}
    elif code in (508, 514):
        more = {"address": args[0]}
    elif code == 510:
        more = {"number": args[0]}
    elif code == 512:
        kind = args[1]
        what = KINDS[kind] if kind < len(KINDS) else f"unknown kind {kind}"
        more = {"dsr": f"{FILES[args[0] >> 4]}{args[0] & 15}", "kind": what, "role": ROLES[args[2]]}
    elif code == 513:
        more = {"address": args[0], "dims": args[1], "what": KINDS[args[2]]}
    elif code == 515:
        more = {"queue": args[0], "what": KINDS[args[1]]}
    elif code == 517:
        more = {"task": args[0]}
    return CoreFault(f"FB{code}", cycle, x, row, pc, others, **more)


def _fabric_fault(m: Machine, code: int, p: int, cycle: int, args: list[int]) -> FabricFault:
    color, side = args[0], args[1]
    if code == 401:
        p = args[2]
    x, row = p % m.stride - 1, p // m.stride - 1
    if code == 407:
        kind = "output" if args[1] else "input"
        return FabricFault("FB407", cycle, x, row, color, None, kind=kind, number=args[2])
    if code >= 404:
        return FabricFault(f"FB{code}", cycle, x, row, color, None)
    sender = args[3] >> 5
    index = (sender // m.stride - 1) * m.width + sender % m.stride - 1
    return FabricFault(f"FB{code}", cycle, x, row, color, LINK_LETTER[side], born=Born(args[4], index, args[5]))


def _control_fault(m: Machine, cycle: int, x: int, row: int, args: list[int]) -> CoreFault:
    """FB503: args are the queue and the address of the wavelet's slot."""
    slot = bytes_at(args[1], y.SLOT)

    def word(at: int, size: int = 4) -> int:
        return int.from_bytes(slot[at : at + size], "little")

    data = word(y.S_DATA)
    sender = word(y.S_IDENT) >> 5
    return CoreFault(
        "FB503",
        cycle,
        x,
        row,
        None,
        queue=args[0],
        color=word(y.S_FLAGS) >> y.F_COLOR & 31,
        index=data >> 16,
        data=data & 0xFFFF,
        task=data >> 16 & 63,
        sender_x=sender % m.stride - 1,
        sender_y=sender // m.stride - 1,
        sender_pc=word(y.S_PC, 2),
        sent=word(y.S_BORN),
    )


def _why_not(m: Machine, x: int, row: int, pc: int) -> str:
    if not 0 < pc < MAIN_WORDS:
        return "code lies in main memory, from word 1 on"
    words = m.main_words(x, row)[pc : pc + MAX_LENGTH]
    try:
        decode([int(w) for w in words])
    except DecodeError as e:
        return str(e)
    return "it changed while it was read"
