"""Bad input is refused before any work, by a message that names argument, value and remedy."""

from functools import partial as of

import array_api_strict
import numpy as np
import pandas as pd
import pytest
from mehler.proofs_checks.group_invariant.image_rotations import SteerableRotations

import mehler
from mehler import features
from mehler.exact import Activation, activations
from mehler.features import PackedCodes, groups, leverage
from mehler.features.deep import critical_weight_variance
from tests.features.leverage.pools import POOLS, ROWS, D
from tests.verify.map_kinds import DRAWS

X = np.random.default_rng(2).standard_normal((6, 4))
GOOD = np.ones((2, 3))
BAD = np.array([[1.0, 1.0, 1.0], [1.0, 1.0, np.nan]])
TEMPLATES = np.random.default_rng(2).standard_normal((3, 4))
PHI = mehler.MaxoutFeatures.draw(3, 5, 2, seed=0)
SHIFTS = groups.CyclicShifts(3)
POOL = POOLS["pairs"][0]()
CODES = mehler.MaxoutCodes.draw(D, 8, 3, seed=0)
UNSTORED = mehler.MaxoutFeatures.draw(3, 8, 2, seed=0, stored=False)
PACKED = PackedCodes.pack(np.zeros((3, 70), int), 4)


maxout = of(mehler.MaxoutFeatures.draw, n_inputs=3, n_features=5, pool_size=2, seed=0)
decoupled = of(mehler.DecoupledMaxoutFeatures.draw, n_inputs=3, n_features=5, pool_size=2, seed=0)
fourier = of(mehler.FourierFeatures.draw, n_inputs=3, n_features=6, seed=0)
sinks = of(mehler.KitchenSinks.draw, n_inputs=3, n_features=4, activation="relu", seed=0)
stumps = of(sinks, law="stumps", activation="step", bias=2.0)
softmax = of(features.SoftmaxFeatures, n_inputs=3, n_features=60, seed=0)
local = of(features.LocalisedLinearFeatures.draw, n_inputs=3, n_features=60, seed=0)
invariant = of(
    mehler.GroupInvariantFeatures.draw, n_inputs=3, group=SHIFTS, n_bins=2, seed=0, n_templates=1
)
given = of(
    mehler.GroupInvariantFeatures.draw,
    n_inputs=4,
    group=groups.CyclicShifts(4),
    templates=TEMPLATES,
    n_bins=6,
    seed=0,
)
functions = of(
    features.RandomFunctions.draw,
    n_inputs=3,
    n_features=7,
    function=lambda rows, centres: rows @ centres,
    law=lambda rng, d, m: rng.uniform(-1, 1, (d, m)),
    seed=0,
)
network = of(
    mehler.DeepFeatures.draw, n_inputs=4, widths=(3,), activation="maxout", pool_size=3, seed=0
)
deep = of(mehler.DeepKernel, activation="maxout", depth=2, pool_size=4)
relu = mehler.DeepKernel("relu", 3, weight_variance=2.0)
PAIRS = activations.Pairs(*(np.asarray(v) for v in (1.0, 0.0, 2.0, 1.0, 1.0)))
RELU = activations.activation_of("relu")
WRONG = Activation("t", lambda xp, t: xp.tanh(t), derivative=lambda xp, t: 1 - xp.tanh(t))
# The sums of columns are no function of an element, and steps are 0 on rows that point one way.
SUMS = sinks(activation=lambda t: t.sum(axis=1))
STEPS = mehler.KitchenSinks.draw(2, 12, activation="step", seed=0)
FEW = leverage.LeverageSampling(STEPS, 11, lam=0.01, mix=0.0, draws="without replacement", seed=0)
scores = of(leverage.ridge_leverage_scores, Phi=X, lam=0.1)
plain = of(leverage.PlainSampling, pool=POOL, n_features=4)
sampling = of(leverage.LeverageSampling, pool=POOL, n_features=4, lam=0.1, seed=0)
selected = of(
    features.SelectedFeatures,
    n_inputs=D,
    n_features=2,
    seed=0,
    pool=POOL,
    columns=[0, 12],
    gains=[1.0, 1.0],
    unbiased=False,
)


