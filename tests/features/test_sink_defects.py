"""Kitchen sinks with injected faults are refuted, correct ones hold; bad activations are refused.

Faults lie below the declarations, so that kernel and variance still claim what the theory says.
All checks run at their default false alarm, 1e-9.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

import mehler
from mehler import _arrays, verify
from mehler.exact.activations import ACTIVATIONS
from mehler.features.kitchen_sinks import KitchenSinks

D, M = 5, 256
# Directions at random, lengths unequal, one pair close.
_RNG = np.random.default_rng(1)
ROWS = _RNG.standard_normal((4, D)) / math.sqrt(D)
ROWS = np.vstack([ROWS, 1.5 * ROWS[0] + 0.1 * ROWS[1]])

DRAWN = {
    "step": {"activation": "step"},
    "relu": {"activation": "relu"},
    "relu2": {"activation": "relu2"},
    "erf": {"activation": "erf"},
    "tanh": {"activation": "tanh", "weight_scale": 1.5},
    "tanh-bias": {"activation": "tanh", "bias": 1.0},
    "cos": {"activation": "cos", "weight_scale": 2.0},
    "cos-phase": {"activation": "cos", "bias": "uniform"},
    "sin-bias": {"activation": "sin", "bias": 0.5},
    "relu2-sphere": {"activation": "relu2", "law": "sphere"},
}
# Not in DRAWN: units depend on each other, so that the variance is not that of one product.
ORTHOGONAL = {"activation": "tanh", "weight_scale": 1.5, "projections": "orthogonal"}


def drawer(options, defect=None):
    cls = defect(KitchenSinks) if defect else KitchenSinks
    return lambda seed: cls(D, M, seed=seed, **options)


def kernel_verdict(draw):
    return verify.check_kernel(draw, draw(0).kernel, ROWS, resolution=0.1)


@pytest.mark.parametrize("name", DRAWN)
@pytest.mark.sampled(3)
def test_correct_maps_hold(name):
    draw = drawer(DRAWN[name])
    assert kernel_verdict(draw).status == "holds"
    assert verify.check_distribution(draw, None, ROWS).status == "holds"
    # Eighth moments: the products' kurtosis, and with it the cost, is 50 times that of the others.
    resolution = 0.6 if name == "relu2" else 0.2
    assert verify.check_variance(draw, None, ROWS[:3], resolution=resolution).status == "holds"


def test_orthogonal_projections_keep_the_kernel():
    assert kernel_verdict(drawer(ORTHOGONAL)).status == "holds"


def test_a_function_of_the_users_own_holds():
    draw = drawer({"activation": lambda t: t * abs(t) ** 0.5})
    assert kernel_verdict(draw).status == "holds"


def missing_scale(cls):
    class Broken(cls):
        def __call__(self, X):
            return super().__call__(X) * math.sqrt(2.0)

    return Broken


def bias_forgotten(cls):
    class Broken(cls):
        def _draw(self, dtype):
            *weights, offset = super()._draw(dtype)
            return (*weights, 0 * offset)

    return Broken


def weights_twice_scaled(cls):
    class Broken(cls):
        def _draw(self, dtype):
            weights, *rest = super()._draw(dtype)
            return (weights * self.weight_scale, *rest)

    return Broken


def half_a_period(cls):
    """A phase in [0, pi/2] instead of [0, 2 pi]."""

    class Broken(cls):
        def _draw(self, dtype):
            weights, offset = super()._draw(dtype)
            return weights, offset / 4

    return Broken


def not_on_the_sphere(cls):
    """The normalisation that makes weights uniform on the sphere is forgotten."""

    class Broken(cls):
        def _draw(self, dtype):
            return self._projection.draw(self.seed, 1, self.n_inputs, self.n_features, dtype)

    return Broken


def as_another(name):
    """The activation is not the one that is declared."""

    def defect(cls):
        class Broken(cls):
            def _block(self):
                parts = super()._block()
                return type(parts)(parts.func, ACTIVATIONS[name], *parts.args[1:])

        return Broken

    return defect


REFUTED = [
    ("relu", missing_scale),
    ("cos-phase", missing_scale),
    ("tanh-bias", bias_forgotten),
    ("sin-bias", bias_forgotten),
    ("tanh", weights_twice_scaled),
    ("cos", weights_twice_scaled),
    ("erf", as_another("tanh")),
    ("cos", as_another("sin")),
    ("relu2", as_another("relu")),
]


@pytest.mark.parametrize(("name", "defect"), REFUTED)
def test_defects_of_the_kernel_are_refuted(name, defect):
    assert kernel_verdict(drawer(DRAWN[name], defect)).status == "refuted"


@pytest.mark.parametrize(
    ("name", "defect"),
    [("cos-phase", half_a_period), ("relu2-sphere", not_on_the_sphere)],
)
def test_defects_of_the_law_are_refuted(name, defect):
    draw = drawer(DRAWN[name], defect)
    assert verify.check_distribution(draw, None, ROWS).status == "refuted"


def test_half_a_period_keeps_the_expected_kernel():
    """The extra term is -(2/pi) E sin(w.(x + y)) = 0: to refute the kernel would be a mistake."""
    assert kernel_verdict(drawer(DRAWN["cos-phase"], half_a_period)).status == "holds"


@pytest.mark.full
def test_seeds_reused_across_units_break_convergence():
    class Repeated(KitchenSinks):
        def _draw(self, dtype):
            (weights,) = super()._draw(dtype)
            return (np.repeat(weights[:, :, :4], self.n_features // 4, axis=2),)

    def sized(cls):
        return lambda seed, n_features: cls(D, n_features, activation="tanh", seed=seed)

    for cls, status in ((KitchenSinks, "holds"), (Repeated, "refuted")):
        assert verify.check_convergence(sized(cls), ROWS[:3], sizes=(16, 64)).status == status


@pytest.mark.parametrize("d", [1, 2, 5])
def test_the_sphere_has_the_moments_of_its_radius(d):
    """relu2 on the sphere: K(x, x) = E <w, x>_+^4 = d^2 (3/(d (d + 2)))/2."""
    phi = mehler.KitchenSinks.draw(d, 4, activation="relu2", law="sphere", seed=0)
    x = np.eye(d)[:1]
    assert float(phi.kernel(x)[0, 0]) == pytest.approx(d * 3 / (d + 2) / 2, rel=1e-14)
    weights = _arrays.to_host(phi._weights("float64")[0])
    assert np.sum(weights**2, axis=1) == pytest.approx(d, rel=1e-14)


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"activation": "swish"}, ValueError, "is not one of "),
        ({"activation": None}, TypeError, "neither a name nor a function"),
        ({"activation": "relu", "weight_scale": 0}, ValueError, "weight_scale=0"),
        ({"activation": "relu", "weight_scale": "1"}, TypeError, "weight_scale"),
        ({"activation": "relu", "bias": -1.0}, ValueError, "bias=-1.0"),
        ({"activation": "relu", "bias": "uniform"}, ValueError, "cos and sin"),
        ({"activation": "relu", "law": "cauchy"}, ValueError, "law='cauchy'"),
        ({"activation": "tanh", "law": "sphere"}, ValueError, "law='gaussian'"),
        ({"activation": "relu", "law": print}, ValueError, "draw mehler.features.RandomFunctions"),
        ({"activation": "relu", "projections": "dense"}, ValueError, "projections='dense'"),
    ],
)
def test_bad_arguments(options, error, words):
    with pytest.raises(error, match=words):
        mehler.KitchenSinks.draw(3, 4, seed=0, **options)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_comparisons_are_activations_too(dtype):
    """Booleans, and functions that widen, come out in the rows' precision."""
    rows = ROWS.astype(dtype)
    step = mehler.KitchenSinks.draw(D, 8, activation="step", seed=0)(rows)
    for activation in (lambda t: t > 0, lambda t: np.heaviside(t.astype("float64"), 0.0)):
        own = mehler.KitchenSinks.draw(D, 8, activation=activation, seed=0)(rows)
        assert own.dtype == dtype
        assert np.array_equal(own, step)


def test_activations_work_element_by_element():
    phi = mehler.KitchenSinks.draw(D, 8, activation=lambda t: t.sum(axis=1), seed=0)
    for method in (phi, phi.kernel):
        with pytest.raises(ValueError, match="element by element"):
            method(ROWS)


def test_functions_have_no_recipe_and_no_law():
    phi = mehler.KitchenSinks.draw(3, 4, activation=np.tanh, seed=0)
    with pytest.raises(ValueError, match="use a name"):
        phi.recipe()
    with pytest.raises(ValueError, match="an activation of your own carries no distribution"):
        phi.feature_cdf(np.eye(3), np.zeros((3, 1)))
