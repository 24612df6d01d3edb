"""Types as written: type words, typedefs, dimensions, the layout of structs and unions (tungsten.md 3)."""

from __future__ import annotations

from diag.report import suggest
from diag.spans import Span
from tungsten import ast
from tungsten.check_base import Base, Stop
from tungsten.lexer import RESERVED
from tungsten.scope import Alias, Broken, Tag
from tungsten.types import (
    HP,
    I32,
    SCALARS,
    SP,
    STREAM,
    U16,
    U32,
    U64,
    VOID,
    WV,
    XP,
    Array,
    Dim,
    Field,
    Record,
    Type,
)
from tungsten.types import Scalar as ScalarType

MAX_WORDS = 0x8000  # of one variable: the words that an address can reach from its base


def common(a: ScalarType, b: ScalarType) -> ScalarType:
    """The type of arithmetic on two types: float beats integer, the wider wins, unsigned beats signed."""
    if a == b:
        return a
    if a.is_float or b.is_float:
        if a.is_float and b.is_float:
            return a if a.words > b.words else b
        return a if a.is_float else b
    if a.words != b.words:
        return a if a.words > b.words else b
    return a if a.kind == "uint" else b


def named(type_: Type) -> Type:
    """The type with its unnamed axes called n0, n1, … by position."""
    if not isinstance(type_, Array):
        return type_
    dims = tuple(Dim(d.name or f"n{i}", d.extent) for i, d in enumerate(type_.dims))
    return Array(type_.elem, dims)


def alike(a: Type, b: Type) -> bool:
    """Values of the one may be copied to the other: the same but for the names of axes."""
    if isinstance(a, Array) and isinstance(b, Array):
        return a.elem == b.elem and [d.extent for d in a.dims] == [d.extent for d in b.dims]
    return a == b


def array_of(type_: Type, dims: tuple[Dim, ...]) -> Type:
    """`type name[dims]`; the dimensions of a typedef come behind."""
    if not dims:
        return type_
    if isinstance(type_, Array):
        return Array(type_.elem, dims + type_.dims)
    return Array(type_, dims)


