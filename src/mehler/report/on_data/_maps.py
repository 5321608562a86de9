"""The maps measured on the user's rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.features import DecoupledMaxoutFeatures, MaxoutCodes, MaxoutFeatures
from mehler.statements import Context


@dataclass(frozen=True, kw_only=True)
class MapUnderTest:
    """A map and the constants of its measurement.

    `binary`: products are 0 or 1; `units`: sets of weights per feature, each of `pool_size` rows.
    """

    name: str
    pool_size: int
    binary: bool
    units: int
    draw: Callable[[int, int, int, Any], Any]

    @property
    def label(self) -> str:
        """Name and pool size."""
        return f"{self.name}, q = {self.pool_size}"

    def weights(self, n_inputs: int) -> int:
        """Return the number of random numbers per feature."""
        return self.units * self.pool_size * n_inputs

    def relative_kernel(self, rho: np.ndarray) -> np.ndarray:
        """Return the kernel over sqrt(k(x,x) k(y,y)) at correlations."""
        return self._over_plane(rho, "kernel", 1)

    def relative_variance(self, rho: np.ndarray) -> np.ndarray:
        """Return the variance of a feature product over k(x,x) k(y,y) at correlations."""
        return self._over_plane(rho, "variance", 2)

    def _over_plane(self, rho: np.ndarray, what: str, power: int) -> np.ndarray:
        """Evaluate on two unit vectors of the plane, since both depend on the correlation alone."""
        phi = self.draw(2, 1, 0, None)
        x = np.array([[1.0, 0.0]])
        y = np.column_stack([rho, np.sqrt((1.0 - rho) * (1.0 + rho))])
        own = float(phi.kernel(x)[0, 0])
        return np.asarray(getattr(phi, what)(x, y)[0] / own**power)


def maps_under_test() -> tuple[MapUnderTest, ...]:
    """Return the six maxout-family maps measured on user data."""
    maxout = [
        MapUnderTest(
            name="MaxoutFeatures",
            pool_size=q,
            binary=False,
            units=1,
            # mypy infers no type for a lambda that binds a loop variable.
            draw=lambda d, m, seed, like, q=q: MaxoutFeatures.draw(d, m, q, seed=seed, like=like),  # type: ignore[misc]
        )
        for q in (2, 4, 8, 16)
    ]
    decoupled = MapUnderTest(
        name="DecoupledMaxoutFeatures",
        pool_size=2,
        binary=False,
        units=2,
        # Fresh directions make the units independent draws, which the intervals need.
        draw=lambda d, m, seed, like: DecoupledMaxoutFeatures.draw(
            d, m, 2, seed=seed, like=like, directions="fresh"
        ),
    )
    codes = MapUnderTest(
        name="MaxoutCodes",
        pool_size=4,
        binary=True,
        units=1,
        draw=lambda d, m, seed, like: MaxoutCodes.draw(d, m, 4, seed=seed, like=like),
    )
    return (*maxout, decoupled, codes)


def products_of(
    one: MapUnderTest, x: np.ndarray, y: np.ndarray, n_features: int, context: Context
) -> np.ndarray:
    """Return feature products of pairs of rows, (p, n_features), from as many draws as needed.

    Maps are drawn in the rows' own dimension; products are on the host, in the backend's precision.
    """
    from mehler import _arrays

    d = x.shape[1]
    step = max(1, min(n_features, _WEIGHTS_A_DRAW // one.weights(d)))
    like = context.like()
    left, right = context.asarray(x), context.asarray(y)
    out: np.ndarray | None = None
    for start in range(0, n_features, step):
        size = min(step, n_features - start)
        phi = one.draw(d, size, context.seed_for(f"{one.label}/{start}"), like)
        block = _arrays.to_host(phi.products(left, right))
        if out is None:
            out = np.empty((x.shape[0], n_features), dtype=block.dtype)
        out[:, start : start + size] = block
    assert out is not None  # since n_features >= 1
    return out


# 64 MB of weights at a time.
_WEIGHTS_A_DRAW = 8_000_000
