"""check_variance: exact where kurtosis is declared, labelled where it is not, blind to kernels."""

from functools import partial

import numpy as np
import pytest

import mehler
from mehler.verify import check_variance
from tests.verify.toys import Maxout, points, require_rate

X = points(3, 4)


def maps(kind, **options):
    return lambda seed: kind.draw(4, 400, 3, seed=seed, **options)


OURS = {
    "maxout": maps(mehler.MaxoutFeatures),
    "centred": maps(mehler.MaxoutFeatures, centred=True),
    "fresh": maps(mehler.DecoupledMaxoutFeatures, directions="fresh"),
    "codes": maps(mehler.MaxoutCodes),
}


def times(draw, factor):
    return lambda x, y: factor * draw(0).variance(x, y)


@pytest.mark.parametrize("name", OURS)
def test_our_maps_declare_their_variance_and_a_kurtosis(name):
    verdict = check_variance(OURS[name], None, X, seed=4)
    assert verdict.holds
    assert verdict.method.startswith("declared kurtosis")
    # The detectable deviation is what was asked for, or better.
    assert verdict.detectable <= 0.2


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("factor", [0.75, 1.4, 400.0])
def test_a_wrong_variance_is_refuted(name, factor):
    assert check_variance(OURS[name], times(OURS[name], factor), X).status == "refuted"


@pytest.mark.full
def test_dependent_units_are_held_against_the_variance_of_the_gram():
    def shared(seed):
        return mehler.DecoupledMaxoutFeatures.draw(4, 32, 2, seed=seed)

    verdict = check_variance(shared, None, X[:2], resolution=0.6)
    assert verdict.holds
    assert "bounded kurtosis" in verdict.method
    assert "independent draws" in verdict.method


def test_a_wrong_kernel_does_not_disturb_the_variance():
    class Shifted(Maxout):
        def __call__(self, x):
            return -super().__call__(x)  # products, and their variance, stay

    assert check_variance(partial(Shifted, n_inputs=4), None, X, independent_features=True).holds


@pytest.mark.parametrize(
    ("factor", "method"),
    [(0.75, "betting"), (0.01, "betting"), (1.6, "kurtosis"), (400.0, "kurtosis")],
)
def test_without_kurtosis_a_refutation_has_a_guarantee(factor, method):
    draw = partial(Maxout, n_inputs=4)
    verdict = check_variance(draw, times(draw, factor), X)
    assert verdict.status == "refuted", str(verdict)
    assert method in verdict.method
    assert "asymptotic" not in verdict.method
    rests_on_nothing = any("nothing else" in line for line in verdict.assumptions)
    assert rests_on_nothing == (method == "betting")


def lognormal(scale):
    """Squares exp(2 s g), s the scale, of variance e^{8 s^2} - e^{4 s^2}."""

    def draw(seed):
        g = scale * np.random.default_rng(seed).standard_normal((2, 50))
        return lambda x: np.exp(g[: len(x)]) / np.sqrt(50)

    def variance(x, y):
        return np.full((1, 1), np.exp(8.0 * scale**2) - np.exp(4.0 * scale**2))

    return draw, variance


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sampled(1)
def test_heavy_tails_are_never_refuted_as_too_small(seed):
    """The eighth moment decides: few draws show the variance of products."""
    draw, variance = lognormal(1.2)
    ones = np.ones((1, 1))
    options = {"independent_features": True, "seed": seed, "max_features": 2**19}
    verdict = check_variance(draw, variance, ones, **options)
    assert verdict.status == "inconclusive", str(verdict)
    assert "kurtosis=" in verdict.reason
    # Too large needs no assumption, however heavy the tails.
    wrong = check_variance(draw, lambda x, y: 1e-3 * variance(x, y), ones, **options)
    assert wrong.status == "refuted"
    assert "betting" in wrong.method


def test_it_raises_no_more_alarms_than_it_says():
    """Gaussian projections of one row: z^2 has kurtosis 15, declared."""

    def draw(seed):
        w = np.random.default_rng(seed).standard_normal((1, 2000))
        return lambda x: x @ w / np.sqrt(2000)

    def check(seed):
        options = {"false_alarm": 0.1, "miss": 0.1, "seed": seed, "independent_features": True}
        return check_variance(
            draw,
            lambda x, y: 2.0 * (x @ y.T) ** 2,
            np.ones((1, 1)),
            kurtosis=15.0,
            resolution=0.5,
            **options,
        )

    require_rate(check, 300, 0.1)
