"""A bound as a function: its body is the formula, and a decorator registers it."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, Protocol, TypeVar

import numpy as np

from mehler._validate import require_instance, shown
from mehler.bounds._arguments import is_array
from mehler.bounds._bound import Bound, LowerBound, Term

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class BoundFunction(Protocol[P, R]):
    """A function that returns a :class:`mehler.bounds.Bound`, or a number that falls like one."""

    __name__: str
    name: str
    statement: str
    quantity: str
    falls_in: tuple[str, ...]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...


# By the name with its namespace, in the order of definition.
REGISTRY: dict[str, BoundFunction[..., Bound]] = {}


def bound(
    statement: str, quantity: str, *falls_in: str, zero: bool = False
) -> Callable[[Callable[P, R]], BoundFunction[P, R]]:
    """Register a bound: its statement, what is bounded, and the counts in which it falls.

    The function returns a `Bound` without statement and quantity, or with a quantity that depends
    on its arguments; arguments are validated in its body. One that returns a number is not listed.
    With `zero` the bound may be 0 by its formula, and the body rounds up what underflows.
    """

    def decorate(body: Callable[P, R]) -> BoundFunction[P, R]:
        @functools.wraps(body)
        def function(*args: P.args, **kwargs: P.kwargs) -> R:
            arguments: dict[Any, Any] = {**kwargs}
            arguments |= dict(enumerate(args))
            try:
                with np.errstate(all="ignore"):
                    made = body(*args, **kwargs)
            except ValueError as error:
                if "broadcast" not in str(error):
                    raise
                shapes = [f"{k} {np.shape(a)}" for k, a in arguments.items() if is_array(a)]
                raise ValueError(f"shapes do not broadcast: {', '.join(shapes)}") from error
            if isinstance(made, Bound):
                vars(made)["statement"] = statement
                vars(made)["quantity"] = made.quantity or quantity
                _require_numbers(made, arguments, zero)
            return made

        named: Any = function
        home = body.__module__.removeprefix("mehler.bounds.")
        namespace = [part for part in home.split(".") if not part.startswith("_")]
        named.name = ".".join((*namespace, body.__name__))
        named.statement, named.quantity, named.falls_in = statement, quantity, falls_in
        if home != body.__module__ and "Bound" in str(body.__annotations__["return"]):
            REGISTRY[named.name] = named
        return named

    return decorate


def _require_numbers(made: Bound, arguments: dict[Any, Any], zero: bool) -> None:
    """Refuse terms of 0 times infinity, and a bound from above that is 0 by underflow.

    It may be 0 where an argument is. Rounding it up to the least float would not do: what has
    underflowed may be a factor of a large number.
    """
    total = made.total
    # The smallest of numbers is NaN if one is.
    if np.min(total) > 0 and np.min(made.trivial) > 0:
        return
    least = np.minimum(total, made.trivial)
    wrong = bool(np.any(np.isnan(least)))
    if not wrong and not zero and np.any(least == 0) and not isinstance(made, LowerBound):
        wrong = not any(np.any(np.equal(a, 0)) for a in arguments.values() if _is_number(a))
    if wrong and made.form == "proved":
        numbers = ", ".join(f"{k}={shown(a)}" for k, a in arguments.items() if _is_number(a))
        raise ValueError(
            f"{numbers}: products or quotients of these overflow or underflow, use other units"
        )


def _is_number(value: object) -> bool:
    """Whether it is a real number, or an array of them."""
    return np.asarray(value).dtype.kind == "f" and value is not None


def by_entry(function: Callable[..., dict[str, float]], *numbers: Any) -> tuple[Term, ...]:
    """Return the terms of a function of scalars, at each entry of arrays that broadcast.

    A term that an entry does not have, since another method is smaller there, is 0 in it.
    """
    arrays = np.broadcast_arrays(*numbers)
    rows = [function(*entry) for entry in zip(*(array.flat for array in arrays), strict=True)]
    return tuple(
        Term(name, np.reshape([row.get(name, 0.0) for row in rows], arrays[0].shape))
        for name in dict.fromkeys(name for row in rows for name in row)
    )


def by_statement(statement: str) -> tuple[BoundFunction[..., Bound], ...]:
    """Return the bounds that a statement proves.

    Parameters
    ----------
    statement : str
        Id such as ``"maxout.theorem-2"``.

    Returns
    -------
    tuple of callable
        Functions of `mehler.bounds`; each has its `name` there.

    Examples
    --------
    >>> from mehler import bounds
    >>> [function.name for function in bounds.by_statement("maxout.lemma-2")]
    ['maxout.supremum']
    """
    require_instance("statement", statement, str)
    functions = tuple(function for function in REGISTRY.values() if function.statement == statement)
    if not functions:
        listed = ", ".join(dict.fromkeys(function.statement for function in REGISTRY.values()))
        raise ValueError(f"statement={statement!r} has no bound; these have: {listed}")
    return functions
