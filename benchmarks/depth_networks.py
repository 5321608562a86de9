"""Finite maxout networks against their infinite width, by a verdict.

The claim is the limit plus the bias of finite width to first order, so that the resolution has
room for what is left of it.

    python benchmarks/depth_networks.py
"""

from __future__ import annotations

import numpy as np
from _harness import save

import mehler
from mehler.features.deep import critical_weight_variance

POOLS, DEPTHS, WIDTH, RESOLUTION = (1, 2, 4, 16), (1, 2, 4, 8), 48, 0.4
ROWS = np.random.default_rng(0).standard_normal((2, 5))
COLUMNS = ["q", "depth", "bias, largest, of the kernel", "features drawn", "verdict", "resolution"]


def main() -> None:
    """Write the table."""
    rows = []
    for q in POOLS:
        for depth in DEPTHS:
            network = {
                "activation": "maxout",
                "pool_size": q,
                "weight_variance": critical_weight_variance(q),
                "bias_variance": 0.05,
            }

            def draw(seed, depth=depth, network=network):
                return mehler.DeepFeatures.draw(5, (WIDTH,) * depth, seed=seed, **network)

            phi = draw(0)
            limit, bias = phi.kernel(ROWS), phi.finite_width(ROWS).bias
            claim = limit + bias
            verdict = mehler.verify.check_kernel(
                draw,
                lambda x, y=None, claim=claim: claim,
                ROWS,
                resolution=RESOLUTION,
                false_alarm=1e-6,
            )
            share = float(np.abs(bias).max() / limit.max())
            rows.append(
                [
                    str(q),
                    str(depth),
                    f"{share:.4f}",
                    f"{verdict.n_features:,}",
                    verdict.status,
                    f"{RESOLUTION}",
                ]
            )
            print(rows[-1], flush=True)
    save("depth_networks", "Finite maxout networks and their limit", COLUMNS, rows, rows)


if __name__ == "__main__":
    main()
