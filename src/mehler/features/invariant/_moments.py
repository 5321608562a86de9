"""Mean and variance of products of group-invariant features, of random or given templates."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._validate import require_reals
from mehler.exact import orbits
from mehler.exact.orbits import Bins
from mehler.features.groups import _orbits
from mehler.features.groups._group import Group

Floats: TypeAlias = NDArray[np.float64]

_EFFORT = 1e8  # multiplications per pair of rows, at most, for the sharper bound


@dataclass(frozen=True, eq=False)
class Sampled(ABC):
    """Mean and variance of P; templates are moved by all elements of a group or by a sample."""

    bins: Bins
    group: Group
    size: int | None  # elements that are drawn per template, None for all of them
    replacement: bool  # independently
    law: Any

    @property
    def single(self) -> bool:
        """Whether there is a single element: the variance is then exact."""
        return (self.group.order if self.size is None else self.size) == 1

    @abstractmethod
    def kernel(self, x: Floats, z: Floats) -> Any:
        """Compute the mean, shape (n, k)."""


@dataclass(frozen=True, eq=False)
class Moments(Sampled):
    """Moments of P, the inner product of one random template's features at two rows x and z.

    The estimate of a kernel by a map is the mean of P over its templates.
    """

    def kernel(self, x: Floats, z: Floats) -> Any:
        """Compute E P, shape (n, k)."""
        x, z = self._tame(x), self._tame(z)
        independent, equal = _orbits.over_pairs(self.group, x, z, self._mean)
        if self.size is None:
            return independent
        # The weight of equal elements beyond that of the whole list.
        w = orbits.coincidence_weight(self.size, self.group.order, replacement=self.replacement)
        return (1.0 - w) * independent + w * equal

    def variance(self, x: Floats, z: Floats) -> Any:
        """Compute Var P, or an upper bound: a mean varies no more than its parts do on average.

        For the whole list the variance without bins and window has a closed form, and these change
        P by half a bin and by the clipped part.
        """
        x, z = self._tame(x), self._tame(z)
        if self.size is None:
            spread, _ = _orbits.over_pairs(self.group, x, z, self._spread)
            return spread if self.single else np.minimum(spread, self._whole(x, z))
        first, first_equal = _orbits.over_pairs(self.group, x, z, self._mean)
        second, second_equal = _orbits.over_pairs(self.group, x, z, self._square)
        # `_on_list` averages squares over elements too: the distribution of a pair is a mixture.
        fraction = 1.0 / self.size
        if not self.replacement and self.group.order > 1:
            n = self.group.order
            first = (n * first - first_equal) / (n - 1)
            second = (n * second - second_equal) / (n - 1)
        apart = second - first**2
        together = second_equal - first_equal**2
        return np.maximum(fraction * together + (1.0 - fraction) * apart, 0.0)

    def shared_variance(self, x: Floats, z: Floats) -> Any:
        """Compute the variance over samples of elements of E[P | elements], or a bound: (n, k)."""
        assert self.size is not None  # the whole list is not random
        x, z = self._tame(x), self._tame(z)
        values = _orbits.each_pair(self.group, x, z, self._mean)
        over = orbits.orbit_sample_variance if values.ndim == 3 else orbits.sample_variance
        return over(values, self.size, replacement=self.replacement)

    def _tame(self, rows: Floats) -> Any:
        """Clip norms to 10^+-60 windows, where the limit is reached: no overflow."""
        largest = np.abs(rows).max(axis=1, keepdims=True)
        safe = np.where(largest > 0.0, largest, 1.0)
        return rows * (np.clip(safe, 1e-60 * self.bins.window, 1e60 * self.bins.window) / safe)

    def _mean(self, *pair: Floats) -> Any:
        return orbits.expected_product(self.law, self.bins, *pair)

    def _square(self, *pair: Floats) -> Any:
        return orbits.expected_square(self.law, self.bins, *pair)

    def _spread(self, *pair: Floats) -> Any:
        return np.maximum(self._square(*pair) - self._mean(*pair) ** 2, 0.0)

    def _whole(self, x: Floats, z: Floats) -> Any:
        """Bound Var P for all elements: without bins and window, plus what these two change."""
        law, bins = self.law, self.bins
        moments = np.empty((len(x), len(z)))
        (x_centre, x_cut), (z_centre, z_cut) = self._ends(x), self._ends(z)
        for i, j in np.ndindex(*moments.shape):
            shape = self._shape(x[i], z[j])
            if shape is None:
                moments[i, j] = math.inf
                continue
            middle = ((x_centre[i] + z_centre[j]) ** 2).sum()
            limit = orbits.limit_variance_bound(law, middle, *shape)
            # The standard deviation of a sum is at most the sum of standard deviations.
            root = math.sqrt(max(limit, 0.0)) + math.sqrt(x_cut[i] + z_cut[j])
            if bins.rule == "dither":  # the offset is independent
                moments[i, j] = root**2 + 0.25 * bins.step**2
            else:
                moments[i, j] = (root + 0.5 * bins.step) ** 2
        if law.mass < 1.0:
            mean = self.kernel(x, z) / law.mass
            moments = law.mass * (moments + (1.0 - law.mass) * mean**2)
        return moments

    def _ends(self, rows: Floats) -> tuple[Any, Any]:
        """Return the mean of the moved rows, and the mean square of the clipped part."""
        images = self.group.transpose(rows)  # (N, n, d)
        lengths = np.sqrt((images * images).sum(axis=2))
        safe = np.where(lengths > 0.0, lengths, 1.0)
        excess = safe**2 * self.law.excess_square(self.bins.window / safe)
        return images.mean(axis=0), np.where(lengths > 0.0, excess, 0.0).mean(axis=0)

    def _shape(self, a: Floats, b: Floats) -> tuple[float, float] | None:
        """Return the mean norm of u = g'a - h'b, and the squared norm of E u u^T / |u|."""
        n, d = self.group.order, len(a)
        isometric = self.group.closed and self.group.orthogonal
        if n * d * d * (1 if isometric else n) > _EFFORT:
            return None
        ours = a[None] if isometric else self.group.transpose(a[None])[:, 0]
        differences = (ours[:, None] - self.group.transpose(b[None])[:, 0]).reshape(-1, d)
        lengths = np.sqrt((differences * differences).sum(axis=1))
        safe = np.where(lengths > 0.0, lengths, 1.0)
        spread = (differences.T / safe) @ differences / len(differences)
        if not isometric:
            return float(lengths.mean()), float((spread * spread).sum())
        # On a group the mean over all pairs is that of h' M h: its squared norm is <M, h' M h>.
        products = self.group.transpose(spread)  # rows r become r h: M h
        total = sum(
            float((spread * self.group.transpose(product.T, element[None])[0]).sum())
            for product, element in zip(products, self.group.elements())
        )
        return float(lengths.mean()), total / n


@dataclass(frozen=True, eq=False)
class GivenTemplates:
    """Templates (m, d) of the user's, in the place of a law of random ones."""

    rows: Any
    name: str = "given"
    epsilon: float = 0.0

    @property
    def reach(self) -> float:
        """Largest length of a template."""
        return float(np.sqrt((self.rows**2).sum(axis=1)).max())

    @property
    def typical(self) -> float:
        """Root mean square of a projection of a unit row."""
        return math.sqrt((self.rows**2).sum(axis=1).mean() / self.rows.shape[1])


