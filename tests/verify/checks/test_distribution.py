"""check_distribution: the laws of our features hold, neighbours of them are refuted."""

import numpy as np
import pytest
from scipy.special import ndtr

import mehler
from mehler.verify import check_distribution
from tests.verify.toys import points

X = points(2, 4)


def lengths(x):
    return np.linalg.norm(x, axis=1, keepdims=True)


def maxout_law(q):
    return lambda x, t: ndtr(t / lengths(x)) ** q


def draw(seed, *, q=3, scale=1.0, weights="normal", dtype=np.float64):
    rng = np.random.default_rng(seed)
    w = rng.standard_normal((4, 400, q))
    if weights == "uniform":
        w = rng.uniform(-np.sqrt(3), np.sqrt(3), w.shape)
    if weights == "repeated":
        w[:, :, 1] = w[:, :, 0]
    return lambda x: (scale * np.tensordot(x, w, 1).max(axis=2) / np.sqrt(400)).astype(dtype)


@pytest.mark.parametrize(
    "phi",
    [
        lambda s: mehler.MaxoutFeatures.draw(4, 500, 5, seed=s),
        lambda s: mehler.MaxoutFeatures.draw(4, 500, 5, seed=s, centred=True),
        lambda s: mehler.MaxoutFeatures.draw(4, 500, 5, seed=s, dtype="float32"),
        lambda s: mehler.DecoupledMaxoutFeatures.draw(4, 500, 5, seed=s, directions="fresh"),
    ],
    ids=["plain", "centred", "float32", "decoupled"],
)
def test_our_maps_follow_the_law_that_they_declare(phi):
    verdict = check_distribution(phi, None, X)
    assert verdict.holds
    assert verdict.detectable <= 0.05


@pytest.mark.parametrize(
    "defect",
    [{"q": 2}, {"q": 4}, {"scale": 1.2}, {"scale": 1 / 20}, {"weights": "repeated"}],
    ids=["pool too small", "pool too large", "variance", "normalised twice", "repeated weights"],
)
def test_defects_of_the_law_are_refuted(defect):
    verdict = check_distribution(
        lambda s: draw(s, **defect), maxout_law(3), X, independent_features=True
    )
    assert verdict.status == "refuted"


def test_atoms_and_rounding_raise_no_alarm():
    """Signs over sqrt(m): times sqrt(m) they are 1 but for the last bit."""

    def signs(seed):
        w = np.random.default_rng(seed).standard_normal((4, 300))
        return lambda x: np.sign(x @ w) / np.sqrt(300)

    def coin(x, t):
        return 0.5 * (t >= -1.0) + 0.5 * (t >= 1.0)

    def loaded(x, t):
        return 0.6 * (t >= -1.0) + 0.4 * (t >= 1.0)

    assert check_distribution(signs, coin, X, independent_features=True).holds
    assert check_distribution(signs, loaded, X, independent_features=True).status == "refuted"
