"""Faults of descriptors, each in two contexts: the code, the cycle, the instruction, what the message names."""

from __future__ import annotations

from typing import Any

import pytest
from core_bench import TASK_START, Machine

from fabric.reference.core_fault import CoreFault

SYMBOLS = """.socket rx in 1 u32
.socket tx out 0 u32
.org 0x100
.var a u32 n=4
null: .dsd null
arr: .dsd mem1d base=a extent=4
fin: .dsd fabin queue=rx extent=4
fout: .dsd fabout queue=tx extent=4
blk: .word 0, 1, 1, 1, 1, 1, 1, 1, 1
blk5: .word 5, 1, 1, 1, 1, 1, 1, 1, 1
grid: .dsd mem4d base=a extent=4 block=blk
iter: .dsd iterator base=a extent=4 block=blk5
empty: .word a, 0, 0, 0
fifo: .dsd fifo block=empty extent=4
badin: .word 3, 9, 4, 0
badout: .word 4, 8, 4, 0
kind9: .word 9, 0, 4, 0
.org 0x200
.func main
.entry
"""

CASES: list[tuple[str, str, dict[str, Any]]] = [
    (" lds0 SA3 = [fout];\n ldd DD0 = [arr];\n mov32 [DD0] = [SA3];", "FB512", {"dsr": "SA3", "kind": "fabout", "role": "a source"}),
    (" lds0 SA0 = [arr];\n ldd DD2 = [fin];\n mov32 [DD2] = [SA0];", "FB512", {"dsr": "DD2", "kind": "fabin"}),
    (" lds1 SB4 = [null];\n lds0 SA0 = [arr];\n fmacas D0 = [SA0], [SB4];", "FB512", {"dsr": "SB4", "kind": "null"}),
    (" lds0 SA0 = [arr];\n ldd DD1 = [fout];\n fmacas [DD1] = [SA0], D0;", "FB512", {"role": "a destination that is read too"}),
    (" lds0 SA0 = [kind9];\n nop;\n mov32 D0 = [SA0];", "FB512", {"kind": "unknown kind 9"}),
    (" lds0 SA0 = [grid];\n mov32 D0 = [SA0];", "FB513", {"dims": 0, "what": "mem4d"}),
    (" lds0 SA0 = [iter];\n nop;\n mov32 D0 = [SA0];", "FB513", {"dims": 5, "what": "iterator"}),
    (" lds0 SA0 = [fifo];\n nop;\n mov32 D0 = [SA0];", "FB514", {}),
    (" ldd DD0 = [fifo];\n nop;\n mov32.ut1 [DD0] = D0;", "FB514", {}),
    (" lds0 SA0 = [badin];\n nop;\n mov32 D0 = [SA0];", "FB515", {"queue": 9, "what": "fabin"}),
    (" ldd DD0 = [badout];\n nop;\n mov32 [DD0] = D0;", "FB515", {"queue": 8, "what": "fabout"}),
    (" lds0 SA0 = [arr];\n nop;\n dfilt.ut0 [SA0];", "FB516", {}),
    (" lds0 SA5 = [grid];\n sets0base SA5 = 0;\n nop;\n lds0 SA5 = [fifo];\n dfilt.ut1 [SA5];", "FB514", {}),
]  # fmt: skip


@pytest.mark.parametrize(("code", "fault", "args"), CASES)
def test_descriptors(code: str, fault: str, args: dict[str, Any]) -> None:
    m = Machine()
    m.kernel(0, 0, SYMBOLS + code + " terminate;", {"rx": 0, "tx": 1})
    with pytest.raises(CoreFault) as e:
        m.run()
    assert e.value.code == fault
    assert {k: e.value.args_of_code[k] for k in args} == args
    last = m.programs[0, 0].lines[-1].address
    assert e.value.pc == last
    assert e.value.cycle >= TASK_START


@pytest.mark.parametrize("target", ["0x6000", "0x0000", "0x7f00"])
def test_code_outside_of_main_memory(target: str) -> None:
    m = Machine()
    m.kernel(0, 0, f".func main\n.entry\n jmp {target};")
    with pytest.raises(CoreFault) as e:
        m.run()
    assert (e.value.code, e.value.args_of_code["address"]) == ("FB506", int(target, 16))
