"""A bound: a value with named terms, a probability and assumptions; as text, and of arrays."""

from __future__ import annotations

import functools
import math
import re
from dataclasses import dataclass
from textwrap import shorten
from typing import Any, ClassVar, Literal

import numpy as np

from mehler._text import html_table
from mehler._validate import require_instance, require_iterable, require_reals
from mehler.bounds._sources import cited

Form = Literal["printed", "proved"]


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
        vars(self)["value"] = (
            float(self.value) if isinstance(self.value, float) else _number("value", self.value)
        )


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
    >>> from mehler.bounds import kernel_error
    >>> for assumption in kernel_error.one_pair(1000, delta=0.01, width=4.0).assumptions:
    ...     print(assumption.text, assumption.met)
    units are independent None
    each product lies in an interval of this length None
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
        return False if self.met is None else np.logical_not(self.met)


@dataclass(frozen=True, kw_only=True)
class Bound:
    """An upper bound for one quantity, with its terms and its assumptions.

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
        Id of the statement, such as ``"maxout.theorem-2"``.
    form : {"printed", "proved"}
        The paper's formula with the constants of the caller, or the bound proved here, with
        explicit constants.

    Notes
    -----
    Arguments of the functions of `mehler.bounds` broadcast; terms, `value`, `total` and `vacuous`
    are then arrays.

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
    form: Form = "proved"

    # How the quantity is related to the value, as text and in LaTeX.
    _relation: ClassVar[tuple[str, str]] = ("<=", r"\le")

    def __post_init__(self) -> None:
        own = vars(self)
        if self.form not in ("printed", "proved"):
            raise ValueError(f"form={self.form!r} is neither 'printed' nor 'proved'")
        for name, kind in (("terms", Term), ("assumptions", Assumption)):
            if type(own[name]) is not tuple:
                own[name] = require_iterable(name, own[name])
            for i, part in enumerate(own[name]):
                if type(part) is not kind:
                    require_instance(f"{name}[{i}]", part, kind)
        names = [term.name for term in self.terms]
        if not names or len(set(names)) != len(names):
            raise ValueError(f"terms are named {names}: give at least one, each a name of its own")
        for name in ("probability", "trivial"):
            own[name] = (
                float(own[name]) if isinstance(own[name], float) else _number(name, own[name])
            )
        # A union bound beyond 1 promises nothing, with probability 0.
        own["probability"] = _plain_float(np.maximum(own["probability"], 0.0))
        numbers = [self.probability, self.trivial, *[t.value for t in self.terms]]
        shapes = [np.shape(n) for n in (*numbers, *[part.met for part in self.assumptions])]
        if shape := np.broadcast_shapes(*shapes):
            own["terms"] = tuple(
                term
                if np.shape(term.value) == shape
                else Term(term.name, np.broadcast_to(term.value, shape), term.formula)
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

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as JSON-able values; infinity and NaN become None."""
        numbers = ("value", "probability", "trivial", "vacuous")
        return {
            **{name: getattr(self, name) for name in ("statement", "form", "quantity")},
            **{name: _plain(getattr(self, name)) for name in numbers},
            "terms": {term.name: _plain(term.value) for term in self.terms},
            "assumptions": [
                {"text": part.text, "met": _plain(part.met), "value": part.value}
                for part in self.assumptions
            ],
        }

    def latex(self) -> str:
        r"""Return the inequality in LaTeX, without dollar signs: formulas, values, probability.

        Examples
        --------
        >>> from mehler.bounds import kernel_error
        >>> print(kernel_error.one_pair(1000, delta=0.01, width=4.0).latex())
        \text{error of the kernel, one pair}
        \le \underbrace{b\sqrt{\log(2/\delta)/(2m)}}_{\text{deviation}\,=\,0.20588}
        = 0.20588
        \quad\text{with probability at least } 0.99
        """
        terms = [
            rf"\underbrace{{{term.formula or _words(term.name)}}}_{{{_words(term.name)}"
            rf"\,=\,{_in_latex(term.value)}}}"
            for term in self.terms
        ]
        relation = self._relation[1]
        lines = [_words(self.quantity), rf"{relation} " + "\n+ ".join(terms)]
        if np.any(np.not_equal(self.value, self.total)):
            hence = rf"= {_in_latex(self.total)}, \text{{ hence }} {relation} "
            lines.append(hence + _in_latex(self.value))
        else:
            lines.append(f"= {_in_latex(self.value)}")
        if not np.all(np.equal(self.probability, 1)):
            promised = r"\quad\text{with probability at least } "
            lines.append(promised + _in_latex(self.probability))
        return "\n".join(lines)

    def cite(self) -> str:
        """Return the source of the bound and its place there; of a proved form, the proof's page.

        Raises
        ------
        ValueError
            If the statement is not one of `mehler.bounds`.

        Examples
        --------
        >>> from mehler.bounds import kitchen_sinks
        >>> bound = kitchen_sinks.approximation(100, scale=1.0, delta=0.01)
        >>> print(bound.cite())  # doctest: +NORMALIZE_WHITESPACE
        A. Rahimi, B. Recht, Weighted Sums of Random Kitchen Sinks: Replacing minimization with
        randomization in learning, NIPS 21 (2008), Lemma 1; as proved in mehler, page
        theorems/kitchen-sinks-lemma-1
        """
        return cited(self.statement, self.form)

    def __str__(self) -> str:
        """Print the bound in a line, then the terms and unmet assumptions."""
        certain = np.all(np.equal(self.probability, 1))
        promised = "" if certain else f" with probability at least {digits(self.probability)}"
        relation = f"{self.quantity} {self._relation[0]} {digits(self.value)}"
        lines = [f"{self.statement} ({self.form}): {relation}{promised}"]
        lines += [f"  {term.name:<12} {digits(term.value)}" for term in self.terms]
        lines += [f"  not met: {part.text} ({part.value})" for part in self.unmet]
        vacuous = self.vacuous
        if np.any(vacuous):
            entries = "" if np.all(vacuous) else f" at {np.sum(vacuous)} of {np.size(vacuous)}"
            lines.append(f"  vacuous{entries}: {self._nothing()}")
        return "\n".join(lines)

    def __repr__(self) -> str:
        return f"<{shorten(str(self).splitlines()[0], 300)}>"

    def _repr_html_(self) -> str:
        """Return a table of the terms for a notebook."""
        heading, *rest = str(self).splitlines()
        terms = [(term.name, digits(term.value)) for term in self.terms]
        below = [line.strip() for line in rest[len(terms) :]]
        formula = f"$${self.latex()}$$" if np.ndim(self.value) == 0 else ""
        return html_table(heading, terms, formula, *below)

    def _nothing(self) -> str:
        """Say that nothing is promised, and below what."""
        exceeded = np.any(np.greater_equal(self.total, self.trivial))
        return "it promises nothing" + (f" below {digits(self.trivial)}" if exceeded else "")


