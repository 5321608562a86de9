"""Invert a bound: the least count at which its value is small enough."""

from __future__ import annotations

from typing import Any

import numpy as np

from mehler._validate import require_positive
from mehler.bounds._entries import at_entry, broadcast, entries, host_array, is_array
from mehler.bounds._function import Arguments, Solvable, count

# No array of more features fits anywhere.
LARGEST = 10**18


def solve(bound: Solvable, /, *, at_most: float, for_: str | None = None, **arguments: Any) -> Any:
    r"""Return the least count at which a bound is at most a target.

    .. math:: n = \min\{n \ge 1 : b(n, \ldots) \le \varepsilon\}

    The one required argument that is passed as None is solved for, as in the power calculations of
    statsmodels.

    Parameters
    ----------
    bound : callable
        A function of `mehler.bounds`.
    at_most : float or array
        Target epsilon, in the units of the bound.
    for_ : str, optional
        Name of the argument that is solved for, where None is its default and means something else.
    **arguments
        All other arguments of `bound`; counts and probabilities may be arrays, which broadcast
        with `at_most`.

    Returns
    -------
    int or numpy.ndarray
        n; at n - 1 the bound exceeds `at_most`. Columns that share a draw (``block=``) come whole:
        n is a multiple of it. Where features or elements are those of a finite group, at most its
        order.

    Notes
    -----
    About 120 evaluations of the bound at most.

    Examples
    --------
    >>> from mehler import bounds
    >>> bounds.solve(bounds.maxout.excess_risk, at_most=0.05, n_features=None, n_samples=60_000,
    ...              pool_size=4, scale=1.0, lipschitz=1.0, delta=0.01)
    24615
    """
    if not hasattr(bound, "falls_in"):
        raise TypeError(f"bound={bound!r} must be a function of mehler.bounds")
    name = _variable(bound, for_, arguments)
    evaluate = bound.evaluate
    bound_to = evaluate.bind(**{**arguments, name: 1})
    arrays = evaluate.arrays(bound_to)
    if is_array(at_most):
        arrays["at_most"] = host_array("at_most", at_most)
    if not arrays:
        return _least(bound, name, require_positive("at_most", at_most), bound_to)
    shape = broadcast(arrays)
    results = []
    for index, entry in entries(arrays, shape):
        with at_entry(index):
            target = require_positive("at_most", entry.pop("at_most", at_most))
            results.append(_least(bound, name, target, {**bound_to, **entry}))
    return np.array(results).reshape(shape)


def _variable(bound: Solvable, for_: str | None, arguments: Arguments) -> str:
    """Return the name of the argument that is solved for."""
    names = [n for n in bound.evaluate.required if arguments.get(n, 0) is None]
    if for_ is not None:
        if names:
            raise TypeError(f"for_={for_!r} is solved for: give a value for {', '.join(names)}")
        names = [for_]
    choices = ", ".join(bound.falls_in) or "no argument"
    if len(names) != 1:
        raise TypeError(
            f"pass exactly one required argument as None, or name one by for_, not "
            f"{', '.join(names) or 'none'}; {bound.name} falls in {choices}"
        )
    if names[0] not in bound.falls_in:
        raise ValueError(f"{bound.name} does not fall in {names[0]}: it falls in {choices}")
    return names[0]


def _least(bound: Solvable, name: str, target: float, arguments: Arguments) -> int:
    """Return the least value of one argument, by doubling and bisection."""
    evaluate = bound.evaluate
    step = count("block", arguments.get("block", 1)) if name == "n_features" else 1
    most = _most(name, arguments) // step
    once = evaluate.prepared(evaluate.validate({**arguments, name: step}))

    def value(steps: int) -> float:
        return evaluate.value({**once, name: step * steps})

    low, high = 0, 1
    while not (reached := value(high)) <= target:
        if high >= most:
            raise ValueError(
                f"at_most={target!r} is out of reach: with {name}={step * high:.6g} {bound.name} "
                f"is {reached:.6g}; give a larger at_most, or change other arguments"
            )
        low, high = high, min(2 * high, most)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if value(middle) <= target else (middle, high)
    return step * high


def _most(name: str, arguments: Arguments) -> int:
    """Return the largest value: all elements of a finite group, where it is one."""
    order = arguments.get("group_order") if name == "n_elements" else None
    return LARGEST if order is None else min(LARGEST, count("group_order", order))
