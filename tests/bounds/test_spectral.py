"""Spectral bounds against other routes to the same number, and known ones."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from scipy import integrate, optimize, stats

from mehler.bounds import _spectra, ridge, solve, spectral

DECAY = 50 * 0.6 ** np.arange(30)


def psi(x):
    return math.expm1(x) - x


def bennett(t, m, most, sign):
    """The bound at one row of kernel 1, by a search over theta instead of a grid."""

    def log_chance(log_x):
        x = math.exp(log_x)
        top = math.log(math.expm1(m * psi(sign * x) / most))
        return top - math.log(psi(x * m / most * t))

    return optimize.minimize_scalar(log_chance, bounds=(-8, 4), method="bounded").fun


@pytest.mark.parametrize(("m", "most", "delta"), [(50, 3.0, 0.1), (400, 20.0, 1e-6)])
def test_one_row_by_a_search(m, most, delta):
    value = spectral.gram_error(m, delta=delta, eigenvalues=[1.0], sup=most**0.5)
    t = value.value
    chance = math.exp(bennett(t, m, most, 1))
    if t < 1:
        chance += math.exp(bennett(t, m, most, -1))
    # The grid of theta is that fine: 1e-3 of the exponent.
    assert math.log(chance) == pytest.approx(math.log(delta), rel=1e-3, abs=1e-3)
    assert chance <= delta * (1 + 1e-9)


def tropp(m, ridge, delta, most):
    """4 tr V/|V| exp(-t^2/2/(|V| + L t/3)) on each side, Theorem 7.7.1, by a search over t."""
    beta = DECAY / (DECAY + ridge)
    v, rank, step = most * beta[0] / m, beta.sum() / beta[0], most / m
    return optimize.brentq(
        lambda t: 8 * rank * math.exp(-(t**2) / 2 / (v + step * t / 3)) - delta, 1e-6, 1e6
    )


@pytest.mark.parametrize("m", [10, 1000, 10**6])
@pytest.mark.parametrize("ridge", [0.1, 5.0])
@pytest.mark.parametrize("delta", [0.2, 1e-8])
def test_never_above_tropp(m, ridge, delta):
    most = 30 * 2.0 / ridge
    arguments = {"ridge": ridge, "delta": delta, "eigenvalues": DECAY}
    assert spectral.gram_error(m, sup=2**0.5, **arguments).value < tropp(m, ridge, delta, most)


@pytest.mark.parametrize("sign", [1, -1])
def test_what_is_beyond_a_cut_by_another_quadrature(sign):
    c, result = _spectra._beyond(2.0, 0.5, sign)
    for near in (1e-6, 0.03, 0.5):
        i = int(np.argmin(abs(c - near)))
        entry = float(c[i])
        for j, cut in enumerate(_spectra._CUTS[:6]):

            def density(u, entry=entry):
                r = math.sqrt(2.0) + 0.5 * u
                grown = sign * math.expm1(sign * entry * r * r)
                return 2 * entry * 0.5 * r * grown * math.exp(-u * u / 2)

            start = psi(sign * entry * (math.sqrt(2.0) + 0.5 * cut) ** 2) * math.exp(-cut * cut / 2)
            rest = integrate.quad(density, cut, 40, epsabs=0, epsrel=1e-10, limit=200)[0]
            # psi at 1e-6 is expm1(x) - x here, which cancels to 1e-10.
            assert result[i, j] == pytest.approx(start + rest, rel=1e-4 if near < 1e-5 else 1e-8)


def test_knowing_more_is_never_worse():
    arguments = {"ridge": 1.0, "delta": 0.01, "eigenvalues": DECAY}
    alone = [
        spectral.gram_error(500, sup=1.5, **arguments),
        spectral.gram_error(500, lipschitz=2, **arguments),
    ]
    both = spectral.gram_error(500, sup=1.5, lipschitz=2, **arguments).value
    assert both <= min(entry.value for entry in alone) * (1 + 1e-9)


def test_holds_for_squares_at_every_size():
    for m in (1, 10, 1000):
        value = spectral.gram_error(m, delta=0.05, eigenvalues=[1.0], lipschitz=1.0).value
        chance = stats.chi2.sf(m * (1 + value), m) + stats.chi2.cdf(m * (1 - value), m)
        assert chance <= 0.05


def test_gram_and_its_eigenvalues_are_the_same():
    X = np.random.default_rng(0).standard_normal((5, 9))
    gram = X @ X.T
    arguments = {"ridge": 1.0, "delta": 0.01, "sup": 9.0}
    first = spectral.gram_error(10, gram=gram, **arguments).value
    again = spectral.gram_error(10, eigenvalues=np.linalg.eigvalsh(gram), **arguments).value
    assert first == pytest.approx(again, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"sup": None}, "give sup, leverage or lipschitz"),
        ({"gram": np.eye(2)}, "give one of gram"),
        ({"eigenvalues": [-1.0, 1.0]}, "positive semidefinite"),
        ({"eigenvalues": [0.0]}, "must be positive"),
        ({"ridge": 0.0}, "ridge=0.0 must be positive"),
        ({"block": 3}, "n_features=10 is no multiple of block=3"),
        ({"variance": np.eye(2)}, "give variance alone"),
        ({"sup": None, "variance": np.eye(3)}, "variance has shape"),
    ],
)
def test_bad_input_is_named(change, message):
    arguments = {"ridge": 1.0, "delta": 0.01, "eigenvalues": [2.0, 1.0], "sup": 1.0}
    with pytest.raises(ValueError, match=message):
        spectral.gram_error(10, **{**arguments, **change})


def test_a_sup_below_the_kernel_is_not_met():
    bound = spectral.gram_error(10, ridge=1e3, delta=0.1, eigenvalues=[4.0], sup=1.0)
    assert bound.vacuous


@pytest.mark.parametrize("sup", [None, 2.0])
@pytest.mark.parametrize("lipschitz", [1.7e308, 1e-200])
def test_a_lipschitz_constant_beyond_floats_is_refused_by_name(lipschitz, sup):
    setting = {"delta": 0.1, "eigenvalues": [2.0, 1.0], "lipschitz": lipschitz, "sup": sup}
    for bound in (
        lambda: spectral.gram_error(10, ridge=1.0, **setting),
        lambda: spectral.gram_error(10, **setting),
        lambda: spectral.approximation(
            10, norm=1.0, eigenvalues=[2.0, 1.0], lipschitz=lipschitz, sup=sup
        ),
    ):
        with pytest.raises(ValueError, match="lipschitz=1"):
            bound()


FLAT = 1 / (1 + np.arange(2000) / 200)
SPECTRA = {"slow": FLAT, "fast": np.arange(1, 601.0) ** -3, "equal": np.ones(700)}


@pytest.mark.parametrize("name", SPECTRA)
def test_long_spectra_are_summed_from_above(name):
    beta = 3 * SPECTRA[name]
    a = np.geomspace(1e-60, 25, 2001)
    for w in (np.zeros_like(a), np.geomspace(1e-9, 60, a.size)[::-1]):
        excess = _spectra.log_sums(a, w, beta) - _spectra._exact(a, w, beta)
        assert excess.min() > -1e-12
        assert excess.max() < 1e-5


@pytest.mark.parametrize("a", [1e-60, 3e-7, 0.02, 4.0, 500.0])
def test_one_sum_in_other_digits(a):
    true = mpmath.log(mpmath.fsum(mpmath.expm1(mpmath.mpf(a) * b) for b in map(float, FLAT)))
    result = _spectra.log_sums(np.array([a]), np.zeros(1), FLAT)[0]
    assert result >= true - 1e-12
    # Beyond the table all terms grow as the largest.
    assert result <= true + (1e-5 if a < 100 else np.log(2000))


def test_a_long_spectrum_is_summed_at_the_points_of_the_table_alone(monkeypatch):
    summed, exact = [], _spectra._exact
    monkeypatch.setattr(
        _spectra, "_exact", lambda a, w, beta: summed.append(a.size) or exact(a, w, beta)
    )
    target = {"ridge": 0.01, "norm": 1.0, "noise": 0.1, "eigenvalues": 600 * FLAT[:1234]}
    sizes = {"lipschitz": 30.0, "sup": 14.0}
    m = solve(ridge.excess_risk, at_most=0.02, n_features=None, **sizes, **target)
    assert m > 1000
    assert summed == [_spectra._POINTS.size]