class LowerBound(Bound):
    """A quantity is at least the value, with at least the probability.

    Examples
    --------
    >>> from mehler.bounds import lower
    >>> print(lower.gram_error(2, ridge=1.0, eigenvalues=[9.0, 4.0, 1.0]))
    features.lower (proved): spectral error of the Gram matrix >= 0.5
      rank         0.5
    """

    _relation: ClassVar[tuple[str, str]] = (">=", r"\ge")

    @property
    def value(self) -> Any:
        """The sum of the terms, 0 where that is below, since no quantity is negative.

        It is rounded down: a sum beyond the floats is at least the largest of them.
        """
        return _plain_float(np.clip(self.total, 0.0, np.finfo(np.float64).max))

    def _informative(self) -> Any:
        return np.greater(self.total, 0.0)

    def _nothing(self) -> str:
        return "it claims nothing"


def digits(value: Any) -> str:
    """Return a number to six digits; of an array all entries, in brackets, or its range."""
    if np.ndim(value) == 0:
        return f"{value:.6g}"
    if np.size(value) > 12:
        return f"{np.min(value):.6g} to {np.max(value):.6g} (shape {np.shape(value)})"
    return "[" + ", ".join(digits(entry) for entry in value) + "]"


def _number(name: str, value: object) -> Any:
    """Return a float, or an array of floats that nobody can write to."""
    if isinstance(value, float):
        return float(value)
    array = require_reals(name, value, finite=False).copy()
    if array.ndim == 0:
        return float(array)
    array.flags.writeable = False
    return array


def _plain_float(value: Any) -> Any:
    return value if np.ndim(value) else float(value)


def _plain(value: Any) -> Any:
    """Return JSON-able values: lists of arrays, None for what is not finite."""
    if np.ndim(value):
        return [_plain(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _in_latex(value: float) -> str:
    """Return digits with powers of ten, and infinity, as LaTeX has them."""
    text = re.sub(r"e([+-])0*(\d+)", _power, digits(value))
    return re.sub(r"\binf\b", r"\\infty", text)


def _power(match: re.Match[str]) -> str:
    sign = "-" if match[1] == "-" else ""
    return rf"\cdot 10^{{{sign}{match[2]}}}"


def _words(text: str) -> str:
    """Return words in text mode, its special characters escaped."""
    escaped = re.sub(r"([&%$#_{}])", r"\\\1", text)
    return rf"\text{{{escaped}}}"
