"""Bounds at arrays of sizes and probabilities: the scalar bound at each entry."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Iterable
from typing import Any, ParamSpec, Protocol, TypeVar, cast, overload

import numpy as np

from mehler._arrays import to_host
from mehler.bounds._bound import Bound
from mehler.bounds._stack import stack

P = ParamSpec("P")
R = TypeVar("R", covariant=True)

# Arguments that may be arrays, wherever a bound takes them.
NAMES = frozenset(
    {
        *("n_features", "n_samples", "n_templates", "n_bins", "n_elements", "n_points"),
        *("n_inputs", "n_pairs", "n_scored", "pool_size", "delta", "eps", "epsilon"),
    }
)


class Elementwise(Protocol[P, R]):
    """A function of numbers that takes arrays in their place."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


def elementwise(function: Callable[P, R]) -> Elementwise[P, R]:
    """Let a bound take arrays for the arguments in `NAMES`, which broadcast.

    A `Bound` of arrays, an array of numbers, or a tuple of arrays is returned, of the shape that
    they have together. An error names the first entry that raised it.
    """
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if not any(map(_is_array, (*args, *kwargs.values()))):
            return function(*args, **kwargs)
        given = signature.bind(*args, **kwargs).arguments
        # Arguments that a function passes on are in a dict of their own.
        spread = [given, *(value for value in given.values() if isinstance(value, dict))]
        arrays = {
            name: _host(name, value)
            for part in spread
            for name, value in part.items()
            if name in NAMES and _is_array(value)
        }
        if not arrays:
            return function(*args, **kwargs)
        shape = _shape(arrays)
        names = [n for n, one in signature.parameters.items() if one.kind != one.VAR_KEYWORD]
        fixed = {name: value for part in spread for name, value in part.items()}
        fixed = {n: v for n, v in fixed.items() if n in names or not isinstance(v, dict)}
        columns = {name: np.broadcast_to(value, shape) for name, value in arrays.items()}
        results = []
        for index in np.ndindex(*shape):
            entry = {name: column[index].item() for name, column in columns.items()}
            try:
                results.append(cast(Any, function)(**{**fixed, **entry}))
            except (TypeError, ValueError) as error:
                raise type(error)(f"{error} (at entry {list(index)} of the arrays)") from error
        return _together(results, shape)

    return cast(Elementwise[P, R], call)


def _is_array(value: Any) -> bool:
    return isinstance(value, list | tuple | range) or getattr(value, "ndim", 0) > 0


def _host(name: str, value: Any) -> Any:
    """Return an argument as a NumPy array of numbers."""
    try:
        array = np.asarray(value if isinstance(value, list | tuple | range) else to_host(value))
    except ValueError as error:
        raise ValueError(f"{name} is a ragged list: give an array") from error
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} has dtype {array.dtype}: give numbers")
    if array.size == 0:
        raise ValueError(f"{name} is empty: give at least one entry")
    return array


def _shape(arrays: dict[str, Any]) -> tuple[int, ...]:
    try:
        return np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        listed = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"shapes do not broadcast: {listed}") from None


def _together(results: Iterable[Any], shape: tuple[int, ...]) -> Any:
    """Return the entries' bounds as one, their numbers as an array, their tuples as one."""
    listed = list(results)
    if isinstance(listed[0], Bound):
        return stack(listed, shape)
    if isinstance(listed[0], tuple):
        return type(listed[0])(*(np.array(column).reshape(shape) for column in zip(*listed)))
    return np.array(listed).reshape(shape)
