"""The maxout bounds against their formulas in many digits, their scaling, and what they refuse."""

import itertools
import math

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mehler.proofs_checks.maxout import _published

from mehler.bounds import maxout

SET = {"n_inputs": 784, "dimension": 10, "diameter": 1.5}
BOX = {"n_features": 700, "pool_size": 4, "scale": 0.7}
RISK = {**BOX, "n_samples": 5000, "lipschitz": 0.5}
PRINTED_RISK = {"c_prime": 2.0, "c": 0.5, "loss_at_zero": 0.5, "epsilon": 0.2, **SET}


def close(result: float, formula: mpmath.mpf) -> None:
    # A few roundings, and 1e-13 for the moment.
    assert result == pytest.approx(float(formula), rel=1e-12)


def test_paper_shape_is_above_what_its_proof_sums():
    """4 sqrt(A) is a round number for the three terms of the proof; it must not be below them."""
    settings = (1, 2, 3, 10, 784), (0, 1, 20), (0.0, 1e-3, 2.0), (1e-9, 0.5, 0.999999)
    for d, k, diameter, delta in itertools.product(*settings):
        where = {"n_inputs": d, "dimension": k, "diameter": diameter}
        log_t = k * max(0.0, math.log(2 * diameter * math.sqrt(d))) if diameter else 0
        terms = math.sqrt(2 * (math.log(2 / delta) + log_t))
        terms += 1 + math.sqrt(2 * math.log(2 / delta) / d)
        # In one dimension the inputs are two points and no covering is needed.
        if d == 1:
            terms = math.sqrt(2 * math.log(1 / delta))
        assert maxout.supremum(pool_size=1, delta=delta, **where).value >= terms


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
    far = maxout.excess_risk(**{**RISK, "scale": 70.0}, delta=0.02, radius=0.01)
    close(far.total, mpmath.mpf(entry.total))
    supremum = maxout.supremum(pool_size=4, delta=0.02, **SET).value
    larger = maxout.supremum(pool_size=4, delta=0.02, **{**SET, "diameter": 15.0}, radius=10.0)
    close(larger.value, mpmath.mpf(10 * supremum))


positive = st.floats(1e-3, 1e3)
SIZES = {
    "n_features": st.integers(1, 10**9),
    "n_samples": st.integers(1, 10**9),
    "pool_size": st.sampled_from([1, 2, 3, 4, 8, 64, 1024, 10**6]),
    "scale": positive,
    "lipschitz": positive,
}
SETS = {
    "n_inputs": st.integers(1, 10**6),
    "dimension": st.integers(0, 40),
    "diameter": st.floats(0, 2),
}


@settings(max_examples=200, deadline=None, database=None)
@given(st.floats(1e-12, 0.999), st.fixed_dictionaries(SIZES), st.fixed_dictionaries(SETS))
def test_dimension_free_is_smaller_at_equal_failure(eta, sizes, where):
    free = maxout.excess_risk(**sizes, delta=eta / 3)
    paper = maxout.excess_risk(**sizes, delta=eta / 4, **where)
    assert free.probability == pytest.approx(paper.probability, abs=1e-15)
    assert free.total < paper.total
    # Theorem 2's page: 2 sqrt(2) is what is left when nothing else is known.
    assert paper["approximation"] > 2 * math.sqrt(2) * free["approximation"]
    assert "loss at zero" not in [term.name for term in free.terms]
