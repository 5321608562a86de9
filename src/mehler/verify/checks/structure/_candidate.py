"""The map under test: how it is drawn and called, and what a check of its structure left out."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mehler._arrays import Array, from_host, is_chunked, place_of, to_host
from mehler._plural import counted
from mehler.verify.checks.structure._comparisons import EPS, differing_rows
from mehler.verify.sampling._clock import Clock
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, Kernel, raw
from mehler.verify.sampling._sources import call

# (seed, X, n_features) -> map for rows like X; n_features=None for the width of `draw`.
Redraw = Callable[[int, Array, int | None], Any]
# (seed, rows) -> features, computed by a fresh process.
Elsewhere = Callable[[int, Any], Any]


class Broken(AssertionError):
    """A rule is broken: the text says how, `where` at which rows, columns or seeds."""

    def __init__(self, cause: str, *, assumes: str = "", **where: Any) -> None:
        super().__init__(cause)
        self.cause, self.assumes, self.where = cause, assumes, where


# Moves of rows that show how features are rounded, in units of their precision.
_MOVES, _STEP = 4, 16.0


@dataclass
class Candidate:
    """The map under test.

    `given` are the caller's rows, for library and device; `rows` those used, on the host; `rate`
    is the false-alarm probability of one random rule. `skipped` lists what was not tried, and
    `remarks` what is no fault; `changed` is how a call changed the rows that it got.
    """

    draw: Callable[[int], Any]
    given: Any
    rows: Any
    kernel: Kernel | None
    redraw: Redraw | None
    elsewhere: Elsewhere | None
    seed: int
    rate: float
    clock: Clock
    skipped: dict[str, None] = field(default_factory=dict)
    remarks: dict[str, None] = field(default_factory=dict)
    changed: str = ""
    undecided: bool = False
    n_draws: int = 0
    n_features: int = 0

    @property
    def first(self) -> int:
        """The seed of the map that is called again and again."""
        return self.seeds(0).seed(0)

    def seeds(self, stream: int) -> Draws:
        """Return an endless sequence of seeds, a different one for each stream."""
        return Draws(lambda seed: seed, self.seed, stream=stream)

    @contextmanager
    def trying(self, what: str, *, usual: bool = False) -> Iterator[None]:
        """List what the map refuses as not tried, unless that is `usual`: it is no fault."""
        try:
            yield
        except Broken:
            raise
        except Exception as error:  # whatever a third party raises
            text = re.sub(r"\s+", " ", str(error))[:100]
            if not usual:
                self.skip(what, f"{type(error).__name__}: {text}".removesuffix(": "))

    def skip(self, what: str, why: str, *, undecided: bool = False) -> None:
        """List what was not tried, which may leave a rule undecided."""
        self.skipped[f"not tried: {what} ({why})"] = None
        self.undecided |= undecided

    def late(self, what: str) -> bool:
        """Return whether the time is over, which is listed."""
        if self.clock.over:
            self.skip(what, "time", undecided=True)
        return self.clock.over

    def map(self, seed: int) -> Any:
        """Return the map of a seed."""
        self.n_draws += 1
        return self.draw(seed)

    def place(self, values: Array) -> Any:
        """Return a fresh copy of rows, in the library and on the device of the caller's."""
        copy = np.array(values, order="C")
        if isinstance(self.given, np.ndarray):
            return copy
        place = place_of(self.given)
        there = from_host(copy, place)
        # With Dask, weights may be NumPy arrays, but rows may not.
        return there if place_of(there).xp is place.xp else place.xp.asarray(there)

    def call(self, phi: Callable[..., Any], values: Array, array: Array | None = None) -> Any:
        """Return the features of `values` on the host; `array` is the one passed to the map."""
        there = self.place(values) if array is None else array
        n = len(values)

        def shaped(rows: Array) -> Any:
            z = raw(phi, rows)
            shape = getattr(z, "shape", None)
            if shape is not None and self.n_features and (len(shape) != 2 or shape[0] != n):
                text = f"features of {counted(n, 'row')} have shape {tuple(shape)}, not ({n}, m)"
                raise Broken(text, rows=n)
            return z

        z = call(shaped, EvaluatedRows(there, values, np.ones(n)))
        self._compare_rows(values, there)
        self.n_features += z.shape[1]
        # A map may reuse the memory that it returns.
        return np.array(z)

    def _compare_rows(self, values: Array, there: Array) -> None:
        if self.changed or is_chunked(there):
            return
        after = np.asarray(to_host(there))
        # JAX may have rounded double precision.
        same = np.array_equal(after, values, equal_nan=after.dtype.kind == "f")
        if after.dtype != values.dtype or same:
            return
        fortran = isinstance(there, np.ndarray) and not there.flags.c_contiguous
        layout = " in Fortran order" if fortran else ""
        self.changed = f"{counted(len(values), 'row')} of {after.dtype}{layout}"

    def features(self, seed: int, values: Array | None = None) -> Any:
        """Draw a map and call it at once, since some draw their weights at the first call."""
        return self.call(self.map(seed), self.rows if values is None else values)

    def differing(self, a: Array, b: Array, slack: Any = 0.0) -> Any:
        """Return the rows in which features differ by more than rounding, see `differing_rows`."""
        if a.shape[1] != b.shape[1]:
            raise Broken(
                f"the number of columns depends on the batch: {counted(a.shape[1], 'feature')} "
                f"of {counted(len(a), 'row')}, and {b.shape[1]} of the same rows in another"
            )
        return differing_rows(a, b, self.rows.shape[1], slack)

    def moved(self, phi: Callable[..., Any], rows: Array, plain: Array) -> Any:
        """Return how far features go if rows are moved by some units of single precision.

        Sums in another order move features by less, and signs near 0 jump. A comparison of calls
        that may sum in another order allows for it; of a map that jumps anywhere it says nothing.
        """
        far = np.zeros(plain.shape)
        if rows.dtype.kind != "f":
            return far
        step = max(_STEP * EPS, float(np.finfo(rows.dtype).eps))
        rng = np.random.default_rng(self.seed)
        with self.trying("rows that are moved by rounding"):
            for _ in range(_MOVES):
                noise = 1.0 + step * rng.standard_normal(rows.shape)
                z = self.call(phi, (rows * noise).astype(rows.dtype))
                if z.shape == plain.shape:
                    far = np.fmax(far, np.abs(z.astype(np.float64) - plain.astype(np.float64)))
        return far
