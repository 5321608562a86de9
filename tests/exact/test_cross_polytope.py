"""Cross-polytope collisions: closed forms, a quadrature of its own, draws, and injected faults."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.special import ndtr

from mehler import exact
from mehler.exact import _cross_polytope, _table
from mehler.verify import intervals

FALSE_ALARM = 1e-9
STATED = 1e-12
RHO = np.cos(np.linspace(0, np.pi, 101))


def test_one_projection_is_hashing_by_signs():
    """Charikar (2002): one sign is the same with probability 1 - angle/pi."""
    values = exact.cross_polytope_collision(RHO, 1)
    np.testing.assert_allclose(values, 1 - np.arccos(RHO) / np.pi, atol=1e-15)


def test_two_projections_are_two_signs():
    """The cells are quadrants, turned by an eighth, which changes no Gaussian law."""
    values = exact.cross_polytope_collision(RHO, 2)
    assert np.abs(values - (1 - np.arccos(RHO) / np.pi) ** 2).max() <= STATED


@pytest.mark.parametrize("d", [1, 2, 3, 17, 1024, 500_000])
def test_equal_orthogonal_and_opposite_rows(d):
    equal, half, none = exact.cross_polytope_collision(np.array([1.0, 0.0, -1.0]), d)
    assert abs(equal - 1) <= STATED
    assert abs(half - 1 / (2 * d)) <= STATED
    assert abs(none) <= STATED
    values = exact.cross_polytope_collision(RHO[::-1], d)
    assert np.all(np.diff(values) >= -STATED)


def by_squares(rho: float, d: int) -> float:
    """The integral over the quadrant in x and y; B by one over the first coordinate, without T."""
    nodes, weights = np.polynomial.legendre.leggauss(160)
    x, w = 4.5 * (nodes + 1), 4.5 * weights
    s = math.sqrt(1 - rho * rho)
    inner, v = np.polynomial.legendre.leggauss(120)
    g = x[:, None] * inner
    density = np.exp(-g * g / 2) / math.sqrt(2 * math.pi) * x[:, None] * v
    y = x[:, None, None]
    below = ndtr((y - rho * g) / s) - ndtr((-y - rho * g) / s)
    inside = (below * density).sum(axis=-1)
    a, b = x[:, None], x[None, :]
    joint = np.exp(-(a * a - 2 * rho * a * b + b * b) / (2 * s * s)) / (2 * math.pi * s)
    return float(2 * d * (joint * inside ** (d - 1) * w[:, None] * w[None, :]).sum())


# B is known to some 1e-15 there, and its power to d times that.
@pytest.mark.parametrize("d", [3, 8, 100, 300])
@pytest.mark.parametrize("rho", [-0.5, 0.0, 0.3, 0.8])
@pytest.mark.sampled(5)
def test_by_another_quadrature(rho, d):
    assert abs(exact.cross_polytope_collision(rho, d) - by_squares(rho, d)) <= STATED


@pytest.mark.parametrize(("rho", "d"), [(0.6, 4), (0.9, 16), (-0.4, 3)])
def test_draws(rho, d):
    draws = 200_000
    rng = np.random.default_rng(d)
    g = rng.standard_normal((draws, d))
    other = rho * g + math.sqrt(1 - rho * rho) * rng.standard_normal((draws, d))
    hashes = []
    for rows in (g, other):
        largest = np.abs(rows).argmax(axis=1)
        hashes.append(2 * largest + (rows[np.arange(draws), largest] > 0))
    count = int((hashes[0] == hashes[1]).sum())
    low, high = intervals.binomial(count, draws, FALSE_ALARM)
    assert low <= exact.cross_polytope_collision(rho, d) <= high
    assert high - low < 0.02


def test_slopes_are_those_of_differences():
    for d in (2, 5, 64):
        slope = _cross_polytope._tables(d)[1]
        for rho in (-0.7, 0.0, 0.9):
            h = 1e-5
            ends = exact.cross_polytope_collision(np.array([rho - h, rho + h]), d)
            values = float(_table.over_root(slope, np.asarray(rho)))
            assert values == pytest.approx((ends[1] - ends[0]) / (2 * h), rel=1e-6, abs=1e-9)


def test_arrays_of_torch_and_their_gradients():
    torch = pytest.importorskip("torch")
    rho = torch.tensor([0.2, 0.7], dtype=torch.float64, requires_grad=True)
    values = exact.cross_polytope_collision(rho, 8)
    np.testing.assert_allclose(
        values.detach().numpy(), exact.cross_polytope_collision(np.array([0.2, 0.7]), 8), rtol=1e-12
    )
    values.sum().backward()
    assert np.all(rho.grad.numpy() > 0)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"d": 0}, ValueError, "number of projections d=0"),
        ({"d": 2.0}, TypeError, "number of projections d"),
        ({"d": 500_001}, ValueError, "number of projections d=500001"),
        ({"rho": 1.5}, ValueError, "rho must lie in"),
    ],
)
def test_bad_arguments_are_refused_by_name(change, error, message):
    with pytest.raises(error, match=message):
        exact.cross_polytope_collision(**({"rho": 0.5, "d": 4} | change))


# -- injected faults: each must fail a test above -----------------------------------------------

TABLES = _cross_polytope._tables
INSIDE = _cross_polytope._log_inside


@pytest.mark.parametrize(
    ("name", "plant"),
    [
        ("_tables", lambda d: TABLES(d + 1)),
        ("_tables", lambda d: (TABLES(d)[0] * (1 + 1e-10), TABLES(d)[1])),
        # Without the other sign: the largest value, not the largest absolute one.
        ("_log_inside", lambda x, y, minus, plus: INSIDE(x, y, minus, minus)),
        ("_log_inside", lambda x, y, minus, plus: INSIDE(x, y, plus, plus)),
    ],
)
@pytest.mark.sampled(2)
def test_injected_faults_are_caught(name, plant, monkeypatch):
    fresh = _cross_polytope._grid.__wrapped__
    if name == "_log_inside":
        monkeypatch.setattr(_cross_polytope, "_grid", fresh)
        monkeypatch.setattr(_cross_polytope, "_tables", TABLES.__wrapped__)
    monkeypatch.setattr(_cross_polytope, name, plant)
    with pytest.raises(AssertionError):
        test_two_projections_are_two_signs()
    with pytest.raises(AssertionError):
        test_by_another_quadrature(0.3, 8)
