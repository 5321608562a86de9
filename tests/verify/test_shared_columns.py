"""check_reproducible: features in common between seeds, by construction and by chance."""

from __future__ import annotations

import numpy as np

from mehler import verify

ROWS = np.random.default_rng(8).standard_normal((3, 4))


def test_units_that_reuse_the_next_seed_are_refuted():
    def draw(seed):
        w = np.stack([np.random.default_rng(seed + l).standard_normal(4) for l in range(20)], 1)
        return lambda X: X @ w / np.sqrt(20)

    verdict = verify.check_reproducible(draw, ROWS)
    assert verdict.status == "refuted"
    assert "share" in verdict.reason


def test_chance_coincidences_of_a_discrete_map_are_none_of_its_business():
    """Twelve of the 3^8 ternary weights, all different: two draws often share one or two."""
    rows = np.random.default_rng(9).standard_normal((3, 8))

    def draw(seed):
        chosen = np.random.default_rng(seed).choice(3**8 - 1, size=12, replace=False) + 1
        digits = chosen[None, :] // 3 ** np.arange(8)[:, None] % 3 - 1.0
        return lambda X: X @ digits / np.sqrt(12)

    verdict = verify.check_reproducible(draw, rows)
    assert verdict.status == "holds", str(verdict)
