"""Message passing (S0:209-229, S3:111-195, hardware.md 9): wavelets routed by the coordinates in a header.

A bank has five colors, one for each side by which a message enters a router: E N core S W. So a message changes
its color from router to router; the core sends and receives on the bank's core color. The header names the
destination; it goes along X until the column is right, then along Y in the direction of its bits 7 and 6, then to
the core. An output of a router belongs to one message from its header to its last wavelet.
"""

from __future__ import annotations

from typing import NamedTuple

from fabric.arch import BANK_COLORS, C, D, L, R, U

SIDES = (R, D, C, U, L)  # the order of BANK_COLORS: east, north, core, south, west
NORTH = 1 << 7
SOUTH = 1 << 6
BY_CONTROL = 1 << 5  # software ends the message with the control bit
COUNT = 31

UNTIL_CONTROL = -1


class Message(NamedTuple):
    """The rest of a message that passes through a color: its output, and how many data wavelets are to come
    (UNTIL_CONTROL: until one with the control bit)."""

    port: int
    remaining: int


def side_of(bank: int, color: int) -> int:
    """The side by which messages enter on a color of the bank. A color of no bank takes nothing in (-1)."""
    colors = BANK_COLORS[bank]
    return SIDES[colors.index(color)] if color in colors else -1


def color_for(bank: int, side: int) -> int:
    """The color on which a message of the bank enters a router by a side, or reaches the core."""
    return BANK_COLORS[bank][SIDES.index(side)]


def direction(header: int, column: int, row: int) -> int | None:
    """The port by which a header leaves the router with this column and row ID, or None where it is on the wrong
    row and exactly one of the direction bits is not set."""
    to_column, to_row = header >> 20, header >> 8 & 0xFFF
    if to_column != column:
        return R if to_column > column else L
    if to_row == row:
        return C
    return {NORTH: D, SOUTH: U}.get(header & (NORTH | SOUTH))


def begin(header: int, port: int) -> Message | None:
    """What follows a header that left by a port; None for a message without data."""
    if header & BY_CONTROL:
        return Message(port, UNTIL_CONTROL)
    return Message(port, header & COUNT) if header & COUNT else None


def advance(message: Message, ctrl: bool) -> Message | None:
    """What follows one data wavelet; None after the last."""
    if message.remaining == UNTIL_CONTROL:
        return None if ctrl else message
    return Message(message.port, message.remaining - 1) if message.remaining > 1 else None


def describe(header: int) -> str:
    """A header in words, for explanations."""
    count = header & COUNT
    end = "ended by the control bit" if header & BY_CONTROL else f"{count} data wavelet{'s' if count != 1 else ''}"
    bits = "".join(name for bit, name in ((NORTH, "north"), (SOUTH, "south")) if header & bit) or "none"
    return f"to column {header >> 20}, row {header >> 8 & 0xFFF}, direction bits {bits}, {end}"
