"""The expansion in 1/width against networks of 16 units, and the exact variance of one layer."""

from __future__ import annotations

import numpy as np
import pytest
from mehler.proofs_checks.experiments.depth import finite_width

import mehler
from mehler import exact, verify

X = np.array([[1.0, 0.0], [-0.5, 0.8], [0.2, 1.0]])


def drawn(widths, q=4, w=None, b=0.0, seed=0):
    return mehler.DeepFeatures.draw(
        2,
        widths,
        activation="maxout",
        pool_size=q,
        weight_variance=0.9 / exact.sigma2(q) if w is None else w,
        bias_variance=b,
        seed=seed,
    )


def grams(rng, phi, n):
    """Grams of n networks, all of them together, by NumPy alone."""
    q, w, b = phi.limit.pool_size, phi.limit.weight_variance, phi.limit.bias_variance
    h = np.broadcast_to(X, (n, *X.shape))
    for width in phi.widths:
        z = h @ rng.standard_normal((n, h.shape[2], q * width)) * (w / h.shape[2]) ** 0.5
        z = z + b**0.5 * rng.standard_normal((n, 1, q * width))
        h = z.reshape(n, len(X), q, width).max(axis=2)
    return w / phi.widths[-1] * h @ h.transpose(0, 2, 1) + b


@pytest.mark.full
@pytest.mark.parametrize(("q", "b"), [(4, 0.0), (2, 0.1), (16, 0.1)])
def test_bias_and_variance_are_those_of_narrow_networks(q, b):
    phi = drawn((16,) * 3, q, b=b)
    rng = np.random.default_rng(0)
    found = np.concatenate([grams(rng, phi, 1000) for _ in range(20)])
    deviation = found.std(axis=0) / len(found) ** 0.5
    expansion, limit = finite_width(phi, X), phi.kernel(X)
    off = np.abs(found.mean(axis=0) - limit - expansion.bias)
    # Five standard errors, and the next order: layers over width, squared, of the kernel.
    assert np.all(off <= 5 * deviation + 0.1 * (3 / 16) ** 2 * limit.max())
    # Of the variance the next order is L^2/n^2 beside L/n.
    ratio = found.var(axis=0) / expansion.variance
    assert np.all(np.abs(ratio - 1.0) < 0.05 + 3 / 16)


def test_the_bias_shows_and_is_taken_away():
    """At q = 4 and 16 units the limit is refuted by six standard errors, the expansion is not."""
    phi, rng = drawn((16,) * 3), np.random.default_rng(1)
    found = np.concatenate([grams(rng, phi, 1000) for _ in range(16)])[:, 0, 1]
    deviation = found.std() / len(found) ** 0.5
    limit, bias = phi.kernel(X)[0, 1], finite_width(phi, X).bias[0, 1]
    assert found.mean() - limit < -4 * deviation
    assert abs(found.mean() - limit - bias) < 4 * deviation


def test_one_layer_has_no_bias_and_its_exact_variance():
    for q, b in ((1, 0.2), (2, 0.0), (5, 0.2)):
        phi = drawn((30,), q, b=b)
        found = finite_width(phi, X)
        assert np.all(found.bias == 0.0)
        assert phi.gram_variance(X) == pytest.approx(found.variance, rel=1e-11)
    # A pool of one: Isserlis, w^2 (p r + c^2)/n.
    phi = drawn((30,), 1, w=0.7)
    gram = 0.7 * X @ X.T / 2
    squares = np.diagonal(gram)
    by_hand = 0.7**2 * (squares[:, None] * squares + gram**2) / 30
    assert phi.gram_variance(X) == pytest.approx(by_hand, rel=1e-12)


def test_squares_vary_as_a_product_of_layers():
    """The exact relative variance, (1 + g/n)^L - 1, is L g/n to first order."""
    q, depth, n = 3, 4, 50
    phi = drawn((n,) * depth, q, w=1 / exact.sigma2(q))
    growth = exact.max_moment(4, q) / exact.sigma2(q) ** 2 - 1
    variance = np.diagonal(finite_width(phi, X).variance)
    squares = np.diagonal(phi.kernel(X))
    assert variance == pytest.approx(depth * growth / n * squares**2, rel=1e-11)


@pytest.mark.parametrize("q", [2, 3, 4])
def test_opposite_rows_are_the_limit_of_nearly_opposite_ones(q):
    """Their own first layer alone is at -1, where pools of two have a derivative without end."""
    phi, turn = drawn((16,) * 3, q), 1e-5
    values = []
    for angle in (np.pi, np.pi - turn, np.pi - 2 * turn):
        pair = np.array([[1.0, 0.0], [np.cos(angle), np.sin(angle)]])
        found = finite_width(phi, pair)
        values.append((found.bias[0, 1], found.variance[0, 1]))
    here, near, further = np.array(values)
    # Continuous: within three times what twice the turn adds.
    assert np.all(np.abs(here - near) <= 3 * np.abs(further - near) + 1e-12)
    assert np.all(here != 0.0)


def test_linear_networks_have_no_bias():
    assert np.all(finite_width(drawn((5, 5, 5), 1, b=0.3), X).bias == 0.0)


@pytest.mark.full
@pytest.mark.parametrize("factor", [1.0, 1.3])
def test_declared_variance_is_checked(factor):
    status = "holds" if factor == 1.0 else "refuted"
    verdict = verify.check_variance(
        lambda seed: drawn((40,), seed=seed),
        lambda x, y=None: factor * drawn((40,)).variance(x, y),
        X[:2],
        resolution=0.2,
    )
    assert verdict.status == status


def test_what_is_not_known_is_refused():
    with pytest.raises(AttributeError, match="known for one layer of maxout alone"):
        drawn((5, 5)).variance(X)
    for name in ("X", "Y"):
        rows = {"X": np.eye(2), "Y": np.eye(2), name: np.zeros((2, 2))}
        with pytest.raises(ValueError, match=rf"^{name} has a row of zeros"):
            finite_width(drawn((5, 5)), **rows)
    for size in (1e-170, 1e160):
        with pytest.raises(ValueError, match="scale the rows"):
            finite_width(drawn((5, 5)), size * X)
    with pytest.raises(ValueError, match="X has 3 columns; the map takes 2"):
        finite_width(drawn((5, 5)), np.ones((1, 3)))
    relu = mehler.DeepFeatures.draw(2, (5,), activation="relu", seed=0)
    with pytest.raises(AttributeError, match="known for one layer"):
        relu.variance(X)
