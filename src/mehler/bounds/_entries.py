"""Arrays of arguments: their entries, and the bounds of the entries as one."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._validate import require_reals
from mehler.bounds._bound import Assumption, Bound, Term

# Arrays of the host.
Floats = NDArray[np.float64]


def require_host(name: str, value: object) -> Floats:
    """Return real numbers of any library as an array of the host, whatever their shape."""
    return require_reals(name, _arrays.to_host(value) if _arrays.is_array(value) else value)


@contextlib.contextmanager
def at_entry(index: tuple[int, ...]) -> Iterator[None]:
    """Name the entry of the arrays in an error that it raises."""
    try:
        yield
    except (TypeError, ValueError) as error:
        raise type(error)(f"{error} (at entry {list(index)} of the arrays)") from error


def is_array(value: object) -> bool:
    """Whether a value has entries."""
    return isinstance(value, list | tuple | range) or getattr(value, "ndim", 0) > 0


def broadcast(arrays: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the shape that arrays have together."""
    try:
        return np.broadcast_shapes(*(array.shape for array in arrays.values()))
    except ValueError:
        listed = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"shapes do not broadcast: {listed}") from None


def entries(
    arrays: Mapping[str, Any], shape: tuple[int, ...]
) -> Iterator[tuple[tuple[int, ...], dict[str, Any]]]:
    """Yield each index of arrays that broadcast to a shape, and the numbers there."""
    for index in np.ndindex(*shape):
        yield index, {k: np.broadcast_to(a, shape)[index].item() for k, a in arrays.items()}


def host_array(name: str, value: object) -> Any:
    """Return an argument as a NumPy array of numbers."""
    try:
        array = np.asarray(
            value if isinstance(value, list | tuple | range) else _arrays.to_host(value)
        )
    except ValueError as error:
        raise ValueError(f"{name} is a ragged list: give an array") from error
    if array.dtype.kind not in "iuf":
        raise TypeError(f"{name} has dtype {array.dtype}: give numbers")
    if array.size == 0:
        raise ValueError(f"{name} is empty: give at least one entry")
    return array


def stack(bounds: Sequence[Bound], shape: tuple[int, ...]) -> Bound:
    """Return the bound whose entries, in the order of C, are the given ones.

    A term that an entry does not have, since another route is smaller there, is 0 in it.
    """
    first = bounds[0]
    names = list(dict.fromkeys(term.name for bound in bounds for term in bound.terms))
    return type(first)(
        statement=first.statement,
        form=first.form,
        quantity=_common([bound.quantity for bound in bounds]),
        terms=tuple(_term(name, bounds, shape) for name in names),
        probability=_numbers([bound.probability for bound in bounds], shape),
        assumptions=_assumptions(bounds, shape),
        trivial=_numbers([bound.trivial for bound in bounds], shape),
    )


def _term(name: str, bounds: Sequence[Bound], shape: tuple[int, ...]) -> Term:
    terms = [{term.name: term for term in bound.terms}.get(name) for bound in bounds]
    formulas = {term.formula for term in terms if term is not None}
    values = [0.0 if term is None else term.value for term in terms]
    return Term(name, np.array(values).reshape(shape), formulas.pop() if len(formulas) == 1 else "")


def _numbers(values: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Return one number if all entries have it, else an array."""
    return values[0] if len(set(values)) == 1 else np.array(values).reshape(shape)


def _assumptions(bounds: Sequence[Bound], shape: tuple[int, ...]) -> tuple[Assumption, ...]:
    """Return the assumptions that entries make; an entry without one has nothing to meet."""
    texts = list(dict.fromkeys(part.text for bound in bounds for part in bound.assumptions))
    combined = []
    for text in texts:
        parts = [{part.text: part for part in bound.assumptions}.get(text) for bound in bounds]
        met = [True if part is None else part.met for part in parts]
        values = list(dict.fromkeys(part.value for part in parts if part is not None))
        same = len(set(met)) == 1
        combined.append(
            Assumption(
                text,
                met[0] if same else np.array(met, dtype=object).reshape(shape),
                values[0] if len(values) == 1 else f"{values[0]} to {values[-1]}",
            )
        )
    return tuple(combined)


def _common(texts: Sequence[str]) -> str:
    """Return the words that all have, and dots where numbers differ."""
    if len(set(texts)) == 1:
        return texts[0]
    split = [text.split(" ") for text in texts]
    if len({len(words) for words in split}) > 1:
        return texts[0]
    columns = zip(*split, strict=True)
    return " ".join(words[0] if len(set(words)) == 1 else "..." for words in columns)
