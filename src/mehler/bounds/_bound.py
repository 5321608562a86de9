"""Bounds: a value with named terms, a probability, and checked assumptions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

import numpy as np

from mehler import _validate
from mehler._validate import (
    require_instance,
    require_integer,
    require_iterable,
    require_reals,
)
from mehler.bounds._print import digits, in_latex, plain
from mehler.bounds._sources import cited

Form = Literal["printed", "proved"]
FORMS = ("printed", "proved")


@dataclass(frozen=True)
class Term:
    r"""One summand of a bound.

    Parameters
    ----------
    name : str
        Source of the summand, such as ``"statistical"`` or ``"approximation"``.
    value : float or array
        Its value; may be infinite.
    formula : str
        LaTeX without dollar signs.

    See Also
    --------
    Bound : The sum of its terms.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> kernel_error.one_pair(1000, delta=0.01, width=4.0).terms  # doctest: +ELLIPSIS
    (Term(name='deviation', value=0.2058..., formula='b\\sqrt{\\log(2/\\delta)/(2m)}'),)
    """

    name: str
    value: Any
    formula: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", _number("value", self.value))


@dataclass(frozen=True)
class Assumption:
    """An assumption of a bound's proof.

    Parameters
    ----------
    text : str
        The assumption in a sentence.
    met : bool or None, or an array of them
        Whether the input satisfies it; None if no computation can tell.
    found : str
        The computed value, such as ``"largest norm 1.3"``.

    See Also
    --------
    Bound : Vacuous if an assumption is unmet.

    Examples
    --------
    >>> from mehler.bounds import kernel_error
    >>> for one in kernel_error.one_pair(1000, delta=0.01, width=4.0).assumptions:
    ...     print(one.text, one.met)
    units are independent None
    each product lies in an interval of this length None
    """

    text: str
    met: Any = None
    found: str = ""


@dataclass(frozen=True, kw_only=True)
class Bound:
    """An upper bound for one quantity, with its terms and its assumptions.

    Parameters
    ----------
    statement : str
        Id of the statement, such as ``"maxout.theorem-2"``.
    form : {"printed", "proved"}
        The paper's formula with the constants of the caller, or the bound proved here, with
        explicit constants.
    quantity : str
        The bounded quantity, in words.
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

    See Also
    --------
    Term : One summand.
    Assumption : One assumption.

    Notes
    -----
    The functions of `mehler.bounds` take arrays for numbers of features, samples, templates, bins
    and elements, pool sizes, and error probabilities. They broadcast; terms, `value`, `total` and
    `vacuous` are then arrays of their shape, equal to the bounds of the entries.

    Examples
    --------
    >>> bound = Bound(statement="paper.lemma-1", form="proved", quantity="an error",
    ...               terms=[Term("mean", 0.25), Term("confidence", 0.5)], probability=0.99,
    ...               trivial=1.0)
    >>> bound.value, bound["confidence"], bound.vacuous
    (0.75, 0.5, False)
    >>> print(bound)
    paper.lemma-1 (proved): an error <= 0.75 with probability at least 0.99
      mean         0.25
      confidence   0.5
    """

    statement: str
    form: Form
    quantity: str
    terms: tuple[Term, ...]
    probability: Any
    assumptions: tuple[Assumption, ...] = ()
    trivial: Any = math.inf

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ValueError(f"form={self.form!r} is not one of {', '.join(FORMS)}")
        for name, kind in (("terms", Term), ("assumptions", Assumption)):
            parts = require_iterable(name, getattr(self, name))
            object.__setattr__(self, name, parts)
            for i, part in enumerate(parts):
                require_instance(f"{name}[{i}]", part, kind)
        for name in ("probability", "trivial"):
            object.__setattr__(self, name, _number(name, getattr(self, name)))
        # A union bound beyond 1 promises nothing, with probability 0.
        object.__setattr__(
            self, "probability", _number("probability", np.maximum(self.probability, 0.0))
        )
        names = [term.name for term in self.terms]
        if not names or len(set(names)) != len(names):
            raise ValueError(f"terms are named {names}: give at least one, each a name of its own")

    @property
    def total(self) -> Any:
        """Sum of the terms."""
        values = np.broadcast_arrays(*(term.value for term in self.terms))
        sums = [_sum(entry) for entry in zip(*(value.flat for value in values), strict=True)]
        return np.array(sums).reshape(values[0].shape) if values[0].ndim else sums[0]

    @property
    def value(self) -> Any:
        """The bound: the sum of the terms, or `trivial` if a proved bound exceeds it.

        A printed form is never clipped, since checks compare the printed formula with draws.
        """
        total = self.total
        return _number("value", np.minimum(total, self.trivial)) if self.form == "proved" else total

    @property
    def unmet(self) -> tuple[Assumption, ...]:
        """Assumptions that the input violates, at any entry."""
        return tuple(one for one in self.assumptions if np.any(_is_false(one.met)))

    @property
    def vacuous(self) -> Any:
        """Whether nothing is promised.

        True if an assumption fails, the probability is 0, or the sum of the terms is NaN or not
        below `trivial`.
        """
        promised = np.less(self.total, self.trivial) & np.greater(self.probability, 0.0)
        for one in self.assumptions:
            promised = promised & np.logical_not(_is_false(one.met))
        return np.logical_not(promised) if np.ndim(promised) else not promised

    def __getitem__(self, name: str) -> Any:
        """Return the value of one term."""
        for term in self.terms:
            if term.name == name:
                return term.value
        raise KeyError(f"{name!r}; the terms are {', '.join(t.name for t in self.terms)}")

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON-able values; infinity and NaN become None."""
        return {
            "statement": self.statement,
            "form": self.form,
            "quantity": self.quantity,
            "value": plain(self.value),
            "terms": {term.name: plain(term.value) for term in self.terms},
            "probability": plain(self.probability),
            "assumptions": [
                {"text": one.text, "met": plain(one.met), "found": one.found}
                for one in self.assumptions
            ],
            "trivial": plain(self.trivial),
            "vacuous": plain(self.vacuous),
        }

    def latex(self) -> str:
        r"""Return the inequality in LaTeX: formulas of the terms, their values, the probability.

        Returns
        -------
        str
            Without dollar signs, for display.

        Examples
        --------
        >>> from mehler.bounds import kernel_error
        >>> print(kernel_error.one_pair(1000, delta=0.01, width=4.0).latex())
        \text{error of the kernel, one pair}
        \le \underbrace{b\sqrt{\log(2/\delta)/(2m)}}_{\text{deviation}\,=\,0.20588}
        = 0.20588
        \quad\text{with probability at least } 0.99
        """
        return in_latex(self)

    def cite(self, style: Literal["text", "bibtex"] = "text") -> str:
        """Return the source of the bound, with the place of the statement in it.

        Parameters
        ----------
        style : {"text", "bibtex"}
            A reference in a line, or an entry with the place as its note.

        Returns
        -------
        str
            A proved form also names the page of its proof.

        Raises
        ------
        ValueError
            If `style` is another, or the statement is not one of `mehler.bounds`.

        Examples
        --------
        >>> from mehler.bounds import kitchen_sinks
        >>> bound = kitchen_sinks.approximation(100, scale=1.0, delta=0.01)
        >>> print(bound.cite())  # doctest: +NORMALIZE_WHITESPACE
        A. Rahimi, B. Recht, Weighted Sums of Random Kitchen Sinks: Replacing minimization with
        randomization in learning, NIPS 21 (2008), Lemma 1; as proved in mehler, page
        theorems/kitchen-sinks-lemma-1
        """
        return cited(self.statement, self.form, style)

    def __str__(self) -> str:
        """Print the bound in a line, then the terms and unmet assumptions."""
        certain = np.all(np.equal(self.probability, 1))
        how = "" if certain else f" with probability at least {digits(self.probability)}"
        lines = [f"{self.statement} ({self.form}): {self.quantity} <= {digits(self.value)}{how}"]
        lines += [f"  {term.name:<12} {digits(term.value)}" for term in self.terms]
        lines += [f"  not met: {one.text} ({one.found})" for one in self.unmet]
        if np.any(self.vacuous):
            all_of_it = np.all(self.vacuous)
            where = "" if all_of_it else f" at {np.sum(self.vacuous)} of {np.size(self.vacuous)}"
            known = np.any(np.greater_equal(self.total, self.trivial))
            below = f" below {digits(self.trivial)}" if known else ""
            lines.append(f"  vacuous{where}: it promises nothing{below}")
        return "\n".join(lines)


