"""What fuzzing has found: each is refused by the name of the argument, or answered rightly."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest

import mehler
from mehler import exact, learn, planning, report, statements, strategies, verify
from mehler.features import leverage
from mehler.statements import Plot, Series
from mehler.verify.intervals import known_variance

ROWS = np.random.default_rng(0).standard_normal((40, 3))
SAMPLES = np.random.default_rng(1).standard_normal(1000)
CURVE = Plot(
    title="K", x_label="r", y_label="K", series=[Series(label="K", x=[-1.0, 1.0], y=[0.0, 1.0])]
)
DATES = np.full((40, 2), np.datetime64("2020-01-01"))
TEXTS, COMPLEX = np.full((40, 2), "a"), np.full((40, 2), 1j)
OBJECTS = TEXTS.astype(object)
MAPS = {
    "kitchen sinks": lambda: mehler.KitchenSinks.draw(3, 4, activation="relu", seed=0),
    "maxout": lambda: mehler.MaxoutFeatures.draw(3, 4, 2, seed=0),
    "Fourier": lambda: mehler.FourierFeatures.draw(3, 4, form="offset", seed=0),
}


def fourier():
    return mehler.FourierFeatures.draw(3, 40, seed=0)


def large(seed, m):
    return lambda X: X @ np.random.default_rng(seed).standard_normal((3, m)) / m**0.5


@pytest.mark.parametrize("t", [DATES, TEXTS, COMPLEX, OBJECTS], ids=["dates", "text", "1j", "obj"])
@pytest.mark.parametrize("name", MAPS)
def test_distributions_take_real_numbers(name, t):
    with pytest.raises(TypeError, match=r"\bt (has dtype|is complex)"):
        MAPS[name]().feature_cdf(ROWS, t)


REFUSED = {
    "parts": [lambda: learn.RidgeSums.cross_validate(1j, [1.0])],
    "folds": [
        lambda: learn.ridge(fourier(), ROWS, ROWS[:, 0], lambdas=1.0, folds=[[1], [1, 2], 3])
    ],
    "drop": [lambda: report.load_rows(ROWS, drop=1j)],
    "columns": [lambda: report.load_rows(ROWS, columns=3)],
    "sources": [
        lambda: statements.discover(sources=[1]),
        lambda: statements.discover(sources=()),
    ],
    "near": [lambda: strategies.adversarial_pairs(n_inputs=2, near=[np.arange(3)])],
    "draws": [
        lambda: leverage.LeverageSampling(fourier(), 8, lam=1.0, seed=0, draws={}),
        lambda: leverage.LeverageSampling(fourier(), 8, lam=1.0, seed=0, draws=np.ones(3)),
    ],
    "map": [lambda: planning.plan(ROWS, map=1)],
    "data": [
        lambda: planning.plan(None, map=fourier()),
        lambda: planning.plan(TEXTS, map=fourier()),
    ],
    "X": [
        lambda: verify.check_convergence(large, 1e300 * ROWS[:4]),
        lambda: verify.check_convergence(large, 1e150 * ROWS[:4]),
    ],
    "x_scale": [lambda: exact.activation_kernel("relu", 0.5, 10**400)],
    "drop_missing": [lambda: report.load_rows(ROWS, drop_missing="false")],
    "y_log": [lambda: dataclasses.replace(CURVE, y_log="false")],
    "power": [lambda: exact.activation_kernel("relu", 0.5, power=2**63)],
    "eps": [lambda: planning.plan(ROWS, map=fourier(), eps=1e308)],
    "n_inputs": [lambda: strategies.Factory("codes", "3", 8, 4)],
    "x": [lambda: Series(label="K", x=1.0, y=[0.0])],
    "rows": [lambda: mehler.features.groups.BlockPermutations(3).apply(DATES[:, [0, 1, 1]])],
    "n_features": [
        lambda: mehler.features.RandomFunctions.draw(
            3, 2**31, function=np.matmul, law=lambda rng, d, m: np.ones((d, m)), seed=0
        )
    ],
    "projections": [lambda: mehler.features.projections.Sobol().draw(0, 2**31, 3, 4, "float64")],
    "gamma": [lambda: mehler.FourierFeatures.draw(3, 8, kernel="laplacian", gamma=1e308, seed=0)],
    "nu": [lambda: mehler.FourierFeatures.draw(3, 8, kernel="matern", nu=0.01, seed=0)],
    "independent_features": [
        lambda: verify.check_distribution(
            lambda seed: mehler.KitchenSinks.draw(3, 8, activation="relu", seed=seed),
            None,
            ROWS,
            independent_features="false",
        )
    ],
    "planned": [lambda: known_variance(SAMPLES, 1.0, 1e-9, planned=10**400)],
    "samples": [
        lambda: verify.check_mean(1e300 * SAMPLES[:, None], [[1.0]], mean=[0.0], resolution=0.1),
        lambda: known_variance(1e300 * SAMPLES, 1.0, 1e-9),
    ],
    "name": [
        lambda: verify.check_structure(lambda seed: fourier(), ROWS, name=1j),
        lambda: verify.check_convergence(large, ROWS, name=b"a"),
        lambda: verify.check_mean(SAMPLES, 0.0, resolution=0.5, name=np.ones(3)),
        lambda: verify.assert_kernel(large, "linear", ROWS, name=object()),
    ],
}


@pytest.mark.parametrize(
    ("argument", "call"),
    [(name, call) for name, calls in REFUSED.items() for call in calls],
    ids=[f"{name}-{i}" for name, calls in REFUSED.items() for i in range(len(calls))],
)
def test_refusals_name_the_argument(argument, call):
    with pytest.raises((TypeError, ValueError), match=rf"\b{argument}\b"):
        call()
