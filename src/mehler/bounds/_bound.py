"""A bound on a quantity, a sum of named terms with assumptions; a decorator for its function."""

from __future__ import annotations

import functools
import math
import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from textwrap import shorten
from typing import Any, ClassVar, Literal, ParamSpec, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from mehler._text import html_table
from mehler._validate import require_choice, require_instance, require_names, require_reals, shown

# Arrays of the host; arguments that broadcast, of whole and of real numbers.
Floats = NDArray[np.float64]
Counts: TypeAlias = int | Sequence[int] | NDArray[Any]
Reals: TypeAlias = float | Sequence[float] | NDArray[Any]
P = ParamSpec("P")
R = TypeVar("R", covariant=True)


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
    """An upper bound for one quantity; of arguments that are arrays, which broadcast, an array.

    Parameters
    ----------
    terms : sequence of Term
        Summands of `total`.
    probability : float or array
        Least probability that the quantity is below `value`; 1 for a bound of an expectation or a
        certain one. Below 0, as a union bound may come out, it is 0.
    assumptions : sequence of Assumption
        Assumptions of the proof, with the result of their checks.
    trivial : float or array
        A bound that holds with at least this probability without the statement, such as the range
        of a loss; infinity if there is none.
    quantity : str
        The bounded quantity, in words.
    statement : str
        Id of the statement, such as ``"maxout.theorem-2"``, whose page has the source and a proof.
    form : {"printed", "proved"}
        The paper's formula with the constants of the caller, or the bound proved here.

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

    # Words of `__str__`: between quantity and value, and for a vacuous bound.
    _relation: ClassVar[str] = "<="
    _nothing: ClassVar[str] = "it guarantees nothing"

    def __post_init__(self) -> None:
        data = vars(self)
        require_choice("form", self.form, ("printed", "proved"))
        data["terms"], data["assumptions"] = tuple(self.terms), tuple(self.assumptions)
        names = [term.name for term in self.terms]
        if not names or len(set(names)) != len(names):
            raise ValueError(f"terms are named {names}: give at least one, with distinct names")
        data["trivial"] = _number("trivial", self.trivial)
        # A union bound above 1 is vacuous: probability 0.
        data["probability"] = _unbox(np.maximum(_number("probability", self.probability), 0.0))
        parts = [*(term.value for term in self.terms), *(part.met for part in self.assumptions)]
        shape = np.broadcast_shapes(*map(np.shape, (*parts, self.probability, self.trivial)))
        if any(np.shape(term.value) != shape for term in self.terms):
            data["terms"] = tuple(Term(t.name, np.broadcast_to(t.value, shape)) for t in self.terms)
        for name in ("probability", "trivial"):
            if np.ndim(data[name]):
                data[name] = np.broadcast_to(data[name], shape)

    @functools.cached_property
    def total(self) -> Any:
        """Sum of the terms."""
        with np.errstate(all="ignore"):
            return functools.reduce(operator.add, [term.value for term in self.terms])

    @property
    def value(self) -> Any:
        """The bound: the sum of the terms, or `trivial` if a proved bound exceeds it.

        A printed form is never clipped, since checks compare the printed formula with draws.
        """
        return _unbox(np.minimum(self.total, self.trivial)) if self.form == "proved" else self.total

    @property
    def unmet(self) -> tuple[Assumption, ...]:
        """Assumptions that the input violates, at any entry."""
        return tuple(part for part in self.assumptions if np.any(part.fails))

    @property
    def vacuous(self) -> Any:
        """Whether the bound guarantees nothing.

        True if an assumption fails, the probability is 0, or the sum of the terms is NaN or not
        below `trivial`; of a lower bound, not above 0.
        """
        vacuous = ~self._informative() | np.less_equal(self.probability, 0.0)
        for assumption in self.assumptions:
            vacuous = vacuous | assumption.fails
        return vacuous if np.ndim(vacuous) else bool(vacuous)

    def _informative(self) -> Any:
        return np.less(self.total, self.trivial)

    def __getitem__(self, name: str) -> Any:
        """Return the value of one term."""
        for term in self.terms:
            if term.name == name:
                return term.value
        raise KeyError(f"{name!r}; the terms are {', '.join(t.name for t in self.terms)}")

    def __str__(self) -> str:
        """Print the bound on one line, then its terms and the assumptions that fail."""
        certain = np.all(np.equal(self.probability, 1))
        chance = "" if certain else f" with probability at least {digits(self.probability)}"
        relation = f"{self.quantity} {self._relation} {digits(self.value)}"
        lines = [f"{self.statement} ({self.form}): {relation}{chance}"]
        lines += [f"  {term.name:<12} {digits(term.value)}" for term in self.terms]
        lines += [f"  not met: {part.text} ({part.value})" for part in self.unmet]
        vacuous = self.vacuous
        if np.any(vacuous):
            entries = "" if np.all(vacuous) else f" at {np.sum(vacuous)} of {np.size(vacuous)}"
            is_above = np.any(np.greater_equal(self.total, self.trivial))
            below = f" below {digits(self.trivial)}" if is_above else ""
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
        """The sum of the terms, rounded down to the largest float, and 0 where it is below."""
        return _unbox(np.clip(self.total, 0.0, np.finfo(np.float64).max))

    def _informative(self) -> Any:
        return np.greater(self.total, 0.0)


class BoundFunction(Protocol[P, R]):
    """A registered function, whose result falls in the counts named by `falls_in`."""

    name: str
    statement: str
    quantity: str
    falls_in: tuple[str, ...]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...


REGISTRY: dict[str, BoundFunction[..., Bound]] = {}  # by name, such as "maxout.excess_risk"


def bound(
    statement: str, quantity: str, *falls_in: str, zero: bool = False
) -> Callable[[Callable[P, R]], BoundFunction[P, R]]:
    """Register a bound: its statement, the bounded quantity, and the counts it falls in.

    The function validates its arguments and returns a `Bound`, to which its statement is added; one
    that returns a number is not listed. A bound of 0 is taken for an underflow and refused, unless
    `zero` is True: then it may be 0, and the function rounds up what underflows.
    """

    def decorate(body: Callable[P, R]) -> BoundFunction[P, R]:
        names = [name for name in body.__annotations__ if name != "return"]

        @functools.wraps(body)
        def function(*args: P.args, **kwargs: P.kwargs) -> R:
            require_names(body.__name__, kwargs, names)
            arguments: dict[Any, Any] = {**kwargs, **dict(enumerate(args))}
            try:
                with np.errstate(all="ignore"):
                    result = body(*args, **kwargs)
            except ValueError as error:
                if "broadcast" not in str(error):
                    raise
                shapes = [f"{k} {np.shape(a)}" for k, a in arguments.items() if np.ndim(a)]
                raise ValueError(f"shapes do not broadcast: {', '.join(shapes)}") from error
            if isinstance(result, Bound):
                vars(result)["statement"] = statement
                vars(result)["quantity"] = result.quantity or quantity
                _require_numbers(result, arguments, zero)
            return result

        entry: Any = function
        home = body.__module__.removeprefix("mehler.bounds.")
        namespace = [part for part in home.split(".") if not part.startswith("_")]
        entry.name = ".".join((*namespace, body.__name__))
        entry.statement, entry.quantity, entry.falls_in = statement, quantity, falls_in
        if home != body.__module__ and "Bound" in str(body.__annotations__["return"]):
            REGISTRY[entry.name] = entry
        return entry

    return decorate


def _require_numbers(result: Bound, arguments: dict[Any, Any], zero: bool) -> None:
    """Refuse NaN, as of 0 times infinity, and upper bounds that underflow to 0."""
    # The smallest of numbers is NaN if one is.
    if (np.min(result.total) > 0 and np.min(result.trivial) > 0) or result.form != "proved":
        return
    least = np.minimum(result.total, result.trivial)
    numbers = ((k, a) for k, a in arguments.items() if a is not None)
    reals = {k: a for k, a in numbers if np.asarray(a).dtype.kind == "f"}
    wrong = bool(np.any(np.isnan(least)))
    if not zero and not isinstance(result, LowerBound) and np.any(least == 0):
        wrong = wrong or not any(np.any(np.equal(a, 0)) for a in reals.values())
    if wrong:
        raise ValueError(
            f"{', '.join(f'{k}={shown(a)}' for k, a in reals.items())}: products or quotients of "
            "these overflow or underflow, use other units"
        )


def terms_of(values: Mapping[str, Any]) -> tuple[Term, ...]:
    """Return the terms of a bound from their values by name."""
    return tuple(Term(name, value) for name, value in values.items())


def by_entry(function: Callable[..., dict[str, float]], *numbers: Any) -> tuple[Term, ...]:
    """Return the terms of a function of scalars at each entry of arrays; a missing one is 0."""
    arrays = np.broadcast_arrays(*numbers)
    rows = [function(*entry) for entry in zip(*(array.flat for array in arrays), strict=True)]
    names = dict.fromkeys(name for row in rows for name in row)
    columns = ([row.get(name, 0.0) for row in rows] for name in names)
    return terms_of({k: np.reshape(c, arrays[0].shape) for k, c in zip(names, columns)})


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
        ids = dict.fromkeys(function.statement for function in REGISTRY.values())
        near = [name for name in ids if statement.lower().replace(" ", "-") in name] or ids
        raise ValueError(f"statement={statement!r} has no bound; these have: {', '.join(near)}")
    return functions


def digits(value: Any) -> str:
    """Return the text of a number to six digits; of an array all entries, or its range."""
    if np.ndim(value) == 0:
        return f"{value:.6g}"
    if np.size(value) > 12:
        return f"{np.min(value):.6g} to {np.max(value):.6g} (shape {np.shape(value)})"
    return "[" + ", ".join(digits(entry) for entry in value) + "]"


def _number(name: str, value: object) -> Any:
    """Return a float, or a read-only view of floats."""
    if isinstance(value, float):
        return float(value)
    array = require_reals(name, value, finite=False)
    if array.ndim == 0:
        return float(array)
    # No copy: at 20,000 sizes copies of the terms cost more than the terms.
    array = array.view()
    array.flags.writeable = False
    return array


def _unbox(value: Any) -> Any:
    return value if np.ndim(value) else float(value)
