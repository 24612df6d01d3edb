"""Error codes of fabric: FB1xx instructions and the assembler, FB2xx and FB3xx files, symbols and their tools."""

from __future__ import annotations

from diag.codes import Code, error
from diag.codes_assembler import ASSEMBLER
from diag.codes_blocked import BLOCKED
from diag.codes_core import CORE
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
        "Between the brackets stand the axes, each with its extent; that of an array may be 0.",
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
        "FB231",
        "the map is not that of '{image}': {why}",
        "An image carries the map that was made with it; this one was made with another program, or before a change.",
        "Give the map that was written with the image, or build both again.",
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

ROWS: list[Code] = [*ASSEMBLER, *FILES, *FAULTS, *CORE, *BLOCKED]
