"""Mean and variance of group-invariant features, over templates, elements and offsets."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler.exact import orbits
from mehler.exact.orbits import Bins, TemplateLaw
from mehler.features.groups import _averages
from mehler.features.groups._group import Group

# Most multiplications per pair of rows for the sharper bound.
_EFFORT = 1e8


@dataclass(frozen=True, eq=False)
class Sampled(ABC):
    """Moments of a product of features of templates that are moved by a sample of elements.

    `size` elements are drawn per template, None for all of them; `replacement`: independently.
    """

    bins: Bins
    group: Group
    size: int | None
    replacement: bool

    @property
    def coincidence(self) -> float:
        """w: the weight of equal elements beyond that of the whole list."""
        if self.size is None:
            return 0.0
        return orbits.coincidence_weight(self.size, self.group.order, replacement=self.replacement)

    @property
    def single(self) -> bool:
        """Whether there is a single element: the variance is then exact."""
        return (self.group.order if self.size is None else self.size) == 1

    @abstractmethod
    def kernel(self, x: Any, z: Any) -> Any:
        """Compute the mean, shape (n, k)."""

    def paired(self, x: Any, z: Any) -> Any:
        """Compute the mean of paired rows, shape (n,)."""
        return np.array([self.kernel(a[None], b[None])[0, 0] for a, b in zip(x, z)])


@dataclass(frozen=True, eq=False)
class Moments(Sampled):
    """Moments of one template's product P, whose mean over templates is the estimate."""

    law: TemplateLaw

    def kernel(self, x: Any, z: Any) -> Any:
        """Compute E P, shape (n, k)."""
        x, z = self._tame(x), self._tame(z)
        independent, equal = _averages.over_pairs(self.group, x, z, self._mean)
        w = self.coincidence
        return (1.0 - w) * independent + w * equal

    def variance(self, x: Any, z: Any) -> Any:
        """Compute Var P, or an upper bound, shape (n, k).

        P is a mean over pairs of elements; a mean varies no more than its parts do on average. For
        the whole list there is also a sharper bound: the variance without bins and window has a
        closed form, and these change P by half a bin and by the clipped part.
        """
        x, z = self._tame(x), self._tame(z)
        if self.size is None:
            spread, _ = _averages.over_pairs(self.group, x, z, self._spread)
            return spread if self.single else np.minimum(spread, self._whole(x, z))
        first, first_equal = _averages.over_pairs(self.group, x, z, self._mean)
        second, second_equal = _averages.over_pairs(self.group, x, z, self._square)
        # `_on_list` averages squares over elements too: the distribution of a pair is a mixture.
        share = 1.0 / self.size
        if not self.replacement and self.group.order > 1:
            n = self.group.order
            first = (n * first - first_equal) / (n - 1)
            second = (n * second - second_equal) / (n - 1)
        apart = second - first**2
        together = second_equal - first_equal**2
        return np.maximum(share * together + (1.0 - share) * apart, 0.0)

    def shared_variance(self, x: Any, z: Any) -> Any:
        """Compute the variance over samples of elements of E[P | elements], or a bound: (n, k)."""
        assert self.size is not None  # the whole list is not random
        x, z = self._tame(x), self._tame(z)
        values = _averages.each_pair(self.group, x, z, self._mean)
        over = orbits.orbit_sample_variance if values.ndim == 3 else orbits.sample_variance
        return over(values, self.size, replacement=self.replacement)

    def _tame(self, rows: Any) -> Any:
        """Clip norms to 10^+-60 windows, where the limit is reached: no overflow."""
        largest = np.abs(rows).max(axis=1, keepdims=True)
        safe = np.where(largest > 0.0, largest, 1.0)
        return rows * (np.clip(safe, 1e-60 * self.bins.window, 1e60 * self.bins.window) / safe)

    def _mean(self, left: Any, right: Any, inner: Any) -> Any:
        return orbits.expected_product(self.law, self.bins, left, right, inner)

    def _square(self, left: Any, right: Any, inner: Any) -> Any:
        return orbits.expected_square(self.law, self.bins, left, right, inner)

    def _spread(self, left: Any, right: Any, inner: Any) -> Any:
        mean = self._mean(left, right, inner)
        return np.maximum(self._square(left, right, inner) - mean**2, 0.0)

    def _whole(self, x: Any, z: Any) -> Any:
        law, bins = self.law, self.bins
        found = np.empty((len(x), len(z)))
        (x_centre, x_cut), (z_centre, z_cut) = self._ends(x), self._ends(z)
        for i, a in enumerate(x):
            for j, b in enumerate(z):
                shape = self._shape(a, b)
                if shape is None:
                    found[i, j] = math.inf
                    continue
                middle = ((x_centre[i] + z_centre[j]) ** 2).sum()
                limit = orbits.limit_variance_bound(law, middle, *shape)
                # The standard deviation of a sum is at most the sum of standard deviations.
                root = math.sqrt(max(limit, 0.0)) + math.sqrt(x_cut[i] + z_cut[j])
                if bins.rule == "dither":  # the offset is independent
                    found[i, j] = root**2 + 0.25 * bins.step**2
                else:
                    found[i, j] = (root + 0.5 * bins.step) ** 2
        if law.mass < 1.0:
            mean = self.kernel(x, z) / law.mass
            found = law.mass * (found + (1.0 - law.mass) * mean**2)
        return found

    def _ends(self, rows: Any) -> tuple[Any, Any]:
        """Return the mean of the moved rows, and the mean square of the clipped part."""
        moved = self.group.transpose(rows)  # (N, n, d)
        lengths = np.sqrt((moved * moved).sum(axis=2))
        safe = np.where(lengths > 0.0, lengths, 1.0)
        cut = safe**2 * self.law.excess_square(self.bins.window / safe)
        return moved.mean(axis=0), np.where(lengths > 0.0, cut, 0.0).mean(axis=0)

    def _shape(self, a: Any, b: Any) -> tuple[float, float] | None:
        """Return the mean norm of u = g'a - h'b, and the squared norm of E u u^T / |u|."""
        n, d = self.group.order, len(a)
        one = self.group.closed and self.group.orthogonal
        if n * d * d * (1 if one else n) > _EFFORT:
            return None
        moved = self.group.transpose(b[None])[:, 0]
        if one:
            differences = a - moved
        else:
            ours = self.group.transpose(a[None])[:, 0]
            differences = (ours[:, None] - moved[None]).reshape(n * n, d)
        lengths = np.sqrt((differences * differences).sum(axis=1))
        safe = np.where(lengths > 0.0, lengths, 1.0)
        spread = (differences.T / safe) @ differences / len(differences)
        if not one:
            return float(lengths.mean()), float((spread * spread).sum())
        # On a group the mean over all pairs is that of h' M h: its squared norm is <M, h' M h>.
        turned = self.group.transpose(spread)  # rows r become r h: M h
        total = sum(
            float((spread * self.group.transpose(each.T, element[None])[0]).sum())
            for each, element in zip(turned, self.group.elements())
        )
        return float(lengths.mean()), total / n
