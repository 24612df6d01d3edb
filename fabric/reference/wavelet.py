"""Wavelets and control words: what travels on the fabric (hardware.md 1 and 15)."""

from __future__ import annotations

from typing import NamedTuple

from fabric.arch import CMD_ADVANCE, CMD_NOP, CMD_RESET, CMD_TEARDOWN

COMMANDS = 8
NOCE = 4
VACATED = CMD_NOP | NOCE  # what a popped string reads in its last slot
COMMAND_NAMES = {CMD_NOP: "nop", CMD_ADVANCE: "advance", CMD_RESET: "reset", CMD_TEARDOWN: "teardown"}


class Born(NamedTuple):
    """Who sent a wavelet: the cycle in which the instruction issued, the tile's index, the instruction's address."""

    cycle: int
    tile: int
    pc: int


class Wavelet(NamedTuple):
    """One wavelet, immutable. `data` has 32 bits (16 in a half-wavelet); `color` is the color it is on now.

    `ident` is (tile index << 8 | color) << 32 | sequence number, given when it leaves the output queue; it is
    unique, stays with the wavelet on its whole way, and every copy of a multicast has it (S4:18592-18641).
    `lf` asks the sender's own router to advance its input switch (S0:99-101).
    """

    data: int
    color: int
    ctrl: bool = False
    half: bool = False
    ident: int = 0
    lf: bool = False
    born: Born = Born(0, 0, 0)

    @property
    def high(self) -> int:
        """The index: the high 16 bits (S0:44)."""
        return self.data >> 16

    @property
    def low(self) -> int:
        """The low 16 bits."""
        return self.data & 0xFFFF

    @property
    def task(self) -> int:
        """The task id that a control wavelet names: the low six bits of the index (S0:71)."""
        return self.data >> 16 & 63

    @property
    def halves(self) -> int:
        """How many 16-bit reads the wavelet serves."""
        return 1 if self.half else 2


def commands_of(payload: int) -> int:
    """The 24-bit command string of a control payload (hi << 16 | lo): (lo << 8) | hi[13:6]."""
    return (payload & 0xFFFF) << 8 | payload >> 22 & 0xFF


def with_commands(payload: int, string: int) -> int:
    """The payload with another command string; task id and the top two bits stay."""
    return payload & 0xC03F0000 | (string & 0xFF) << 22 | string >> 8 & 0xFFFF


def command(payload: int) -> int:
    """Command 0: {noce, op} in three bits."""
    return commands_of(payload) & 7


def popped(payload: int) -> int:
    """The payload without command 0; the vacated slot reads NOP with noce."""
    return with_commands(payload, commands_of(payload) >> 3 | VACATED << 3 * (COMMANDS - 1))


def control_payload(*commands: int, task: int = 31) -> int:
    """A control payload from up to eight 3-bit commands, the rest NOP with noce."""
    string = 0
    for i in range(COMMANDS):
        string |= (commands[i] if i < len(commands) else VACATED) << 3 * i
    return with_commands(task << 16, string)
