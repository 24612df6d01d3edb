"""Image <-> ELF32, lossless both ways; simulator cores have the same form (docs/images.md).

The ELF carries the whole fabric: section .fabric holds the image's header (sizes, rectangles, segments, places),
.words the words that many tiles share, unpacked, .parts the packed blobs; each run of shared words is a PT_LOAD
segment too, at its *byte* address in a tile, so that ordinary ELF tools show what lies where. The last four
bytes of the file are a CRC of all before. ELF type: REL for an image that is not linked, EXEC for a linked one,
CORE for what a simulator wrote.

    data = to_elf(image); image = from_elf(data, path)
    image = load_elf(path)
"""

from __future__ import annotations

import json
import struct
import zlib
from dataclasses import dataclass

from diag.files import read_bytes
from diag.report import UserError, fail
from diag.spans import nowhere
from fabric import arch
from fabric.image import Image
from fabric.imagefile import Bad, Frozen, freeze, read_header, seal, thaw

MACHINE = 0xCE5B  # no registered number; readelf shows it as unknown
VERSION = 1
ET_REL, ET_EXEC, ET_CORE = 1, 2, 4
PT_LOAD = 1
SHT_PROGBITS, SHT_STRTAB = 1, 3
MOST = (1 << 32) - 8  # bytes of a file with 32-bit offsets
MAX_LOADS = 0xFFFE  # a 16-bit count, less the escape value
EHDR = struct.Struct("<16sHHIIIIIHHHHHH")
PHDR = struct.Struct("<8I")
SHDR = struct.Struct("<10I")
MARK = b"\x89TELF\r\n\x1a"
HEAD = struct.Struct("<8sHHIIII")  # mark, version, 0, header: packed, unpacked, CRC; CRC of the words
NAMES = ("", ".fabric", ".words", ".parts", ".shstrtab")


def to_elf(image: Image) -> bytes:
    """Raises UserError (FB214) when the file would pass the 4 GB of ELF32."""
    frozen = freeze(image)
    header, chunks = seal(frozen, frozen.blobs)
    text = json.dumps(header, separators=(",", ":"), ensure_ascii=False).encode()
    packed = zlib.compress(text, 6)
    head = HEAD.pack(MARK, VERSION, 0, len(packed), len(text), zlib.crc32(packed), zlib.crc32(frozen.words))
    loads = _loads(frozen)
    strings = b"\x00".join(n.encode() for n in NAMES) + b"\x00"
    bodies = [head + packed, frozen.words, b"".join(chunks), strings]
    at = EHDR.size + PHDR.size * len(loads)
    offsets: list[int] = []
    padded: list[bytes] = []
    for body in bodies:
        padded.append(bytes(-at % 4) + body)
        at += -at % 4
        offsets.append(at)
        at += len(body)
    padded.append(bytes(-at % 4))
    at += -at % 4
    if at + SHDR.size * 5 > MOST:
        raise fail("FB214", None, size=at)
    sections = [bytes(SHDR.size)]
    place = 1
    for name, body, offset in zip(NAMES[1:], bodies, offsets, strict=True):
        kind = SHT_STRTAB if name == ".shstrtab" else SHT_PROGBITS
        sections.append(SHDR.pack(place, kind, 0, 0, offset, len(body), 0, 0, 1 if kind == SHT_STRTAB else 4, 0))
        place += len(name) + 1
    ident = b"\x7fELF" + bytes([1, 1, 1]) + bytes(9)
    kind = ET_CORE if "core" in image.meta else ET_EXEC if image.linked else ET_REL
    phoff = EHDR.size if loads else 0
    sizes = (EHDR.size, PHDR.size, len(loads), SHDR.size, len(sections), len(sections) - 1)
    ehdr = EHDR.pack(ident, kind, MACHINE, 1, 0, phoff, at, 0, *sizes)
    segments = [PHDR.pack(PT_LOAD, offsets[1] + 2 * w, 2 * a, 2 * a, 2 * n, 2 * n, _flags(a), 2) for a, n, w in loads]
    data = b"".join([ehdr, *segments, *padded, *sections])
    return data + struct.pack("<I", zlib.crc32(data))


