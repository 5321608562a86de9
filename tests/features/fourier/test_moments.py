"""Kernels, variances and kurtoses of Fourier features against integrals over the spectrum."""

import math

import mpmath
import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import hyp1f1
from scipy.stats import cauchy, norm, t

import mehler
from mehler import kernels
from mehler.features.spectra import Gaussian

# On a line, the frequency's density says everything.
SPECTRA = {
    "rbf": ({"gamma": 0.3}, norm(scale=math.sqrt(0.6))),
    "laplacian": ({"gamma": 0.3}, cauchy(scale=0.3)),
    "matern 1/2": ({"nu": 0.5, "length_scale": 1.7}, t(1, scale=1 / 1.7)),
    "matern 5/2": ({"nu": 2.5, "length_scale": 1.7}, t(5, scale=1 / 1.7)),
    "matern 1.9": ({"nu": 1.9, "length_scale": 0.7}, t(3.8, scale=1 / 0.7)),
    "matern 0.3": ({"nu": 0.3, "length_scale": 0.7}, t(0.6, scale=1 / 0.7)),
}
every_spectrum = pytest.mark.parametrize("name", SPECTRA)


def waves(name, n_inputs=1, n_features=2, **options):
    spectrum, _ = SPECTRA[name]
    kernel = name.split()[0]
    return mehler.FourierFeatures.draw(
        n_inputs, n_features, kernel=kernel, seed=0, **{**spectrum, **options}
    )


def characteristic(law, z):
    """E cos(w z) = 2 int_0^inf f(w) cos(w z) dw, by QUADPACK's rule for Fourier integrals."""
    value, error = quad(law.pdf, 0, np.inf, weight="cos", wvar=z, epsabs=1e-11, limlst=400)
    assert error < 1e-8
    return 2 * value


@every_spectrum
@pytest.mark.parametrize("z", [0.4, 1.5])
def test_the_kernel_is_the_characteristic_function_of_the_spectrum(name, z):
    _, law = SPECTRA[name]
    k = waves(name).kernel(np.zeros((1, 1)), np.array([[z]]))[0, 0]
    assert k == pytest.approx(characteristic(law, z), abs=1e-8)


@every_spectrum
def test_the_kernel_is_the_one_of_its_name(name):
    x = np.random.default_rng(0).standard_normal((6, 5))
    x = np.vstack([x, x[:1] + 1e-7, 50 * x[:1]])
    kernel = name.split()[0]
    theirs = kernels.make(kernel, **SPECTRA[name][0])(x, x)
    # Bessel functions and powers to some 1e-15 each; near rows of rough kernels differ by rounding
    # of the distance, 1e-9 of it, to the power 0.6.
    assert np.abs(waves(name, 5).kernel(x) - theirs).max() < 1e-12 + 1e-7 * (name == "matern 0.3")
    # The gain: cosine and sine of one angle, or 2 cos^2 with variance 1/2, six standard errors.
    for form, slack in (("pairs", 1e-14), ("offset", 6 * math.sqrt(0.5 / 4000))):
        lengths = np.linalg.norm(waves(name, 5, 4000, form=form)(x), axis=1)
        assert lengths**2 == pytest.approx(np.ones(8), abs=slack)


@pytest.mark.parametrize("nu", [0.1, 0.5, 0.8, 1.5, 2.0, 8.5, 9.5, 49.0])
def test_matern_kernels_in_arbitrary_precision(nu):
    s = [1e-200, 1e-9, 1e-3, 0.3, 2.0, 30.0, 400.0, 1e5]
    phi = mehler.FourierFeatures.draw(
        1, 2, kernel="matern", nu=nu, length_scale=math.sqrt(2 * nu), seed=0
    )
    ours = phi.kernel(np.zeros((1, 1)), np.array(s)[:, None])[0]
    with mpmath.workdps(40):
        for value, at in zip(ours, s, strict=True):
            exact = 2 ** (1 - mpmath.mpf(nu)) / mpmath.gamma(nu)
            exact *= mpmath.mpf(at) ** nu * mpmath.besselk(nu, at)
            # Logarithms up to 500 cancel: some 500 eps.
            assert abs(value - float(exact)) < 2e-13, at


