"""The maxout bounds against their formulas in many digits, their scaling, and what they refuse."""

from __future__ import annotations

import math

import mpmath
import pytest

from mehler import exact
from mehler.bounds import maxout

SET = {"n_inputs": 784, "dimension": 10, "diameter": 1.5}
BOX = {"n_features": 700, "pool_size": 4, "scale": 0.7}
RISK = {**BOX, "n_samples": 5000, "lipschitz": 0.5}
PRINTED = {"form": "printed", "c1": 3.0, "c": 0.5}
PRINTED_RISK = {
    "form": "printed",
    "c_prime": 2.0,
    "c": 0.5,
    "loss_at_zero": 0.5,
    "epsilon": 0.2,
    **SET,
}


def sigma(q: int) -> mpmath.mpf:
    return mpmath.sqrt(exact.sigma2(q, dps=30))


def close(found: float, formula: mpmath.mpf) -> None:
    # A few roundings, and 1e-13 for the moment.
    assert found == pytest.approx(float(formula), rel=1e-12)


def test_supremum_in_the_papers_shape():
    found = maxout.lemma_2(pool_size=4, n_features=700, delta=0.02, radius=0.9, **SET)
    inside = 10 * mpmath.log(2 * 1.5 * 28 / 0.9) + mpmath.log(2 * 700 * 4 / 0.02)
    close(found.value, 4 * 0.9 * mpmath.sqrt(inside))
    assert found.probability == 0.98
    assert not found.vacuous


def test_supremum_by_concentration():
    found = maxout.lemma_2(
        pool_size=4, n_features=7, delta=0.02, radius=2.0, mean_sup=2.5, shape="dimension-free"
    )
    close(found["confidence"], 2 * mpmath.sqrt(2 * mpmath.log(350)))
    assert found["mean"] == 2.5


def test_supremum_as_printed():
    found = maxout.lemma_2(pool_size=4, delta=0.02, **SET, **PRINTED)
    inside = 10 * mpmath.log(1.5 * 28 / 0.02) + mpmath.log(5)
    close(found.value, 3 * mpmath.sqrt(inside))
    close(found.probability, 0.98 - 2 * mpmath.exp(-98))


def test_a_single_point_has_no_delta_in_print():
    point = {"n_inputs": 100, "dimension": 0, "diameter": 0.0}
    values = {
        maxout.lemma_2(pool_size=4, delta=delta, **point, **PRINTED).value
        for delta in (0.1, 1e-3, 1e-9)
    }
    assert values == {3 * math.sqrt(math.log(5))}
    proved = [maxout.lemma_2(pool_size=4, delta=d, **point).value for d in (0.1, 1e-3, 1e-9)]
    assert proved == sorted(set(proved))


def test_two_near_points_leave_no_number_in_print():
    delta, d = 0.01, 100
    near = {"n_inputs": d, "dimension": 1, "diameter": 0.5 * delta / (5 * math.sqrt(d))}
    found = maxout.lemma_2(pool_size=4, delta=delta, **near, **PRINTED)
    assert math.isnan(found.value)
    assert found.vacuous
    assert not maxout.lemma_2(pool_size=4, delta=delta, **near).vacuous


def test_paper_shape_is_above_what_its_proof_sums():
    """4 sqrt(A) is a round number for the three terms of the proof; it must not be below them."""
    for d in (1, 2, 3, 10, 784):
        for k in (0, 1, 20):
            for diameter in (0.0, 1e-3, 2.0):
                for delta in (1e-9, 0.5, 0.999999):
                    found = maxout.lemma_2(
                        pool_size=1, delta=delta, n_inputs=d, dimension=k, diameter=diameter
                    )
                    log_t = k * max(0.0, math.log(2 * diameter * math.sqrt(d))) if diameter else 0
                    terms = math.sqrt(2 * (math.log(2 / delta) + log_t))
                    terms += 1 + math.sqrt(2 * math.log(2 / delta) / d)
                    # In one dimension the inputs are two points and no covering is needed.
                    if d == 1:
                        terms = math.sqrt(2 * math.log(1 / delta))
                    assert found.value >= terms


@pytest.mark.parametrize(
    ("variant", "formula"),
    [
        ("best", lambda s, t: (s + mpmath.sqrt(2 * mpmath.log(50))) / mpmath.sqrt(700)),
        (
            "monte-carlo",
            lambda s, t: (2 * s + 1) * (mpmath.sqrt(2 * t / 700) + 2 * t / 700),
        ),
    ],
)
def test_approximation_without_dimension(variant, formula):
    found = maxout.lemma_3(**BOX, delta=0.02, radius=1.3, variant=variant)
    t = mpmath.log(100)
    close(found.value, mpmath.mpf("0.7") * mpmath.mpf("1.3") * formula(sigma(4), t))
    assert found.probability == 0.98


