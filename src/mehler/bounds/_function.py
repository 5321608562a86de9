"""A bound as a function: its body is the formula, a decorator holds what every bound repeats."""

from __future__ import annotations

import functools
import inspect
import math
import re
import textwrap
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ParamSpec, Protocol, cast, overload

import numpy as np
from numpy.typing import NDArray

from mehler._validate import (
    require_choice,
    require_flag,
    require_instance,
    require_integer,
    require_not_negative,
    require_positive,
    require_probability,
    require_real,
)
from mehler.bounds._bound import Assumption, Bound, Form, Term
from mehler.bounds._entries import at_entry, broadcast, entries, host_array, is_array, stack
from mehler.bounds._sources import reference
from mehler.exact import require_rho

P = ParamSpec("P")
PACKAGE = "mehler.bounds."
Arguments = dict[str, Any]


@dataclass(frozen=True)
class Formula:
    """What the body of a bound returns.

    Parameters
    ----------
    terms : dict
        From the name of a term to its value and its formula in LaTeX.
    probability : float
        That of the promise; 1 for an expectation or a certain one.
    trivial : float
        A bound that holds with this probability without the statement.
    assumptions : tuple of Assumption
        Those with a computed value, after the texts of the decorator.
    quantity : str
        In the place of the decorator's, where it depends on the arguments.
    """

    terms: Mapping[str, tuple[float, str]]
    probability: float = 1.0
    trivial: float = math.inf
    assumptions: tuple[Assumption, ...] = ()
    quantity: str = ""

    def times(self, factor: float, symbol: str, *, trivial: float) -> Formula:
        """Multiply the terms; `symbol` is the factor in LaTeX."""
        terms = {k: (factor * v, rf"{symbol}\,{latex}") for k, (v, latex) in self.terms.items()}
        return replace(self, terms=terms, trivial=trivial)


class Solvable(Protocol):
    """What :func:`mehler.bounds.solve` asks of a function, and what else is known of it."""

    __name__: str
    name: str
    statement: str
    quantity: str
    falls_in: tuple[str, ...]
    evaluate: Evaluation


class BoundFunction(Solvable, Protocol[P]):
    """A function that returns a :class:`mehler.bounds.Bound`, as :func:`bound` makes it."""

    body: Callable[..., Formula]

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> Bound: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Bound: ...


class NumberFunction(Solvable, Protocol[P]):
    """A function that returns a number, or an array of them, as :func:`number` makes it."""

    @overload
    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> float: ...
    @overload
    def __call__(self, *args: Any, **kwargs: Any) -> Any: ...


# By the name with its namespace, in the order of definition.
REGISTRY: dict[str, BoundFunction[...]] = {}


def count(name: str, value: int) -> int:
    """Return a number of things, at least 1, as an int of Python: NumPy's narrow ones overflow."""
    if getattr(value, "ndim", 0):
        raise TypeError(f"{name}={value!r} must be an integer")
    number = require_integer(name, value)
    if name != "group_order":  # which may be 200!: it enters as a ratio of whole numbers
        require_real(name, number)  # formulas are in floats
    return number


def correlation(name: str, value: float) -> float:
    """Return a cosine in [-1, 1]."""
    return float(require_rho(require_real(name, value)))


def positive_or_infinite(name: str, value: float) -> float:
    """Return a number above 0, infinity included."""
    number = require_real(name, value)
    return number if number == math.inf else require_positive(name, number)


def require_fraction(name: str, value: float) -> float:
    """Return a number above 0 and at most 1."""
    if not 0 < require_real(name, value) <= 1:
        raise ValueError(f"{name}={value!r} must be above 0 and at most 1")
    return float(value)


def one_of(*words: str) -> Callable[[str, Any], Any]:
    """Return a validator of words."""
    return functools.partial(require_choice, allowed=words)


def square_of(name: str, value: float) -> float:
    """Square a number, or say that it is too large or too small for that."""
    square = float(value) * float(value)
    if square == math.inf or (square == 0 and value != 0):
        size = "large" if square else "small"
        raise ValueError(f"{name}={value!r} is too {size} to be squared: give it in other units")
    return square


