"""All access to the engine's memory: words at addresses, and the few operations that Python has no name for.

Compiled, each is one or two instructions; plain, each goes through ctypes or struct. Loads give int64: bytes, halves
and words without a sign (`ld32s` with one), 64-bit words as signed patterns.
"""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Callable
from typing import Any

from fabric.engine.layout import C_WATCHED
from fabric.engine.mode import COMPILED

Load = Callable[[int], int]
Store = Callable[[int, int], None]
MASK64 = (1 << 64) - 1

if COMPILED:
    from llvmlite import ir
    from numba import types
    from numba.core import cgutils
    from numba.extending import intrinsic

    from fabric.engine.wholeprogram import AVAILABLE, WATCHING

    i64, f64 = types.int64, types.float64
    LL = ir.IntType(64)

    def _intrinsic(result: Any, arguments: tuple[Any, ...], body: Callable[[Any, Any], Any]) -> Any:
        """An intrinsic from a function (builder, arguments) -> value."""

        def codegen(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            value = body(builder, args)
            return context.get_dummy_value() if value is None else value

        def none(typingctx: Any) -> Any:
            return result(), codegen

        def one(typingctx: Any, a: Any) -> Any:
            return result(*arguments), codegen

        def two(typingctx: Any, a: Any, b: Any) -> Any:
            return result(*arguments), codegen

        return intrinsic((none, one, two)[len(arguments)])

    def _pointer(b: Any, address: Any, bits: int) -> Any:
        return b.inttoptr(address, ir.IntType(bits).as_pointer())

    def _load(bits: int, signed: bool = False) -> Any:
        def body(b: Any, args: Any) -> Any:
            value = b.load(_pointer(b, args[0], bits))
            if bits == 64:
                return value
            return b.sext(value, LL) if signed else b.zext(value, LL)

        return _intrinsic(i64, (i64,), body)

    def _store(bits: int) -> Any:
        def body(b: Any, args: Any) -> Any:
            value = args[1] if bits == 64 else b.trunc(args[1], ir.IntType(bits))
            b.store(value, _pointer(b, args[0], bits))

        return _intrinsic(types.void, (i64, i64), body)

    ld8: Load = _load(8)
    ld16: Load = _load(16)
    ld32: Load = _load(32)
    ld32s: Load = _load(32, True)
    ld64: Load = _load(64)
    st8: Store = _store(8)
    st16: Store = _store(16)
    st32: Store = _store(32)
    st64: Store = _store(64)

    def _f32(b: Any, args: Any) -> Any:
        bits = b.trunc(args[0], ir.IntType(32))
        return b.fpext(b.bitcast(bits, ir.FloatType()), ir.DoubleType())

    def _to32(b: Any, args: Any) -> Any:
        narrow = b.fptrunc(args[0], ir.FloatType())
        return b.zext(b.bitcast(narrow, ir.IntType(32)), LL)

    # The double of an fp32 pattern; the fp32 pattern nearest to a double (of a NaN: some NaN).
    double_of: Callable[[int], float] = _intrinsic(f64, (i64,), _f32)
    narrow: Callable[[float], int] = _intrinsic(i64, (f64,), _to32)
    # Doubles and their patterns.
    pattern: Callable[[float], int] = _intrinsic(i64, (f64,), lambda b, a: b.bitcast(a[0], LL))
    number: Callable[[int], float] = _intrinsic(f64, (i64,), lambda b, a: b.bitcast(a[0], ir.DoubleType()))
    # Conversions between int64 and double (toward zero; the caller keeps the value in range).
    to_double: Callable[[int], float] = _intrinsic(f64, (i64,), lambda b, a: b.sitofp(a[0], ir.DoubleType()))
    to_int: Callable[[float], int] = _intrinsic(i64, (f64,), lambda b, a: b.fptosi(a[0], LL))

    # 64-bit patterns: wrap, logical shift (0 <= n < 64), unsigned division.
    wrap: Load = _intrinsic(i64, (i64,), lambda b, a: a[0])
    shl: Callable[[int, int], int] = _intrinsic(i64, (i64, i64), lambda b, a: b.shl(a[0], a[1]))
    lshr: Callable[[int, int], int] = _intrinsic(i64, (i64, i64), lambda b, a: b.lshr(a[0], a[1]))
    udiv: Callable[[int, int], int] = _intrinsic(i64, (i64, i64), lambda b, a: b.udiv(a[0], a[1]))
    urem: Callable[[int, int], int] = _intrinsic(i64, (i64, i64), lambda b, a: b.urem(a[0], a[1]))
    ctz: Load = _intrinsic(i64, (i64,), lambda b, a: b.cttz(a[0], ir.Constant(ir.IntType(1), 0)))
    clz: Load = _intrinsic(i64, (i64,), lambda b, a: b.ctlz(a[0], ir.Constant(ir.IntType(1), 0)))
    popcount: Load = _intrinsic(i64, (i64,), lambda b, a: b.ctpop(a[0]))

    def _atomic_load(b: Any, args: Any) -> Any:
        return b.load_atomic(_pointer(b, args[0], 64), "acquire", 8)

    def _atomic_store(b: Any, args: Any) -> None:
        b.store_atomic(args[1], _pointer(b, args[0], 64), "release", 8)

    # What threads share.
    load_shared: Load = _intrinsic(i64, (i64,), _atomic_load)
    store_shared: Store = _intrinsic(types.void, (i64, i64), _atomic_store)
    add_shared: Callable[[int, int], int] = _intrinsic(
        i64, (i64, i64), lambda b, a: b.atomic_rmw("add", _pointer(b, a[0], 64), a[1], "acq_rel")
    )

    def _give_way(b: Any, args: Any) -> Any:
        module = b.function.module
        kind = ir.FunctionType(ir.IntType(32), ())
        return b.zext(b.call(cgutils.get_or_insert_function(module, kind, "sched_yield"), ()), LL)

    # Lets another thread have the processor.
    give_way: Callable[[], int] = _intrinsic(i64, (), _give_way)

    def _watching(b: Any, args: Any) -> Any:
        if not AVAILABLE:
            return b.load(_pointer(b, b.add(args[0], ir.Constant(LL, C_WATCHED)), 64))
        kind = ir.FunctionType(LL, (LL,))
        return b.call(cgutils.get_or_insert_function(b.function.module, kind, WATCHING), args)

    # Whether somebody watches: a constant of each entry (wholeprogram), so that what is not watched costs nothing.
    watching: Load = _intrinsic(i64, (i64,), _watching)

    # A constant as a plain int64: a literal argument would make a function of its own.
    const: Load = _intrinsic(i64, (i64,), lambda b, a: a[0])

else:
    _u8, _u16, _u32, _i32, _i64 = (
        ctypes.c_uint8.from_address,
        ctypes.c_uint16.from_address,
        ctypes.c_uint32.from_address,
        ctypes.c_int32.from_address,
        ctypes.c_int64.from_address,
    )

    def ld8(a: int) -> int:
        return _u8(a).value

    def ld16(a: int) -> int:
        return _u16(a).value

    def ld32(a: int) -> int:
        return _u32(a).value

    def ld32s(a: int) -> int:
        return _i32(a).value

    def ld64(a: int) -> int:
        return _i64(a).value

    def st8(a: int, v: int) -> None:
        _u8(a).value = v

    def st16(a: int, v: int) -> None:
        _u16(a).value = v

    def st32(a: int, v: int) -> None:
        _u32(a).value = v & 0xFFFFFFFF

    def st64(a: int, v: int) -> None:
        _i64(a).value = wrap(v)

    def wrap(v: int) -> int:
        return ((v & MASK64) ^ (1 << 63)) - (1 << 63)

    def double_of(bits: int) -> float:
        x: float = struct.unpack("<f", struct.pack("<I", bits & 0xFFFFFFFF))[0]
        return x

    def narrow(x: float) -> int:
        try:
            bits: int = struct.unpack("<I", struct.pack("<f", x))[0]
            return bits
        except OverflowError:
            return 0xFF800000 if x < 0 else 0x7F800000

    def pattern(x: float) -> int:
        bits: int = struct.unpack("<q", struct.pack("<d", x))[0]
        return bits

    def number(bits: int) -> float:
        x: float = struct.unpack("<d", struct.pack("<q", wrap(bits)))[0]
        return x

    def to_double(v: int) -> float:
        return float(v)

    def to_int(x: float) -> int:
        return int(x)

    def shl(a: int, n: int) -> int:
        return wrap(a << n)

    def lshr(a: int, n: int) -> int:
        return wrap((a & MASK64) >> n)

    def udiv(a: int, b: int) -> int:
        return wrap((a & MASK64) // (b & MASK64))

    def urem(a: int, b: int) -> int:
        return wrap((a & MASK64) % (b & MASK64))

    def ctz(a: int) -> int:
        return 64 if not a & MASK64 else (a & -a).bit_length() - 1

    def clz(a: int) -> int:
        return 64 - (a & MASK64).bit_length()

    def popcount(a: int) -> int:
        return (a & MASK64).bit_count()

    load_shared, store_shared = ld64, st64

    def add_shared(a: int, v: int) -> int:
        old = ld64(a)
        st64(a, old + v)
        return old

    def watching(s: int) -> int:
        return ld64(s + C_WATCHED)

    def give_way() -> int:
        os.sched_yield()
        return 0

    def const(v: int) -> int:
        return v