@every_spectrum
@pytest.mark.parametrize("form", ["pairs", "offset"])
@pytest.mark.parametrize("z", [0.4, 1.5])
@pytest.mark.sampled(4)
def test_variance_and_kurtosis_are_those_of_the_cosine(name, form, z):
    """Moments of cos(w z), or of it plus a uniform phase's cosine, from multiples of z: an
    integral of the density for each."""
    _, law = SPECTRA[name]
    k, k2, k3, k4 = (characteristic(law, j * z) for j in (1, 2, 3, 4))
    raw = [1, k, (1 + k2) / 2, (3 * k + k3) / 4, (3 + 4 * k2 + k4) / 8]
    if form == "offset":
        # The phase's cosine: 0, 1/2, 0, 3/8.
        raw = [1, k, raw[2] + 0.5, raw[3] + 1.5 * k, raw[4] + 3 * raw[2] + 0.375]
    mean, second = raw[1], raw[2] - raw[1] ** 2
    fourth = raw[4] - 4 * mean * raw[3] + 6 * mean**2 * raw[2] - 3 * mean**4
    phi = waves(name, form=form)
    x, y = np.zeros((1, 1)), np.array([[z]])
    # m Var = 2 Var of a pair's product, which two features share.
    twice = 2 if form == "pairs" else 1
    assert phi.variance(x, y)[0, 0] == pytest.approx(twice * second, abs=1e-7)
    assert phi.product_kurtosis(x, y)[0, 0] == pytest.approx(fourth / second**2, rel=1e-4)


@every_spectrum
def test_near_rows_have_a_kurtosis_that_is_no_less(name):
    """cos - k is within [-1 - k, 1 - k], so 4/Var bounds it; the Gaussian's tends to 15."""
    x = np.array([[0.0], [1e-9], [1e-6], [1e-3], [0.1]])
    value = waves(name).product_kurtosis(x)[0]
    assert np.isfinite(value).all()
    assert value[0] == 1.0
    if name == "rbf":
        assert value[1:4] == pytest.approx(15.0, rel=1e-5)


@pytest.mark.parametrize("d", [2, 3, 16, 51, 784])
def test_orthogonal_covariance_in_arbitrary_precision(d):
    """Kummer: e^-u 1F1(-d/2; d/2; u), whose terms do not cancel for u below d/2."""
    for u in (1e-9, 0.3, min(9.0, d / 2)):
        with mpmath.workdps(50):
            half = mpmath.mpf(d) / 2
            exact = mpmath.exp(-u) * mpmath.hyp1f1(-half, half, u, zeroprec=300)
            exact -= mpmath.exp(-2 * mpmath.mpf(u))
        value = Gaussian().orthogonal_covariance(np.array([[u]]), d)[0, 0]
        assert value == pytest.approx(float(exact), abs=2e-15)


def test_gram_variance_counts_pairs_of_blocks():
    """Sizes of blocks 5, 5 and 2 at d = 5: 20 + 20 + 2 ordered pairs of 12 units."""
    x, y = np.zeros((1, 5)), np.full((1, 5), 0.4)
    u = 0.3 * 5 * 0.16
    single = 0.5 * math.expm1(-2 * u) ** 2
    covariance = float(hyp1f1(5, 2.5, -u)) - math.exp(-2 * u)
    exact = single / 12 + 42 * covariance / 144
    for form, more, m in (("pairs", 0.0, 24), ("offset", 0.5 / 12, 12)):
        phi = mehler.FourierFeatures.draw(
            5, m, gamma=0.3, form=form, projections="orthogonal", seed=0
        )
        assert phi.gram_variance(x, y)[0, 0] == pytest.approx(exact + more, rel=1e-12)
