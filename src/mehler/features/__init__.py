"""Random feature maps: draw, transform, exact kernel, exact variance."""

from __future__ import annotations

from typing import Any

from mehler._validate import require_integer
from mehler.features._base import FeatureMap
from mehler.features._block import UnitBlock
from mehler.features._block import Units as Units

# Shared with other packages of mehler, and no public name.
from mehler.features._recipes import MAPS as MAPS
from mehler.features._recipes import map_of
from mehler.features.deep._kernel import DeepKernel
from mehler.features.deep._networks import DeepFeatures
from mehler.features.fourier import FourierFeatures
from mehler.features.invariant._invariant import GroupInvariantFeatures
from mehler.features.kitchen_sinks import KitchenSinks
from mehler.features.leverage._selector import SelectedFeatures
from mehler.features.localised import LocalisedLinearFeatures
from mehler.features.maxout._codes import MaxoutCodes, PackedCodes
from mehler.features.maxout._decoupled import DecoupledMaxoutFeatures
from mehler.features.maxout._maxout import MaxoutFeatures
from mehler.features.random_functions import RandomFunctions
from mehler.features.softmax import SoftmaxFeatures
from mehler.features.spectra import Spectrum

__all__ = [
    "DecoupledMaxoutFeatures",
    "DeepFeatures",
    "DeepKernel",
    "FeatureMap",
    "FourierFeatures",
    "GroupInvariantFeatures",
    "KitchenSinks",
    "LocalisedLinearFeatures",
    "MaxoutCodes",
    "MaxoutFeatures",
    "PackedCodes",
    "RandomFunctions",
    "SelectedFeatures",
    "SoftmaxFeatures",
    "Spectrum",
    "UnitBlock",
    "from_recipe",
]


# Weights beyond which a recipe, which may be anybody's, has to be meant: 4 GiB.
_MOST_BYTES = 1 << 32


def from_recipe(
    recipe: dict[str, Any], *, like: Any = None, max_bytes: int = _MOST_BYTES
) -> FeatureMap:
    """Draw the map that ``phi.recipe()`` describes.

    Parameters
    ----------
    recipe : dict
        Result of :meth:`FeatureMap.recipe`, or its JSON read back.
    like : array or array namespace, optional
        Where the weights live; default NumPy.
    max_bytes : int, optional
        Most bytes of weights in float64, by default 4 GiB: a recipe of 200 bytes can ask for 1 TiB.

    Returns
    -------
    FeatureMap
        The same map, with weights equal bit for bit on the same processor; on others see
        :meth:`FeatureMap.recipe`.

    Examples
    --------
    >>> import mehler
    >>> phi = mehler.MaxoutFeatures.draw(3, 10, 4, seed=0)
    >>> mehler.from_recipe(phi.recipe())
    MaxoutFeatures.draw(n_inputs=3, n_features=10, pool_size=4, centred=False, \
n_projections=None, seed=0) on numpy
    """
    phi: FeatureMap = map_of(recipe, like, max_bytes=require_integer("max_bytes", max_bytes))
    return phi
