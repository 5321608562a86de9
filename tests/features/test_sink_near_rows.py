"""Kernels of rows that are almost equal or almost opposite keep their digits.

Against closed forms in 60 digits, from the very numbers that the rows hold.
"""

import mpmath
import numpy as np
import pytest

import mehler
from mehler import _arrays
from mehler.features import _correlation
from tests.places import Place

D = 7


def rows(seed, apart, opposite):
    """A row and one that differs from it, or from its opposite, by about `apart`."""
    rng = np.random.default_rng(seed)
    x = rng.standard_normal(D)
    y = x + apart * rng.standard_normal(D)
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


TRUTHS = {
    "step": lambda lengths, angle, apart, total: (mpmath.pi - angle) / (2 * mpmath.pi),
    "relu": lambda lengths, angle, apart, total: (
        lengths[0]
        * lengths[1]
        * (mpmath.sin(angle) + (mpmath.pi - angle) * mpmath.cos(angle))
        / (2 * mpmath.pi)
    ),
    "cos": lambda lengths, angle, apart, total: (
        (mpmath.exp(-apart / 2) + mpmath.exp(-total / 2)) / 2
    ),
    "sin": lambda lengths, angle, apart, total: (
        (mpmath.exp(-apart / 2) - mpmath.exp(-total / 2)) / 2
    ),
    "erf": lambda lengths, angle, apart, total: (
        2
        / mpmath.pi
        * mpmath.asin(
            2
            * mpmath.cos(angle)
            * lengths[0]
            * lengths[1]
            / mpmath.sqrt((1 + 2 * lengths[0] ** 2) * (1 + 2 * lengths[1] ** 2))
        )
    ),
}


@pytest.mark.parametrize("name", TRUTHS)
@pytest.mark.parametrize("opposite", [False, True])
def test_near_rows(name, opposite):
    phi = mehler.KitchenSinks.draw(D, 4, activation=name, seed=0)
    for apart in (1e-3, 1e-6, 1e-8, 1e-10):
        x, y = rows(1, apart, opposite)
        with mpmath.workdps(60):
            truth = float(TRUTHS[name](*in_digits(x, y)))
        # Of the value at equal rows; a correlation alone would leave 1e-8 of the step's.
        whole = float(np.sqrt(phi.kernel(x)[0, 0] * phi.kernel(y)[0, 0]))
        assert abs(float(phi.kernel(x, y)[0, 0]) - truth) <= 2e-14 * whole, apart


@pytest.mark.parametrize("name", ["step", "relu", "erf", "tanh", "cos"])
def test_a_copy_of_the_rows_has_the_diagonal_of_the_rows(name):
    x = np.random.default_rng(3).standard_normal((20, D))
    phi = mehler.KitchenSinks.draw(D, 4, activation=name, seed=0)
    assert phi.kernel(x, x.copy()) == pytest.approx(phi.kernel(x), rel=1e-15, abs=1e-15)
    opposite = np.diag(phi.kernel(x, -x))
    expected = {"step": 0.0, "relu": 0.0}.get(name)
    if expected is not None:
        assert np.max(np.abs(opposite)) <= 1e-15


@pytest.mark.slow
def test_gaps_in_every_namespace(place: Place):
    """1 - rho and 1 + rho; a rounded correlation leaves none of their digits."""
    dtype = "float64" if place.has_float64 else "float32"
    apart = 1e-9 if dtype == "float64" else 1e-3
    for opposite in (False, True):
        x, y = (part.astype(dtype) for part in rows(4, apart, opposite))
        found = _correlation.gaussian_pairs(place.asarray(x, dtype), place.asarray(y, dtype))
        gap = found.far if opposite else found.near
        with mpmath.workdps(60):
            _, angle, _, _ = in_digits(x, y)
            truth = float(1 + mpmath.cos(angle) if opposite else 1 - mpmath.cos(angle))
        # Directions are rounded to eps, and are `apart` apart; and the stated error.
        eps = float(np.finfo(dtype).eps)
        slack = 8 * eps / apart * truth + 4 * eps**1.5
        assert slack < 1e-2 * truth
        assert abs(float(_arrays.to_host(gap)[0, 0]) - truth) <= slack
