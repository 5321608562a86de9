"""The map under a structural check: its rows, its domain, what was found and what was skipped."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from time import process_time
from typing import Any

import numpy as np

from mehler._arrays import Array, from_host, place_of, to_host
from mehler._plural import counted
from mehler.verify._verdict import Verdict
from mehler.verify.pairwise._measurement import Clock
from mehler.verify.sampling._draws import Draws
from mehler.verify.sampling._pairs import EvaluatedRows, Kernel
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

    def skip(self, what: str, why: str, value: Any = None) -> None:
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
        return (
            *self.remarks,
            *(
                f"not looked at: {what}{' = ' + ', '.join(values) if values else ''} ({why})"
                for (what, _), (why, values) in self._skipped.items()
            ),
        )


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
        sums = np.abs(rows).sum(axis=1)
        nonnegative = bool(rows.min() >= 0.0)
        return cls(
            n_inputs=rows.shape[1],
            norm=float(np.median(lengths)) or 1.0,
            sphere=_alike(lengths),
            simplex=_alike(sums),
            nonnegative=nonnegative,
            cube=nonnegative and bool(rows.max() <= 1.0),
            discrete=bool((rows == np.round(rows)).all()),
        )

    @property
    def scalable(self) -> bool:
        """Whether rows may be lengthened and shortened."""
        return not (self.sphere or self.simplex or self.discrete)

    def longest(self, rows: Any, norm: float) -> float:
        """Return `norm`, or the longest that the unit cube allows."""
        return min(norm, float(np.linalg.norm(rows, axis=1).max())) if self.cube else norm

    def keep(self, rows: Any, norm: float) -> Any:
        """Project made-up rows to the domain, with length `norm`."""
        if self.nonnegative:
            rows = np.abs(rows)
        if self.simplex:
            return rows / np.abs(rows).sum(axis=1, keepdims=True)
        if self.sphere:
            return norm * rows / np.linalg.norm(rows, axis=1, keepdims=True)
        return np.minimum(rows, 1.0) if self.cube else rows


def looked_at(values: Any, seed: int) -> Any:
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
    share = rng.uniform(0.2, 0.8, (missing, 1))
    mixed = share * rows[i].astype(np.float64) + (1.0 - share) * rows[j]
    mixed = mixed[np.linalg.norm(mixed, axis=1) > 1e-3 * domain.norm]
    if mixed.shape[0]:
        mixed = domain.keep(mixed, domain.norm)
    return np.concatenate([rows, mixed.astype(rows.dtype)])


def _alike(lengths: Any) -> bool:
    return bool(lengths.size > 1 and np.ptp(lengths) <= _EQUAL * lengths.max())


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
    undecided: bool = False

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
