"""Bounds of random maxout features: one function a theorem, by `form`, `shape` and `variant`."""

from __future__ import annotations

from typing import Any

from mehler.proofs_checks.maxout import _published
from mehler.proofs_checks.maxout._published import theorem_2_condition
from mehler.proofs_checks.maxout.growth.remark_1_codes import agree_at_most as collision

from mehler import bounds
from mehler.bounds import maxout

__all__ = ["collision", "theorem_2_condition"]

_SET = ("n_inputs", "dimension", "diameter")
_VARIANTS = {"best": {}, "monte-carlo": {"function": "monte-carlo"}, "root-mean-square": {}}


def _choose(
    ours: Any, by_dimension: Any, published: Any, form: str, shape: str, others: dict[str, Any]
) -> Any:
    """Call the function of a form and a shape."""
    if form not in ("printed", "proved") or shape not in ("paper", "dimension-free"):
        raise ValueError(f"form={form!r}, shape={shape!r}")
    function = published if form == "printed" else by_dimension if shape == "paper" else ours
    if form == "proved":
        _require_set(shape, others)
    return function(**others)


def _require_set(shape: str, others: dict[str, Any]) -> None:
    """The set of inputs belonged to the paper's shape, and to no other."""
    if {name for name in (*_SET, "mean_sup") if name in others} != (
        set(_SET) if shape == "paper" else {"mean_sup"} & set(others)
    ):
        raise TypeError(f"shape={shape!r} has other arguments than {', '.join(others)}")


def lemma_2(*, form: str = "proved", shape: str = "paper", **others: Any) -> Any:
    functions = (maxout.supremum, maxout.supremum, _published.lemma_2)
    return _choose(*functions, form, shape, others)


def lemma_3(
    *, form: str = "proved", shape: str = "dimension-free", variant: str = "best", **others: Any
) -> Any:
    functions = (maxout.approximation, maxout.approximation, _published.lemma_3)
    return _choose(*functions, form, shape, {**others, **_function(variant, others)})


def lemma_4(
    *, form: str = "proved", shape: str = "dimension-free", variant: str = "best", **others: Any
) -> Any:
    functions = (
        maxout.approximation_risk,
        maxout.approximation_risk,
        _published.lemma_4,
    )
    return _choose(*functions, form, shape, {**others, **_function(variant, others)})


def _function(variant: str, others: dict[str, Any]) -> dict[str, str]:
    if variant not in _VARIANTS:
        raise ValueError(f"variant={variant!r}")
    if (variant == "root-mean-square") != ("delta" not in others):
        raise ValueError("a mean square has no delta, all others have")
    return _VARIANTS[variant]


def theorem_2(*, form: str = "proved", shape: str = "dimension-free", **others: Any) -> Any:
    functions = (maxout.excess_risk, maxout.excess_risk, _published.theorem_2)
    return _choose(*functions, form, shape, others)


def remark_2(*, form: str = "proved", shape: str = "dimension-free", **others: Any) -> Any:
    functions = (maxout.excess_risk, maxout.excess_risk, _published.remark_2)
    return _choose(*functions, form, shape, others)


def theorem_2_features(
    eps: Any, *, delta: float, n_samples: Any = None, shape: str = "dimension-free", **known: Any
) -> Any:
    """Invert the excess risk, or without samples the approximation term, which is Lemma 4."""
    functions = (
        (maxout.approximation_risk, maxout.approximation_risk)
        if n_samples is None
        else (maxout.excess_risk, maxout.excess_risk)
    )
    if n_samples is None:
        known.pop("mean_norm", None)  # It does not enter the approximation.
    else:
        known["n_samples"] = n_samples
    function = functions[shape == "paper"]
    _require_set(shape, known)
    return bounds.solve(function, at_most=eps, n_features=None, delta=delta, **known)
