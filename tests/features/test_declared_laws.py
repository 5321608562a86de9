"""Distributions, kurtoses and kernels by closed forms, and for very small and large numbers."""

import contextlib

import numpy as np
import pytest
from scipy.integrate import quad

import mehler
from mehler import exact
from tests.verify.map_kinds import DRAWS


def rows(rho):
    """Two unit rows of correlation rho."""
    return np.array([[1.0, 0.0]]), np.array([[rho, np.sqrt(1.0 - rho * rho)]])


@pytest.mark.parametrize("rho", [-0.9, -0.3, 0.0, 0.4, 0.95])
def test_the_bound_for_one_projection_is_above_the_exact_kurtosis(rho):
    """q = 1: central moments of g g' are 1 + rho^2 and 9 + 42 rho^2 + 9 rho^4."""
    phi = mehler.MaxoutFeatures.draw(2, 1, 1, seed=0)
    bound = float(phi.product_kurtosis(*rows(rho))[0, 0])
    exact_kurtosis = (9 + 42 * rho**2 + 9 * rho**4) / (1 + rho**2) ** 2
    assert bound >= exact_kurtosis * (1 - 1e-12)
    # Decoupled features of one projection are the same map, and theirs is exact.
    decoupled = mehler.DecoupledMaxoutFeatures.draw(2, 1, 1, seed=0)
    assert float(decoupled.product_kurtosis(*rows(rho))[0, 0]) == pytest.approx(
        exact_kurtosis, rel=1e-12
    )


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
    kurtosis = float(phi.product_kurtosis(*rows(rho))[0, 0])
    # About 1/p, of a probability whose float64 value is stated to be 1e-13 off at most.
    assert kurtosis == pytest.approx(fourth / (p * (1.0 - p)) ** 2, rel=1e-12 + 1e-13 / p)


X = np.array([[1.0, 0.3, -0.2], [0.5, -1.0, 0.7]])
SIZES = [1e-200, 1e-100, 1e-40, 1e-8, 1e-4, 1.0, 1e4, 1e8, 1e15, 1e100, 1e200]


@pytest.mark.parametrize("name", ["relu", "step", "relu2"])
def test_a_kurtosis_of_homogeneous_units_does_not_depend_on_lengths(name):
    phi = mehler.KitchenSinks.draw(3, 10, activation=name, seed=0)
    usual = phi.product_kurtosis(X)
    for size in SIZES:
        assert phi.product_kurtosis(size * X) == pytest.approx(usual, rel=1e-9)
    # A row of zeros, and opposite rows of relu: a product that is always 0.
    assert np.isfinite(phi.product_kurtosis(np.array([[0.0] * 3, *X, -X[0]]))).all()


@pytest.mark.parametrize("name", ["tanh", "erf", "sin", "cos"])
def test_other_kurtoses_are_those_of_the_limits_or_refused(name):
    phi = mehler.KitchenSinks.draw(3, 10, activation=name, seed=0)
    served = 0
    for size in SIZES:
        kurtosis = None
        with contextlib.suppress(ValueError):
            kurtosis = phi.product_kurtosis(size * X)
        if kurtosis is None:
            with pytest.raises(ValueError, match="scale the rows nearer to length 1"):
                phi.product_kurtosis(size * X)
            continue
        served += 1
        rho = X[0] @ X[1] / np.linalg.norm(X[0]) / np.linalg.norm(X[1])
        if size <= 1e-4:
            # Odd units are linear there: products of two correlated normals.
            expected = 3 * (3 + 14 * rho**2 + 3 * rho**4) / (1 + rho**2) ** 2
            limit = (expected, 15.0)
        elif size >= 1e4 and name in ("sin", "cos"):
            # Independent uniform angles; equal ones.
            limit = (2.25, 1.5)
        elif size >= 1e4:
            # Signs that differ with probability p.
            p = np.arccos(rho) / np.pi
            limit = ((1 - 3 * p * (1 - p)) / (p * (1 - p)), None)
        else:
            continue
        assert kurtosis[0, 1] == pytest.approx(limit[0], rel=2e-2)
        assert limit[1] is None or kurtosis[0, 0] == pytest.approx(limit[1], rel=2e-2)
    assert served >= 3


