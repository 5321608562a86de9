"""What takes the place of an argument of any other check, and what it then says."""

from typing import Any

import numpy as np
from mehler.proofs_checks.depth import positive_definite, spectrum
from mehler.proofs_checks.features import clipped_ridge, gram_error, margin, nearest, ridge, uniform
from mehler.proofs_checks.fourier import kernel as fourier
from mehler.proofs_checks.fourier import orthogonal, pairs_variance, softmax_variance, structured

from mehler import FourierFeatures, KitchenSinks, exact
from mehler.bounds import Bound, kernel_error, kitchen_sinks, leverage, spectral
from mehler.bounds import margin as margins
from mehler.bounds import ridge as risks
from mehler.features.leverage import ridge_leverage_scores
from mehler.proofs_checks import kitchen_sinks as sinks
from mehler.proofs_checks import leverage as sampling
from tests.proofs_checks.mutations._row import called, scaled


class Narrower(FourierFeatures):
    """Spectral variance without its factor 2."""

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        *rest, weights = super()._draw(dtype, units)
        return (*rest, weights / np.sqrt(2.0))


class OneLength(FourierFeatures):
    """The length sqrt(d) for every direction."""

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        (weights,) = super()._draw(dtype, units)
        lengths = np.linalg.norm(weights, axis=1, keepdims=True)
        return (weights * (np.sqrt(weights.shape[1]) / lengths),)


class Unturned(FourierFeatures):
    """Structured blocks whose first transform is not normalised."""

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        places, signs, *rest = super()._draw(dtype, units)
        return (places, 1.3 * signs, *rest)


class Repeated(FourierFeatures):
    """Structured blocks with every second frequency equal to the one before it."""

    def __call__(self, X: Any, **options: Any) -> Any:
        return np.repeat(super().__call__(X, **options)[:, ::2], 2, axis=1)


def one_missing(q: int, n: int) -> Any:
    """The coefficients with one that is negative."""
    coefficients = np.array(exact.collision_coefficients(q, n))
    coefficients[30] = -1e-9
    return coefficients


def ridge_not_scaled(phi: Any, ridge: float, **options: Any) -> Any:
    """The ridge of the Gram without 1/M_0, with the Gram that has it."""
    return ridge_leverage_scores(phi, ridge / phi.shape[1], **options)


def repeats_once(counts: Any, expected: Any, pool_size: int) -> Any:
    """Features that are drawn twice have the weight of one."""
    return sampling.algorithm_1.by_density(np.minimum(counts, 1), expected, pool_size)


def forgetful(*sizes: int, feature_scale: float, **options: Any) -> Bound:
    """Lemma 1 that forgets what the features were divided by."""
    return kitchen_sinks.approximation(*sizes, **options)


def unbiased_weights(*sizes: int, bias: float, **options: Any) -> Any:
    """The offset of the projections is forgotten."""
    return KitchenSinks.draw(*sizes, **options)