def given_templates(value: Any, n_inputs: int) -> GivenTemplates | None:
    """Return the templates of an array, or None for the name of a law."""
    if isinstance(value, str) or value is None:
        return None
    _arrays.require_values(value, "templates")
    rows = require_reals("templates", _arrays.to_host(value) if _arrays.is_array(value) else value)
    if rows.ndim != 2 or rows.shape[1] != n_inputs or rows.shape[0] == 0:
        raise ValueError(
            f"templates has shape {rows.shape} but must be the name of a law, or one row of "
            f"n_inputs={n_inputs} numbers for each template"
        )
    if not np.any(rows):
        raise ValueError("templates are all 0: every row has the same features")
    return GivenTemplates(rows.copy())


class GivenMoments(Sampled):
    """Moments of the mean product of GivenTemplates, which nothing makes random."""

    def kernel(self, x: Floats, z: Floats) -> Any:
        """Compute the empirical kernel."""
        total = np.zeros((len(x), len(z)))
        for template in self.law.rows:
            orbit = self.group.apply(template[None])[:, 0].T
            left, right = (
                ((rows @ orbit)[:, :, None] <= self.bins.thresholds).mean(axis=1) for rows in (x, z)
            )
            total += (left * self.bins.weights) @ right.T
        return total / len(self.law.rows)

    def variance(self, x: Floats, z: Floats) -> Any:
        """Compute the variance of the mean product."""
        return np.zeros((len(x), len(z)))
