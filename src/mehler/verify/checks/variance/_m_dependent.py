r"""Long-run variance of m-dependent units.

If units at a distance of `apart` or more are independent, the mean G of the m products P of a draw
has

.. math:: m \operatorname{Var} G = \Gamma_0 + 2\sum_{k < apart} (1 - k/m)\Gamma_k,
          \quad \Gamma_k = \operatorname{Cov}(P_l, P_{l+k}),

and stretches of `apart` units, separated by apart - 1 dropped ones, are independent: covariances
in groups of them estimate every Gamma_k without bias, from many stretches per draw.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from mehler.verify.sampling._draw_groups import GROUP
from mehler.verify.sampling._sources import Source, _Blocked


class MDependentGroupVariances(_Blocked):
    """One sample per group of GROUP stretches: the estimate of m Var G over the declared one."""

    name = "independent stretches of units"

    def __init__(self, base: Source, pairs: Any, declared: Any, bundle: int, apart: int) -> None:
        stretches = stretches_of(base, apart) * bundle
        super().__init__(pairs, base.n_features * bundle, stretches // GROUP, base.eps)
        self._base, self.apart, self.units = base, apart, base.per_draw
        self._factor = base.n_features / base.per_draw / declared

    def samples(self, phi: Any, chosen: Any) -> Any:
        maps = phi if isinstance(phi, tuple) else (phi,)
        starts = np.arange(stretches_of(self._base, self.apart)) * (2 * self.apart - 1)
        index = starts[:, None] + np.arange(self.apart)
        x = np.concatenate([self._base.samples(each, chosen)[index] for each in maps])
        x = x[: self.per_draw * GROUP].reshape(self.per_draw, GROUP, self.apart, -1)
        y = x - x.mean(axis=1, keepdims=True)
        total = np.zeros((self.per_draw, x.shape[-1]))
        for k, weight in enumerate(lag_weights(self.units, self.apart)):
            ahead, behind = y[:, :, k:], y[:, :, : self.apart - k]
            # Mean over positions in a stretch; unbiased over the group, by GROUP - 1.
            total += weight * (ahead * behind).sum(axis=1).mean(axis=1) / (GROUP - 1)
        return total * self._factor[chosen]


def stretches_of(base: Source, apart: int) -> int:
    """Return the number of independent stretches in the units of a draw."""
    return (base.per_draw + apart - 1) // (2 * apart - 1)


def lag_weights(units: int, apart: int) -> list[float]:
    """Return the weights of Gamma_0, Gamma_1, ... in m Var G."""
    return [1.0] + [2.0 * (1.0 - k / units) for k in range(1, apart)]


def m_dependent_variance_of_variance(kurtosis: Any, share: Any, units: int, apart: int) -> Any:
    """Bound the variance of one sample, relative to the square of m Var G.

    A covariance s of GROUP samples with E P^4 <= kappa V^2 has Var s at most V^2 (kappa/b + 1/(b(b
    - 1))), by E P^2 P'^2 <= kappa V^2; that of P with itself a little less. Standard deviations of
    weighted sums add up at most. `kurtosis` is kappa of one product, `share` is V over m Var G,
    each of shape (pairs,).
    """
    b = GROUP
    own = np.sqrt(kurtosis / b - (b - 3) / (b * (b - 1)))
    other = np.sqrt(kurtosis / b + 1.0 / (b * (b - 1)))
    return (share * (own + math.fsum(lag_weights(units, apart)[1:]) * other)) ** 2
