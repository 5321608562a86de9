"""check_convergence: shared, repeated and frozen features keep the mean and are found."""

import numpy as np
import pytest

import mehler
from mehler.verify import check_convergence
from tests.verify.toys import points

X = points(4, 8)


def relu(seed, m, *, copies=1, pool=None):
    """Rectified projections; `copies` of each, or all from a pool of fixed size."""
    units = pool or m // copies
    w = np.random.default_rng(seed).standard_normal((8, units))
    if pool:
        w = w[:, np.random.default_rng([seed, 1]).integers(pool, size=m)]
    else:
        w = np.tile(w, copies)
    return lambda x: np.maximum(x @ w, 0.0) / np.sqrt(m)


def orthogonal(seed, m):
    """Blocks of orthogonal directions with chi norms: units dependent, and better for it."""
    rng = np.random.default_rng(seed)
    blocks = [np.linalg.qr(rng.standard_normal((8, 8)))[0] for _ in range(m // 8)]
    w = np.concatenate(blocks, axis=1) * np.sqrt(rng.chisquare(8, m))
    return lambda x: np.maximum(x @ w, 0.0) / np.sqrt(m)


def saturated(seed, m):
    """Random at 64 features, the exact linear kernel at 256: there is no error left."""
    if m > 64:
        return lambda x: np.pad(x, ((0, 0), (0, m - 8)))
    return lambda x: x @ np.random.default_rng(seed).standard_normal((8, m)) / np.sqrt(m)


GOOD = {
    "saturated": saturated,
    "iid": relu,
    "orthogonal": orthogonal,
    "maxout": lambda s, m: mehler.MaxoutFeatures.draw(8, m, 3, seed=s),
    "codes": lambda s, m: mehler.MaxoutCodes.draw(8, m, 3, seed=s),
    # Every unit twice doubles the variance at both sizes: the error still falls as m^{-1/2}.
    "pairs of copies": lambda s, m: relu(s, m, copies=2),
}
BAD = {
    "copies": lambda s, m: relu(s, m, copies=m // 32),
    "a pool of 64": lambda s, m: relu(s, m, pool=64),
    "three seeds": lambda s, m: relu(s % 3, m, copies=m // 64),
    "shared projections": lambda s, m: mehler.MaxoutFeatures.draw(
        8, m, 3, seed=s, n_projections=48
    ),
}


@pytest.mark.parametrize("name", GOOD)
@pytest.mark.sampled(1)
def test_correct_maps_converge(name):
    verdict = check_convergence(GOOD[name], X)
    assert verdict.holds
    assert verdict.method.startswith("bounded kurtosis")
    assert verdict.detectable < 1.0


@pytest.mark.slow
@pytest.mark.parametrize("name", BAD)
@pytest.mark.sampled(2)
def test_features_that_bring_nothing_new_are_refuted(name):
    verdict = check_convergence(BAD[name], X)
    assert verdict.status == "refuted"
    assert verdict.reason


def test_estimates_that_never_move_are_no_evidence():
    """Cosines and sines have length 1 in every draw; step features of these rows are all 0."""

    def waves(seed, m):
        w = np.random.default_rng(seed).standard_normal((8, m // 2))
        return lambda x: np.hstack([np.cos(x @ w), np.sin(x @ w)]) / np.sqrt(m // 2)

    def rare(seed, m):
        w = np.random.default_rng(seed).standard_normal((8, m))
        return lambda x: (x @ w > 6.0 * np.linalg.norm(x, axis=1, keepdims=True)) / np.sqrt(m)

    for draw in (waves, rare, lambda seed, m: relu(7, m)):
        with pytest.raises(ValueError, match="same estimates at all pairs"):
            check_convergence(draw, X[:1])
