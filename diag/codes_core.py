"""Error codes of the core and of simfabric (FB5xx), a part of codes_fabric."""

from __future__ import annotations

from diag.codes import Code, error

CORE: list[Code] = [
    # The core, simfabric and run (FB5xx).
    error(
        "FB501",
        "'{path}' is not linked",
        "An object of paint has no color numbers in its registers yet; milink writes them.",
        "Run milink image=… out=…, or let paint link (without `nolink`).",
    ),
    error(
        "FB502",
        "{cycles} cycles are no run",
        "The number of cycles is the most that the simulation runs.",
        "Give at least 1.",
    ),
    error(
        "FB503",
        "cycle {cycle}: a control wavelet on color {color_name} (idx={index:04x}, data={data:04x}) reached P{x}.{y} "
        "and names task {task}, which has no code there; P{sender_x}.{sender_y} sent it in cycle {sent} at {sender}",
        "Bits 5:0 of a control wavelet's index name the task that it starts in each core it reaches; 31 means none.",
        "Write a control({task}) handler for it, send it with task 31, or set the noce bit so that it stays in the "
        "routers.",
    ),
    error(
        "FB504",
        "cycle {cycle}: P{x}.{y} starts a second operation on {kind} queue {queue} while another is under way",
        "A queue serves one operation at a time; only two microthreads may follow each other on one queue.",
        "Let the first one end before the second starts, or give the second a socket of its own.",
    ),
    error(
        "FB505",
        "cycle {cycle}: P{x}.{y} starts microthread {ut}, which still runs another instruction",
        "A microthread is one instruction; its number is free again when that has ended.",
        "Wait for its completion, or use another microthread.",
    ),
    error(
        "FB506",
        "cycle {cycle}: P{x}.{y} is to run address 0x{address:04x}: {why}",
        "The words there are no instruction: a jump to a wrong address, or code that was overwritten.",
        "Look for a store through a wrong address or an index that leaves its array.",
    ),
    error(
        "FB507",
        "cycle {cycle}: P{x}.{y}: {what} at 0x{address:04x}, outside of the memory of 0x8000 words",
        "An address was computed that no tile has.",
        "Look at the index or pointer of this statement.",
    ),
    error(
        "FB508",
        "cycle {cycle}: P{x}.{y}: a 32-bit value at the odd address 0x{address:04x}",
        "32-bit values lie at even word addresses.",
        "Align the array, or the pointer that was set to it.",
    ),
    error(
        "FB509",
        "'{path}' is no checkpoint: {why}",
        "restart= goes on from the core of a run that was stopped by its cycle limit or by Ctrl-C.",
        "Give the core= file of such a run, with the same ELF.",
    ),
    error(
        "FB510",
        "cycle {cycle}: P{x}.{y} stopped with fault {number}",
        "The program ran a fault instruction.",
        "Look at the statement that leads to it.",
    ),
    error(
        "FB511",
        "cycle {cycle}: at P{x}.{y} a control wavelet on color {color_name} names task {task}, for which this dispatch "
        "has no handler; P{sender_x}.{sender_y} sent it at {sender}",
        "A dispatch with control(N) handlers takes the control wavelets of its socket that name one of them, or 31.",
        "Add control({task}), or a control() for all others; or let the sender name another task.",
    ),
    error(
        "FB512",
        "cycle {cycle}: P{x}.{y}: {dsr} holds a descriptor of kind {kind}, which can't be {role}",
        "A destination is memory, a FIFO or a fabric output; a source is memory, a FIFO or a fabric input.",
        "Load the DSR with a fitting descriptor before the instruction.",
    ),
    error(
        "FB513",
        "cycle {cycle}: P{x}.{y}: the block at 0x{address:04x} of a descriptor ({what}) has {dims} dimensions",
        "A descriptor has one to four dimensions.",
        "The block was overwritten, or the descriptor points elsewhere.",
    ),
    error(
        "FB514",
        "cycle {cycle}: P{x}.{y}: the FIFO block at 0x{address:04x} has a capacity of 0",
        "A FIFO needs room for one element at least.",
        "The block was overwritten, or the descriptor points elsewhere.",
    ),
    error(
        "FB515",
        "cycle {cycle}: P{x}.{y}: a {what} descriptor names queue {queue}",
        "A core has input and output queues 0 to 7.",
        "The descriptor was overwritten, or the DSR's base was set to another value.",
    ),
    error(
        "FB516",
        "cycle {cycle}: P{x}.{y}: dfilt needs a fabric input as its source",
        "dfilt drops wavelets of an input queue.",
        "Load the DSR with a fabin descriptor.",
    ),
    error(
        "FB517",
        "cycle {cycle}: P{x}.{y}: an arrival for task {task}, which waits for none",
        "Each setjoin allows as many arrivals as it says.",
        "Count the operations that complete with `arrive {task}`.",
    ),
    error(
        "FB520",
        "there is no debug class '{name}'",
        "debug= takes classes of log records, joined by commas.",
        "The classes are landing, inst_trace, router, stalls and hwtile.",
    ),
    error(
        "FB521",
        "option '{name}' does not take '{value}': {why}",
        "trace-rect= takes x,y,w,h in tiles; trace-from= and trace-to= are cycles.",
        "Give four numbers that lie in the fabric, and a first cycle that is not after the last.",
    ),
    error(
        "FB522",
        "there is no symbol table: give map= to use names",
        "Values are found by name with the map that paint writes beside the image.",
        "Pass map=… when you load the image.",
    ),
    error(
        "FB523",
        "the run in '{path}' is already at cycle {now}",
        "cycles= counts from the start of the program, not from where restart= goes on.",
        "Give more cycles than it has run.",
    ),
    error(
        "FB530",
        "the run ended blocked",
        "Something waits for what will never come; the log says what and where. With strict=1 that is an error.",
        "Read the chain from its first line: each line waits for the next.",
    ),
    error(
        "FB531",
        "the run ended out of cycles",
        "The program was still at work when the cycles were used up. With strict=1 that is an error.",
        "Give more cycles, or look where the program goes round.",
    ),
    error(
        "FB532",
        "the fast engine does not take this run: {why}",
        "engine=fast was asked for, and the engine models the machine only within the bounds that docs/engine.md names.",
        "Leave engine= out: auto takes the reference simulator then.",
    ),
]
