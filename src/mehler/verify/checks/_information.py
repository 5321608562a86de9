"""What rows say about a kernel: the scale of the rows that would have been refuted at them."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import replace

import numpy as np

from mehler.kernels import NamedKernel
from mehler.verify._verdict import Status, Verdict
from mehler.verify.sampling._draws import is_feature_map
from mehler.verify.sampling._pairs import Kernel, Pairs, claimed

# Factors that are tried either way, one after the other, and those from which on a verdict says so,
# and says nothing.
_FACTORS = (1.05, 1.2, 1.5, 2.0, 3.0, 5.0, 7.0, 10.0, *(10.0 * 1.5**k for k in range(1, 29)))
_SAID, _MOST = 2.0, 10.0
# Kernels that agree so far have no scale.
_SAME = 1e-12


def least_factor(kernel: Kernel, pairs: Pairs, resolution: float) -> float:
    """Return the least factor of the rows' scale at which the kernel is off by the resolution.

    Up or down, whichever is less; infinite if none is, and 1 for kernels without a scale, which are
    the same at all factors.
    """

    def gap(factor: float) -> float:
        try:
            x, y = (factor * side.values for side in (pairs.left, pairs.right))
            value = pairs.pick(claimed(kernel, x, x if pairs.same else y)) / pairs.unit
        except Exception:  # rows where a function that is not ours has no value show nothing
            return 0.0
        return float(np.nanmax(np.abs(value - pairs.claim), initial=0.0))

    largest = 0.0
    for factor in _FACTORS:
        here = max(gap(factor), gap(1.0 / factor))
        if here >= resolution:
            return factor
        largest = max(largest, here)
    return 1.0 if largest <= _SAME else np.inf


def inform(verdict: Verdict, kernel: Kernel, pairs: Pairs) -> Verdict:
    """Say of a claim that holds which scale of the rows would not have shown, if that is large.

    From a factor of 10 on the rows carry no information on the scale: the verdict is inconclusive,
    but for a kernel that is a bare function, of which nobody knows that it has a scale.
    """
    if not verdict.holds:
        return verdict
    with np.errstate(all="ignore"):
        factor = least_factor(kernel, pairs, verdict.resolution)
    if factor <= _SAID:
        return verdict
    text = f"off by less than {factor:.3g}" if np.isfinite(factor) else "off by any factor"
    text = f"A bandwidth {text} would not show at these rows"
    if factor <= _MOST:
        return replace(verdict, reason=f"{verdict.reason} {text}.".lstrip())
    text += ": scale the columns, so that k(x, y) is neither about 0 nor about k(x, x) everywhere."
    status: Status = "holds" if _is_bare(kernel) else "inconclusive"
    return replace(verdict, status=status, reason=f"{verdict.reason} {text}".lstrip())


def _is_bare(kernel: Callable[..., object]) -> bool:
    """Whether a kernel is neither one by name nor that of a map."""
    owner = kernel.__self__ if inspect.ismethod(kernel) else None
    return not (isinstance(kernel, NamedKernel) or is_feature_map(owner))
