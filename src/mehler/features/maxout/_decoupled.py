"""Maxout features of which one set of weights chooses the winner, and another gives the value."""

from __future__ import annotations

import math
from collections.abc import Iterator
from types import ModuleType
from typing import Any, Literal

from mehler import _random, exact
from mehler._arrays import Array
from mehler._validate import require_choice
from mehler.features import _distributions
from mehler.features._block import Units
from mehler.features.maxout._maxout import LocallyLinear
from mehler.features.projections import Projection, ProjectionName


class DecoupledMaxoutFeatures(LocallyLinear):
    r"""Decoupled maxout features: one set of weights chooses, another one projects.

    .. math:: \Phi(x) = \frac{\sigma(q)}{\sqrt m}\left(\langle v^\ell_{D_\ell(x)}, x\rangle
              \right)_{\ell\le m}, \quad D_\ell(x) = \arg\max_{j\le q}\langle w^\ell_j, x\rangle

    With v independent of w the expected kernel is :math:`\sigma^2(q)\langle x, z\rangle
    \kappa_q(\rho)`, kappa_q the chance of equal D: what the paper states for plain maxout.

    Parameters
    ----------
    pool_size : int
        Pool size q.
    n_inputs, n_features, seed, like, dtype, stored
        As in :class:`mehler.features.FeatureMap`.
    directions : {'next', 'fresh'}, optional
        Origin of v. 'next': unit l projects on the weights of unit l + 1 (m + 1 sets are drawn),
        without further products; neighbouring units are then slightly correlated, by at most 7.5 %
        of the variance. 'fresh': separate weights, twice the products, independent units.
    projections : str, optional
        As of :class:`mehler.MaxoutFeatures`; all but 'gaussian' make units dependent, so they need
        fresh directions.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Theorem 1 (the kernel); derived in
    :doc:`/theorems/decoupled-kernel`.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> phi = mehler.DecoupledMaxoutFeatures.draw(3, 1000, 4, seed=0)
    >>> phi.kernel(np.eye(3))[0, 1]
    np.float64(0.0)
    """

    def __init__(
        self,
        n_inputs: int,
        n_features: int,
        pool_size: int,
        *,
        seed: int,
        like: Array | ModuleType | None = None,
        dtype: object = None,
        directions: Literal["next", "fresh"] = "next",
        projections: ProjectionName = "gaussian",
        stored: bool = True,
    ) -> None:
        self.directions = require_choice("directions", directions, ("next", "fresh"))
        options: Any = {"like": like, "dtype": dtype, "projections": projections, "stored": stored}
        super().__init__(n_inputs, n_features, pool_size, seed=seed, **options)

    def _projection_of(self, projection: Projection) -> Projection:
        if self.directions == "next" and not projection.independent:
            raise ValueError(
                f"projections={projection.name!r} makes units dependent, so one cannot project on "
                "the next one's weights: take directions='fresh'"
            )
        return projection

    @property
    def independent_units(self) -> bool:  # type: ignore[override]  # depends on the instance
        """Whether units are independent: not if they use the next unit's weights."""
        if self.directions == "fresh":
            return self._projection.independent
        return self.n_features == 1 or self.pool_size == 1

    def _units(self) -> Units:
        self._square = exact.sigma2(self.pool_size)  # torch.compile traces no cached function
        units = super()._units()
        return units._replace(n_weights=2 * units.n_weights)

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        q, d, m = self._sizes()
        if self.directions == "next":
            # One unit more than features: the last one only supplies its weights.
            lent = slice(units.start, units.stop + 1)
            return self._projection.draw_units(self.seed, q, d, lent, m + 1, dtype)
        return tuple(
            part
            for stream in (_random.WEIGHTS, _random.DIRECTIONS)
            for part in self._projection.draw_units(self.seed, q, d, units, m, dtype, stream)
        )

    def _transform(self, xp: ModuleType, rows: Array, *weights: Any) -> Array:
        # Units are positively homogeneous: scale the d inputs, not the m outputs.
        rows, pieces = rows * self._gain, self._projection.pieces
        if self.directions == "next":
            return pieces(xp, rows, *weights).after_winner()
        half = len(weights) // 2
        deciding = pieces(xp, rows, *weights[:half])
        return pieces(xp, rows, *weights[half:]).at_winner(deciding)

    @property
    def _gain(self) -> float:
        return math.sqrt(self._square / self.n_features)

    def _pools(
        self, xp: ModuleType, rows: Array, weights: tuple[Any, ...]
    ) -> Iterator[tuple[Array, Array]]:
        if self.directions == "next":
            for piece in self._projection.pieces(xp, rows, *weights):
                yield piece[:, :-1], piece[:, 1:]
            return
        half = len(weights) // 2
        deciding = self._projection.pieces(xp, rows, *weights[:half])
        yield from zip(deciding, self._projection.pieces(xp, rows, *weights[half:]), strict=True)

    @property
    def _slope(self) -> float:
        return exact.sigma2(self.pool_size) / self.pool_size

    def _kernel_at(self, rho: Array) -> Array:
        return exact.locally_linear_kernel(rho, self.pool_size)

    def _variance_at(self, rho: Array) -> Array:
        return exact.sigma2(self.pool_size) ** 2 * exact.decoupled_variance(rho, self.pool_size)

    feature_cdf = _distributions.feature_cdf

    def _cdf_of(self, X: Array, t: Array) -> Array:
        from scipy.special import ndtr

        sigma = math.sqrt(exact.sigma2(self.pool_size))
        return _distributions.cdf(X, t, lambda at: ndtr(at / sigma))

    def _kurtosis_at(self, rho: Array) -> Array:
        return decoupled_kurtosis(rho, self.pool_size)

    def _gram_variance_at(self, rho: Array) -> Array:
        if self.directions == "fresh":
            return super()._gram_variance_at(rho)
        return exact.sigma2(self.pool_size) ** 2 * exact.decoupled_variance(
            rho, self.pool_size, next_fraction=1 - 1 / self.n_features
        )


def decoupled_kurtosis(rho: Array, q: int) -> Array:
    """Compute the kurtosis: given the winner that of Gaussians of correlation rho, or of 0."""
    kappa = exact.collision_probability(rho, q)
    square = rho * rho
    mean = kappa * rho
    second = 1.0 + 2.0 * kappa * square
    third = kappa * rho * (9.0 + 6.0 * square)
    fourth = 9.0 + kappa * square * (72.0 + 24.0 * square)
    central = fourth - 4.0 * mean * third + 6.0 * mean**2 * second - 3.0 * mean**4
    return central / (second - mean**2) ** 2
