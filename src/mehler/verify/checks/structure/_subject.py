"""The map under a structural check: its draws and calls, the domain of its rows, the findings."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array, from_host, is_chunked, place_of, to_host
from mehler._plural import counted
from mehler.verify._verdict import Verdict
from mehler.verify.checks.structure._comparisons import rows_apart
from mehler.verify.sampling._clock import Clock
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, Kernel, raw
from mehler.verify.sampling._sources import call


@dataclass(frozen=True, kw_only=True)
class Finding:
    """A defect of how a map is built.

    `cause` is a headline and `where` the rows, columns, seeds or sizes; `assumes` lists assumptions
    beyond the map's own values; `late` findings sort last; `last` makes further comparisons void.
    """

    cause: str
    check: str
    where: Mapping[str, Any] = field(default_factory=dict)
    assumes: tuple[str, ...] = ()
    late: bool = False
    last: bool = False


class Notes:
    """Skipped tests with the reason, and remarks that are no defects; each listed once."""

    def __init__(self) -> None:
        self._skipped: dict[tuple[str, str], tuple[str, list[str]]] = {}
        self.remarks: list[str] = []

    def skip(self, what: str, why: str, value: int | None = None) -> None:
        """Note a skipped test; values with one reason, whatever its numbers, share a line."""
        listed = self._skipped.setdefault((what, re.sub(r"\d+", "#", why)), (why, []))[1]
        if value is not None and str(value) not in listed:
            listed.append(str(value))

    @property
    def n_skipped(self) -> int:
        """Number of skipped tests."""
        return len(self._skipped)

    def remark(self, text: str) -> None:
        """Note an observation that is no defect."""
        if text not in self.remarks:
            self.remarks.append(text)

    def lines(self) -> tuple[str, ...]:
        """Return all notes, one line per reason."""
        skipped = (
            f"not tested: {what}{' = ' + ', '.join(values) if values else ''} ({why})"
            for (what, _), (why, values) in self._skipped.items()
        )
        return (*self.remarks, *skipped)


def reason_of(error: Exception) -> str:
    """Return the type and first line of an exception."""
    text = str(error).strip().partition("\n")[0]
    short = text if len(text) <= 100 else text[:97] + "..."
    return f"{type(error).__name__}: {short}" if short else type(error).__name__


@dataclass(frozen=True, kw_only=True)
class StructureVerdict(Verdict):
    """A `Verdict` on how a map is built.

    ``observed`` is the number of defects found and ``exact`` 0; ``reason`` begins with the first of
    ``causes``, which are sorted by how much they explain.
    """

    causes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return one paragraph: the causes, the tests, error rates and reservations."""
        place = ", ".join(f"{key}={value}" for key, value in self.where.items())
        sentences = [self.reason] if self.reason else []
        sentences.append(f"{self.check}: {self.status}" + (f", at {place}." if place else "."))
        sentences.append(f"Claimed: {self.claim}.")
        sentences.append(
            f"Looked at {self.amount_text()}; false alarm {self.false_alarm:.3g} ({self.method})."
        )
        if self.seeds:
            sentences.append(f"Replay with seed={self.seeds['seed']}.")
        if self.assumptions:
            sentences.append(f"Assumes, and leaves out: {'; '.join(self.assumptions)}.")
        return " ".join(sentences)

    def cells(self) -> tuple[str, ...]:
        """Return nothing: a defect is no number."""
        return ()

    def amount_text(self) -> str:
        """Return the number of draws."""
        return counted(self.n_draws, "draw")

    def power_text(self) -> str:
        """Return nothing: smaller defects are named by the tests left out."""
        return ""


# Relative tolerance for rows of equal length.
_EQUAL = 1e-5
# Most given rows used, and least rows with mixtures.
MOST, LEAST = 20, 24


@dataclass(frozen=True)
class Domain:
    """The common properties of the caller's rows.

    `norm` is their median length; `sphere` or `simplex`: equal Euclidean or absolute lengths;
    `cube`: entries in [0, 1]; `discrete`: whole numbers, so that values in between may be
    meaningless.
    """

    n_inputs: int
    norm: float
    sphere: bool
    simplex: bool
    nonnegative: bool
    cube: bool
    discrete: bool

    @classmethod
    def of(cls, rows: Any) -> Domain:
        """Infer the domain from rows, a float64 matrix."""
        lengths = np.linalg.norm(rows, axis=1)
        nonnegative = bool(rows.min() >= 0.0)
        return cls(
            n_inputs=rows.shape[1],
            norm=float(np.median(lengths)) or 1.0,
            sphere=_equal(lengths),
            simplex=_equal(np.abs(rows).sum(axis=1)),
            nonnegative=nonnegative,
            cube=nonnegative and bool(rows.max() <= 1.0),
            discrete=bool((rows == np.round(rows)).all()),
        )

    @property
    def scalable(self) -> bool:
        """Whether rows may be lengthened and shortened."""
        return not (self.sphere or self.simplex or self.discrete)

    def longest(self, rows: Array, norm: float) -> float:
        """Return `norm`, or the longest that the unit cube allows."""
        return min(norm, float(np.linalg.norm(rows, axis=1).max())) if self.cube else norm

    def keep(self, rows: Array, norm: float) -> Any:
        """Project made-up rows to the domain, with length `norm`."""
        if self.nonnegative:
            rows = np.abs(rows)
        if self.simplex:
            return rows / np.abs(rows).sum(axis=1, keepdims=True)
        if self.sphere:
            return norm * rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return np.minimum(rows, 1.0) if self.cube else rows


