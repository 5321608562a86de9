"""Bounds of leverage score sampling, under their names of that time."""

from __future__ import annotations

import math
from typing import Any

from mehler.proofs_checks.leverage import _published as forms

from mehler import bounds
from mehler.bounds import Bound
from mehler.bounds import leverage as now


def approximation(
    n_features: int,
    *,
    degrees_of_freedom: float,
    largest_ratio: float | None = None,
    form: str = "proved",
    **options: Any,
) -> Bound:
    """The value was 4 ridge B^2, and the probability that with which so many features reach it."""
    ratio = degrees_of_freedom if largest_ratio is None else largest_ratio
    published = _is_published(form)
    factor, rate = (16.0, 5 * ratio) if published else (8.0, 32 / 9 * (ratio + 0.25))
    # No smaller probability is taken; 1 and more is refused.
    delta = max(1e-300, factor * degrees_of_freedom * math.exp(-n_features / rate))
    if delta >= 1:
        raise ValueError(f"delta={delta!r}")
    function = forms.proposition_6 if published else now.approximation
    return function(
        n_features,
        degrees_of_freedom=degrees_of_freedom,
        largest_ratio=largest_ratio,
        delta=delta,
        **options,
    )


def approximation_features(
    *, degrees_of_freedom: float, delta: float, form: str = "proved", **options: Any
) -> int:
    numbers = {"degrees_of_freedom": degrees_of_freedom, "delta": delta, **options}
    if _is_published(form):
        return forms.features_of_proposition_6(**numbers)
    return bounds.solve(now.approximation, at_most=4.0, n_features=None, ridge=1.0, **numbers)


def _is_published(form: str) -> bool:
    if form not in ("proved", "printed"):
        raise ValueError(f"form={form!r}")
    return form == "printed"


def score_error(n_samples: int, **options: Any) -> Bound:
    return now.score_error(n_samples, **options)


def score_error_samples(eps: float, **options: Any) -> int:
    return bounds.solve(now.score_error, at_most=eps, n_scored=None, **options)


def probability_error(n_samples: int, **options: Any) -> Bound:
    return now.probability_error(n_samples, **options)


def mixed_ratio(n_samples: int, **options: Any) -> Bound:
    return now.score_ratio(n_samples, **options)


def risk(n_samples: int, *, n_scored: int, reuse: bool = False, **options: Any) -> Bound:
    if reuse and n_scored != n_samples:
        raise ValueError("the rows that are scored are the training rows, as many as they")
    options.pop("kernel_norm", None)  # It was checked against an assumption, and is in no value.
    return now.excess_risk(n_samples, n_scored=None if reuse else n_scored, **options)
