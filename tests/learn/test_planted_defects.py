"""Each mistake one could make in the estimator is planted, and the audit must refuse the fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mehler import learn
from mehler.learn import _box_erm, _box_solver
from mehler.learn._box_solver import SignedRows
from tests.learn.audit import audit, least_clipped
from tests.learn.problems import problem

CORRECT = _box_solver.certify


def penalty_of(rows, proof, theta):
    """What the honest certificate took off for the box."""
    return float(np.mean(rows.dual(np, rows.clip(np, theta)))) - proof.lower


def plant_certificate(change):
    def plant(monkeypatch):
        def wrong(data, rows, alpha, theta):
            proof = CORRECT(data, rows, alpha, theta)
            penalty = penalty_of(rows, proof, theta)
            return replace(proof, **change(data, proof, penalty))

        monkeypatch.setattr(_box_erm, "certify", wrong)

    return plant


def twice_as_wide(monkeypatch):
    honest = SignedRows.__init__

    def init(self, z, y, half_width):
        honest(self, z, y, half_width)
        self.inner = 2.0 * self.inner

    monkeypatch.setattr(SignedRows, "__init__", init)


def labels_forgotten(monkeypatch):
    honest = SignedRows.__init__

    def init(self, z, y, half_width):
        honest(self, z, abs(y), half_width)

    monkeypatch.setattr(SignedRows, "__init__", init)


def rounded_up(monkeypatch):
    honest = SignedRows.__init__

    def init(self, z, y, half_width):
        honest(self, z, y, half_width)
        self.inner = self.inner * (1.0 + 2.0**-40)

    monkeypatch.setattr(SignedRows, "__init__", init)


def limits_halved(monkeypatch):
    honest = SignedRows.limits
    monkeypatch.setattr(SignedRows, "limits", lambda self: 0.5 * honest(self))


def limits_of_one_sign(monkeypatch):
    monkeypatch.setattr(
        SignedRows, "limits", lambda self: np.abs(self.half_width * self.rows.sum(axis=1))
    )


ENVELOPE = _box_solver.envelope


def plant_envelope(wrong):
    return lambda monkeypatch: monkeypatch.setattr(_box_erm, "envelope", wrong)


def too_steep(limits, slope, bound, tolerance):
    """The line to (1, 0) from the bound at minus B + 1 instead of minus B."""
    rows = ENVELOPE(limits, slope, bound, tolerance)
    return replace(rows, high=np.where(rows.is_line, rows.high, 1.5 * rows.high))


def unclipped(limits, slope, bound, tolerance):
    """The surrogate itself taken for the envelope of the clipped loss."""
    return ENVELOPE(limits, slope, np.inf, tolerance)


def useless(limits, slope, bound, tolerance):
    """Valid but useless: the constant 0 in place of the envelope of clipped rows."""
    rows = ENVELOPE(limits, slope, bound, tolerance)
    none = np.zeros_like(limits)
    return rows if bound == np.inf else replace(rows, high=none, is_line=none == 0, constant=none)


def theta_not_clipped(monkeypatch):
    """Dual points beyond the ends of theta: not feasible, and better than any feasible one."""

    def wrong(data, rows, alpha, theta):
        return CORRECT(data, replace(rows, high=10.0 + 0 * rows.high), alpha, theta * 1.05)

    monkeypatch.setattr(_box_erm, "certify", wrong)


DEFECTS = {
    "the dual's penalty with the wrong sign": plant_certificate(
        lambda data, proof, penalty: {"lower": min(proof.upper, proof.lower + 2 * penalty)}
    ),
    "the dual's penalty for half the box": plant_certificate(
        lambda data, proof, penalty: {"lower": min(proof.upper, proof.lower + penalty / 2)}
    ),
    "the dual's penalty divided by n twice": plant_certificate(
        lambda data, proof, penalty: {
            "lower": min(proof.upper, proof.lower + penalty * (1 - 1 / data.n))
        }
    ),
    "sums in place of means": plant_certificate(
        lambda data, proof, penalty: {"upper": data.n * proof.upper, "lower": data.n * proof.lower}
    ),
    "a gap in units of its own": plant_certificate(
        lambda data, proof, penalty: {"lower": proof.upper - (proof.upper - proof.lower) / data.n}
    ),
    "the risk of another point": plant_certificate(
        lambda data, proof, penalty: {"margins": 1.01 * proof.margins}
    ),
    "the box twice as wide": twice_as_wide,
    "the box wider by a rounding": rounded_up,
    "labels forgotten": labels_forgotten,
    "limits halved": limits_halved,
    "limits of sums, not of sizes": limits_of_one_sign,
    "the envelope too steep": plant_envelope(too_steep),
    "the surrogate for the envelope": plant_envelope(unclipped),
    "an envelope of zero": plant_envelope(useless),
    "dual points beyond their ends": theta_not_clipped,
}


def audit_some():
    """A few problems; wide ones whose surrogate is clipped, narrow ones, two of two units."""
    for name in ("hinge", "ramp"):
        for seed, n, m, scale in [(1, 30, 12, 6.0), (2, 10, 2, 1.5), (3, 10, 2, 8.0)]:
            z, y = problem(seed, n, m)
            # Coarse, so that a claim that is wrong is wrong by more than the references' rounding.
            fit = learn.box_erm(z, y, scale=scale, loss=name, gap=1e-3, max_iterations=2000)
            audit(fit, z, y, scale, name)


def test_the_honest_estimator_passes():
    audit_some()


@pytest.mark.parametrize("defect", ["the envelope too steep", "limits halved"])
def test_exact_minima_alone_catch_a_lower_end_that_is_too_high(defect, monkeypatch):
    """Without the linear program of the relaxation: the vertices of two-unit problems suffice."""

    def violations():
        found = 0
        for seed in range(20):
            z, y = problem(seed, 6, 2)
            z = np.abs(z)  # one sign, so that many rows reach the ends of their ranges at once
            fit = learn.box_erm(z, y, scale=2.0)
            found += fit.risk_lower > least_clipped(z, y, 2.0, "hinge") + 1e-9
        return found

    assert violations() == 0
    DEFECTS[defect](monkeypatch)
    assert violations() > 0
