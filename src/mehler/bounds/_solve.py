"""Invert a bound: find the smallest count at which it meets a target and is not vacuous."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._validate import require_positive
from mehler.bounds._arguments import counts
from mehler.bounds._bound import Bound, BoundFunction, Term, digits
from mehler.bounds._spectra import eigenvalues_of

# No array of more features fits anywhere.
LARGEST = 10**18


def solve(
    bound: BoundFunction[..., Any], /, *, at_most: float, for_: str | None = None, **arguments: Any
) -> int:
    r"""Return the smallest count at which a bound meets a target without being vacuous.

    .. math:: n = \min\{n \ge 1 : b(n, \ldots) \le \varepsilon\}

    The one required argument that is passed as None is solved for, as in the power calculations of
    statsmodels, by about ten evaluations of the bound.

    Parameters
    ----------
    bound : callable
        A function of `mehler.bounds`.
    at_most : float
        Target epsilon, in the units of the bound.
    for_ : str, optional
        Name of the argument that is solved for, where None is its default and means something else.
    **arguments
        All other arguments of `bound`, numbers for those that broadcast.

    Returns
    -------
    int
        n; at n - 1 the bound exceeds `at_most` or is vacuous: no less than what holds without it,
        or of probability 0. A multiple of `block`, the columns that share a draw, if given.
        Elements of a finite group are at most its order.

    Raises
    ------
    ValueError
        If there is none: the bound stays above `at_most`, or is vacuous wherever it is below. The
        message names the assumption that fails, and from which count on.

    Examples
    --------
    >>> from mehler import bounds
    >>> bounds.solve(bounds.maxout.excess_risk, at_most=0.05, n_features=None, n_samples=60_000,
    ...              pool_size=4, scale=1.0, lipschitz=1.0, delta=0.01)
    24615
    """
    if not hasattr(bound, "falls_in"):  # names of arguments in which a bound falls
        raise TypeError(f"bound={bound!r} must be a function of mehler.bounds")
    parameters = inspect.signature(bound).parameters.values()
    names = [
        p.name for p in parameters if p.default is p.empty and arguments.get(p.name, 0) is None
    ]
    names = [for_] if for_ is not None and not names else names
    if len(names) != 1 or names[0] not in bound.falls_in or for_ not in (None, names[0]):
        raise TypeError(
            f"pass one required argument as None, or name one by for_, not "
            f"{', '.join(names) or 'none'}: {bound.name} falls in "
            f"{', '.join(bound.falls_in) or 'no argument'}"
        )
    name, target = names[0], require_positive("at_most", at_most)
    if arguments.get("gram") is not None:  # decomposed once
        mu = eigenvalues_of(arguments["gram"], arguments.get("eigenvalues"))
        arguments |= {"gram": None, "eigenvalues": mu}
    step = int(counts(block=arguments.get("block", 1))) if name == "n_features" else 1
    order = arguments.get("group_order") if name == "n_elements" else None
    most = min(LARGEST, order or LARGEST) // step

    # The bound falls in the count, so that searches by halves find where a condition begins.
    def at(steps: int) -> Bound:
        result = bound(**{**arguments, name: step * steps})
        result = result if isinstance(result, Bound) else Bound(terms=(Term("number", result),))
        if np.ndim(result.value):
            raise ValueError(f"{name} is solved for with one number for each other argument")
        return result

    def first(serves: Callable[[Bound], bool], low: int = 0) -> int | None:
        high = min(low + 1, most)
        while not serves(at(high)):
            if high >= most:
                return None
            low, high = high, min(2 * high, most)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if serves(at(middle)) else (middle, high)
        return high

    least = _crossing(lambda steps: float(at(steps).value), target, most)
    if least is None:
        raise ValueError(
            f"at_most={at_most!r} is out of reach: with {name}={step * most:.6g} {bound.name} "
            f"is {at(most).value:.6g}; give a larger at_most, or change other arguments"
        )
    if not at(least).vacuous:
        return step * least
    valid = first(lambda result: bool(result.value <= target) and not result.vacuous, least)
    if valid is not None:
        return step * valid
    # There is none: say which assumption fails from where on, or why else it is vacuous.
    start = (first(lambda result: bool(result.unmet)) if at(most).unmet else 1) or most
    result, reason = at(start), "its probability is 0: give smaller delta"
    if result.unmet:
        reason = f"it is not true that {result.unmet[0].text} ({result.unmet[0].value})"
    elif result.probability > 0:
        reason = f"its terms exceed {digits(result.trivial)}, which holds without it"
    raise ValueError(
        f"at_most={at_most!r} is out of reach: {bound.name} is below it from "
        f"{name}={step * least:.6g} on, and is vacuous from {name}={step * start} "
        f"on, where {reason}"
    )


def _crossing(value: Callable[[int], float], target: float, most: int) -> int | None:
    """Return the smallest number at which a decreasing value is at most the target, or None.

    In turns by halves, and by the line through both ends in logarithms, as most are nearly powers.
    """
    low, above = 1, value(1)
    if above <= target:
        return 1
    guess = (above / target) ** 2 if above < 1e100 * target else 2.0
    high = int(min(max(2.0, guess), most))
    while (below := value(high)) > target:
        if high >= most:
            return None
        low, high, above = high, min(2 * high, most), below
    halves = False
    while high - low > 1:
        middle = (low + high) // 2
        if not halves and 0 < below < above < np.inf:
            part = np.log(above / target) / np.log(above / below)
            middle = min(max(low + 1, int(low * (high / low) ** part)), high - 1)
        at_middle, halves = value(middle), not halves
        if at_middle <= target:
            high, below = middle, at_middle
        else:
            low, above = middle, at_middle
    return high
