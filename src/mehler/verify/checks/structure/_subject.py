"""The map under test: how it is drawn and called, on rows of which it never gets our own copy."""

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
from mehler.verify.sampling._pairs import Kernel, Rows
from mehler.verify.sampling._sources import call

Redraw = Callable[[int, Array, int | None], Any]

# Columns of the small maps that are drawn where only many draws tell.
SMALL = 16


@dataclass
class Subject:
    """What the checks share.

    Parameters
    ----------
    draw : callable
        seed -> map.
    redraw : callable, optional
        (seed, X, n_features) -> map for rows like X; n_features=None for as many as `draw` gives.
    given : array
        The caller's rows, for their library and device.
    rows : numpy.ndarray
        The rows that are looked at.
    kernel : callable, optional
        The claim on the mean over draws.
    seed : int
    rate : float
        Chance that one family of looks refutes a correct map.
    resolution : float
    clock : Clock
        Over when no more is to be begun.
    notes : Notes
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
    looks: int = 0
    sizes: bool | None = None
    base: Any = None
    seconds: float | None = None
    fits: bool | None = None

    @property
    def spent(self) -> float:
        """Seconds of this process: what decides how much is drawn, on a busy machine too."""
        return process_time()

    @property
    def domain(self) -> Domain:
        """Of the rows."""
        return Domain.of(self.rows.astype(np.float64))

    @property
    def first(self) -> int:
        """The seed of the draw that is called in many ways."""
        return self.seeds(0).seed(0)

    def seeds(self, stream: int) -> Draws:
        """Return an endless list of seeds, another one for each stream."""
        return Draws(lambda seed: seed, self.seed, stream=stream)

    def map(self, seed: int) -> Any:
        """Return the map of a seed."""
        self.n_draws += 1
        return self.draw(seed)

    def map_for(self, seed: int, rows: Any, n_features: int | None = None) -> Any:
        """Return a map of another size, or for other rows, if there is a way to draw one."""
        if self.redraw is None:
            if n_features is not None:
                raise ValueError("no way to draw maps of another size is known")
            return self.map(seed)
        self.n_draws += 1
        return self.redraw(seed, self.place(rows), n_features)

    def place(self, values: Any) -> Any:
        """Return a fresh copy of rows, where the caller's are."""
        copy = np.array(values, order="C")
        if isinstance(self.given, np.ndarray):
            return copy
        place = place_of(self.given)
        there = from_host(copy, place)
        # Dask takes weights as NumPy arrays, but not rows.
        return there if place_of(there).xp is place.xp else place.xp.asarray(there)

    def call(self, phi: Any, values: Any, *, given: Any = None) -> Any:
        """Return the features of `values` on the host; `given` is how the map sees them."""
        there = self.place(values) if given is None else given
        z = call(phi, Rows(there, values, np.ones(values.shape[0])))
        self.n_features += z.shape[1]
        # A map may hand out the same memory again.
        return np.array(z)

    def features(self, seed: int, values: Any = None) -> Any:
        """Draw a map and call it at once: some draw their weights when they are first called."""
        return self.call(self.map(seed), self.rows if values is None else values)

    def small(self, seed: int) -> Any:
        """Return the features of a small map where sizes can be chosen, else of a draw."""
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
        """Whether features depend on the rows that a map was drawn for."""
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
        """Return the estimates of all pairs of rows; codes have their own way to be compared."""
        there = self.place(values) if given is None else given
        z = self.call(phi, values, given=there)
        if z.dtype.kind != "f" and callable(getattr(phi, "gram", None)):
            return np.asarray(to_host(phi.gram(there, there)), dtype=np.float64)
        z = z.astype(np.float64)
        return z @ z.T
