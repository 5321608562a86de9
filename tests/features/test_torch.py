"""A map as a layer: its state, its dtypes, its copies, and what it learns."""

import copy
import io
import pickle
import subprocess
import sys

import numpy as np
import pytest

import mehler
from tests.derivatives import by_differences
from tests.verify.map_kinds import DRAWS

torch = pytest.importorskip("torch", reason="PyTorch is the user's choice")
from mehler.torch import RandomFeatures  # noqa: E402

X = torch.tensor(np.random.default_rng(0).standard_normal((5, 3)), dtype=torch.float32)


def test_features_are_on_the_device_of_their_rows():
    phi = mehler.MaxoutCodes.draw(3, 200, 4, seed=0, like=X)
    with torch.device("meta"):
        assert phi(X).device == X.device


def layer_of(name, seed=1, **options):
    return RandomFeatures(DRAWS[name](72, seed=seed, like=X), **options)


@pytest.mark.parametrize("name", sorted(DRAWS))
@pytest.mark.sampled(8)
def test_a_layer_is_its_map(name):
    layer = layer_of(name)
    expected = layer.map(X)
    assert torch.equal(layer(X), expected)
    assert not list(layer.parameters())
    # Saved and read as weights alone, into a layer of another seed where that changes no shape.
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    file.seek(0)
    again = layer_of(name)
    again.load_state_dict(torch.load(file, weights_only=True))
    for copied in (again, copy.deepcopy(layer), pickle.loads(pickle.dumps(layer))):
        assert torch.equal(copied(X), expected)
        assert repr(copied) == repr(layer)
    double = copy.deepcopy(layer).double()
    exact = layer.map.to(X.double())(X.double())
    if expected.is_floating_point():
        assert double(X.double()).dtype == torch.float64
        half = copy.deepcopy(layer).half()(X.half())
        assert half.dtype == torch.float16
        if "step" not in name and "inv" not in name:
            # Weights of float32 are off by 2^-24 of values below 10; selection may jump.
            off = (double(X.double()) - exact).abs()
            assert (off > 1e-5).float().mean() <= (0.05 if "next" in name or "fresh" in name else 0)


@pytest.mark.parametrize("name", sorted(DRAWS))
@pytest.mark.sampled(2)
def test_compiled_as_one_graph(name):
    layer = layer_of(name)
    torch._dynamo.reset()
    compiled = torch.compile(layer, fullgraph=True, backend="eager")
    torch.testing.assert_close(compiled(X), layer(X))


def test_a_state_brings_its_seed():
    first, second = layer_of("pairs", seed=1), layer_of("pairs", seed=2)
    assert not torch.equal(first(X), second(X))
    second.load_state_dict(first.state_dict())
    assert torch.equal(first(X), second(X))
    assert second.map.seed == 1
    assert torch.equal(second.map(X), first.map(X))


@pytest.mark.parametrize("bandwidth", ["learned", "per-input"])
def test_the_bandwidth_is_that_of_the_kernel(bandwidth):
    """Scaled rows have the kernel of another gamma; features change with it as differences say."""
    layer = RandomFeatures(
        mehler.FourierFeatures, 3, 40, gamma=0.5, seed=0, dtype="float64", bandwidth=bandwidth
    )
    with torch.no_grad():
        layer.log_scale += 0.5 * np.log(3.0)
    x = X.double()
    wider = mehler.FourierFeatures.draw(3, 40, gamma=1.5, seed=0, like=x)
    torch.testing.assert_close(layer.kernel(x), wider.kernel(x))
    torch.testing.assert_close(layer(x), wider(x))
    for method in (layer, layer.kernel):
        layer.zero_grad()
        method(x)[0].sum().backward()
        at = layer.log_scale.detach().numpy().copy()

        def value(log_scale, method=method):
            with torch.no_grad():
                layer.log_scale.copy_(torch.asarray(log_scale))
                return float(method(x)[0].sum())

        # h^2/6 times third derivatives below 10^3.
        np.testing.assert_allclose(layer.log_scale.grad, by_differences(value, at), atol=1e-8)
        value(at)


def test_bad_input():
    unstored = {"n_inputs": 3, "n_features": 8, "seed": 0, "stored": False}
    for make, error, words in (
        (lambda: RandomFeatures(3), TypeError, "must be a map"),
        (lambda: RandomFeatures(dict), TypeError, r"dict.* must be a map of mehler"),
        (lambda: RandomFeatures(DRAWS["pairs"](8, seed=0), 3), TypeError, "drawn already"),
        (lambda: layer_of("pairs", bandwidth=True), ValueError, "bandwidth=True is not one of"),
        (lambda: layer_of("pairs")(X[:, :2]), ValueError, "last axis must be 3 long"),
        (lambda: RandomFeatures(mehler.FourierFeatures, **unstored), ValueError, "draw it stored"),
    ):
        with pytest.raises(error, match=words):
            make()


def test_the_kernel_of_a_layer_looks_at_rows_unless_told_not_to():
    layer = RandomFeatures(mehler.FourierFeatures, 3, 10, seed=0)
    rows = torch.ones(2, 3)
    rows[1] = torch.nan
    with pytest.raises(ValueError, match="NaN"):
        layer.kernel(rows)
    assert layer.kernel(rows, check_finite=False)[0, 0] == 1.0


def test_rows_of_bfloat16_follow_the_weights():
    """Layers convert rows as `half` does; maps, which have no dtype of their own, refuse them."""
    rows = X.to(torch.bfloat16)
    layer = layer_of("pairs")
    assert torch.equal(layer(rows), layer(rows.to(torch.float32)))
    with pytest.raises(TypeError, match=r"X has dtype bfloat16; .* convert it"):
        layer.map(rows)


def test_without_torch_the_extra_is_named():
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "try:\n    import mehler.torch\n"
        "except ImportError as error:\n    print(error)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    words = 'mehler.torch needs PyTorch, which is not installed: pip install ".[torch]" in'
    assert run.stdout.startswith(words)