def exponent(q, near, far):
    return mehler.MaxoutCodes.draw(3, 2, q, seed=0).exponent(near, far)


VALUES = [
    # -- rows --
    (UNSTORED, {"X": BAD}, "NaN or infinity"),
    (next(UNSTORED.unit_blocks()), {"X": X}, "4 columns but the map was drawn for n_inputs=3"),
    (PHI.products, {"X": GOOD, "Y": np.ones((3, 3))}, "paired row by row"),
    (PHI.gram, {"X": GOOD[0]}, r"use X.reshape\(1, -1\) for a single row"),
    (PHI.gram, {"X": GOOD, "Y": GOOD[0]}, r"use Y.reshape\(1, -1\) for a single row"),
    (PHI.local_coefficients, {"X": GOOD, "weights": np.ones(4)}, r"weights has shape \(4,\)"),
    (PHI.local_coefficients, {"X": GOOD, "weights": np.ones((5, 2, 2))}, "weights has shape"),
    (PHI.local_coefficients, {"X": GOOD, "weights": np.full(5, np.nan)}, "weights"),
    (CODES.similarity, {"C": np.ones((2, 4), int)}, r"shape \(rows, 8\)"),
    (softmax(form="trigonometric"), {"X": 30 * GOOD}, "features by SoftmaxFeatures overflow in"),
    # -- maxout, codes, packed codes --
    (maxout, {"pool_size": 0}, "pool_size=.* must be at least 1"),
    (maxout, {"n_features": 0}, "n_features=.* must be at least 1"),
    (maxout, {"n_features": 2**62}, "TiB of weights"),
    (maxout, {"n_projections": 1}, "n_projections=1 cannot give each unit pool_size=2"),
    (maxout, {"n_projections": 9, "projections": "hadamard"}, "one pool must be independent"),
    (maxout, {"projections": "fast"}, "projections='fast' is not one of"),
    (maxout, {"projections": "halton"}, r"'halton' was removed after mehler 0\.3\.0: "),
    (maxout, {"projections": "sobol", "stored": False}, "'sobol' cannot be drawn"),
    (decoupled, {"projections": "orthogonal"}, "take directions='fresh'"),
    (maxout(projections="orthogonal").unit_blocks, {}, "take projections='gaussian'"),
    (UNSTORED.unit_blocks, {"size": 0}, "size"),
    # Of the second collision 1e-16 is computed for 1e-68; of the next, 0.56 for less than 0.2.
    *(
        (of(exponent, q, -0.5), {"far": far}, f"far={far}")
        for q, far in ((64, -0.99), (4096, -0.9))
    ),
    *(
        (of(exponent, 4), {"near": near, "far": far}, "near=")
        for near, far in ((0.5, 0.5), (0.2, 0.5), (0.5, -1.0), (1.5, 0.0))
    ),
    (of(exponent, 1), {"near": 0.5, "far": 0.0}, "pool_size=1"),
    (PackedCodes.pack, {"codes": np.ones(3, int), "pool_size": 4}, "must have shape"),
    (PackedCodes.pack, {"codes": np.ones((0, 3), int), "pool_size": 4}, r"not \(0, 3\)"),
    (PackedCodes.pack, {"codes": np.array([[0, 4]]), "pool_size": 4}, "digit 4, but .* are 0 to 3"),
    (PackedCodes.pack, {"codes": np.array([[-1]]), "pool_size": 4}, "holds the digit -1"),
    (PackedCodes.pack, {"codes": np.array([[0, 1]]), "pool_size": 0}, "pool_size"),
    (
        PACKED.similarity,
        {"other": PackedCodes.pack(np.zeros((3, 70), int), 3)},
        "70 digits below 3, these have 70 digits below 4",
    ),
    (lambda: PackedCodes(PACKED.words[:, :1], 70, 4), {}, r"take \(rows, 2, 2\)"),
    # -- waves --
    (fourier, {"n_features": 5}, "two features per frequency: take 6, or form='offset'"),
    (fourier, {"kernel": "gaussian"}, "kernel='gaussian' is not one of 'rbf', 'laplacian'"),
    (fourier, {"gamma": 0}, "gamma=.* must be positive and finite"),
    (fourier, {"length_scale": 1.0}, "kernel='rbf' has no length_scale: it takes gamma"),
    (fourier, {"kernel": "matern", "gamma": 1.0}, "it takes nu and length_scale"),
    (fourier, {"kernel": "matern", "nu": 51}, "nu=51.0 is more than 50"),
    (fourier, {"form": "complex"}, "form='complex' is not one of 'pairs', 'offset'"),
    (fourier, {"projections": "fast"}, "projections='fast' is not one of 'gaussian'"),
    (fourier, {"kernel": "laplacian", "projections": "orthogonal"}, "not isotropic.*take 'gaus"),
    (fourier, {"n_inputs": 30_000, "projections": "sobol"}, "21201 coordinates a unit"),
    (fourier, {"n_features": 2**50}, "TiB of weights"),
    (local, {"n_features": 61}, "n_features=61 is not a multiple of n_inputs=3"),
    (local, {"n_features": 9}, "odd"),
    (local, {"kernel": "cubic"}, "kernel"),
    (softmax, {"form": "negative"}, "form='negative' is not one of"),
    (softmax, {"kernel": "rbf"}, "kernel='rbf' is not one of"),
    (softmax, {"projections": "sobol"}, "projections='sobol' is not one of"),
    (softmax, {"form": "trigonometric", "tilted_at": 1.0}, "leave it out"),
    (softmax, {"scale": -1.0}, "scale=-1.0 must be positive"),
    (softmax, {"n_features": 7}, "n_features=7 is odd"),
    # -- kitchen sinks --
    (sinks, {"activation": "swish"}, "is not one of "),
    (sinks, {"weight_scale": 0}, "weight_scale=0"),
    (sinks, {"bias": -1.0}, "bias=-1.0"),
    (sinks, {"bias": "uniform"}, "cos and sin"),
    (sinks, {"law": "cauchy"}, "law='cauchy'"),
    (sinks, {"activation": "tanh", "law": "sphere"}, "law='gaussian'"),
    (sinks, {"law": print}, r"law=.* is not one of"),
    (sinks, {"projections": "dense"}, "projections='dense'"),
    (stumps, {"bias": 0.0}, "bias=0.0 must be a number above 0"),
    (stumps, {"bias": "uniform", "activation": "cos"}, "bias='uniform' must be a number above 0"),
    (stumps, {"projections": "orthogonal"}, "leave projections out"),
    (stumps(activation="tanh").kernel, {"X": GOOD}, "law='stumps'"),
    (stumps(activation="tanh").product_kurtosis, {"X": GOOD}, "law='stumps'"),
    (functions, {"law": lambda rng, d, m: np.ones((m, d))}, "last axis"),
    (functions, {"law": lambda rng, d, m: np.full((d, m), np.nan)}, "NaN"),
    (functions(function=lambda r, c: r), {"X": GOOD}, r"must return shape \(2, 7\)"),
    (functions().kernel, {"X": GOOD}, r"draw the map with kernel=.*gram\(X\)"),
    (functions().variance, {"X": GOOD}, r"draw the map with variance=.*gram\(X\)"),
    (SUMS, {"X": GOOD}, "element by element"),
    (SUMS.kernel, {"X": GOOD}, "element by element"),
    (sinks(activation=np.tanh).recipe, {}, "use a name"),
    (lambda: sinks(activation=np.tanh).feature_cdf(GOOD, X[:2, :1]), {}, "no known distribution"),
    (of(RELU.moment, PAIRS), {"power": 0}, "power=0 must be at least 1"),
    (RELU.has_closed_form, {"power": 0}, "power=0 must be at least 1"),
    # -- invariant features and groups --
    (invariant, {"n_templates": None}, "give n_features, or n_templates"),
    (invariant, {"n_templates": None, "n_features": 13}, "not a multiple of the 4 columns of a t"),
    (invariant, {"n_features": 12, "n_templates": 4}, "are n_features=16, not 12"),
    (invariant, {"n_templates": 0}, "n_templates=.* must be at least 1"),
    (invariant, {"n_bins": 0}, "n_bins=.* must be at least 1"),
    (invariant, {"window": -1.0}, "window=-1.0"),
    (invariant, {"window": 10**400}, "window"),
    (invariant, {"rule": "simpson"}, "rule='simpson'"),
    (invariant, {"templates": "cube"}, "templates='cube'"),
    (invariant, {"templates": "redraw", "epsilon": 0}, "epsilon=0"),
    (invariant, {"n_elements": 4}, "not n_elements=4 distinct ones"),
    (invariant, {"n_elements": 0}, "n_elements=.* must be at least 1"),
    (invariant, {"group": groups.CyclicShifts(4)}, "not n_inputs=3"),
    (invariant, {"n_templates": 2**45}, "TiB of weights"),
    (given, {"templates": TEMPLATES[:, :2]}, r"templates has shape \(3, 2\)"),
    (given, {"templates": TEMPLATES[0]}, r"templates has shape \(4,\)"),
    (given, {"templates": TEMPLATES * np.nan}, "templates holds NaN"),
    (given, {"templates": np.zeros((2, 4))}, "templates are all 0"),
    (given, {"n_elements": 2}, "own go with all elements and no dither"),
    (given, {"rule": "dither"}, "own go with all elements and no dither"),
    (given, {"templates": 3}, "must be the name of a law, or one row"),
    (given, {"n_templates": 2}, "n_templates=2 but templates has 3 rows"),
    (given, {"n_features": 10}, "n_templates=3"),
    (groups.BlockPermutations, {"n_inputs": 7, "n_blocks": 2}, "do not split into n_blocks=2"),
    (groups.CyclicShifts, {"n_inputs": 0}, "n_inputs=.* must be at least 1"),
    (groups.Dihedral, {"n_inputs": 2}, "at least 3"),
    (groups.SignFlips, {"n_inputs": 3, "moved": 4}, "moved=.* must be at most 3"),
    (of(groups.ImageShifts, height=3, width=3), {"fill": "mirror"}, "'wrap', 'zero'"),
    (of(groups.ImageShifts, height=3, width=3), {"fill": "zero"}, "goes with max_shift="),
    (of(groups.ImageShifts, height=3, width=3), {"max_shift": 2}, "max_shift=.* at most 1"),
    (lambda: SteerableRotations(1, 3, 4), {}, "height=.* must be at least 2"),
    (lambda: SteerableRotations(3, 3, 4, bandlimit=1.5), {}, "at most 1"),
    (lambda: SteerableRotations(3, 3, 4, bandlimit=0.1), {}, "nothing that t"),
    (lambda: SteerableRotations(500, 500, 4), {}, "takes more than"),
    (groups.LinearMaps, {"maps": []}, "at least one"),
    (groups.LinearMaps, {"maps": [np.ones((2, 3))]}, r"maps\[0\] has shape"),
    (groups.LinearMaps, {"maps": [np.abs], "n_inputs": 2}, "not a linear function"),
    (groups.LinearMaps, {"maps": [np.abs]}, "n_inputs is not known"),
    (lambda: SHIFTS.subset([0]), {}, r"shape \(r, 1\)"),
    (lambda: SHIFTS.subset([[0, 1]]), {}, r"shape \(r, 1\)"),
    (lambda: SHIFTS.apply(GOOD, [[0.5]]), {}, "integers"),
    (lambda: SHIFTS.apply(GOOD, [1]), {}, "one a row"),
    (lambda: SHIFTS.apply(np.ones(3)), {}, r"acts on \(n, 3\)"),
    (lambda: SHIFTS.sample(0, None), {}, "r=.* must be at least 1"),
    (lambda: groups.BlockPermutations(3).subset([[0, 0, 1]]), {}, "not all elements"),
    (lambda: groups.BlockPermutations(3).subset([[0, 1, 7]]), {}, "not all elements"),
    (lambda: groups.SignFlips(3).subset([[2, 1, 1]]), {}, "not all elements"),
    (lambda: groups.DirectProduct(SHIFTS, groups.SignFlips(4)), {}, "acts on 3 coord.* on 4"),
    # -- recipes --
    (groups.from_recipe, {"recipe": {"group": "TimeWarps"}}, "was removed after mehler 0.3.0"),
    (groups.from_recipe, {"recipe": {"group": "Monster"}}, "names the group 'Monster'"),
    (groups.from_recipe, {"recipe": {"group": "Dihedral"}}, "does not fit"),
    (mehler.from_recipe, {"recipe": {"map": "Foo"}}, "names the map 'Foo'"),
    (mehler.from_recipe, {"recipe": {"map": "MaxoutCodes", "n_inputs": 3}}, "does not fit"),
    *(
        (mehler.from_recipe, {"recipe": {**PHI.recipe(), "mehler": version}}, words)
        for version, words in (
            *(("99.0.0", "update mehler"), ("99.0", "update")),
            *(("new", "not a version"), (1, "not a version")),
        )
    ),
    # -- deep networks and kernels --
    (mehler.DeepKernel("step", 2).ntk, {"X": X[:2]}, "jumps"),
    (mehler.DeepKernel(np.sign, 2).ntk, {"X": X[:2]}, "declares no derivative: give it one"),
    (mehler.DeepKernel(np.tanh, 2).ntk, {"X": X[:2]}, "declares no derivative: give it one"),
    (mehler.DeepKernel(WRONG, 1).ntk, {"X": X}, "a derivative that does not fit its function"),
    (network, {"widths": ()}, "widths is empty"),
    (network, {"widths": (3, 0)}, r"widths\[1\]=0 must be at least 1"),
    (network, {"pool_size": None}, "needs pool_size"),
    (network().unit_blocks, {}, "cannot be drawn individually"),
    (network(activation=np.tanh, pool_size=None).recipe, {}, "no recipe"),
    (deep, {"depth": 0}, "depth=0 must be at least 1"),
    (deep, {"weight_variance": 0.0}, "weight_variance=0.0 must be positive"),
    (deep, {"weight_variance": np.nan}, "weight_variance=nan"),
    (deep, {"bias_variance": -0.1}, "bias_variance=-0.1 must be at least 0"),
    (deep, {"pool_size": None}, "needs pool_size"),
    (deep, {"pool_size": 0}, "pool_size=0"),
    (deep, {"activation": "relu"}, "pool_size=4 is for activation='maxout' alone"),
    (deep, {"activation": "selu", "pool_size": None}, "'selu' is not one of"),
    (critical_weight_variance, {"pool_size": 0}, "pool_size="),
    (relu.ntk, {"X": GOOD, "Y": BAD}, "Y holds NaN"),
    (relu.ntk, {"X": X, "Y": GOOD}, "X and Y have 4 and 3 columns"),
    (relu.nngp, {"X": X[0]}, r"reshape\(1, -1\)"),
    (mehler.DeepKernel("relu2", 40, weight_variance=9.0).nngp, {"X": X}, "standard deviation a"),
    # -- leverage --
    (scores, {"lam": 0.0}, "lam=0.0 must be positive and finite"),
    (scores, {"lam": float("nan")}, "must be positive and finite"),
    (scores, {"method": "inverse"}, "is not one of 'auto', 'svd', 'gram'"),
    (scores, {"method": "gram", "lam": 1e-15}, "use method='svd'"),
    (scores, {"groups": [0, 1]}, "one label per feature"),
    (scores, {"groups": [0.0, 1.0, 2.0, 3.0]}, "one label per feature"),
    (scores, {"pool_weights": [0.5, 0.5]}, "each of the 4 features"),
    (scores, {"pool_weights": [0.5, 0.5, 0.0, 0.0]}, "drop features of weight 0"),
    (scores, {"pool_weights": [0.5, 0.5, 0.5, 0.5]}, "divide them by their sum"),
    (scores, {"Phi": X[0]}, "Phi must have shape"),
    (plain, {"n_features": 5}, "not a multiple of 2"),
    (plain, {"n_features": 26}, "exceeds the pool's 24"),
    (plain, {"n_features": 0}, "n_features"),
    (plain, {"groups": np.arange(24)}, "groups split a unit"),
    (sampling, {"lam": 0.0}, "must be positive and finite"),
    (sampling, {"mix": -0.1}, "mix=-0.1"),
    (sampling, {"mix": 1.1}, "mix=1.1"),
    (sampling, {"draws": "random"}, "draws='random' is not"),
    (sampling().fit, {"X": ROWS[:, :2]}, "columns"),
    (FEW.fit, {"X": np.array([[1.0, 0.0], [2.0, 0.0]])}, r"mix=0.0 draws from .* groups of 12"),
    (selected, {"columns": [1, 0]}, "ascending"),
    (selected, {"columns": [0, 24]}, "below the pool's 24"),
    (selected, {"gains": [1.0]}, "one of each a feature"),
    (selected, {"gains": [1.0, 0.0]}, "positive"),
    (selected, {"variance_factors": [0.0]}, "three numbers"),
]
TYPES = [
    # -- rows --
    (PHI, {"X": pd.DataFrame(GOOD > 2).astype(str)}, "X is a DataFrame whose columns .* encode"),
    (PHI, {"X": pd.DataFrame(GOOD.astype("M8[s]"))}, "dates as numbers of days"),
    (PHI, {"X": pd.DataFrame(GOOD).astype("Float64")}, r"nullable columns by astype\(float\)"),
    (PHI.products, {"X": GOOD, "Y": None}, "Y must be an array"),
    (PHI.products, {"X": "x", "Y": GOOD}, "X must be an array"),
    (PHI.local_coefficients, {"X": GOOD, "weights": [1.0] * 5}, "weights"),
    (CODES.similarity, {"C": np.ones((2, 8))}, "integer codes"),
    # -- maxout, codes, packed codes --
    (maxout, {"pool_size": 2.0}, "pool_size=.* must be an integer"),
    (maxout, {"seed": None}, "seed must be a non-negative integer"),
    (maxout, {"dtype": "float16"}, "float32"),
    (maxout, {"like": "numpy"}, "like="),
    (maxout, {"stored": 0}, "stored=0 must be True or False"),
    (UNSTORED.unit_blocks, {"size": 2.5}, "size"),
    (lambda: mehler.MaxoutFeatures.draw(4), {}, "missing 2 .* 'n_features' and 'pool_size'"),
    (PackedCodes.pack, {"codes": GOOD, "pool_size": 4}, "codes must hold integer codes"),
    (PackedCodes.pack, {"codes": [[0, 1]], "pool_size": 4}, "numpy.asarray"),
    (PackedCodes.pack, {"codes": np.zeros((1, 2), int), "pool_size": 2.0}, r"use int\(pool_size\)"),
    (PACKED.agreements, {"other": GOOD}, "other must be a PackedCodes, not a ndarray"),
    (lambda: PackedCodes(PACKED.words.astype(int), 70, 4), {}, "uint64 with 3 axes"),
    # -- waves and kitchen sinks --
    (lambda: mehler.FourierFeatures.draw(3, 4, "rbf", seed=0), {}, "takes 3 positional arguments"),
    *(
        (draw, {"n_features": 12, "sed": 26}, "draw has no argument sed: it takes .*; seed is")
        for draw in DRAWS.values()
        if isinstance(draw, of)
    ),
    (fourier, {"seed": np.random.default_rng(0)}, "seed must be a non-negative integer"),
    (fourier, {"seed": np.array(3)}, "seed must be a non-negative integer"),
    (fourier, {"n_features": np.float64(4)}, r"use int\(n_features\)"),
    (fourier, {"gamma": np.array(1.0)}, "takes no array: pass float"),
    (fourier, {"gamma": "wide"}, "gamma=.* must be a real number"),
    (sinks, {"activation": None}, "neither a name nor a function"),
    (sinks, {"bias": "unifrom"}, "a number of at least 0 or 'uniform'"),
    (sinks, {"weight_scale": "1"}, "weight_scale"),
    (functions, {"function": 3}, "function"),
    (functions, {"law": "gaussian"}, "law"),
    (functions, {"kernel": 1}, "kernel"),
    (of(RELU.moment, PAIRS), {"power": 1.5}, r"power=1.5 must be an integer"),
    (RELU.has_closed_form, {"power": 1.5}, r"power=1.5 must be an integer"),
    # -- invariant features, groups, recipes --
    (invariant, {"window": "wide"}, "window='wide'"),
    (invariant, {"window": np.array(1.0)}, "window"),
    (invariant, {"window": True}, "window"),
    (invariant, {"group": np.eye(3)}, r"use groups.LinearMaps\(...\)"),
    (given, {"templates": TEMPLATES * 1j}, "templates must hold real numbers.*complex128"),
    (lambda: SHIFTS.sample(2, 0), {}, "rng must be a Generator"),
    (lambda: groups.DirectProduct(3, 4), {}, "must be a group"),
    (lambda: SHIFTS.apply(np.ma.masked_less(GOOD, 2.0)), {}, "rows is a masked array"),
    (lambda: type("CyclicShifts", (groups.Group,), {}), {}, "named CyclicShifts: take another"),
    (lambda: type("MaxoutFeatures", (features.FeatureMap,), {}), {}, "named MaxoutFeatures: take"),
    (groups.from_recipe, {"recipe": None}, "must be a dict"),
    (mehler.from_recipe, {"recipe": [("map", "MaxoutCodes")]}, "must be a dict"),
    # -- deep networks and kernels, leverage --
    (network, {"widths": 3}, "widths=3 must be several"),
    (network, {"widths": (2.5,)}, r"widths\[0\]=2.5"),
    (network, {"seed": None}, "seed must be"),
    (deep, {"depth": 2.0}, "depth=2.0 must be an integer"),
    (deep, {"depth": True}, "depth=True"),
    (deep, {"bias_variance": "0"}, "bias_variance='0'"),
    (deep, {"pool_size": 2.0}, "pool_size=2.0"),
    (deep, {"activation": 3, "pool_size": None}, "neither a name nor a function"),
    (critical_weight_variance, {"pool_size": True}, "pool_size="),
    (relu.ntk, {"X": X, "return_error": "yes"}, "return_error='yes'"),
    (scores, {"lam": "small"}, "must be a real number"),
    (plain, {"pool": None}, "pool must be a map"),
    (plain, {"pool": CODES}, "real features"),
    (sampling, {"seed": None}, "seed"),
    (sampling, {"mix": True}, "mix="),
    (sampling().law, {"scores": np.ones(4)}, "scores must be a LeverageScores"),
]


@pytest.mark.parametrize(("error", "table"), [(ValueError, VALUES), (TypeError, TYPES)])
def test_what_is_refused_is_named(error, table):
    for call, options, words in table:
        with pytest.raises(error, match=words):
            call(**options)


def test_rows_on_two_devices_are_refused():
    here, there = (
        array_api_strict.ones((2, 3), device=array_api_strict.Device(name))
        for name in ("CPU_DEVICE", "device1")
    )
    with pytest.raises(ValueError, match=r"X lives on .*device1.* but the weights"):
        PHI.to(here)(there)
    with pytest.raises(ValueError, match="Y lives on"):
        PHI.kernel(here, there)


def test_traced_options_are_refused_by_name():
    jax = pytest.importorskip("jax")
    with pytest.raises(TypeError, match="window="):
        jax.jit(lambda s: invariant(window=s).bins.window)(1.0)
    with pytest.raises(TypeError, match="templates is traced"):
        jax.jit(lambda s: given(templates=s * jax.numpy.eye(4)).bins.window)(1.0)
    with pytest.raises(TypeError, match="NumPy reads"):
        jax.jit(lambda s: SHIFTS.apply(s * jax.numpy.eye(3)))(1.0)
