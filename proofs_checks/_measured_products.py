"""Measure a map's kernel at many correlations of two rows, and compare it with claimed values.

A unit h is one feature with a draw of its weights, in maxout features the largest of q projections;
q is the pool size. The kernel is the mean of h(x) h(z) over draws, for rows x and z of norm 1. Each
unit serves all pairs of rows, so that intervals hold jointly by a union bound. In codes the index
of the largest projection, a digit, takes the place of a unit, and agreement that of the product.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np

from mehler import _arrays, verify
from mehler.statements import Context, Evidence, Plot, Series

Draw = Callable[..., Any]

# Floats in one block of weights: 16 MB, so that memory does not grow with the number of units.
_BLOCK = 2_000_000
# Units are averaged in groups before the interval is formed, which costs about 15 passes over its
# samples. A group of k has variance V/k, and n/k samples of variance V/k give the same half width
# sqrt(2 L V/n) up to a factor 1 + O(L k/n), L = log(2/false_alarm) near 24: nothing at this n/k.
_GROUPS = 1 << 14
MISS = 1e-6  # probability that an interval of a correct map is wider than planned


@dataclass(frozen=True)
class Estimates:
    """Means and simultaneous intervals [low, high] at n points (pool size q, correlation rho).

    Tuples have an entry for each point. `n_units` counts its independent units; `detectable` is the
    least deviation that is refuted with probability at least 1 - `MISS`. `false_alarm` is the
    chance that any interval misses its mean.
    """

    pool_size: tuple[int, ...]
    rho: tuple[float, ...]
    mean: tuple[float, ...]
    low: tuple[float, ...]
    high: tuple[float, ...]
    n_units: tuple[int, ...]
    detectable: tuple[float, ...]
    false_alarm: float
    method: str

    @classmethod
    def join(cls, parts: Sequence[Self]) -> Self:
        """Concatenate; false alarms add up."""
        fields = ("pool_size", "rho", "mean", "low", "high", "n_units", "detectable")
        columns = {name: sum((getattr(part, name) for part in parts), ()) for name in fields}
        return cls(
            **columns, false_alarm=sum(part.false_alarm for part in parts), method=parts[0].method
        )

    def only(self, pool_size: int) -> Self:
        at = [i for i, q in enumerate(self.pool_size) if q == pool_size]
        fields = ("pool_size", "rho", "mean", "low", "high", "n_units", "detectable")
        columns = {name: tuple(getattr(self, name)[i] for i in at) for name in fields}
        return type(self)(**columns, false_alarm=self.false_alarm, method=self.method)

    def claimed(self, function: Callable[[float, int], Any]) -> Any:
        """Evaluate function(rho, pool_size) at every point."""
        return np.asarray([function(r, q) for r, q in zip(self.rho, self.pool_size, strict=True)])


def rows_at(
    rho: Sequence[float], rng: np.random.Generator, *, dimension: int = 3, unit: bool = False
) -> tuple[np.ndarray, np.ndarray]:
    """Return two arrays (n, dimension); their rows i have the correlation rho[i].

    Norms are 1 if `unit`, else between 1/2 and 2.
    """
    correlation = np.asarray(rho, dtype=float)[:, None]
    x, z = rng.standard_normal((2, correlation.shape[0], dimension))
    x /= np.linalg.norm(x, axis=1, keepdims=True)
    z -= (z * x).sum(axis=1, keepdims=True) * x
    z /= np.linalg.norm(z, axis=1, keepdims=True)
    z = correlation * x + np.sqrt((1 - correlation) * (1 + correlation)) * z
    # A correlation of 1 or -1 means the same or the opposite row, to the last bit.
    z = np.where(np.abs(correlation) == 1, correlation * x, z)
    if unit:
        return x, z
    return tuple(rows * np.exp2(rng.uniform(-1, 1, correlation.shape)) for rows in (x, z))


def measure(
    context: Context,
    draw: Draw,
    pool_size: int,
    rho: Sequence[float],
    *,
    variance: Sequence[float],
    width: Sequence[float],
    false_alarm: float,
    **options: Any,
) -> Estimates:
    """Measure E[h(x) h(z)] / (|x| |z|) at correlations rho, by intervals of at most these widths.

    `variance` is that of the product of one unit, at each rho, and says how many units are enough.
    Results are cached, so that the published form and ours meet the same intervals.
    """
    return _measure(
        draw,
        pool_size,
        tuple(float(r) for r in rho),
        tuple(float(v) for v in variance),
        tuple(float(w) for w in width),
        false_alarm,
        context.seed_for(f"units q={pool_size}"),
        context.like(),
        tuple(sorted(options.items())),
    )


def measure_pools(
    context: Context,
    draw: Draw,
    rho: Sequence[float],
    widths: Mapping[int, float],
    variance: Callable[[int], Any],
    **options: Any,
) -> Estimates:
    """Measure the kernel for each pool size q in `widths`; they share the check's false alarm."""
    share, n = context.false_alarm / len(widths), len(rho)
    return Estimates.join(
        [
            measure(
                context,
                draw,
                q,
                rho,
                variance=variance(q),
                width=[width] * n,
                false_alarm=share,
                **options,
            )
            for q, width in widths.items()
        ]
    )


