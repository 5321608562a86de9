"""What bounds, and what is made of them, refuse: the argument, a value, and the words.

A wrong number, for each argument of every bound, is refused in `test_formulas.py`.
"""

import math

import numpy as np
import pytest

from mehler.bounds import (
    Term,
    group_invariant,
    kernel_error,
    kitchen_sinks,
    leverage,
    lower,
    margin,
    ridge,
    solve,
    spectral,
)
from tests.bounds.test_formulas import make
from tests.bounds.test_function import error

ROWS = {"n_bins": 10, "n_rows": 12, "delta": 0.1, "window": 1.3}
SINKS = {"n_features": 5, "scale": 1.0, "delta": 0.05}
SCORES = {"n_scored": 9, "ridge": 0.1, "degrees_of_freedom": 2.0, "delta": 0.5}
BALL = {"n_features": 10**6, "ridge": 0.1, "degrees_of_freedom": 5.0, "delta": 0.1}
SET = {"n_features": 100, "dimension": 3, "diameter": 2.0, "delta": 0.01}
SPECTRUM = {"eigenvalues": [2.0, 1.0], "sup": 1.0}
RISK = {"ridge": 0.05, "norm": 2.0, "noise": 0.5, **SPECTRUM}
MARGINS = {"margins": [0.1], "delta": 0.1}
# A function, what is right, and one wrong argument, or a few that do not go together, with words.
REFUSED = [
    (group_invariant.kernel_error, ROWS | {"n_templates": 5}, [
        ({"group_order": 9}, "give n_elements"),
        ({"n_elements": 9, "group_order": 8}, "group_order=8 must be at least 9"),
        ({"templates": "gaussian"}, "give n_inputs"),
        ({"templates": "zero", "n_inputs": 4}, "leave n_inputs"),
        ({"templates": "gaussian", "n_inputs": 4, "n_elements": 3}, "n_elements=None"),
    ]),
    (kernel_error.one_pair, {"n_features": 10, "delta": 0.1}, [
        ({}, "exactly one of pool_size, variance"),
        ({"pool_size": 4, "variance": 1.0}, "not pool_size, variance"),
        ({"variance": 1.0, "rho": 0.5}, "rho goes with pool_size"),
        ({"variance": 1.0, "method": "chernoff"}, "method='chernoff' is not one of 'chebyshev'"),
        ({"sub_gamma": 3.0}, "not a pair"), ({"sub_gamma": (1.0, -1.0)}, "sub_gamma.*-1.0"),
    ]),
    (kernel_error.normal_quantile, {"n_features": 10, "delta": 0.1}, [
        ({}, "exactly one of pool_size"),
        ({"variance": 1.0, "rho": 0.5}, "exactly one of pool_size"),
    ]),
    (kernel_error.uniform, SET | {"pool_size": 4}, [
        ({"diameter": 2.5}, "exceeds 2"),
        ({"dimension": 1e301}, "too large for a doubling dimension"),
    ]),
    (kernel_error.uniform_by_slope, SET | {"slope": (1.5, 3.0), "width": 2.0}, [
        ({"slope": None}, "slope=None is not a pair"),
        ({"slope": (2.0, 1.0)}, "less than the square"),
        ({"pool_size": 4}, "has no argument pool_size: it takes n_features, "),
        ({"width": None}, "give exactly one of"),
        ({"width": None, "variance": 1.0, "method": "chaining"}, "needs width or increments"),
        ({"increments": 2.0}, "increments=2.0 is not a pair"),
    ]),
    (kitchen_sinks.approximation, SINKS, [
        ({"scale": 1.7e308}, "too large to be squared"),
        ({"norm": 1.5}, "norm=1.5 is not a number from 0 to 1"),
        ({"mean_square": 1.1}, "exceeds C"),
        ({"mean_square": 0.2, "norm": 0.5}, "below the square"),
        ({"scale": 1e-200, "feature_scale": 1e-200}, "other units|to be squared"),
    ]),
    # 0 times infinity: the difference of the squares of two equal numbers.
    (kitchen_sinks.approximation_greedy, {"n_features": 5, "total_weight": 1.7e308}, [
        ({"norm": 1.7e308}, "use other units"),
    ]),
    (kitchen_sinks.feature_scale_maxout, {"n_inputs": 3, "pool_size": 2, "radius": 1.0}, [
        ({"n_inputs": 10**400}, "^n_inputs=.*(overflow|fits into a float)"),
    ]),
    (leverage.approximation, BALL, [
        ({"largest_ratio": 4.0}, "its mean"),
        ({"norm": 1e200}, r"norm=1e\+200 is too large to be squared"),
        ({"ridge": 5e-324, "norm": 1e-9}, "other units|to be squared"),
    ]),
    (leverage.score_error, SCORES, [({"degrees_of_freedom": 1e-3}, "below 1/16")]),
    (leverage.probability_error, SCORES, [({"pool_size": 1}, "exceed pool_size")]),
    (lower.one_pair, {"n_features": 10, "delta": 0.1}, [
        ({}, "give pool_size, or variance and third, or collision"),
        ({"variance": 1.0}, "give pool_size, or variance and third"),
        ({"pool_size": 2, "collision": 0.1}, "give pool_size, or"),
        ({"pool_size": 2, "rho": -0.99}, "rho=-0.99 is below -0.95"),
    ]),
    (margin.error_rate, MARGINS, [
        ({"margins": []}, "margins has shape"),
        ({"margins": [0.1, 1.2]}, r"margins are up to 1\.2"),
        ({"margins": [0.1, math.nan]}, "NaN"), ({"margins": "abc"}, "margins"),
        ({"thresholds": ()}, "thresholds"), ({"thresholds": (0.5, -0.1)}, "thresholds"),
        ({"thresholds": 0.5}, "thresholds"),
    ]),
    (margin.error_rate_separated, {"n_samples": 10, "margin": 0.3, "delta": 0.1}, [
        ({"margin": 1.1}, "margin"), ({"below": 1.0}, "below"),
    ]),
    (ridge.excess_risk, RISK | {"n_features": 10}, [
        ({"sup": None, "leverage": 30.0, "design": "left-out"}, "needs sup"),
        ({"smoothness": 1.01}, "smoothness=1.01 must be at most 1"),
    ]),
    (spectral.gram_error, SPECTRUM | {"n_features": 10, "ridge": 1.0, "delta": 0.01}, [
        ({"sup": None}, "give sup, leverage or lipschitz"),
        ({"gram": np.eye(2)}, "give one of gram"),
        ({"eigenvalues": [-1.0, 1.0]}, "positive semidefinite"),
        ({"eigenvalues": [0.0]}, "must be positive"),
        ({"block": 3}, "n_features=10 is not a multiple of block=3"),
        ({"variance": np.eye(2)}, "give variance alone"),
        ({"sup": None, "variance": np.eye(3)}, "variance has shape"),
        ({"lipschitz": 1.7e308}, "lipschitz=1"), ({"lipschitz": 1e-200}, "lipschitz=1"),
    ]),
    (spectral.approximation, SPECTRUM | {"n_features": 10, "norm": 1.0, "kurtosis": 3.0}, [
        ({"kurtosis": None, "sup": None}, "give kurtosis"), ({"ridge": 1e-300}, "ridge"),
        ({"norm": 1e300}, "norm"), ({"sup": 1e-300}, "sup"), ({"leverage": 3.0}, "ridge"),
        ({"eigenvalues": None}, "eigenvalues"),
    ]),
    (error, {"n_features": 50, "n_rows": 10, "delta": 0.1}, [
        ({"n_rows": 0}, "n_rows=0 must be at least 1"),
        ({"delta": None}, "delta=None must be a real number"),
        ({"radii": 1.0}, "has no argument radii: it takes "),
        ({"delta": [0.1, 2.0]}, r"delta=2.0 .* \(at entry \[1\] of the array\)"),
        ({"radius": [1.0, math.nan]}, r"radius=nan .* \(at entry \[1\] of the array\)"),
        ({"delta": []}, "delta is empty"), ({"delta": ["a"]}, "delta has dtype"),
        ({"n_rows": [[10], [0]]}, r"n_rows=0 must be at least 1 \(at entry \[1, 0\]"),
        ({"n_rows": [10.5]}, r"n_rows=10.5 must be an integer.* \(at entry \[0\]"),
        ({"n_rows": [True]}, "n_rows has dtype bool: give numbers"),
        ({"delta": [[0.1], [0.1, 0.2]]}, "delta is a ragged list"),
        ({"delta": [0.1, 0.2], "n_rows": [1, 2, 3]}, r"shapes do not broadcast: n_rows \(3,\)"),
    ]),
    (lambda **options: solve(error, **options), {"at_most": 0.3, "n_rows": 10, "delta": 0.1}, [
        ({"n_features": 5}, "pass one required argument as None"),
        ({"n_features": None, "n_rows": None}, "not n_features, n_rows"),
        ({"n_features": 5, "n_rows": None}, "not n_rows: .*error falls in n_features"),
        ({"n_features": 5, "for_": "radius"}, "not radius: .*error falls in n_features"),
        ({"n_features": None, "at_most": 0.0}, "at_most=0.0 must be positive"),
        ({"n_features": None, "at_most": 1e-12}, "at_most=1e-12 is out of reach: with n_features"),
        ({"n_features": None, "at_most": [0.3]}, "at_most=.* must be a real number"),
        ({"n_features": None, "delta": [0.1, 0.2]}, "one number for each other argument"),
    ]),
    (make, {}, [
        ({"form": "guessed"}, "form='guessed'"), ({"terms": []}, "at least one"),
        ({"terms": [Term("a", 1), Term("a", 2)]}, "distinct names"),
        ({"probability": 1j}, "probability"), ({"trivial": "1"}, "trivial"),
    ]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("function", "right", "cases"), REFUSED, ids=[row[0].__name__ for row in REFUSED]
)
def test_what_does_not_go_together_is_refused_by_name(function, right, cases):
    for wrong, words in cases:
        with pytest.raises((TypeError, ValueError), match=words):
            function(**right | wrong)
