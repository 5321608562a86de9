"""How many features settle a kernel value at resolution 0.02, both error rates 1e-9.

With the exact variance (what mehler plans), against Hoeffding's inequality, which knows the range
only. A maxout product has no range: Hoeffding has no number there. Run:
python benchmarks/sample_sizes.py
"""

from __future__ import annotations

import math

import _harness
from scipy.optimize import brentq

from mehler import exact
from mehler.verify import features_needed

RESOLUTION = 0.02
RATE = 1e-9
KERNELS = (0.01, 0.1, 0.25, 0.5, 0.75, 0.9, 0.956, 0.99, 0.999)
POOL = 4


def hoeffding(low: float, high: float) -> int:
    """Samples at which Hoeffding's interval holds and sees: half width resolution/2 twice.

    An interval of half width h = span sqrt(log(2/alpha) / (2 n)) excludes a claim that is off by
    the resolution, except with chance beta, when h and the estimate's own deviation
    span sqrt(log(1/beta) / (2 n)) add up to it; and it is at most the resolution wide.
    """
    ends = math.sqrt(math.log(2.0 / RATE))
    seen = ends + math.sqrt(math.log(1.0 / RATE))
    return math.ceil(0.5 * ((high - low) * max(seen, 2.0 * ends) / RESOLUTION) ** 2)


def maxout_correlation(k: float) -> float:
    """The rho at which the maxout kernel is k times its value at rho = 1."""
    return brentq(
        lambda rho: exact.maxout_kernel(rho, POOL) / exact.sigma2(POOL) - k, -1.0, 1.0, xtol=1e-12
    )


def needed(variance: float, resolution: float = RESOLUTION) -> int:
    return features_needed(variance, resolution, RATE, RATE)


def main():
    rows, raw = [], []
    least = exact.maxout_kernel(-1.0, POOL) / exact.sigma2(POOL)
    for k in KERNELS:
        pair = (1 - k * k) ** 2 / 2
        pairs, cosines = needed(pair), needed(pair + 0.5)
        maxout = None
        if k > least:
            rho = maxout_correlation(k)
            # Relative to k(x, x) = sigma^2(q), as every resolution is.
            maxout = needed(exact.maxout_variance(rho, POOL) / exact.sigma2(POOL) ** 2)
        numbers = [pairs, hoeffding(-1, 1), cosines, hoeffding(-2, 2), maxout]
        rows.append(
            [f"{k:g}", *("not reached" if n is None else f"{n:,}" for n in numbers), "none"]
        )
        keys = ("pairs", "pairs_hoeffding", "cosines", "cosines_hoeffding", "maxout")
        raw.append({"k": k, **dict(zip(keys, numbers))})
    _harness.save(
        "sample_sizes",
        f"Feature products that settle k at resolution {RESOLUTION}, error rates {RATE:g} each",
        [
            "k",
            "Fourier pairs (2 features each)",
            "by Hoeffding",
            "cosines with offset",
            "by Hoeffding",
            f"maxout, q = {POOL}",
            "by Hoeffding",
        ],
        rows,
        raw,
    )


if __name__ == "__main__":
    main()
