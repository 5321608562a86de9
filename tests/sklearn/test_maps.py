"""Maps that the samplers draw: their parameters arrive, and kernels are scikit-learn's."""

import warnings

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.datasets import load_digits
from sklearn.gaussian_process.kernels import RBF, Matern
from sklearn.metrics.pairwise import laplacian_kernel, rbf_kernel

import mehler
from mehler.features import groups, leverage
from mehler.features.spectra import Gaussian
from mehler.sklearn import FourierSampler, InvariantSampler, KitchenSinkSampler, LeverageSampler
from tests.sklearn._estimators import SAMPLERS, UNUSUAL, name_of

X = np.random.default_rng(5).standard_normal((12, 5))
Y = X[:, 0] + 0.1 * X[:, 1]
# What a parameter is left at so that rows or other parameters decide.
OPEN = (None, "auto", "scale")
FROM_MAP = [sampler for sampler in UNUSUAL if getattr(sampler, "kernel", None) != "laplacian"]
FROM_MAP = [sampler for sampler in FROM_MAP if not isinstance(sampler, LeverageSampler)]


def of_own_names(sampler):
    """The map by its own constructor, which knows the parameters by the names of maps."""
    parameters = {k: v for k, v in sampler.get_params(deep=False).items() if v not in OPEN}
    size = parameters.pop("n_components")
    if isinstance(sampler, InvariantSampler):
        return sampler._map.draw(
            5, n_templates=size, **parameters | {"group": parameters["group"](5)}, seed=7
        )
    return sampler._map.draw(5, n_features=size, **parameters, seed=7)


@pytest.mark.parametrize("sampler", FROM_MAP, ids=name_of)
def test_an_integer_state_is_the_seed_and_every_parameter_arrives(sampler):
    phi = of_own_names(sampler)
    fitted = clone(sampler).set_params(random_state=7).fit(X)
    assert fitted.map_.recipe() == phi.recipe()
    assert np.array_equal(fitted.transform(X), phi(X))
    assert np.array_equal(fitted.expected_kernel(X[:3], X[:2]), phi.kernel(X[:3], X[:2]))
    assert np.array_equal(fitted.expected_kernel(X[:2]), phi.kernel(X[:2]))


def test_the_table_of_maps_leaves_no_parameter_at_its_default():
    """A parameter that the table never moves could be forgotten by the estimator."""
    kinds = {type(sampler) for sampler in SAMPLERS}
    for kind in kinds - {LeverageSampler}:
        defaults = kind().get_params(deep=False)
        moved = {
            name
            for sampler in FROM_MAP
            if type(sampler) is kind
            for name, value in sampler.get_params(deep=False).items()
            if value is not defaults[name] and value != defaults[name]
        }
        # The first three have tests of their own below.
        assert set(defaults) - moved <= {"random_state", "kernel", "group", "activation"}


@pytest.mark.parametrize("length", [0.7, 2.0])
def test_fourier_kernels_are_scikit_learns(length):
    gamma, scale = 0.5 / length**2, 1 / (5 * X.var())
    cases = [
        (dict(gamma=gamma), rbf_kernel(X, gamma=gamma)),
        (dict(length_scale=length), RBF(length)(X)),
        (dict(gamma=None), rbf_kernel(X, gamma=1.0)),
        (dict(), rbf_kernel(X, gamma=scale)),
        (dict(gamma="scale"), rbf_kernel(X, gamma=scale)),
        (dict(kernel="laplacian", gamma=gamma), laplacian_kernel(X, gamma=gamma)),
        (dict(kernel="matern", length_scale=length), Matern(length)(X)),
        (dict(kernel="matern", length_scale=length, nu=0.8), Matern(length, nu=0.8)(X)),
        (dict(kernel="matern", nu=2.5, gamma=None), Matern(nu=2.5)(X)),
        (dict(kernel="matern", nu=2.5), Matern((0.5 / scale) ** 0.5, nu=2.5)(X)),
    ]
    for parameters, kernel in cases:
        computed = FourierSampler(n_components=4, **parameters).fit(X).expected_kernel(X)
        assert np.allclose(computed, kernel, rtol=1e-10, atol=1e-12), parameters
    assert FourierSampler().fit(np.ones((4, 2))).map_.spectrum.gamma == 1.0


