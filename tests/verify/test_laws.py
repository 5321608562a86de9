"""The variance of each law that a kernel names, against quadrature and samples of its features."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from mehler import kernels
from mehler.verify import check_mean

X = np.array([[0.3, -0.5], [0.6, 0.2], [-0.1, 0.4], [-0.6, -0.3]])
# Gauss-Hermite for N(0, I) in the plane; cosines and exponentials of these sizes are polynomials
# of degree far below 2 * 60 to rounding.
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
PLANE = np.stack([a.ravel() for a in np.meshgrid(NODES, NODES)], axis=1)
MASS = np.outer(WEIGHTS, WEIGHTS).ravel() / (2.0 * math.pi)
CIRCLE = 2.0 * math.pi * (np.arange(16) + 0.3) / 16.0
GAMMA = 0.7


def half(rows):
    return np.exp(-0.5 * (rows**2).sum(axis=1))


# Columns that one frequency makes, times the root of how many frequencies there are.
def offset(w, rows, b):
    return [math.sqrt(2.0) * np.cos(rows @ w.T + b)]


def pair(w, rows):
    return [np.cos(rows @ w.T), np.sin(rows @ w.T)]


def positive(w, rows):
    return [half(rows)[:, None] * np.exp(rows @ w.T)]


def positive_pair(w, rows):
    h = half(rows)[:, None] / math.sqrt(2.0)
    return [h * np.exp(rows @ w.T), h * np.exp(-(rows @ w.T))]


def waves(w, rows):
    return [column / half(rows)[:, None] for column in pair(w, rows)]


def linear(w, rows):
    return [rows @ w.T]


def moments(columns, mass):
    """Mean of one frequency's sum of products, and its variance times the columns: V."""
    total = sum(c[:, None, :] * c[None, :, :] for c in columns)
    mean = total @ mass
    return mean, len(columns) * (total**2 @ mass - mean**2)


def agree(kernel, law, rows, mean, variance, rtol=1e-9):
    claimed = kernel.laws[law].variance(rows, rows)
    for found, wanted in ((kernel(rows, rows), mean), (claimed, variance)):
        np.testing.assert_allclose(found, wanted, rtol=0.0, atol=rtol * abs(wanted).max())


RBF, EXP = kernels.make("rbf", gamma=GAMMA), kernels.make("exp", gamma=GAMMA)
SCALED = [
    (RBF, "cos-sin", pair, math.sqrt(2.0 * GAMMA)),
    (EXP, "positive", positive, math.sqrt(GAMMA)),
    (EXP, "positive-pairs", positive_pair, math.sqrt(GAMMA)),
    (EXP, "cos-sin", waves, math.sqrt(GAMMA)),
    (kernels.make("linear"), "gaussian", linear, 1.0),
]


@pytest.mark.parametrize(("kernel", "law", "features", "scale"), SCALED)
def test_the_variance_is_that_of_quadrature(kernel, law, features, scale):
    agree(kernel, law, X, *moments(features(PLANE, scale * X), MASS))


def test_offsets_by_quadrature_over_the_circle():
    w = np.repeat(math.sqrt(2.0 * GAMMA) * PLANE, CIRCLE.size, axis=0)
    b = np.tile(CIRCLE, len(PLANE))
    mass = np.repeat(MASS, CIRCLE.size) / CIRCLE.size
    agree(RBF, "cos-offset", X, *moments(offset(w, X, b), mass))


def test_signs_by_counting_all_of_them():
    rows = np.random.default_rng(1).standard_normal((4, 3))
    w = np.array(list(itertools.product([-1.0, 1.0], repeat=3)))
    agree(kernels.make("linear"), "signs", rows, *moments(linear(w, rows), np.full(8, 1 / 8)))


@pytest.mark.parametrize("order", [0, 1, 2])
def test_rectified_powers_by_angle(order):
    # Radius and angle of N(0, I) are independent; E R^{2n} = 2^n n!.
    angle = 2.0 * math.pi * (np.arange(200_000) + 0.5) / 200_000
    along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    cut = np.maximum(0.0, X @ along.T) ** order if order else (X @ along.T > 0.0).astype(float)
    flat, fourth = (2.0**n * math.factorial(n) for n in (order, 2 * order))
    product = 2.0 * cut[:, None, :] * cut[None, :, :]
    mean = flat * product.mean(axis=2)
    variance = fourth * (product**2).mean(axis=2) - mean**2
    # Each of the two jumps of order 0 moves the midpoint rule by at most half a node of height 2.
    agree(kernels.make("arc-cosine", order=order), "rectified", X, mean, variance, 1e-4)


def cauchy(rng, m):
    return rng.standard_cauchy((2, m))


