"""Draw excess risks of learners on maxout features, and compare them with Theorem 2's bounds.

Inputs are finitely many points, labels y are 1 or -1, and the loss of a margin t is the ramp V(t) =
B clip((1 - t)/2, 0, 1). Weights alpha_l of m features phi_l are at most C/m, a box so small that
functions keep to the ramp's linear part. There the minimiser over N samples is alpha_l = (C/m)
sign(E_N[y phi_l]), E_N the mean over samples. With b(W) = E[y phi(x, W)], W the weights of a unit,

    excess over the infinite class = (C B / 2) (E|b| - mean_l sign(E_N[y phi_l]) b(W^l)).

The infinite class has the means E a(W) phi(x, W), |a| <= C. Draws that leave the linear part count
as B, and E|b| at an upper end: this only adds violations.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Self

import numpy as np

from mehler import exact
from mehler.bounds import Bound, maxout
from mehler.statements import Context, Evidence, Plot, Series
from mehler.verify import intervals

from ..._comparisons import Bounding, Case, compare_ratios, compare_with_bounds
from ..._plots import plot, quantile_points

# Floats in one block of projections: 8 MB in single precision, which is what is drawn.
_BLOCK = 2_000_000
_UNITS = 2_000_000  # the largest number of units for the interval for E|b|


@dataclass(frozen=True)
class Law:
    """Equally likely points (n, d), and the mean in [-1, 1] of the label y = +-1 at each."""

    points: Any
    label_mean: Any

    @classmethod
    def at_random(
        cls, rng: np.random.Generator, n_points: int, n_inputs: int, *, noise: float = 0.2
    ) -> Self:
        """Draw points on the sphere; y is the side of a hyperplane, wrong with chance `noise`."""
        points = rng.standard_normal((n_points, n_inputs))
        points /= np.linalg.norm(points, axis=1, keepdims=True)
        side = np.where(points @ rng.standard_normal(n_inputs) > 0, 1.0, -1.0)
        return cls(points, (1 - 2 * noise) * side)

    @property
    def size(self) -> int:
        return int(self.points.shape[0])

    @property
    def radius(self) -> float:
        """Root mean square norm."""
        return float(np.sqrt((self.points**2).sum(axis=1).mean()))

    @property
    def geometry(self) -> dict[str, Any]:
        """Arguments of bounds in the paper's shape: columns, doubling dimension and diameter.

        n points are covered by n balls, so that the doubling dimension is at most log2 n.
        """
        gaps = self.points[:, None, :] - self.points[None, :, :]
        return {
            "n_inputs": int(self.points.shape[1]),
            "dimension": math.ceil(math.log2(self.size)),
            "diameter": float(np.sqrt((gaps**2).sum(axis=2).max())),
        }

    def second_moment(self, pool_size: int) -> float:
        """Compute E b(W)^2, from the expected kernel."""
        norms = np.linalg.norm(self.points, axis=1)
        rho = np.clip(self.points @ self.points.T / np.outer(norms, norms), -1, 1)
        v = self.label_mean / self.size * norms
        return float(v @ exact.maxout_kernel(rho, pool_size) @ v)

    def label_counts(self, rng: np.random.Generator, n_samples: int, n_draws: int) -> Any:
        """Return the empirical E_N[y 1{x = x_i}] of independent samples, shape (n_draws, n)."""
        chances = np.concatenate([1 + self.label_mean, 1 - self.label_mean]) / (2 * self.size)
        counts = rng.multinomial(n_samples, chances, size=n_draws)
        return (counts[:, : self.size] - counts[:, self.size :]) / n_samples


@dataclass(frozen=True)
class Risks:
    """Excess risks of independent draws of weights and samples, by (m, N), sharing weights.

    `mean_size` is an interval for E|b|, of which excesses use the upper end. `best`, by m, is the
    excess risk of the best function of the box: the approximation error.
    """

    excess: dict[tuple[int, int], Any]
    mean_size: tuple[float, float]
    best: dict[int, Any]


def units(rng: np.random.Generator, points: Any, pool_size: int, shape: tuple[int, ...]) -> Any:
    """Return values of fresh units at the n points, of the shape (*shape, n)."""
    n, d = points.shape
    columns = points.T.astype(np.float32)
    count = math.prod(shape)
    largest = rng.standard_normal((count, d), dtype=np.float32) @ columns
    for _ in range(pool_size - 1):
        weights = rng.standard_normal((count, d), dtype=np.float32)
        np.maximum(largest, weights @ columns, out=largest)
    return largest.reshape(*shape, n)


def block_sizes(n_draws: int, floats_each: int) -> list[int]:
    """Split draws into blocks that stay small."""
    size = max(1, _BLOCK // floats_each)
    return [min(size, n_draws - start) for start in range(0, n_draws, size)]


def draw_risks(
    rng: np.random.Generator,
    law: Law,
    *,
    pool_size: int,
    scale: float,
    n_features: Sequence[int],
    n_samples: Sequence[int],
    n_draws: int,
    false_alarm: float,
    loss_bound: float = 1.0,
) -> Risks:
    """Draw excess risks for all pairs of a number of features m and of samples N.

    A smaller m uses the first units of the largest. The interval for E|b| misses it with
    probability `false_alarm`. `scale` is C, `loss_bound` B.
    """
    most = max(n_features)
    prefix = np.asarray(n_features) - 1
    v = (law.label_mean / law.size).astype(np.float32)
    gained: dict[int, list[Any]] = {n: [] for n in n_samples}
    largest: list[Any] = []
    best: list[Any] = []
    sizes: list[Any] = []
    for block in block_sizes(n_draws, most * max(law.points.shape)):
        phi = units(rng, law.points, pool_size, (block, most))
        count = np.arange(1, most + 1)
        b = phi @ v
        if sum(part.size for part in sizes) < _UNITS:
            sizes.append(np.abs(b).ravel())
        best.append((np.cumsum(np.abs(b), axis=1, dtype=float) / count)[:, prefix])
        mean_of = np.cumsum(np.abs(phi), axis=1)[:, prefix].max(axis=2) / count[prefix]
        largest.append(scale * mean_of)
        for n in n_samples:
            label_means = law.label_counts(rng, n, block).astype(np.float32)
            alpha = np.where(np.matmul(phi, label_means[:, :, None])[:, :, 0] < 0, -b, b)
            gained[n].append((np.cumsum(alpha, axis=1, dtype=float) / count)[:, prefix])
    ends = intervals.known_variance(
        np.concatenate(sizes).astype(float), law.second_moment(pool_size), false_alarm
    )
    linear = np.concatenate(largest) <= 1
    factor = scale * loss_bound / 2

    def risks(means: list[Any]) -> Any:
        return np.where(linear, factor * (ends[1] - np.concatenate(means)), loss_bound)

    excess = {
        (m, n): column
        for n in n_samples
        for m, column in zip(n_features, risks(gained[n]).T, strict=True)
    }
    return Risks(excess, ends, dict(zip(n_features, risks(best).T, strict=True)))


@dataclass(frozen=True)
class Setting:
    """A random distribution of data, and the sizes at which excess risks are drawn, in all pairs.

    `failure`: total failure probabilities of bounds. Norms are between `radius` and half of it.
    """

    n_inputs: int
    pool_size: int
    n_features: tuple[int, ...]
    n_samples: tuple[int, ...]
    failure: tuple[float, ...] = (0.2, 0.05)
    radius: float = 1.0
    loss_bound: float = 1.0

    def law(self, seed: int) -> Law:
        """Return the law: eight points, of length 1 unless a radius is given."""
        rng = np.random.Generator(np.random.Philox(seed))
        law = Law.at_random(rng, 8, self.n_inputs)
        if self.radius == 1:
            return law
        lengths = self.radius * rng.uniform(0.5, 1, law.size)
        return Law(law.points * lengths[:, None], law.label_mean)

    @property
    def scale(self) -> float:
        """C, half of the value at which functions just keep to the linear part on average."""
        return 0.5 / (self.radius * math.sqrt(exact.sigma2(self.pool_size)))

    @property
    def loss(self) -> dict[str, float]:
        """Arguments of bounds for the ramp and the box."""
        return {"scale": self.scale, "lipschitz": self.loss_bound / 2, "pool_size": self.pool_size}


@dataclass(frozen=True)
class Draws:
    """The draws of one setting, and the law that they are of."""

    setting: Setting
    law: Law
    risks: Risks

    @property
    def sizes(self) -> Iterator[tuple[int, int]]:
        """All pairs (m, N)."""
        return iter(self.risks.excess)

    @property
    def n_draws(self) -> int:
        return int(next(iter(self.risks.excess.values())).size)


def drawn_settings(
    context: Context, quick: tuple[Setting, ...], full: tuple[Setting, ...]
) -> tuple[Draws, ...]:
    """Draw all settings of the level; the checks of a statement share them.

    Half of a check's false alarm goes into the intervals for E|b|.
    """
    settings, n_draws = (quick, 10_000) if context.quick else (full, 20_000)
    share = context.false_alarm / 2 / len(settings)
    return tuple(
        _draw(setting, context.seed_for(f"setting {i}"), n_draws, share)
        for i, setting in enumerate(settings)
    )


@lru_cache(maxsize=32)
def _draw(setting: Setting, seed: int, n_draws: int, false_alarm: float) -> Draws:
    law = setting.law(seed)
    risks = draw_risks(
        np.random.Generator(np.random.Philox(seed + 2**32)),
        law,
        pool_size=setting.pool_size,
        scale=setting.scale,
        n_features=setting.n_features,
        n_samples=setting.n_samples,
        n_draws=n_draws,
        false_alarm=false_alarm,
        loss_bound=setting.loss_bound,
    )
    return Draws(setting, law, risks)


def free_bound(bound: Bounding, draws: Draws, m: int, n: int, failure: float) -> Bound:
    """Evaluate the dimension-free theorem at a total chance of failure."""
    return bound(
        n_features=m,
        n_samples=n,
        delta=failure / 3,
        radius=draws.law.radius,
        loss_bound=draws.setting.loss_bound,
        **draws.setting.loss,
    )


def paper_bound(bound: Bounding, draws: Draws, m: int, n: int, failure: float) -> Bound:
    """Evaluate the theorem in the paper's shape at a total chance of failure."""
    return bound(
        n_features=m,
        n_samples=n,
        delta=failure / 4,
        radius=draws.setting.radius,
        loss_bound=draws.setting.loss_bound,
        **draws.law.geometry,
        **draws.setting.loss,
    )


