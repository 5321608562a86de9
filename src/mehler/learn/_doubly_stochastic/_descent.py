"""Steps of the doubly stochastic gradient."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._random import STEPS, derived_seed, generator, require_seed
from mehler.features import FeatureMap, UnitBlock
from mehler.learn._arguments import work_place
from mehler.learn._doubly_stochastic._fit import StochasticFit, StreamedLinearModel

# Largest block of features kept for all rows: 64 MiB of float32.
_HELD = 1 << 24
# Rows and units from which the default step estimates the kernel.
_LOOK = 1024
# Gradients that exceed the first ones by this factor are taken as divergence.
_GROWTH = 1e6


class Squares:
    """|f - y|^2."""

    # Lipschitz constant of the gradient in f.
    slope: ClassVar[float] = 2.0

    def start(self, targets: Any) -> Any:
        """Return the best constant, of targets (n, t) on the host."""
        return targets.mean(axis=0)

    def __call__(self, xp: Any, values: Array, targets: Array) -> tuple[Array, Array]:
        """Return the mean loss of rows, and its gradients in f, shape (n, t)."""
        left = values - targets
        return xp.mean(xp.sum(left * left, axis=1)), 2.0 * left


class Multinomial:
    """log sum_c exp(f_c) - f_y, with codes of -1 and +1 as targets."""

    slope: ClassVar[float] = 0.5

    def start(self, targets: Any) -> Any:
        """Return log class frequencies; a class without rows counts as half a row."""
        log = np.log(np.maximum(np.sum(targets == 1, axis=0), 0.5) / len(targets))
        return log - log.mean()

    def __call__(self, xp: Any, values: Array, targets: Array) -> tuple[Array, Array]:
        """Return the mean loss of rows, and its gradients in f, shape (n, t)."""
        values = values - xp.max(values, axis=1, keepdims=True)
        powers = xp.exp(values)
        sums = xp.sum(powers, axis=1, keepdims=True)
        mine = (targets + 1.0) / 2.0
        lost = xp.log(sums)[:, 0] - xp.sum(mine * values, axis=1)
        return xp.mean(lost), powers / sums - mine


LOSSES: dict[str, type[Squares] | type[Multinomial]] = {"squares": Squares, "logistic": Multinomial}


class Descent:
    """The current function, as ``scale * weights`` so that shrinking it is free."""

    def __init__(
        self,
        *,
        phi: FeatureMap,
        x: Array,
        targets: Array,
        loss: Squares | Multinomial,
        lam: float,
        seed: int,
        rows_per_step: int,
        units_per_step: int,
        step: float | None,
        intercept: bool,
        keep_values: bool,
    ) -> None:
        self.phi, self.x, self.loss, self.lam = phi, x, loss, lam
        self.seed = require_seed(seed)
        self.rows_per_step, self.units_per_step = rows_per_step, units_per_step
        self.home = _arrays.place_of(x)
        self.place = work_place(self.home)
        host = np.asarray(_arrays.to_host(targets), dtype=np.float64)
        self.targets = _arrays.from_host(host, self.place)
        self.intercept = loss.start(host) if intercept else np.zeros(host.shape[1])
        # The largest gradient of the constant, for the divergence check.
        xp = self.place.xp
        start = _arrays.from_host(np.tile(self.intercept, (len(host), 1)), self.place)
        self.largest = float(xp.max(xp.abs(loss(xp, start, self.targets)[1])))
        self.weights = np.zeros((phi.n_features, host.shape[1]))
        self.scale = 1.0
        self.step = self._first_step() if step is None else step
        if not 2.0 * lam * self.step < 1.0:
            raise ValueError(
                f"step={self.step:.3g} is too large for lam={lam:g}: it must be below 1/(2 lam), "
                "so that weights shrink and do not change their sign"
            )
        self.values = None
        if keep_values:
            self.values = self.place.xp.zeros(
                host.shape, dtype=self.place.xp.float64, device=self.place.device
            )

    def run(self, n_steps: int, name: str, *, flat: bool) -> StochasticFit:
        """Take the steps."""
        losses = np.array([self._take(s) for s in range(n_steps)])
        return StochasticFit(
            phi=self.phi,
            weights=self.scale * self.weights,
            intercept=self.intercept,
            lam=self.lam,
            loss=name,
            step=self.step,
            n_rows=self.x.shape[0],
            n_steps=n_steps,
            rows_per_step=self.rows_per_step,
            units_per_step=self.units_per_step,
            losses=losses,
            _flat=flat,
        )

    def _take(self, s: int) -> float:
        """Take step s, counted from 0; return the mean loss of its rows before it."""
        xp = self.place.xp
        rng = generator(self.seed, STEPS, s)
        rows, block = self._rows(rng), self._block(rng, s)
        held = self._held(block)
        targets = _some(self.targets, rows, self.place)
        lost, gradients = self.loss(xp, self._values_at(rows, s), targets)
        self._require_sane(float(xp.max(xp.abs(gradients))), s)
        if held is None:
            z = self._features(block, _some(self.x, rows, self.home))
        else:
            z = _some(held, rows, self.place)
        slope = xp.matmul(xp.matrix_transpose(z), xp.astype(gradients, z.dtype))
        gamma = self._size(s)
        share = (block.stop - block.start) / self.phi.n_units
        self.scale *= 1.0 - 2.0 * self.lam * gamma
        factor = -gamma / (share * self.rows_per_step * self.scale)
        change = factor * _arrays.to_host(slope).astype(np.float64)
        start = 0
        for columns in block.slices:
            stop = start + columns.stop - columns.start
            self.weights[columns] += change[start:stop]
            start = stop
        if self.values is not None:
            self.values = self._moved(block, held, change)
        return float(lost)

    def _size(self, s: int) -> float:
        """Return the size of step s, counted from 0."""
        return self.step / (1.0 + 0.5 * self.lam * self.step * s)

    def _rows(self, rng: np.random.Generator) -> Any:
        """Sample distinct rows, or None for all; not int64, which some devices lack."""
        n = self.x.shape[0]
        if self.rows_per_step == n:
            return None
        return np.sort(rng.choice(n, size=self.rows_per_step, replace=False)).astype(np.int32)

    def _block(self, rng: np.random.Generator, s: int) -> UnitBlock:
        """Return the next fresh units, or else a random block, by its number of units."""
        size, n = self.units_per_step, self.phi.n_units
        # The last block takes the remainder: a small block would be a noisy step.
        last = n // size - 1
        number = s if s <= last else min(int(rng.integers(n)) // size, last)
        return UnitBlock(self.phi, number * size, n if number == last else (number + 1) * size)

    def _features(self, block: UnitBlock, rows: Array) -> Array:
        """Compute features of rows, where values are kept."""
        z = block(rows)
        if self.place is self.home:
            return z
        return _arrays.from_host(_arrays.to_host(z), self.place)

    def _held(self, block: UnitBlock) -> Array | None:
        """Compute features of all rows, if values are kept and the block is small."""
        if self.values is None or self.x.shape[0] * block.n_features > _HELD:
            return None
        return self._features(block, self.x)

    def _values_at(self, rows: Any, s: int) -> Array:
        """Return f at these rows, from kept values or from all units so far."""
        if self.values is not None:
            values = _some(self.values, rows, self.place)
        else:
            fresh = s < self.phi.n_units // self.units_per_step
            n_units = s * self.units_per_step if fresh else self.phi.n_units
            function = StreamedLinearModel(self.phi, self.weights, 0.0 * self.intercept, n_units)
            values = function(self.home.xp, _some(self.x, rows, self.home))
            if self.place is not self.home:
                values = _arrays.from_host(_arrays.to_host(values), self.place, "float64")
        return self.scale * values + _arrays.from_host(self.intercept, self.place)[None, :]

    def _moved(self, block: UnitBlock, held: Array | None, change: Any) -> Array:
        """Update the values after a change of a block's weights."""
        xp = self.place.xp
        step = self.x.shape[0]
        if held is None:
            step = _arrays.block_rows_for_map(block.n_features, 8, self.x)
        parts = []
        for rows in _arrays.slices(self.x.shape[0], step):
            z = self._features(block, self.x[rows, :]) if held is None else held
            moved = xp.matmul(z, _arrays.from_host(change, self.place, z.dtype))
            parts.append(xp.astype(moved, xp.float64))
        return self.values + (xp.concat(parts, axis=0) if len(parts) > 1 else parts[0])

    def _first_step(self) -> float:
        """Estimate the default step of `doubly_stochastic` from some rows and other units.

        The theorem asks for steps that do not depend on the units that take them.
        """
        block = UnitBlock(_drawn_apart(self.phi), 0, min(_LOOK, self.phi.n_units))
        # Evenly spaced, as rows may be sorted by class.
        stride = -(-self.x.shape[0] // _LOOK)
        z = self._features(block, self.x[::stride, :])
        xp = self.place.xp
        gram = xp.astype(xp.matmul(z, xp.matrix_transpose(z)), xp.float64)
        gram = gram * (self.phi.n_units / block.stop)
        lengths = xp.linalg.diagonal(gram)
        largest = float(xp.max(xp.linalg.eigvalsh(gram))) / gram.shape[0]
        noise = float(xp.mean(lengths)) * (1 / self.units_per_step + 1 / self.rows_per_step)
        if not largest > 0.0:
            raise ValueError("features of the rows are 0: give step, or rows that are not 0")
        return 1.0 / (self.loss.slope * (largest + noise) + 2.0 * self.lam)

    def _require_sane(self, size: float, s: int) -> None:
        """Raise if the gradients diverge."""
        if not size <= _GROWTH * self.largest:
            raise ValueError(
                f"the steps diverge, at step {s + 1} of size {self.step:.3g}: take a smaller step"
            )


def _drawn_apart(phi: FeatureMap) -> FeatureMap:
    """Return a map of the same law whose weights are independent of those of `phi`."""
    twin = object.__new__(type(phi))
    twin.__dict__.update(phi.__dict__, seed=derived_seed(phi.seed, STEPS), _blocks={})
    return twin


def _some(x: Array, rows: Any, place: _arrays.Place) -> Array:
    """Select rows by number; None stands for all."""
    return x if rows is None else place.xp.take(x, _arrays.from_host(rows, place), axis=0)
