"""Error codes of paint."""

from __future__ import annotations

from diag.codes import Code, error, warning

# The language, the layout, its kernels, the command (paint.md 1-5).
ROWS: list[Code] = [
    # Reading the text.
    error(
        "PT001",
        "expected {expected}, found {found}",
        "The text is no Paint from here on.",
        "Compare with the grammar in docs/paint.md; arguments are separated by blanks, statements by nothing.",
    ),
    error(
        "PT002",
        "comment is never closed",
        "Comments nest, so each (* needs a *) of its own.",
        "Close the comment, or look for a (* inside it.",
    ),
    error(
        "PT003",
        "string is never closed",
        "A string ends on the line it begins on.",
        'Write the closing ", or name it with a quote in front: \'name.',
    ),
    error(
        "PT004",
        "'{opener}' is not closed before {token}",
        "Each bracket needs its counterpart.",
        "Close the bracket that the note shows.",
    ),
    error(
        "PT005",
        "'{token}' closes nothing: no '{opener}' is open",
        "There is one closing bracket too many.",
        "Remove it, or open the bracket it belongs to.",
    ),
    error(
        "PT006",
        "brackets are nested more than {limit} deep",
        "No layout needs this; the source may have been made by a program that went astray.",
        "Name inner parts with let.",
    ),
    # Names, calls, values.
    error(
        "PT019",
        "'{name}' has no value: set={name}= on the command line is empty",
        "An empty set= counts as unset; in a Makefile, a variable of PAINTVARS that is not set.",
        "Give it a value: set={name}=VALUE.",
    ),
    error(
        "PT020",
        "'{name}' has no value: the layout does not define it and set={name}=VALUE was not given",
        "A name is defined by let before it is used, or given on the command line.",
        "Define it with let, or give set={name}=VALUE (in a project, add it to PAINTVARS).",
    ),
    error(
        "PT021",
        "unknown function '{name}'",
        "It is neither a function of the language nor a define.",
        "docs/paint.md lists the functions; a define may stand anywhere in the file.",
    ),
    error(
        "PT022",
        "unknown directive '{name}'",
        "No such directive can follow `r :`.",
        "The directives are code, paint, name, colorpair, mp, place, union, vstack, hstackrep, vstackrep.",
    ),
    error(
        "PT023",
        "'{name}' is a function of the language and can't be defined",
        "A define may not take the name of a function.",
        "Choose another name.",
    ),
    error(
        "PT024",
        "'{name}' is defined twice",
        "Two defines of one name stand in one file or its includes.",
        "Rename one of them.",
    ),
    error(
        "PT025",
        "'{name}' takes {wanted}, not {given}",
        "A call has as many arguments as the define has parameters. A blank separates: f(a -1) has two.",
        "Give each parameter its argument.",
    ),
    error(
        "PT026",
        "{function}() takes {wanted}, not {given}: {usage}",
        "The number of arguments is wrong. A blank separates: rect(0 0 N -1 2) has five.",
        "Write it as shown; a - 1 or a-1 is one argument.",
    ),
    error(
        "PT027",
        "{function}() needs {what} here, not {kind}",
        "The argument is of another kind than the function takes.",
        "docs/paint.md shows each function's arguments.",
    ),
    error(
        "PT028",
        "'{name}' calls itself more than {limit} times",
        "A recursion that does not end: setif(cond a b) evaluates only the branch it takes.",
        "End the recursion with setif, or use hstackrep or arrayplace.",
    ),
    error(
        "PT029",
        "'{name}' has no value: its body has neither an expression nor a directive",
        "The value of a define is that of the last expression or directive of its body.",
        "End the body with the region it makes.",
    ),
    error(
        "PT030",
        "parameter '{name}' stands twice",
        "Two parameters of one define have one name.",
        "Rename one of them.",
    ),
    error(
        "PT031",
        "'{op}' needs numbers, not {kind}",
        "Arithmetic and comparisons work on numbers.",
        "Check the operand; in arguments, a blank separates two of them.",
    ),
    error(
        "PT032",
        "'{op}' by zero",
        "The right side is 0.",
        "Check the value, or guard it with setif.",
    ),
    error(
        "PT033",
        "{what} is {value}, not a whole number",
        "Coordinates, sizes and counts are whole. `/` gives a fraction where it does not divide.",
        "Use `//`, which rounds down.",
    ),
    error(
        "PT034",
        "{what} is {value}; the least is {low}",
        "Sizes, counts and gaps are not negative; 0 gives an empty region.",
        "Check the arithmetic that leads here.",
    ),
    error(
        "PT035",
        "the file has no layout",
        "The value of the last expression of the file is the layout; there is none.",
        "End the file with the region, for example union(a b) or the region's name.",
    ),
    error(
        "PT036",
        "the layout is {kind}, not a region",
        "The value of the last expression of the file is the layout.",
        "End the file with a region.",
    ),
    error(
        "PT037",
        "the result is too large for a number",
        "The value leaves the range of numbers.",
        "Check the arithmetic that leads here.",
    ),
    error(
        "PT038",
        "'{name}' is {kind}; a directive needs a region",
        "`r : directive` changes the region that has the name r.",
        "Put the name of a region before the colon.",
    ),
    error(
        "PT039",
        "'{name}' returns {kind}, so it can't be a directive",
        "A define used as a directive must return a region.",
        "Call it as a function.",
    ),
    error(
        "PT040",
        "{function}() makes a region of {w} x {h} tiles at ({x}, {y}), far beyond any fabric",
        "The largest fabric has 762 x 1172 tiles; regions may reach some way beyond, but not this far.",
        "Check the numbers that lead here.",
    ),
    error(
        "PT041",
        "an element of arrayplace's list is placeholder:range, not {kind}",
        "arrayplace(r idx [p:idx]) fills @p with one index of the range for each copy.",
        "Write [p:range(a b)].",
    ),
    error(
        "PT042",
        "'{name}' has {given} values for {wanted} copies",
        "Each copy needs one value for the placeholder.",
        "Make both ranges equally long.",
    ),
    warning(
        "PT043",
        "the region has no placeholder '@{name}'",
        "arrayplace fills a placeholder that does not occur, so all copies are alike.",
        "Write @{name} where its value is wanted, or leave it out of the list.",
    ),
    error(
        "PT044",
        "'{name}' is not supported",
        "terminal() and transport() of the original tools are not part of this toolchain.",
        "Write the routes with paint().",
    ),
    error(
        "PT045",
        "the range has {count} indices; {limit} is the most",
        "No layout has so many copies.",
        "Check the bounds.",
    ),
    error(
        "PT046",
        "a binding needs a name: name:value, found {kind} alone",
        "Each element of code()'s list binds a parameter or a socket by its name.",
        "Write it as [N:4 tx:c].",
    ),
    error(
        "PT047",
        "'{name}' is bound twice",
        "A list binds each parameter and socket once.",
        "Remove one of the two.",
    ),
    error(
        "PT048",
        "'{name}' is bound to {kind}; a parameter takes a number, a socket a color",
        "A kernel's parameters are numbers, its sockets are colors.",
        "Bind a number or a color.",
    ),
    error(
        "PT049",
        "placeholder '@{name}' is not filled in",
        "A region with a placeholder becomes tiles only through arrayplace.",
        "Place it with arrayplace(r range(0 n) [{name}:range(0 n)]).",
    ),
    error(
        "PT050",
        "include file '{name}' was not found in {places}",
        "Includes are searched in the directories of lib= and in the source's own.",
        "Check the name, or add lib=DIRECTORY.",
    ),
    error(
        "PT051",
        "files include each other: {way}",
        "An include takes the statements in place, which here would never end.",
        "Remove one of the includes.",
    ),
    # Colors.
    error(
        "PT060",
        "bank({number}) does not exist; there are bank(0) and bank(1)",
        "The machine has two message-passing banks (colors 14-18 and 19-23).",
        "Use bank(0) or bank(1).",
    ),
    error(
        "PT061",
        "color({number}) does not exist; colors are numbered 0 to {last}",
        "A router has 24 colors.",
        "Use a number from 0 to {last}, or color() and let the solver choose.",
    ),
    error(
        "PT062",
        "'{name}' can't be a pair with itself",
        "colorpair(a b) demands two colors whose numbers differ by 1 in the lowest bit.",
        "Name two different colors.",
    ),
    error(
        "PT063",
        "'{a}' is color {na} and '{b}' is color {nb}, which are no pair: the partner of {na} is {partner}",
        "A pair's numbers differ by 1 in the lowest bit, as 4 and 5 do; 5 and 6 do not.",
        "Pin one of them only, or to numbers that are a pair.",
    ),
    error(
        "PT064",
        "a fabadder rule needs color 10; '{name}' is pinned to {number}",
        "Only color 10 has an adder. paint pins the color itself.",
        "Use color() without a number, or color(10).",
    ),
    error(
        "PT065",
        "a switching rule is painted on color {number} ('{name}'), which cannot switch",
        "Only colors 0-9, 12, 13, 16, 17, 20 and 21 have switches.",
        "Use color() without a number, or one of these.",
    ),
    # Rules.
    error(
        "PT070",
        "'{letter}' is no direction",
        "Directions are C (core), L, R, U (+y) and D (-y).",
        "Write a rule as inputs, an operator (> H V X), outputs: [L>R].",
    ),
    error(
        "PT071",
        "Multiple router inputs set: {inputs}",
        "A position of a rule takes its wavelets from one direction.",
        "Name one input; to join two streams use two colors. A fabadder takes the core's operand without naming C.",
    ),
    error(
        "PT072",
        "the rule has {count} switch positions; a switch has four",
        "A color's switch has at most four positions.",
        "Use fewer positions, or a second color.",
    ),
    error(
        "PT073",
        "two positions are marked with '*'",
        "The star marks the one position that is active at the start.",
        "Remove one of the stars.",
    ),
    error(
        "PT074",
        "unknown flag '{flag}'",
        "The flags are fabadder, ring, pop=adv, pop=always and pop=advnop.",
        "Flags share the last section: [C>D; U>D; pop=adv ring].",
    ),
    error(
        "PT075",
        "flag '{flag}' follows '{first}'",
        "A flag stands once; a rule has one way to pop.",
        "Remove one of the two.",
    ),
    error(
        "PT076",
        "a fabadder rule has one position",
        "The adder's color 10 cannot switch.",
        "Remove the other positions.",
    ),
    error(
        "PT077",
        "a fabadder rule can't send to C",
        "The core cannot receive a sum from its own adder; the original paint takes this and the result is undefined.",
        "Send the sum on, and let the tile that keeps it use a plain rule such as [L>C].",
    ),
    error(
        "PT078",
        "a fabadder rule sends to exactly one of L R U D, not {count}",
        "The adder has one exit port; the original paint takes several and the result is undefined.",
        "Name one output, and let the next tile's plain rule branch.",
    ),
    error(
        "PT079",
        "a fabadder rule takes its wavelets from one of L R U D",
        "The adder adds the core's operand to what arrives from the fabric; the core is not named.",
        "Write it as [L>R; fabadder]; the head of the chain has the plain rule [C>R].",
    ),
    error(
        "PT080",
        "a position without any direction",
        "A rule has directions on at least one side.",
        "[C>] takes and discards, [>C] leaves the input open.",
    ),
    warning(
        "PT081",
        "'{op}' has no effect: a swap belongs to the color, and the first position has '{first}'",
        "Every position of a rule swaps as the first one does.",
        "Use the same operator in every position.",
    ),
    error(
        "PT082",
        "direction '{letter}' stands twice",
        "A direction is named once on each side.",
        "Remove one of the two.",
    ),
    warning(
        "PT083",
        "the boundary operator has no effect: '{letters}' is no {what} of this position",
        "A boundary operator drops a direction of its own side at the region's edge.",
        "Write the direction on both sides of the bar, as in [L|LXC] or [CXR|R].",
    ),
    error(
        "PT084",
        "Invalid float16 data type {dtype} used with SDR fabric adder",
        "The adder must know the format of the core's 16-bit operand.",
        "Give float16_dtype=10 (IEEE fp16, Tungsten's hp), 16 (cbfloat16) or 15 (bfloat16).",
    ),
    error(
        "PT085",
        "{what} in this position of the rule",
        "A position is inputs, an operator, outputs, with boundary directions outside of bars: [L|LXC].",
        "Separate positions by ';'.",
    ),
    error(
        "PT086",
        "'{word}' can't stand here",
        "Directions are capitals, and flags are set off by a ';'.",
        "Write it as [C>D; U>D; pop=adv ring].",
    ),
    error(
        "PT087",
        "a fabadder rule can't have ring or pop",
        "The adder's color 10 cannot switch.",
        "Remove these flags.",
    ),
    # The layout as a whole.
    error(
        "PT100",
        "two kernels on one tile: {how} ({tiles})",
        "A tile runs one kernel with one set of bindings.",
        "Make the regions disjoint where they have code.",
    ),
    error(
        "PT101",
        "two rules for '{color}' on one tile: {a} and {b} ({tiles})",
        "A router has one rule for a color, unless one is the other with its open side ([C>] or [>C]) filled in.",
        "Make the regions disjoint, write one rule that does both, or use two colors.",
    ),
    error(
        "PT103",
        "'{color}' belongs to bank {bank}, whose routes message passing makes itself ({tiles})",
        "On a tile with mp(bank) the bank's five colors can't have rules.",
        "Remove the rule, or paint it with another color.",
    ),
    error(
        "PT104",
        "copies with message passing step along both axes, by ({dx}, {dy})",
        "Message-passing configuration cannot represent a replication that steps along x and y at once.",
        "Let the copies step along one axis, or enable mp() on the whole rectangle.",
    ),
    error(
        "PT105",
        "the layout reaches to ({x}, {y}); coordinates begin at 0",
        "The fabric is the bounding box from (0, 0).",
        "Move the layout with place(x y).",
    ),
    error(
        "PT106",
        "the layout needs {w} x {h} tiles; the fabric has {width} x {height}",
        "Without fabric=W,H a layout may have up to 762 x 1172 tiles.",
        "Make the layout smaller, or give fabric=W,H.",
    ),
    error(
        "PT107",
        "the layout has no tiles",
        "All its regions are empty: some width, height or count is 0.",
        "Check the values given by set=.",
    ),
    # Kernels.
    error(
        "PT110",
        "kernel file '{name}' was not found in {places}",
        "Kernels are searched in the directories of lib= and in the layout's own.",
        "Check the name, or add lib=DIRECTORY.",
    ),
    error(
        "PT111",
        "kernel '{kernel}' has no parameter or socket '{name}'",
        "The list of code() binds names that the kernel declares.",
        "Declare it in the kernel (`xp param {name};` or `socket {name};`), or remove the binding.",
    ),
    error(
        "PT112",
        "socket '{name}' of kernel '{kernel}' is not bound",
        "Each socket of a kernel needs a color.",
        "Bind it in code(): [{name}:color].",
    ),
    error(
        "PT113",
        "parameter '{name}' of kernel '{kernel}' is not bound and has no default",
        "A parameter takes its value from code() or from its declaration.",
        "Bind it in code(): [{name}:VALUE], or give it a default in the kernel.",
    ),
    error(
        "PT114",
        "'{name}' of kernel '{kernel}' is a {what}, and is bound to {kind}",
        "A socket takes a color, a parameter a number.",
        "Bind it to the other kind of value.",
    ),
    error(
        "PT116",
        "kernel '{kernel}' {does} {count} colors on {tiles}; a core has 8 {what} queues",
        "Each color that reaches the core takes an input queue, each that leaves it an output queue.",
        "Use fewer colors on a tile, for example one with a switch; the list shows who needs one.",
    ),
    # The command.
    error(
        "PT120",
        "set={text}: a name and a value are needed, as in set=N=4",
        "set= gives a free name of the layout its value.",
        "Write set=NAME=VALUE.",
    ),
    warning(
        "PT121",
        "set={name}= is given twice, as '{first}' and as '{second}'; the last one holds",
        "A name has one value.",
        "Remove one of the two.",
    ),
    error(
        "PT122",
        "fabric={text}: two numbers are needed, as in fabric=762,1172",
        "fabric= gives width and height in tiles.",
        "Write fabric=W,H.",
    ),
    error(
        "PT123",
        "no compiler '{name}' for sources of kind '{source}'",
        "toolname selects the compiler for a kind of source; this toolchain has carbide.",
        "Write toolname w carbide toolname yeti carbide, or leave it out.",
    ),
    warning(
        "PT124",
        "toolflag {tool} \"{flag}\": unknown flag, ignored",
        "The original tools have flags that mean nothing here.",
        "Remove it, or use opt=1 or opt=2.",
    ),
    error(
        "PT125",
        "'{source}' is no kind of source",
        "toolname takes a kind of source, w or yeti, and a compiler.",
        "Write toolname w carbide toolname yeti carbide, or leave it out.",
    ),
    error(
        "PT130",
        "'{path}' is linked already",
        "milink takes the object image that `paint nolink` writes.",
        "Use the image as it is.",
    ),
    error(
        "PT131",
        "'{path}' holds nothing that milink can link: {why}",
        "The image was not written by paint, or by another version of it.",
        "Make it again with paint.",
    ),
]

# The color solver (paint.md 4).
ROWS += [
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
ROWS += [
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
]
