"""The map under test, drawn and called on copies of the caller's rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np

from mehler._arrays import Array, from_host, place_of, to_host
from mehler.verify.checks.structure._domain import Domain
from mehler.verify.checks.structure._finding import Notes, reason_of
from mehler.verify.pairwise._measurement import Clock
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, Kernel
from mehler.verify.sampling._sources import call

Redraw = Callable[[int, Array, int | None], Any]

# Columns of the small maps used where many draws are needed.
SMALL = 16


@dataclass
class Subject:
    """The state shared by the structural checks.

    `given` are the caller's rows, for library and device; `rows` those used, on the host; `rate` is
    the false-alarm probability of one family of tests.
    """

    draw: Callable[[int], Any]
    redraw: Redraw | None
    given: Any
    rows: Any
    kernel: Kernel | None
    seed: int
    rate: float
    resolution: float
    clock: Clock
    notes: Notes = field(default_factory=Notes)
    n_draws: int = 0
    n_features: int = 0
    n_tests: int = 0
    sizes: bool | None = None
    base: Any = None
    seconds: float | None = None
    fits: bool | None = None

    @property
    def spent(self) -> float:
        """CPU seconds of this process, which decide how much is drawn on a busy machine too."""
        return process_time()

    @property
    def domain(self) -> Domain:
        """The domain of the rows."""
        return Domain.of(self.rows.astype(np.float64))

    @property
    def first(self) -> int:
        """The seed of the draw that all calls of one map use."""
        return self.seeds(0).seed(0)

    def seeds(self, stream: int) -> Draws:
        """Return an endless sequence of seeds, a different one for each stream."""
        return Draws(lambda seed: seed, self.seed, stream=stream)

    def map(self, seed: int) -> Any:
        """Return the map of a seed."""
        self.n_draws += 1
        return self.draw(seed)

    def map_for(self, seed: int, rows: Any, n_features: int | None = None) -> Any:
        """Return a map of another size or for other rows, or None if it cannot be drawn."""
        if self.redraw is None:
            if n_features is not None:
                raise ValueError("no way to draw maps of another size is known")
            return self.map(seed)
        self.n_draws += 1
        return self.redraw(seed, self.place(rows), n_features)

    def place(self, values: Any) -> Any:
        """Return a fresh copy of rows, in the library and on the device of the caller's."""
        copy = np.array(values, order="C")
        if isinstance(self.given, np.ndarray):
            return copy
        place = place_of(self.given)
        there = from_host(copy, place)
        # With Dask, weights may be NumPy arrays, but rows may not.
        return there if place_of(there).xp is place.xp else place.xp.asarray(there)

    def call(self, phi: Any, values: Any, *, given: Any = None) -> Any:
        """Return the features of `values` on the host; `given` is the array passed to the map."""
        there = self.place(values) if given is None else given
        z = call(phi, EvaluatedRows(there, values, np.ones(values.shape[0])))
        self.n_features += z.shape[1]
        # A map may reuse the memory that it returns.
        return np.array(z)

    def features(self, seed: int, values: Any = None) -> Any:
        """Draw a map and call it at once, since some draw their weights at the first call."""
        return self.call(self.map(seed), self.rows if values is None else values)

    def small(self, seed: int) -> Any:
        """Return the features of a small map if sizes can be chosen, else of an ordinary draw."""
        if self.resizable:
            return self.call(self.map_for(seed, self.rows, SMALL), self.rows)
        return self.features(seed)

    @property
    def resizable(self) -> bool:
        """Whether maps of another number of columns can be drawn."""
        if self.sizes is None:
            self.sizes = False
            if self.redraw is not None:
                try:
                    few, more = (
                        self.call(self.map_for(self.first, self.rows, m), self.rows).shape[1]
                        for m in (SMALL, 2 * SMALL)
                    )
                    self.sizes = few < more
                except Exception as error:  # whatever a third party raises
                    self.notes.skip("maps of other sizes", reason_of(error))
        return self.sizes

    @property
    def fitted(self) -> bool:
        """Whether features depend on the rows for which a map was drawn."""
        if self.fits is None:
            self.fits = False
            if self.redraw is not None and self.rows.shape[0] > 1:
                other = np.concatenate([self.rows[::2], self.rows[::2]])
                if self.domain.scalable:
                    other = (0.5 * other).astype(self.rows.dtype)
                try:
                    here, there = (
                        self.call(self.map_for(self.first, rows), self.rows)
                        for rows in (self.rows, other)
                    )
                    self.fits = not np.array_equal(here, there)
                except Exception as error:  # whatever a third party raises
                    self.notes.skip("maps fitted on other rows", reason_of(error))
        return self.fits

    def gram(self, phi: Any, values: Any, given: Any = None) -> Any:
        """Return the estimates of all pairs of rows, by the map's own gram for codes."""
        there = self.place(values) if given is None else given
        z = self.call(phi, values, given=there)
        if z.dtype.kind != "f" and callable(getattr(phi, "gram", None)):
            return np.asarray(to_host(phi.gram(there, there)), dtype=np.float64)
        z = z.astype(np.float64)
        return z @ z.T
