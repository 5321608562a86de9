"""Bounds of group-invariant features: formulas written again, inverses, and what they need."""

import math

import pytest
from scipy import stats

from mehler.bounds import group_invariant as bounds
from mehler.exact.orbits import Bins, TemplateLaw, expected_product


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
        accepted = stats.binom(m, p)
        high, low = m * (p + bound / window), m * (p - bound / window)
        return float(accepted.sf(math.floor(high)) + accepted.cdf(math.ceil(low) - 1))

    assert failing(value) <= 0.1
    if window == 20.0:
        # Half the range of products of kept templates is not enough.
        assert failing(math.sqrt(1.3) * math.sqrt(2 * math.log(20) / m)) > 0.5


SIZES = [("paper", 1.0, 1.0), ("paper", 0.05, 2.0), ("midpoint", 0.3, 1.2)]


@pytest.mark.parametrize("order", ["whole", None, 1, 7, 5040, math.factorial(200)])
@pytest.mark.parametrize(("rule", "eps", "rho"), SIZES)
def test_the_sizes_of_the_statement_are_enough(order, rule, eps, rho):
    """Those of Theorem 2 as it holds: 3 s/eps bins, half of them for other rules, and so on."""
    log = math.log(2 * 12 * 13 / 0.1)
    most = math.ceil(81 * rho**2 / eps**2 * log)
    arguments = {"n_rows": 12, "delta": 0.1, "window": 2.0, "radius": rho, "rule": rule}
    arguments["n_bins"] = math.ceil((3 if rule == "paper" else 1.5) * 2.0 / eps)
    if order != "whole":
        few = -(-most * (order + 1) // (order + most)) if order else most
        arguments |= {"group_order": order, "n_elements": min(few, order or few)}
    value = bounds.kernel_error(math.ceil(18 * rho**2 / eps**2 * log), **arguments)
    assert value.value <= eps * (1 + 1e-9)