def risk_cases(
    all_draws: Sequence[Draws],
    evaluate: Callable[[Bounding, Draws, int, int, float], Bound],
    bound: Bounding,
) -> list[Case]:
    """Return a case for every size and chance of failure of every setting."""
    return [
        Case(
            draws=draws.risks.excess[m, n],
            bound=evaluate(bound, draws, m, n, failure),
            where={"d": draws.setting.n_inputs, "q": draws.setting.pool_size, "m": m, "N": n},
        )
        for draws in all_draws
        for m, n in draws.sizes
        for failure in draws.setting.failure
    ]


def compare_risks(
    context: Context,
    draws_of: Callable[[Context], tuple[Draws, ...]],
    evaluate: Callable[[Bounding, Draws, int, int, float], Bound],
    bound: Bounding,
    claim: str,
) -> Evidence:
    """Compare drawn excess risks with a bound; `evaluate` is `free_bound` or `paper_bound`."""
    draws = draws_of(context)
    cases = risk_cases(draws, evaluate, bound)
    n_features = max(case.where["m"] for case in cases) * draws[0].n_draws
    plots = risk_plots(draws[0]) if evaluate is free_bound else ()
    return compare_with_bounds(
        claim, cases, context.false_alarm, n_features=n_features, plots=plots
    )


