"""Error codes of fabric: FB1xx instructions and the assembler, FB2xx and FB3xx files, symbols and their tools."""

from __future__ import annotations

from diag.codes import Code, error, warning
from diag.codes_assembler import ASSEMBLER
from diag.codes_faults import FAULTS

FILES: list[Code] = [
    error(
        "FB201",
        "'{path}' is not an image but {what}",
        "The file does not begin with the marks of an image.",
        "Give the image that paint, milink, miset or elfmi wrote.",
    ),
    error(
        "FB202",
        "image '{path}' is damaged: {why}",
        "The content does not agree with its checksums or sizes.",
        "Build the image again; if it was copied, compare the copy with the original.",
    ),
    error(
        "FB203",
        "image '{path}' has format version {version}; this version of the tools reads up to {known}",
        "A newer version of the tools wrote the image.",
        "Update the tools, or build the image again with these.",
    ),
    error(
        "FB204",
        "image '{path}' is cut short: {size} bytes, expected {expected}",
        "The end of the file is missing: a full disk, or a copy that was stopped.",
        "Build the image again.",
    ),
    error(
        "FB205",
        "image '{path}' is not linked: it does not run yet",
        "paint was called with nolink, or milink has not run.",
        "milink image={path} out=… map=… writes color numbers, routes and IDs into it.",
    ),
    error(
        "FB211",
        "'{path}' is not an ELF of this toolchain: {what}",
        "mielf writes ELF files that carry a whole fabric; others can't be read.",
        "mielf image=… elf=… makes the ELF.",
    ),
    error(
        "FB212",
        "ELF '{path}' is damaged: {why}",
        "The content does not agree with its checksums or sizes, or the file is cut short.",
        "Make the ELF again with mielf.",
    ),
    error(
        "FB213",
        "ELF '{path}' has format version {version}; this version of the tools reads up to {known}",
        "A newer version of the tools wrote the file.",
        "Update the tools, or make the ELF again with these.",
    ),
    error(
        "FB214",
        "an ELF of {size} bytes is beyond the 4 GB of ELF32",
        "The image holds data of its own on too many tiles.",
        "Use the image itself, or a smaller fabric.",
    ),
    error(
        "FB221",
        "malformed map line: {what}; the form is `{form}`",
        "The file is not a map, or it was edited.",
        "Let paint write the map again.",
    ),
    error(
        "FB222",
        "unknown type '{type}' in the map",
        "The second word of a map line is a Tungsten type.",
        "Let paint write the map again.",
    ),
    error(
        "FB223",
        "wrong address '{text}' in the map: {why}",
        "The third word of a map line is a word address of a tile, 0x0000 to 0x7fff.",
        "Let paint write the map again.",
    ),
    error(
        "FB224",
        "wrong {what} '{text}' in the map: expected {why}",
        "After the bracket stand the first tile and the strides between tiles.",
        "Let paint write the map again.",
    ),
    error(
        "FB225",
        "wrong axis '{text}' in the map: expected NAME<EXTENT with an extent of at least 1",
        "Between the brackets stand the axes, each with its extent.",
        "Let paint write the map again.",
    ),
    error(
        "FB226",
        "axis '{axis}' stands twice in one map line",
        "The axes of a symbol have different names.",
        "Let paint write the map again.",
    ),
    error(
        "FB227",
        "the map line has no axis '{axis}'",
        "Each symbol has the tile axes y and x.",
        "Let paint write the map again.",
    ),
    error(
        "FB228",
        "a symbol of type {type} {what}",
        "The axis _word counts the 16-bit words of one element; types of one word have none.",
        "Let paint write the map again.",
    ),
    error(
        "FB229",
        "with axis '{axis}' the symbol takes {words} words, more than a tile has",
        "A tile has 32,768 words.",
        "Let paint write the map again.",
    ),
    error(
        "FB230",
        "'{name}' lies on tiles {tiles}, outside the fabric of {width} x {height}",
        "Map and image do not belong together.",
        "Give the map that was written with the image.",
    ),
    error(
        "FB301",
        "no symbol '{name}' in the map",
        "The map lists every global of every kernel, with the region's name in front.",
        "Look into the map; a region has a name only if name() gave it one.",
    ),
    error(
        "FB302",
        "symbol '{name}' is ambiguous; the map has{candidates}",
        "Several regions have a variable of this name.",
        "Write region.variable, or name@x,y for the one on a tile.",
    ),
    error(
        "FB303",
        "order= names '{axis}', which is no axis of {symbol}",
        "The axes are y, x, the array's dimensions and, for elements of several words, _word.",
        "Name the axes as the map does.",
    ),
    error(
        "FB304",
        "order='{order}' lacks the axis {axis}<{extent} of {symbol}",
        "Only axes of extent 1 may be left out.",
        "Add the axis where it belongs, outermost first.",
    ),
    error(
        "FB305",
        "order='{order}' names the axis '{axis}' twice",
        "Each axis stands once.",
        "Remove one of the two.",
    ),
    error(
        "FB306",
        "order= names '{axis}', but elements of {symbol} are single words",
        "Only types of more than one word have the axis _word; {type} has not.",
        "Leave _word out.",
    ),
    error(
        "FB307",
        "order= says {axis}<{given}, but the axis has {extent} in {symbol}",
        "The symbol has another size than the caller thinks.",
        "Correct the extent or leave it out: the name alone suffices.",
    ),
    error(
        "FB308",
        "raw file '{path}' has {size} bytes, but {symbol} takes {need}: [{axes}] of 2-byte words",
        "A raw file holds exactly the symbol's words, without a header.",
        "Check the array's type and shape, and the parameters the image was built with.",
    ),
    error(
        "FB309",
        "symbol '{name}' is not on tile {tile}",
        "After the @ stands a tile x,y of the symbol.",
        "Name one of its tiles.",
    ),
    error(
        "FB310",
        "nothing to do with the symbol: give data=FILE, or `text` to print it",
        "miget writes a raw file, or prints.",
        "Add one of the two.",
    ),
    error(
        "FB321",
        "'{path}' has {size} bytes, which is no multiple of the {width} of format {format}",
        "The file is cut, or holds another type.",
        "Give the right aformat= and bformat=.",
    ),
    error(
        "FB322",
        "'{a}' has {na} elements ({fa}), '{b}' has {nb} ({fb})",
        "Only files of equally many elements can be compared.",
        "Check the formats and how the files were made.",
    ),
    error(
        "FB323",
        "{over} of {count} elements differ by more than {limit}; the worst at {index}: {va} and {vb}, error {worst}",
        "The error of an element is |a-b| / max(1, |b|); NaN differs from everything.",
        "Find out which of the two files is wrong, or give a larger limit=.",
    ),
    error(
        "FB324",
        "the files have no elements: '{a}' is empty",
        "Nothing was compared, so that nothing is right.",
        "Check how the files were made.",
    ),
    error(
        "FB331",
        "program {program} needs {need} words, {over} more than the {limit} of a tile's main memory\n{table}",
        "Code, data and the room for the stack share a tile's 48 KB.",
        "Shorten arrays, spread the work over more tiles, or move arrays to the data cache with address(0x7f00).",
    ),
    error(
        "FB332",
        "image '{path}' says nothing about its programs",
        "paint writes what each program takes into the image; this one was made by something else.",
        "Build the image with paint.",
    ),
]

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
        "cycle {cycle}: P{x}.{y} reads symbol words that no tile has: {what}",
        "A symbol of the map lies outside of the image.",
        "Use the map that was made with the image.",
    ),
    error(
        "FB512",
        "cycle {cycle}: P{x}.{y}: {dsr} holds a descriptor of kind {kind}, which can't be {role}",
        "A destination is memory, a FIFO or a fabric output; a source is memory, a FIFO or a fabric input.",
        "Load the DSR with a fitting descriptor before the instruction.",
    ),
    error(
        "FB513",
        "cycle {cycle}: P{x}.{y}: the block of a {what} descriptor at 0x{address:04x} has {dims} dimensions",
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
]

ROWS: list[Code] = [*ASSEMBLER, *FILES, *FAULTS, *CORE]
