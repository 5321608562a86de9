"""Claimed values times a factor near 1: a hundredth where the quick level sees it, else more."""

from collections.abc import Callable, Iterator
from typing import Any

from mehler.proofs_checks.fourier import kernel as fourier
from mehler.proofs_checks.fourier import orthogonal, pairs_variance, softmax_variance, structured
from mehler.proofs_checks.group_invariant._shared import declared
from mehler.proofs_checks.group_invariant.kernel import expectation, remark_3, remark_4, theorem_1
from mehler.proofs_checks.kitchen_sinks import kernel as sinks
from mehler.proofs_checks.leverage import definition_1, example_1
from mehler.proofs_checks.maxout import growth, kernel, risk

from mehler import exact, kernels
from tests.proofs_checks.mutations._row import Check, Row, blind, red, scaled

APART = "the statement's bounds are this far apart"


def of_value(
    statement: str,
    term: str,
    check: Check,
    keyword: str,
    right: Callable[..., Any],
    seen: float,
    because: str = "",
) -> Iterator[Row]:
    """A row for the smallest factor that is seen, and one for a hundredth that no level sees."""
    defect = {keyword: scaled(right, seen)}
    yield red(statement, term, f"times {seen:g}", check, **defect)
    if because:
        yield blind(statement, term, "times 1.01", because)


def of_width(statement: str, check: Check, make: Callable[[float], Any], seen: float) -> Row:
    """A row for the width of a kernel, or of its spectrum."""
    return red(
        statement,
        f"{check.__name__}: width of the kernel",
        f"times {seen:g}",
        check,
        claimed=make(seen),
    )


def gaussian(factor: float) -> Any:
    """The Gaussian kernel with another gamma."""
    return kernels.make("rbf", gamma=0.3 * factor)


def laplacian(factor: float) -> Any:
    """The Laplacian kernel with another gamma."""
    return kernels.make("laplacian", gamma=0.3 * factor)


def matern(factor: float) -> Any:
    """Matern's kernel with another length."""
    return kernels.make("matern", nu=1.5, length_scale=1.5 * factor)


def sampled(factor: float) -> Any:
    """The kernels of every setting, times a factor."""
    return lambda options, d: scaled(declared(options, d), factor)


