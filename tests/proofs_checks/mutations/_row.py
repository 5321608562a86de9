"""A row of the table of mutations: a change of a claim, and the check that it turns red."""

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mehler.statements import Evidence

Check = Callable[..., Evidence]
Options = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One change of one term or constant: a check sees it, or it says why no check does."""

    statement: str
    term: str
    change: str
    check: Check | None = None
    defect: Options = field(default_factory=dict)
    because: str = ""

    def __post_init__(self) -> None:
        if (self.check is None) != bool(self.because):
            raise ValueError(f"{self.statement}, {self.term}: give a check or a reason, not both")


def red(statement: str, term: str, change: str, check: Check, **defect: Any) -> Row:
    """A change that a check sees, made by its arguments `defect`."""
    return Row(statement=statement, term=term, change=change, check=check, defect=defect)


def blind(statement: str, term: str, change: str, because: str) -> Row:
    """A change that is only proved."""
    return Row(statement=statement, term=term, change=change, because=because)


def of_term(
    statement: str,
    term: str,
    check: Check | None,
    bound: Callable[..., Any] | None = None,
    *,
    least: float = 0.0,
    because: str = "",
    label: str = "",
    where: Callable[[Options], bool] = lambda options: True,
    keyword: str = "bound",
) -> Iterator[Row]:
    """Rows of a bound's term: deleted, times 0.7, and times `least`, the largest factor seen.

    The change is made for the options that `where` picks, in the check's argument `keyword`;
    without a check, or below 0.7, `because` says why no more is seen.
    """
    name = label or term
    if check is None:
        yield from (blind(statement, name, change, because) for change in ("deleted", "times 0.7"))
        return
    assert bound is not None
    for change, factor in {"deleted": 0.0, "times 0.7": 0.7, f"times {least:g}": least}.items():
        if factor == 0.7 > least:
            yield blind(statement, name, change, because)
        else:
            defect = {keyword: scaled(bound, factor, term, where)}
            yield red(statement, name, change, check, **defect)


def of_terms(
    statement: str, check: Check, bound: Callable[..., Any], *terms: tuple[Any, ...], **common: Any
) -> Iterator[Row]:
    """Rows of terms of a bound under one check: term, least, and if any label, because, where."""
    names = ("term", "least", "label", "because", "where")
    for values in terms:
        options = common | dict(zip(names, values))
        yield from of_term(statement, check=check, bound=bound, **options)


def unseen(statement: str, because: str, labels: Mapping[str, str]) -> Iterator[Row]:
    """Rows of terms that no check sees, from their names to what the table calls them."""
    for term, label in labels.items():
        yield from of_term(statement, term, None, because=because, label=label)


def scaled(
    function: Callable[..., Any],
    factor: float,
    term: str | None = None,
    where: Callable[[Options], bool] = lambda options: True,
) -> Callable[..., Any]:
    """A claimed value, all terms of a bound or one, times a factor, for options that are picked."""

    def scaled(*sizes: Any, **options: Any) -> Any:
        right = function(*sizes, **options)
        if not where(options):
            return right
        if not hasattr(right, "terms"):
            return factor * right
        terms = (
            dataclasses.replace(one, value=(factor if term in (None, one.name) else 1) * one.value)
            for one in right.terms
        )
        return dataclasses.replace(right, terms=tuple(terms))

    return called(f"times {float(factor):g}", scaled)


def called(words: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """A function with the words that the table has for it."""
    function.__qualname__, function.__doc__ = "called", words
    return function


def described(defect: Options) -> str:
    """What takes the place of which argument."""
    return "; ".join(f"`{key}`: {_said(value)}" for key, value in defect.items())


def _said(value: Any) -> str:
    """A number as it is; a function by the first line of its docstring, where it has one."""
    if isinstance(value, (bool, int, float, str)) or value is None:
        return repr(value)
    name = getattr(value, "__qualname__", "<lambda>").split(".<locals>")[0].split(".")[-1]
    doc = getattr(value, "__doc__", None) if name != "<lambda>" else None
    if doc:
        line = str(doc).strip().splitlines()[0].rstrip(".")
        return line[:1].lower() + line[1:]
    return "another" if name == "<lambda>" else name.replace("_", " ")
