"""Run faults and run-time warnings of the simulated fabric: FB4xx."""

from __future__ import annotations

from diag.codes import Code, error, warning

FAULTS: list[Code] = [
    error(
        "FB401",
        "arriving wavelet could not land: color {color} from link {direction} at P{x}.{y}, cycle {cycle}",
        "On this router the color's input from that side is swapped away and its partner's is not, so that no color"
        " reads the wavelet.",
        "A swap needs its partner to swap as well: give color {color} or its partner a rule that reads this side.",
    ),
    error(
        "FB402",
        "half-wavelet on message-passing color {color} at P{x}.{y}, cycle {cycle}",
        "A 16-bit value was sent alone on a message-passing color, which forbids half-wavelets.",
        "Send whole 32-bit words on the socket: pack two 16-bit values into one, with a union or with shifts.",
    ),
    error(
        "FB403",
        "the core of P{x}.{y} sent a control wavelet on fabric adder color {color}, cycle {cycle}",
        "The core of a fabric adder tile may send only fp16 data on the adder's color.",
        "Send the control wavelet from a tile without fabadder, or on another color.",
    ),
    error(
        "FB404",
        "color {color} of P{x}.{y} can't switch, but its switch word names a position (cycle {cycle})",
        "Only colors 0-9, 12, 13, 16, 17, 20 and 21 have switch positions.",
        "Use a color that can switch, or leave its positions at 0xa0.",
    ),
    error(
        "FB405",
        "the fabric adder of P{x}.{y} has no 16-bit float format (cycle {cycle})",
        "The format field of the adder's register word is 0.",
        "Give paint float16_dtype=10, 15 or 16.",
    ),
    error(
        "FB406",
        "the fabric adder of P{x}.{y} is enabled on color {color}; only color 10 has one (cycle {cycle})",
        "The adder bit stands in the register word of another color.",
        "Leave the number of a fabadder color to paint, or pin it to 10.",
    ),
    error(
        "FB407",
        "{kind} queue {number} of P{x}.{y} is set to color {color}; colors are 0-23, and 31 for none (cycle {cycle})",
        "A register write, or a damaged image, gave the queue a color that does not exist.",
        "Check the word that the program writes to the queue's register.",
    ),
    warning(
        "FB408",
        "wavelets of {color} left the layout at P{x}.{y} to the {side}: {count}, the first in cycle {cycle}",
        "A route leads over the edge of the fabric.",
        "End the route at the edge with a boundary operator, as in [L>R|R].",
    ),
]
