"""Each mistake one could make in ridge regression is planted, and the other routes must see it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mehler import _arrays, learn
from mehler._arrays import _linear_algebra
from mehler.learn import _path, _ridge, _sums
from tests.learn.ridge_audit import Table, audit, problem


def without_its_share(monkeypatch):
    """Leverages without 1/N: the intercept's."""

    monkeypatch.setattr(
        _ridge,
        "left_out",
        lambda path, *rest: _path.left_out(replace(path, intercept=False), *rest),
    )


def training_errors(monkeypatch):
    def wrong(path, scoring, features):
        return _path.held_out(path, scoring, features, np.arange(len(features.x)))

    monkeypatch.setattr(_ridge, "left_out", wrong)


def penalty_without_n(monkeypatch):
    honest = _path.Spectrum.inverses
    monkeypatch.setattr(
        _path.Spectrum, "inverses", lambda self, lambdas, n: honest(self, lambdas, 1)
    )


def penalty_of_the_rest(monkeypatch):
    """(N - 1) lambda, a leave-one-out of another problem."""
    honest = _path.Spectrum.inverses
    monkeypatch.setattr(
        _path.Spectrum, "inverses", lambda self, lambdas, n: honest(self, lambdas, n - 1)
    )


def factorised_without_n(monkeypatch):
    honest = _path.factorised
    monkeypatch.setattr(
        _sums, "factorised", lambda xp, g, c, lambdas, n, *of: honest(xp, g, c, lambdas, 1, *of)
    )


def lower_triangle_only(monkeypatch):
    """A solver that reads the half of the Gram that was never made."""
    honest = _arrays.eigen
    monkeypatch.setattr(_arrays, "eigen", lambda xp, a: honest(xp, a.T.copy()))


def blocks_at_their_own_means(monkeypatch):
    """The row that joins the means of two blocks is forgotten."""
    honest = _arrays.centred
    monkeypatch.setattr(_arrays, "centred", lambda xp, z, mean, last: honest(xp, z, mean, 0 * last))


def intercept_forgotten(monkeypatch):
    honest = _path.Path.fit
    monkeypatch.setattr(
        _path.Path,
        "fit",
        lambda self, *which: honest(replace(self, target_mean=0 * self.target_mean), *which),
    )


DEFECTS = [
    without_its_share,
    training_errors,
    penalty_without_n,
    penalty_of_the_rest,
    factorised_without_n,
    lower_triangle_only,
    blocks_at_their_own_means,
    intercept_forgotten,
]


@pytest.fixture(autouse=True)
def _several_pieces(monkeypatch):
    """Small problems in several pieces too, of which those below the diagonal are not made."""
    monkeypatch.setattr(_linear_algebra, "_TILE", 4)


def test_the_honest_estimator_passes():
    audit(*problem(1, 40, 6))


@pytest.mark.parametrize("defect", DEFECTS, ids=lambda one: one.__name__)
def test_planted_defect_is_caught(defect, monkeypatch):
    defect(monkeypatch)
    z, y = problem(1, 40, 6)
    with pytest.raises(AssertionError):
        audit(z, y)


def test_sums_in_float32_would_be_seen(monkeypatch):
    """The numbers of `test_float32_sums_do_not_forget_small_blocks`, with float32 sums."""
    honest = _arrays.add_gram
    monkeypatch.setattr(
        _arrays, "add_gram", lambda xp, total, z: honest(xp, total.astype(np.float32), z)
    )
    signs = np.where(np.arange(1024) % 2 == 0, 1.0, -1.0)[:, None].astype(np.float32)
    sums = learn.RidgeSums(Table()).add(4096 * signs, np.zeros(1024, np.float32))
    for _ in range(50):
        sums.add(signs, np.zeros(1024, np.float32))
    assert float(sums.gram[0, 0]) != 2.0**34 + 50 * 2.0**10
