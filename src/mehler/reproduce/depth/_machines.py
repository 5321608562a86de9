"""The kernels and features of the experiment, by name."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, Literal

from mehler import DeepFeatures, DeepKernel, FourierFeatures, TangentFeatures, learn
from mehler.features.deep import critical_weight_variance
from mehler.reproduce.leverage._methods import gaussian
from mehler.reproduce.leverage._world import gammas_of

Kernel = Callable[[Any, Any], Any]
Which = Literal["nngp", "ntk"]

BIAS = 0.05
# Columns of the maps and of Nystroem's method.
COLUMNS = 200
# Beside them: one kernel of the grid, and the shallowest network.
SHOWN, SHALLOW = (4, 3), (2, 1)
# Pool and depth of the maps that are drawn.
_DRAWN = (SHALLOW, (2, 3), (4, 1), SHOWN)
# Unit and bias variance of the arc-cosine kernels; that of order 1 is the pool of two.
_ORDERS: dict[int, tuple[Literal["step", "relu2"], float]] = {0: ("step", BIAS), 2: ("relu2", 0.0)}


def deep(q: int, depth: int) -> DeepKernel:
    """Return a maxout network at its critical weight variance; q = 2 is ReLU at variance 2."""
    w = critical_weight_variance(q)
    return DeepKernel("maxout", depth, pool_size=q, weight_variance=w, bias_variance=BIAS)


def of_network(network: DeepKernel, which: Which) -> Kernel:
    """Return one of its two kernels, by halves where both arguments are the same rows."""
    compute = getattr(network, which)
    return lambda a, b: compute(a) if a is b else compute(a, b)


def others(X: Any) -> dict[str, list[Kernel]]:
    """Return the kernels that are not in the grid; of several, errors of rows left out choose."""
    step, bend = (DeepKernel(unit, 1, bias_variance=bias) for unit, bias in _ORDERS.values())
    return {
        "RBF": [partial(gaussian, gamma=gamma) for gamma in gammas_of(X)],
        "arc-cosine, order 0": [of_network(step, "nngp")],
        "arc-cosine, order 2": [of_network(bend, "nngp")],
        "linear": [lambda a, b: a @ b.T / a.shape[1]],
    }


def features(X: Any, gamma: float, seed: int) -> dict[str, Callable[[Any], Any]]:
    """Return maps of `COLUMNS` columns, by name; `gamma` is what the RBF kernel has chosen."""
    d = X.shape[1]
    found: dict[str, Callable[[Any], Any]] = {}
    for q, depth in _DRAWN:
        widths = (COLUMNS,) * depth
        found[f"networks, {named(q, depth)}"] = _drawn(DeepFeatures, d, widths, q, seed)
    found["Fourier features"] = FourierFeatures.draw(
        d, COLUMNS, gamma=gamma, seed=seed, dtype="float64"
    )
    bases = {
        "RBF": partial(gaussian, gamma=gamma),
        f"NNGP, {named(*SHALLOW)}": of_network(deep(*SHALLOW), "nngp"),
        f"NNGP, {named(*SHOWN)}": of_network(deep(*SHOWN), "nngp"),
        f"NTK, {named(*SHOWN)}": of_network(deep(*SHOWN), "ntk"),
    }
    for name, kernel in bases.items():
        found[f"Nystroem, {name}"] = learn.column_sample(kernel, X, min(COLUMNS, len(X)), seed=seed)
    return found


def more_features(d: int, seed: int) -> dict[str, Callable[[Any], Any]]:
    """Return maps of `COLUMNS` columns for tangent kernels and for other arc-cosine kernels.

    A tangent map of half the width has as many columns as a network.
    """
    found: dict[str, Callable[[Any], Any]] = {}
    for q, depth in _DRAWN:
        widths = (COLUMNS // 2,) * depth
        found[f"tangent features, {named(q, depth)}"] = _drawn(TangentFeatures, d, widths, q, seed)
    for order, (unit, bias) in _ORDERS.items():
        found[f"networks, arc-cosine, order {order}"] = DeepFeatures.draw(
            d, (COLUMNS,), activation=unit, bias_variance=bias, seed=seed
        )
    return found


def _drawn(family: type[DeepFeatures], d: int, widths: tuple[int, ...], q: int, seed: int) -> Any:
    """Draw a map of the maxout networks of `deep`."""
    return family.draw(
        d,
        widths,
        activation="maxout",
        pool_size=q,
        weight_variance=critical_weight_variance(q),
        bias_variance=BIAS,
        seed=seed,
    )


def named(q: int, depth: int) -> str:
    """Name a network; the pool of two is ReLU."""
    return f"q = {q}, depth {depth}"
