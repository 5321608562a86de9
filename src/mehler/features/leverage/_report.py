"""Leverage scores of a pool: how many features it needs, and the gain of sampling by them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays

# A rule of thumb; measurements are in docs/theorems/leverage-bach.md.
_WORTHWHILE = 20.0


@dataclass(frozen=True, eq=False, kw_only=True)
class LeverageScores:
    r"""Ridge leverage scores of a pool of features, from `ridge_leverage_scores`.

    Attributes
    ----------
    scores : array, shape (M_0,)
        :math:`\tau_i`, in [0, 1).
    group_scores : array, shape (G,)
        Sums of `scores` over groups; `scores` itself without groups.
    group_weights : numpy.ndarray, shape (G,)
        The pool's distribution on groups.
    ridge : float
        :math:`\lambda`.
    n_samples : int
        Number N_0 of rows they were estimated from.
    n_features : int or None
        Number of features to keep.

    See Also
    --------
    ridge_leverage_scores : Compute them.
    LeverageSampling : Sample features by them.
    """

    scores: _arrays.Array
    group_scores: _arrays.Array
    group_weights: Any
    ridge: float
    n_samples: int
    n_features: int | None = None

    @property
    def degrees_of_freedom(self) -> float:
        r"""Degrees of freedom :math:`d = \sum_i\tau_i`, about the number of features needed."""
        return float(np.sum(self._on_host(), dtype=np.float64))

    @property
    def largest(self) -> float:
        r"""Largest :math:`d_{\max} = \max_i\tau_i/p_i`: about how many plain sampling needs."""
        return float(np.max(self._on_host() / self.group_weights))

    @property
    def gain(self) -> float:
        """Predicted gain: `largest` over `degrees_of_freedom`; 1 for a pool of zeros."""
        d = self.degrees_of_freedom
        return self.largest / d if d > 0 else 1.0

    @property
    def probabilities(self) -> Any:
        r"""Sampling probabilities :math:`\hat q = \tau/d` of groups, float64 on the host; sum 1.

        For a pool of zeros, the pool's own distribution.
        """
        tau = self._on_host().astype(np.float64)
        total = tau.sum()
        return tau / total if total > 0 else np.asarray(self.group_weights)

    @property
    def few_samples(self) -> str:
        """Warning if N_0 is too small to distinguish scores; empty if not."""
        d = self.degrees_of_freedom
        if d <= self.n_samples / 2:
            return ""
        return (
            f"{d:.3g} degrees of freedom were estimated from {self.n_samples} rows: scores are "
            f"nearly noise; score at least {int(np.ceil(2 * d))} rows, or take a larger ridge"
        )

    @property
    def no_gain(self) -> str:
        """Reason why leverage sampling may not beat plain sampling; empty if it should.

        By a rule of thumb, 2 d <= M <= d_max and d_max/d >= 20, with M given by `n_features`.
        Another reason, which scores cannot show, is a bandwidth tuned for each method.
        """
        d, largest, m = self.degrees_of_freedom, self.largest, self.n_features
        found = []
        if self.gain < _WORTHWHILE:
            found.append(
                f"the largest score over the degrees of freedom is {self.gain:.3g}, "
                f"below {_WORTHWHILE:g}"
            )
        if m is not None and 2 * d > m:
            found.append(f"{m} features are fewer than twice the {d:.3g} degrees of freedom")
        if m is not None and m > largest:
            found.append(
                f"{m} features exceed d_max = {largest:.3g}, where plain sampling is enough"
            )
        return f"little gain to be expected: {'; '.join(found)}" if found else ""

    @property
    def warnings(self) -> tuple[str, ...]:
        """Those of the texts above that are not empty."""
        return tuple(text for text in (self.few_samples, self.no_gain) if text)

    def _on_host(self) -> Any:
        return _arrays.to_host(self.group_scores)
