"""Each mistake one could make in the estimator is planted, and the audit must refuse the fit."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mehler import learn
from mehler.learn import _box_erm, _box_solver, losses
from mehler.learn._box_solver import SignedRows
from tests.learn.audit import audit, least_clipped
from tests.learn.problems import problem

CORRECT = _box_solver.certify
ENVELOPES = "hinge_envelope", "logistic_envelope"


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
        SignedRows, "limits", lambda self: np.abs(self.half_width * self.z.sum(axis=1))
    )


def envelope_too_steep(monkeypatch):
    """The line to (1, 0) from the bound at minus B + 1 instead of minus B."""
    for name in ENVELOPES:
        honest = getattr(losses, name)

        def steep(limits, bound, tolerance, *slope, honest=honest):
            right = honest(limits, bound, tolerance, *slope)
            return replace(right, high=np.where(right.curved > 0, 1.5 * right.high, right.high))

        monkeypatch.setattr(losses, name, steep)


def envelope_of_nothing(monkeypatch):
    """The surrogate itself taken for the envelope of the clipped loss."""
    for name in ENVELOPES:
        honest = getattr(losses, name)

        def unclipped(limits, bound, tolerance, *slope, honest=honest):
            return honest(limits, np.inf, tolerance, *slope)

        monkeypatch.setattr(losses, name, unclipped)


def envelope_of_zero(monkeypatch):
    """Valid but useless: the constant 0 in place of the envelope of clipped rows."""
    for name in ENVELOPES:
        honest = getattr(losses, name)

        def useless(limits, bound, tolerance, *slope, honest=honest):
            rows = honest(limits, bound, tolerance, *slope)
            if bound == np.inf:
                return rows
            none = np.zeros_like(limits)
            return replace(rows, low=none, high=none, constant=none, curved=none)

        monkeypatch.setattr(losses, name, useless)


def theta_not_clipped(monkeypatch):
    """Dual points beyond the ends of theta: not feasible, and better than any feasible one."""

    def wrong(data, rows, alpha, theta):
        free = replace(rows, low=-10.0 + 0 * rows.low, high=10.0 + 0 * rows.high)
        return CORRECT(data, free, alpha, theta * 1.05)

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
    "the envelope too steep": envelope_too_steep,
    "the surrogate for the envelope": envelope_of_nothing,
    "an envelope of zero": envelope_of_zero,
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
    z, y = problem(4, 10, 2)
    audit(learn.box_erm(z, y, scale=6.0, loss="logistic"), z, y, 6.0, "logistic")


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
