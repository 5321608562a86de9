"""Kitchen sinks hold their kernel, their distribution and their variance; bad ones are refused.

Faults that are injected into them are in tests/verify/corpus/sink_cases.py.
"""

import mpmath
import numpy as np
import pytest

import mehler
from mehler import _arrays, verify
from mehler.features import _correlation
from mehler.features.kitchen_sinks import KitchenSinks
from tests.places import Place
from tests.verify.corpus.sink_cases import DRAWN, ROWS, D

M = 256


def drawer(options):
    return lambda seed: KitchenSinks(D, M, seed=seed, **options)


def kernel_verdict(draw):
    return verify.check_kernel(draw, draw(0).kernel, ROWS, resolution=0.1)


@pytest.mark.slow
@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.sampled(3)
def test_correct_maps_hold(name):
    draw = drawer(DRAWN[name])
    assert kernel_verdict(draw).status == "holds"
    if DRAWN[name]["activation"] not in ("erf", "tanh"):
        assert verify.check_distribution(draw, None, ROWS).status == "holds"
    # Eighth moments: the products' kurtosis, and with it the cost, is 50 times that of the others.
    resolution = 0.6 if name == "relu2" else 0.2
    assert verify.check_variance(draw, None, ROWS[:3], resolution=resolution).status == "holds"


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_sphere_has_the_moments_of_its_radius(d):
    """relu2 on the sphere: K(x, x) = E <w, x>_+^4 = d^2 (3/(d (d + 2)))/2."""
    phi = mehler.KitchenSinks.draw(d, 4, activation="relu2", law="sphere", seed=0)
    x = np.eye(d)[:1]
    assert float(phi.kernel(x)[0, 0]) == pytest.approx(d * 3 / (d + 2) / 2, rel=1e-14)
    weights = _arrays.to_host(phi._weights("float64")[0])
    assert np.sum(weights**2, axis=1) == pytest.approx(d, rel=1e-14)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_comparisons_are_activations_too(dtype):
    """Booleans, and functions that widen, come out in the rows' precision."""
    rows = ROWS.astype(dtype)
    step = mehler.KitchenSinks.draw(D, 8, activation="step", seed=0)(rows)
    for activation in (lambda t: t > 0, lambda t: np.heaviside(t.astype("float64"), 0.0)):
        features = mehler.KitchenSinks.draw(D, 8, activation=activation, seed=0)(rows)
        assert features.dtype == dtype
        assert np.array_equal(features, step)


WITH_ZEROS = np.array([[0.0, 0.0, 0.0], [0.3, -1.2, 0.5], [0.9, 0.4, -0.2], [0.0, 0.0, 0.0]])
# Shares of the kernel's and the variance's scale: planted deviations are 0.25 of it and more.
CLOSE = 0.1


def sinks_of(name, **options):
    return lambda seed: mehler.KitchenSinks.draw(3, 256, activation=name, seed=seed, **options)


@pytest.mark.parametrize("name", ["step", "relu", "relu2", "erf", "tanh", "cos", "sin"])
def test_a_row_of_zeros_has_the_same_feature_in_every_draw(name):
    """So its kernel is a square, its variance 0, and its distribution one jump."""
    phi = sinks_of(name)(0)
    features = phi(WITH_ZEROS)
    constant = float(features[0, 0]) * 16.0
    assert np.all(features[[0, 3]] * 16.0 == constant)
    at_zero = np.ix_([0, 3], [0, 3])
    assert np.all(phi.kernel(WITH_ZEROS)[at_zero] == constant**2)
    assert np.all(phi.kernel(WITH_ZEROS, WITH_ZEROS.copy())[at_zero] == constant**2)
    assert np.all(phi.variance(WITH_ZEROS)[at_zero] == 0.0)
    if name in ("erf", "tanh"):
        return
    values = np.array([[constant - 1e-9, constant, constant + 1e-9]])
    assert phi.feature_cdf(WITH_ZEROS[:1], values).tolist() == [[0.0, 1.0, 1.0]]


def test_features_where_none_are_claimed_are_refuted():
    """A claim of 0 is held to the scale of the largest row."""
    draw = sinks_of("cos")
    right = draw(0).kernel

    def wrong(X, Y):
        return np.array(right(X, Y)) * X.any(axis=1)[:, None] * Y.any(axis=1)

    assert verify.check_kernel(draw, wrong, WITH_ZEROS[:3], resolution=CLOSE).status == "refuted"
    with pytest.raises(ValueError, match="nor 0 at all rows"):
        verify.check_kernel(draw, wrong, WITH_ZEROS[:1], resolution=CLOSE)


