"""feature_cdf and product_kurtosis against moments known in closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad

import mehler
from mehler import exact


def rows(rho):
    """Two unit rows of correlation rho."""
    return np.array([[1.0, 0.0]]), np.array([[rho, np.sqrt(1.0 - rho * rho)]])


@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.0, 0.4, 0.95])
def test_the_bound_for_one_projection_is_above_the_exact_kurtosis(rho):
    """q = 1: central moments of g g' are 1 + rho^2 and 9 + 42 rho^2 + 9 rho^4."""
    phi = mehler.MaxoutFeatures.draw(2, 1, 1, seed=0)
    bound = float(phi.product_kurtosis(*rows(rho))[0, 0])
    known = (9 + 42 * rho**2 + 9 * rho**4) / (1 + rho**2) ** 2
    assert bound >= known * (1 - 1e-12)
    # Decoupled features of one projection are the same map, and theirs is exact.
    decoupled = mehler.DecoupledMaxoutFeatures.draw(2, 1, 1, seed=0)
    assert float(decoupled.product_kurtosis(*rows(rho))[0, 0]) == pytest.approx(known, rel=1e-12)


@pytest.mark.parametrize("q", [1, 3, 64])
@pytest.mark.parametrize("centred", [False, True])
def test_the_bound_is_exact_at_right_angles(q, centred):
    """Independent M, M': moments of products are products of moments."""
    m = np.array([exact.max_moment(k, q) for k in range(5)])
    if centred:
        h = m[1]
        m = np.array([1, 0, m[2] - h**2, m[3] - 3 * h * m[2] + 2 * h**3,
                      m[4] - 4 * h * m[3] + 6 * h**2 * m[2] - 3 * h**4])  # fmt: skip
    p = m**2
    fourth = p[4] - 4 * p[1] * p[3] + 6 * p[1] ** 2 * p[2] - 3 * p[1] ** 4
    phi = mehler.MaxoutFeatures.draw(2, 1, q, seed=0, centred=centred)
    bound = float(phi.product_kurtosis(np.eye(2))[0, 1])
    # Powers of h_1 cancel above: h_1(64)^8 eps over the fourth power of the variance, 1e-8.
    assert bound == pytest.approx(fourth / (p[2] - p[1] ** 2) ** 2, rel=1e-8)


@pytest.mark.parametrize("centred", [False, True])
def test_the_law_of_a_feature_has_its_first_moment(centred):
    """E M = integral of (1 - F) over positive t minus integral of F over negative t."""
    phi = mehler.MaxoutFeatures.draw(2, 7, 3, seed=0, centred=centred)
    x = np.array([[0.6, -1.7]])

    def law(t):
        return float(phi.feature_cdf(x, np.array([[t]]))[0, 0])

    mean = quad(lambda t: 1 - law(t), 0, 30)[0] - quad(law, -30, 0)[0]
    expected = 0.0 if centred else exact.max_moment(1, 3) * np.linalg.norm(x)
    # quad's default absolute and relative error: 1.5e-8 for each piece.
    assert mean == pytest.approx(expected, abs=3e-8, rel=3e-8)


def test_a_zero_row_has_features_of_zero():
    phi = mehler.DecoupledMaxoutFeatures.draw(2, 5, 3, seed=0)
    at = phi.feature_cdf(np.zeros((1, 2)), np.array([[-1e-9, 0.0, 1e-9]]))
    assert at.tolist() == [[0.0, 1.0, 1.0]]
    with pytest.raises(ValueError, match="one row of values"):
        phi.feature_cdf(np.zeros((1, 2)), np.zeros((2, 1)))


@pytest.mark.slow
@pytest.mark.parametrize("rho", [0.0, 0.6, -0.8])
@pytest.mark.parametrize("q", [2, 5, 64])
@pytest.mark.sampled(1)
def test_agreements_of_codes_have_the_kurtosis_of_a_coin(q, rho):
    """From both outcomes and their probabilities, the collision probability in 17 digits."""
    p = float(exact.collision_probability(rho, q, dps=17))
    fourth = p * (1.0 - p) ** 4 + (1.0 - p) * p**4
    phi = mehler.MaxoutCodes.draw(2, 3, q, seed=0)
    found = float(phi.product_kurtosis(*rows(rho))[0, 0])
    # About 1/p, of a probability whose float64 value is stated to be 1e-13 off at most.
    assert found == pytest.approx(fourth / (p * (1.0 - p)) ** 2, rel=1e-12 + 1e-13 / p)
