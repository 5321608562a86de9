"""Mean and variance of group-invariant features, of drawn and of given templates, and arguments."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_integer, require_positive
from mehler.exact import orbits
from mehler.exact.orbits import Bins, TemplateLaw
from mehler.features.groups import _orbits
from mehler.features.groups._group import Group, as_group

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
    def kernel(self, x: Array, z: Array) -> Any:
        """Compute the mean, shape (n, k)."""

    def paired(self, x: Array, z: Array) -> Any:
        """Compute the mean of paired rows, shape (n,)."""
        return np.array([self.kernel(a[None], b[None])[0, 0] for a, b in zip(x, z)])


@dataclass(frozen=True, eq=False)
class Moments(Sampled):
    """Moments of one template's product P, whose mean over templates is the estimate."""

    law: TemplateLaw

    def kernel(self, x: Array, z: Array) -> Any:
        """Compute E P, shape (n, k)."""
        x, z = self._tame(x), self._tame(z)
        independent, equal = _orbits.over_pairs(self.group, x, z, self._mean)
        w = self.coincidence
        return (1.0 - w) * independent + w * equal

    def variance(self, x: Array, z: Array) -> Any:
        """Compute Var P, or an upper bound, shape (n, k).

        P is a mean over pairs of elements; a mean varies no more than its parts do on average. For
        the whole list there is also a sharper bound: the variance without bins and window has a
        closed form, and these change P by half a bin and by the clipped part.
        """
        x, z = self._tame(x), self._tame(z)
        if self.size is None:
            spread, _ = _orbits.over_pairs(self.group, x, z, self._spread)
            return spread if self.single else np.minimum(spread, self._whole(x, z))
        first, first_equal = _orbits.over_pairs(self.group, x, z, self._mean)
        second, second_equal = _orbits.over_pairs(self.group, x, z, self._square)
        # `_on_list` averages squares over elements too: the distribution of a pair is a mixture.
        share = 1.0 / self.size
        if not self.replacement and self.group.order > 1:
            n = self.group.order
            first = (n * first - first_equal) / (n - 1)
            second = (n * second - second_equal) / (n - 1)
        apart = second - first**2
        together = second_equal - first_equal**2
        return np.maximum(share * together + (1.0 - share) * apart, 0.0)

    def shared_variance(self, x: Array, z: Array) -> Any:
        """Compute the variance over samples of elements of E[P | elements], or a bound: (n, k)."""
        assert self.size is not None  # the whole list is not random
        x, z = self._tame(x), self._tame(z)
        values = _orbits.each_pair(self.group, x, z, self._mean)
        over = orbits.orbit_sample_variance if values.ndim == 3 else orbits.sample_variance
        return over(values, self.size, replacement=self.replacement)

    def _tame(self, rows: Array) -> Any:
        """Clip norms to 10^+-60 windows, where the limit is reached: no overflow."""
        largest = np.abs(rows).max(axis=1, keepdims=True)
        safe = np.where(largest > 0.0, largest, 1.0)
        return rows * (np.clip(safe, 1e-60 * self.bins.window, 1e60 * self.bins.window) / safe)

    def _mean(self, left: Array, right: Array, inner: Array) -> Any:
        return orbits.expected_product(self.law, self.bins, left, right, inner)

    def _square(self, left: Array, right: Array, inner: Array) -> Any:
        return orbits.expected_square(self.law, self.bins, left, right, inner)

    def _spread(self, left: Array, right: Array, inner: Array) -> Any:
        mean = self._mean(left, right, inner)
        return np.maximum(self._square(left, right, inner) - mean**2, 0.0)

    def _whole(self, x: Array, z: Array) -> Any:
        law, bins = self.law, self.bins
        moments = np.empty((len(x), len(z)))
        (x_centre, x_cut), (z_centre, z_cut) = self._ends(x), self._ends(z)
        for i, a in enumerate(x):
            for j, b in enumerate(z):
                shape = self._shape(a, b)
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

    def _ends(self, rows: Array) -> tuple[Any, Any]:
        """Return the mean of the moved rows, and the mean square of the clipped part."""
        moved = self.group.transpose(rows)  # (N, n, d)
        lengths = np.sqrt((moved * moved).sum(axis=2))
        safe = np.where(lengths > 0.0, lengths, 1.0)
        cut = safe**2 * self.law.excess_square(self.bins.window / safe)
        return moved.mean(axis=0), np.where(lengths > 0.0, cut, 0.0).mean(axis=0)

    def _shape(self, a: Array, b: Array) -> tuple[float, float] | None:
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


def given_templates(value: str, n_inputs: int) -> GivenTemplates | None:
    """Return the templates of an array, or None for the name of a law."""
    if isinstance(value, str) or value is None:
        return None
    if not _arrays.is_array(value) and not isinstance(value, (list, tuple)):
        raise TypeError(
            f"templates={value!r} must be the name of a law, or an array of shape "
            f"(n_templates, {n_inputs})"
        )
    if _arrays.is_lazy(value) and not _arrays.is_chunked(value):
        raise TypeError("templates are traced, but kernels of them are computed by NumPy")
    array = np.asarray(_arrays.to_host(value) if _arrays.is_array(value) else value)
    if array.ndim != 2 or array.shape[1] != n_inputs or array.shape[0] == 0:
        raise ValueError(
            f"templates has shape {array.shape} but must be one row of n_inputs={n_inputs} numbers "
            "for each template"
        )
    if array.dtype.kind not in "fiub":
        raise TypeError(f"templates has dtype {array.dtype}; templates are real numbers")
    rows = array.astype(np.float64)
    if not np.all(np.isfinite(rows)):
        raise ValueError("templates holds NaN or infinity; drop such templates first")
    if not np.any(rows):
        raise ValueError("templates are all 0: every row has the same features")
    return GivenTemplates(rows)