def _equal(lengths: NDArray[np.float64]) -> bool:
    return bool(lengths.size > 1 and np.ptp(lengths) <= _EQUAL * lengths.max())


def with_mixtures(values: Array, seed: int) -> Any:
    """Return at most 20 of the rows, and mixtures up to 24 unless they are whole numbers."""
    n = values.shape[0]
    rows = values[np.unique(np.linspace(0, n - 1, min(n, MOST)).round().astype(int))]
    domain = Domain.of(rows.astype(np.float64))
    missing = LEAST - rows.shape[0]
    if domain.discrete or values.dtype.kind != "f" or rows.shape[0] < 2:
        return rows
    rng = np.random.default_rng(seed)
    i = rng.integers(rows.shape[0], size=missing)
    j = (i + rng.integers(1, rows.shape[0], size=missing)) % rows.shape[0]
    fraction = rng.uniform(0.2, 0.8, (missing, 1))
    mixed = fraction * rows[i].astype(np.float64) + (1.0 - fraction) * rows[j]
    mixed = mixed[np.linalg.norm(mixed, axis=1) > 1e-3 * domain.norm]
    if mixed.shape[0]:
        mixed = domain.keep(mixed, domain.norm)
    return np.concatenate([rows, mixed.astype(rows.dtype)])


Redraw = Callable[[int, Array, int | None], Any]

# Columns of the small maps used where many draws are needed.
SMALL = 16