@pytest.mark.parametrize("name", ["erf", "cos", "sin"])
def test_huge_rows_have_finite_kernels_variances_and_laws(name):
    phi = sinks_of(name)(0)
    rows = np.array([[1e160, 0.0, 0.0], [0.0, 2e160, 0.0], [-3e160, 0.0, 0.0]])
    kernel, variance = phi.kernel(rows), phi.variance(rows)
    expected = {
        "erf": [[1.0, 0.0, -1.0], [0.0, 1.0, 0.0], [-1.0, 0.0, 1.0]],
        "cos": np.eye(3) / 2,
        "sin": np.eye(3) / 2,
    }
    assert kernel == pytest.approx(np.asarray(expected[name]), abs=1e-15)
    assert np.all(np.isfinite(variance))
    if name == "erf":
        return
    at = phi.feature_cdf(rows, np.array([[-0.5, 0.5]] * 3))
    # The arcsine law of an angle that went around often.
    assert at == pytest.approx(np.array([[1 / 3, 2 / 3]] * 3), abs=1e-15)


def near_rows(seed, apart, opposite):
    """A row and one that differs from it, or from its opposite, by about `apart`."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(7)
    y = x + apart * rng.standard_normal(7)
    return x[None], (-y if opposite else y)[None]


def in_digits(x, y):
    """Lengths, angle and |x - y|^2, |x + y|^2."""
    x, y = ([mpmath.mpf(float(v)) for v in row[0]] for row in (x, y))
    lengths = [mpmath.sqrt(mpmath.fsum(v * v for v in row)) for row in (x, y)]
    apart, sum_ = (
        mpmath.fsum((a + s * b) ** 2 for a, b in zip(x, y, strict=True)) for s in (-1, 1)
    )
    units = [[v / length for v in row] for row, length in zip((x, y), lengths, strict=True)]
    chord, other = (
        mpmath.sqrt(mpmath.fsum((a + s * b) ** 2 for a, b in zip(*units, strict=True)))
        for s in (-1, 1)
    )
    return lengths, 2 * mpmath.atan2(chord, other), apart, sum_


def truth_of(name, lengths, angle, apart, total):
    """Cho and Saul, Williams, and Rahimi and Recht."""
    size, back = lengths[0] * lengths[1], mpmath.pi - angle
    if name == "step":
        return back / (2 * mpmath.pi)
    if name == "relu":
        return size * (mpmath.sin(angle) + back * mpmath.cos(angle)) / (2 * mpmath.pi)
    if name == "erf":
        scale = mpmath.sqrt((1 + 2 * lengths[0] ** 2) * (1 + 2 * lengths[1] ** 2))
        return 2 / mpmath.pi * mpmath.asin(2 * mpmath.cos(angle) * size / scale)
    sign = 1 if name == "cos" else -1
    return (mpmath.exp(-apart / 2) + sign * mpmath.exp(-total / 2)) / 2


@pytest.mark.parametrize("name", ["step", "relu", "cos", "sin", "erf"])
@pytest.mark.parametrize("opposite", [False, True])
def test_near_rows(name, opposite):
    phi = mehler.KitchenSinks.draw(7, 4, activation=name, seed=0)
    for apart in (1e-3, 1e-6, 1e-8, 1e-10):
        x, y = near_rows(1, apart, opposite)
        with mpmath.workdps(60):
            truth = float(truth_of(name, *in_digits(x, y)))
        # Of the value at equal rows; a correlation alone would leave 1e-8 of the step's.
        whole = float(np.sqrt(phi.kernel(x)[0, 0] * phi.kernel(y)[0, 0]))
        assert abs(float(phi.kernel(x, y)[0, 0]) - truth) <= 2e-14 * whole, apart


@pytest.mark.parametrize("name", ["step", "relu", "erf", "tanh", "cos"])
def test_a_copy_of_the_rows_has_the_diagonal_of_the_rows(name):
    x = np.random.default_rng(3).standard_normal((20, 7))
    phi = mehler.KitchenSinks.draw(7, 4, activation=name, seed=0)
    assert phi.kernel(x, x.copy()) == pytest.approx(phi.kernel(x), rel=1e-15, abs=1e-15)
    if name in ("step", "relu"):
        assert np.max(np.abs(np.diag(phi.kernel(x, -x)))) <= 1e-15


@pytest.mark.slow
def test_gaps_in_every_namespace(place: Place):
    """1 - rho and 1 + rho; a rounded correlation leaves none of their digits."""
    dtype = "float64" if place.has_float64 else "float32"
    apart = 1e-9 if dtype == "float64" else 1e-3
    for opposite in (False, True):
        x, y = (part.astype(dtype) for part in near_rows(4, apart, opposite))
        pairs = _correlation.gaussian_pairs(place.asarray(x, dtype), place.asarray(y, dtype))
        gap = pairs.far if opposite else pairs.near
        with mpmath.workdps(60):
            _, angle, _, _ = in_digits(x, y)
            truth = float(1 + mpmath.cos(angle) if opposite else 1 - mpmath.cos(angle))
        # Directions are rounded to eps, and are `apart` apart; and the stated error.
        eps = float(np.finfo(dtype).eps)
        slack = 8 * eps / apart * truth + 4 * eps**1.5
        assert slack < 1e-2 * truth
        assert abs(float(_arrays.to_host(gap)[0, 0]) - truth) <= slack
