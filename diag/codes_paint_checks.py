"""What paint finds in a finished layout: PT5xx numbering, PT6xx checks; a part of codes_paint."""

from __future__ import annotations

from diag.codes import Code, error, warning

# The color solver (paint.md 4).
COLORS: list[Code] = [
    error(
        "PT501",
        "no number is left for {name}: it can have {numbers}, and meets colors that have no other choice: {taken}",
        "Pins, the adder and banks leave other colors one number each, and these are all that the color could have.",
        "Leave out a pin, or take the color off a tile where it meets one of them.",
    ),
    error(
        "PT502",
        "color {name} can have no number, since its demands exclude each other: {demands}",
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
        "{count} colors {where}, and {left} numbers are left for them ({numbers}): {colors}",
        "Pins, switching rules, the adder and banks leave these colors fewer numbers than there are colors.",
        "Loosen one of the demands, or take one of the colors off the tile.",
    ),
    error(
        "PT513",
        "{count} colors {where}, and with {pairs} pairs among them no numbering is left: {colors}",
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

# Checks of the whole layout (paint.md 6).
FINDINGS: list[Code] = [
    error(
        "PT601",
        "two rules feed one color of a router from different inputs: {rule} sends '{color}' (number {number}) "
        "{direction} from {tiles}, where the router takes it from elsewhere, and gets it from there too",
        "A router takes a color from one side at a time; what arrives from another side waits for ever and stops "
        "its sender.",
        "Use two colors, or a switching rule with a position for each side.",
    ),
    warning(
        "PT602",
        "the route leaves the layout: {rule} sends '{color}' (number {number}) {direction} from {tiles}",
        "Beyond the edge nothing takes the wavelets.",
        "A boundary operator drops the output on the edge: [C>R|R]; or give the layout a tile there that takes it.",
    ),
    warning(
        "PT603",
        "the wavelets could not land: {rule} sends '{color}' (number {number}) {direction} from {tiles}, and there "
        "the color reads its partner {partner}, which does not read '{color}'",
        "A swap takes the color off its own wavelets; without a partner that swaps too nobody reads them.",
        "Let the partner swap as well, with a rule on the same tiles.",
    ),
    warning(
        "PT604",
        "nothing takes in what {rule} sends: '{color}' (number {number}) goes {direction} from {tiles} and arrives "
        "there from {beyond}, where the router takes {inputs}",
        "A router takes a color only from the side that its rule names; from any other side the wavelets wait for "
        "ever.",
        "Name the side in the rule, or send another way.",
    ),
    warning(
        "PT605",
        "nothing takes in what {rule} sends: '{color}' (number {number}) goes {direction} from {tiles}, where no rule "
        "reads it",
        "The router there has no rule for the color: the wavelets wait for ever and stop their sender.",
        "Paint the color there too, or leave the output out; [C>R|R] drops it on the region's edge.",
    ),
    warning(
        "PT606",
        "nothing feeds the input{s} {inputs} of {rule} for '{color}' (number {number}) on {tiles}",
        "No neighbour sends the color to that side and no core on the tile sends it, so the route stays empty.",
        "Send to it, name another side, or drop the input on the edge with a boundary operator: [L|L>C].",
    ),
    warning(
        "PT607",
        "nothing feeds the core input of {rule} for '{color}' (number {number}) on {tiles}: no socket of the tile's "
        "kernel sends on it, and a core further on waits for it",
        "The rule takes wavelets from a core that never sends any, so the receiver at the end waits for ever.",
        "Bind a sending socket to the color in code(...), or paint the rule on the tile that sends.",
    ),
    warning(
        "PT608",
        "the partner of a swap does not swap: {rule} makes '{color}' (number {number}) read {partner} from {at} on "
        "{tiles}; {partner} reads its own wavelets from there too, and one of the two does not take them",
        "A wavelet goes to every color that reads it and waits until each of them takes it.",
        "Give the partner a rule with the same swap on these tiles.",
    ),
    warning(
        "PT609",
        "the core never receives '{color}' (number {number}) on {tiles}, though {rule} sends it to the core",
        "No receiving socket of the tile's kernel is bound to the color, so the wavelets stay in the router and the "
        "route stops.",
        "Take C out of the rule there, or bind a socket of the kernel that receives.",
    ),
    warning(
        "PT610",
        "socket '{socket}' of kernel '{kernel}' sends on '{color}' (number {number}), which has no route from C on "
        "{tiles}",
        "No rule takes the color from the core, so the send waits for ever.",
        "Paint a rule with C as input, such as [C>R], on these tiles.",
    ),
    warning(
        "PT611",
        "a loop of routes that a wavelet cannot leave: '{color}' (number {number}) runs in a circle over {tiles}",
        "Each rule of the circle sends on to the next in every switch position.",
        "End the circle at a tile that takes the color to its core alone, or give one rule a switch position that "
        "does not send on.",
    ),
    warning(
        "PT612",
        "the message-passing area of bank {bank} has a hole: {tiles}",
        "A message goes along X first, then along Y; a router on its way without the bank stops it.",
        "Enable the bank there too: mp(bank) on the whole rectangle, with or without code.",
    ),
    warning(
        "PT613",
        "bank {bank} is enabled on areas that do not touch: messages {what} on {tiles}, and no tile connected with "
        "these {lacks} any",
        "The routers between the two areas do not have the bank enabled, so no message gets across.",
        "Enable the bank on the tiles between them: mp(bank), with or without code.",
    ),
    warning(
        "PT614",
        "the adder gets nothing from the core: no socket of the tile's kernel sends on '{color}' (number {number}), "
        "which {rule} adds to on {tiles}",
        "Each wavelet from the fabric waits in the adder for one operand of the core, so the chain stops there.",
        "Bind a socket that sends half-precision values to the color, or paint a rule without fabadder.",
    ),
    warning(
        "PT615",
        "the message-passing area of bank {bank} is no rectangle: a message from tile {sender} to tile {receiver} would "
        "turn at tile {turn}; the bank is not enabled on {tiles}",
        "A message goes along X first, then along Y; a router on its way without the bank stops it.",
        "Enable the bank there too: mp(bank) on the whole rectangle, with or without code.",
    ),
    warning(
        "PT616",
        "socket '{socket}' of kernel '{kernel}' receives on '{color}' (number {number}), which no rule brings to the core "
        "on {tiles}",
        "Without a rule that has C among its outputs nothing arrives, and the receive waits for ever.",
        "Paint a rule with C as output, such as [L>C], on these tiles.",
    ),
]
