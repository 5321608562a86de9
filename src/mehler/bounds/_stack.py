"""Bounds of one statement, as one bound of arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mehler.bounds._bound import Assumption, Bound, Term


def stack(bounds: Sequence[Bound], shape: tuple[int, ...]) -> Bound:
    """Return the bound whose entries, in the order of C, are the given ones.

    A term that an entry does not have, since another route is smaller there, is 0 in it.
    """
    first = bounds[0]
    names = list(dict.fromkeys(term.name for one in bounds for term in one.terms))
    return type(first)(
        statement=first.statement,
        form=first.form,
        quantity=_text([one.quantity for one in bounds]),
        terms=tuple(_term(name, bounds, shape) for name in names),
        probability=_numbers([one.probability for one in bounds], shape),
        assumptions=_assumptions(bounds, shape),
        trivial=_numbers([one.trivial for one in bounds], shape),
    )


def _term(name: str, bounds: Sequence[Bound], shape: tuple[int, ...]) -> Term:
    found = [{term.name: term for term in one.terms}.get(name) for one in bounds]
    formulas = {term.formula for term in found if term is not None}
    values = [0.0 if term is None else term.value for term in found]
    return Term(name, np.array(values).reshape(shape), formulas.pop() if len(formulas) == 1 else "")


def _numbers(values: Sequence[Any], shape: tuple[int, ...]) -> Any:
    """Return one number if all entries have it, else an array."""
    return values[0] if len(set(values)) == 1 else np.array(values).reshape(shape)


def _assumptions(bounds: Sequence[Bound], shape: tuple[int, ...]) -> tuple[Assumption, ...]:
    """Return the assumptions that entries make; an entry without one has nothing to meet."""
    texts = list(dict.fromkeys(one.text for bound in bounds for one in bound.assumptions))
    combined = []
    for text in texts:
        made = [{one.text: one for one in bound.assumptions}.get(text) for bound in bounds]
        met = [True if one is None else one.met for one in made]
        found = list(dict.fromkeys(one.found for one in made if one is not None))
        same = len(set(met)) == 1
        combined.append(
            Assumption(
                text,
                met[0] if same else np.array(met, dtype=object).reshape(shape),
                found[0] if len(found) == 1 else f"{found[0]} to {found[-1]}",
            )
        )
    return tuple(combined)


def _text(texts: Sequence[str]) -> str:
    """Return the words that all have, and dots where numbers differ."""
    if len(set(texts)) == 1:
        return texts[0]
    split = [text.split(" ") for text in texts]
    if len({len(words) for words in split}) > 1:
        return texts[0]
    columns = zip(*split, strict=True)
    return " ".join(words[0] if len(set(words)) == 1 else "..." for words in columns)
