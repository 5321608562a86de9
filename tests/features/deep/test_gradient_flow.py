"""Finite networks in PyTorch: their tangent kernel by torch.func, and gradient descent on them."""

from __future__ import annotations

import numpy as np
import pytest

import mehler
from mehler.features.deep import critical_weight_variance

RNG = np.random.default_rng(0)
ROWS, TARGETS, NEW = (
    RNG.standard_normal((6, 4)),
    RNG.standard_normal(6),
    RNG.standard_normal((3, 4)),
)
POOL, DEPTH, BIAS = 4, 2, 0.2
WEIGHT = critical_weight_variance(POOL)


def parameters(torch, seed, width):
    rng = torch.Generator().manual_seed(seed)
    sizes = [ROWS.shape[1]] + [width] * DEPTH

    def leaf(*shape):
        return torch.randn(*shape, generator=rng, dtype=torch.float64)

    layers = [(leaf(POOL, n, width), leaf(POOL, 1, width)) for n in sizes[:-1]]
    return [one for layer in [*layers, (leaf(width), leaf(1))] for one in layer]


def network(leaves, rows):
    """The network in the parametrisation of the tangent kernel."""
    h = rows
    for W, b in zip(leaves[:-2:2], leaves[1:-2:2], strict=True):
        h = ((WEIGHT / h.shape[1]) ** 0.5 * h @ W + BIAS**0.5 * b).amax(0)
    return (WEIGHT / h.shape[1]) ** 0.5 * h @ leaves[-2] + BIAS**0.5 * leaves[-1]


def limit():
    return mehler.DeepKernel(
        "maxout", DEPTH, pool_size=POOL, weight_variance=WEIGHT, bias_variance=BIAS
    )


@pytest.mark.full
def test_the_mean_tangent_kernel_of_networks_is_the_limit():
    """By forward and reverse mode of torch.func, another route than one backward a row."""
    torch = pytest.importorskip("torch")
    rows = torch.tensor(ROWS[:2])
    found = []
    for seed in range(16):
        leaves = parameters(torch, seed, 128)
        parts = torch.func.jacrev(lambda some: network(some, rows))(leaves)
        jacobian = torch.cat([part.reshape(2, -1) for part in parts], dim=1)
        found.append((jacobian @ jacobian.T).numpy())
    found, kernel = np.stack(found), limit().ntk(ROWS[:2])
    # Five standard errors, and layers over width for the bias.
    room = 5 * found.std(axis=0) / 16**0.5 + DEPTH / 128 * kernel.max()
    assert np.all(np.abs(found.mean(axis=0) - kernel) < room)
    # The kernel without the layers below the read-out is outside.
    assert np.all(np.abs(found.mean(axis=0) - limit().nngp(ROWS[:2])) > room)


def after_descent(torch, seed, width, rate, steps):
    """Return what a network predicts at new rows, and what the limit predicts from its start."""
    leaves = [one.requires_grad_() for one in parameters(torch, seed, width)]
    rows, targets = torch.tensor(ROWS), torch.tensor(TARGETS)
    with torch.no_grad():
        start, start_new = network(leaves, rows).numpy(), network(leaves, torch.tensor(NEW)).numpy()
    for _ in range(steps):
        loss = 0.5 * ((network(leaves, rows) - targets) ** 2).sum()
        for one, slope in zip(leaves, torch.autograd.grad(loss, leaves), strict=True):
            with torch.no_grad():
                one -= rate * slope
    with torch.no_grad():
        reached = network(leaves, torch.tensor(NEW)).numpy()
    kernel, cross = limit().ntk(ROWS), limit().ntk(NEW, ROWS)
    eigenvalues, vectors = np.linalg.eigh(kernel)
    # sum over steps of (1 - rate lambda)^k, times the rate.
    passed = (1 - (1 - rate * eigenvalues) ** steps) / eigenvalues
    predicted = start_new + cross @ (vectors * passed) @ vectors.T @ (TARGETS - start)
    return reached, predicted, start_new


@pytest.mark.full
def test_gradient_descent_follows_the_tangent_kernel_more_closely_as_networks_widen():
    torch = pytest.importorskip("torch")
    rate = 1.0 / np.linalg.eigvalsh(limit().ntk(ROWS))[-1]
    error, moved = {}, {}
    for width in (16, 256):
        runs = [after_descent(torch, seed, width, rate, 60) for seed in range(4)]
        error[width] = np.sqrt(np.mean([(a - b) ** 2 for a, b, _ in runs]))
        moved[width] = np.sqrt(np.mean([(a - c) ** 2 for a, _, c in runs]))
    # The rate is 1/sqrt(width), a factor of four; half of it leaves room for four runs.
    assert error[256] < error[16] / 2
    # And it is the prediction: far nearer than the start is.
    assert error[256] < moved[256] / 4