M, F, G = "maxout.", "fourier.", "group-invariant."
VALUES = (
    (M + "theorem-1-kernel", "the kernel", kernel.theorem_1_kernel.proved, "kernel",
     exact.maxout_kernel, 1.01),
    (M + "theorem-1-series", "first coefficients", kernel.theorem_1_series.first_three,
     "coefficients",
     exact.collision_coefficients, 1.01),
    (M + "theorem-1-series", "partial sums", kernel.theorem_1_series.partial_sums, "coefficients",
     exact.collision_coefficients, 1.01),
    (M + "theorem-1-series", "collision probability", kernel.theorem_1_series.sums, "collision",
     exact.collision_probability, 1.01),
    (M + "special-values", "the three values", kernel.special_values.by_formula, "collision",
     exact.collision_probability, 1.01),
    (M + "h1-growth", "h_1 between its bounds", growth.h1_growth.bounds, "moment",
     lambda q: exact.max_moment(1, q), 1.1, APART),
    (M + "sigma2-growth", "sigma^2 between its bounds", growth.sigma2_growth.bounds, "moment",
     exact.sigma2, 1.5, APART),
    (M + "locality", "kernel of opposite rows", growth.locality.far_points_proved, "kernel",
     exact.maxout_kernel, 1.02),
    (M + "remark-1-codes", "agreement of codes", growth.remark_1_codes.similarity, "collision",
     exact.collision_probability, 1.01),
    (M + "q1-linear", "the inner product", kernel.q1_linear.measured_kernel, "kernel",
     lambda rho, q: rho, 1.02),
    (M + "figure-1", "the kernel behind the distances", kernel.figure_1.proved, "kernel",
     exact.maxout_kernel, 1.05),
    (M + "figure-1", "joint density", kernel.figure_1.joint_density, "kernel", exact.maxout_kernel,
     1.01),
    (M + "decoupled-kernel", "the kernel", kernel.decoupled_kernel.kernel, "kernel",
     exact.locally_linear_kernel, 1.02),
    (M + "decoupled-kernel", "the kernel, borrowed directions", kernel.decoupled_kernel.borrowed,
     "kernel", exact.locally_linear_kernel, 1.02),
    (M + "centred-kernel", "the kernel", kernel.centred_kernel.kernel, "kernel",
     exact.centred_kernel, 1.02),
    (M + "lemma-3", "mean square of the Monte Carlo function", risk.lemma_3.in_mean_square, "mean",
     risk.lemma_3.mean_square, 1.1),
    ("kitchen-sinks.kernel", "closed forms", sinks.closed, "kernel", exact.activation_kernel, 1.01),
    (F + "kernel", "pairs, Gaussian", fourier.gaussian, "claimed", gaussian(1.0), 1.01),
    (F + "kernel", "offset, Gaussian", fourier.offset, "claimed", gaussian(1.0), 1.02),
    (F + "kernel", "pairs, Laplacian", fourier.laplacian, "claimed", laplacian(1.0), 1.01),
    (F + "kernel", "pairs, Matern", fourier.matern, "claimed", matern(1.0), 1.01),
    (F + "orthogonal", "the kernel", orthogonal.kernel, "claimed", gaussian(1.0), 1.01),
    (F + "orthogonal", "variance of block means", orthogonal.variance, "claimed",
     orthogonal.block_variance, 1.5),
    (F + "structured", "the kernel", structured.kernel, "claimed", gaussian(1.0), 1.01),
    (F + "pairs-variance", "variance of pairs", pairs_variance.pairs, "claimed",
     pairs_variance._OF_PAIRS, 1.1),
    (F + "pairs-variance", "variance with an offset", pairs_variance.offset, "claimed",
     pairs_variance._OF_OFFSET, 1.1),
    (F + "softmax-variance", "variance of each form", softmax_variance.variances, "claimed",
     softmax_variance.claimed_variance, 1.001),
    ("leverage.example-1", "variance of pairs", example_1.pairs, "claimed",
     example_1.as_restored, 1.01),
    ("leverage.example-1", "variance with a phase", example_1.phases, "claimed",
     example_1.with_phase, 1.01),
    ("leverage.example-1", "variance with a phase, measured", example_1.by_features, "claimed",
     example_1.with_phase, 1.1),
    ("leverage.score-identity", "the trace", definition_1.mean_leverage, "degrees",
     definition_1.trace, 1.01),
    (G + "theorem-1", "kernel, features of zero", theorem_1.zero, "kernel",
     theorem_1.claimed("zero"), 1.05),
    (G + "theorem-1", "kernel, another draw", theorem_1.redraw, "kernel",
     theorem_1.claimed("redraw"), 1.02),
    (G + "remark-4", "kernel of unit templates", remark_4.by_features, "kernel",
     remark_4.without_clip, 1.02),
)  # fmt: skip

ROWS: list[Row] = [
    *(red(F + "kernel", f"scale of the frequencies, {name}", "times 1.01", fourier.frequencies,
        wider=1.01, selects=lambda options, name=name: options["kernel"] == name)
        for name in ("rbf", "laplacian", "matern")),
    *(row for value in VALUES for row in of_value(*value)),
    of_width(F + "kernel", fourier.gaussian, gaussian, 1.05),
    of_width(F + "kernel", fourier.offset, gaussian, 1.05),
    of_width(F + "kernel", fourier.laplacian, laplacian, 1.05),
    of_width(F + "kernel", fourier.matern, matern, 1.05),
    of_width(F + "orthogonal", orthogonal.kernel, gaussian, 1.1),
    of_width(F + "structured", structured.kernel, gaussian, 1.1),
    red(G + "expectation", "kernels of all settings", "times 1.05", expectation.sizes,
        kernel_of=sampled(1.05)),
    red(G + "remark-3", "kernel of a subset", "times 1.02", remark_3.any_list,
        kernel=scaled(remark_3.as_proved, 1.02)),
]  # fmt: skip
