"""Terms and constants of the statements on deep networks."""

from typing import Any

from mehler.proofs_checks.depth import alike, critical_variance, positive_definite, spectrum

from mehler import exact
from mehler.features.deep import critical_weight_variance
from tests.proofs_checks.mutations._row import red, scaled

A, V, D, S = (
    f"depth.{name}" for name in ("alike", "critical-variance", "positive-definite", "spectrum")
)


def fourth(q: int, width: int, depth: int) -> float:
    """The relative variance with 3, the fourth moment of one normal, for that of the largest."""
    kurtosis = 3.0 / exact.sigma2(q) ** 2
    return (1.0 + (kurtosis - 1.0) / width) ** depth - 1.0


def last_layer(method: str, q: int, depth: int, a: float, **variances: float) -> Any:
    """The constant of one layer, at any depth."""
    return spectrum.leading(method, q, 1, a, **variances)


def without_biases(*network: Any, **variances: float) -> Any:
    return spectrum.leading(*network, **(variances | {"bias_variance": 0.0}))


def critical_weights(*network: Any, **variances: float) -> Any:
    return spectrum.leading(*network, bias_variance=variances.get("bias_variance", 0.0))


def with_depth(claimed: Any) -> Any:
    """The claimed value of one layer less."""
    return lambda q, n, depth, *more: claimed(q, n, depth - 1, *more)


BIASES = {
    "covariance": positive_definite.covariance_with_biases,
    "tangent kernel": positive_definite.tangent_with_biases,
}
KERNELS = {"tangent kernel": spectrum.tangent, "covariance": spectrum.covariance}
TERMS = (
    ("a_q", "times 1.01", {"slope": scaled(spectrum.kink, 1.01)}),
    ("sum over layers", "one layer", {"claimed": last_layer}),
    ("bias variance", "deleted", {"claimed": without_biases}),
    ("weight variance", "the critical one", {"claimed": critical_weights}),
)
OF_VARIANCE = critical_variance.gradients_of_networks
ROWS = [
    red(A, "one layer, upper", "times 0.99", alike.above, bound=scaled(alike.most, 0.99)),
    red(A, "one layer, lower", "times 1.01", alike.below, bound=scaled(alike.least, 1.01)),
    red(A, "the rate of ten layers", "times 0.99", alike.deep,
        rate=lambda q: 0.99 / exact.sigma2(q)),
    red(A, "3 pi over the depth", "times 0.99", alike.pools_of_two, bound=scaled(alike.angle_most,
        0.99)),
    red(A, "the first angle", "one layer more", alike.pools_of_two, bound=lambda theta,
        depth: alike.angle_most(theta, depth + 1)),
    red(A, "the slope with biases", "times 1.01", alike.with_biases, slope=lambda w: 1.01 * w),
    red(V, "1/sigma^2, digits", "times 1 + 1e-10", critical_variance.digits,
        value=scaled(critical_weight_variance, 1 + 1e-10)),
    red(V, "1/sigma^2, in networks", "times 1.1", critical_variance.preserved,
        value=scaled(critical_weight_variance, 1.1)),
    red(V, "fourth moment", "that of a normal", critical_variance.varies, claimed=fourth),
    red(V, "depth as the power", "one less", critical_variance.varies,
        claimed=with_depth(critical_variance.relative_variance)),
    red(V, "gradients", "times 1.01", critical_variance.gradients,
        factor=lambda q: 1.01 / exact.sigma2(q)),
    red(V, "gradients, the terms of the width", "deleted", OF_VARIANCE, claimed=lambda q, width,
        depth, w: w**depth),
    red(V, "gradients, the layers", "one less", OF_VARIANCE,
        claimed=with_depth(critical_variance.mean_square)),
    red(D, "depth 2 for q = 2", "depth 1", positive_definite.covariance, cases=((2, 1),)),
    red(D, "the same, tangent kernel", "depth 1", positive_definite.tangent, cases=((2, 1),)),
    *(red(D, f"biases, {kernel}", "deleted", check, bias_variance=0.0) for kernel,
        check in BIASES.items()),
    *(red(S, f"{term}, {kernel}", change, check, **defect) for kernel,
        check in KERNELS.items() for term, change, defect in TERMS),
    red(S, "q = 2 alone has no odd orders", "q = 3", spectrum.relu_misses_half, q=3),
]  # fmt: skip
