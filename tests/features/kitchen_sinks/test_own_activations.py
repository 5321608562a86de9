"""Activations from outside of the package, with all that they carry, and laws of weights.

None is known to the package, and each goes through transform, kernel, variance and distribution.
With one hook left out, what follows from it is refused by name, or is estimated and says so.
"""

import dataclasses
import math

import numpy as np
import pytest
from scipy import special

import mehler
from mehler import verify
from mehler.exact import Activation

D, M = 3, 256
ROWS = np.array([[0.3, -0.9, 0.4], [0.8, 0.2, -0.5], [-0.4, 0.7, 0.9], [0.0, 0.0, 0.0]])
# Shares of the kernel's and the variance's scale: planted deviations are 0.25 of it and more.
CLOSE, SPREAD = 0.1, 0.2


def normal_cdf(xp, t):
    """Phi(t), as a network's "probit" unit; the error function of its namespace would do too."""
    return xp.asarray(special.ndtr(np.asarray(t)))


def probit_kernel(pairs, power):
    r"""E Phi(u) Phi(v) = P(h < u, h' < v) = 1/4 + asin(r)/(2 pi), r = cov / sqrt of variances."""
    if power != 1:
        return None
    product = pairs.rho * pairs.x_scale * pairs.y_scale
    r = product / np.sqrt((1.0 + pairs.x_scale**2) * (1.0 + pairs.y_scale**2))
    value = 0.25 + np.arcsin(r) / math.tau
    return value, 1e-14 * np.ones_like(value)


ACTIVATIONS = {
    "probit": Activation("probit", normal_cdf, kernel=probit_kernel),
    "hard sign": Activation("hard sign", lambda xp, t: xp.sign(t), degree=0),
    "chirp": Activation(
        "chirp", lambda xp, t: 2.0 * xp.sin(3.0 * t), waves=((3, -1.0j), (-3, 1.0j))
    ),
}
# What each hook gives, asked of a map without it: a method, and the refusal by name.
LEFT_OUT = [
    ("hard sign", "degree", "the activation 'hard sign' carries no distribution"),
    ("chirp", "waves", "the activation 'chirp' carries no distribution"),
]


def sink(activation, **options):
    return lambda seed: mehler.KitchenSinks.draw(D, M, activation=activation, seed=seed, **options)


@pytest.mark.parametrize("name", ACTIVATIONS)
def test_an_activation_from_outside_holds(name):
    draw = sink(ACTIVATIONS[name])
    phi = draw(0)
    assert phi(ROWS).shape == (4, M)
    assert phi.kernel_source == "closed form"
    assert np.max(phi.kernel_error(ROWS)) < 1e-12
    assert verify.check_kernel(draw, phi.kernel, ROWS, resolution=CLOSE).status == "holds"
    assert verify.check_variance(draw, None, ROWS[:3], resolution=SPREAD).status == "holds"
    if name != "probit":
        assert verify.check_distribution(draw, None, ROWS[:3]).status == "holds"


@pytest.mark.parametrize(
    ("name", "hook", "blank"),
    [("probit", "kernel", None), ("hard sign", "degree", None), ("chirp", "waves", ())],
)
def test_without_a_closed_form_the_kernel_is_estimated_and_says_so(name, hook, blank):
    """By another route than the closed form: both agree within the stated error."""
    whole = ACTIVATIONS[name]
    # Rows that are neither equal nor opposite, where the series of a jump converges.
    rows = ROWS[:3]
    phi, own = sink(dataclasses.replace(whole, **{hook: blank}))(0), sink(whole)(0)
    assert phi.kernel_source == "series"
    slack = phi.kernel_error(rows) + own.kernel_error(rows)
    assert np.all(np.abs(phi.kernel(rows) - own.kernel(rows)) <= slack)


@pytest.mark.parametrize(("name", "hook", "words"), LEFT_OUT)
def test_an_activation_without_a_hook_refuses_the_distribution(name, hook, words):
    blank = () if hook == "waves" else None
    draw = sink(dataclasses.replace(ACTIVATIONS[name], **{hook: blank}))
    with pytest.raises(ValueError, match=words):
        draw(0).feature_cdf(ROWS, np.zeros((4, 1)))


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("probit", {"law": "sphere"}, "carry a degree, .* not for the activation 'probit'"),
        ("probit", {"bias": "uniform"}, "carry waves, .* not for the activation 'probit'"),
        ("hard sign", {"bias": "uniform"}, "not for the activation 'hard sign'"),
        ("chirp", {"law": "sphere"}, "not for the activation 'chirp'"),
    ],
)
def test_options_ask_for_the_hook_that_they_need(name, options, words):
    with pytest.raises(ValueError, match=words):
        sink(ACTIVATIONS[name], **options)(0)
    # Those that carry it are served, by the same laws.
    able = "hard sign" if "law" in options else "chirp"
    draw = sink(ACTIVATIONS[able], **options)
    assert verify.check_kernel(draw, draw(0).kernel, ROWS[:3], resolution=CLOSE).status == "holds"
    assert verify.check_distribution(draw, None, ROWS[:3]).status == "holds"


@pytest.mark.parametrize("factor", [0.9, 1.0 + 1e-10])
def test_a_wrong_closed_form_is_refused(factor):
    def wrong(pairs, power):
        found = probit_kernel(pairs, power)
        return found if found is None else (factor * found[0], found[1])

    phi = sink(dataclasses.replace(ACTIVATIONS["probit"], kernel=wrong))(0)
    with pytest.raises(ValueError, match="'probit' carries a kernel that is not its function's"):
        phi.kernel(ROWS)
