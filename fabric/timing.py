"""The timing table (hardware.md 17): every latency of the machine, in cycles, in one place.

Rows marked * in the comments were read off logs of the original; the others are chosen so that known totals
come out.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Timing:
    """Latencies in cycles."""

    issue: int = 1  # a slot: one scalar instruction or one element group
    decode_to_execute: int = 3  # *
    hop: int = 2  # * landing to landing
    vector_setup: int = 1  # hidden when the thread's previous instruction is a vector
    result_integer: int = 1
    result_float: int = 4
    result_load: int = 3
    result_vector: int = 4  # accumulator or vector to a scalar register
    store: int = 1
    branch_untaken: int = 1
    branch_taken: int = 3
    call: int = 3
    fp_divide: int = 20
    dsr_load: int = 1
    dsr_load_4d: int = 2
    microthread_start: int = 1
    execute_to_output_queue: int = 1
    output_queue_to_router: int = 1
    router_to_input_queue: int = 2
    input_queue_to_wake: int = 1
    microthread_done: int = 1
    join: int = 6  # from the last arrival to the first main slot of the task that waits for it
    task_start: int = 4
    terminate: int = 1
    bank_conflict: int = 1
    fabric_adder: int = 1


DEFAULT = Timing()
