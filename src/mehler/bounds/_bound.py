"""Bounds: a value with named terms, a probability, and checked assumptions."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from numbers import Integral
from typing import Any, Literal

from mehler._validate import integer, positive, probability

Form = Literal["printed", "proved"]
FORMS = ("printed", "proved")


@dataclass(frozen=True)
class Term:
    """One summand of a bound.

    Parameters
    ----------
    name : str
        Source of the summand, such as ``"statistical"`` or ``"approximation"``.
    value : float
        Its value; may be infinite.
    formula : str
        LaTeX without dollar signs.

    See Also
    --------
    Bound : The sum of its terms.
    """

    name: str
    value: float
    formula: str = ""

    def __post_init__(self) -> None:
        object.__setattr__(self, "value", float(self.value))


@dataclass(frozen=True)
class Assumption:
    """An assumption of a bound's proof.

    Parameters
    ----------
    text : str
        The assumption in a sentence.
    met : bool or None
        Whether the input satisfies it; None if no computation can tell.
    found : str
        The computed value, such as ``"largest norm 1.3"``.

    See Also
    --------
    Bound : Vacuous if an assumption is unmet.
    """

    text: str
    met: bool | None = None
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
    probability : float
        Least probability that the quantity is below `value`; 1 for a bound of an expectation or a
        certain one. A printed form may give a negative number, and then promises nothing.
    assumptions : sequence of Assumption
        Assumptions of the proof, with the result of their checks.
    trivial : float
        A bound that holds with at least this probability without the statement: the range of a
        loss, the sum of two norms. Infinity if there is none.

    See Also
    --------
    Term : One summand.
    Assumption : One assumption.

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
    probability: float
    assumptions: tuple[Assumption, ...] = ()
    trivial: float = math.inf

    def __post_init__(self) -> None:
        if self.form not in FORMS:
            raise ValueError(f"form={self.form!r} is not one of {', '.join(FORMS)}")
        object.__setattr__(self, "terms", tuple(self.terms))
        object.__setattr__(self, "assumptions", tuple(self.assumptions))
        object.__setattr__(self, "probability", float(self.probability))
        names = [term.name for term in self.terms]
        if not names or len(set(names)) != len(names):
            raise ValueError(f"terms are named {names}: give at least one, each a name of its own")

    @property
    def total(self) -> float:
        """Sum of the terms."""
        return math.fsum(term.value for term in self.terms)

    @property
    def value(self) -> float:
        """The bound: the sum of the terms, or `trivial` if a proved bound exceeds it.

        A printed form is never clipped, since checks compare the printed formula with draws.
        """
        total = self.total
        return self.trivial if self.form == "proved" and total > self.trivial else total

    @property
    def unmet(self) -> tuple[Assumption, ...]:
        """Assumptions that the input violates."""
        return tuple(one for one in self.assumptions if one.met is False)

    @property
    def vacuous(self) -> bool:
        """Whether nothing is promised.

        True if an assumption fails, the probability is 0 or less, or the sum of the terms is NaN or
        not below `trivial`.
        """
        return bool(self.unmet) or not self.probability > 0 or not self.total < self.trivial

    def __getitem__(self, name: str) -> float:
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
            "value": _finite(self.value),
            "terms": {term.name: _finite(term.value) for term in self.terms},
            "probability": self.probability,
            "assumptions": [
                {"text": one.text, "met": one.met, "found": one.found} for one in self.assumptions
            ],
            "trivial": _finite(self.trivial),
            "vacuous": self.vacuous,
        }

    def __str__(self) -> str:
        """Print the bound in a line, then the terms and unmet assumptions."""
        how = "" if self.probability == 1 else f" with probability at least {self.probability:.6g}"
        lines = [f"{self.statement} ({self.form}): {self.quantity} <= {self.value:.6g}{how}"]
        lines += [f"  {term.name:<12} {term.value:.6g}" for term in self.terms]
        lines += [f"  not met: {one.text} ({one.found})" for one in self.unmet]
        if self.vacuous:
            known = f" below {self.trivial:.6g}" if self.total >= self.trivial else ""
            lines.append(f"  vacuous: it promises nothing{known}")
        return "\n".join(lines)


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def require_form(form: str) -> None:
    """Raise for a form that is neither printed nor proved."""
    if form not in FORMS:
        raise ValueError(f"form={form!r} is not one of {', '.join(FORMS)}")


def require_positive(**values: Any) -> None:
    """Raise for a number that is not finite and above 0, naming the argument."""
    for name, value in values.items():
        positive(name, value)


def require_count(**values: Any) -> None:
    """Raise for a count that is not an integer of at least 1, naming the argument."""
    for name, value in values.items():
        if not isinstance(value, Integral):
            # The value goes on into formulas, where an array of one number would not be a number.
            raise TypeError(f"{name}={value!r} must be an integer")
        integer(name, value)


def require_probability(**values: Any) -> None:
    """Raise for a number outside (0, 1), naming the argument."""
    for name, value in values.items():
        probability(name, value)


def missing(names: Iterable[str]) -> ValueError:
    """Return the error for constants that a printed form leaves open."""
    listed = ", ".join(names)
    return ValueError(
        f"the printed form leaves {listed} unnamed: give values, or use form='proved', "
        "which has its own"
    )