def test_approximation_in_mean_square():
    found = maxout.lemma_3(**BOX, radius=1.3, variant="root-mean-square")
    close(found.value, mpmath.mpf("0.91") * sigma(4) / mpmath.sqrt(700))
    assert found.probability == 1


def test_approximation_in_the_papers_shape_and_as_printed():
    supremum = maxout.lemma_2(pool_size=4, n_features=700, delta=0.02, **SET).value
    found = maxout.lemma_3(**BOX, delta=0.02, shape="paper", **SET)
    rate = (1 + mpmath.sqrt(2 * mpmath.log(50))) / mpmath.sqrt(700)
    close(found.total, mpmath.mpf("0.7") * supremum * rate)
    assert found.probability == 0.96
    printed = maxout.lemma_3(**BOX, delta=0.02, **SET, **PRINTED)
    one = maxout.lemma_2(pool_size=4, delta=0.02, **SET, **PRINTED)
    close(printed.value, mpmath.mpf("0.7") * one.value * rate)
    close(printed.probability, 0.96 - 2 * mpmath.exp(-98))


def test_risk_of_approximation_is_lipschitz_times_the_distance():
    for arguments in (
        {"delta": 0.02},
        {"variant": "root-mean-square"},
        {"delta": 0.02, "shape": "paper", **SET},
        {"delta": 0.02, **SET, **PRINTED},
    ):
        distance = maxout.lemma_3(**BOX, **arguments)
        risk = maxout.lemma_4(lipschitz=0.5, **BOX, **arguments)
        close(risk.total, mpmath.mpf("0.5") * distance.total)
        assert (risk.probability, risk.form) == (distance.probability, distance.form)


def test_theorem_without_dimension():
    found = maxout.theorem_2(**RISK, delta=0.02, radius=1.3, loss_bound=2.0)
    size = mpmath.mpf("0.5") * mpmath.mpf("0.7") * mpmath.mpf("1.3")
    s = mpmath.sqrt(2 * mpmath.log(50))
    root = mpmath.sqrt(5000)
    close(found["statistical"], 2 * size / root * (sigma(4) + s / mpmath.sqrt(700)))
    close(found["confidence"], 2 * s / root)
    close(found["approximation"], size / mpmath.sqrt(700) * (sigma(4) + s))
    close(found.probability, mpmath.mpf("0.94"))
    mean = maxout.theorem_2(**RISK, radius=1.3)
    close(mean.value, size * sigma(4) * (2 / root + 1 / mpmath.sqrt(700)))
    assert mean.probability == 1


def test_theorem_in_the_papers_shape():
    found = maxout.theorem_2(**RISK, delta=0.02, shape="paper", **SET)
    free = maxout.theorem_2(**RISK, delta=0.02)
    assert found["statistical"] == free["statistical"]
    assert found["confidence"] == free["confidence"]
    risk = maxout.lemma_4(lipschitz=0.5, **BOX, delta=0.02, shape="paper", **SET)
    close(found["approximation"], risk.total)
    close(found.probability, mpmath.mpf("0.92"))


def test_theorem_as_printed():
    found = maxout.theorem_2(**RISK, delta=0.02, **PRINTED_RISK)
    s = mpmath.sqrt(2 * mpmath.log(50))
    root = mpmath.sqrt(5000)
    close(found["statistical"], 4 * mpmath.mpf("0.35") * sigma(4) / root)
    close(found["loss at zero"], 1 / root)
    close(found["confidence"], 2 * s / root)
    close(found["approximation"], mpmath.mpf("0.35") * mpmath.mpf("0.2") * (1 + s))
    close(found.probability, mpmath.mpf("0.94") - 2 * mpmath.exp(-98))
    needed = maxout.theorem_2_condition(0.2, pool_size=4, delta=0.02, c_prime=2.0, **SET)
    close(needed, 50 * (10 * mpmath.log(1.5 * 28 / 0.02) + mpmath.log(5)))
    assert found.vacuous, "700 features are fewer than the printed condition asks for"
    many = maxout.theorem_2(**{**RISK, "n_features": math.ceil(needed)}, delta=0.02, **PRINTED_RISK)
    assert not many.unmet


