"""Defects of group-invariant features: of the group, the templates, the bins and the claim."""

import dataclasses
import functools
import math

import numpy as np
from mehler.proofs_checks.group_invariant.image_rotations import image_rotations

import mehler
from mehler import verify
from mehler.features import groups
from tests.verify.corpus.registry import Planted, Twin, kernel, moved_weights

D = 9
# Two rows in general position and one on a permuted orbit of the first.
_RNG = np.random.default_rng(6)
ROWS = _RNG.standard_normal((2, D))
ROWS /= np.linalg.norm(ROWS, axis=1, keepdims=True)
ROWS = np.vstack([ROWS, np.roll(ROWS[:1], 3, axis=1)])

MAPS = groups.LinearMaps(np.random.default_rng(1).standard_normal((3, D, D)) / 3)
SETTINGS = {
    "shifts": {"group": groups.CyclicShifts(D), "n_bins": 4, "window": 1.0},
    "maps": {"group": MAPS, "n_bins": 4, "window": 1.5},
    "turns": {"group": image_rotations(3, 3, [0, 90, 180, 270]), "n_bins": 4},
    "redraw": {
        "group": groups.CyclicShifts(D), "templates": "redraw", "n_bins": 4, "window": 1.2,
        "epsilon": 0.02,
    },
    "distinct": {
        "group": groups.CyclicShifts(D), "n_elements": 7, "own_elements": True, "n_bins": 4,
        "window": 0.6,
    },
    "dither": {"group": groups.CyclicShifts(D), "n_bins": 2, "rule": "dither"},
}  # fmt: skip


@functools.cache
def drawer(setting, defect=None, n_templates=2000):
    cls = mehler.GroupInvariantFeatures
    cls = cls if defect is None else defect(cls)
    options = SETTINGS[setting]
    return lambda seed: cls(D, n_templates=n_templates, seed=seed, **options)


def moved_claim(**changes):
    """A defect of the declared kernel."""

    def defect(cls):
        class Broken(cls):
            def _kernel_of(self, x, y):
                claim = dataclasses.replace(self._moments, **changes)
                return claim.kernel(x, x if y is None else y)

        return Broken

    return defect


def inverse_missing(cls):
    """<g t, x> computed as <t, g x>: the transpose is forgotten."""

    class Broken(cls):
        def _structure(self, templates):
            return (np.moveaxis(self.group.transpose(templates), 1, 0),)

    return Broken


def radians_for_degrees(cls):
    """Degrees handed to a function that takes radians."""

    class Broken(cls):
        def _structure(self, templates):
            group = image_rotations(3, 3, map(math.degrees, (0, 90, 180, 270)))
            return (np.moveaxis(group.apply(templates), 1, 0),)

    return Broken


def of_templates(law):
    """Templates of another law, which is not declared."""

    def change(phi, scale, *_):
        arguments = {**phi._arguments(), "templates": law}
        return mehler.GroupInvariantFeatures(**arguments)._weights(scale.dtype.name)

    return moved_weights(change)


one_bin_on = moved_weights(
    lambda phi, scale, thresholds, *rest: (scale, thresholds + phi.bins.step, *rest)
)
below_only = moved_weights(lambda phi, scale, thresholds, *rest: (scale, -thresholds[::-1], *rest))
# Weights are the scale, the thresholds and the templates, in that order.
DEFECTS = {
    "inverse missing": ("maps", inverse_missing),
    "never rejected": ("redraw", of_templates("gaussian")),
    "bins off by one": ("shifts", one_bin_on),
    "weight of independent elements": ("distinct", moved_claim(replacement=True)),
    "no offset": (
        "dither",
        moved_weights(lambda phi, s, h, *rest: (s, 0 * h + phi.bins.thresholds, *rest)),
    ),
}
# Correct, though they look otherwise.
SAME = {"thresholds read downwards": ("shifts", below_only, "the law of a projection is even")}

KERNEL = kernel(ROWS[:2])


def invariance(draw, seed):
    """check_invariance under a quarter turn, as the map declares it: not at all."""
    act = groups.QuarterTurns(3).actions[1]
    return verify.check_invariance(draw, act, ROWS, seed=seed)


PLANTED = [
    *(
        Planted(
            f"invariant, {setting}: {name}",
            "check_kernel",
            KERNEL,
            drawer(setting, defect),
            drawer(setting),
        )
        for name, (setting, defect) in DEFECTS.items()
    ),
    Planted(
        "invariant, turns: degrees for radians",
        "check_invariance",
        invariance,
        drawer("turns", radians_for_degrees, 500),
        drawer("turns"),
    ),
]
TWINS = [
    Twin(f"invariant, {setting}: {name}", "check_kernel", KERNEL, drawer(setting, change), why)
    for name, (setting, change, why) in SAME.items()
]