# One word means one quantity in every namespace, so that its name says what it may be.
_KINDS: dict[Callable[[str, Any], Any], str] = {
    count: "n_features n_samples n_rows n_templates n_bins n_elements n_inputs n_pairs n_scored "
    "pool_size block group_order n_turns n_fixed frequency",
    require_probability: "delta epsilon collision mix",
    require_positive: "scale lipschitz loss_bound radius ridge norm window spread c c1 c2 c_prime "
    "feature_scale largest_feature mean_square total_weight clip width third "
    "degrees_of_freedom pool_degrees estimated largest_ratio feature_bound gram_norm kernel_norm "
    "smallest spacing gamma own",
    require_not_negative: "dimension diameter mean_norm noise level mean_sup loss_at_zero slips "
    "mean distance",
    require_fraction: "share chance",
    correlation: "rho",
    require_flag: "centred two_sided",
    one_of("nearest", "monte-carlo"): "function",
    one_of("above", "below"): "side",
    one_of("none", "after", "before"): "average",
    one_of("sphere", "gaussian", "redraw", "zero"): "templates",
    one_of("paper", "trapezoid", "midpoint", "dither"): "rule",
}
DOMAINS = {name: check for check, names in _KINDS.items() for name in names.split()}


@dataclass(frozen=True)
class Evaluation:
    """The steps from the arguments of a call to its bound."""

    body: Callable[..., Any]
    make: Callable[[Any, Arguments], Any]
    signature: inspect.Signature
    domains: Mapping[str, Callable[[str, Any], Any]]
    prepare: Callable[[Arguments], Arguments] | None

    def bind(self, *args: Any, **kwargs: Any) -> Arguments:
        """Return all arguments by name, with their defaults."""
        try:
            values = self.signature.bind(*args, **kwargs)
        except TypeError as error:
            raise TypeError(f"{self.body.__name__}: {error}") from None
        values.apply_defaults()
        return dict(values.arguments)

    @property
    def required(self) -> list[str]:
        """Names of the arguments without a default."""
        parameters = self.signature.parameters.values()
        return [parameter.name for parameter in parameters if parameter.default is parameter.empty]

    def spreads(self, name: str) -> bool:
        """Whether an argument may be an array: counts and probabilities may."""
        return self.domains.get(name) in (count, require_probability)

    def validate(self, arguments: Arguments) -> Arguments:
        """Return checked values; None stays, where it is the default."""
        checked = dict(arguments)
        for name, value in arguments.items():
            check = self.domains.get(name)
            if check is None or (value is None and self.signature.parameters[name].default is None):
                continue
            checked[name] = check(name, value)
        return checked

    def prepared(self, arguments: Arguments) -> Arguments:
        """Compute once what does not depend on counts and probabilities."""
        return arguments if self.prepare is None else self.prepare(arguments)

    def at(self, arguments: Arguments) -> Any:
        """Evaluate the formula at checked and prepared arguments."""
        try:
            return self.make(self.body(**arguments), arguments)
        except (OverflowError, ZeroDivisionError):
            numbers = ", ".join(
                f"{k}={v!r}" for k, v in arguments.items() if isinstance(v, float) and v
            )
            raise ValueError(
                f"{numbers}: products or quotients of these leave the floats, give them in other "
                "units"
            ) from None

    def arrays(self, arguments: Arguments) -> dict[str, NDArray[np.float64]]:
        """Return the arguments that are arrays, where they may be."""
        return {
            name: host_array(name, value)
            for name, value in arguments.items()
            if self.spreads(name) and is_array(value)
        }

    def value(self, arguments: Arguments) -> float:
        """Return the value of the bound there, or the number."""
        result = self.at(arguments)
        return result if isinstance(result, float) else float(result.value)

    def __call__(self, arguments: Arguments) -> Any:
        """Return the bound; with arrays among the arguments, that of each entry as one."""
        arrays = self.arrays(arguments)
        if not arrays:
            return self.at(self.prepared(self.validate(arguments)))
        shape = broadcast(arrays)
        checked = []
        for index, entry in entries(arrays, shape):
            with at_entry(index):
                checked.append(self.validate({**arguments, **entry}))
        once = self.prepared(checked[0])
        results = []
        for index, entry in zip(np.ndindex(*shape), checked, strict=True):
            with at_entry(index):
                results.append(self.at({**once, **{name: entry[name] for name in arrays}}))
        if isinstance(results[0], float):
            return np.array(results).reshape(shape)
        return stack(results, shape)


