"""Random images: fabrics whose routes, registers and programs are drawn by lot.

Most of them end in a stall or a fault; what counts is that both simulators come to the same end by the same way.
"""

from __future__ import annotations

import random

from fabric import arch
from fabric.descriptor import ADVANCE_SWITCH, CONTROL, ENDLESS, FABIN, FABOUT, FIFO, ITERATOR, MEM1D, MEM4D
from fabric.encode import Async, EncodeError, Instr, encode
from fabric.image import Image
from fabric.isa import BY_NAME, ROWS, TYPES
from fabric.rects import Rect
from fabric.reference.wavelet import control_payload

DATA = 0x0800  # words of data
DSDS = 0x0C00  # descriptors, 4 words each
BLOCKS = 0x0E00  # blocks of 16 words
COMPUTING = [r for r in ROWS if r.kind in ("alu", "rmw", "dot")]
VECTORS = [r for r in COMPUTING if any(r.forms)]
MOVES = [BY_NAME[n] for n in ("mov16", "mov32", "mov32", "mov32")]
LONG_RUNS = ("fault", "halt")


class Maker:
    """One image; every choice comes from `rng`."""

    def __init__(self, seed: int, calm: bool = False) -> None:
        self.rng = random.Random(seed)
        self.calm = calm
        self.width, self.height = self.rng.randrange(1, 4), self.rng.randrange(1, 4)
        self.image = Image(self.width, self.height)
        self.image.linked = True
        self.colors = [self.rng.randrange(24) for _ in range(4)]
        self.colors += [c ^ 1 for c in self.colors[:2]] + ([10] if self.rng.random() < 0.3 else [])
        self.flow = {c: self.rng.randrange(4) for c in self.colors}
        self.swapping = self.rng.random() < 0.25
        shared = self.program() if self.rng.random() < 0.3 else None
        for y in range(self.height):
            for x in range(self.width):
                if self.rng.random() < 0.9:
                    self.tile(x, y, shared)

    def word(self, x: int, y: int, address: int, *values: int) -> None:
        self.image.add_fill(Rect(x, y, 1, 1), address, [v & 0xFFFF for v in values])

    # --- routes --------------------------------------------------------------------------------------------------

    def position(self, color: int) -> int:
        rng, to = self.rng, self.flow[color]
        back = arch.OPPOSITE[to]
        source = rng.choice([back, back, back, arch.C, arch.C, arch.C, rng.randrange(5)])
        chance = {to: 0.7, arch.C: 0.5}
        outputs = sum(1 << p for p in range(5) if rng.random() < chance.get(p, 0.03))
        return arch.route_code(source, outputs)

    def routes(self, x: int, y: int) -> None:
        rng = self.rng
        for color in dict.fromkeys(self.colors):
            if rng.random() < 0.1:
                continue
            words = list(arch.SWITCH_RESET)
            if color == 10:
                if rng.random() < 0.5:
                    words[2] |= arch.OURS_ADDER | rng.randrange(1, 4) << arch.OURS_FP16_SHIFT
            elif color in arch.SWITCHABLE:
                for k in range(rng.choice([0, 0, 1, 2, 3])):
                    code = self.position(color)
                    if k == 0:
                        words[0] = words[0] & 0xFF00 | code
                    elif k == 1:
                        words[1] = words[1] & 0xFF00 | code
                    else:
                        words[1] = words[1] & 0x00FF | code << 8
                words[0] |= rng.choice([0, arch.SWITCH_RING]) | rng.choice([0, 0, arch.SWITCH_POP_ADV])
                words[2] |= rng.choice([0, 0, 0, arch.OURS_POP_ALWAYS, arch.OURS_POP_ADVNOP])
            if self.swapping:
                words[2] |= rng.choice([0, 0, 1, 2, 7])
            self.word(x, y, arch.ROUTE + color, self.position(color))
            self.word(x, y, arch.SWITCH + 4 * color, *words)
        if rng.random() < 0.25:
            bank = rng.randrange(2)
            for color in arch.BANK_COLORS[bank]:
                self.word(x, y, arch.SWITCH + 4 * color + 2, (bank + 1) << arch.OURS_BANK_SHIFT)
        for i in range(rng.choice([0, 0, 1])):
            self.word(x, y, arch.FILTERS + 8 * i, 1, rng.choice(self.colors), 3, rng.randrange(4), 0)

    # --- programs ------------------------------------------------------------------------------------------------

    def dsd(self, index: int) -> list[int]:
        """Descriptor `index` of 12: the first six fit destinations, the others sources (as a rule)."""
        rng = self.rng
        extent = rng.choice([0, 1, 1, 2, 3, 4, 5, 8, 13, 30])
        fabric = FABOUT if (index < 6) == (rng.random() < 0.98) else FABIN
        kind = rng.choice([MEM1D, MEM1D, MEM4D, fabric, fabric, fabric, fabric, FIFO, ITERATOR])
        endless = ENDLESS if rng.random() < 0.05 else 0
        if kind == MEM1D:
            return [kind, DATA + 2 * rng.randrange(60), extent, rng.choice([1, 1, 1, 2, 0, -1, 3, 4, 7, 8])]
        if kind in (MEM4D, ITERATOR):
            return [kind, DATA + 2 * rng.randrange(60), extent, BLOCKS + 16 * rng.randrange(4)]
        if kind == FIFO:
            return [kind, BLOCKS + 16 * (4 + rng.randrange(2)), extent, 0]
        flags = endless
        if kind == FABOUT:
            flags |= rng.choice([0, 0, 0, 0, CONTROL, ADVANCE_SWITCH])
        return [kind | flags, rng.randrange(4), extent, 0]

    def instruction(self, at: int) -> list[int]:
        rng = self.rng
        for _ in range(200):
            row = rng.choice([rng.choice(COMPUTING), rng.choice(VECTORS), rng.choice(MOVES), rng.choice(MOVES),
                              rng.choice(ROWS)])  # fmt: skip
            if row.name in LONG_RUNS or (self.calm and row.name in ("jmpr", "jmp", "call", "djnz")):
                continue
            step = {"R": 1, "D": 2, "Q": 4, "P": 1}
            form = rng.choice(sorted(row.forms))
            numbers = [
                rng.randrange(0, 8 if kind and TYPES[kind].file == "P" else 14, step.get(TYPES[kind].file, 1)) if kind else 0
                for kind in (row.dest, *[*row.sources, None, None, None][:3])
            ]
            for k in range(3):
                if form >> k & 1:
                    numbers[k] = rng.randrange(4)
            if row.kind == "dsr":
                numbers[0] = rng.randrange(4)
            if row.kind == "alu" and form in (2, 4) and len(row.sources) > 1:
                numbers[2 if form == 2 else 1] = numbers[0]
            imm = None
            if row.immediate and rng.random() < 0.3:
                last = len(row.sources)
                if not (last < 3 and form >> last & 1):
                    imm = rng.getrandbits(16 * row.source_words(last - 1))
                    numbers[last] = 0
            args = [self.argument(kind, row.name, at) for kind in row.args]
            background = None
            if form and (row.needs_async or rng.random() < 0.4):
                completion = rng.randrange(4)
                task = rng.randrange(8, 12) if completion else 0
                background = Async(rng.randrange(8), completion, task)
            pred = rng.randrange(8) if rng.random() < 0.1 else None
            instr = Instr(row, *numbers, form, imm, tuple(args), pred, pred is not None and rng.random() < 0.5,
                          not row.jumps and rng.random() < 0.05, background)  # fmt: skip
            try:
                return encode(instr)
            except EncodeError:
                continue
        return encode(Instr(BY_NAME["nop"]))

    def argument(self, kind: str, name: str, at: int) -> int:
        rng = self.rng
        if name in ("jmp", "call", "djnz"):
            return at + rng.choice([-6, -3, 4, 8])
        if name.startswith("ld") and name[2] in "ds" and kind == "addr":
            return self.descriptor(name)
        if kind == "addr":
            if rng.random() < 0.2:
                return rng.choice([arch.ROW_ID, arch.CYCLE_COUNTER, arch.TIMER_CONTROL, arch.TEARDOWN_PENDING,
                                   arch.ROUTE + rng.choice(self.colors), arch.CACHE_START + 2 * rng.randrange(8),
                                   arch.TASK_ACTIVE, arch.INPUT_QUEUE + 2 * rng.randrange(8), 0x6100, 0x7300,
                                   arch.SWITCH + 4 * rng.choice(self.colors) + rng.randrange(3)])  # fmt: skip
            return DATA + 2 * rng.randrange(100)
        if kind == "off":
            return rng.choice([DATA, DATA + 2, 0x4000])
        if kind == "task":
            return rng.choice([*range(4), *range(8, 12)])
        if kind == "local":
            return rng.randrange(8, 12)
        return rng.randrange(2)

    def descriptor(self, name: str) -> int:
        """The address of a descriptor for a load into a DSR."""
        first = 0 if name == "ldd" else 6
        return DSDS + 4 * (first + self.rng.randrange(6) if self.rng.random() < 0.99 else self.rng.randrange(12))

    def program(self) -> tuple[dict[int, list[int]], dict[int, int]]:
        """Sections and register words of one tile's program."""
        rng = self.rng
        sections: dict[int, list[int]] = {}
        sections[DATA] = [rng.choice([0, 1, 0x3C00, 0x3F80, rng.getrandbits(16)]) for _ in range(256)]
        control = control_payload(*[rng.randrange(8) for _ in range(8)], task=rng.choice([31, 31, 3, 12]))
        sections[DATA][0:4] = [control & 0xFFFF, control >> 16, 0x0040, rng.choice([0x0010, 0x0001, 0])]
        sections[DSDS] = [w & 0xFFFF for k in range(12) for w in self.dsd(k)]
        blocks: list[int] = []
        for _ in range(4):
            dims = rng.randrange(1, 5)
            block = [dims]
            for _ in range(4):
                block += [rng.randrange(1, 5), rng.choice([0, 1, 1, 2, 5, 0xFFFF])]
            blocks += [*block, rng.randrange(2), 0, 0, 0, 0, 0, 0]
        for k in range(2):
            blocks += [DATA + 300 + 40 * k, rng.randrange(1, 9), 0, 0, *[0] * 12]
        sections[BLOCKS] = blocks
        registers: dict[int, int] = {}
        at = 0x10
        for task in (8, 9, 10, 11, 0, 1, 29, 64 + 3, 64 + 12):
            if task != 8 and rng.random() < 0.4:
                continue
            registers[arch.TASK_TABLE + task] = at
            code: list[int] = []
            if task == 8:
                for file, name in enumerate(("ldd", "lds0", "lds1")):
                    for k in range(4):
                        address = self.descriptor(name)
                        code += encode(Instr(BY_NAME[name], k, args=(address,)))
                        assert file < 3  # the three files
                code += encode(Instr(BY_NAME["setjoin"], args=(9, rng.randrange(1, 4))))
            for _ in range(rng.randrange(1, 25)):
                code += self.instruction(at + len(code))
            code += encode(Instr(BY_NAME["terminate"]))
            sections[at] = code
            at += len(code)
        registers[arch.TASK_ACTIVE] = 1 << 8 | rng.choice([0, 1 << 9])
        registers[arch.TASK_HIGH] = rng.choice([0, 0, 1 << 9, 3])
        registers[arch.TASK_BLOCKED] = rng.choice([0, 0, 1 << 10, 2])
        for q in range(8):
            if rng.random() < 0.85:
                registers[arch.OUTPUT_QUEUE + q] = rng.choice([*self.colors, rng.choice([16, 21])]) << 4
            if rng.random() < 0.85:
                registers[arch.INPUT_QUEUE + 2 * q] = rng.choice([*self.colors, rng.choice([16, 21])])
            if rng.random() < 0.1:
                registers[arch.INPUT_MODE + 2 * q] = 1
        return sections, registers

    def tile(self, x: int, y: int, shared: tuple[dict[int, list[int]], dict[int, int]] | None) -> None:
        self.routes(x, y)
        if self.rng.random() < 0.1:
            return
        sections, registers = shared or self.program()
        for address, words in sections.items():
            self.word(x, y, address, *words)
        for address, word in registers.items():
            self.word(x, y, address, word)


def random_image(seed: int, calm: bool = False) -> Image:
    return Maker(seed, calm).image