@lru_cache(maxsize=64)
def _measure(
    draw: Draw,
    pool_size: int,
    rho: tuple[float, ...],
    variance: tuple[float, ...],
    width: tuple[float, ...],
    false_alarm: float,
    seed: int,
    like: Any,
    options: tuple[tuple[str, Any], ...],
) -> Estimates:
    """Draw units in blocks, average groups of them, and enclose means by Catoni's intervals."""
    share = false_alarm / len(rho)
    group, n_groups = _design(variance, width, share)
    x, z = rows_at(rho, np.random.default_rng([seed, 0]))

    def averages(phi: Any, first: Any, second: Any) -> np.ndarray:
        products = _arrays.to_host(phi.products(first, second))
        return products.reshape(len(rho), -1, group).mean(axis=2)

    parts = [
        averages(phi, like.asarray(x.copy()), like.asarray(z.copy()))
        for phi in draws(draw, x.shape[1], pool_size, group, n_groups, seed, like, dict(options))
    ]
    samples = np.concatenate(parts, axis=1, dtype=float)
    samples /= (np.linalg.norm(x, axis=1) * np.linalg.norm(z, axis=1))[:, None]
    ends = [
        verify.intervals.known_variance(row, v / group, share)
        for row, v in zip(samples, variance, strict=True)
    ]
    return Estimates(
        pool_size=(pool_size,) * len(rho),
        rho=rho,
        mean=tuple(float(mean) for mean in samples.mean(axis=1)),
        low=tuple(low for low, _ in ends),
        high=tuple(high for _, high in ends),
        n_units=(group * n_groups,) * len(rho),
        detectable=tuple(
            verify.detectable_effect(n_groups, v / group, share, MISS) for v in variance
        ),
        false_alarm=false_alarm,
        method="known variance (Catoni), union bound over the points",
    )