@dataclass(frozen=True, eq=False)
class GivenMoments(Sampled):
    """Moments of the mean product of given templates: only elements and offsets are random.

    `own`: elements are drawn for each template separately.
    """

    templates: GivenTemplates
    own: bool

    def kernel(self, x: Array, z: Array) -> Any:
        """Compute the mean over samples, shape (n, k): the empirical kernel for all elements."""
        w, total = self.coincidence, np.zeros((len(x), len(z)))
        for left, right in self._projected(x, z):
            total += (1.0 - w) * self._independent(left, right)
            if w:
                total += w * self._summed(np.maximum(left[:, None], right[None])).mean(axis=2)
        return total / len(self.templates.rows)

    def variance(self, x: Array, z: Array) -> Any:
        """Compute the variance of the mean product over samples and offsets, or a bound."""
        m = len(self.templates.rows)
        result = np.zeros((len(x), len(z)))
        if self.size is not None:
            for i, a in enumerate(x):
                for j, b in enumerate(z):
                    result[i, j] = self._of_sample(a, b)
        if self.bins.rule != "dither":
            return result
        # An offset moves a product by at most a bin: it varies by at most a quarter of its square.
        return result + 0.25 * self.bins.step**2 / m

    def _of_sample(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
        """Compute the variance over samples of elements, from all pairs of them."""
        tables = (
            self._summed(np.maximum(left[0][:, None], right[0][None]))
            for left, right in self._projected(a[None], b[None])
        )
        how: Any = {"size": self.size, "replacement": self.replacement}
        m = len(self.templates.rows)
        if self.own:
            return sum(float(orbits.sample_variance(one, **how)) for one in tables) / m**2
        return float(orbits.sample_variance(sum(tables) / m, **how))

    def _projected(self, x: Array, z: Array) -> Any:
        """Yield the projections of both sets of rows on each template's orbit: (n, N), (k, N)."""
        for template in self.templates.rows:
            moved = self.group.apply(template[None])[:, 0].T
            yield x @ moved, z @ moved

    def _independent(self, left: NDArray[np.float64], right: NDArray[np.float64]) -> Any:
        """Average products over all pairs of elements."""
        if self.bins.rule == "dither":
            s = self.bins.window
            clipped = (np.clip(rows, -s, s) for rows in (left, right))
            a, b = clipped
            return s - orbits.mean_maximum(a[:, None], b[None])
        shares = [(rows[:, :, None] <= self.bins.thresholds).mean(axis=1) for rows in (left, right)]
        return (shares[0] * self.bins.weights) @ shares[1].T

    def _summed(self, values: NDArray[np.float64]) -> Any:
        """Sum the weights of the thresholds that values do not exceed."""
        if self.bins.rule == "dither":
            return self.bins.window - np.clip(values, -self.bins.window, self.bins.window)
        below = np.concatenate([[0.0], np.cumsum(self.bins.weights)])
        return below[-1] - below[np.searchsorted(self.bins.thresholds, values, side="left")]


# Default window in standard deviations of a unit row's projection, at most its full range.
_DEVIATIONS = 4.0


def group_for(group: object, n_inputs: int) -> Group:
    """Check that a group acts on rows of that width."""
    checked = as_group(group)
    width = require_integer("n_inputs", n_inputs)
    if checked.n_inputs != width:
        raise ValueError(
            f"{checked!r} acts on {checked.n_inputs} coordinates but n_inputs={width}; "
            "make them equal"
        )
    return checked


def bins_for(law: TemplateLaw | GivenTemplates, n_bins: int, window: Any, rule: str) -> Bins:
    """Build the bins; the default window is 4 standard deviations of a unit row's projection."""
    if window is None:
        window = min(law.reach, _DEVIATIONS * _typical(law))
    return Bins(require_integer("n_bins", n_bins), require_positive("window", window), rule)


def _typical(law: TemplateLaw | GivenTemplates) -> float:
    """Return the scale of a projection of a unit row."""
    return law.typical if isinstance(law, GivenTemplates) else 1.0 / math.sqrt(law.n_inputs)


def templates_for(n_templates: Any, own: GivenTemplates) -> int:
    """Return the number of given templates; ValueError if another one is asked for."""
    m = len(own.rows)
    if n_templates is not None and require_integer("n_templates", n_templates) != m:
        raise ValueError(f"n_templates={n_templates} but templates has {m} rows; leave it out")
    return m


def columns_for(n_features: int | None, n_templates: int | None, columns: int) -> int:
    """Derive the number of features from that of templates, or the other way round."""
    if n_templates is not None:
        needed = require_integer("n_templates", n_templates) * columns
        if n_features is not None and n_features != needed:
            raise ValueError(
                f"n_templates={n_templates} with {columns} columns each are n_features={needed}, "
                f"not {n_features}; give one of the two"
            )
        return needed
    if n_features is None:
        raise ValueError("give n_features, or n_templates")
    n_columns = require_integer("n_features", n_features)
    if n_columns % columns:
        near = max(1, round(n_columns / columns))
        raise ValueError(
            f"n_features={n_columns} is no multiple of the {columns} columns of a template; take "
            f"{near * columns}, or say n_templates={near}"
        )
    return n_columns


def sample_for(n_elements: int | None, group: Group, replacement: bool) -> int | None:
    """Check the number of elements drawn; None for all of them."""
    if n_elements is None:
        return None
    r = require_integer("n_elements", n_elements)
    if not replacement and r > group.order:
        raise ValueError(
            f"{group!r} has {group.order} elements, not n_elements={r} distinct ones; take fewer, "
            "all of them (None), or replacement=True"
        )
    # All elements without replacement: no sampling.
    return None if not replacement and r == group.order else r
