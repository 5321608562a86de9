"""Finite maxout networks against their infinite width, by a verdict.

The covariance by networks, the tangent kernel by networks and the directions of their derivatives.
The claim is the limit plus the bias of finite width to first order, so that the resolution has
room for what is left of it.

    python benchmarks/depth_networks.py
"""

from __future__ import annotations

import numpy as np
from _harness import table
from mehler.proofs_checks.experiments.depth import TangentFeatures, finite_width

import mehler
from mehler.features.deep import critical_weight_variance

POOLS, DEPTHS, RESOLUTION = (1, 2, 4, 16), range(1, 9), 0.4
ROWS = np.random.default_rng(0).standard_normal((2, 5))
# A tangent map of half the width has as many features.
KINDS = {"NNGP": (mehler.DeepFeatures, 48), "NTK": (TangentFeatures, 24)}
COLUMNS = [
    "kernel",
    "q",
    "depth",
    "bias, largest, of the kernel",
    "networks drawn",
    "verdict",
    "resolution",
    "deviation missed once in a million, of the kernel",
]


def measured(kind: str, q: int, depth: int) -> list[str]:
    """Take the verdict of one kernel, pool size and depth."""
    family, width = KINDS[kind]
    network = {
        "activation": "maxout",
        "pool_size": q,
        "weight_variance": critical_weight_variance(q),
        "bias_variance": 0.05,
    }

    def draw(seed):
        return family.draw(5, (width,) * depth, seed=seed, **network)

    phi = draw(0)
    limit, bias = phi.kernel(ROWS), finite_width(phi, ROWS).bias
    verdict = mehler.verify.check_kernel(
        draw, lambda x, y=None: limit + bias, ROWS, resolution=RESOLUTION, false_alarm=1e-6
    )
    share = float(np.abs(bias).max() / limit.max())
    return [
        kind,
        str(q),
        str(depth),
        f"{share:.4f}",
        f"{verdict.n_draws:,}",
        verdict.status,
        f"{RESOLUTION}",
        f"{verdict.detectable:.2f}",
    ]


def main() -> None:
    """Write the table, anew after each case."""
    rows = []
    for depth in DEPTHS:
        for kind in KINDS:
            for q in POOLS:
                found = measured(kind, q, depth)
                print(found, flush=True)
                rows.append(found)
                rows.sort(key=lambda row: (row[0], int(row[1]), int(row[2])))
                table(
                    "depth_networks", "Finite maxout networks and their limit", COLUMNS, rows, rows
                )


if __name__ == "__main__":
    main()
