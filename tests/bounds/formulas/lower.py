"""Lower bounds: moments in closed form, binomial laws by sums, and multipliers by roots."""

import math

import numpy as np
from scipy import integrate, special, stats

from mehler.bounds import lower
from mehler.bounds.lower import _STRETCHES, _TILTS
from tests.bounds.formulas import Arguments, Row, count, log_uniform
from tests.bounds.latex import Value


def of_squares(m: int, delta: float, errors: float = 2.0) -> float:
    """Return t_1 of linear units at equal rows, whose products are squares of normal variables.

    Tilted by s < 1/2 a square is one over 1 - 2 s; its fourth central moment is 15 squared
    variances. The larger of the central limit and of the best tilt and stretch; `errors` is how
    many of Berry's and Esseen's an interval has.
    """
    third = 0.4748 * math.sqrt(15 / m)
    tail = delta / 2 + third
    best = max(0.0, float(stats.norm.isf(tail)) * math.sqrt(2 / m)) if tail < 0.5 else 0.0
    for s in _TILTS:
        mean, spread = 2 * s / (1 - 2 * s), math.sqrt(2) / (1 - 2 * s)
        rate = s * mean + s + math.log1p(-2 * s) / 2
        inside = stats.norm.cdf(_STRETCHES) - 0.5 - errors * third
        chances = inside * np.exp(-m * rate - s * spread * math.sqrt(m) * _STRETCHES)
        if chances.max() >= delta:
            best = max(best, float(mean))
    return best


def _of_codes(m: int, mean: float, delta: float) -> float:
    """Return the largest error |k/m - mean| of codes that is reached with chance delta."""
    k = np.arange(m + 1)
    errors = np.abs(k - m * mean)
    order = np.argsort(-errors)
    reached = np.cumsum(stats.binom(m, mean).pmf(k)[order]) >= delta
    # Counts are compared up to 1e-9.
    return float(errors[order][reached.argmax()] + 1e-9) / m


def _pair_symbols(a: Arguments) -> dict[str, Value]:
    m, delta = a["n_features"], a["delta"]
    if "collision" in a:
        return {"t_1": _of_codes(m, a["collision"], delta)}
    if "variance" in a:
        tail = delta / 2 + 0.4748 * a["third"] / math.sqrt(m)
        z = float(stats.norm.isf(tail)) if tail < 0.5 else 0.0
        return {"m": m, r"\sigma": math.sqrt(a["variance"]), "z": z}
    return {"t_1": of_squares(m, delta)}


def _of_equal_rows(a: Arguments) -> dict[str, Value]:

    def t_1(delta: float) -> float:
        """The formula is that of one pair: its own terms have a row."""
        return float(lower.one_pair(a["n_features"], delta=delta, pool_size=a["pool_size"]).value)

    return {r"\delta": a["delta"], "N": a["n_rows"], "t_1": t_1}


def _mean_distance(q: int, middle: float) -> float:
    """Integrate |t - middle| over the density of the largest of q normal variables."""

    def weighted(t: float) -> float:
        density = q * math.exp((q - 1) * float(special.log_ndtr(t)) - t * t / 2)
        return abs(t - middle) * density / math.sqrt(2 * math.pi)

    options = {"epsabs": 1e-13, "epsrel": 1e-12, "limit": 500}
    parts = ((-12.0, middle), (middle, 12.0))
    return float(sum(integrate.quad(weighted, *ends, **options)[0] for ends in parts))


def _median(q: int) -> float:
    return float(stats.norm.ppf(0.5 ** (1 / q)))


def _two_laws(n: int, q: int) -> float:
    """Return A_N of one row: the wrong majority by the incomplete beta function, ties by half."""
    biases = np.minimum(np.linspace(0.05, 3, 296) / (2 * math.sqrt(n)), 0.5)
    half, odd = n // 2, n % 2
    below = special.betainc(n - half + 1 - odd, half + odd, 0.5 - biases)
    if not odd:
        tie = special.gammaln(n + 1) - 2 * special.gammaln(half + 1)
        below = below + np.exp(tie + half * np.log(np.maximum(0.25 - biases**2, 1e-300))) / 2
    return 4 * float(np.max(biases * below)) * _mean_distance(q, 0.0)


def _numbers(rng: np.random.Generator, **ranges: tuple[float, float]) -> Arguments:
    return {name: log_uniform(rng, *ends) for name, ends in ranges.items()}


def _symbols(a: Arguments, **letters: str) -> dict[str, Value]:
    return {letter: a[name] for letter, name in letters.items()}


def _pair(rng: np.random.Generator) -> Arguments:
    return {"n_features": count(rng, 3000, 60), **_numbers(rng, delta=(1e-6, 0.5))}


def _many(rng: np.random.Generator) -> Arguments:
    return {**_pair(rng), "n_rows": count(rng), "pool_size": int(rng.choice((1, 4, 64)))}


def _spectrum(rng: np.random.Generator) -> Arguments:
    return {"eigenvalues": rng.exponential(size=9), **_numbers(rng, ridge=(0.01, 10.0))}


def _rank(rng: np.random.Generator) -> Arguments:
    return {"n_features": int(rng.integers(1, 12)), **_spectrum(rng)}


def _rank_symbols(a: Arguments) -> dict[str, Value]:
    mu = [*sorted(a["eigenvalues"], reverse=True), *[0.0] * 20]
    return {r"\mu_{m+1}": mu[a["n_features"]], r"\lambda": a["ridge"]}


def _learner(rng: np.random.Generator) -> Arguments:
    sizes = {"scale": (0.1, 10.0), "lipschitz": (0.1, 10.0)}
    return {
        "n_samples": count(rng),
        "pool_size": int(rng.choice((1, 2, 16, 200))),
        "dimension": 1,
        **_numbers(rng, **sizes),
    }


def _learner_symbols(a: Arguments) -> dict[str, Value]:
    letters = _symbols(a, L="lipschitz", C="scale")
    return {**letters, "A_N": _two_laws(a["n_samples"], a["pool_size"])}


def _nearest(rng: np.random.Generator) -> Arguments:
    return {"n_features": count(rng), "pool_size": count(rng, 1000), "scale": 0.7}


def _nearest_symbols(a: Arguments) -> dict[str, Value]:
    omega = _mean_distance(a["pool_size"], _median(a["pool_size"]))
    return {**_symbols(a, m="n_features", C="scale"), r"\omega(q)": omega}


ROWS = {
    "lower.one_pair": Row(_pair, _pair_symbols,
        ({"pool_size": 1}, {"variance": 2.0, "third": 3.1}, {"collision": 0.3})),
    "lower.all_pairs": Row(_many, _of_equal_rows),
    "lower.gram_error": Row(_rank, _rank_symbols),
    "lower.approximation": Row(_nearest, _nearest_symbols),
    "lower.excess_risk": Row(_learner, _learner_symbols),
}  # fmt: skip
