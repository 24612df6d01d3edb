"""The reference simulator: the machine of hardware.md, cycle by cycle, written to be read.

The fabric half: `wavelet` (what travels), `router` with `channel` (one color of one router), `adder`, `messages`
and `filters` (its special modes), `queues` (between router and core), `registers` (the configuration words),
`tile` (one processing element, and the contract with its core), `fabric` (the grid and the cycle), `waiting`
(why something does not move), `snapshot` (state as plain data). The core half: `core`, `tasks`, `vectors`, `operands`,
`prepared`, `storage`; `serving` and `ahead` tell what waiting code may still do.

A cycle D has three phases, each over all active tiles, so that no result depends on the order of the tiles:

1. *decide*: every router chooses, from the state at the start of D, what leaves by each of its ports;
2. *step*: every core that is due runs one cycle, on the same state;
3. *apply*: what was chosen leaves, and lands in the neighbour with landing cycle D + 1.
"""