SQUARED = called(
    "the square of the spread, as if errors of first order cancelled",
    lambda spread, tau: spread**2 / (1 - spread) * (1 - tau),
)
LARGEST = called(
    "the largest coefficient for the sum of all",
    lambda alpha, deviation: sampling.lemma_7.promised(
        np.max(np.abs(alpha), keepdims=True), deviation
    ),
)
SQUARE = {"least_square": lambda alpha, density, features: sinks.norms.norm_h(alpha, density)}
# A millionth: what is printed and proved of scores is that loose where it is drawn. A quarter: on
# constant features the bounds of kitchen sinks are within a factor of 3.1.
TINY, QUARTER = 1e-6, 0.25
DEFECTS = [
    (positive_definite.coefficients, {"of": one_missing}),
    (spectrum.kinks, {"slope": scaled(spectrum.kink, 1 + 1e-6)}),
    (gram_error.printed, {"bound": scaled(gram_error.known_before, 0.15)}),
    (gram_error.over_draws, {"bound": scaled(spectral.gram_error, 0.2)}),
    (gram_error.operator, {"bound": scaled(spectral.gram_error, 0.25)}),
    (ridge.printed, {"bound": scaled(ridge.known_before, 0.4)}),
    (ridge.over_draws, {"bound": scaled(risks.excess_risk, 0.15)}),
    (nearest.over_draws, {"bound": scaled(spectral.approximation, 0.3)}),
    (uniform.printed, {"bound": scaled(uniform.known_before, 0.13)}),
    (uniform.over_draws, {"bound": scaled(kernel_error.uniform_by_slope, 0.15)}),
    (clipped_ridge.over_draws, {"bound": scaled(risks.excess_risk_clipped, 0.05)}),
    (margin.over_draws, {"bound": scaled(margins.error_rate, 0.25)}),
    (fourier.gaussian, {"draw": Narrower}),
    (pairs_variance.smooth, {"smoothness": (0.1, 0.5)}),
    (pairs_variance.rough, {"smoothness": 0.5}),
    (softmax_variance.order, {"edge": 0.1}),
    (orthogonal.kernel, {"draw": OneLength}),
    (orthogonal.never_much_worse, {"constant": 0.0}),
    (structured.kernel, {"draw": Unturned}),
    (structured.turns, {"spread": lambda fourth: 2.0 / 3.0}),
    (structured.variance, {"draw": Repeated}),
    (sampling.score_identity.identity, {"scores": ridge_not_scaled}),
    (sampling.score_identity.circle, {"scores": ridge_not_scaled}),
    (sampling.algorithm_1.normalisation, {"weights": sampling.algorithm_1.by_probability}),
    (sampling.algorithm_1.plain, {"weights": sampling.algorithm_1.by_probability}),
    (sampling.algorithm_1.probabilities, {"weights": sampling.algorithm_1.by_density}),
    (sampling.algorithm_1.without_weights, {"weights": sampling.algorithm_1.by_density}),
    (sampling.algorithm_1.proved, {"weights": sampling.algorithm_1.by_probability}),
    (sampling.algorithm_1.proved, {"weights": repeats_once}),
    (sampling.limits.no_ridge, {"rows": 5}),
    (sampling.limits.large_ridge, {"phases": True}),
    (sampling.limits.few_rows, {"rows": 30}),
    (sampling.limits.one_phase, {"phases": False}),
    (sampling.limits.sizes, {"power": 1}),
    (sampling.corollary_5.restored, {"error": scaled(sampling.corollary_5.corollary_5, TINY)}),
    (sampling.corollary_5.far_from_plain, {"rows": 10**6}),
    (sampling.corollary_5.probabilities, {"error": scaled(leverage.probability_error, TINY)}),
    (sampling.corollary_5.scores, {"error": scaled(leverage.score_error, TINY)}),
    (sampling.corollary_5.uniform, {"factor": 10.0}),
    (sampling.definition_1.from_rows, {"factor": 0.5}),
    (sampling.theorem_2.gram, {"spread": scaled(sampling.theorem_2.lemma_3, TINY)}),
    (sampling.theorem_2.unnormalised, {"scale": 1 / 16}),
    # A chance from below only, of which 1 is the upper end: nothing is refuted, and nothing holds.
    (sampling.theorem_2.without_d, {"logarithm": sampling.theorem_2.of_the_source}, "inconclusive"),
    (sampling.lemma_4.scores, {"bound": SQUARED}),
    (sampling.lemma_7.fixed, {"limit": LARGEST}),
    (sampling.lemma_7.ball, {"which": -1}),
    (sampling.bach.fewer, {"law": lambda circle, ridge: circle.law}),
    (sinks.lemma_1.without_bound, {"by": "frobenius"}),
    # With moments known it is not as near to what is drawn.
    (sinks.lemma_1.moments, {"bound": scaled(kitchen_sinks.approximation, 0.1)}),
    (sinks.lemma_1.averages, {"bound": scaled(kitchen_sinks.approximation, QUARTER)}),
    (sinks.lemma_1.divided, {"bound": forgetful}),
    (sinks.risk_lemma.averages, {"bound": scaled(kitchen_sinks.approximation_risk, QUARTER)}),
    (sinks.estimation_lemma.restored_tail, {"bound": sinks.estimation_lemma.as_proved}, "holds"),
    (sinks.estimation_lemma.proved_tail, {"bound": sinks.estimation_lemma.as_restored}),
    (sinks.estimation_lemma.gaps, {"bound": scaled(kitchen_sinks.generalisation_gap, QUARTER)}),
    (sinks.theorem.box, {"bound": scaled(kitchen_sinks.excess_risk, QUARTER)}),
    (sinks.theorem.ball, {"bound": scaled(kitchen_sinks.excess_risk, QUARTER)}),
    (sinks.greedy.stalls, {"steps": sinks.greedy.line_search}, "holds"),
    (sinks.greedy.stalls, {"steps": sinks.greedy.equal_weights}, "holds"),
    (sinks.norms.zero, {"norm": sinks.norms.of_the_representation}),
    (sinks.norms.infima, SQUARE),
    (sinks.norms.kernel_space, SQUARE),
    (sinks.norms.one_bound, {"c": 6.0}),
    (sinks.norms.all_bounds, {"c": 2.0}),
    (sinks.norms.cosines, {"scale": 1.0}),
    (sinks.kernel.series, {"error": scaled(exact.activation_kernel_error, 0.5)}),
    (sinks.kernel.by_features, {"draw": unbiased_weights}),
]
