"""Deep kernels: limits in closed form, other routes, and finite networks."""

import numpy as np
import pytest

import mehler
from mehler import exact, verify
from mehler.exact import Activation

X = np.random.default_rng(0).standard_normal((5, 7))
VARIANCES = [(2.0, 0.0), (1.3, 0.2)]


def maxout(z):
    return z.max(axis=0)


def elementwise(function):
    return lambda z: function(z[0])


def cho_saul(X, depth, w, b):
    """ReLU's NNGP and NTK by Cho and Saul's formula, with clipped cosines."""
    S = w * X @ X.T / X.shape[1] + b
    T = S.copy()
    for _ in range(depth):
        d = np.sqrt(np.diag(S))
        c = np.clip(S / np.outer(d, d), -1, 1)
        np.fill_diagonal(c, 1.0)
        t = np.arccos(c)
        S = w * np.outer(d, d) / (2 * np.pi) * (np.sin(t) + (np.pi - t) * c) + b
        T = S + w * (np.pi - t) / (2 * np.pi) * T
    return S, T


@pytest.mark.parametrize(("w", "b"), VARIANCES)
@pytest.mark.parametrize("depth", [1, 2, 8])
def test_relu_is_cho_and_sauls(depth, w, b):
    nngp, ntk = cho_saul(X, depth, w, b)
    kernel = mehler.DeepKernel("relu", depth, weight_variance=w, bias_variance=b)
    # Theirs loses a few eps a layer, and the angles between these rows are not small.
    assert kernel.nngp(X) == pytest.approx(nngp, rel=1e-13)
    assert kernel.ntk(X) == pytest.approx(ntk, rel=1e-13)


@pytest.mark.parametrize(("w", "b"), VARIANCES)
@pytest.mark.parametrize("depth", [1, 3, 8])
def test_pool_of_one_is_the_linear_network(depth, w, b):
    """S_(L+1) = w^L S_1 + b (w^L - 1)/(w - 1), and T_(L+1) = sum of w^k S_(L+1-k)."""
    kernel = mehler.DeepKernel("maxout", depth, pool_size=1, weight_variance=w, bias_variance=b)
    sigma = [w * X @ X.T / 7 + b]
    for _ in range(depth):
        sigma.append(w * sigma[-1] + b)
    theta = sum(w**k * s for k, s in enumerate(reversed(sigma)))
    assert kernel.nngp(X) == pytest.approx(sigma[-1], rel=1e-12, abs=1e-13)
    assert kernel.ntk(X) == pytest.approx(theta, rel=1e-12, abs=1e-13)
    identity = mehler.DeepKernel(
        Activation("id", lambda xp, t: t, degree=1), depth, weight_variance=w, bias_variance=b
    )
    assert identity.ntk(X) == pytest.approx(theta, rel=1e-12, abs=1e-13)


def test_pool_of_two_is_two_relus_at_a_time():
    """K_2 = 2 A_1 and kappa_2 = 2 A_0: maxout at weight variance w is ReLU at 2 w."""
    for depth in (1, 4):
        pairs = mehler.DeepKernel("maxout", depth, pool_size=2, weight_variance=0.7)
        relu = mehler.DeepKernel("relu", depth, weight_variance=1.4)
        # The first layer carries w/d in both, here twice as much.
        assert 2 * pairs.nngp(X) == pytest.approx(relu.nngp(X), rel=1e-13)
        assert 2 * pairs.ntk(X) == pytest.approx(relu.ntk(X), rel=1e-13)


def test_one_layer_is_the_exact_kernel():
    rho = X @ X.T / np.linalg.norm(X, axis=1) / np.linalg.norm(X, axis=1)[:, None]
    np.fill_diagonal(rho, 1.0)
    size = 0.9 * np.linalg.norm(X, axis=1) * np.linalg.norm(X, axis=1)[:, None] / 7
    kernel = mehler.DeepKernel("maxout", 1, pool_size=5, weight_variance=0.9)
    nngp = 0.9 * size * exact.maxout_kernel(rho, 5)
    assert kernel.nngp(X) == pytest.approx(nngp, rel=1e-12)
    ntk = nngp + 0.9 * exact.collision_probability(rho, 5) * size * rho
    assert kernel.ntk(X) == pytest.approx(ntk, rel=1e-12, abs=1e-13)