class Types(Base):
    """Resolves the types of declarations."""

    def type_of(self, ref: ast.TypeRef) -> Type:
        """The type that a declaration names. Unknown: TW023, TW024."""
        if ref.record is not None:
            return self.define_record(ref.record)
        assert ref.name is not None
        if ref.kind:
            return self._tagged(ref, ref.name)
        return self.type_named(ref.name)

    def type_named(self, name: ast.Name) -> Type:
        entity = self.scope.find(name.name)
        if isinstance(entity, Alias):
            return entity.type
        if isinstance(entity, Broken):
            raise Stop
        if name.name in SCALARS:
            return SCALARS[name.name]
        if entity is not None:
            self.fail("TW025", name.span, name=name.name, what=entity.what, notes=[(entity.span, "declared here")])
        if self.scope.find_tag(name.name):
            hint: str | None = f"write struct {name.name} or union {name.name}"
        else:
            aliases = [n for s in self.scope.chain() for n, e in s.names.items() if isinstance(e, Alias)]
            words = (*SCALARS, *aliases, *RESERVED, *_ROLES)
            hint = _FOREIGN.get(name.name)
            if name.name in _ROLES:
                hint = f"a {name.name} is declared at the top level and is no type"
            elif hint is None:
                hint = suggest(name.name, words)
        self.fail("TW023", name.span, name=name.name, hint=hint)

    def scalar_named(self, name: ast.Name) -> ScalarType:
        """A scalar type for a cast or before a destination."""
        type_ = self.type_named(name)
        if not isinstance(type_, ScalarType) or type_ is STREAM:
            self.fail("TW026", name.span, type=type_)
        return type_

    def _tagged(self, ref: ast.TypeRef, name: ast.Name) -> Record:
        entity = self.scope.find_tag(name.name)
        if entity is None:
            tags = [n for s in self.scope.chain() for n in s.tags]
            self.fail("TW024", name.span, kind=ref.kind, name=name.name, hint=suggest(name.name, tags))
        if not isinstance(entity, Tag):
            raise Stop
        if entity.record.kind != ref.kind:
            notes = [(entity.span, "defined here")]
            self.fail("TW027", ref.span, name=name.name, kind=entity.record.kind, wrong=ref.kind, notes=notes)
        return entity.record

    # -- dimensions -----------------------------------------------------------------------------------------

    def dims(self, refs: list[ast.DimRef]) -> tuple[Dim, ...]:
        """The dimensions of a declared array; each needs an extent (TW028)."""
        found: list[Dim] = []
        for ref in refs:
            if ref.extent is None:
                self.fail("TW028", ref.span)
            found.append(Dim(ref.name.name if ref.name else "", self._extent(ref.extent)))
        self._axes(refs)
        return tuple(found)

    def _extent(self, node: ast.Expr) -> int:
        extent = self.constant_int(node, "the size of an array")
        if extent < 0:
            self.fail("TW029", node.span, value=extent)
        return extent

    def _axes(self, refs: list[ast.DimRef]) -> None:
        seen: dict[str, Span] = {}
        for ref in refs:
            if ref.name is None:
                continue
            if ref.name.name in seen:
                notes = [(seen[ref.name.name], "named here before")]
                self.report("TW030", ref.name.span, name=ref.name.name, notes=notes)
            seen[ref.name.name] = ref.name.span

    def sized(self, type_: Type, span: Span) -> Type:
        """The type of a variable, with all axes named; TW031 when it is larger than the memory."""
        if type_ is VOID or (isinstance(type_, Array) and type_.elem is STREAM):
            self.fail("TW032", span, type=type_)
        if type_.words > MAX_WORDS:
            self.fail("TW031", span, words=type_.words)
        return named(type_)

    # -- structs and unions ---------------------------------------------------------------------------------

    def define_record(self, definition: ast.RecordDef) -> Record:
        """Lays out a struct or union; a name it has becomes a tag of the present scope."""
        fields: list[Field] = []
        spans: dict[str, Span] = {}
        offset = size = 0
        align = 1
        union = definition.kind == "union"
        broken = False
        for member in definition.members:
            try:
                for field, place in self._members(member):
                    start = 0 if union else -(-offset // field.type.align) * field.type.align
                    align = max(align, field.type.align)
                    offset = start + field.type.words
                    size = max(size, offset)
                    if field.name:
                        added = [(Field(field.name, field.type, start), place)]
                    else:  # without a member name: the members count as this one's own
                        assert isinstance(field.type, Record)
                        added = [(Field(f.name, f.type, start + f.offset), place) for f in field.type.fields]
                    for one, where in added:
                        if one.name in spans:
                            notes = [(spans[one.name], "declared here before")]
                            self.report("TW020", where, name=one.name, notes=notes)
                            continue
                        spans[one.name] = where
                        fields.append(one)
            except Stop:
                broken = True
        name = definition.name.name if definition.name else ""
        record = Record(name, definition.kind, tuple(fields), -(-size // align) * align, align)
        if definition.name is not None:
            span = definition.name.span
            self.declare_tag(Broken(name, span) if broken else Tag(name, span, definition.kind, record=record))
        if broken:
            raise Stop
        if not fields:
            self.fail("TW033", definition.span, kind=definition.kind)
        return record

    def _members(self, member: ast.Decl) -> list[tuple[Field, Span]]:
        if member.role:
            self.fail("TW034", member.span, what=member.role)
        assert member.type is not None or member.items
        if member.type is None:
            self.fail("TW035", member.items[0].span)
        type_ = self.type_of(member.type)
        if not member.items:
            return [(Field("", type_, 0), member.span)]
        found: list[tuple[Field, Span]] = []
        for item in member.items:
            for part in (item.address, item.bank, item.init, *item.options):
                if part is not None:
                    self.fail("TW034", part.span, what="an initialiser" if part is item.init else "a place")
            full = self.sized(array_of(type_, self.dims(item.dims)), item.name.span)
            if full is STREAM:
                self.fail("TW032", item.name.span, type=full)
            found.append((Field(item.name.name, full, 0), item.name.span))
        return found

    # -- names of types in messages -------------------------------------------------------------------------

    def note_of(self, symbol_span: Span, type_: Type) -> tuple[Span, str]:
        return (symbol_span, f"declared here as {type_}")


_ROLES = ("socket", "fifo", "filter", "iterator")
_FOREIGN = {
    "int": "did you mean 'xp' (16 bits) or 'i32'?",
    "short": "did you mean 'xp'?",
    "long": "did you mean 'i32'?",
    "unsigned": "did you mean 'u16' or 'u32'?",
    "float": "did you mean 'sp'?",
    "half": "did you mean 'hp'?",
    "double": "did you mean 'sp'? There is no 64-bit float",
    "f32": "did you mean 'sp'?",
    "f16": "did you mean 'hp'?",
    "i16": "did you mean 'xp'?",
    "int16": "did you mean 'xp'?",
    "int32": "did you mean 'i32'?",
    "uint16": "did you mean 'u16'?",
    "uint32": "did you mean 'u32'?",
    "uint64": "did you mean 'u64'?",
    "i64": "the only type of 64 bits is 'u64'",
    "i8": "there are no bytes; did you mean 'xp' (16 bits)?",
    "u8": "there are no bytes; did you mean 'u16'?",
    "char": "there are no bytes; did you mean 'u16'?",
    "bool": "conditions are whole numbers: did you mean 'xp'?",
    "fp16": "did you mean 'hp'?",
    "fp32": "did you mean 'sp'?",
    "reset": "reset takes the name of an iterator, without []: reset it;",
    "void": "a function has no type in front: function f(…) { … }",
    "var": "a declaration begins with its type, such as xp or sp",
}
NUMERIC = (XP, U16, I32, U32, U64, HP, SP)
WIRE = (XP, U16, I32, U32, HP, SP, WV)
