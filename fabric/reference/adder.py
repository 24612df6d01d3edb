"""The fabric adder (S3:2-110, hardware.md 9): fp32 from the fabric + fp16 from the core = fp32 onward.

The operands wait in two queues: those from the fabric in the color's buffer, those from the core here. A
half-wavelet from the core is one operand, a 32-bit wavelet two packed ones, the low half first.
"""

from __future__ import annotations

import math
import struct
from collections import deque
from typing import TYPE_CHECKING, NamedTuple

from fabric.arch import FP16_BF16, FP16_CB16, FP16_IEEE, ROUTER_DEPTH
from fabric.reference.fault import FabricFault
from fabric.reference.wavelet import Wavelet

if TYPE_CHECKING:
    from fabric.reference.tile import Tile

FORMATS = {FP16_IEEE: (5, 10, 15), FP16_CB16: (6, 9, 31), FP16_BF16: (8, 7, 127)}  # exponent, mantissa, bias
QUIET_NAN = 0x7FC00000
SMALLEST_NORMAL = 2.0**-126


class Operand(NamedTuple):
    """A wavelet from the core; a sum that needs it can leave from `ready` on."""

    ready: int
    wavelet: Wavelet


class Adder:
    """The core's side of an adder: up to four wavelets of operands. `format` is the field of the register word."""

    def __init__(self) -> None:
        self.format = FP16_IEEE
        self.operands: deque[Operand] = deque()
        self.half_taken = False

    def has_room(self) -> bool:
        return len(self.operands) < ROUTER_DEPTH

    def operand(self, wavelet: Wavelet, ready: int, tile: Tile) -> None:
        """A wavelet from the core lands. Raises FabricFault FB403 for a control wavelet (undefined in S3:37-38)."""
        if wavelet.ctrl:
            raise FabricFault("FB403", tile.now, tile.x, tile.y, wavelet.color, "R", born=wavelet.born)
        self.operands.append(Operand(ready, wavelet))

    def ready(self) -> int | None:
        """The cycle from which the next operand can be added, or None when the core has sent none."""
        return self.operands[0].ready if self.operands else None

    def sum(self, wavelet: Wavelet) -> Wavelet:
        """The fabric's wavelet with the sum as its data; the operand stays until `consume`."""
        data = self.operands[0].wavelet.data
        half = data >> 16 if self.half_taken else data & 0xFFFF
        return wavelet._replace(data=add(wavelet.data, half, self.format), half=False)

    def consume(self) -> None:
        """The sum has left: the operand is used up."""
        if self.half_taken or self.operands[0].wavelet.half:
            self.operands.popleft()
            self.half_taken = False
        else:
            self.half_taken = True


def from_fp16(bits: int, fp16: int) -> float:
    """The exact value of a 16-bit float of a format; subnormals are kept. All three fit into fp32 exactly."""
    exponent_bits, mantissa_bits, bias = FORMATS[fp16]
    sign = -1.0 if bits >> 15 else 1.0
    exponent = bits >> mantissa_bits & (1 << exponent_bits) - 1
    mantissa = bits & (1 << mantissa_bits) - 1
    if exponent == (1 << exponent_bits) - 1:
        return math.nan if mantissa else sign * math.inf
    if exponent == 0:
        return sign * math.ldexp(mantissa, 1 - bias - mantissa_bits)
    return sign * math.ldexp(mantissa | 1 << mantissa_bits, exponent - bias - mantissa_bits)


def _flush(value: float) -> float:
    """A subnormal fp32 value as a zero of its sign."""
    return math.copysign(0.0, value) if abs(value) < SMALLEST_NORMAL else value


def add(fp32_bits: int, fp16_bits: int, fp16: int) -> int:
    """fp32 + fp16 -> fp32, rounded to nearest even.

    Subnormal fp32 inputs and sums count as zero, fp16 subnormals are kept (S3:40-43). The sum of two fp32 values
    in double, rounded once more to fp32, is the correctly rounded sum (53 >= 2 * 24 + 2).
    """
    a = _flush(struct.unpack("<f", struct.pack("<I", fp32_bits))[0])
    total = a + from_fp16(fp16_bits, fp16)
    if math.isnan(total):
        return QUIET_NAN
    try:
        rounded: float = struct.unpack("<f", struct.pack("<f", total))[0]
    except OverflowError:
        rounded = math.copysign(math.inf, total)
    bits: int = struct.unpack("<I", struct.pack("<f", _flush(rounded)))[0]
    return bits
