"""Import python-flint on first use, and guard its precision, which is global."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

# flint.ctx.prec belongs to the process: one certified computation at a time.
_lock = threading.RLock()


def flint() -> Any:
    """Return the module, or raise ImportError with the install command."""
    try:
        import flint as module
    except ImportError as error:
        raise ImportError(
            'mehler.exact.certified needs python-flint: pip install "mehler[certified]"'
        ) from error
    return module


@contextmanager
def precision(bits: int) -> Iterator[Any]:
    """Yield the module with its working precision set; restore it afterwards."""
    module = flint()
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
