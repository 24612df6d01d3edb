"""The fast engine: the machine of `fabric.reference`, cycle for cycle, in compiled functions (docs/engine.md).

State and words: `layout` (where everything lies), `access` (the only way to it), `storage`. The machine: `slots`,
`queues`, `channels`, `registers`, `memory`; of a router `router` (phase 1 of a cycle), `departures` and `landing` (phase
2); of a core `events`, `tasks`, `operands`, `vectors`, `arith`, `decode`, `fetch`, `scalars`, `threads`, `core`; `step`
is the cycle over all tiles. Around it: `jit`, `wholeprogram` and `cache` (compiling), `programs` and `machine` (loading
and running), `faults`, `convert` (the reference's form of what happened), `restore` and `rawstate` (checkpoints),
`survey` (all tiles at once), `watch`, `watching` and `seen` (what watchers are told), `support` and `fast` (which
simulator runs).

Nothing here is imported before a run is large enough to want it: the compiler alone takes 0.4 s to load.
"""
