"""The expansions of other units, and of tangent features, against networks of 16 units."""

from __future__ import annotations

import functools

import numpy as np
import pytest
from mehler.proofs_checks.experiments.depth import TangentFeatures, finite_width

import mehler
from mehler import exact

X = np.array([[1.0, 0.0], [-0.5, 0.8], [0.2, 1.0]])
WIDTHS = (16,) * 3


def leaky(xp, t):
    return xp.where(t > 0, t, -0.4 * t)


LEAKY = exact.Activation("leaky", leaky, degree=1)
# The unit and its derivative, by NumPy and SciPy alone.
UNITS = {
    "relu": (lambda t: np.maximum(t, 0.0), lambda t: 1.0 * (t > 0)),
    "leaky": (lambda t: leaky(np, t), lambda t: np.where(t > 0, 1.0, -0.4)),
}


def drawn(family, name, q, w, b):
    activation = LEAKY if name == "leaky" else name
    return family.draw(
        2, WIDTHS, activation=activation, pool_size=q, weight_variance=w, bias_variance=b, seed=0
    )


def grams(rng, name, q, w, b, n, *, tangent):
    """Grams of n networks, all of them together, by NumPy alone."""
    pool, columns = q or 1, np.full((n, len(X), 1), b**0.5)
    h = np.concatenate([np.broadcast_to(X * (w / 2) ** 0.5, (n, *X.shape)), columns], axis=2)
    t = h
    for width in WIDTHS:

        def project(rows, width=width):
            z = rows @ rng.standard_normal((n, rows.shape[2], pool * width))
            return z.reshape(n, len(X), pool, width)

        z = project(h)
        winner = z.argmax(axis=2)[:, :, None]
        z, units = np.take_along_axis(z, winner, axis=2)[:, :, 0], None
        units = z if q else UNITS[name][0](z)
        h = np.concatenate([units * (w / width) ** 0.5, columns], axis=2)
        if tangent:
            passed = np.take_along_axis(project(t), winner, axis=2)[:, :, 0]
            passed = passed if q else UNITS[name][1](z) * passed
            t = np.concatenate([h, passed * (w / width) ** 0.5], axis=2)
    rows = t if tangent else h
    return rows @ rows.transpose(0, 2, 1)


CASES = {
    "relu": (False, "relu", None, 1.7, 0.1),
    "leaky": (False, "leaky", None, 1.5, 0.0),
    "maxout, tangent": (True, "maxout", 4, 0.7, 0.1),
    "pairs, tangent": (True, "maxout", 2, 1.0, 0.0),
    "pool of 16, tangent": (True, "maxout", 16, 0.3, 0.1),
    "relu, tangent": (True, "relu", None, 1.7, 0.1),
    "leaky, tangent": (True, "leaky", None, 1.3, 0.0),
}


@functools.cache
def measured(case, blocks):
    tangent, name, q, w, b = CASES[case]
    rng = np.random.default_rng(0)
    found = [grams(rng, name, q, w, b, 1000, tangent=tangent) for _ in range(blocks)]
    family = TangentFeatures if tangent else mehler.DeepFeatures
    return np.concatenate(found), drawn(family, name, q, w, b)


@pytest.mark.full
@pytest.mark.parametrize("case", CASES)
def test_bias_and_variance_are_those_of_narrow_networks(case):
    found, phi = measured(case, 20)
    deviation = found.std(axis=0) / len(found) ** 0.5
    expansion, limit = finite_width(phi, X), phi.kernel(X)
    off = np.abs(found.mean(axis=0) - limit - expansion.bias)
    # Five standard errors, and the next order: layers over width, squared, of the kernel.
    assert np.all(off <= 5 * deviation + 0.1 * (3 / 16) ** 2 * limit.max())
    # Of the variance the next order is L^2/n^2 beside L/n: for ReLU's lengths, where it is known,
    # (1 + 5/16)^3 - 1 is 1.34 times 15/16.
    ratio = found.var(axis=0) / expansion.variance
    assert np.all(
        np.abs(ratio - 1.0) < 0.05 + (0.34 if CASES[case][1] in ("relu", "leaky") else 3 / 16)
    )


@pytest.mark.sampled(1)
@pytest.mark.parametrize("case", ["leaky", "relu, tangent", "leaky, tangent"])
def test_the_bias_shows_and_is_taken_away(case):
    """The limit is refuted by four standard errors at the pair where it shows most."""
    found, phi = measured(case, 16)
    deviation = found.std(axis=0) / len(found) ** 0.5
    off = found.mean(axis=0) - phi.kernel(X)
    bias = finite_width(phi, X).bias
    worst = np.unravel_index(np.argmax(np.abs(bias) / deviation), bias.shape)
    assert abs(off[worst]) > 4 * deviation[worst]
    assert abs(off[worst] - bias[worst]) < 4 * deviation[worst]
