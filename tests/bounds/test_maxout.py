"""The maxout bounds against their formulas in many digits, their scaling, and what they refuse."""

from __future__ import annotations

import math

import mpmath
import pytest
from mehler.proofs_checks.maxout import _published
from scipy import integrate, stats

from mehler import exact
from mehler.bounds import maxout

SET = {"n_inputs": 784, "dimension": 10, "diameter": 1.5}
BOX = {"n_features": 700, "pool_size": 4, "scale": 0.7}
RISK = {**BOX, "n_samples": 5000, "lipschitz": 0.5}
PRINTED = {"c1": 3.0, "c": 0.5, **SET}
PRINTED_RISK = {"c_prime": 2.0, "c": 0.5, "loss_at_zero": 0.5, "epsilon": 0.2, **SET}


def sigma(q: int) -> mpmath.mpf:
    return mpmath.sqrt(exact.sigma2(q, dps=30))


def close(result: float, formula: mpmath.mpf) -> None:
    # A few roundings, and 1e-13 for the moment.
    assert result == pytest.approx(float(formula), rel=1e-12)


def test_a_single_point_has_no_delta_in_print():
    point = {"n_inputs": 100, "dimension": 0, "diameter": 0.0}
    values = {
        _published.lemma_2(pool_size=4, delta=delta, **{**PRINTED, **point}).value
        for delta in (0.1, 1e-3, 1e-9)
    }
    assert values == {3 * math.sqrt(math.log(5))}
    proved = [maxout.supremum(pool_size=4, delta=d, **point).value for d in (0.1, 1e-3, 1e-9)]
    assert proved == sorted(set(proved))


def test_two_near_points_leave_no_number_in_print():
    delta, d = 0.01, 100
    near = {"n_inputs": d, "dimension": 1, "diameter": 0.5 * delta / (5 * math.sqrt(d))}
    result = _published.lemma_2(pool_size=4, delta=delta, **{**PRINTED, **near})
    assert math.isnan(result.value)
    assert result.vacuous
    assert not maxout.supremum(pool_size=4, delta=delta, **near).vacuous


def test_paper_shape_is_above_what_its_proof_sums():
    """4 sqrt(A) is a round number for the three terms of the proof; it must not be below them."""
    for d in (1, 2, 3, 10, 784):
        for k in (0, 1, 20):
            for diameter in (0.0, 1e-3, 2.0):
                for delta in (1e-9, 0.5, 0.999999):
                    result = maxout.supremum(
                        pool_size=1, delta=delta, n_inputs=d, dimension=k, diameter=diameter
                    )
                    log_t = k * max(0.0, math.log(2 * diameter * math.sqrt(d))) if diameter else 0
                    terms = math.sqrt(2 * (math.log(2 / delta) + log_t))
                    terms += 1 + math.sqrt(2 * math.log(2 / delta) / d)
                    # In one dimension the inputs are two points and no covering is needed.
                    if d == 1:
                        terms = math.sqrt(2 * math.log(1 / delta))
                    assert result.value >= terms


def test_risk_of_approximation_is_lipschitz_times_the_distance():
    covered = {"delta": 0.02, **SET}
    for near, added, arguments in (
        (maxout.approximation, maxout.approximation_risk, {"delta": 0.02}),
        (maxout.approximation, maxout.approximation_risk, {}),
        (maxout.approximation, maxout.approximation_risk, covered),
    ):
        distance = near(**BOX, **arguments)
        risk = added(lipschitz=0.5, **BOX, **arguments)
        close(risk.total, mpmath.mpf("0.5") * distance.total)
        assert (risk.probability, risk.form) == (distance.probability, distance.form)


def test_remark_scales_terms_apart_and_the_print_does_not():
    usual = maxout.excess_risk(**RISK, delta=0.02)
    result = maxout.excess_risk(radius=0.1, loss_bound=3.0, **RISK, delta=0.02)
    close(result["statistical"], usual["statistical"] / mpmath.mpf(10))
    close(result["approximation"], usual["approximation"] / mpmath.mpf(10))
    close(result["confidence"], 3 * mpmath.mpf(usual["confidence"]))
    assert result.trivial == pytest.approx(0.1 * usual.trivial, rel=1e-12)
    plain = _published.theorem_2(**RISK, delta=0.02, **PRINTED_RISK)
    published = _published.remark_2(radius=0.1, loss_bound=3.0, **RISK, delta=0.02, **PRINTED_RISK)
    close(published.value, mpmath.mpf("0.3") * plain.value)


