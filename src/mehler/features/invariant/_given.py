"""Templates that the user gives: their own kernel, over samples of elements and offsets."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from mehler import _arrays
from mehler.exact import orbits
from mehler.features.invariant._moments import Sampled


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
    if not _arrays.is_array(value) and not isinstance(value, (list, tuple)):
        raise TypeError(
            f"templates={value!r} must be the name of a law, or an array of shape "
            f"(n_templates, {n_inputs})"
        )
    found = np.asarray(_arrays.to_host(value) if _arrays.is_array(value) else value)
    if found.ndim != 2 or found.shape[1] != n_inputs or found.shape[0] == 0:
        raise ValueError(
            f"templates has shape {found.shape} but must be one row of n_inputs={n_inputs} numbers "
            "for each template"
        )
    if found.dtype.kind not in "fiub":
        raise TypeError(f"templates has dtype {found.dtype}; templates are real numbers")
    rows = found.astype(np.float64)
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

    def kernel(self, x: Any, z: Any) -> Any:
        """Compute the mean over samples, shape (n, k): the empirical kernel for all elements."""
        w, total = self.coincidence, np.zeros((len(x), len(z)))
        for left, right in self._projected(x, z):
            total += (1.0 - w) * self._independent(left, right)
            if w:
                total += w * self._summed(np.maximum(left[:, None], right[None])).mean(axis=2)
        return total / len(self.templates.rows)

    def variance(self, x: Any, z: Any) -> Any:
        """Compute the variance of the mean product over samples and offsets, or a bound."""
        m = len(self.templates.rows)
        found = np.zeros((len(x), len(z)))
        if self.size is not None:
            for i, a in enumerate(x):
                for j, b in enumerate(z):
                    found[i, j] = self._of_sample(a, b)
        if self.bins.rule != "dither":
            return found
        # An offset moves a product by at most a bin: it varies by at most a quarter of its square.
        return found + 0.25 * self.bins.step**2 / m

    def _of_sample(self, a: Any, b: Any) -> float:
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

    def _projected(self, x: Any, z: Any) -> Any:
        """Yield the projections of both sets of rows on each template's orbit: (n, N), (k, N)."""
        for template in self.templates.rows:
            moved = self.group.apply(template[None])[:, 0].T
            yield x @ moved, z @ moved

    def _independent(self, left: Any, right: Any) -> Any:
        """Average products over all pairs of elements."""
        if self.bins.rule == "dither":
            s = self.bins.window
            clipped = (np.clip(rows, -s, s) for rows in (left, right))
            a, b = clipped
            return s - orbits.mean_maximum(a[:, None], b[None])
        shares = [(rows[:, :, None] <= self.bins.thresholds).mean(axis=1) for rows in (left, right)]
        return (shares[0] * self.bins.weights) @ shares[1].T

    def _summed(self, values: Any) -> Any:
        """Sum the weights of the thresholds that values do not exceed."""
        if self.bins.rule == "dither":
            return self.bins.window - np.clip(values, -self.bins.window, self.bins.window)
        below = np.concatenate([[0.0], np.cumsum(self.bins.weights)])
        return below[-1] - below[np.searchsorted(self.bins.thresholds, values, side="left")]
