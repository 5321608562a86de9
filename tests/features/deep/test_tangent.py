"""The tangent kernel against gradients of finite networks in PyTorch."""

from __future__ import annotations

import numpy as np
import pytest

import mehler

ROWS = np.random.default_rng(0).standard_normal((2, 5))
CASES = {
    "maxout": (4, {"weight_variance": 0.7, "bias_variance": 0.2}),
    "relu": (1, {"weight_variance": 1.5, "bias_variance": 0.2}),
    "erf": (1, {"weight_variance": 1.2, "bias_variance": 0.1}),
}


def empirical(torch, seed, name, pool, width, depth, *, weight_variance, bias_variance):
    """Return the Gram of gradients of one output with respect to standard normal parameters."""
    rng = torch.Generator().manual_seed(seed)
    sizes = [ROWS.shape[1]] + [width] * depth
    leaves = []

    def leaf(*shape):
        leaves.append(torch.randn(*shape, generator=rng, dtype=torch.float64, requires_grad=True))
        return leaves[-1]

    h = torch.tensor(ROWS)
    for fan_in in sizes[:-1]:
        W, b = leaf(pool, fan_in, width), leaf(pool, 1, width)
        z = (weight_variance / fan_in) ** 0.5 * h @ W + bias_variance**0.5 * b
        h = {
            "maxout": lambda z: z.amax(0),
            "relu": lambda z: z[0].relu(),
            "erf": lambda z: z[0].erf(),
        }[name](z)
    W, b = leaf(width), leaf(1)
    out = (weight_variance / width) ** 0.5 * h @ W + bias_variance**0.5 * b
    rows = [
        torch.cat([g.ravel() for g in torch.autograd.grad(one, leaves, retain_graph=True)])
        for one in out
    ]
    return (torch.stack(rows) @ torch.stack(rows).T).numpy()


@pytest.mark.full
@pytest.mark.parametrize("name", CASES)
def test_wide_networks_have_this_tangent_kernel(name):
    torch = pytest.importorskip("torch")
    pool, variances = CASES[name]
    kernel = mehler.DeepKernel(
        name, 2, pool_size=pool if name == "maxout" else None, **variances
    ).ntk(ROWS)
    found = np.stack(
        [empirical(torch, seed, name, pool, 200, 2, **variances) for seed in range(20)]
    )
    # Five standard errors, and 3 % for the bias of width 200.
    room = 5 * found.std(axis=0) / 20**0.5 + 0.03 * kernel.max()
    off = np.abs(found.mean(axis=0) - kernel)
    assert np.all(off < room)
    # The room tells the kernel from its like: biases that are not trained or not there.
    wrong = mehler.DeepKernel(
        name, 2, pool_size=pool if name == "maxout" else None, **variances | {"bias_variance": 0.0}
    )
    assert np.any(np.abs(found.mean(axis=0) - wrong.ntk(ROWS)) > room)