@dataclass
class Subject:
    """The map and what the structural checks share.

    `X` are the caller's rows, for library and device; `rows` those used, on the host; `rate` is the
    false-alarm probability of one family of tests. `observed` are defects that any call or draw may
    show, whatever it is made for: changed rows, and features of the wrong shape.
    """

    draw: Callable[[int], Any]
    redraw: Redraw | None
    X: Any
    rows: Any
    kernel: Kernel | None
    seed: int
    rate: float
    resolution: float
    clock: Clock
    notes: Notes = field(default_factory=Notes)
    observed: dict[str, Finding] = field(default_factory=dict)
    n_draws: int = 0
    n_features: int = 0
    n_tests: int = 0
    undecided: bool = False
    base: Any = None
    kernel_seconds: float | None = None
    _resizable: bool | None = None
    _fitted: bool | None = None

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

    def attempt(
        self, what: str, run: Callable[..., Any], *arguments: Any, value: Any = None
    ) -> Any:
        """Return the result, or None where the map refuses: that is noted, and no defect."""
        try:
            return run(*arguments)
        except Exception as error:  # whatever a third party raises
            self.notes.skip(what, reason_of(error), value)
            return None

    def try_call(
        self, what: str, phi: Callable[..., Any], values: Array, array: Array | None = None
    ) -> Any:
        """Return the features of `values`, or None where the map refuses, which is noted."""
        return self.attempt(what, self.call, phi, values, array)

    def in_time(
        self, what: str, run: Callable[..., Any], *arguments: Any, value: object = None
    ) -> Any:
        """Return the result, or None where the map refuses or the time is over, which is noted."""
        return None if self.over(what, value) else self.attempt(what, run, *arguments, value=value)

    def over(self, what: str, value: Any = None) -> bool:
        """Whether the time is over, which is noted."""
        if self.clock.over:
            self.notes.skip(what, "time", value)
        return self.clock.over

    def map(self, seed: int) -> Any:
        """Return the map of a seed."""
        self.n_draws += 1
        return self.draw(seed)

    def map_for(self, seed: int, rows: Array, n_features: int | None = None) -> Any:
        """Return a map of another size or for other rows; ValueError if it cannot be drawn."""
        if self.redraw is None:
            if n_features is not None:
                raise ValueError("no way to draw maps of another size is known")
            return self.map(seed)
        self.n_draws += 1
        there = self.place(rows)
        phi = self.redraw(seed, there, n_features)
        self._observe_rows(rows, there, "fitting a map")
        return phi

    def place(self, values: Array) -> Any:
        """Return a fresh copy of rows, in the library and on the device of the caller's."""
        copy = np.array(values, order="C")
        if isinstance(self.X, np.ndarray):
            return copy
        place = place_of(self.X)
        there = from_host(copy, place)
        # With Dask, weights may be NumPy arrays, but rows may not.
        return there if place_of(there).xp is place.xp else place.xp.asarray(there)

    def call(self, phi: Callable[..., Any], values: Array, array: Array | None = None) -> Any:
        """Return the features of `values` on the host; `array` is the one passed to the map."""
        there = self.place(values) if array is None else array
        z = call(
            lambda rows: self._observe_shape(raw(phi, rows), len(values)),
            EvaluatedRows(there, values, np.ones(values.shape[0])),
        )
        self._observe_rows(values, there, "the call")
        self.n_features += z.shape[1]
        # A map may reuse the memory that it returns.
        return np.array(z)

    def _observe_shape(self, z: Array, n: int) -> Any:
        shape = getattr(z, "shape", None)
        if shape and (len(shape) != 2 or shape[0] != n):
            cause = f"features of {counted(n, 'row')} have shape {tuple(shape)}, not ({n}, m)"
            self.observed.setdefault(
                "shape", Finding(cause=cause, check="calls", where={"rows": n})
            )
        return z

    def _observe_rows(self, values: Array, there: Array, doing: str) -> None:
        if is_chunked(there):
            return
        after = np.asarray(to_host(there))
        # JAX may have rounded double precision.
        floating = after.dtype.kind == "f"
        if after.dtype != values.dtype or np.array_equal(after, values, equal_nan=floating):
            return
        centred = floating and np.allclose(after, values - values.mean(axis=0), atol=1e-6)
        fortran = isinstance(there, np.ndarray) and not there.flags.c_contiguous
        of = f"{counted(len(values), 'row')} of {after.dtype}{' in Fortran order' * fortran}"
        verb = "centres" if centred else "changes"
        cause = f"{verb} its input in place: X is changed by {doing} ({of})"
        self.observed.setdefault("rows", Finding(cause=cause, check="calls"))

    def features(self, seed: int, values: Array | None = None) -> Any:
        """Draw a map and call it at once, since some draw their weights at the first call."""
        return self.call(self.map(seed), self.rows if values is None else values)

    def features_for(
        self, seed: int, rows: Array, n_features: int | None = None, values: Any = None
    ) -> Any:
        """Draw a map of another size or for other rows, and call it on these or on `values`."""
        return self.call(self.map_for(seed, rows, n_features), rows if values is None else values)

    def small(self, seed: int) -> Any:
        """Return the features of a small map if sizes can be chosen, else of an ordinary draw."""
        if self.resizable:
            return self.features_for(seed, self.rows, SMALL)
        return self.features(seed)

    def apart(self, a: Array, b: Array, slack: Any = 0.0) -> Any:
        """Return the indices of rows whose features differ by more than rounding and chance."""
        return rows_apart(a, b, self.rows.shape[1], slack)

    @property
    def resizable(self) -> bool:
        """Whether maps of another number of columns can be drawn."""
        if self._resizable is None:

            def grows() -> bool:
                draws = (self.features_for(self.first, self.rows, m) for m in (SMALL, 2 * SMALL))
                few, more = (z.shape[1] for z in draws)
                return bool(few < more)

            can = self.redraw is not None
            self._resizable = can and bool(self.attempt("maps of other sizes", grows))
        return self._resizable

    @property
    def fitted(self) -> bool:
        """Whether features depend on the rows for which a map was drawn."""
        if self._fitted is None:
            rows = self.rows
            other = np.concatenate([rows[::2], rows[::2]])
            if self.domain.scalable:
                other = (0.5 * other).astype(rows.dtype)

            def differ() -> bool:
                draws = (self.features_for(self.first, each, None, rows) for each in (rows, other))
                return not np.array_equal(*draws)

            can = self.redraw is not None and len(rows) > 1
            self._fitted = can and bool(self.attempt("maps fitted on other rows", differ))
        return self._fitted

    def gram(self, phi: Any, values: Array) -> Any:
        """Return the estimates of all pairs of rows, by the map's own gram for codes."""
        there = self.place(values)
        z = self.call(phi, values, there)
        if z.dtype.kind != "f" and callable(getattr(phi, "gram", None)):
            return np.asarray(to_host(phi.gram(there, there)), dtype=np.float64)
        z = z.astype(np.float64)
        return z @ z.T