def test_shrinking_inputs_and_growing_the_box_change_nothing():
    """phi(R x) = R phi(x): the class of C / R on inputs R x is the class of C on x."""
    entry = maxout.excess_risk(**RISK, delta=0.02)
    other = maxout.excess_risk(**{**RISK, "scale": 70.0}, delta=0.02, radius=0.01)
    close(other.total, mpmath.mpf(entry.total))
    supremum = maxout.supremum(pool_size=4, delta=0.02, **SET).value
    scaled = maxout.supremum(pool_size=4, delta=0.02, **{**SET, "diameter": 15.0}, radius=10.0)
    close(scaled.value, mpmath.mpf(10 * supremum))


def test_a_diameter_beyond_twice_the_radius_is_seen():
    result = maxout.excess_risk(**RISK, delta=0.02, **{**SET, "diameter": 2.5})
    assert [entry.text for entry in result.unmet]
    assert result.vacuous


def test_a_term_of_centred_units_has_the_symbol_of_their_variance():
    for bound in (
        maxout.excess_risk(**RISK, delta=0.02, centred=True),
        maxout.excess_risk(**RISK, centred=True),
        maxout.approximation(**BOX, delta=0.02, centred=True),
        maxout.approximation(**BOX, delta=0.02, centred=True, function="monte-carlo"),
    ):
        assert r"\sigma" not in bound.terms[0].formula
        assert r"\sqrt{V(q)}" in bound.terms[0].formula


SIZES = {"n_features": 100, "n_samples": 400, "scale": 1.5, "lipschitz": 0.5, "radius": 2.0}


def variance_of_maximum(q: int) -> float:
    """V by the density of the maximum: no moment of the library."""

    def moment(k: int) -> float:
        density = lambda t: t**k * q * stats.norm.pdf(t) * stats.norm.cdf(t) ** (q - 1)  # noqa: E731
        return integrate.quad(density, -12, 12, epsabs=1e-13, limit=200)[0]

    return moment(2) - moment(1) ** 2


@pytest.mark.parametrize("q", [1, 2, 4, 64])
def test_centred_terms_by_hand(q):
    root, u = math.sqrt(variance_of_maximum(q)), math.sqrt(2 * math.log(100))
    bound = maxout.excess_risk(pool_size=q, delta=0.01, centred=True, loss_bound=3.0, **SIZES)
    assert bound["statistical"] == pytest.approx(2 * 1.5 / 20 * (root + u / 10), rel=1e-9)
    assert bound["confidence"] == pytest.approx(3 * u / 20, rel=1e-12)
    assert bound["approximation"] == pytest.approx(1.5 / 10 * (root + u), rel=1e-9)
    mean = maxout.excess_risk(pool_size=q, centred=True, **SIZES)
    assert mean.total == pytest.approx(1.5 * root * (2 / 20 + 1 / 10), rel=1e-9)
    assert mean.trivial == pytest.approx(min(1.0, 1.5 * 2 * root), rel=1e-9)
    near = maxout.approximation(n_features=100, pool_size=q, scale=1.5, delta=0.01, centred=True)
    assert near.total == pytest.approx(0.15 * (root + u), rel=1e-9)


def test_the_samples_norms_by_hand():
    u = math.sqrt(2 * math.log(100))
    setting = {"pool_size": 1, "delta": 0.01, "mean_norm": 0.7, **SIZES}
    bound = maxout.excess_risk(**setting)
    assert bound["statistical"] == pytest.approx(2 * 1.5 * 0.5 * 2 * 0.7 / 2 / 20, rel=1e-12)
    assert bound["confidence"] == pytest.approx(2 * u / 20, rel=1e-12)
    assert (
        bound["approximation"]
        == maxout.excess_risk(**{**setting, "mean_norm": None})["approximation"]
    )
    assert bound.probability == pytest.approx(0.98)


def test_norms_of_a_sample_go_with_a_chance():
    with pytest.raises(ValueError, match="mean_norm is of one sample"):
        maxout.excess_risk(**RISK, mean_norm=1.0)