def test_pairs_wherever_they_fit():
    assert FourierSampler(n_components=6).fit(X).map_.form == "pairs"
    assert FourierSampler(n_components=5).fit(X).map_.form == "offset"
    with pytest.raises(ValueError, match=r"n_components=5 is odd.*take 6, or form='auto'"):
        FourierSampler(n_components=5, form="pairs").fit(X)


@pytest.mark.parametrize("group", [None, groups.CyclicShifts, groups.CyclicShifts(5)])
def test_shifted_rows_have_the_same_features(group):
    sampler = InvariantSampler(group=group, random_state=0).fit(X)
    assert sampler.transform(X).shape == (12, 20 * 16)
    # Sums of five products in another order: a count may fall to the other side of a threshold.
    changes = np.abs(sampler.transform(np.roll(X, 2, axis=1)) - sampler.transform(X))
    assert np.mean(changes > 1e-12) < 1e-3


def test_a_scaled_window_sees_scaled_rows_alike():
    near = InvariantSampler(random_state=0)
    far = clone(near)
    a, b = near.fit_transform(X), far.fit_transform(8.0 * X)
    assert far.map_.bins.window == 8.0 * near.map_.bins.window
    assert np.array_equal(a > 0, b > 0)
    unit = X / np.linalg.norm(X, axis=1, keepdims=True)
    fixed = InvariantSampler(window=None).fit(unit).map_.bins.window
    assert InvariantSampler().fit(unit).map_.bins.window == pytest.approx(fixed, rel=1e-15)
    zeros = InvariantSampler().fit(np.zeros((2, 5))).map_.bins.window
    assert zeros == pytest.approx(fixed, rel=1e-15)


SELECTORS = {
    "leverage": lambda p: leverage.LeverageSampling(p, 6, lam=0.2, draws="iid", mix=0.3, seed=7),
    "plain": lambda p: leverage.PlainSampling(p, 6),
    "top-leverage": lambda p: leverage.TopLeverage(p, 6, lam=0.2),
}


@pytest.mark.parametrize("selection", SELECTORS)
def test_selections_are_those_of_the_selectors(selection):
    pool = mehler.KitchenSinks.draw(5, 40, activation="relu", seed=7)
    selected = SELECTORS[selection](pool).fit(X)
    sampler = LeverageSampler(
        pool=KitchenSinkSampler(n_components=40),
        n_components=6,
        selection=selection,
        lam=0.2,
        draws="iid",
        mix=0.3,
        random_state=7,
    ).fit(X, Y)
    assert sampler.map_.recipe() == selected.recipe()
    assert np.array_equal(sampler.transform(X), selected(X))


def test_a_pool_keeps_its_own_state_and_is_not_touched():
    pool = KitchenSinkSampler(n_components=40, random_state=3)
    sampler = LeverageSampler(pool=pool, n_components=6, random_state=7).fit(X)
    assert sampler.map_.pool.seed == 3
    assert not hasattr(pool, "map_")
    assert LeverageSampler(pool=clone(pool)).get_params()["pool__n_components"] == 40


def test_a_spectrum_of_ones_own_is_a_kernel():
    """It brings its parameters; the same kernel by name is the second route."""
    spectrum = Gaussian(gamma=0.3)
    x = np.random.default_rng(0).standard_normal((6, 3))
    ours = FourierSampler(kernel=spectrum, random_state=0).fit(x)
    sampler = FourierSampler(gamma=0.3, random_state=0).fit(x)
    assert np.array_equal(ours.transform(x), sampler.transform(x))
    assert np.array_equal(clone(ours).fit(x).transform(x), sampler.transform(x))
    with pytest.raises(ValueError, match="has its parameters: leave gamma out"):
        FourierSampler(kernel=spectrum, gamma=0.3).fit(x)


def test_shifts_of_the_columns_of_a_table_are_warned_of():
    rows = pd.DataFrame(X, columns=["age", "size", "height", "weight", "sex"])
    with pytest.warns(UserWarning, match="'age' and 'size'"):
        InvariantSampler(random_state=0).fit(rows)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        InvariantSampler(group=groups.CyclicShifts, random_state=0).fit(rows)


def test_pixels_are_a_grid():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        InvariantSampler(random_state=0, n_components=1).fit(load_digits(as_frame=True).data[:50])
