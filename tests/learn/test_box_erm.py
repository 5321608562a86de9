"""The estimator against linear programs and all vertices of tiny problems."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mehler import learn
from mehler.learn import losses
from tests.learn import audit
from tests.learn.problems import NAMES, problem, problems

OBJECTS = {"hinge": losses.Hinge, "ramp": losses.Ramp}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [0.3, 3.0, 30.0])
@pytest.mark.parametrize(("n", "m"), [(60, 20), (20, 60)])
def test_agrees_with_other_solvers(name, scale, n, m):
    z, y = problem(5, n, m)
    fit = learn.box_erm(z, y, scale=scale, loss=name, gap=1e-5)
    audit.audit(fit, z, y, scale, name)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("bound", [0.25, 1.0, 3.0, np.inf])
@given(case=st.one_of(problems(), problems(m=2)))
@settings(max_examples=40)
@pytest.mark.sampled(3)
def test_random_problems_agree_with_other_solvers(name, bound, case):
    z, y, scale = case
    fit = learn.box_erm(z, y, scale=scale, loss=OBJECTS[name](bound))
    audit.audit(fit, z, y, scale, name, bound)


def test_the_lower_end_allows_for_rounding():
    """A sign solves it exactly: the risk less the lower end is the rounding alone."""
    z, y = problem(2, 40, 12)
    fit = learn.box_erm(z, y, scale=0.1)
    assert fit.iterations == 0
    assert fit.surrogate_risk - fit.lower >= 0.5 * fit.rounding


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ramp_inside_its_linear_range_is_a_sign(dtype):
    z, y = problem(2, 40, 12)
    z = z.astype(dtype)
    scale = 12 / np.abs(z).sum(axis=1).max()  # the largest limit is 1, up to rounding
    fit = learn.box_erm(z, y, scale=scale, loss="ramp")
    assert fit.convex
    assert fit.iterations == 0
    signs = np.sign(y @ z.astype(np.float64))
    assert np.array_equal(np.sign(fit.alpha), signs)
    assert np.allclose(np.abs(fit.alpha), scale / 12, rtol=1e-6, atol=0)
    # The exact minimum of a linear function over the box.
    least = 0.5 - 0.5 * scale / 12 * np.abs(y @ z.astype(np.float64)).sum() / 40
    assert fit.lower <= least <= fit.surrogate_risk + 1e-15
    assert fit.gap <= (1e-13 if dtype == "float64" else 1e-7)


def test_rows_of_zeros_leave_the_loss_of_nothing():
    fit = learn.box_erm(np.zeros((3, 2)), np.asarray([1, -1, 1]), scale=5.0, gap=1e-9)
    assert (fit.surrogate_risk, fit.risk, fit.status) == (1.0, 1.0, "solved")


def test_tight_gaps_are_reached_in_double_precision():
    z, y = problem(4, 50, 10)
    for name in NAMES:
        fit = learn.box_erm(z, y, scale=6.0, loss=name, gap=1e-9)
        assert fit.status == "solved"
        assert fit.rounding < 1e-12


def test_says_when_it_stopped_short():
    z, y = problem(4, 50, 10)
    for name in NAMES:
        fit = learn.box_erm(z, y, scale=60.0, loss=name, gap=1e-9, max_iterations=3)
        assert fit.status == "stopped"
        assert fit.iterations <= 6
        assert "before the wanted gap" in str(fit)
        # The certificate is one all the same.
        assert fit.lower <= audit.least_surrogate(z, y, 60.0, name) <= fit.surrogate_risk


def test_weights_of_float32_stay_in_the_box_and_ends_stay_ends():
    z, y = problem(6, 80, 30)
    z = z.astype(np.float32)
    for scale in (0.1, 0.7, 9.0):  # none of them a float32 over 30
        fit = learn.box_erm(z, y, scale=scale)
        assert fit.alpha.dtype == np.float32
        assert np.abs(fit.alpha.astype(np.float64)).max() <= scale / 30
        audit.audit(fit, z.astype(np.float64), y, scale, "hinge")


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("name", NAMES)
def test_rows_and_columns_of_very_different_lengths(name, axis):
    z, y = problem(14, 40, 30)
    lengths = 10.0 ** np.linspace(-2.0, 2.0, z.shape[axis])
    z = z * (lengths[:, None] if axis == 0 else lengths)
    # 310 to 600 iterations; a projection without weights takes 1500 to 2800 where rows differ.
    fit = learn.box_erm(z, y, scale=3.0, loss=name, max_iterations=1000)
    assert fit.status == "solved"
    audit.audit(fit, z, y, 3.0, name)


def test_decision_and_prediction():
    z, y = problem(9, 40, 10, noise=0.0)
    fit = learn.box_erm(z, y.astype(np.int8), scale=50.0)
    assert np.array_equal(fit.decision(z), z @ fit.alpha)
    assert fit.predict(z).dtype == np.int8
    assert np.array_equal(fit.predict(z), np.where(z @ fit.alpha >= 0, 1, -1))
    assert np.array_equal(fit.predict(np.zeros((1, 10))), [1])


def test_the_sentence_says_what_is_certified():
    z, y = problem(10, 40, 10)
    clipped = str(learn.box_erm(z, y, scale=5.0))
    assert "hinge in [0, 1] over |alpha| <= C/m, C = 5, m = 10, 40 rows" in clipped
    assert "not convex" in clipped
    assert "nowhere in the box below" in clipped
    whole = str(learn.box_erm(z, y, scale=0.1, loss="ramp"))
    assert "Nothing is clipped" in whole
    assert "not convex" not in whole
