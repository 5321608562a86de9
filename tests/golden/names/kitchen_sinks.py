"""Bounds of weighted sums of random features, under their names of that time."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from mehler.proofs_checks.kitchen_sinks import _published as forms
from mehler.proofs_checks.kitchen_sinks.norms import norm_h, norm_pi

from mehler import bounds
from mehler.bounds import Bound
from mehler.bounds import kitchen_sinks as now

__all__ = ["norm_h", "norm_pi"]

maxout_feature_scale = now.feature_scale_maxout


def _form(form: str) -> str:
    if form not in ("proved", "printed"):
        raise ValueError(f"form={form!r}")
    return form


def _called(function: Any, *sizes: int, largest_feature: Any = None, **options: Any) -> Any:
    """The largest feature was checked against an assumption, and is in no value."""
    return function(*sizes, **options)


def _published(function: Any, *sizes: int, **options: Any) -> Bound:
    if options.pop("feature_scale", 1.0) != 1:
        raise ValueError("the published forms have no scale of the features")
    return _called(function, *sizes, **options)


def _unless_published(proved: Any, published: Any, *sizes: int, form: str, **options: Any) -> Bound:
    if _form(form) == "printed":
        return _published(published, *sizes, **options)
    return _called(proved, *sizes, **options)


def lemma_1(n_features: int, *, form: str = "proved", **options: Any) -> Bound:
    """Lemma 1 and the risk lemma are the proved formulas, which published forms did not clip."""
    return _unless_published(
        now.approximation, _unclipped(now.approximation), n_features, form=form, **options
    )


def risk_lemma(n_features: int, *, form: str = "proved", **options: Any) -> Bound:
    risk = now.approximation_risk
    return _unless_published(risk, _unclipped(risk), n_features, form=form, **options)


def _unclipped(function: Any) -> Any:
    return lambda *sizes, **options: replace(function(*sizes, **options), form="printed")


def estimation_lemma(
    n_samples: int, *, form: str = "proved", two_sided: bool = True, **options: Any
) -> Bound:
    if _form(form) == "printed":
        return _published(forms.estimation_lemma, n_samples, **options)
    return _called(now.generalisation_gap, n_samples, two_sided=two_sided, **options)


def theorem(
    n_features: int,
    n_samples: int,
    *,
    form: str = "proved",
    constraint: str = "box",
    **options: Any,
) -> Bound:
    if constraint not in ("box", "ball"):
        raise ValueError(f"constraint={constraint!r}")
    sizes = (n_features, n_samples)
    return _unless_published(now.excess_risk, forms.theorem, *sizes, form=form, **options)


def greedy(n_features: int, *, form: str = "proved", norm: float = 0.0, **options: Any) -> Bound:
    if _form(form) == "printed":
        return _published(forms.greedy, n_features, **options)
    return _called(now.approximation_greedy, n_features, norm=norm, **options)


def lemma_1_features(eps: float, **options: Any) -> int:
    return _called(bounds.solve, now.approximation, at_most=eps, n_features=None, **options)


def theorem_features(eps: float, n_samples: int, **options: Any) -> int:
    return _called(
        bounds.solve, now.excess_risk, at_most=eps, n_features=None, n_samples=n_samples, **options
    )
