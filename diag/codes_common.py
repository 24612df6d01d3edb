"""Error codes that every command shares: its words, files that are missing or unreadable."""

from __future__ import annotations

from diag.codes import Code, error

ROWS: list[Code] = [
    error(
        "DG001",
        "unknown option '{name}'",
        "The command takes no option of this name.",
        "`{command} help` lists the options with their defaults.",
    ),
    error(
        "DG002",
        "option '{name}' needs a value: {name}={what}",
        "The option was given as a bare word.",
        "Write the option as key=value, without blanks around the =.",
    ),
    error(
        "DG003",
        "option '{name}' is missing",
        "The command can't work without it.",
        "Give it as {name}=…; `{command} help` shows an example.",
    ),
    error(
        "DG004",
        "option '{name}' does not take '{value}': {why}",
        "The value is of the wrong kind or out of range.",
        "`{command} help` tells what the option takes.",
    ),
    error(
        "DG005",
        "option '{name}' is given twice, as '{first}' and as '{second}'",
        "An option that takes one value stands twice on the command line.",
        "Remove one of the two.",
    ),
    error(
        "DG006",
        "unexpected word '{word}'",
        "The command takes no such bare word.",
        "Options are written key=value; `{command} help` lists them.",
    ),
    error(
        "DG007",
        "can't read '{path}': {why}",
        "The file is missing, is a directory, or may not be read.",
        "Check the path and the directory the command runs in.",
    ),
    error(
        "DG008",
        "can't write '{path}': {why}",
        "The directory is missing, is not writable, or the disk is full.",
        "Check the path; the command leaves no partial file.",
    ),
    error(
        "DG009",
        "'{path}' is not UTF-8 text (byte {offset})",
        "Sources are UTF-8.",
        "Save the file as UTF-8.",
    ),
    error(
        "DG010",
        "option '{name}' is empty",
        "The value after the = is missing; in a Makefile, often a variable that is not set.",
        "Give the option a value or leave it out.",
    ),
    error(
        "DG011",
        "there is no code '{name}'",
        "The error table has no such row.",
        "A code is the word of two letters and three digits behind `error` or `warning` in a message.",
    ),
    error(
        "DG012",
        "{option}={path} would replace the file that {other}= names",
        "The command reads that file; what it writes goes elsewhere.",
        "Choose another name.",
    ),
    error(
        "DG013",
        "{option}= and {other}= name the same file, '{path}'",
        "Each output is a file of its own; the second would replace the first.",
        "Choose another name for one of them.",
    ),
    error(
        "DG014",
        "{count} errors: what comes behind is not read",
        "One slip early in a file can make errors of all that follows; more than this helps nobody.",
        "Correct the first ones and run again.",
    ),
]
