"""Spectral error of the Gram matrix of m features, relative to the kernel and a ridge."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any, Literal

import numpy as np

from mehler import FourierFeatures, MaxoutFeatures
from mehler.bounds import Bound, Term, spectral
from mehler.statements import Context, Evidence, check

from .._violations import Case, hold_bounds
from .._worlds import hold_worlds
from ._directions import best_direction
from ._gram_draws import Draw, grams, norms
from .worlds import _grams as worlds

Bounding = Callable[..., Bound]
_GAMMA, _D, _N, _DELTA = 0.5, 3, 16, 0.05


def _rows(context: Context, *, unit: bool = False) -> Any:
    rows = context.rng("rows").standard_normal((_N, _D))
    return rows / np.linalg.norm(rows, axis=1, keepdims=True) if unit else rows


def _fourier(form: Literal["pairs", "offset"]) -> Draw:
    return lambda m, **options: FourierFeatures.draw(_D, m, gamma=_GAMMA, form=form, **options)


def _maxout(m: int, **options: Any) -> Any:
    return MaxoutFeatures.draw(_D, m, 4, **options)


def _draws(context: Context) -> int:
    return 1000 if context.quick else 20_000


def _errors(context: Context, draw: Draw, label: str, rows: Any, m: int, ridge: Any) -> Any:
    kernel = draw(2, seed=0).kernel(rows)
    blocks = grams(context, draw, label, rows, n_features=m, n_draws=_draws(context))
    return norms(blocks, kernel, ridge)


def known_before(m: int, *, ridge: float, delta: float, eigenvalues: Any) -> Bound:
    """Return the Delta of Avron and others for m columns of cosines and sines, as recalled."""
    d = float(np.sum(eigenvalues / (eigenvalues + ridge)))
    n = len(eigenvalues)
    value = math.sqrt(8 / 3 * n / ridge * math.log(16 * d / delta) / (m / 2))
    return Bound(
        statement="features.gram-error",
        form="printed",
        quantity="spectral error of the Gram matrix",
        terms=(Term("deviation", value),),
        probability=1 - delta,
    )


@check("features.gram-error", form="printed", name="the known form", pays=True)
def printed(context: Context, *, bound: Bounding = known_before) -> Evidence:
    """Count violations of the known form, for pairs, where it promises less than 1."""
    rows, draw = _rows(context), _fourier("pairs")
    mu = np.linalg.eigvalsh(draw(2, seed=0).kernel(rows))
    cases = []
    for ridge, m in ((3.5, 800), (2.0, 1600)):
        drawn = _errors(context, draw, f"known/{ridge}", rows, m, ridge)
        found = bound(m, ridge=ridge, delta=_DELTA, eigenvalues=mu)
        below = best_direction(rows, m, gamma=_GAMMA, delta=_DELTA, ridge=ridge)
        where = {"ridge": ridge, "m": m}
        cases.append(Case(drawn=drawn, bound=found, lower=below, where=where))
    return hold_bounds(
        cases,
        form="printed",
        claim="the spectral error of pairs keeps the known bound",
        false_alarm=context.false_alarm,
        n_features=_draws(context) * 1600,
    )


@check("features.gram-error", form="proved", name="bounded and unbounded features", pays=True)
def drawn(context: Context, *, bound: Bounding = spectral.gram_error) -> Evidence:
    """Count violations by bounded and unbounded maps."""
    cases = list(_cases(context, bound))
    return hold_bounds(
        cases,
        form="proved",
        claim="the spectral error of pairs, offsets and maxout features keeps its bounds",
        false_alarm=context.false_alarm,
        n_features=_draws(context) * 400,
    )


def _cases(context: Context, bound: Bounding) -> Iterator[Case]:
    for form, draw, known in (
        ("pairs", _fourier("pairs"), {"sup": 1.0, "block": 2}),
        ("offset", _fourier("offset"), {"sup": math.sqrt(2.0)}),
        ("maxout", _maxout, None),
    ):
        rows = _rows(context, unit=form == "maxout")
        phi = draw(2, seed=0)
        kernel, stretch = phi.kernel(rows), float(np.linalg.norm(rows, 2))
        told: tuple[dict[str, Any], ...] = ({"variance": phi.variance(rows)},)
        told += ({"lipschitz": stretch} if known is None else dict(known),)
        for ridge, m in ((1.0, 100),) if context.quick else ((0.1, 400), (1.0, 100), (10.0, 16)):
            found = _errors(context, draw, f"{form}/{ridge}", rows, m, ridge)
            below = _below(form, rows, m, ridge)
            for one in told:
                yield Case(
                    drawn=found,
                    lower=below,
                    bound=bound(m, ridge=ridge, delta=_DELTA, gram=kernel, **one),
                    where={"map": form, "ridge": ridge, "m": m, "by": next(iter(one))},
                )


def _below(form: str, rows: Any, m: int, ridge: float | None) -> Bound | None:
    """Return the lower bound by one direction, whose moments are known for pairs alone."""
    if form != "pairs":
        return None
    return best_direction(rows, m, gamma=_GAMMA, delta=_DELTA, ridge=ridge)


@check("features.gram-error", form="proved", name="operator norm", pays=True)
def operator(context: Context, *, bound: Bounding = spectral.operator_error) -> Evidence:
    """Count violations of the bound of the operator norm."""
    rows, cases = _rows(context, unit=True), []
    for name, draw, known in (
        ("pairs", _fourier("pairs"), {"sup": 1.0, "block": 2}),
        ("maxout", _maxout, {"lipschitz": float(np.linalg.norm(rows, 2))}),
    ):
        found = _errors(context, draw, f"operator/{name}", rows, 100, None)
        limit = bound(100, delta=_DELTA, gram=draw(2, seed=0).kernel(rows), **known)
        below = _below(name, rows, 100, None)
        cases.append(Case(drawn=found, bound=limit, lower=below, where={"map": name}))
    return hold_bounds(
        cases,
        form="proved",
        claim="the operator norm of the error keeps its bound",
        false_alarm=context.false_alarm,
        n_features=_draws(context) * 100,
    )


@check("features.gram-error", form="proved", name="bounded features, where it is tight")
def tight(context: Context, *, bound: Bounding = spectral.gram_error) -> Evidence:
    """Hold the bounds of bounded features where errors are those of binomial shares."""
    return hold_worlds(
        [*worlds.one_for_each(bound), *worlds.one_row(bound)], form="proved", claim="spectral error"
    )


@check("features.gram-error", form="proved", name="unbounded features, where it is tight")
def tight_without_bound(context: Context, *, bound: Bounding = spectral.operator_error) -> Evidence:
    """Hold the bounds of unbounded features for squares of normals, and Chebyshev's."""
    return hold_worlds(
        [*worlds.one_square(bound), *worlds.one_variance(bound)],
        form="proved",
        claim="operator norm of the error",
    )