class LowerBound(Bound):
    """A quantity is at least the value, with at least the probability.

    Vacuous where the value is not above 0. Printed and in LaTeX as other bounds, the other way
    round.

    See Also
    --------
    Bound : The upper ones.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> print(lower.gram_error(2, ridge=1.0, eigenvalues=[9.0, 4.0, 1.0]))
    features.lower (proved): spectral error of the Gram matrix >= 0.5
      rank         0.5
    """

    @property
    def value(self) -> Any:
        """The sum of the terms, 0 where that is below, since no quantity is negative.

        It is rounded down: a sum beyond the floats is at least the largest of them.
        """
        total = np.clip(self.total, 0.0, np.finfo(np.float64).max)
        return total if np.ndim(total) else float(total)

    @property
    def vacuous(self) -> Any:
        """Whether nothing is claimed."""
        nothing = np.less_equal(self.total, 0.0)
        return nothing if np.ndim(nothing) else bool(nothing)

    def latex(self) -> str:
        r"""Return the inequality in LaTeX, with ``\ge``."""
        return super().latex().replace("\\le ", "\\ge ", 1)

    def __str__(self) -> str:
        """Print the bound in a line, then its terms."""
        first, *rest = super().__str__().splitlines()
        kept = [line for line in rest if not line.startswith("  vacuous")]
        claimed = "  vacuous: it claims nothing"
        return "\n".join(
            [first.replace(" <= ", " >= ", 1), *kept, *([claimed] if np.any(self.vacuous) else [])]
        )


