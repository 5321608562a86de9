"""The variance of each law that a kernel names, against quadrature and samples of its features."""

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
    for value, expected in ((kernel(rows, rows), mean), (claimed, variance)):
        np.testing.assert_allclose(value, expected, rtol=0.0, atol=rtol * abs(expected).max())


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


@pytest.mark.parametrize("order", [0, 1, 2])
def test_rectified_powers_by_angle(order):
    # Radius and angle of N(0, I) are independent; E R^{2n} = 2^n n!.
    angle = 2.0 * math.pi * (np.arange(200_000) + 0.5) / 200_000
    along = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    part = np.maximum(0.0, X @ along.T) ** order if order else (X @ along.T > 0.0).astype(float)
    flat, fourth = (2.0**n * math.factorial(n) for n in (order, 2 * order))
    product = 2.0 * part[:, None, :] * part[None, :, :]
    mean = flat * product.mean(axis=2)
    variance = fourth * (product**2).mean(axis=2) - mean**2
    # Each of the two jumps of order 0 moves the midpoint rule by at most half a node of height 2.
    agree(kernels.make("arc-cosine", order=order), "rectified", X, mean, variance, 1e-4)


def gaussian(rng, m):
    return math.sqrt(2.0 * GAMMA) * rng.standard_normal((2, m))


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
        (RBF, gaussian, lambda rows: rows),
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


def test_every_law_says_what_it_is():
    for name in kernels.NAMES:
        kernel = kernels.make(name)
        for law in kernel.laws:
            laws = kernel.declarations(law)
            assert set(laws) == {"variance", "independent_features"}
            assert "independent" in kernel.laws[law].text or "bound" in kernel.laws[law].text
