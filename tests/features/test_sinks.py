"""Kitchen sinks hold their kernel, their distribution and their variance; bad ones are refused.

Faults that are injected into them are in tests/verify/corpus/sink_cases.py.
"""

import numpy as np
import pytest

import mehler
from mehler import _arrays, verify
from mehler.features.kitchen_sinks import KitchenSinks
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