def _number(name: str, value: Any) -> Any:
    """Return a float, or an array of floats that nobody can write to."""
    array = require_reals(name, value, finite=False).copy()
    if array.ndim == 0:
        return float(array)
    array.flags.writeable = False
    return array


def _sum(values: tuple[float, ...]) -> float:
    """Sum without rounding; terms whose sum is beyond the largest float have infinity."""
    try:
        return math.fsum(values)
    except OverflowError:
        return math.inf


def _is_false(met: Any) -> Any:
    """Return whether an assumption is violated, entry by entry; None is not False."""
    if np.ndim(met) == 0:
        return met is not None and not met
    return np.array([one is not None and not one for one in met.flat]).reshape(met.shape)


def require_form(form: str) -> None:
    """Raise for a form that is neither printed nor proved."""
    if form not in FORMS:
        raise ValueError(f"form={form!r} is not one of {', '.join(FORMS)}")


def require_positive(**values: Any) -> None:
    """Raise for a number that is not finite and above 0, naming the argument."""
    for name, value in values.items():
        _validate.require_positive(name, value)


def require_count(**values: Any) -> tuple[int, ...]:
    """Return counts as ints; raise for one that is no integer of at least 1, by its name."""
    for name, value in values.items():
        if not isinstance(value, Integral):
            # The value goes on into formulas, where an array of one number would not be a number.
            raise TypeError(f"{name}={value!r} must be an integer")
    # The products of NumPy's narrow integers would wrap around.
    return tuple(require_integer(name, value) for name, value in values.items())


def require_probability(**values: Any) -> None:
    """Raise for a number outside (0, 1), naming the argument."""
    for name, value in values.items():
        _validate.require_probability(name, value)


def square_of(name: str, value: float) -> float:
    """Square a number, or say that it is too large or too small for that."""
    square = float(value) * float(value)
    if square == math.inf or (square == 0 and value != 0):
        size = "large" if square else "small"
        raise ValueError(f"{name}={value!r} is too {size} to be squared: give it in other units")
    return square


def missing(names: Iterable[str]) -> ValueError:
    """Return the error for constants that a printed form leaves open."""
    listed = ", ".join(names)
    return ValueError(
        f"the printed form leaves {listed} unnamed: give values, or use form='proved', "
        "which has its own"
    )
