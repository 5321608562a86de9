"""Trials of the claimed kernel: draws of one configuration, and bets against what is claimed."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mehler._arrays import Array
from mehler.verify.checks.structure._comparisons import mostly
from mehler.verify.checks.structure._subject import Domain, Subject
from mehler.verify.intervals._nonnegative import Excess
from mehler.verify.sampling._pairs import claimed

# Claimed correlations of neighbours with the centre of their cluster, as far as the kernel allows:
# close pairs reveal a kernel that is too rough, a cluster's sum one that is too smooth.
_NEAR = (0.9, 0.6, 0.3, 0.05)
# Steps from the centre that are tried, relative to its length; none leads to 0.
_STEPS = 0.8 * 2.0 ** np.arange(-11.0, 1.0)
# Directions of smaller claimed length are mostly rounding.
_SHORTEST = 1e-2


@dataclass(frozen=True)
class Claims:
    """Claimed means of the forms |sum v_i phi(x_i)/sqrt(k(x_i,x_i))|^2, with rows and directions v.

    `unit` is sqrt(k(x, x)), shape (n,); `directions` has shape (forms, n); `means` include the
    allowance.
    """

    rows: Any
    unit: Any
    directions: Any
    means: Any

    def forms(self, gram: Array) -> Any:
        """Return the forms at one draw's Gram matrix."""
        scaled = gram / (self.unit[:, None] * self.unit[None, :])
        return np.maximum(((self.directions @ scaled) * self.directions).sum(axis=1), 0.0)

    def lengths(self, gram: Array) -> float:
        """Return the mean over rows of |phi(x)|^2 / k(x, x)."""
        return float((np.diag(gram) / self.unit**2).mean())

    @classmethod
    def of(cls, kernel: Any, rows: Any, clusters: Any, allowance: float) -> Claims:
        """Claim single rows, pairs and sums within clusters, and eigenvectors of the Gram matrix.

        `clusters` are labels, shape (n,); every claimed correlation may be off by `allowance`.
        """
        value = gram_of(kernel, rows)
        unit = np.sqrt(np.diag(value))
        correlation = value / (unit[:, None] * unit[None, :])
        n = len(rows)
        identity = np.eye(n)
        directions = [identity]
        for cluster in np.unique(clusters):
            index = np.flatnonzero(clusters == cluster)
            i, j = (index[k] for k in np.triu_indices(index.size, 1))
            directions += [identity[i] + identity[j], identity[i] - identity[j]]
            directions.append(identity[index].sum(axis=0, keepdims=True))
        directions.append(np.linalg.eigh(correlation)[1].T)
        v = np.concatenate(directions)
        means = ((v @ correlation) * v).sum(axis=1)
        norms = (v**2).sum(axis=1)
        v, means = (part[means > _SHORTEST * norms] for part in (v, means))
        return cls(rows, unit, v, means + allowance * np.abs(v).sum(axis=1) ** 2)


def gram_of(kernel: Any, rows: Any, *, positive: bool = True) -> Any:
    """Return the claimed Gram matrix; raise ValueError where there is no claim or k(x, x) <= 0."""
    rows = np.asarray(rows, dtype=np.float64)
    value = claimed(kernel, rows, rows).astype(np.float64)
    if value.shape != (len(rows),) * 2 or not np.isfinite(value).all():
        raise ValueError("the kernel claims nothing there")
    if positive and not (np.diag(value) > 0.0).all():
        raise ValueError("k(x, x) is not positive there")
    return value