def bound(
    statement: str,
    quantity: str,
    *,
    falls_in: tuple[str, ...] = (),
    assumes: tuple[str, ...] = (),
    form: Form = "proved",
    kind: type[Bound] = Bound,
    domains: Mapping[str, Callable[[str, Any], Any]] | None = None,
    prepare: Callable[[Arguments], Arguments] | None = None,
) -> Callable[[Callable[P, Formula]], BoundFunction[P]]:
    """Make a bound of a function that returns its formula.

    Arguments are validated by their names (`DOMAINS`) before the body sees them, and counts and
    probabilities may be arrays, which broadcast. The bound is registered under its name.

    Parameters
    ----------
    statement : str
        Id of the statement that proves it.
    quantity : str
        What is bounded; arguments stand in it as in ``"all pairs of {n_rows} rows"``.
    falls_in : tuple of str
        Counts in which the value does not increase: those that :func:`solve` may look for.
    assumes : tuple of str
        Assumptions, with arguments in braces.
    form : {"proved", "printed"}
        A bound proved here, or a published formula.
    kind : type
        :class:`mehler.bounds.Bound`, or that of a lower bound.
    domains : mapping, optional
        Validators of arguments that `DOMAINS` does not have, or has otherwise.
    prepare : callable, optional
        Replaces arguments by what is computed of them once, such as eigenvalues of a matrix.
    """

    def decorate(body: Callable[P, Formula]) -> BoundFunction[P]:
        signature = inspect.signature(body)

        def make(formula: Formula, arguments: Arguments) -> Bound:
            values = (formula.trivial, *(value for value, _ in formula.terms.values()))
            if form == "proved" and any(math.isnan(value) for value in values):
                raise OverflowError("0 times infinity")
            made = kind(
                statement=statement,
                form=form,
                quantity=formula.quantity or quantity.format_map(arguments),
                terms=tuple(Term(name, *term) for name, term in formula.terms.items()),
                probability=formula.probability,
                assumptions=(
                    *(Assumption(text.format_map(arguments)) for text in assumes),
                    *formula.assumptions,
                ),
                trivial=formula.trivial,
            )
            if kind is Bound and form == "proved" and made.value == 0:
                _require_zero(formula, arguments)
            return made

        evaluate = Evaluation(body, make, signature, {**DOMAINS, **(domains or {})}, prepare)
        function = cast(BoundFunction[P], _call(evaluate, statement, quantity, falls_in, kind))
        if body.__module__.startswith(PACKAGE):
            REGISTRY[function.name] = function
        return function

    return decorate


def _require_zero(formula: Formula, arguments: Arguments) -> None:
    """Refuse a bound from above that is 0 by underflow.

    It may be 0 where an argument is, or where all terms are by their formula. Rounding it up to the
    least float would not do: what has underflowed may be a factor of a large number.
    """
    zero = any(
        not np.any(value) for value in arguments.values() if isinstance(value, float | np.ndarray)
    )
    if not zero and any(latex != "0" for _, latex in formula.terms.values()):
        raise ZeroDivisionError("underflow")


def number(
    statement: str,
    quantity: str,
    *,
    falls_in: tuple[str, ...] = (),
    domains: Mapping[str, Callable[[str, Any], Any]] | None = None,
) -> Callable[[Callable[P, float]], NumberFunction[P]]:
    """Make a function of numbers that is no bound validate, broadcast and invert as bounds do.

    Parameters are those of :func:`bound`; the function stands in no registry.
    """

    def decorate(body: Callable[P, float]) -> NumberFunction[P]:
        evaluate = Evaluation(
            body,
            lambda value, arguments: value,
            inspect.signature(body),
            {**DOMAINS, **(domains or {})},
            None,
        )
        return cast(NumberFunction[P], _call(evaluate, statement, quantity, falls_in, float))

    return decorate


def _call(
    evaluate: Evaluation, statement: str, quantity: str, falls_in: tuple[str, ...], returns: type
) -> Any:
    """Return the function that evaluates its arguments, with what is known of it."""
    body = evaluate.body

    @functools.wraps(body)
    def function(*args: Any, **kwargs: Any) -> Any:
        return evaluate(evaluate.bind(*args, **kwargs))

    made: Any = function
    made.__annotations__["return"] = returns.__name__
    made.__signature__ = evaluate.signature.replace(return_annotation=returns)
    module = body.__module__.removeprefix(PACKAGE)
    public = [part for part in module.split(".") if not part.startswith("_")]
    made.name = ".".join((*public, body.__name__))
    made.statement, made.quantity, made.falls_in = statement, quantity, falls_in
    made.evaluate, made.body = evaluate, body
    made.__doc__ = completed(
        body.__doc__, evaluate.signature, made.name, statement, returns.__name__
    )
    names = {name for name in evaluate.signature.parameters if evaluate.spreads(name)}
    if unknown := set(falls_in) - names:
        raise TypeError(f"{made.name} falls in {', '.join(unknown)}, which is no count of it")
    return made


