"""A bound: a value with named terms, a probability and assumptions, of numbers or of arrays."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mehler._text import html_table
from mehler._validate import require_choice, require_reals

# Arrays of the host; arguments that broadcast, of whole and of real numbers.
Floats = NDArray[np.float64]
Counts: TypeAlias = int | Sequence[int] | NDArray[Any]
Reals: TypeAlias = float | Sequence[float] | NDArray[Any]


@dataclass(frozen=True)
class Term:
    r"""One summand of a bound.

    Parameters
    ----------
    name : str
        Source of the summand, such as ``"statistical"`` or ``"approximation"``.
    value : float or array
        Its value; may be infinite.

    Examples
    --------
    >>> Term("deviation", 0.2).value
    0.2
    """

    name: str
    value: Any

    def __post_init__(self) -> None:
        vars(self)["value"] = _number("value", self.value)


@dataclass(frozen=True)
class Assumption:
    """An assumption of a bound's proof.

    Parameters
    ----------
    text : str
        The assumption in a sentence.
    met : bool or None, or an array of bool
        Whether the input satisfies it; None if no computation can tell.
    value : str
        What was computed to tell, such as ``"largest norm 1.3"``.

    Examples
    --------
    >>> Assumption("rows have norm 1", met=False, value="largest norm 1.3").fails
    True
    """

    text: str
    met: Any = None
    value: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.met, np.bool_):
            vars(self)["met"] = bool(self.met)

    @property
    def fails(self) -> Any:
        """Whether the input violates it, entry by entry."""
        fails = False if self.met is None else np.logical_not(self.met)
        return fails if np.ndim(fails) else bool(fails)


@dataclass(frozen=True, kw_only=True)
class Bound:
    """An upper bound for one quantity, with its terms and its assumptions.

    Arguments of the functions of `mehler.bounds` broadcast; terms, `value`, `total` and `vacuous`
    are then arrays.

    Parameters
    ----------
    terms : sequence of Term
        Summands of `total`.
    probability : float or array
        Least probability that the quantity is below `value`; 1 for a bound of an expectation or a
        certain one. Below 0, as a union bound may come out, it is 0, and nothing is promised.
    assumptions : sequence of Assumption
        Assumptions of the proof, with the result of their checks.
    trivial : float or array
        A bound that holds with at least this probability without the statement: the range of a
        loss, the sum of two norms. Infinity if there is none.
    quantity : str
        The bounded quantity, in words.
    statement : str
        Id of the statement, such as ``"maxout.theorem-2"``, whose page has the source and a proof.
    form : {"printed", "proved"}
        The paper's formula with the constants of the caller, or the bound proved here, with
        explicit constants.

    Examples
    --------
    >>> bound = Bound(statement="paper.lemma-1", quantity="an error", probability=0.99,
    ...               terms=[Term("mean", 0.25), Term("confidence", 0.5)], trivial=1.0)
    >>> bound.value, bound["confidence"], bound.vacuous
    (0.75, 0.5, False)
    >>> print(bound)
    paper.lemma-1 (proved): an error <= 0.75 with probability at least 0.99
      mean         0.25
      confidence   0.5
    """

    terms: tuple[Term, ...]
    probability: Any = 1.0
    assumptions: tuple[Assumption, ...] = ()
    trivial: Any = math.inf
    quantity: str = ""
    statement: str = ""
    form: Literal["printed", "proved"] = "proved"

    # How the quantity is related to the value, and what a vacuous bound does.
    _relation: ClassVar[str] = "<="
    _nothing: ClassVar[str] = "it promises nothing"

    def __post_init__(self) -> None:
        own = vars(self)
        require_choice("form", self.form, ("printed", "proved"))
        own["terms"], own["assumptions"] = tuple(self.terms), tuple(self.assumptions)
        names = [term.name for term in self.terms]
        if not names or len(set(names)) != len(names):
            raise ValueError(f"terms are named {names}: give at least one, each a name of its own")
        own["trivial"] = _number("trivial", self.trivial)
        # A union bound beyond 1 promises nothing, with probability 0.
        own["probability"] = _plain_float(np.maximum(_number("probability", self.probability), 0.0))
        numbers = [self.probability, self.trivial, *[term.value for term in self.terms]]
        shapes = [np.shape(n) for n in (*numbers, *[part.met for part in self.assumptions])]
        if shape := np.broadcast_shapes(*shapes):
            own["terms"] = tuple(
                term
                if np.shape(term.value) == shape
                else Term(term.name, np.broadcast_to(term.value, shape))
                for term in self.terms
            )
            for name in ("probability", "trivial"):
                if np.ndim(own[name]):
                    own[name] = np.broadcast_to(own[name], shape)

    @functools.cached_property
    def total(self) -> Any:
        """Sum of the terms."""
        with np.errstate(all="ignore"):
            total = self.terms[0].value
            for term in self.terms[1:]:
                total = total + term.value
        return total

    @property
    def value(self) -> Any:
        """The bound: the sum of the terms, or `trivial` if a proved bound exceeds it.

        A printed form is never clipped, since checks compare the printed formula with draws.
        """
        total = self.total
        return _plain_float(np.minimum(total, self.trivial)) if self.form == "proved" else total

    @property
    def unmet(self) -> tuple[Assumption, ...]:
        """Assumptions that the input violates, at any entry."""
        return tuple(part for part in self.assumptions if np.any(part.fails))

    @property
    def vacuous(self) -> Any:
        """Whether nothing is promised.

        True if an assumption fails, the probability is 0, or the sum of the terms is NaN or not
        below `trivial`; of a lower bound, not above 0.
        """
        nothing = ~self._informative() | np.less_equal(self.probability, 0.0)
        for assumption in self.assumptions:
            nothing = nothing | assumption.fails
        return nothing if np.ndim(nothing) else bool(nothing)

    def _informative(self) -> Any:
        return np.less(self.total, self.trivial)

    def __getitem__(self, name: str) -> Any:
        """Return the value of one term."""
        for term in self.terms:
            if term.name == name:
                return term.value
        raise KeyError(f"{name!r}; the terms are {', '.join(t.name for t in self.terms)}")

    def __str__(self) -> str:
        """Print the bound in a line, then the terms and unmet assumptions."""
        certain = np.all(np.equal(self.probability, 1))
        promised = "" if certain else f" with probability at least {digits(self.probability)}"
        relation = f"{self.quantity} {self._relation} {digits(self.value)}"
        lines = [f"{self.statement} ({self.form}): {relation}{promised}"]
        lines += [f"  {term.name:<12} {digits(term.value)}" for term in self.terms]
        lines += [f"  not met: {part.text} ({part.value})" for part in self.unmet]
        vacuous = self.vacuous
        if np.any(vacuous):
            entries = "" if np.all(vacuous) else f" at {np.sum(vacuous)} of {np.size(vacuous)}"
            exceeded = np.any(np.greater_equal(self.total, self.trivial))
            below = f" below {digits(self.trivial)}" if exceeded else ""
            lines.append(f"  vacuous{entries}: {self._nothing}{below}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{shorten(str(self).splitlines()[0], 300)}>"

    def _repr_html_(self) -> str:
        """Return a table of the terms for a notebook."""
        heading, *rest = str(self).splitlines()
        terms = [(term.name, digits(term.value)) for term in self.terms]
        return html_table(heading, terms, *[line.strip() for line in rest[len(terms) :]])


class LowerBound(Bound):
    """A quantity is at least the value, with at least the probability.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> print(lower.gram_error(2, ridge=1.0, eigenvalues=[9.0, 4.0, 1.0]))
    features.lower (proved): spectral error of the Gram matrix >= 0.5
      rank         0.5
    """

    _relation: ClassVar[str] = ">="
    _nothing: ClassVar[str] = "it claims nothing"

    @property
    def value(self) -> Any:
        """The sum of the terms, 0 where that is below, since no quantity is negative.

        It is rounded down: a sum beyond the floats is at least the largest of them.
        """
        return _plain_float(np.clip(self.total, 0.0, np.finfo(np.float64).max))

    def _informative(self) -> Any:
        return np.greater(self.total, 0.0)


def digits(value: Any) -> str:
    """Return a number to six digits; of an array all entries, in brackets, or its range."""
    if np.ndim(value) == 0:
        return f"{value:.6g}"
    if np.size(value) > 12:
        return f"{np.min(value):.6g} to {np.max(value):.6g} (shape {np.shape(value)})"
    return "[" + ", ".join(digits(entry) for entry in value) + "]"


def _number(name: str, value: object) -> Any:
    """Return a float, or a view of floats that nobody writes to."""
    if isinstance(value, float):
        return float(value)
    array = require_reals(name, value, finite=False)
    if array.ndim == 0:
        return float(array)
    # No copy: at 20,000 sizes copies of the terms cost more than the terms.
    array = array.view()
    array.flags.writeable = False
    return array


def _plain_float(value: Any) -> Any:
    return value if np.ndim(value) else float(value)
