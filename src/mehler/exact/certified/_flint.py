"""python-flint, imported when first needed, and its precision, which is global there."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

# flint.ctx.prec belongs to the process: one certified computation at a time.
_lock = threading.RLock()


def flint() -> Any:
    """The module, or an ImportError that says how to get it."""
    try:
        import flint as module
    except ImportError as error:
        raise ImportError(
            "mehler.exact.certified needs python-flint; install it with "
            "pip install 'mehler[certified]'"
        ) from error
    return module


@contextmanager
def precision(bits: int) -> Iterator[Any]:
    """The module with its working precision set, and set back afterwards."""
    module = flint()
    with _lock:
        before = module.ctx.prec
        module.ctx.prec = bits
        try:
            yield module
        finally:
            module.ctx.prec = before


def to_arb(module: Any, value: Fraction) -> Any:
    """A ball around a rational number."""
    return module.arb(module.fmpq(value.numerator, value.denominator))


def error(module: Any, bound: Any) -> Any:
    """The ball [-bound, bound]; the upper end of `bound` is what counts."""
    return module.arb(0, bound.upper())
