"""Invert a bound: the least count at which its value is small enough and a promise."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from mehler._validate import require_positive
from mehler.bounds._arguments import broadcast, counts, host_array, is_array
from mehler.bounds._bound import Bound, digits
from mehler.bounds._function import BoundFunction
from mehler.bounds._spectra import eigenvalues_of

# No array of more features fits anywhere.
LARGEST = 10**18
_BROADCAST = ("Counts", "Reals")


def solve(
    bound: BoundFunction[..., Any], /, *, at_most: float, for_: str | None = None, **arguments: Any
) -> Any:
    r"""Return the least count at which a bound is at most a target, and promises it.

    .. math:: n = \min\{n \ge 1 : b(n, \ldots) \le \varepsilon\}

    The one required argument that is passed as None is solved for, as in the power calculations of
    statsmodels. About ten evaluations of the bound, more where it is vacuous at the
    first answer.

    Parameters
    ----------
    bound : callable
        A function of `mehler.bounds`.
    at_most : float or array
        Target epsilon, in the units of the bound.
    for_ : str, optional
        Name of the argument that is solved for, where None is its default and means something else.
    **arguments
        All other arguments of `bound`; arrays broadcast with `at_most`.

    Returns
    -------
    int or numpy.ndarray
        n; at n - 1 the bound exceeds `at_most` or promises nothing. Columns that share a draw
        (``block=``) come whole: n is a multiple of it. Elements of a finite group are at most its
        order.

    Raises
    ------
    ValueError
        If no count serves: the bound stays above `at_most`, or it is vacuous wherever it is below,
        by an assumption that the message names with the count from which on it fails.

    Examples
    --------
    >>> from mehler import bounds
    >>> bounds.solve(bounds.maxout.excess_risk, at_most=0.05, n_features=None, n_samples=60_000,
    ...              pool_size=4, scale=1.0, lipschitz=1.0, delta=0.01)
    24615
    """
    if not hasattr(bound, "falls_in"):
        raise TypeError(f"bound={bound!r} must be a function of mehler.bounds")
    parameters = inspect.signature(bound).parameters
    name = _variable(bound, for_, arguments, parameters)
    if arguments.get("gram") is not None:  # decomposed once
        mu = eigenvalues_of(arguments["gram"], arguments.get("eigenvalues"))
        arguments = {**arguments, "gram": None, "eigenvalues": mu}
    arrays = {
        k: host_array(k, value)
        for k, value in arguments.items()
        if is_array(value) and k in parameters and parameters[k].annotation.startswith(_BROADCAST)
    }
    if is_array(at_most):
        arrays["at_most"] = host_array("at_most", at_most)
    fixed = {**arguments, "at_most": at_most}
    if not arrays:
        return _least(bound, name, **fixed)
    together = broadcast(arrays)
    answers = np.empty(together[0].shape, dtype=np.int64)
    for index in np.ndindex(answers.shape):
        entry = {k: array[index].item() for k, array in zip(arrays, together, strict=True)}
        try:
            answers[index] = _least(bound, name, **{**fixed, **entry})
        except (TypeError, ValueError) as error:
            raise type(error)(f"{error} (at entry {list(index)} of the arrays)") from error
    return answers


def _variable(
    bound: BoundFunction[..., Any], for_: str | None, arguments: dict[str, Any], parameters: Any
) -> str:
    """Return the name of the argument that is solved for."""
    required = [p.name for p in parameters.values() if p.default is p.empty]
    names = [n for n in required if arguments.get(n, 0) is None]
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


def _least(bound: BoundFunction[..., Any], name: str, *, at_most: float, **others: Any) -> int:
    """Return the least value of one argument, by doubling and bisection."""
    target = require_positive("at_most", at_most)
    step = int(counts(block=others.get("block", 1))) if name == "n_features" else 1
    order = others.get("group_order") if name == "n_elements" else None
    most = min(LARGEST, order or LARGEST) // step

    def at(steps: int) -> Any:
        return bound(**{**others, name: step * steps})

    def first(serves: Any, low: int = 0) -> int | None:
        high = min(low + 1, most)
        while not serves(at(high)):
            if high >= most:
                return None
            low, high = high, min(2 * high, most)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (low, middle) if serves(at(middle)) else (middle, high)
        return high

    least = _crossing(lambda steps: _value(at(steps)), target, most)
    if least is None:
        raise ValueError(
            f"at_most={at_most!r} is out of reach: with {name}={step * most:.6g} {bound.name} "
            f"is {_value(at(most)):.6g}; give a larger at_most, or change other arguments"
        )
    if _promises(at(least)):
        return step * least
    promised = first(lambda made: _value(made) <= target and _promises(made), least)
    if promised is not None:
        return step * promised
    start = first(lambda made: bool(made.unmet)) if at(most).unmet else 1
    text = _reason(at(start or most))
    raise ValueError(
        f"at_most={at_most!r} is out of reach: {bound.name} is below it from "
        f"{name}={step * least:.6g} on, and promises nothing from {name}={step * (start or most)} "
        f"on, where {text}"
    )


def _crossing(value: Callable[[int], float], target: float, most: int) -> int | None:
    """Return the least number at which a falling value is at most the target.

    By the line through both ends in logarithms, since most bounds are nearly powers, and by halves.
    """
    low, high, above = 1, 1, value(1)
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
        reached, halves = value(middle), not halves
        if reached <= target:
            high, below = middle, reached
        else:
            low, above = middle, reached
    return high


def _reason(made: Bound) -> str:
    """Say why a bound promises nothing."""
    if made.unmet:
        return f"it is not true that {made.unmet[0].text} ({made.unmet[0].value})"
    if np.any(np.less_equal(made.probability, 0.0)):
        return "its probability is 0: give smaller delta"
    return f"its terms exceed {digits(made.trivial)}, which holds without it"


def _value(made: Any) -> float:
    """Return the value of a bound, or a number as it is."""
    return float(made.value if isinstance(made, Bound) else made)


def _promises(made: Any) -> bool:
    """Whether a bound promises anything; a number is what it is."""
    return not (isinstance(made, Bound) and made.vacuous)
