"""Defects of group-invariant features: of the group, the templates, the bins and the claim."""

from __future__ import annotations

import functools

import numpy as np

from mehler import verify
from mehler.features import groups
from tests.corpus.registry import Planted, Twin, kernel
from tests.features.invariant import test_defects as ways

KERNEL = kernel(ways.ROWS[:2])


@functools.cache
def drawer(setting, name=None):
    return ways.drawer(setting, None if name is None else ways.DEFECTS[name][1], 2000)


@functools.cache
def twin(name):
    setting, change = ways.TWINS[name]
    return ways.drawer(setting, change, 2000)


def invariance(draw, seed):
    """check_invariance under a quarter turn, as the map declares it: not at all."""
    act = groups.QuarterTurns(3).actions[1]
    return verify.check_invariance(draw, act, ways.ROWS, seed=seed)


def under_shifts(draw, seed):
    """check_invariance under a shift by one."""
    act = groups.CyclicShifts(ways.D).actions[1]
    return verify.check_invariance(draw, act, ways.ROWS, seed=seed)


# Of the elements, one is there twice and another is missing.
twice = ways.moved_weights(
    lambda phi, s, h, t, index: (s, h, t, np.concatenate([index[: ways.D], index[: -ways.D]]))
)

PLANTED = [
    *(
        Planted(
            f"invariant, {setting}: {name}",
            "check_kernel",
            KERNEL,
            drawer(setting, name),
            drawer(setting),
        )
        for name, (setting, _) in ways.DEFECTS.items()
    ),
    Planted(
        "invariant, turns: degrees for radians",
        "check_invariance",
        invariance,
        ways.drawer("turns", ways.radians_for_degrees),
        drawer("turns"),
    ),
    Planted(
        "invariant, shifts: an element twice",
        "check_invariance",
        under_shifts,
        ways.drawer("shifts", twice),
        drawer("shifts"),
    ),
]
TWINS = [
    Twin(
        "invariant, shifts: elements in another order",
        "check_kernel",
        KERNEL,
        twin("roll of the elements"),
        "a mean over the group does not know their order",
    ),
    Twin(
        "invariant, maps: templates of the other sign",
        "check_kernel",
        KERNEL,
        twin("templates of the other sign"),
        "-t has the law of t",
    ),
]