@pytest.mark.parametrize("draw", [mehler.MaxoutCodes.draw, mehler.DecoupledMaxoutFeatures.draw])
@pytest.mark.parametrize("q", [2, 4, 64])
def test_equal_rows_are_equal_off_the_diagonal(draw, q):
    phi = draw(5, 8, q, seed=0)
    rows = np.random.default_rng(0).standard_normal((40, 5))
    both = phi.kernel(rows, np.concatenate([rows, 3.0 * rows]))
    diagonal = np.diag(phi.kernel(rows))
    assert np.diag(both[:, :40]) == pytest.approx(diagonal, rel=1e-15)
    scale = 1.0 if draw is mehler.MaxoutCodes.draw else 3.0
    assert np.diag(both[:, 40:]) == pytest.approx(scale * diagonal, rel=1e-13)


SINKS = {"activation": np.exp}, {"activation": "relu2"}, {"activation": lambda t: t**3}


@pytest.mark.parametrize("options", SINKS, ids=["exp", "relu2", "cube"])
@pytest.mark.parametrize("stored", [True, False])
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_features_that_overflow_are_refused_by_the_name_of_the_activation(options, stored, dtype):
    phi = mehler.KitchenSinks.draw(3, 200, seed=0, stored=stored, **options)
    rows = np.full((2, 3), 1e200 if dtype == "float64" else 1e30, dtype=dtype)
    words = r"^X has a row of length .*features by KitchenSinks of .* overflow in"
    for rows_of in (phi, phi.gram, lambda x: phi.products(x, x), next(phi.unit_blocks(64))):
        with pytest.raises(ValueError, match=words):
            rows_of(rows)
    if options["activation"] is np.exp:
        with pytest.raises(ValueError, match=words):
            phi(np.full((2, 3), 900.0, dtype=dtype))


@pytest.mark.parametrize("size", [1e307, 1.7e308])
def test_rows_at_the_end_of_the_floats_are_refused_by_every_map(size):
    """Sums of products overflow on the way: winners, signs and angles were of no use."""
    rows, names = np.full((2, 3), size), ("maxout", "codes", "pairs", "sinks-erf", "sinks-cos")
    maps = [DRAWS[name](72, seed=0) for name in (*names, "invariant")]
    for call in (*maps, maps[0].local_coefficients):
        with pytest.raises(ValueError, match=r"X has .*length .* in row 0|projections overflow"):
            call(rows)


def test_products_that_overflow_are_refused_where_features_do_not():
    phi = mehler.MaxoutFeatures.draw(3, 8, 4, seed=0)
    rows = np.full((2, 3), 1e200)
    assert np.all(np.isfinite(phi(rows)))
    for call in (phi.gram, phi.kernel, lambda x: phi.products(x, x)):
        with pytest.raises(ValueError, match="whose products overflow in float64"):
            call(rows)


HUGE = {"maxout": 1e200, "next": 1e200, "sinks-relu2": 1e100, "localised": 1e170, "deep": 1e100}


@pytest.mark.parametrize("name", HUGE)
@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_moments_that_leave_the_floats_are_refused(name, dtype):
    """Those of float32 rows are computed in float64, and have to fit into float32."""
    phi, size = DRAWS[name](72, seed=0), HUGE[name]
    rows = (size if dtype == "float64" else 1e37) * (1 + np.eye(3, dtype=dtype))
    with pytest.raises(ValueError, match=f"overflow in {dtype}: scale the rows"):
        phi.variance(rows)
    assert np.isfinite(phi.variance(rows / 1e36 if dtype == "float32" else rows / size)).all()
