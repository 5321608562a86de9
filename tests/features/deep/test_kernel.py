"""Deep kernels: rows of any library, equal rows, rows of zeros; gradients and derivatives."""

import numpy as np
import pytest

import mehler
from mehler.exact import Activation
from tests.derivatives import LIBRARIES, require_gradient
from tests.places import CPU

X = np.random.default_rng(2).standard_normal((6, 4))
KERNELS = {
    "maxout": mehler.DeepKernel("maxout", 3, pool_size=4, bias_variance=0.1),
    "pairs": mehler.DeepKernel("maxout", 3, pool_size=2),
    "relu": mehler.DeepKernel("relu", 3, weight_variance=2.0),
    "erf": mehler.DeepKernel("erf", 2, bias_variance=0.1),
    "sin": mehler.DeepKernel("sin", 2),
    "tanh": mehler.DeepKernel("tanh", 1),
}


@pytest.fixture(params=KERNELS)
def kernel(request):
    return KERNELS[request.param]


@pytest.mark.slow
@pytest.mark.sampled(4)
@pytest.mark.parametrize("place", [p for p in CPU if not p.jit], ids=lambda place: place.name)
def test_places_agree(place, kernel):
    rows = place.asarray(X)
    # Angles of 1e-7 in single precision are kinks of half the digits.
    tolerance = 1e-12 if place.has_float64 else 1e-4
    for name in ("nngp", "ntk"):
        value = getattr(kernel, name)(rows)
        assert value.dtype == rows.dtype
        host = np.asarray(mehler._arrays.to_host(value), dtype=np.float64)
        assert host == pytest.approx(getattr(kernel, name)(X), rel=tolerance, abs=tolerance)
        again = np.asarray(mehler._arrays.to_host(getattr(kernel, name)(rows, rows[:2, :])))
        assert again == pytest.approx(host[:, :2], rel=tolerance, abs=tolerance)


@pytest.mark.slow
def test_blocks_and_symmetry(kernel):
    """Above 65,536 pairs rows go in blocks, with the same values."""
    rows = np.random.default_rng(3).standard_normal((300, 4))
    if kernel is KERNELS["tanh"]:
        rows = rows[:4]
    for compute in (kernel.nngp, kernel.ntk):
        whole = compute(rows)
        assert np.array_equal(whole, whole.T)
        again, error = compute(rows, rows.copy(), return_error=True)
        assert np.all(np.abs(whole - again) <= 2 * error)
        assert whole[:3, :3] == pytest.approx(compute(rows[:3]), rel=1e-13, abs=1e-14)


def test_the_diagonal_is_exact(kernel):
    """Norms decide: a row beside others, equal rows, and a row alone."""
    for compute in (kernel.nngp, kernel.ntk):
        alone = np.array([compute(X[i : i + 1])[0, 0] for i in range(6)])
        assert np.diagonal(compute(X)) == pytest.approx(alone, rel=1e-14)
        assert np.diagonal(compute(X, X.copy())) == pytest.approx(alone, rel=1e-14)


def test_rows_of_zeros():
    rows = np.concatenate([np.zeros((2, 4)), X])
    for name, kernel in KERNELS.items():
        for compute in (kernel.nngp, kernel.ntk):
            value, error = compute(rows, return_error=True)
            assert np.isfinite(value).all()
            assert np.isfinite(error).all()
            if kernel.bias_variance == 0.0:
                assert np.all(value[:2] == 0.0), name
    cos = mehler.DeepKernel("cos", 1).nngp(rows)
    assert cos[0, 1] == 1.0


def test_batches(kernel):
    stack = np.stack([X[:2], X[2:4]])
    value = kernel.ntk(stack)
    assert value.shape == (2, 2, 2)
    assert value[1] == pytest.approx(kernel.ntk(X[2:4]), rel=1e-14)
    assert kernel.nngp(stack, return_error=True)[1].shape == (2, 2, 2)


@pytest.mark.parametrize(
    "library", [pytest.param(n, marks=[pytest.mark.slow] * (n == "jax")) for n in LIBRARIES]
)
@pytest.mark.parametrize("name", ["maxout", "pairs", "relu", "erf", "sin"])
@pytest.mark.parametrize("method", ["nngp", "ntk"])
@pytest.mark.sampled(8)
def test_gradients_are_those_of_differences(name, method, library):
    compute = getattr(KERNELS[name], method)
    weights = np.random.default_rng(4).standard_normal((3, 3))
    # Central differences of step 1e-6, as in test_gradients.
    total = lambda asarray, rows: (compute(rows) * asarray(weights)).sum()  # noqa: E731
    require_gradient(library, total, X[:3], 2e-7)


def test_a_series_has_no_gradient():
    torch = pytest.importorskip("torch")
    with pytest.raises(TypeError, match="no gradients"):
        KERNELS["tanh"].nngp(torch.tensor(X, requires_grad=True))


WIDE = np.random.default_rng(0).standard_normal((5, 7))
VARIANCES = [(2.0, 0.0), (1.3, 0.2)]


@pytest.mark.parametrize(("w", "b"), VARIANCES)
@pytest.mark.parametrize("depth", [1, 3, 8])
def test_pool_of_one_is_the_linear_network(depth, w, b):
    """S_(L+1) = w^L S_1 + b (w^L - 1)/(w - 1), and T_(L+1) = sum of w^k S_(L+1-k)."""
    kernel = mehler.DeepKernel("maxout", depth, pool_size=1, weight_variance=w, bias_variance=b)
    sigma = [w * WIDE @ WIDE.T / 7 + b]
    for _ in range(depth):
        sigma.append(w * sigma[-1] + b)
    theta = sum(w**k * s for k, s in enumerate(reversed(sigma)))
    assert kernel.nngp(WIDE) == pytest.approx(sigma[-1], rel=1e-12, abs=1e-13)
    assert kernel.ntk(WIDE) == pytest.approx(theta, rel=1e-12, abs=1e-13)
    identity = mehler.DeepKernel(
        Activation("id", lambda xp, t: t, degree=1), depth, weight_variance=w, bias_variance=b
    )
    assert identity.ntk(WIDE) == pytest.approx(theta, rel=1e-12, abs=1e-13)


@pytest.mark.parametrize("name", ["erf", "sin", "cos", "relu2"])
def test_slopes_are_the_series_of_their_function(name):
    """Closed forms of derivatives against Mehler's series of the bare derivative."""
    from mehler.exact.activations import activation_of

    whole = activation_of(name)
    bare = Activation("", whole.function, derivative=whole.slope.function)
    options = {"weight_variance": 0.9, "bias_variance": 0.1}
    ntk, error = mehler.DeepKernel(bare, 2, **options).ntk(WIDE[:2], return_error=True)
    assert np.all(np.abs(ntk - mehler.DeepKernel(name, 2, **options).ntk(WIDE[:2])) <= error)
    assert error.max() < 1e-7


@pytest.mark.parametrize("activation", ["step", np.sign, np.tanh])
def test_a_function_without_a_derivative_has_a_kernel_still(activation):
    assert np.isfinite(mehler.DeepKernel(activation, 2).nngp(WIDE[:2])).all()