def _design(variance: Sequence[float], width: Sequence[float], share: float) -> tuple[int, int]:
    """Return units per group, and groups, so that every interval is as narrow as asked."""
    pairs = tuple(zip(variance, width, strict=True))
    units = max(verify.features_needed(v, w, share, MISS) for v, w in pairs)
    group = max(1, units // _GROUPS)
    return group, max(verify.features_needed(v / group, w, share, MISS) for v, w in pairs)


def draws(
    draw: Draw,
    n_inputs: int,
    pool_size: int,
    group: int,
    n_groups: int,
    seed: int,
    like: Any,
    options: dict[str, Any],
) -> Iterator[Any]:
    """Yield independent draws of a map with group * n_groups units in all, in whole groups."""
    size = min(n_groups, max(1, _BLOCK // (pool_size * n_inputs * group)))
    for block, start in enumerate(range(0, n_groups, size)):
        n_features = group * (min(start + size, n_groups) - start)
        child = int(np.random.SeedSequence([seed, block]).generate_state(1, np.uint64)[0])
        yield draw(n_inputs, n_features, pool_size, seed=child, like=like, **options)


def points(label: str, estimates: Estimates) -> Series:
    """Plot measured means with their intervals over the correlation."""
    return Series(
        label=label,
        kind="points",
        x=estimates.rho,
        y=estimates.mean,
        y_low=estimates.low,
        y_high=estimates.high,
    )


def measure_collisions(
    context: Context, draw: Draw, pools: Sequence[int], rho: Sequence[float], width: float
) -> Estimates:
    """Measure how often a digit of two rows' codes agrees, in intervals of at most this width."""
    places, share = tuple(float(r) for r in rho), context.false_alarm / len(pools)
    seeds = [context.seed_for(f"codes q={q}") for q in pools]
    return Estimates.join(
        [
            _count_collisions(draw, q, places, width, share, seed, context.like())
            for q, seed in zip(pools, seeds)
        ]
    )


@lru_cache(maxsize=64)
def _count_collisions(
    draw: Draw,
    pool_size: int,
    rho: tuple[float, ...],
    width: float,
    false_alarm: float,
    seed: int,
    like: Any,
) -> Estimates:
    """Draw digits in blocks, count how many agree, and enclose the chance by binomial intervals."""
    share = false_alarm / len(rho)
    # Clopper-Pearson lies within Hoeffding's interval, mean -+ sqrt(log(2/share) / (2 n)), because
    # it inverts the very tails that Hoeffding bounds.
    n_units = math.ceil(2 * math.log(2 / share) / width**2)
    x, z = rows_at(rho, np.random.default_rng([seed, 0]))
    hits = np.zeros(len(rho), dtype=np.int64)
    for phi in draws(draw, x.shape[1], pool_size, 1, n_units, seed, like, {}):
        equal = phi(like.asarray(x.copy())) == phi(like.asarray(z.copy()))
        hits += _arrays.to_host(equal).sum(axis=1)
    ends = [verify.intervals.binomial(int(k), n_units, share) for k in hits]
    reach = sum(math.sqrt(math.log(2 / rate) / (2 * n_units)) for rate in (share, MISS))
    return Estimates(
        pool_size=(pool_size,) * len(rho),
        rho=rho,
        mean=tuple(float(k) / n_units for k in hits),
        low=tuple(low for low, _ in ends),
        high=tuple(high for _, high in ends),
        n_units=(n_units,) * len(rho),
        detectable=(reach,) * len(rho),
        false_alarm=false_alarm,
        method="binomial (Clopper-Pearson), union bound over the points",
    )


def compare_with_claims(
    estimates: Estimates,
    claimed: Any,
    claim: str,
    *,
    resolution: Any,
    error: Any = 0.0,
    plots: tuple[Plot, ...] = (),
) -> Evidence:
    """Return evidence on claimed values (n,) by simultaneous intervals, widened by `error`.

    It is refuted if an interval excludes its value, and inconclusive if one exceeds `resolution`.
    """
    value = np.asarray(claimed, dtype=float)
    low, high = np.asarray(estimates.low) - error, np.asarray(estimates.high) + error
    widest = np.broadcast_to(np.asarray(resolution, dtype=float), value.shape)
    width = high - low
    # 1 at the ends of an interval, 0 in its middle.
    distance = np.abs(value - (low + high) / 2) / (width / 2)
    status, reason = "holds", ""
    worst = int(np.argmax(distance))
    if np.any((value < low) | (value > high)):
        status = "refuted"
    elif np.any(width > widest):
        worst = int(np.argmax(width / widest))
        status = "inconclusive"
        reason = f"the interval is {width[worst]:.3g} wide, more than {widest[worst]:.3g}"
    return Evidence(
        status=status,  # type: ignore[arg-type]  # one of the literals, as str
        claim=f"{claim}; {value.size} points together",
        where={"q": estimates.pool_size[worst], "rho": estimates.rho[worst]},
        reason=reason,
        observed=estimates.mean[worst],
        exact=float(value[worst]),
        interval=(low[worst], high[worst]),
        n_features=estimates.n_units[worst],
        false_alarm=estimates.false_alarm,
        resolution=float(widest[worst]),
        detectable=estimates.detectable[worst],
        method=estimates.method,
        assumptions=("units of a draw are independent", "their exact variance is finite and known"),
        plots=plots,
    )
