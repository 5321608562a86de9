"""The critical weight variance, its table, and what depth does to rows."""

from __future__ import annotations

import re
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import mehler
from mehler import exact
from mehler.features.deep import critical_weight_variance

PAGE = Path(__file__).resolve().parents[3] / "docs" / "depth.md"


def table():
    cells = re.findall(r"(\d+) \| (\d\.\d{10}) \|", PAGE.read_text(encoding="utf-8"))
    return {int(q): value for q, value in cells}


def test_the_table_has_ten_digits_of_balls():
    certified = pytest.importorskip("flint") and exact.certified
    rows = table()
    assert sorted(rows) == list(range(1, 65))
    for q, printed in rows.items():
        ball = certified.sigma2(q, bits=64)
        low, high = (Fraction(printed) + side * Fraction(1, 2 * 10**10) for side in (-1, 1))
        # 1/high <= sigma^2 <= 1/low
        assert 1 / high <= Fraction(str(ball.value)) <= 1 / low
        assert ball.radius < 1e-18
        assert round(critical_weight_variance(q), 10) == float(printed)


@pytest.mark.parametrize("q", [1, 2, 3, 5, 64])
def test_signals_keep_their_length(q):
    X = np.random.default_rng(0).standard_normal((3, 6))
    w = critical_weight_variance(q)
    deep = mehler.DeepKernel("maxout", 50, pool_size=q, weight_variance=w).nngp(X)
    assert np.diagonal(deep) == pytest.approx(w * np.sum(X**2, axis=1) / 6, rel=1e-11)
    # A tenth more, and lengths grow.
    wrong = mehler.DeepKernel("maxout", 50, pool_size=q, weight_variance=1.1 * w).nngp(X)
    assert np.all(np.diagonal(wrong) > 100 * np.diagonal(deep))


def gaps(q, depths, w=0.3):
    """1 - rho of orthogonal rows after so many layers."""
    rows = np.eye(2)
    found = []
    for depth in depths:
        K = mehler.DeepKernel("maxout", depth, pool_size=q, weight_variance=w).nngp(rows)
        found.append(1 - K[0, 1] / K[0, 0])
    return np.array(found)


@pytest.mark.parametrize("q", [3, 8, 64])
def test_rows_become_alike_exponentially(q):
    found = gaps(q, range(1, 12))
    ratio = found[1:] / found[:-1]
    slope = 1 / exact.sigma2(q)
    assert np.all(ratio <= slope * (1 + 1e-9))
    assert ratio[-1] == pytest.approx(slope, rel=0.2)
    # Whatever the weight variance.
    assert found[:5] == pytest.approx(gaps(q, range(1, 6), w=2.0), rel=1e-8)


def test_pools_of_two_are_critical():
    depth = 1000
    found = gaps(2, [depth], w=1.0)[0]
    # theta_(l+1) = theta_l - theta_l^2/(3 pi): corrections of order log(l)/l.
    assert found * depth**2 == pytest.approx(4.5 * np.pi**2, rel=0.05)


@pytest.mark.parametrize("bad", [0, 2.0, True, "4"])
def test_bad_pools_are_refused(bad):
    with pytest.raises((TypeError, ValueError), match="pool_size="):
        critical_weight_variance(bad)