def compare_means(
    context: Context, means: Sequence[tuple[Any, float, int]], claim: str
) -> Evidence:
    """Compare the means of draws with bounds in expectation.

    Each of `means` has draws in [-1, 1], the bound of their mean, and the number of drawn features.
    Half of the check's false alarm goes into these intervals.
    """
    rate = context.false_alarm / 2 / len(means)
    ratios = []
    for sample, promised, n_features in means:
        low, high = intervals.betting(sample, -1.0, 1.0, rate)
        ratios.append((low / promised, sample.mean() / promised, high / promised, n_features))
    method = "bounded samples (betting), union bound over the settings"
    return compare_ratios(claim, ratios, context.false_alarm, method=method)


def risk_plots(draws: Draws, failure: float = 0.1) -> tuple[Plot, Plot]:
    """Plot bounds and draws over m at the largest N, and over N at the largest m."""
    setting = draws.setting
    over_m = [(m, max(setting.n_samples)) for m in setting.n_features]
    over_n = [(max(setting.n_features), n) for n in setting.n_samples]
    return (
        _plot(draws, failure, over_m, 0, "number of features m"),
        _plot(draws, failure, over_n, 1, "number of samples N"),
    )


def _plot(draws: Draws, failure: float, sizes: list[tuple[int, int]], axis: int, name: str) -> Plot:
    x = [size[axis] for size in sizes]
    setting = draws.setting
    fixed = f"N = {sizes[0][1]:,}" if axis == 0 else f"m = {sizes[0][0]:,}"

    def curve(label: str, evaluate: Callable[..., Bound], bound: Bounding) -> Series:
        y = [evaluate(bound, draws, m, n, failure).value for m, n in sizes]
        return Series(label=label, x=x, y=y)

    return plot(
        f"Excess risk over the {name}",
        name,
        "excess risk",
        curve("paper's shape", paper_bound, maxout.excess_risk),
        curve("dimension-free", free_bound, maxout.excess_risk),
        quantile_points(
            f"{1 - failure:.0%} quantile of the draws",
            x,
            [draws.risks.excess[size] for size in sizes],
            1 - failure,
        ),
        log="xy",
        caption=(
            f"d = {setting.n_inputs}, q = {setting.pool_size}, {fixed}, total chance of failure "
            f"{failure:g}: both bounds hold; the dimension-free one is the smaller, and both are "
            "far above what happens."
        ),
    )
