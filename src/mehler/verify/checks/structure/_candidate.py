"""The map under test of `check_structure`: how to call it and to compare its features.

A rule is a function of a `Candidate` that raises `Broken`, for instance if a row has other features
in another batch, or in another call with the same seed. `sign_test` is for rules on many draws.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from mehler._arrays import Array, from_host, place_of, stays_lazy, to_host
from mehler._plural import counted
from mehler.verify._maps import Clock, Draws, EvaluatedRows, Kernel, call, raw

# Random moves of rows that show how features are rounded, and their size in eps.
_MOVES, _STEP, EPS = 4, 16.0, float(np.finfo(np.float32).eps)
# Sums of d inputs and m features differ by some sqrt(d + m) eps between two summation orders; 64
# covers the constants. Any map may compute in single precision. No tolerance is above _COARSEST.
_ULPS, _COARSEST = 64.0, 0.05
# Pieces, between jumps, of a feature (a sign, a code): an input is within rounding of a jump with
# probability at most 8 sqrt(d) eps. More jumps than have probability _RARE are a difference.
_PIECES, _RARE = 16.0, 1e-13


class Broken(AssertionError):
    """Raised by a rule that the map breaks: `cause` says how, `assumes` under which assumption."""

    def __init__(self, cause: str, *, assumes: str = "") -> None:
        super().__init__(cause)
        self.cause, self.assumes = cause, assumes


@dataclass
class Candidate:
    """The map under test, `draw(seed)`, with the `rows` that it is tried on, in NumPy.

    `kernel` is its claim, `redraw` a maker for other sizes, `rate` the false-alarm probability of
    one rule on random draws. Rules record in `omissions` what they did not try, by reason, in
    `remarks` what is no fault, in `change` how a call changed its rows, in `transcript` a hash of
    all features. `before` has the states of global generators before the first draw.
    """

    draw: Callable[[int], Any]
    caller_rows: Any
    rows: Any
    kernel: Kernel | None
    redraw: Callable[[int, Array, int | None], Any] | None
    seed: int
    rate: float
    clock: Clock
    independent: bool = False
    omissions: dict[str, dict[str, None]] = field(default_factory=dict)
    remarks: dict[str, None] = field(default_factory=dict)
    change: str = ""
    undecided: bool = False
    n_draws: int = 0
    n_features: int = 0
    transcript: int = 0
    before: dict[str, bytes] = field(default_factory=dict)

    @property
    def first(self) -> int:
        """The seed of the map that most rules call."""
        return self.seeds(0)(0)

    def seeds(self, stream: int) -> Callable[[int], int]:
        """Return an endless sequence of seeds, a different one for each stream."""
        return Draws(lambda seed: seed, self.seed, stream=stream).seed

    @contextmanager
    def trying(self, what: str) -> Iterator[None]:
        """Record in `omissions` the input `what` if the map rejects it, which is no fault."""
        try:
            yield
        except Broken:
            raise
        except Exception as error:  # whatever a third party raises
            text = re.sub(r"\s+", " ", str(error))[:100]
            self.skip(what, f"{type(error).__name__}: {text}".removesuffix(": "))

    def skip(self, what: str, why: str, *, undecided: bool = False) -> None:
        """Record what was not tried, which may leave a rule undecided."""
        self.omissions.setdefault(why, {})[what] = None
        self.undecided |= undecided

    def late(self, what: str) -> bool:
        """Return whether the time is over; `what` is then recorded as not tried."""
        if self.clock.over:
            self.skip(what, "time", undecided=True)
        return self.clock.over

    def blame(self, cause: str, assumes: str) -> None:
        """Raise `Broken` if columns are declared independent; remark what is no fault otherwise."""
        if self.independent:
            raise Broken(cause, assumes=assumes)
        self.remarks[f"{cause}, which is no fault unless columns are declared independent"] = None

    def map(self, seed: int) -> Any:
        self.n_draws += 1
        return self.draw(seed)

    def place(self, values: Array) -> Any:
        """Return a fresh copy of rows, in the array library and on the device of the caller's."""
        place = place_of(self.caller_rows)
        there = from_host(np.array(values, order="C"), place)
        # With Dask, weights may be NumPy arrays, but rows may not.
        return there if place_of(there).xp is place.xp else place.xp.asarray(there)

    def call(self, phi: Callable[..., Any], values: Array, array: Array | None = None) -> Any:
        """Return the features of `values` on the host; `array` is the one passed to the map."""
        there, n = self.place(values) if array is None else array, len(values)

        def require_shape(copy: Array) -> Any:
            z = raw(phi, there)  # no copy, which has another layout and hides changes
            shape = getattr(z, "shape", None)
            if shape is not None and self.n_features and (len(shape) != 2 or shape[0] != n):
                text = f"features of {counted(n, 'row')} have shape {tuple(shape)}, not ({n}, m)"
                raise Broken(text)
            return z

        # A map may reuse the memory that it returns.
        z = np.array(call(require_shape, EvaluatedRows(there, values, np.ones(n))))
        if not self.change and not stays_lazy(there):
            after = np.asarray(to_host(there))
            same = np.array_equal(after, values, equal_nan=after.dtype.kind == "f")
            if after.dtype == values.dtype and not same:  # JAX may have rounded doubles
                text = f"X is changed in place by a call, of {counted(n, 'row')}"
                self.change = f"{text} of {after.dtype}"
        self.n_features += z.shape[1]
        self.transcript = zlib.crc32(z.tobytes(), self.transcript)
        return z

    def features(self, seed: int, values: Array | None = None) -> Any:
        """Draw a map and call it at once, since some draw their weights at the first call."""
        return self.call(self.map(seed), self.rows if values is None else values)

    @cached_property
    def reference(self) -> Any:
        return self.features(self.first)

    @cached_property
    def slack(self) -> Any:
        """Tolerance for calls that sum in another order, see `sensitivity`."""
        return self.sensitivity(self.map(self.first), self.rows, self.reference)

    def require(
        self, cause: str, phi: Any, index: Any = slice(None), *, what: str = "", array: Any = None
    ) -> None:
        """Raise `Broken` if the rows at an index, passed as `array`, have other features."""
        with self.trying(what or cause):
            z = self.call(phi, self.rows[index], array)
            self.require_same(cause, z, self.reference[index], self.slack[index])

    def require_same(self, cause: str, a: Array, b: Array, slack: Any = 0.0) -> None:
        if self.differing(a, b, slack).size:
            raise Broken(cause)

    def differing(self, a: Array, b: Array, slack: Any = 0.0) -> Any:
        """Return the rows whose features differ by more than rounding, `slack` and rare jumps."""
        from scipy.special import bdtrc

        if a.shape != b.shape:
            text = f"{counted(a.shape[1], 'feature')} of {counted(len(a), 'row')}, and {b.shape[1]}"
            cause = f"the number of columns depends on the batch: {text} of the same rows in"
            raise Broken(f"{cause} another")
        d = self.rows.shape[1]
        x, y = (z.astype(np.float64, copy=False) for z in (a, b))
        kinds = [np.finfo(z.dtype) for z in (a, b) if z.dtype.kind == "f"]
        eps = max(EPS, *(float(kind.eps) for kind in kinds)) if kinds else 0.0
        relative = min(_ULPS * eps * math.sqrt(d + a.shape[1]), _COARSEST)
        with np.errstate(invalid="ignore"):
            gap, size = np.abs(x - y), np.abs(y).max(axis=1, keepdims=True)
            tolerance = relative * np.where(np.isfinite(size), size, 0.0)
            off = ~((gap <= tolerance + slack) | (x == y) | (np.isnan(x) & np.isnan(y)))
        pieces = _PIECES if a.dtype.kind == "f" else max(_PIECES, float(np.abs(y).max()) + 1.0)
        chance = min(0.5, 8.0 * pieces * math.sqrt(d) * EPS)
        # P(Binomial(size, chance) >= n) is the chance that as many jump, of all or of a row.
        jumps = off.sum(axis=1)
        if jumps.any() and bdtrc(int(jumps.sum()) - 1, a.size, chance) <= _RARE:
            return np.flatnonzero(jumps)
        rare = len(a) * bdtrc(np.maximum(jumps, 1) - 1, a.shape[1], chance) <= _RARE
        return np.flatnonzero((jumps > 0) & rare)

    def sensitivity(self, phi: Callable[..., Any], rows: Array, reference: Array) -> Any:
        """Return how far each feature moves if rows do by rounding: more than in other sums."""
        far = np.zeros(reference.shape)
        if rows.dtype.kind != "f":
            return far
        step = max(_STEP * EPS, float(np.finfo(rows.dtype).eps))
        rng = np.random.default_rng(self.seed)
        with self.trying("rows that are moved by rounding"):
            for _ in range(_MOVES):
                noise = 1.0 + step * rng.standard_normal(rows.shape)
                z = self.call(phi, (rows * noise).astype(rows.dtype))
                if z.shape == reference.shape:
                    far = np.fmax(far, np.abs(z.astype(np.float64) - reference.astype(np.float64)))
        return far


def sign_test(signs: Iterable[int], rate: float, n: int = 0) -> bool:
    """Return whether so many of n signs are +1 as fair ones have with probability at most `rate`.

    With n=0 as few signs as can show it are read, all of them +1. The fifth tie, a 0, ends a test.
    """
    from scipy.stats import binom

    n = n or math.ceil(-math.log2(rate))
    losses, wins = max(0, n - 1 - int(binom.isf(rate, n, 0.5))), 0  # that are allowed
    least, ties = n - losses, 4
    for sign in signs:
        wins, losses, ties = wins + (sign > 0), losses - (sign < 0), ties - (sign == 0)
        if losses < 0 or ties < 0 or wins >= least:
            break
    return wins >= least
