"""Deep maxout kernels in float64 against 30 digits: differences, and the errors that are stated.

The digits come from the recursion, written here once more on quotients, and from the integrals of
`mehler.exact` in multiprecision. Three minutes.

    python benchmarks/depth_digits.py
"""

from __future__ import annotations

from collections.abc import Iterator

import mpmath
import numpy as np
from _harness import save

import mehler
from mehler import exact

POOLS, DEPTH, DIGITS = (1, 2, 4, 16), 8, 30
WEIGHT, BIAS = 0.8, 0.1
ROWS = np.random.default_rng(0).standard_normal((2, 5))
COLUMNS = [
    "q",
    "depth",
    "NNGP, to 30 digits",
    "off",
    "stated",
    "NTK, to 30 digits",
    "off",
    "stated",
]


def layers(q: int) -> Iterator[tuple[mpmath.mpf, mpmath.mpf]]:
    """Covariance and tangent kernel of the pair after each hidden layer."""
    w, b = mpmath.mpf(WEIGHT), mpmath.mpf(BIAS)
    x, z = ([mpmath.mpf(float(entry)) for entry in row] for row in ROWS)
    first = lambda u, v: w * mpmath.fdot(u, v) / len(u) + b  # noqa: E731
    p, r, c = first(x, x), first(z, z), first(x, z)
    theta, second = c, exact.sigma2(q, dps=DIGITS + 5)
    for _ in range(DEPTH):
        size = mpmath.sqrt(p * r)
        rho = c / size
        c = w * size * exact.maxout_kernel(rho, q, dps=DIGITS + 5) + b
        theta = c + w * exact.collision_probability(rho, q, dps=DIGITS + 5) * theta
        p, r = w * second * p + b, w * second * r + b
        yield c, theta


def main() -> None:
    """Write the table."""
    rows = []
    for q in POOLS:
        with mpmath.workdps(DIGITS + 10):
            exactly = list(layers(q))
        for depth, pair in enumerate(exactly, 1):
            kernel = mehler.DeepKernel(
                "maxout", depth, pool_size=q, weight_variance=WEIGHT, bias_variance=BIAS
            )
            cells = []
            for compute, truth in zip((kernel.nngp, kernel.ntk), pair, strict=True):
                value, error = (
                    float(each[0, 0]) for each in compute(ROWS[:1], ROWS[1:], return_error=True)
                )
                with mpmath.workdps(DIGITS + 10):
                    off = float(abs(mpmath.mpf(value) - truth))
                if off > error:
                    raise SystemExit(f"q = {q}, depth {depth}: off by {off}, stated {error}")
                cells += [mpmath.nstr(truth, DIGITS), f"{off:.0e}", f"{error:.0e}"]
            rows.append([str(q), str(depth), *cells])
            print(rows[-1], flush=True)
    save("depth_digits", "Deep maxout kernels against 30 digits", COLUMNS, rows, rows)


if __name__ == "__main__":
    main()