def _loads(frozen: Frozen) -> list[tuple[int, int, int]]:
    """(address, words, place in .words) of each run of words that several tiles may share, each once.

    They are for the eye of other tools: our reader goes by .fabric, so that those past the most that an ELF can
    list are left out without loss.
    """
    fills = (s for s in frozen.header["segments"] if s[0] == "fill")
    return sorted({(addr, n, place) for _, _, addr, n, place in fills})[:MAX_LOADS]


def _flags(addr: int) -> int:
    """Read and write; execute too in main memory, which holds code and data."""
    return 7 if addr < arch.MAIN_WORDS else 6


@dataclass
class _Section:
    offset: int
    size: int


def from_elf(data: bytes, path: str = "ELF") -> Image:
    """Raises UserError: FB211 no ELF of ours, FB212 damaged, FB213 of a newer version."""
    if data[:4] != b"\x7fELF":
        raise _foreign(data, path)
    try:
        sections = _sections(data, path)
        body = memoryview(data)
        box, words, parts = (body[s.offset : s.offset + s.size] for s in sections)
        if len(box) < HEAD.size:
            raise Bad("section .fabric is too short")
        mark, version, _, packed, unpacked, crc, words_crc = HEAD.unpack_from(box)
        if mark != MARK:
            raise Bad("section .fabric does not begin with its mark")
        if version > VERSION:
            raise fail("FB213", nowhere(path), path=path, version=version, known=VERSION)
        if HEAD.size + packed != len(box):
            raise Bad("section .fabric has another size than it says")
        if zlib.crc32(words) != words_crc:
            raise Bad("the checksum of section .words is wrong")
        if zlib.crc32(body[:-4]) != struct.unpack("<I", body[-4:])[0]:
            raise Bad("the checksum of the file is wrong")
        return thaw(read_header(bytes(box[HEAD.size :]), unpacked, crc), parts, bytes(words), path)
    except Bad as e:
        raise fail("FB212", nowhere(path), path=path, why=str(e)) from None


def _foreign(data: bytes, path: str) -> UserError:
    hint = None
    what = "it does not begin as an ELF does"
    if data[:5] == b"\x89TIMG":
        what, hint = "it is an image", f"mielf image={path} elf=… turns an image into an ELF"
    elif not data:
        what = "it is empty"
    return fail("FB211", nowhere(path), path=path, what=what, hint=hint)


def _sections(data: bytes, path: str) -> list[_Section]:
    """.fabric, .words and .parts. Raises UserError for a foreign ELF, Bad for a damaged one."""
    place = nowhere(path)
    if len(data) < EHDR.size:
        raise Bad(f"it is cut short: {len(data)} bytes")
    ident, _, machine, _, _, _, shoff, _, _, _, _, shentsize, shnum, shstrndx = EHDR.unpack_from(data)
    if ident[4:6] != b"\x01\x01":
        raise fail("FB211", place, path=path, what="it is not a 32-bit little-endian ELF")
    if machine != MACHINE:
        raise fail("FB211", place, path=path, what=f"it is for machine {machine}")
    if shentsize != SHDR.size or shstrndx >= shnum:
        raise Bad("its table of sections is malformed")
    if len(data) < shoff + SHDR.size * shnum + 4:
        raise Bad(f"it is cut short: {len(data)} bytes, expected {shoff + SHDR.size * shnum + 4}")
    rows = [SHDR.unpack_from(data, shoff + SHDR.size * i) for i in range(shnum)]
    for i, row in enumerate(rows[1:], 1):
        if row[4] + row[5] > len(data):
            raise Bad(f"section {i} reaches beyond its end")
    strings = data[rows[shstrndx][4] : rows[shstrndx][4] + rows[shstrndx][5]]
    found: dict[str, _Section] = {}
    for row in rows:
        name = strings[row[0] : strings.find(b"\x00", row[0])].decode("latin-1")
        found[name] = _Section(row[4], row[5])
    missing = [n for n in NAMES[1:4] if n not in found]
    if missing:
        raise Bad(f"it has no section {missing[0]}")
    return [found[n] for n in NAMES[1:4]]


def load_elf(path: str) -> Image:
    """Raises UserError (DG007, FB211 to FB213)."""
    return from_elf(read_bytes(path), path)


def save_elf(image: Image, path: str) -> None:
    """Writes the file whole or not at all. Raises UserError (DG008, FB214)."""
    from diag.files import write_whole

    write_whole(path, to_elf(image))
