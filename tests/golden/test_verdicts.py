"""Verdicts on twenty maps, eight of which have a fault, at twenty seeds: status and features."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import mehler
from mehler import verify
from tests.golden._store import read

VERDICTS = read("verdicts")
X = np.random.default_rng(7).standard_normal((3, 3))
X = X / np.linalg.norm(X, axis=1, keepdims=True)
SINKS, WAVES = mehler.KitchenSinks.draw, mehler.FourierFeatures.draw
MAPS: dict[str, Callable[..., Any]] = {
    "maxout": functools.partial(mehler.MaxoutFeatures.draw, pool_size=4),
    "maxout-centred": functools.partial(mehler.MaxoutFeatures.draw, pool_size=4, centred=True),
    "maxout-orthogonal": functools.partial(
        mehler.MaxoutFeatures.draw, pool_size=4, projections="orthogonal"
    ),
    "decoupled": functools.partial(mehler.DecoupledMaxoutFeatures.draw, pool_size=4),
    "fourier": functools.partial(WAVES, gamma=0.5),
    "offset": functools.partial(WAVES, form="offset"),
    **{name: functools.partial(WAVES, kernel=name) for name in ("matern", "laplacian")},
    **{name: functools.partial(SINKS, activation=name) for name in ("relu", "tanh", "step")},
    "cos": functools.partial(SINKS, activation="cos", bias="uniform"),
}
FAULTS: dict[str, Callable[[Any], Any]] = {
    "scale 1.1": lambda z: z * 1.1,
    "one column zero": lambda z: np.concatenate([z[:, :8], 0 * z[:, 8:16], z[:, 16:]], axis=1),
    "shifted": lambda z: z + 0.05,
}


class Faulty:
    """A map whose features are changed."""

    def __init__(self, phi: Any, fault: Callable[[Any], Any]) -> None:
        self.phi, self.fault, self.n_features = phi, fault, phi.n_features

    def __call__(self, X: Any) -> Any:
        return self.fault(self.phi(X))


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("name", VERDICTS)
@pytest.mark.sampled(12)
def test_a_verdict(name: str, seed: int):
    kind, _, fault = name.partition(", ")

    def draw(seed: int) -> Any:
        phi = MAPS[kind](3, 64, seed=seed)
        return Faulty(phi, FAULTS[fault]) if fault else phi

    phi = MAPS[kind](3, 64, seed=0)
    verdict = verify.check_kernel(
        draw, phi.kernel, X, variance=phi.variance, resolution=0.1, seed=seed
    )
    status, n_features = VERDICTS[name][seed]
    assert verdict.status == status == ("refuted" if fault else "holds")
    assert verdict.n_features == n_features