_SECTION = re.compile(r"\n\n(?=(?:Parameters|Returns|Notes|References|Examples)\n-+\n)")


def completed(
    doc: str | None, signature: inspect.Signature, name: str, statement: str, returns: str
) -> str:
    """Add what is said once: arguments that the namespace describes, and the source.

    The paragraph that begins with "Term" describes what is returned.
    """
    summary, *others = _SECTION.split(inspect.cleandoc(doc or ""))
    sections = {section.partition("\n")[0]: section for section in others}
    own = sections.pop("Parameters", "Parameters\n----------")
    described = re.findall(r"\w+", " ".join(re.findall(r"^(\w[\w, ]*?)(?: :.*)?$", own, re.M)))
    shared = [parameter for parameter in signature.parameters if parameter not in described]
    if shared:
        own += f"\n{', '.join(shared)}\n    As :mod:`{PACKAGE}{name.rpartition('.')[0]}` has them."
    summary, _, terms = summary.partition("\n\nTerm")
    if terms:
        text = textwrap.indent(f"Term{terms}", "    ")
        sections["Returns"] = f"Returns\n-------\n{returns}\n{text}"
    notes = [sections.pop(title) for title in ("Returns", "Notes") if title in sections]
    source = f"References\n----------\n{reference(statement)}"
    if "References" in sections:
        source += "\n" + sections.pop("References").split("\n", 2)[2]
    return "\n\n".join([summary, own, *notes, source, *sections.values()])


def derived(base: Callable[..., Any]) -> Callable[[Callable[..., Formula]], Callable[..., Formula]]:
    """Pass what `base` returns to a body, whose bound has the arguments of both.

    The body takes it first, such as the formula of another bound (its `body`), then arguments of
    its own, and those of the base that it needs itself.
    """

    def decorate(body: Callable[..., Formula]) -> Callable[..., Formula]:
        _, *own = inspect.signature(body).parameters.values()
        inner = inspect.signature(base).parameters
        names = [parameter.name for parameter in own]
        added = [parameter for parameter in inner.values() if parameter.name not in names]
        if any(parameter.kind is parameter.POSITIONAL_OR_KEYWORD for parameter in own):
            added = [parameter.replace(kind=parameter.KEYWORD_ONLY) for parameter in added]

        order = sorted([*own, *added], key=lambda parameter: parameter.kind)
        signature = inspect.Signature(order, return_annotation=Formula)

        @functools.wraps(body)
        def whole(*args: Any, **kwargs: Any) -> Formula:
            values = signature.bind(*args, **kwargs)
            values.apply_defaults()
            arguments = values.arguments
            first = base(**{name: arguments[name] for name in inner})
            return body(first, **{name: arguments[name] for name in names})

        function_of_bound: Any = whole
        function_of_bound.__signature__ = signature
        return whole

    return decorate


def by_statement(statement: str) -> tuple[BoundFunction[...], ...]:
    """Return the bounds that a statement proves.

    Parameters
    ----------
    statement : str
        Id such as ``"maxout.theorem-2"``.

    Returns
    -------
    tuple of callable
        Functions of `mehler.bounds`; each has its `name` there.

    Raises
    ------
    ValueError
        If no bound is of this statement; the message lists those that have one.

    Examples
    --------
    >>> from mehler import bounds
    >>> [function.name for function in bounds.by_statement("maxout.lemma-2")]
    ['maxout.supremum', 'maxout.supremum_by_dimension']
    """
    require_instance("statement", statement, str)
    functions = tuple(function for function in REGISTRY.values() if function.statement == statement)
    if not functions:
        listed = ", ".join(dict.fromkeys(function.statement for function in REGISTRY.values()))
        raise ValueError(f"statement={statement!r} has no bound; these have: {listed}")
    return functions
