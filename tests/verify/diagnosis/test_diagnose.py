"""The likely cause: named where there is one, silent where there is none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from mehler import kernels
from mehler.verify.diagnosis._diagnose import diagnose

X = 0.6 * np.random.default_rng(0).standard_normal((8, 4))
RBF = kernels.make("rbf", gamma=1.5)


def fourier(seed, m, *, gamma=1.5, weights=None, scale=1.0, shift=0.0, same=False):
    """Random Fourier features of an rbf kernel, with what may go wrong."""
    rng = np.random.default_rng(seed)
    w = math.sqrt(2.0 * gamma) * rng.standard_normal((4, m)) if weights is None else weights(rng, m)
    b = rng.uniform(0.0, 2.0 * math.pi, m)
    if same:
        w, b = np.repeat(w[:, :1], m, axis=1), np.full(m, b[0])

    def phi(rows):
        z = scale * math.sqrt(2.0 / m) * np.cos(rows @ w + b)
        return np.hstack([z, np.full((len(rows), 1), math.sqrt(shift))]) if shift else z

    return phi


def causes(kernel=RBF, *, n_features=400, **defect):
    def resize(seed, m):
        return fourier(seed, m, **defect)

    return diagnose(lambda seed: resize(seed, n_features), kernel, X, resize=resize)


def test_nothing_is_said_of_a_right_map():
    assert causes() == ()


@pytest.mark.parametrize(
    ("gamma", "words"),
    [(0.75, "gamma' = gamma / 2"), (3.0, "gamma' = 2 gamma"), (1.9, "gamma' = 1.2")],
)
def test_a_bandwidth_is_named(gamma, words):
    best = causes(gamma=gamma)[0]
    assert best.kind == "bandwidth"
    assert words in best.text
    assert abs(best.value - gamma / 1.5) <= 5.0 * best.error
    # Were all pairs one, the rest would be the size of one normal variable: above 5 in one of 10^6.
    assert best.rest < 5.0


@pytest.mark.parametrize(
    ("width", "value"), [(0.0, 1.0), (math.pi / 4, 2.0 / math.pi), (math.pi / 2, 0.0)]
)
def test_phases_that_are_not_uniform_are_named(width, value):
    # E cos 2b = sin(2 width) / (2 width) for b uniform on [0, width].
    def draw(seed):
        rng = np.random.default_rng(seed)
        w = math.sqrt(3.0) * rng.standard_normal((4, 400))
        b = rng.uniform(0.0, width, 400)
        return lambda rows: math.sqrt(2.0 / 400) * np.cos(rows @ w + b)

    found = diagnose(draw, RBF, X)
    if value == 0.0:
        assert found == ()
    else:
        assert found[0].kind == "phase"
        assert abs(found[0].value - value) <= 5.0 * found[0].error + 1e-9
        assert f"E cos 2b = {value:.1f}" in found[0].text


def test_a_law_of_the_right_variance_is_named():
    def draw(seed):
        rng = np.random.default_rng(seed)
        # Signs: cos in each coordinate, which is 1 - t^2/2 near 0 as the Gaussian's is.
        w = math.sqrt(3.0) * rng.choice([-1.0, 1.0], (4, 400))
        b = rng.uniform(0.0, 2.0 * math.pi, 400)
        return lambda rows: math.sqrt(2.0 / 400) * np.cos(rows @ w + b)

    rows = np.random.default_rng(3).standard_normal((20, 4)) * np.linspace(0.1, 1.0, 20)[:, None]
    found = diagnose(draw, RBF, rows)
    assert [one.kind for one in found] == ["law"]
    assert abs(found[0].value - 1.0) < 0.1


@pytest.mark.parametrize(
    ("scale", "words"),
    [
        (math.sqrt(2.0), "estimate / exact is 2.00 at every pair"),
        (2.0**0.25, "1.41 at every pair (sqrt(2))"),
        (1.0 / 20.0, "(1/n_features, with 400 features)"),
        (20.0, "(n_features, with 400 features)"),
    ],
)
def test_a_factor_is_named(scale, words):
    # Twenty is the root of 400 features: a missing, or a doubled, division by their number.
    best = causes(scale=scale)[0]
    assert best.kind == "factor"
    assert words in best.text


def test_an_offset_is_named():
    best = causes(shift=0.25)[0]
    assert (best.kind, round(best.value, 2)) == ("offset", 0.25)
    assert "an offset" in best.text


def test_repeated_features_are_named_though_the_mean_is_right():
    (only,) = causes(same=True)
    assert only.kind == "size"
    # Variance of one unit whatever m: it falls once, not four times, within the noise of 64 draws.
    assert only.value < 1.6


def test_a_seed_that_is_not_used_is_named():
    found = diagnose(lambda seed: fourier(1, 50), RBF, X)
    assert "seed" in [one.kind for one in found]


def test_wrong_on_diagonals_right_on_axes():
    # A Cauchy length for the whole vector instead of one for each coordinate.
    def weights(rng, m):
        return rng.standard_normal((4, m)) / np.abs(rng.standard_normal(m))

    found = causes(kernels.make("laplacian", gamma=1.0), weights=weights)
    assert "axes" in [one.kind for one in found]


def test_two_bandwidths_are_another_law():
    # Half the features of a wide kernel and half of a narrow one: no one bandwidth, no factor.
    def weights(rng, m):
        root = np.sqrt(2.0 * np.where(np.arange(m) % 2, 0.01, 40.0))
        return root * rng.standard_normal((4, m))

    assert [one.kind for one in causes(weights=weights, n_features=4000)] == ["law"]


def test_no_simple_cause_is_no_cause():
    # Rows are scaled by what their first entry says: nothing fits near rows either.
    def draw(seed):
        phi = fourier(seed, 400)
        return lambda rows: phi(rows) * (1.5 + np.sin(40.0 * rows[:, :1]))

    assert diagnose(draw, RBF, X) == ()


def test_few_draws_are_refused():
    with pytest.raises(ValueError, match="n_draws=8"):
        diagnose(lambda seed: fourier(seed, 50), RBF, X, n_draws=8)
