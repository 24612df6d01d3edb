"""Error codes of paint."""

from __future__ import annotations

from diag.codes import Code, error, warning

ROWS: list[Code] = []
_ = (error, warning)

# The color solver (paint.md 4).
ROWS += [
    error(
        "PT501",
        "color {name} is pinned to {number}, which does not go with {demands}",
        "The color has a number by `color(n)`, and something on its way needs another one: switching rules work on "
        "0-9, 12, 13, 16, 17, 20 and 21 only, the fabric adder on 10, a bank on its five colors.",
        "Leave the pin out, or pin the color to a number that all its rules can have.",
    ),
    error(
        "PT502",
        "color {name} can have no number: {demands} do not go together",
        "Two demands on one color exclude each other, for example a switching rule and the fabric adder's 10.",
        "Use a color for each of them.",
    ),
    error(
        "PT503",
        "colors {a} and {b} {held} {number}, but {meeting}",
        "Colors that meet on a router need different numbers.",
        "Pin one of them to another number, or keep them on tiles that no wavelet of the other reaches.",
    ),
    error(
        "PT504",
        "colors {a} and {b} are a pair, but pinned to {m} and {n}, which do not differ in the lowest bit alone",
        "The partner of a color is the one numbered n ^ 1: 0 and 1, 2 and 3, and so on.",
        "Pin them to such numbers, or leave one pin out.",
    ),
    error(
        "PT505",
        "color {name} is paired with itself by {pair}",
        "A pair is two colors, whose numbers differ in the lowest bit.",
        "Name two different colors in the colorpair.",
    ),
    error(
        "PT506",
        "colors {a} and {b} are a pair, but the first can only have {m} and the second only {n}",
        "No number of the one is the partner n ^ 1 of a number that the other can have.",
        "Change what holds one of them: its pin, its switching or adder rule.",
    ),
    error(
        "PT507",
        "{why} get the same number, but {meeting}",
        "A number has one partner; two partners of one color share it, which only works where they never meet.",
        "Use two colors in place of the one that stands in two pairs.",
    ),
    error(
        "PT508",
        "the pairs of {colors} form a circle of odd length",
        "Partners differ in the lowest bit, so around a circle of pairs the bit changes an even number of times.",
        "Leave out one of the pairs.",
    ),
    error(
        "PT509",
        "the pairs tie {colors} to each other, but no numbers fit: {numbers}",
        "Two partners of one color have the same number, which has to be among the allowed ones of both.",
        "Change what holds one of them: its pin, its switching or adder rule.",
    ),
    error(
        "PT510",
        "{count} colors {where}, and a router has 24: {colors}",
        "Every color used on a tile, by a rule, a bound socket or a bank, needs a number of its own there; a bank "
        "takes five.",
        "Let streams share a color, take a color off the tile, or use message passing.",
    ),
    error(
        "PT511",
        "{count} switching colors {where}, and 16 numbers can switch: {colors}",
        "Only 0-9, 12, 13, 16, 17, 20 and 21 can switch.",
        "Give some of them rules with one position, or let them share a color.",
    ),
    error(
        "PT512",
        "{count} colors {where}, and the numbers left for them are {left}: {numbers}; they are {colors}",
        "Pins, switching rules, the adder and banks leave these colors fewer numbers than there are colors.",
        "Loosen one of the demands, or take one of the colors off the tile.",
    ),
    error(
        "PT513",
        "{count} colors {where}, and {pairs} of their pairs leave no numbering: {colors}",
        "A pair takes two numbers that differ in the lowest bit, so a half that is pinned away or cannot switch "
        "makes the other half useless to it.",
        "Use fewer pairs on the tile, fewer switching rules, or leave pins out.",
    ),
    error(
        "PT514",
        "these {count} colors cannot be numbered together: {colors}",
        "Each two of them that meet need different numbers, and with their pins, pairs and rules no choice is left.",
        "Take one of them off a tile where it meets others; without any one of them the others have numbers.",
    ),
    error(
        "PT520",
        "undecided: after {nodes} steps the solver has no numbering and no proof that there is none; of {count} "
        "colors that hang together {found} have numbers in the best try, not {left}",
        "The search ended at its budget.",
        "Use fewer colors a tile, or pin some of them.",
    ),
]
