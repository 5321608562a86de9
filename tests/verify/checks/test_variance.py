"""check_variance: exact where kurtosis is declared, labelled where it is not, blind to kernels."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import mehler
from mehler.verify import Ledger, check_variance
from tests.verify.toys import Maxout, paired_fourier, paired_variance, points, require_rate

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


def test_a_map_without_kurtosis_gets_the_labelled_route():
    verdict = check_variance(partial(Maxout, n_inputs=4), None, X)
    assert verdict.holds
    assert verdict.method.startswith("bounded kurtosis")
    assert "kurtosis of one sample" in verdict.assumptions[1]


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
    one = np.ones((1, 1))
    options = {"independent_features": True, "seed": seed, "max_features": 2**19}
    verdict = check_variance(draw, variance, one, **options)
    assert verdict.status == "inconclusive", str(verdict)
    assert "kurtosis=" in verdict.reason
    # Too large needs no assumption, however heavy the tails.
    wrong = check_variance(draw, lambda x, y: 1e-3 * variance(x, y), one, **options)
    assert wrong.status == "refuted"
    assert "betting" in wrong.method


def test_heavy_tails_are_paid_for_by_their_kurtosis():
    """Products +-1, but +-8 with probability 1/256: variance 319/256, kurtosis 11.17."""

    def draw(seed):
        rng = np.random.default_rng(seed)
        size = np.where(rng.random(4000) < 1 / 256, 8.0, 1.0)
        z = np.stack([np.ones(4000), size * rng.choice([-1.0, 1.0], 4000)])
        return lambda x: z / np.sqrt(4000)

    def variance(x, y):
        # Products (1, 1), (1, z), (z, z) of rows 0 and 1; z^2 is 1 or 64.
        p = 1 / 256
        return np.array([[0.0, 1 + 63 * p], [1 + 63 * p, 63**2 * p * (1 - p)]])

    kurtosis = (255 / 256 + 8**4 / 256) / (319 / 256) ** 2
    verdict = check_variance(
        draw,
        variance,
        np.eye(2),
        np.eye(2),
        kurtosis=300.0,
        independent_features=True,
        resolution=0.3,
    )
    assert kurtosis < 300.0
    assert verdict.holds
    assert verdict.method.startswith("declared kurtosis")


def test_pairs_of_no_variance_must_not_move():
    draw = paired_fourier(0.2, 4, frequencies=20)
    x = points(2, 4)
    assert check_variance(draw, paired_variance(0.2), x, resolution=0.6).holds

    def trembling(seed):
        phi = draw(seed)
        return lambda rows: (1.0 + 1e-6 * (seed % 7)) * phi(rows)

    verdict = check_variance(trembling, paired_variance(0.2), x, resolution=0.6)
    assert verdict.status == "refuted"
    assert "declared variance is 0" in verdict.reason


def test_too_few_features_are_inconclusive_and_say_how_many_would_do():
    verdict = check_variance(OURS["maxout"], None, X, max_features=4000)
    assert verdict.status == "inconclusive"
    assert "features would decide" in verdict.reason


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


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"resolution": 1.0}, ValueError, "vacuous"),
        ({"variance": lambda x, y: 0.0 * (x @ y.T)}, ValueError, "0 at every pair"),
        ({"variance": lambda x, y: -np.ones((3, 3))}, ValueError, "not negative"),
        ({"kurtosis": 0.5}, ValueError, "below 1"),
        ({"max_features": 0}, ValueError, "max_features=0"),
        ({"draw": 3}, TypeError, "must be callable"),
    ],
)
def test_bad_input_is_refused_and_nothing_is_spent(options, error, message):
    ledger = Ledger()
    arguments = {"draw": partial(Maxout, n_inputs=4), "variance": None, "X": X} | options
    with pytest.raises(error, match=message):
        check_variance(**arguments, ledger=ledger)
    assert ledger.spent == 0.0
