"""Contexts of numbers: balls of python-flint, or fixed-point numbers where it is missing.

The sums of this package are written once, for the interface of ``flint``: ``arb``, ``arb_poly``,
``fmpq`` and their methods. `Fixed` has the part of it that they use. It is no enclosure: errors
are dropped, and digits are as good as the guard bits.
"""

from __future__ import annotations

import functools
import math
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

import mpmath

from mehler._text import install_command

# flint.ctx.prec belongs to the process: one certified computation at a time.
_lock = threading.RLock()


def flint() -> Any:
    """Return the module, or raise ImportError with the install command."""
    try:
        import flint as module
    except ImportError as error:
        raise ImportError(
            f"mehler.exact.certified needs python-flint: {install_command('certified')}"
        ) from error
    return module


def private_context(bits: int) -> Any:
    """Return a new mpmath context, so that no thread sees another's precision."""
    context = mpmath.mp.__class__()
    context.prec = bits
    return context


@contextmanager
def precision(bits: int, *, proved: bool = True) -> Iterator[Any]:
    """Yield a context of that working precision; python-flint's is restored afterwards.

    Without python-flint, numbers that need not be `proved` are fixed-point.
    """
    try:
        module = flint()
    except ImportError:
        if proved:
            raise
        yield FixedPoint(bits)
        return
    with _lock:
        before = module.ctx.prec
        module.ctx.prec = bits
        try:
            yield module
        finally:
            module.ctx.prec = before


def to_arb(module: Any, value: Fraction) -> Any:
    """Return a ball around a rational number."""
    return module.arb(module.fmpq(value.numerator, value.denominator))


def error(module: Any, bound: Any) -> Any:
    """Return the ball [-bound, bound], with the upper end of `bound`."""
    return module.arb(0, bound.upper())


class FixedPoint:
    """The interface of ``flint`` for numbers round(x 2^bits)/2^bits, without radii.

    On the grids of this package everything is at most a few units large, so that one product is
    one integer product and one shift: several times faster than mpf.
    """

    fmpq = Fraction

    def __init__(self, bits: int) -> None:
        self.mp = private_context(bits + 16)
        self.arb = type("Fixed", (Fixed,), {"bits": bits, "mp": self.mp})
        self.arb_poly = type("Polynomial", (Polynomial,), {"arb": self.arb, "bits": bits})


_new: Any = object.__new__


class Fixed:
    """A fixed-point number; its class has the bits."""

    __slots__ = ("raw",)
    raw: int
    bits: int
    mp: Any

    def __init__(self, value: Any = 0, radius: Any = 0) -> None:
        if isinstance(value, Fixed):
            self.raw = value.raw
        elif isinstance(value, Fraction):
            self.raw = (value.numerator << self.bits) // value.denominator
        elif isinstance(value, int):
            self.raw = value << self.bits
        else:
            self.raw = int(self.mp.nint(self.mp.ldexp(self.mp.mpf(value), self.bits)))

    @classmethod
    def _of(cls, raw: int) -> Any:
        new = _new(cls)
        new.raw = raw
        return new

    @classmethod
    def pi(cls) -> Any:
        """Return pi."""
        owner: Any = cls
        return _pi(owner)

    def real(self) -> Any:
        """Return the number as an mpf of the private context."""
        return self.mp.ldexp(self.mp.mpf(self.raw), -self.bits)

    def _raw(self, other: Any) -> int:
        return other.raw if type(other) is type(self) else type(self)(other).raw

    def __add__(self, other: Fixed) -> Any:
        new = _new(type(self))
        new.raw = self.raw + self._raw(other)
        return new

    __radd__ = __add__

    def __sub__(self, other: Any) -> Any:
        new = _new(type(self))
        new.raw = self.raw - self._raw(other)
        return new

    def __rsub__(self, other: int) -> Any:
        return self._of(self._raw(other) - self.raw)

    def __mul__(self, other: Any) -> Any:
        new = _new(type(self))
        if type(other) is type(self):
            new.raw = self.raw * other.raw >> self.bits
        elif type(other) is int:
            new.raw = self.raw * other
        elif type(other) is Fraction:
            new.raw = self.raw * other.numerator // other.denominator
        else:
            new.raw = self.raw * self._raw(other) >> self.bits
        return new

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        new = _new(type(self))
        if type(other) is int:
            new.raw = self.raw // other
        else:
            new.raw = (self.raw << self.bits) // self._raw(other)
        return new

    def __rtruediv__(self, other: int) -> Any:
        return self._of((self._raw(other) << self.bits) // self.raw)

    def __pow__(self, n: int) -> Any:
        result, x = 1 << self.bits, self.raw
        while n:
            if n & 1:
                result = result * x >> self.bits
            x = x * x >> self.bits
            n >>= 1
        return self._of(result)

    def __neg__(self) -> Any:
        return self._of(-self.raw)

    def __abs__(self) -> Any:
        return self._of(abs(self.raw))

    def __float__(self) -> float:
        return float(self.real())

    def __lt__(self, other: Any) -> bool:
        return self.raw < self._raw(other)

    def __le__(self, other: Any) -> bool:
        return self.raw <= self._raw(other)

    def __gt__(self, other: int) -> bool:
        return self.raw > self._raw(other)

    def __ge__(self, other: int) -> bool:
        return self.raw >= self._raw(other)

    def upper(self) -> Any:
        """Return the number itself, which has no radius."""
        return self

    def sqrt(self) -> Any:
        """Compute the square root."""
        return self._of(math.isqrt(self.raw << self.bits))

    def __getattr__(self, name: str) -> Any:
        # exp, log, erf, erfc, sin, cos, asin, acos and atan are mpmath's.
        function = getattr(self.mp, name)
        return lambda: type(self)(function(self.real()))


@functools.lru_cache(maxsize=8)
def _pi(cls: Any) -> Any:
    return cls(+cls.mp.pi)


class Polynomial:
    """A polynomial with fixed-point coefficients, constant first."""

    arb: Any
    bits: int

    def __init__(self, coefficients: list[Any]) -> None:
        self._raw = [self.arb(c).raw for c in coefficients]

    def __call__(self, x: Fixed) -> Any:
        """Evaluate by Horner's rule."""
        total, at, bits = 0, x.raw, self.bits
        for coefficient in reversed(self._raw):
            total = (total * at >> bits) + coefficient
        return self.arb._of(total)

    def __mul__(self, other: Any) -> Any:
        return self  # a bound's, which is dropped

    def coeffs(self) -> list[Any]:
        """Return the coefficients."""
        return [self.arb._of(raw) for raw in self._raw]
