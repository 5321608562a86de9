"""From a recipe back to the group."""

from __future__ import annotations

from typing import Any

from mehler.features.groups import (
    _images,
    _maps,
    _permutations,
    _products,
    _rotations,
    _shifts,
    _signs,
    _subset,
    _warps,
)
from mehler.features.groups._group import Group

_GROUPS: dict[str, Any] = {
    cls.__name__: cls
    for cls in (
        _signs.Trivial,
        _permutations.BlockPermutations,
        _shifts.CyclicShifts,
        _shifts.Dihedral,
        _signs.SignFlips,
        _images.ImageShifts,
        _images.QuarterTurns,
        _rotations.ImageRotations,
        _warps.TimeWarps,
        _warps.PitchShifts,
        _products.DirectProduct,
        _products.DirectSum,
        _maps.LinearMaps,
        _subset.Subset,
    )
}


def from_recipe(recipe: dict[str, Any]) -> Group:
    """Make the group that ``group.recipe()`` describes.

    Parameters
    ----------
    recipe : dict

    Returns
    -------
    Group

    Raises
    ------
    ValueError
        If it names no group that this version knows, or lacks an argument.

    Examples
    --------
    >>> from mehler.features import groups
    >>> groups.from_recipe(groups.CyclicShifts(3).recipe())
    CyclicShifts(n_inputs=3, n_blocks=3)
    """
    arguments = dict(recipe)
    name = arguments.pop("group", None)
    if name not in _GROUPS:
        raise ValueError(f"recipe names the group {name!r}; known are {sorted(_GROUPS)}")
    try:
        made: Group = _GROUPS[name](**arguments)
    except TypeError as error:
        raise ValueError(f"recipe of {name} does not fit: {error}") from error
    return made
