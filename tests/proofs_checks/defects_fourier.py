"""Defects for the checks of Fourier features: lost factors, lengths on the wrong axis."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from mehler.proofs_checks.fourier import kernel, orthogonal, pairs_variance, structured

from mehler import FourierFeatures, kernels


def turned_narrower(*sizes: int, **options: Any) -> Any:
    """Spectral variance without its factor 2."""

    class Broken(FourierFeatures):
        def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
            *rest, weights = super()._draw(dtype, units)
            return (*rest, weights / np.sqrt(2.0))

    return Broken(*sizes, **options)


def changed(change: Callable[[Any], Any]) -> Callable[..., Any]:
    """Draw a map whose offsets, or features, are changed."""

    def draw(*sizes: int, **options: Any) -> Any:
        class Broken(FourierFeatures):
            def __call__(self, X: Any) -> Any:
                return change(super().__call__(X))

        return Broken(*sizes, **options)

    return draw


def weights(change: Callable[[Any], Any]) -> Callable[..., Any]:
    """Draw a map whose dense weights (1, d, m) are changed."""

    def draw(*sizes: int, **options: Any) -> Any:
        class Broken(FourierFeatures):
            def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
                (drawn,) = super()._draw(dtype, units)
                return (change(drawn),)

        return Broken(*sizes, **options)

    return draw


def one_length(drawn: Any) -> Any:
    """sqrt(d) for every direction."""
    lengths = np.linalg.norm(drawn, axis=1, keepdims=True)
    return drawn * (np.sqrt(drawn.shape[1]) / lengths)


def repeated_within_blocks(drawn: Any) -> Any:
    """Every second direction is the one before it."""
    return np.repeat(drawn[:, :, ::2], 2, axis=2)


class Unturned(FourierFeatures):
    """Structured blocks whose first transform is not normalised."""

    def _draw(self, dtype: str, units: slice) -> tuple[Any, ...]:
        places, signs, *rest = super()._draw(dtype, units)
        return (places, 1.3 * signs, *rest)


class Repeated(FourierFeatures):
    """Structured blocks with every second frequency equal to the one before it."""

    def __call__(self, X: Any) -> Any:
        z = super().__call__(X)
        return np.repeat(z[:, ::2], 2, axis=1)


wider = kernels.make("rbf", gamma=0.15)

# (check, what is wrong, the verdict that it must come to)
DEFECTS = [
    (kernel.frequencies, {"wider": 1.01}, "refuted"),
    (kernel.frequencies, {"draw": turned_narrower}, "refuted"),
    (kernel.gaussian, {"draw": turned_narrower}, "refuted"),
    (kernel.gaussian, {"claimed": wider}, "refuted"),
    (kernel.offset, {"draw": changed(lambda z: z / np.sqrt(2.0))}, "refuted"),
    (kernel.offset, {"claimed": wider}, "refuted"),
    (kernel.laplacian, {"claimed": kernels.make("laplacian", gamma=0.42)}, "refuted"),
    (kernel.laplacian, {"draw": turned_narrower}, "refuted"),
    (kernel.matern, {"claimed": kernels.make("matern", nu=0.5, length_scale=1.5)}, "refuted"),
    (kernel.matern, {"draw": turned_narrower}, "refuted"),
    (pairs_variance.pairs, {"claimed": pairs_variance._OF_OFFSET}, "refuted"),
    (pairs_variance.pairs, {"draw": turned_narrower}, "refuted"),
    (pairs_variance.offset, {"claimed": pairs_variance._OF_PAIRS}, "refuted"),
    (pairs_variance.smooth, {"smoothness": (0.1, 0.5)}, "refuted"),
    (pairs_variance.rough, {"smoothness": 0.5}, "refuted"),
    (orthogonal.kernel, {"draw": weights(one_length)}, "refuted"),
    (orthogonal.kernel, {"claimed": wider}, "refuted"),
    (orthogonal.variance, {"draw": weights(repeated_within_blocks)}, "refuted"),
    (orthogonal.variance, {"claimed": pairs_variance._OF_PAIRS}, "refuted"),
    (orthogonal.never_much_worse, {"constant": 0.0}, "refuted"),
    (structured.kernel, {"draw": Unturned}, "refuted"),
    (structured.kernel, {"claimed": wider}, "refuted"),
    (structured.turns, {"spread": lambda fourth: 2.0 / 3.0}, "refuted"),
    (structured.variance, {"draw": Repeated}, "refuted"),
]
