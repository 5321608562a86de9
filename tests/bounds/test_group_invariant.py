"""Bounds of group-invariant features: formulas written again, inverses, and what they need."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from mehler.bounds import group_invariant as bounds
from mehler.exact.orbits import Bins, TemplateLaw, expected_product

COMMON = {"n_bins": 20, "n_rows": 12, "delta": 0.1, "window": 1.3}


@pytest.mark.parametrize("d", [2, 5, 40])
@pytest.mark.parametrize("epsilon", [0.1, 0.9])
@pytest.mark.parametrize("templates", ["zero", "redraw"])
def test_the_proved_gap_of_theorem_1_is_attained(d, epsilon, templates):
    """At D = 0 and D = 2, by the exact expectation of a pair of equal or opposite rows."""
    law, s = TemplateLaw(templates, d, epsilon), 1 + epsilon
    gaps = []
    for inner in (1.0, -1.0):
        kernel = float(expected_product(law, Bins(1, s, "dither"), [1.0], [1.0], [inner])[0])
        d_g = math.sqrt(2 - 2 * inner) / math.sqrt(2 * math.pi * d)
        gaps.append(kernel - (s - d_g))
    above = bounds.kernel_bias(d, epsilon=epsilon, side="above", templates=templates)
    below = bounds.kernel_bias(d, epsilon=epsilon, side="below", templates=templates)
    assert above.value == pytest.approx(max(gaps), abs=1e-12)
    assert below.value == pytest.approx(-min(gaps), abs=1e-12)


@pytest.mark.parametrize("window", [1.2, 3.0, 20.0])
@pytest.mark.parametrize("m", [20, 400])
def test_theorem_2_counts_rejected_templates(window, m):
    """At the row 0 a product is s, or 0 if the template is rejected: the error is binomial."""
    common = {"n_bins": 10**9, "n_rows": 1, "delta": 0.1, "window": window}
    value = bounds.kernel_error(m, **common, templates="zero", epsilon=0.3).value
    p = stats.chi2.cdf(2 * 1.3, 2)

    def failing(bound: float) -> float:
        kept = stats.binom(m, p)
        high, low = m * (p + bound / window), m * (p - bound / window)
        return float(kept.sf(math.floor(high)) + kept.cdf(math.ceil(low) - 1))

    assert failing(value) <= 0.1
    if window == 20.0:
        # Half the range of products of kept templates is not enough.
        assert failing(math.sqrt(1.3) * math.sqrt(2 * math.log(20) / m)) > 0.5


@pytest.mark.parametrize("order", ["whole", None, 1, 7, 5040, math.factorial(200)])
@pytest.mark.parametrize("rule", ["paper", "midpoint"])
@pytest.mark.parametrize(("eps", "rho"), [(1.0, 1.0), (0.3, 1.2), (0.05, 2.0)])
def test_the_sizes_of_the_statement_are_enough(order, rule, eps, rho):
    """Those of Theorem 2 as it holds: 3 s/eps bins, half of them for other rules, and so on."""
    log = math.log(2 * 12 * 13 / 0.1)
    most = math.ceil(81 * rho**2 / eps**2 * log)
    arguments = {"n_rows": 12, "delta": 0.1, "window": 2.0, "radius": rho, "rule": rule}
    arguments["n_bins"] = math.ceil((3 if rule == "paper" else 1.5) * 2.0 / eps)
    if order != "whole":
        few = -(-most * (order + 1) // (order + most)) if order else most
        arguments |= {"group_order": order, "n_elements": min(few, order or few)}
    made = bounds.kernel_error(math.ceil(18 * rho**2 / eps**2 * log), **arguments)
    assert made.value <= eps * (1 + 1e-9)


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bounds.kernel_error(5, **COMMON, templates="gaussian"), "give n_inputs"),
        (lambda: bounds.kernel_error(5, **COMMON, templates="zero", n_inputs=4), "leave n_inputs"),
        (
            lambda: bounds.kernel_error(
                5, **COMMON, templates="gaussian", n_inputs=4, n_elements=3
            ),
            "n_elements=None",
        ),
    ],
)  # fmt: skip
def test_bad_arguments(call, words):
    with pytest.raises(ValueError, match=words):
        call()


def test_approximation_and_risk_assume_that_nothing_is_clipped():
    near = {"n_bins": 10, "window": 1.2, "scale": 0.5, "delta": 0.01}
    for bound in (
        bounds.approximation(200, **near),
        bounds.excess_risk(400, n_templates=200, lipschitz=2.0, **near),
    ):
        texts = [entry.text for entry in bound.assumptions]
        assert "the window 1.2 holds every projection of a row on a template" in texts


def test_labels_state_the_lipschitz_constant_and_both_terms_of_elements():
    near = {"n_bins": 10, "window": 1.2, "scale": 0.5, "delta": 0.01, "n_elements": 50}
    bound = bounds.excess_risk(400, n_templates=200, lipschitz=3.0, **near)
    by_name = {term.name: term.formula for term in bound.terms}
    assert by_name["elements"].startswith(r"2L\,")
    # 4 s L C/sqrt(r) (1 + sqrt(2 log 100)), by hand.
    assert bound["elements"] == pytest.approx(
        4 * 1.2 * 3 * 0.5 / math.sqrt(50) * (1 + math.sqrt(2 * math.log(100)))
    )


def test_a_window_that_cuts_is_an_unmet_assumption():
    narrow = bounds.kernel_error(500, **{**COMMON, "window": 0.5})
    assert narrow.vacuous
    assert "window 0.5" in narrow.unmet[0].value


@pytest.mark.parametrize(("r", "order"), [(1, 5), (2, 5), (3, 5), (4, 5), (5, 5)])
def test_every_draw_of_distinct_elements_keeps_the_bound(r, order):
    """All subsets of a cyclic group of turns: the errors by exact distances."""
    angles = 2 * np.pi * np.arange(order) / order
    turns = np.exp(1j * angles)
    x, z = 1.0, 0.6 + 0.8j
    slope = TemplateLaw("sphere", 2).slope

    def error(a, b, chosen):
        far = np.abs(turns[:, None] * a - turns[None, :] * b)
        return slope * abs(far[np.ix_(chosen, chosen)].mean() - far.mean())

    subsets = [list(entry) for entry in itertools.combinations(range(order), r)]
    spread = np.abs(1 - turns).mean()
    mean = bounds.kernel_change_elements(r, n_inputs=2, group_order=order, spread=spread).value
    for a, b in ((x, x), (x, z)):
        assert np.mean([error(a, b, entry) for entry in subsets]) <= mean + 1e-15
    # Equal rows: the error is the squared length of one vector, so the mean is an equality.
    assert np.mean([error(x, x, entry) for entry in subsets]) == pytest.approx(mean, abs=1e-14)
    largest = max(error(a, b, entry) for a, b in ((x, x), (x, z), (z, z)) for entry in subsets)
    rare = bounds.kernel_change_elements(
        r, n_inputs=2, n_rows=2, delta=0.5 / len(subsets), group_order=order, spread=spread
    )
    assert largest <= rare.value + 1e-15
    assert (rare.value == 0) == (r == order)


def test_elements_by_hand():
    log, slope = math.log(7 / 0.01), TemplateLaw("gaussian", 3).slope
    setting = {"n_inputs": 3, "n_rows": 7, "delta": 0.01, "radius": 2.0, "templates": "gaussian"}
    spread = math.sqrt(2) * 2
    root = math.sqrt(spread)
    bound = bounds.kernel_change_elements(10, **setting).value
    by_spread = 2 * spread * math.log(14 / 0.01)
    assert by_spread < (root + math.sqrt(4 * log)) ** 2
    assert bound == pytest.approx(slope / 10 * by_spread, rel=1e-12)
    w = 30 / 39
    shown = sum((30 / (40 - k)) ** 2 for k in range(1, 11)) / 10
    hidden = sum((10 / (40 - k)) ** 2 for k in range(1, 31)) / 10
    of = math.sqrt(4 * min(shown, hidden) * log)
    bound = bounds.kernel_change_elements(10, group_order=40, **setting).value
    assert bound == pytest.approx(slope / 10 * (math.sqrt(w) * root + of) ** 2, rel=1e-12)
    # A sum of ten million terms and its integral.
    rest = bounds.kernel_change_elements(30, group_order=40, spread=0.1, **setting).value
    assert rest == pytest.approx(slope / 30 * 2 * (10 / 30) * 0.1 * math.log(1400), rel=1e-12)
    many = bounds.kernel_change_elements(10**7, group_order=2 * 10**7, **setting).value
    assert many == pytest.approx(
        slope / 1e7 * (math.sqrt(0.5) * root + math.sqrt(2 * log)) ** 2, rel=1e-5
    )


def test_elements_of_huge_groups():
    """All permutations of 200 letters: distinct elements are as independent ones."""
    setting = {"n_inputs": 200, "n_rows": 7, "delta": 0.01}
    alone = bounds.kernel_change_elements(10, **setting).value
    result = bounds.kernel_change_elements(10, group_order=math.factorial(200), **setting).value
    assert result == pytest.approx(alone, rel=1e-12)
    # Both sums by their integrals in whole numbers, which they exceed by a part of 1e-18.
    r, n = 10**9, 10**18
    rest = n - r
    shown = Fraction(4 * rest**2 * r, (2 * rest - 1) * (2 * n - 1)) / r
    w = rest / (n - 1)
    by_range = (math.sqrt(w * math.sqrt(2)) + math.sqrt(2 * float(shown) * math.log(700))) ** 2
    expected = min(by_range, 2 * math.sqrt(2) * math.log(1400))
    slope = TemplateLaw("sphere", 200).slope
    result = bounds.kernel_change_elements(r, group_order=n, **setting).value
    assert result == pytest.approx(slope / r * expected, rel=1e-13)
