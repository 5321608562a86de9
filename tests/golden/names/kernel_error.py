"""Bounds of the kernel error under the names that they had."""

from __future__ import annotations

from typing import Any

from mehler.bounds import kernel_error, solve
from mehler.bounds.kernel_error import slope_fourier as fourier_slope
from mehler.bounds.kernel_error import slope_kitchen_sinks as sinks_slope
from mehler.bounds.kernel_error import slope_maxout_centred as centred_maxout_slope

__all__ = ["centred_maxout_slope", "fourier_slope", "sinks_slope"]


def _now(route: str | None = None, n_samples: Any = None, **arguments: Any) -> dict[str, Any]:
    rows = {} if n_samples is None else {"n_rows": n_samples}
    return {"method": route, **rows, **arguments}


def one_pair(n_features: Any, **arguments: Any) -> Any:
    return kernel_error.one_pair(n_features, **_now(**arguments))


def one_pair_features(eps: Any, **arguments: Any) -> Any:
    return solve(kernel_error.one_pair, at_most=eps, n_features=None, **_now(**arguments))


def all_pairs(n_features: Any, **arguments: Any) -> Any:
    return kernel_error.all_pairs(n_features, **_now(**arguments))


def all_pairs_features(eps: Any, **arguments: Any) -> Any:
    return solve(kernel_error.all_pairs, at_most=eps, n_features=None, **_now(**arguments))


def _uniform(arguments: dict[str, Any]) -> Any:
    return kernel_error.uniform_by_slope if "slope" in arguments else kernel_error.uniform


def uniform(n_features: Any, **arguments: Any) -> Any:
    return _uniform(arguments)(n_features, **_now(**arguments))


def uniform_features(eps: Any, **arguments: Any) -> Any:
    return solve(_uniform(arguments), at_most=eps, n_features=None, **_now(**arguments))


def central_limit(n_features: Any, **arguments: Any) -> Any:
    return kernel_error.normal_quantile(n_features, **arguments)


def central_limit_features(eps: Any, **arguments: Any) -> Any:
    return solve(kernel_error.normal_quantile, at_most=eps, n_features=None, **arguments)
