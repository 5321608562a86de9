"""One of every estimator, small, with what scikit-learn's own checks may set on it."""

from mehler.features import groups
from mehler.sklearn import (
    DecoupledMaxoutSampler,
    FourierSampler,
    InvariantSampler,
    KitchenSinkSampler,
    LeverageSampler,
    MaxoutHasher,
    MaxoutSampler,
    RandomFeatureRidge,
    RandomFeatureRidgeClassifier,
)

SAMPLERS = [
    MaxoutSampler(n_components=4),
    DecoupledMaxoutSampler(n_components=4),
    MaxoutHasher(n_components=4),
    FourierSampler(n_components=4),
    KitchenSinkSampler(n_components=4),
    # None warns of data frames whose columns have names.
    InvariantSampler(n_components=2, n_bins=2, group=groups.CyclicShifts),
    LeverageSampler(n_components=4),
    # An estimator is among its parameters.
    LeverageSampler(n_components=4, selection="top-leverage", pool=MaxoutSampler(n_components=20)),
]

RIDGES = [
    RandomFeatureRidge(features=MaxoutSampler(n_components=20)),
    RandomFeatureRidgeClassifier(features=MaxoutSampler(n_components=20)),
    RandomFeatureRidgeClassifier(
        features=FourierSampler(n_components=20), lambdas=1e-3, scoring="mse"
    ),
    RandomFeatureRidgeClassifier(
        features=MaxoutSampler(n_components=20), lambdas=1e-3, class_weight="balanced"
    ),
    # By folds.
    RandomFeatureRidgeClassifier(
        features=MaxoutSampler(n_components=20), lambdas=(1e-3, 1e-1), cv=2
    ),
]

# The same with every parameter off its default.
UNUSUAL = [
    MaxoutSampler(
        n_components=6, pool_size=3, centred=True, n_projections=5, projections="gaussian"
    ),
    MaxoutSampler(n_components=6, pool_size=2, projections="orthogonal"),
    DecoupledMaxoutSampler(
        n_components=6, pool_size=3, directions="fresh", projections="orthogonal"
    ),
    MaxoutHasher(n_components=6, pool_size=3, projections="sobol"),
    FourierSampler(n_components=6, gamma=0.3, form="offset", projections="orthogonal"),
    FourierSampler(n_components=6, kernel="laplacian", gamma="scale"),
    FourierSampler(n_components=6, kernel="matern", nu=2.5, length_scale=2.0),
    KitchenSinkSampler(n_components=6, activation="tanh", weight_scale=0.5, bias=0.2),
    KitchenSinkSampler(n_components=6, law="sphere", projections="orthogonal"),
    InvariantSampler(
        n_components=3,
        group=groups.Dihedral,
        n_bins=2,
        window=2.0,
        rule="dither",
        templates="redraw",
        epsilon=0.5,
        n_elements=3,
        replacement=True,
        own_elements=True,
    ),
    LeverageSampler(
        n_components=4, pool=KitchenSinkSampler(n_components=20), draws="iid", lam=0.1, mix=0.5
    ),
    LeverageSampler(n_components=4, selection="plain"),
    LeverageSampler(n_components=4, selection="top-leverage", lam=0.1),
]


def name_of(estimator: object) -> str:
    return repr(estimator).replace("\n", "").replace(" ", "")
