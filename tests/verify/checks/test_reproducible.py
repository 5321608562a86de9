"""The rows of seeds: seeds that are ignored, unset or related are found; ours are not."""

from __future__ import annotations

import numpy as np
import pytest

import mehler
from mehler.verify import check_structure
from mehler.verify.checks.structure._seeds import in_common, in_place
from tests.verify.toys import paired_fourier, points, require_rate

X = points(3, 4)


def signs(seed, m=40):
    rng = np.random.default_rng(seed)
    w = rng.standard_normal((4, m))
    return lambda x: np.sign(x @ w) / np.sqrt(m)


def gaussian(seed, m=40, *, sign=1.0):
    w = np.random.default_rng(seed).standard_normal((4, m))
    return lambda x: sign * (x @ w) / np.sqrt(m)


_GLOBAL = np.random.default_rng(0)


def ternary(seed):
    """Twelve of the 3^4 - 1 ternary weights, all different: two draws often share some."""
    chosen = np.random.default_rng(seed).choice(3**4 - 1, size=12, replace=False) + 1
    digits = chosen[None, :] // 3 ** np.arange(4)[:, None] % 3 - 1.0
    return lambda x: x @ digits / np.sqrt(12)


def seeds(draw, rows=X, *, only="seeds", **options):
    return check_structure(draw, rows, only=only, **options)


GOOD = {
    "ternary": ternary,
    "gaussian": gaussian,
    "signs": signs,
    "maxout": lambda s: mehler.MaxoutFeatures.draw(4, 40, 3, seed=s),
    "decoupled": lambda s: mehler.DecoupledMaxoutFeatures.draw(4, 40, 3, seed=s),
    "codes": lambda s: mehler.MaxoutCodes.draw(4, 40, 3, seed=s),
    # Squares of cosine and sine add up to the same: only their rounding differs between seeds.
    "cosines and sines": paired_fourier(0.3, 4, frequencies=20),
    # Columns in common tie a little too often for the least number of comparisons.
    "many codes": lambda s: mehler.MaxoutCodes.draw(4, 256, 4, seed=s),
}
# Others are in `wrong_maps`.
BAD = {
    "global state": lambda s: gaussian(_GLOBAL.integers(2**31)),
    "codes of one seed": lambda s: mehler.MaxoutCodes.draw(4, 40, 3, seed=5),
    "codes of halved seeds": lambda s: mehler.MaxoutCodes.draw(4, 40, 3, seed=s // 2),
    "scaled by parity": lambda s: gaussian(s // 2, sign=1.0 + s % 2),
    "mirrored": lambda s: gaussian(s // 2, sign=1.0 - 2.0 * (s % 2)),
}


class Codes:
    """One bit a unit; the first `shared` units are those of all seeds."""

    n_units = 40

    def __init__(self, seed, *, shared=0, declared=True):
        self.independent_units = declared
        self.w = np.random.default_rng(seed).standard_normal((4, 40))
        self.w[:, :shared] = np.random.default_rng(0).standard_normal((4, 40))[:, :shared]

    def __call__(self, x):
        return (x @ self.w > 0.0).astype(np.uint8)


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.sampled(1)
def test_correct_maps_are_reproducible(name):
    assert seeds(GOOD[name]).holds


@pytest.mark.parametrize("name", BAD)
@pytest.mark.sampled(2)
def test_defects_of_seeding_are_refuted(name):
    rows = ["global random state", "same seed", "other seeds", "seeds"]
    verdict = seeds(BAD[name], only=rows)
    assert verdict.status == "refuted"
    assert verdict.reason
    assert verdict.where


def test_a_time_limit_is_told():
    verdict = seeds(gaussian, time_limit=0.05)
    assert verdict.status == "inconclusive"
    assert "seeds in more than" in verdict.reason


@pytest.mark.parametrize(("draw", "repeats"), [(gaussian, 40), (Codes, 40)])
@pytest.mark.sampled(1)
def test_it_raises_no_more_alarms_than_it_says(draw, repeats):
    """Signs of independent draws are fair coins exactly, so this needs no large numbers."""
    require_rate(lambda seed: seeds(draw, X[:2], false_alarm=0.2, seed=seed), repeats, 0.2)


def test_codes_that_all_seeds_share_are_told_from_chance():
    verdict = seeds(lambda seed: Codes(seed, shared=8))
    assert verdict.status == "refuted"
    assert verdict.where["summary"] == "columns in place"
    assert seeds(Codes).holds
    # Units of laws of their own would agree as often: without the declaration nothing is known.
    assert seeds(lambda seed: Codes(seed, shared=8, declared=False)).holds


def test_codes_that_neighbouring_seeds_share_need_no_declaration():
    def moved(seed):
        w = np.stack([np.random.default_rng(seed + l).standard_normal(4) for l in range(20)], 1)
        return lambda x: (x @ w > 0.0).astype(np.uint8)

    verdict = seeds(moved)
    assert verdict.status == "refuted"
    assert verdict.where["seeds"] == "consecutive seeds"


def test_columns_are_counted_as_sets_and_in_their_places():
    a = np.array([[0, 1, 2, 0, 0], [5, 5, 5, 5, 7]])
    b = np.array([[1, 0, 2, 3, 0], [5, 5, 5, 5, 7]])
    # (0,5) is twice in a and once in b; (1,5), (2,5) and (0,7) are once in each.
    assert in_common(a, b) == 4
    # In place: the third and the last. With 0, 1 and 2, 3 swapped: the first two and the last.
    assert in_place(a, b) == 2 - 3
    assert in_place(a, a) == 5 - 1