def student(rng, m):
    # Spectrum of the Matern kernel: t of 2 nu degrees over the length.
    return rng.standard_normal((2, m)) / np.sqrt(rng.chisquare(5.0, m) / 5.0)


def secant(rng, m):
    # Quantiles of the hyperbolic secant law.
    return np.log(np.tan(0.5 * math.pi * rng.random((2, m)))) / math.pi


@pytest.mark.parametrize(
    ("kernel", "weights", "place"),
    [
        (kernels.make("laplacian", gamma=1.0), cauchy, lambda rows: rows),
        (kernels.make("matern", nu=2.5), student, lambda rows: rows),
        (kernels.make("skewed-chi2", skew=1.0), secant, lambda rows: np.log(rows + 1.0)),
    ],
)
@pytest.mark.parametrize("law", ["cos-offset", "cos-sin"])
def test_other_spectra_by_samples(kernel, weights, place, law):
    rng, m = np.random.default_rng(4), 100_000
    rows = np.abs(X[:2])
    w = weights(rng, m).T
    columns = pair(w, place(rows))
    if law == "cos-offset":
        columns = offset(w, place(rows), rng.uniform(0.0, 2.0 * math.pi, m))
    sample = sum(c[0] * c[1] for c in columns)
    claimed = kernel.laws[law].variance(rows, rows)[0, 1]
    # Products lie in [-2, 2] and means in [0, 1], so squared deviations in [0, 9].
    squares = len(columns) * (sample - kernel(rows, rows)[0, 1]) ** 2
    verdict = check_mean(squares, claimed, bounds=(0.0, 18.0), resolution=0.4)
    assert verdict.holds, str(verdict)


@pytest.mark.parametrize(("kernel", "law", "features", "scale"), SCALED)
def test_orthogonal_blocks_stay_below_their_bound(kernel, law, features, scale):
    # In the plane a block is one angle; lengths, with R^2 / 2 exponential, are averaged out.
    t, weight = np.polynomial.laguerre.laggauss(80)
    angle = 2.0 * math.pi * np.arange(256) / 256
    along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    w = (np.sqrt(2.0 * t)[:, None, None] * along).reshape(-1, 2)
    columns = features(w, scale * X)
    total = sum(c[:, None, :] * c[None, :, :] for c in columns)
    mean = np.einsum("ijra,r->ija", total.reshape(len(X), len(X), 80, 256), weight)
    across = (mean * np.roll(mean, 64, axis=2)).mean(axis=2) - mean.mean(axis=2) ** 2
    exact = kernel.laws[law].variance(X, X) + len(columns) * across
    bound = kernel.laws[f"{law}-orthogonal"].variance(X, X)
    assert (exact <= bound + 1e-9 * bound.max()).all()


def test_every_law_says_what_it_is():
    for name in kernels.NAMES:
        kernel = kernels.make(name)
        for law in kernel.laws:
            told = kernel.declarations(law)
            assert set(told) == {"variance", "independent_features"}
            assert "independent" in kernel.laws[law].text or "bound" in kernel.laws[law].text


@pytest.mark.parametrize(
    ("name", "message"), [("exp", "one of positive, positive-pairs"), ("maxout", "none is known")]
)
def test_an_unknown_law_is_refused(name, message):
    with pytest.raises(ValueError, match=message):
        kernels.make(name).declarations("cosine")


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("m", [2, 3])
def test_the_bound_of_sketches_holds_by_counting_all_hashes_and_signs(degree, m):
    rows = np.array([[0.8, -0.4], [0.3, 0.9]])
    # Every hash and sign of every factor of the tensor product, all equally likely.
    one = list(itertools.product(range(m), range(m), (-1.0, 1.0), (-1.0, 1.0)))
    found = []
    for factors in itertools.product(one, repeat=degree):
        z = np.zeros((2, m))
        for entry in itertools.product((0, 1), repeat=degree):
            cell = sum(h[i] for h, i in zip(factors, entry)) % m
            sign = math.prod(h[2 + i] for h, i in zip(factors, entry))
            z[:, cell] += sign * np.prod(rows[:, entry], axis=1)
        found.append(z @ z.T)
    kernel = kernels.make("polynomial", degree=degree)
    np.testing.assert_allclose(np.mean(found, axis=0), kernel(rows, rows), rtol=1e-12)
    variance, bound = m * np.var(found, axis=0), kernel.laws["sketch"].variance(rows, rows)
    assert (variance <= bound * (1.0 + 1e-12)).all()
    if degree == 1:  # exact where no product is negative, and both rows are one
        np.testing.assert_allclose(variance.diagonal(), bound.diagonal(), rtol=1e-12)