NETWORKS = {
    "maxout-4": ({"activation": "maxout", "pool_size": 4}, maxout, 4),
    "maxout-16": ({"activation": "maxout", "pool_size": 16}, maxout, 16),
    "relu2": ({"activation": "relu2"}, elementwise(lambda t: np.maximum(t, 0) ** 2), 1),
    "erf": ({"activation": "erf"}, None, 1),
    "cos": ({"activation": "cos"}, elementwise(np.cos), 1),
    "step": ({"activation": "step"}, elementwise(lambda t: (t > 0.0) * 1.0), 1),
    "tanh": ({"activation": np.tanh}, elementwise(np.tanh), 1),
}


@pytest.mark.slow
@pytest.mark.sampled(1)
@pytest.mark.parametrize(("w", "b"), [(0.6, 0.0), (0.8, 0.2)])
@pytest.mark.parametrize(
    "name",
    # Fourth powers of normal variables take many more draws.
    [pytest.param(name, marks=pytest.mark.full if name == "relu2" else []) for name in NETWORKS],
)
def test_one_layer_by_direct_sampling(name, w, b):
    """One layer has no bias of finite width: the mean over networks is the kernel."""
    arguments, act, pool = NETWORKS[name]
    if act is None:
        special = pytest.importorskip("scipy.special")
        act = elementwise(special.erf)
    kernel = mehler.DeepKernel(**arguments, depth=1, weight_variance=w, bias_variance=b)
    rows = X[:3]

    def draw(seed):
        def features(A):
            rng = np.random.default_rng(seed)
            W = rng.standard_normal((pool, 7, 400)) * (w / 7) ** 0.5
            h = act(A @ W + rng.standard_normal((pool, 1, 400)) * b**0.5)
            return np.concatenate([(w / 400) ** 0.5 * h, b**0.5 * np.ones_like(h[:, :1])], axis=1)

        return features

    verdict = verify.check_kernel(draw, kernel.nngp, rows, resolution=0.2)
    assert verdict.status == "holds"

    def too_large(A, B=None):
        return 1.3 * kernel.nngp(A, B)

    assert verify.check_kernel(draw, too_large, rows, resolution=0.2).status == "refuted"


@pytest.mark.parametrize("name", ["erf", "sin", "cos", "relu2"])
def test_slopes_are_the_series_of_their_function(name):
    """Closed forms of derivatives against Mehler's series of the bare derivative."""
    from mehler.exact.activations import activation_of

    whole = activation_of(name)
    bare = Activation("", whole.function, derivative=whole.slope.function)
    options = {"weight_variance": 0.9, "bias_variance": 0.1}
    ntk, error = mehler.DeepKernel(bare, 2, **options).ntk(X[:2], return_error=True)
    assert np.all(np.abs(ntk - mehler.DeepKernel(name, 2, **options).ntk(X[:2])) <= error)
    assert error.max() < 1e-7


def test_jumps_have_no_tangent_kernel():
    kernel = mehler.DeepKernel("step", 2)
    assert np.isfinite(kernel.nngp(X[:2])).all()
    with pytest.raises(ValueError, match="jumps"):
        kernel.ntk(X[:2])


@pytest.mark.parametrize("activation", [np.sign, np.tanh], ids=["sign", "tanh"])
def test_a_function_without_a_derivative_has_no_tangent_kernel(activation):
    kernel = mehler.DeepKernel(activation, 2)
    assert np.isfinite(kernel.nngp(X[:2])).all()
    with pytest.raises(ValueError, match=r"carries no derivative: give it one"):
        kernel.ntk(X[:2])


def test_a_wrong_derivative_is_refused():
    wrong = Activation("t", lambda xp, t: xp.tanh(t), derivative=lambda xp, t: 1 - xp.tanh(t))
    with pytest.raises(ValueError, match="carries a derivative that is not its function's"):
        mehler.DeepKernel(wrong, 1).ntk(X)
