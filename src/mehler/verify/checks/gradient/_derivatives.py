"""Samples of <d phi(x), phi(y)>, from central differences or the map's own derivative."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from mehler._arrays import Array, is_array, to_host
from mehler._plural import counted
from mehler.verify.checks.gradient._segments import Segments
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._output import call, read
from mehler.verify.sampling._pairs import EvaluatedRows
from mehler.verify.sampling._sources import BLOCK, power_sums

Jacobian = Callable[[Any, Any], Array]


class Derivatives:
    """Deviations of <d phi(x), phi(y)> from the claim, in units: a `Stream`.

    `jacobian` maps (phi, X) to the map's own derivative, (n, n_features, d), or is None for
    differences; with `columns` the columns of a draw are independent samples.
    """

    def __init__(
        self,
        draws: Draws,
        rows: EvaluatedRows,
        others: EvaluatedRows,
        segments: Segments,
        jacobian: Jacobian | None,
        columns: bool,
    ) -> None:
        self._draws, self._rows, self._others = draws, rows, others
        self._segments, self._jacobian = segments, jacobian
        first, self.eps = read(draws[0], others)
        self.n_features = first.shape[1]
        self.per_draw = self.n_features if columns else 1
        shape = (segments.directions.shape[0], rows.host.shape[0], others.host.shape[0])
        self.shape, self.n_means = shape, int(np.prod(shape))
        self.claim, self.unit = np.zeros(self.n_means), np.ones(self.n_means)
        self.rounding = 0.0
        self._first: Any = None
        self._alike, self._drawn = True, 0

    def pilot(self, n: int) -> None:
        """Set the units to sqrt(E|d phi(x)|^2 E|phi(y)|^2), from n draws of another stream."""
        early = Draws(self._draws.draw, self._draws.root, stream=1)
        moved, sizes = 0.0, 0.0
        for k in range(n):
            dz, z = self._features(early[k])
            moved, sizes = moved + (dz**2).sum(axis=2), sizes + (z**2).sum(axis=1)
        squares = np.einsum("rn,k->rnk", np.asarray(moved) / n, np.asarray(sizes) / n)
        self.unit = np.sqrt(squares).ravel()
        if not (np.isfinite(self.unit) & (self.unit > 0.0)).all():
            bad = int(np.argmin(np.isfinite(self.unit) & (self.unit > 0.0)))
            r, i, j = (int(each) for each in np.unravel_index(bad, self.shape))
            raise ValueError(
                f"in {counted(n, 'draw')} the features of row {i} of X never move along "
                f"direction {r}, or "
                f"those of row {j} of the other side are 0, or not finite: the resolution is "
                "relative to their size; leave such rows out"
            )

    def claimed(self, claim: Any, error: float) -> None:
        """Set the claim, (r, n, k), and bound the effect of rounding and quadrature on a sample."""
        self.claim = claim.ravel()
        d, h = self._rows.host.shape[1], self._segments.step
        self.rounding = 8.0 * math.sqrt(d) * self.eps
        if h:
            # Both ends are rounded like features, and their difference is divided by 2 h.
            size = self._lengths / self.unit.reshape(self.shape)
            self.rounding *= max(1.0, float(size.max()) / h)
        self.rounding += error / float(self.unit.min())

    @property
    def _lengths(self) -> Any:
        """Return |phi(x)| |phi(y)| of one draw, the size of the terms subtracted."""
        phi = self._draws[0]
        a, b = (np.linalg.norm(call(phi, each).astype(float), axis=1) for each in self._sides())
        return np.einsum("n,k->nk", a, b)[None]

    def _sides(self) -> tuple[EvaluatedRows, EvaluatedRows]:
        return self._rows, self._others

    def sums(self, k: int) -> Any:
        """Return power sums of draw k's deviations, shape (4, n_means)."""
        dz, z = self._features(self._draws[k])
        self._compare(dz)
        self._drawn += 1
        if self.per_draw == 1:
            samples = np.einsum("rnm,km->rnk", dz, z).reshape(1, -1)
            return power_sums((samples - self.claim) / self.unit)
        total = np.zeros((4, self.n_means))
        step = max(1, BLOCK // self.n_means)
        for start in range(0, self.n_features, step):
            part = slice(start, start + step)
            terms = dz[:, :, None, part] * z[None, None, :, part]
            samples = self.n_features * terms.reshape(self.n_means, -1).T
            total += power_sums((samples - self.claim) / self.unit)
        return total

    def _features(self, phi: Any) -> tuple[Any, Any]:
        """Return the derivatives of features along all directions, (r, n, m), and phi(Y)."""
        r, n, _ = self.shape
        z = self._sized(call(phi, self._others))
        if self._jacobian is None:
            ends = self._sized(call(phi, self._segments.rows)).reshape(2, r, n, -1)
            return (ends[1] - ends[0]) / (2.0 * self._segments.step), z
        given = self._jacobian(phi, self._rows.given)
        value = np.asarray(to_host(given) if is_array(given) else given)
        expected = (n, self.n_features, self._rows.host.shape[1])
        if value.shape != expected:
            raise ValueError(
                f"jacobian(phi, X) has shape {value.shape} but must have shape {expected}: (n, "
                "n_features, d), the derivatives of every feature in the coordinates of its row"
            )
        return np.einsum("nmd,rd->rnm", value.astype(np.float64), self._segments.directions), z

    def _sized(self, z: Any) -> Any:
        if z.shape[1] != self.n_features:
            raise ValueError(
                f"a draw has {counted(z.shape[1], 'feature')} but the first had "
                f"{self.n_features}: every draw "
                "must have the same size"
            )
        return z.astype(np.float64)

    def _compare(self, dz: Any) -> None:
        if self._first is None:
            self._first = dz
        self._alike = self._alike and np.array_equal(dz, self._first)

    @property
    def is_fixed(self) -> bool:
        """Whether all draws gave the same nonzero derivatives, as one fixed map does."""
        return self._drawn > 1 and self._alike and bool(np.any(self._first))

    def place(self, index: int) -> dict[str, Any]:
        """Return row numbers and the direction of one mean."""
        r, i, j = (int(each) for each in np.unravel_index(index, self.shape))
        direction = ", ".join(f"{each:.3g}" for each in self._segments.directions[r])
        return {"i": i, "j": j, "direction": f"({direction})"}


def directions_of(d: int, wanted: int, seed: int) -> Any:
    """Return unit vectors in random directions; in one dimension, one."""
    if d == 1:
        return np.ones((1, 1))
    u = np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(2,))).standard_normal(
        (wanted, d)
    )
    return u / np.linalg.norm(u, axis=1, keepdims=True)


def in_float64(rows: EvaluatedRows) -> EvaluatedRows:
    """Return integer rows as float64."""
    if rows.host.dtype.kind == "f":
        return rows
    host = rows.host.astype(np.float64)
    return replace(rows, given=host, host=host)
