"""Mistakes that a type checker must see: one in each statement below the imports."""

import numpy as np

import mehler
from mehler import exact, kernels, learn, strategies
from mehler.bounds import kernel_error
from mehler.features import DeepKernel, LocalisedLinearFeatures, groups, leverage, projections
from mehler.sklearn import (
    DecoupledMaxoutSampler,
    FourierSampler,
    InvariantSampler,
    KitchenSinkSampler,
    LeverageSampler,
    MaxoutSampler,
    RandomFeatureRidge,
    RandomFeatureRidgeClassifier,
)
from mehler.torch import RandomFeatures

X, y = np.ones((3, 3)), np.ones(3)
phi = mehler.FourierFeatures.draw(3, 8, seed=0)
mehler.FourierFeatures.draw(3, 8)
mehler.FourierFeatures.draw(3, 8, seed=0, gama=1.0)
mehler.FourierFeatures.draw(3, 8, seed=0, kernel="rbff")
mehler.FourierFeatures.draw(3, 8, seed=0, form="both")
mehler.KitchenSinks.draw(3, 8, seed=0, activation="rleu")
mehler.KitchenSinks.draw(3, 8, seed=0, activation="relu", law="gausian")
mehler.KitchenSinks.draw(3, 8, seed=0, activation="cos", bias="unifrom")
mehler.MaxoutFeatures.draw(3, 8, seed=0)
mehler.MaxoutFeatures.draw(3, 8, 2, seed=0, projections="ortho")
mehler.DecoupledMaxoutFeatures.draw(3, 8, 2, seed=0, directions="both")
mehler.DeepFeatures.draw(3, (8, 8), activation="rleu", seed=0)
DeepKernel("rleu", depth=2)
mehler.GroupInvariantFeatures.draw(3, group=groups.CyclicShifts(3), seed=0, rule="midle")
RandomFeatures(mehler.FourierFeatures, 3, 100, seed=0, bandwidth="learnt")
FourierSampler(gama=1.0)
FourierSampler(gamma="scael")
FourierSampler(kernel="rbff")
FourierSampler(form="both")
KitchenSinkSampler(activation="rleu")
KitchenSinkSampler(law="gausian")
MaxoutSampler(projections="ortho")
DecoupledMaxoutSampler(directions="both")
InvariantSampler(templates="spheres")
LeverageSampler(selection="best")
LeverageSampler(draws="all")
RandomFeatureRidge(alpha=1.0)
RandomFeatureRidgeClassifier(scoring="accuracy")
FourierSampler().set_params(gamma=1.0).fit_trasnform(X)
learn.ridge(phi, X, y, lambdas=1.0, scoring="best")
learn.box_erm(X, y, scale=1.0, loss="hinje")
leverage.ridge_leverage_scores(X, lam=1.0, method="qr")
mehler.verify.chek_kernel(phi)
mehler.bounds.kernel_error.some(10)
exact.activation_kernel("rleu", X)
kernels.make("gausian")
groups.ImageShifts(4, 4, max_shift=1, fill="zeros")
projections.named("ortho")
LocalisedLinearFeatures.draw(3, 12, seed=0, kernel="rbff")
kernel_error.slope_fourier(3, gamma=1.0, form="both")
learn.RidgeSums(phi).add(X, y).solve(1.0, intercept="no")
learn.spectral_error(X, X, "1")
RandomFeatureRidgeClassifier(class_weight="balance")
strategies.factories(n_inputs=3, kinds=["foruier"])
strategies.edge_case_arrays(n_inputs=3, dtype="flaot32")
wrong: int = learn.ridge(phi, X, y, lambdas=1.0).lam
