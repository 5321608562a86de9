"""Each mistake one could make in the learners is injected, and another route must see it."""

from dataclasses import replace
from unittest import mock

import numpy as np
import pytest

from mehler import _arrays, learn
from mehler._arrays import _linear_algebra
from mehler.learn import _box_erm, _path, _ridge, _sums
from mehler.learn._box_solver import SignedRows
from tests.learn import ridge_audit, test_cross_validate
from tests.learn.audit import audit
from tests.learn.problems import problem


def swapped(wrong, name, *owners):
    """Put ``wrong(correct, *arguments)`` in the place of a function."""

    def inject(monkeypatch):
        for owner in owners:
            correct = getattr(owner, name)

            def call(*of, correct=correct, **more):
                return wrong(correct, *of, **more)

            monkeypatch.setattr(owner, name, call)

    return inject


# -- the box ------------------------------------------------------------------------------


def of_certificate(change):
    """Change fields of a certificate by its data, itself, and what it took off for the box."""

    def wrong(correct, data, rows, alpha, theta):
        proof = correct(data, rows, alpha, theta)
        penalty = float(np.mean(rows.dual(np, rows.clip(np, theta)))) - proof.lower
        return replace(proof, **change(data.n, proof, penalty))

    return swapped(wrong, "certify", _box_erm)


def raised(by):
    """Raise the lower end, at most to the upper one."""
    return of_certificate(
        lambda n, proof, penalty: {"lower": min(proof.upper, proof.lower + by(n, penalty))}
    )


def widened(correct, data, *of):
    correct(data, *of)
    data.inner *= 1.0 + 2.0**-40


def of_envelope(change):
    def wrong(correct, limits, slope, bound, tolerance):
        rows = correct(limits, slope, bound, tolerance)
        return rows if bound == np.inf else change(correct, rows, limits, slope, tolerance)

    return swapped(wrong, "envelope", _box_erm)


BOX = {
    "the dual's penalty with the wrong sign": raised(lambda n, penalty: 2 * penalty),
    "the dual's penalty divided by n twice": raised(lambda n, penalty: penalty * (1 - 1 / n)),
    "the risk of another point": of_certificate(
        lambda n, proof, _: {"margins": 1.01 * proof.margins}
    ),
    "the box wider by a rounding": swapped(widened, "__init__", SignedRows),
    "labels forgotten": swapped(
        lambda correct, data, z, y, c: correct(data, z, abs(y), c), "__init__", SignedRows
    ),
    "limits halved": swapped(lambda correct, data: 0.5 * correct(data), "limits", SignedRows),
    # The line to (1, 0) from the bound at minus B + 1 instead of minus B.
    "the envelope too steep": of_envelope(
        lambda _, rows, *of: replace(rows, high=np.where(rows.is_line, 1.0, 1.5) * rows.high)
    ),
    "the surrogate for the envelope": of_envelope(
        lambda correct, rows, limits, slope, tolerance: correct(limits, slope, np.inf, tolerance)
    ),
    # Better than any feasible one.
    "dual points beyond their ends": swapped(
        lambda correct, data, rows, alpha, theta: correct(
            data, replace(rows, high=10.0 + 0 * rows.high), alpha, theta * 1.05
        ),
        "certify",
        _box_erm,
    ),
}


def audit_some():
    """A few problems; wide ones whose surrogate is clipped, narrow ones, two of two units."""
    for name in ("hinge", "ramp"):
        for seed, n, m, scale in [(1, 30, 12, 6.0), (2, 10, 2, 1.5), (3, 10, 2, 8.0)]:
            z, y = problem(seed, n, m)
            # Coarse, so that a claim that is wrong is wrong by more than the references' rounding.
            fit = learn.box_erm(z, y, scale=scale, loss=name, gap=1e-3, max_iterations=2000)
            audit(fit, z, y, scale, name)


# -- ridge --------------------------------------------------------------------------------


RIDGE = {
    "leverages without 1/N": swapped(
        lambda correct, path, *of: correct(replace(path, intercept=False), *of),
        "leave_one_out",
        _ridge,
    ),
    "penalty of N - 1 rows": swapped(
        lambda correct, self, lambdas, n: correct(self, lambdas, n - 1), "inverses", _path.Spectrum
    ),
    "a factorisation without N": swapped(
        lambda correct, xp, g, c, lambdas, n, *of: correct(xp, g, c, lambdas, 1, *of),
        "weights_by_factors",
        _sums,
    ),
    # The half of the Gram that was never made.
    "the lower triangle alone": swapped(
        lambda correct, xp, a: correct(xp, a.T.copy()), "eigen", _arrays
    ),
    "blocks at their own means": swapped(
        lambda correct, xp, z, mean, last: correct(xp, z, mean, 0 * last), "centred", _arrays
    ),
}


def audit_ridge():
    """Small problems in several pieces too, of which those below the diagonal are not made."""
    with mock.patch.object(_linear_algebra, "_TILE", 4):
        ridge_audit.audit(*ridge_audit.problem(1, 40, 6))


def of_folds(change):
    def wrong(correct, parts, *of, without=None):
        return correct(parts, *of, without=change(without))

    return swapped(wrong, "solve_parts", _sums, _ridge)


FOLDS = {
    "the fold fitted too": of_folds(lambda without: None),
    "the last function without a fold": of_folds(lambda k: 0 if k is None else k),
    "penalty of all rows": swapped(
        lambda correct, sums, lambdas, *of, **more: correct(
            sums, tuple(lam * 301 / sums.n_rows for lam in lambdas), *of, **more
        ),
        "path",
        learn.RidgeSums,
    ),
}


AUDITS = ((BOX, audit_some), (RIDGE, audit_ridge), (FOLDS, test_cross_validate.audit))
# What injects a fault, and the audit that must see it; `tests/verify/faults` runs them.
FAULTS = {name: (inject, run) for table, run in AUDITS for name, inject in table.items()}


@pytest.mark.parametrize("run", [run for _, run in AUDITS])
def test_audits_hold_without_a_fault(run):
    run()


def test_sums_are_not_in_float32():
    """One block of 2^12, then blocks of 1: every number is exact, and a float32 sum loses them."""
    signs = np.where(np.arange(1024) % 2 == 0, 1.0, -1.0)[:, None].astype(np.float32)
    sums = learn.RidgeSums(ridge_audit.Table()).add(4096 * signs, np.zeros(1024, np.float32))
    for _ in range(50):
        sums.add(signs, np.zeros(1024, np.float32))
    assert float(sums.gram[0, 0]) == 2.0**34 + 50 * 2.0**10
