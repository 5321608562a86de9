"""Faults of structure, by `check_structure` with its default settings, and a redraw."""

import inspect
from dataclasses import replace

import numpy as np

from mehler import kernels
from mehler.cli._checks import random_rows
from mehler.verify import check_structure
from tests.verify.corpus import structure_maps
from tests.verify.corpus.registry import Planted, Twin

KERNEL = kernels.make("rbf", gamma=1.0)
ROWS = random_rows(5, KERNEL, np.random.default_rng(6))
SIZE = 250


def drawn(name):
    """(seed, rows, n_features) -> map, of a draw function or a transformer."""
    factory = getattr(structure_maps, name)

    def redraw(seed, rows, n_features=None):
        size = SIZE if n_features is None else n_features
        if inspect.isclass(factory):
            return factory(n_components=size, random_state=seed).fit(rows).transform
        return factory(seed, size)

    return redraw


def structure(redraw, seed):
    """The verdict, where what is reported at other sizes counts as seen."""
    verdict = check_structure(
        lambda s: redraw(s, ROWS), ROWS, kernel=KERNEL, redraw=redraw, seed=seed, time_limit=600.0
    )
    return replace(verdict, status="refuted") if verdict.remarks else verdict


PLANTED = [
    Planted(
        f"{name.replace('_', ' ')}: built wrongly",
        "check_structure",
        structure,
        drawn(name),
        drawn(f"{name}_twin"),
    )
    for name in structure_maps.FAULTS
]
TWINS = [
    Twin(
        "rare draws: built correctly",
        "check_structure",
        structure,
        drawn("rare_draws_twin"),
        "its seed decides, in one draw of a hundred",
    )
]