def clusters_of(
    kernel: Any, domain: Domain, d: int, norm: float, rng: np.random.Generator
) -> tuple[Any, Any]:
    """Return rows of length `norm`, (n, d), in clusters of several correlations, and their labels.

    Centres lie in a random direction, along a diagonal and on an axis; neighbours of the first go
    in all directions, and of two more in the first and the last third of the columns only.
    """
    axis = np.zeros(d)
    axis[rng.integers(d)] = 1.0
    random = rng.standard_normal(d)
    diagonal = rng.choice([-1.0, 1.0], size=d)
    third = -(-d // 3)
    ways = [
        (random, np.ones(d)),
        (diagonal, np.ones(d)),
        (axis, axis),
        *([(random, np.arange(d) < third), (random, np.arange(d) >= d - third)] if d > 2 else []),
    ]
    rows, clusters = [], []
    for k, (direction, where) in enumerate(ways):
        centre = norm * direction / np.linalg.norm(direction)
        cluster = domain.keep(centre + _neighbours(kernel, domain, centre, where, rng), norm)
        rows.append(cluster)
        clusters.append(np.full(len(cluster), k))
    return np.concatenate(rows), np.concatenate(clusters)


def _neighbours(
    kernel: Callable[..., Any],
    domain: Domain,
    centre: NDArray[np.float64],
    where: Array,
    rng: np.random.Generator,
) -> Any:
    """Return a centre's steps to itself and to its neighbours."""
    norm = float(np.linalg.norm(centre))
    step = _direction(where, rng)
    tried = domain.keep(centre + norm * np.outer(np.append(0.0, _STEPS), step), norm)
    value = gram_of(kernel, tried)
    correlation = value[0, 1:] / np.sqrt(value[0, 0] * np.diag(value)[1:])
    lengths = [0.0, *(_STEPS[int(np.argmin(np.abs(correlation - near)))] for near in _NEAR)]
    return norm * np.stack([length * _direction(where, rng) for length in lengths])


def _direction(where: Array, rng: np.random.Generator) -> Any:
    """Return a random unit vector supported on the columns of `where`."""
    v = rng.standard_normal(where.size) * where
    size = np.linalg.norm(v)
    return v / size


# Draws of the first test, extended while it is suspicious; of the base trial; and of any trial.
_PILOT, _BASE, MOST = (12, 24, 48), 36, 384
# Most seconds for the kernel of a dozen rows; slower kernels are not evaluated again.
_SLOW, _DOZEN = 0.2, 12
# Columns of the maps at other lengths and numbers of inputs, if sizes can be chosen.
MIDDLE = 128
_BASE_STREAM = 99
ASSUMED_OF_BETS = (
    "draws from different seeds are independent; squared lengths are not negative: no tail is "
    "assumed"
)
# A trial goes on if mean forms exceed the claim by _LARGER and log wealth grows by _GROWTH per
# draw, beyond the cost _MIXED of mixing stakes. Odds of 1e12 are then reached within MOST draws.
_LARGER, _GROWTH, _MIXED = 1.08, 0.1, 2.4
# Ratio to the claimed length below which a trial's draws are suspicious.
_SMALLER = 0.87


@dataclass
class Trial:
    """Draws of one configuration, and bets against its claims.

    `n_features` None is the width of a draw; `fitted` are the rows that maps are drawn for, if
    others.
    """

    subject: Subject
    claims: Claims
    n_features: int | None
    stream: int
    dtype: Any
    fitted: Any = None
    n: int = 0
    columns: int = 0
    lengths: list[float] = field(default_factory=list)
    bets: Excess = field(init=False)

    def __post_init__(self) -> None:
        self.bets = Excess(self.claims.means)

    def run(self, n: int) -> None:
        """Draw until there are n draws; exceptions of the map propagate."""
        seeds = self.subject.seeds(self.stream)
        rows = self.claims.rows.astype(self.dtype)
        drawn_for = rows if self.fitted is None else self.fitted
        with np.errstate(all="ignore"):
            while self.n < n:
                phi = self.subject.map_for(seeds.seed(self.n), drawn_for, self.n_features)
                before = self.subject.n_features
                gram = self.subject.gram(phi, rows)
                self.columns = self.subject.n_features - before
                self.n += 1
                if np.isfinite(gram).all():
                    self.bets.add(self.claims.forms(gram))
                    self.lengths.append(self.claims.lengths(gram))

    @property
    def odds(self) -> float:
        """Log of the wealth averaged over directions, whose expectation is at most 1."""
        if not self.bets.n:
            return -math.inf
        wealth = self.bets.log_wealth
        return float(np.logaddexp.reduce(wealth)) - math.log(wealth.size)

    @property
    def promising(self) -> bool:
        """Whether going on may refute: some form exceeds its claim, and wealth grows."""
        if not self.bets.n:
            return False
        ratio = self.bets.mean / self.bets.claims
        grows = self.bets.log_wealth > _GROWTH * self.bets.n - _MIXED
        return bool((grows & (ratio > _LARGER)).any())

    @property
    def short(self) -> bool:
        """Whether most draws are shorter than claimed; a map fitted to other rows may be."""
        if self.subject.fitted:
            return False
        return bool(self.lengths) and float(np.median(self.lengths)) < _SMALLER

    @property
    def infinite(self) -> bool:
        """Whether no draw had finite features."""
        return self.n > 0 and not self.lengths

    @property
    def suspicious(self) -> bool:
        """Whether the first test calls for more draws."""
        return self.promising or self.short or self.infinite

    def pilot(self) -> None:
        """Take a first test, extended while it is suspicious."""
        for n in _PILOT:
            self.run(n)
            if not self.suspicious:
                return

    def decide(self, level: float) -> bool:
        """Go on while promising; return whether the wealth reached exp(level)."""
        n = self.n
        while self.promising and n < MOST and not self.subject.clock.over:
            if self.odds >= level:
                return True
            n = min(MOST, n + max(8, n // 2))
            self.run(n)
        return self.odds >= level


def trial_at(subject: Subject, d: int, norm: float, n_features: int | None, stream: int) -> Trial:
    """Return a trial at rows of d columns and length `norm`; ValueError if nothing is claimed."""
    _require_quick(subject)
    rng = np.random.default_rng([subject.seed, stream])
    rows, clusters = clusters_of(subject.kernel, subject.domain, d, norm, rng)
    # Use numbers that single precision represents exactly.
    rows = rows.astype(np.float32).astype(np.float64)
    claims = Claims.of(subject.kernel, rows, clusters, 0.25 * subject.resolution)
    dtype = subject.rows.dtype
    return Trial(subject, claims, n_features, stream, dtype)


def _require_quick(subject: Subject) -> None:
    """Refuse to evaluate a slow kernel, meant for a few rows, at thousands of pairs."""
    if subject.kernel_seconds is None:
        start = subject.spent
        gram_of(subject.kernel, subject.rows[:_DOZEN], positive=False)
        subject.kernel_seconds = subject.spent - start
    if subject.kernel_seconds > _SLOW:
        raise ValueError(f"the kernel of {_DOZEN} rows takes {subject.kernel_seconds:.2g} s")


def base_of(subject: Subject) -> Trial:
    """Return a trial at the given rows, with a longer test."""
    if subject.base is None:
        _require_quick(subject)
        rows = subject.rows.astype(np.float32).astype(np.float64)
        rows = rows[np.diag(gram_of(subject.kernel, rows, positive=False)) > 0.0]
        alike = np.zeros(len(rows), dtype=int)
        claims = Claims.of(subject.kernel, rows, alike, 0.25 * subject.resolution)
        size = MIDDLE if subject.resizable else None
        subject.base = Trial(subject, claims, size, _BASE_STREAM, subject.rows.dtype)
        subject.base.run(_BASE)
    return subject.base


def trial_like(
    base: Trial,
    n_features: int | None,
    stream: int,
    dtype: object = None,
    fitted: Array | None = None,
) -> Trial:
    """Return a trial at the base's rows, of another size, precision, or fit."""
    kind = base.dtype if dtype is None else dtype
    return Trial(base.subject, base.claims, n_features, stream, kind, fitted)


# Lengths are too short if blocks of equally many columns are smaller by this factor in nearly all
# draws. For a correct map they are in at most a fraction _CHANCE: half if columns have one law at
# both sizes, and the rest is for laws of another shape.
_SHARE, _CHANCE = 0.9, 0.6
# Most draws of the smaller map in one block.
MOST_DRAWS = 12
ASSUMED = (
    "where the claim holds at two sizes, squared lengths over equally many columns are smaller by "
    "a tenth at one of them in at most 60 % of draws"
)


def too_short(trial: Trial, base: Trial, rate: float) -> bool:
    """Compare fresh draws of a trial and of the base, at equal numbers of columns.

    No tail bound is needed, but an event too rare to be seen could still meet the claim. That the
    base meets it at as many columns speaks against that; the assumption says so.
    """
    ratio = base.columns / max(1, trial.columns)
    n_own, n_base = (round(max(1.0, min(r, MOST_DRAWS))) for r in (ratio, 1.0 / ratio))
    ends = [len(trial.lengths), len(base.lengths)]

    def won(k: int) -> bool:
        if trial.subject.clock.over:
            return False
        for each, count in ((trial, n_own), (base, n_base)):
            each.run(each.n + count)
        if len(trial.lengths) < ends[0] + n_own or len(base.lengths) < ends[1] + n_base:
            return False
        ends[:] = [len(trial.lengths), len(base.lengths)]
        own = np.mean(trial.lengths[-n_own:])
        return bool(own < _SHARE * np.mean(base.lengths[-n_base:]))

    return mostly(won, _CHANCE, rate)