def test_remark_scales_terms_apart_and_the_print_does_not():
    usual = maxout.theorem_2(**RISK, delta=0.02)
    found = maxout.remark_2(radius=0.1, loss_bound=3.0, **RISK, delta=0.02)
    close(found["statistical"], usual["statistical"] / mpmath.mpf(10))
    close(found["approximation"], usual["approximation"] / mpmath.mpf(10))
    close(found["confidence"], 3 * mpmath.mpf(usual["confidence"]))
    assert found.trivial == pytest.approx(0.1 * usual.trivial, rel=1e-12)
    plain = maxout.theorem_2(**RISK, delta=0.02, **PRINTED_RISK)
    printed = maxout.remark_2(radius=0.1, loss_bound=3.0, **RISK, delta=0.02, **PRINTED_RISK)
    close(printed.value, mpmath.mpf("0.3") * plain.value)


def test_shrinking_inputs_and_growing_the_box_change_nothing():
    """phi(R x) = R phi(x): the class of C / R on inputs R x is the class of C on x."""
    one = maxout.theorem_2(**RISK, delta=0.02)
    other = maxout.theorem_2(**{**RISK, "scale": 70.0}, delta=0.02, radius=0.01)
    close(other.total, mpmath.mpf(one.total))
    supremum = maxout.lemma_2(pool_size=4, delta=0.02, **SET).value
    scaled = maxout.lemma_2(pool_size=4, delta=0.02, **{**SET, "diameter": 15.0}, radius=10.0)
    close(scaled.value, mpmath.mpf(10 * supremum))


def test_a_diameter_beyond_twice_the_radius_is_seen():
    found = maxout.theorem_2(**RISK, delta=0.02, shape="paper", **{**SET, "diameter": 2.5})
    assert [one.text for one in found.unmet]
    assert found.vacuous


REFUSED = [
    (maxout.lemma_2, {"pool_size": 4, "delta": 0.1}, "needs n_inputs, dimension, diameter"),
    (maxout.lemma_2, {"pool_size": 0, "delta": 0.1, **SET}, "pool_size=0"),
    (maxout.lemma_2, {"pool_size": 4, "delta": 1.5, **SET}, "delta=1.5"),
    (maxout.lemma_2, {"pool_size": 4, "delta": 0.1, **SET, "diameter": -1.0}, "diameter=-1.0"),
    (maxout.lemma_2, {"pool_size": 4, "delta": 0.1, **SET, "dimension": math.nan}, "dimension=nan"),
    (
        maxout.lemma_2,
        {"pool_size": 4, "delta": 0.1, **SET, "diameter": math.inf},
        "diameter=inf must be",
    ),
    (maxout.lemma_2, {"pool_size": 4, "delta": 0.1, **SET, "form": "printed"}, "c1, c unnamed"),
    (maxout.lemma_2, {"pool_size": 4, "delta": 0.1, **SET, "c": 1.0}, "c given"),
    (maxout.lemma_2, {"pool_size": 4, "delta": 0.1, **SET, "mean_sup": 1.0}, "mean_sup given"),
    (maxout.lemma_2, {"pool_size": 4, "delta": 0.1, "shape": "dimension-free"}, "needs mean_sup"),
    (maxout.lemma_2, {"pool_size": 4, "delta": 0.1, "shape": "round"}, "shape='round'"),
    (maxout.lemma_3, {**BOX}, "delta=None"),
    (maxout.lemma_3, {**BOX, "delta": 0.1, "variant": "root-mean-square"}, "delta given"),
    (maxout.lemma_3, {**BOX, "delta": 0.1, "variant": "worst"}, "variant='worst'"),
    (maxout.lemma_3, {**BOX, "delta": 0.1, **SET}, "n_inputs, dimension, diameter given"),
    (
        maxout.lemma_3,
        {**BOX, "delta": 0.1, **SET, "shape": "paper", "variant": "monte-carlo"},
        "dimension-free",
    ),
    (maxout.lemma_4, {**BOX, "delta": 0.1, "lipschitz": 0.0}, "lipschitz=0.0"),
    (maxout.theorem_2, {**RISK, "delta": 0.1, "epsilon": 0.1}, "epsilon given"),
    (maxout.theorem_2, {**RISK, "shape": "paper", **SET}, "delta=None"),
    (maxout.theorem_2, {**RISK, "n_samples": 0}, "n_samples=0"),
    (
        maxout.theorem_2,
        {**RISK, "delta": 0.1, **PRINTED_RISK, "radius": 2.0},
        "radius=1 and loss_bound=1",
    ),
    (maxout.theorem_2, {**RISK, "delta": 0.1, **PRINTED_RISK, "c": None}, "c unnamed"),
    (maxout.theorem_2, {**RISK, "delta": 0.1, **PRINTED_RISK, "epsilon": None}, "needs epsilon"),
]


@pytest.mark.parametrize(("function", "arguments", "message"), REFUSED)
def test_bad_arguments_are_refused(function, arguments, message):
    with pytest.raises((TypeError, ValueError), match=message):
        function(**arguments)
