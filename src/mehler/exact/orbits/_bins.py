"""Thresholds of an empirical distribution function, with quadrature weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler._validate import require_integer, require_positive

RULES = ("paper", "trapezoid", "midpoint", "dither")


@dataclass(frozen=True)
class Bins:
    r"""Thresholds tau_k in [-s, s] at distance h = s/n, and weights of the sum over them.

    .. math:: B(v) = \sum_k w_k 1[v \le \tau_k] \approx s - v

    Parameters
    ----------
    n_bins : int
        n: bins on each side of 0.
    window : float
        s.
    rule : {'paper', 'trapezoid', 'midpoint', 'dither'}
        'paper': k h for -n <= k <= n, all weights h; B is above s - v, by at most h.
        'trapezoid': the same with h/2 at both ends. 'midpoint': (k + 1/2) h for -n <= k < n.
        'dither': (k + u) h with one u uniform on [0, 1) for each template: B is s - v in the mean
        over u, exactly.

    See Also
    --------
    TemplateLaw : Distribution of the templates.
    mehler.GroupInvariantFeatures : The features.

    Examples
    --------
    >>> Bins(2, 1.0, "paper").thresholds
    array([-1. , -0.5,  0. ,  0.5,  1. ])
    """

    n_bins: int
    window: float
    rule: str

    def __post_init__(self) -> None:
        object.__setattr__(self, "n_bins", require_integer("n_bins", self.n_bins, most=10**6))
        object.__setattr__(self, "window", require_positive("window", self.window))
        if not isinstance(self.rule, str) or self.rule not in RULES:
            raise ValueError(f"rule={self.rule!r} is not one of {', '.join(RULES)}")

    @property
    def step(self) -> float:
        """h, the distance of neighbouring thresholds."""
        return self.window / self.n_bins

    @property
    def columns(self) -> int:
        """Number of thresholds: columns per template."""
        return 2 * self.n_bins + (self.rule in ("paper", "trapezoid"))

    @property
    def thresholds(self) -> Any:
        """Ascending thresholds; for 'dither' those of u = 0."""
        shift = 0.5 if self.rule == "midpoint" else 0.0
        return self.step * (np.arange(self.columns) - self.n_bins + shift)

    @property
    def weights(self) -> Any:
        """Weights w_k of the thresholds."""
        weights = np.full(self.columns, self.step)
        if self.rule == "trapezoid":
            weights[[0, -1]] *= 0.5
        return weights
