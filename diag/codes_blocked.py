"""Why runs end blocked: the causes that simfabric names (FB54x, FB55x), a part of codes_fabric."""

from __future__ import annotations

from diag.codes import Code, warning

BLOCKED: list[Code] = [
    warning(
        "FB541",
        "blocked: threads wait for each other in a circle",
        "Each waits for what the next one would do after its own wait: all send more than the queues hold before they"
        " receive, or all receive before they send.",
        "Let the transfers run side by side, in one parallel block, or change their order on one of the tiles.",
    ),
    warning(
        "FB542",
        "blocked: a wavelet that is waited for is never sent",
        "The tile that should send has ended, has no further send in its code, has no code, or has no socket that sends on"
        " the color; or a counter filter dropped what was sent.",
        "Count the values sent and received; look for a send left out, a socket bound to another color, or sockets of"
        " different types at the two ends (two 16-bit values travel in one wavelet).",
    ),
    warning(
        "FB543",
        "blocked: wavelets are never read",
        "The tile that should receive them has ended, or has no further receive in its code.",
        "Count the values sent and received; look for a receive left out.",
    ),
    warning(
        "FB544",
        "blocked: no rule brings the color to where it is waited for, or takes it in",
        "A rule is missing, takes the color from another side, does not lead to the core (C), or a swap lacks its"
        " partner's.",
        "Compare the rules of the color on the two tiles that the chain names.",
    ),
    warning(
        "FB545",
        "blocked: a route, or a message, ends in a core without a socket on the color",
        "The rule has C as an output, and no socket of the kernel that receives is bound to the color; or a message's header"
        " names this tile.",
        "Bind the color to a socket that receives, or take C out of the rule; compare the header with the tile it is for.",
    ),
    warning(
        "FB546",
        "blocked: a switch stands in a position that keeps wavelets out",
        "The route exists in another switch position, and nothing moves the switch there.",
        "See who should send the control wavelet (ADVANCE, RESET) or the flip, and whether it gets there.",
    ),
    warning(
        "FB547",
        "blocked: a color is in teardown and nobody leaves it",
        "A TEARDOWN command or a register write took the color down; it takes in and forwards nothing until its route"
        " is written.",
        "Write the route in the handler of `#pragma teardown on`, or later in the program.",
    ),
    warning(
        "FB548",
        "blocked: the handler of a wavelet is not open, or can't start",
        "Its dispatch statement is not reached, or the main thread waits in a receive, and no task starts meanwhile.",
        "Reach the dispatch first, or let the receive run as a microthread (parallel, `uthread enable on`).",
    ),
    warning(
        "FB549",
        "blocked: nothing fills or empties a FIFO any more",
        "More elements are pushed than popped, or the other way around.",
        "Compare the two counts; push or pop in the background.",
    ),
    warning(
        "FB550",
        "blocked: a message's header does not say whether its row is north or south",
        "For another row exactly one of bits 7 (north) and 6 (south) has to be set.",
        "Set the bit when the header is made.",
    ),
    warning(
        "FB551",
        "blocked: another socket on the same color takes all wavelets",
        "A wavelet goes to the lowest-numbered input queue that has its color, with no copy to the others.",
        "Give the second socket a color of its own, or receive everything on one socket.",
    ),
    warning(
        "FB552",
        "blocked: a fabric adder has operands of its core left, and no wavelet to add them to",
        "Each wavelet from the neighbour takes one operand; a 32-bit value from the core counts as two.",
        "Let the core of an adder tile send one hp for each wavelet that arrives.",
    ),
    warning(
        "FB553",
        "blocked: a message was begun and not ended",
        "Fewer data wavelets followed than the header says, or the one with the control bit is missing. The message"
        " holds its path.",
        "Send as many as bits 4:0 of the header say, or end with a control bit where bit 5 is set.",
    ),
    warning(
        "FB554",
        "blocked: what is waited for could still go on",
        "The chain leads to a tile that was still at work.",
        "Give the run more cycles.",
    ),
]
