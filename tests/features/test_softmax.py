"""Softmax features: mean, variance, orthogonal directions, the tilt, and the best form."""

import itertools
import json
import math

import mpmath
import numpy as np
import pytest

import mehler
from mehler import verify
from mehler.features import SoftmaxFeatures

D = 3
X = 0.5 * np.random.default_rng(0).standard_normal((4, D))
FORMS = ("positive", "hyperbolic", "trigonometric")
KINDS = {
    f"{form}-{kernel}-{projections}{'-tilted' * bool(t)}": {
        "form": form,
        "kernel": kernel,
        "projections": projections,
        "tilted_at": t,
        "scale": 0.8,
    }
    for form, kernel, projections, t in itertools.product(
        FORMS, ("softmax", "gaussian"), ("gaussian", "orthogonal"), (0.0, 1.5)
    )
    if not (t and form == "trigonometric")
}


def drawer(cls=SoftmaxFeatures, n_features=60, **options):
    return lambda seed: cls(D, n_features, seed=seed, **options)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.sampled(6)
def test_kernel_and_variance_hold(kind):
    draw = drawer(**KINDS[kind])
    phi = draw(0)
    assert verify.check_kernel(draw, phi.kernel, X[:3], resolution=0.1).status == "holds"
    # Over draws of the whole Gram matrix: 6 deviations, and ratios of heavy-tailed variances.
    grams = np.stack([drawer(n_features=12, **KINDS[kind])(s).gram(X) for s in range(1500)])
    exact = drawer(n_features=12, **KINDS[kind])(0).gram_variance(X)
    moving = exact > 1e-12
    deviations = (grams.mean(axis=0) - phi.kernel(X))[moving] / (exact[moving] / 1500) ** 0.5
    assert np.abs(deviations).max() < 6
    ratios = grams.var(axis=0)[moving] / exact[moving]
    assert 0.6 < ratios.min()
    assert ratios.max() < 1.7


@pytest.mark.parametrize("kind", KINDS)
def test_recipes_and_unstored_maps_draw_the_same(kind):
    phi = drawer(**KINDS[kind])(0)
    again = mehler.from_recipe(json.loads(json.dumps(phi.recipe())))
    assert np.array_equal(again(X), phi(X))
    if "orthogonal" not in kind:
        unstored = drawer(stored=False, **KINDS[kind])(0)
        assert unstored(X) == pytest.approx(phi(X), rel=1e-13)


def test_hyperbolic_features_are_best_exactly_at_obtuse_angles():
    variances = {form: drawer(form=form)(0).variance(X) for form in FORMS}
    inner = X @ X.T
    less = variances["hyperbolic"] < variances["trigonometric"]
    assert np.array_equal(less, inner < 0)
    assert np.all(variances["hyperbolic"] < variances["positive"])
    # At acute angles positive features have more variance than trigonometric ones.
    assert np.all((variances["positive"] > variances["trigonometric"])[inner >= 0])


def test_the_tilt_is_the_minimum():
    t, d = 2.5, D
    y = X[:1] * 0.0
    x = np.full((1, d), math.sqrt(t / d))

    def variance(at):
        return float(drawer(form="positive", tilted_at=at)(0).variance(x, y)[0, 0])

    best = variance(t)
    assert best < variance(0.0)
    assert all(best <= variance(t * factor) for factor in (0.8, 0.95, 1.05, 1.25))


def test_orthogonal_directions_against_a_series():
    """The covariance of two units, termwise with (d)_n <= 2^n (d/2)_n, to 40 digits."""
    y, z = X[:1], X[1:2]
    for form in ("positive", "trigonometric"):
        near = drawer(form=form, projections="orthogonal", n_features=2 * D)(0)
        n_units = near.n_units
        sign = -1 if form == "trigonometric" else 1
        t = float(np.sum((y + sign * z) ** 2))
        with mpmath.workdps(40):
            value = mpmath.hyp1f1(D, D / mpmath.mpf(2), sign * mpmath.mpf(t) / 2)
            inner = mpmath.mpf(float((y @ z.T)[0, 0]))
            covariance = mpmath.exp(2 * inner) * (mpmath.exp(-sign * t) * value - 1)
        pairs = D - 1  # whole blocks of d
        columns = near.n_features // n_units
        variance = near.variance(y, z)[0, 0]
        expected = (variance + columns * pairs * float(covariance)) / near.n_features
        assert near.gram_variance(y, z)[0, 0] == pytest.approx(expected, rel=1e-12)
        assert covariance < 0
