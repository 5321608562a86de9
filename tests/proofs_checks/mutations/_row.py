"""A row of the table of mutations: a change of a claim, and the check that it turns red."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mehler.bounds import Bound
from mehler.statements import Evidence

Check = Callable[..., Evidence]


@dataclass(frozen=True, kw_only=True)
class Row:
    """One change of one term or constant.

    Parameters
    ----------
    statement : str
    term : str
        What is changed.
    change : str
        ``"deleted"``, ``"times 0.7"``, ...
    check : callable, optional
        The check that sees it; none for what is only proved.
    defect : mapping
        Its arguments that make the change.
    because : str
        Why no check sees it; empty where one does.
    """

    statement: str
    term: str
    change: str
    check: Check | None = None
    defect: Mapping[str, Any] = field(default_factory=dict)
    because: str = ""

    def __post_init__(self) -> None:
        if (self.check is None) != bool(self.because):
            raise ValueError(f"{self.statement}, {self.term}: give a check or a reason, not both")


def of_term(
    statement: str,
    term: str,
    check: Check | None,
    bound: Callable[..., Bound] | None = None,
    *,
    least: float = 0.0,
    because: str = "",
    label: str = "",
    where: Callable[[Mapping[str, Any]], bool] = lambda options: True,
    keyword: str = "bound",
) -> Iterator[Row]:
    """Rows of a bound's term: deleted, times 0.7, and times the largest factor that is seen.

    Parameters
    ----------
    statement, term : str
        The term's name in the bound.
    check, bound : callable, optional
        The check, and the right bound; none where no check sees even that the term is deleted.
    least : float
        The largest factor that is seen, with two digits.
    because : str
        Why no more is seen; needed where `least` is below 0.7.
    label : str
        What the table calls the term.
    where : callable
        Which options of the bound the change is made for.
    keyword : str
        The check's argument for the bound.
    """
    name = label or term

    def row(change: str, factor: float) -> Row:
        assert bound is not None
        defect = {keyword: times(bound, term, factor, where)}
        return Row(statement=statement, term=name, change=change, check=check, defect=defect)

    if check is None:
        for change in ("deleted", "times 0.7"):
            yield Row(statement=statement, term=name, change=change, because=because)
        return
    yield row("deleted", 0.0)
    if least >= 0.7:
        yield row("times 0.7", 0.7)
    else:
        yield Row(statement=statement, term=name, change="times 0.7", because=because)
    if least != 0.7:
        yield row(f"times {least:g}", least)


def of_terms(
    statement: str,
    check: Check,
    bound: Callable[..., Bound],
    *terms: tuple[Any, ...],
    **common: Any,
) -> Iterator[Row]:
    """Rows of terms of a bound under one check: term, least, label, because and where of each.

    The last three may be left out; `common` is for all.
    """
    names = ("term", "least", "label", "because", "where")
    for values in terms:
        yield from of_term(
            statement, check=check, bound=bound, **common, **dict(zip(names, values))
        )


def unseen(statement: str, because: str, labels: Mapping[str, str]) -> Iterator[Row]:
    """Rows of terms that no check sees, from their names to what the table calls them."""
    for term, label in labels.items():
        yield from of_term(statement, term, None, because=because, label=label)


def times(
    bound: Callable[..., Bound],
    term: str,
    factor: float,
    where: Callable[[Mapping[str, Any]], bool] = lambda options: True,
) -> Callable[..., Bound]:
    """The bound with one term times a factor, for the options that `where` picks."""

    def changed(*sizes: Any, **options: Any) -> Bound:
        right = bound(*sizes, **options)
        if not where(options):
            return right
        terms = [
            dataclasses.replace(one, value=(factor if one.name == term else 1.0) * one.value)
            for one in right.terms
        ]
        return dataclasses.replace(right, terms=tuple(terms))

    return changed


def scaled(function: Callable[..., Any], factor: float) -> Callable[..., Any]:
    """A claimed function times a factor."""
    return lambda *arguments, **options: factor * function(*arguments, **options)
