"""Hypothesis strategies for feature maps of every kind, and for functions seed -> map."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from mehler.features import (
    DecoupledMaxoutFeatures,
    FeatureMap,
    FourierFeatures,
    GroupInvariantFeatures,
    KitchenSinks,
    MaxoutCodes,
    MaxoutFeatures,
    SoftmaxFeatures,
    groups,
)
from mehler.features.maxout import MaxoutBase
from mehler.strategies._numbers import pool_sizes, require_count, require_members

Kind: TypeAlias = Literal[
    "maxout",
    "maxout-centred",
    "maxout-shared",
    "maxout-shared-centred",
    "decoupled-next",
    "decoupled-fresh",
    "codes",
    "fourier",
    "fourier-offset",
    "fourier-orthogonal",
    "fourier-laplacian",
    "fourier-matern",
    "fourier-hadamard",
    "maxout-orthogonal",
    "maxout-hadamard",
    "codes-sobol",
    "sinks-relu",
    "sinks-step",
    "sinks-tanh",
    "sinks-cos",
    "softmax",
    "invariant",
    "invariant-sampled",
]
# Class and options of each kind, simplest first, the order of shrinking.
_KINDS: dict[Kind, tuple[Any, dict[str, Any]]] = {
    "maxout": (MaxoutFeatures, {}),
    "maxout-centred": (MaxoutFeatures, {"centred": True}),
    "maxout-shared": (MaxoutFeatures, {"n_projections": None}),
    "maxout-shared-centred": (MaxoutFeatures, {"n_projections": None, "centred": True}),
    "decoupled-next": (DecoupledMaxoutFeatures, {"directions": "next"}),
    "decoupled-fresh": (DecoupledMaxoutFeatures, {"directions": "fresh"}),
    "codes": (MaxoutCodes, {}),
    "fourier": (FourierFeatures, {}),
    "fourier-offset": (FourierFeatures, {"form": "offset"}),
    "fourier-orthogonal": (FourierFeatures, {"projections": "orthogonal"}),
    "fourier-laplacian": (FourierFeatures, {"kernel": "laplacian"}),
    "fourier-matern": (FourierFeatures, {"kernel": "matern", "nu": 2.5}),
    "fourier-hadamard": (FourierFeatures, {"projections": "hadamard"}),
    "maxout-orthogonal": (MaxoutFeatures, {"projections": "orthogonal"}),
    "maxout-hadamard": (MaxoutFeatures, {"projections": "hadamard"}),
    "codes-sobol": (MaxoutCodes, {"projections": "sobol"}),
    "sinks-relu": (KitchenSinks, {"activation": "relu"}),
    "sinks-step": (KitchenSinks, {"activation": "step", "law": "sphere"}),
    "sinks-tanh": (KitchenSinks, {"activation": "tanh", "bias": 0.5}),
    "sinks-cos": (KitchenSinks, {"activation": "cos", "bias": "uniform"}),
    "softmax": (SoftmaxFeatures, {}),
    "invariant": (GroupInvariantFeatures, {"n_bins": 1, "templates": "gaussian"}),
    "invariant-sampled": (
        GroupInvariantFeatures,
        {"n_bins": 1, "templates": "gaussian", "n_elements": 2, "replacement": True},
    ),
}
_SHARED = "maxout-shared"
# Kinds whose units are not the largest of a pool of q projections; kinds with 2 features per unit.
_POOLLESS = tuple(kind for kind, (cls, _) in _KINDS.items() if not issubclass(cls, MaxoutBase))
_EVEN = tuple(
    kind
    for kind, (cls, options) in _KINDS.items()
    if (cls is FourierFeatures and options.get("form") != "offset")
    or cls in (GroupInvariantFeatures, SoftmaxFeatures)
)


@dataclass(frozen=True)
class Factory:
    """A function seed -> map of one kind and one size, as the checks of `mehler.verify` take it.

    Kinds without a pool have `pool_size` 1.

    Examples
    --------
    >>> Factory("codes", n_inputs=3, n_features=8, pool_size=4)(seed=0)
    MaxoutCodes.draw(n_inputs=3, n_features=8, pool_size=4, seed=0) on numpy
    """

    kind: Kind
    n_inputs: int
    n_features: int
    pool_size: int
    n_projections: int | None = None

    def __post_init__(self) -> None:
        require_members("kind", [self.kind], tuple(_KINDS))
        for name in ("n_inputs", "n_features", "pool_size", "n_projections"):
            value = getattr(self, name)
            if name != "n_projections" or value is not None:
                object.__setattr__(self, name, require_count(name, value, least=1))

    def __call__(self, seed: int, *, like: Any = None, dtype: object = None) -> FeatureMap:
        """Return the map of a seed; `like` and `dtype` as for every map."""
        cls, options = _KINDS[self.kind]
        if self.n_projections is not None:
            options = {**options, "n_projections": self.n_projections}
        if cls is GroupInvariantFeatures:
            options = {**options, "group": groups.CyclicShifts(self.n_inputs)}
        pool = () if self.kind in _POOLLESS else (self.pool_size,)
        phi: FeatureMap = cls.draw(
            self.n_inputs, self.n_features, *pool, seed=seed, like=like, dtype=dtype, **options
        )
        return phi


def factories(
    *,
    n_inputs: int,
    kinds: Iterable[Kind] | None = None,
    max_features: int = 64,
    max_pool_size: int = 8,
) -> SearchStrategy[Factory]:
    """Generate functions seed -> map of every kind; shrinks to one maxout unit of pool size 1.

    Parameters
    ----------
    n_inputs : int
        Dimension d of the rows.
    kinds : list of str, optional
        Some of 'maxout', 'maxout-centred', 'maxout-shared', 'maxout-shared-centred',
        'decoupled-next', 'decoupled-fresh', 'codes', 'fourier', 'fourier-offset',
        'fourier-orthogonal', 'fourier-laplacian', 'fourier-matern', 'fourier-hadamard',
        'maxout-orthogonal', 'maxout-hadamard', 'codes-sobol', 'sinks-relu', 'sinks-step',
        'sinks-tanh', 'sinks-cos', 'softmax', 'invariant', 'invariant-sampled'. Default all.
    max_features, max_pool_size : int
        Largest number of units and pool size.

    Returns
    -------
    SearchStrategy of Factory
        Draw functions, as the checks of `mehler.verify` take them.

    Examples
    --------
    >>> from hypothesis import find
    >>> find(factories(n_inputs=3), lambda draw: True)
    Factory(kind='maxout', n_inputs=3, n_features=1, pool_size=1, n_projections=None)
    """
    d = require_count("n_inputs", n_inputs, least=1)
    names = require_members("kinds", kinds, tuple(_KINDS))
    m = require_count("max_features", max_features, least=1)
    q = require_count("max_pool_size", max_pool_size, least=1)
    return _factories(d, names, m, q)


@st.composite
def _factories(
    draw: st.DrawFn, n_inputs: int, kinds: list[Kind], max_features: int, max_pool_size: int
) -> Factory:
    kind = draw(st.sampled_from(kinds))
    # For two features per unit, an even number and at least one pair.
    step = 2 if kind in _EVEN else 1
    m = step * draw(st.integers(1, max(1, max_features // step)))
    # Draw it for all kinds, so that the simplest kind has the shortest example.
    q = draw(pool_sizes(max_size=max_pool_size))
    if kind in _POOLLESS:
        q = 1
    # Between one pool for all units, and so many projections that units hardly share any.
    shared = draw(st.integers(q, 2 * q * m)) if kind.startswith(_SHARED) else None
    return Factory(kind, n_inputs, m, q, shared)
