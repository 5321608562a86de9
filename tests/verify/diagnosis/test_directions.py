"""Causes that show in some directions only, each with the twin that is right and silent."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtri
from scipy.stats import qmc

from mehler import kernels
from mehler.verify import diagnose

RBF = kernels.make("rbf", gamma=0.5)
EXP = kernels.make("exp")


def blocks(rng, d, m, *, fixed):
    """Orthogonal directions of Gaussian lengths, from QR factorisations, as columns."""
    made = []
    while len(made) < m:
        q, r = np.linalg.qr(rng.standard_normal((d, d)))
        made += list((q * np.sign(np.diag(r)) if fixed else q).T)
    lengths = np.linalg.norm(rng.standard_normal((m, d)), axis=1)
    return (np.array(made[:m]) * lengths[:, None]).T


def stretched(rng, d, m):
    """rfflearn's orthogonal features: lengths on coordinates, since S Q is used by columns."""
    made = []
    while len(made) < m:
        q = np.linalg.qr(rng.standard_normal((d, d)))[0]
        made += list((np.diag(np.sqrt(rng.chisquare(d, d))) @ q).T)
    return np.array(made[:m]).T


def sobol(rng, d, m):
    """Points of one scrambled sequence, 101 apart, as rfflearn takes them."""
    sampler = qmc.Sobol(d, scramble=True, rng=rng)
    sampler.fast_forward(1000)
    return np.clip(sampler.random(101 * m)[::101], 1e-12, 1.0 - 1e-12).T


def box_muller(rng, d, m):
    """rfflearn's quasi-random features: neighbours in the sequence make one normal number."""
    u = sobol(rng, d, m)
    radius, turn = np.sqrt(-2.0 * np.log(u[:, 0::2])), 2.0 * math.pi * u[:, 1::2]
    return np.concatenate([radius * np.cos(turn), radius * np.sin(turn)], axis=1)


def quantiles(rng, d, m):
    """What those are meant to be: a sequence without gaps, a number for a number."""
    return ndtri(np.clip(qmc.Sobol(d, scramble=True, rng=rng).random(m), 1e-12, 1 - 1e-12)).T


def gaussian(rng, d, m):
    return rng.standard_normal((d, m))


def cosines(weights, d):
    def draw(seed, m=256):
        rng = np.random.default_rng(seed)
        w, b = weights(rng, d, m), rng.uniform(0.0, 2.0 * math.pi, m)
        return lambda rows: math.sqrt(2.0 / m) * np.cos(rows @ w + b)

    return draw


def pairs(weights, d):
    def draw(seed, m=256):
        w = weights(np.random.default_rng(seed), d, m // 2)

        def phi(rows):
            return np.hstack([np.cos(rows @ w), np.sin(rows @ w)]) / math.sqrt(m // 2)

        return phi

    return draw


def positive(weights, d):
    def draw(seed, m=256):
        w = weights(np.random.default_rng(seed), d, m)
        return lambda X: np.exp(X @ w - 0.5 * (X**2).sum(1, keepdims=True)) / math.sqrt(m)

    return draw


def kinds(kernel, draw, d):
    rows = np.random.default_rng(3).standard_normal((8, d))
    rows *= kernel.length / np.linalg.norm(rows, axis=1, keepdims=True)
    found = diagnose(draw, kernel, rows, resize=draw, n_draws=64)
    return {one.kind: one.text for one in found}


@pytest.mark.parametrize("d", [2, 4, 16, 64])
@pytest.mark.sampled(2)
def test_rows_of_q_without_the_signs_of_r_lean(d):
    found = kinds(EXP, positive(lambda *size: blocks(*size, fixed=False), d), d)
    assert "QR factorisation" in found["lean"]
    assert next(iter(found)) == "lean"  # and comes first


@pytest.mark.parametrize("d", [2, 4, 16, 64])
@pytest.mark.sampled(2)
def test_with_the_signs_they_do_not(d):
    assert kinds(EXP, positive(lambda *size: blocks(*size, fixed=True), d), d) == {}


def test_cosines_do_not_see_the_signs():
    # A weight and its negative have the same cosine: nothing is wrong, and nothing is said.
    assert kinds(RBF, cosines(lambda *size: blocks(*size, fixed=False), 4), 4) == {}


def test_an_offset_of_all_weights_is_no_lean():
    # Weights around (1, ..., 1)/4: wrong for a row with its negative too.
    shifted = positive(lambda rng, d, m: 0.25 + gaussian(rng, d, m), 4)
    assert "lean" not in kinds(EXP, shifted, 4)


@pytest.mark.parametrize("d", [2, 4])
def test_lengths_on_coordinates_are_wrong_on_diagonals(d):
    found = kinds(RBF, cosines(stretched, d), d)
    assert "lengths multiply the coordinates" in found["axes"]
    assert "points" not in found


@pytest.mark.parametrize("make", [cosines, pairs])
@pytest.mark.parametrize("d", [2, 3, 4])
@pytest.mark.sampled(2)
def test_box_muller_on_one_sequence_is_named(make, d):
    assert "Box and Muller" in kinds(RBF, make(box_muller, d), d)["points"]


@pytest.mark.parametrize("weights", [gaussian, quantiles])
@pytest.mark.parametrize("make", [cosines, pairs])
def test_good_points_are_not(make, weights):
    assert kinds(RBF, make(weights, 4), 4) == {}
