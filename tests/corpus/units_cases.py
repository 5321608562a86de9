"""Defects of rectified and stepped units, of group averages and of polynomial sketches."""

from __future__ import annotations

import math

import numpy as np

from tests.corpus import sketches, units
from tests.corpus.registry import Planted, Twin, drawer, kernel
from tests.corpus.sketches import Signs, Sketch
from tests.corpus.units import Averaged, Units

UNITS = kernel(units.ROWS)
TURNED = kernel(units.TURNED)
SKETCHED = kernel(sketches.ROWS)
STEPPED = {
    "activation": units.step,
    "kernel": units.stepped_kernel,
    "variance": units.stepped_variance,
}
DEGREES = tuple(math.degrees(angle) for angle in units.QUARTERS)


def planted(name, look, cls, history="", base=None, **change):
    base = base or {}
    return Planted(
        name,
        "check_kernel",
        look,
        drawer(cls, **{**base, **change}),
        drawer(cls, **base),
        history,
    )


PLANTED = [
    planted(
        "rectified: sqrt(2) of the Fourier features",
        UNITS,
        Units,
        "CliMA/RandomFeatures.jl, issue 19",
        gain=math.sqrt(2.0),
    ),
    planted("rectified: absolute value", UNITS, Units, activation=np.abs),
    planted("rectified: inputs normalised", UNITS, Units, unit_inputs=True),
    planted("stepped: sign for step", UNITS, Units, base=STEPPED, activation=np.sign),
    planted("group: degrees for radians", TURNED, Averaged, turns=DEGREES),
    planted("group: identity left out", TURNED, Averaged, turns=units.QUARTERS[1:]),
    planted("group: divided by its order less one", TURNED, Averaged, count=units.ORDER - 1),
    planted("signs: one seed for both factors", SKETCHED, Signs, reused=True),
    planted("signs: one factor too many", SKETCHED, Signs, drawn=3),
    planted("signs: normalised as if cosines", SKETCHED, Signs, gain=math.sqrt(2.0)),
    planted("count sketch: without signs", SKETCHED, Sketch, signed=False),
    planted(
        "tensor sketch: one hash for both factors",
        SKETCHED,
        Sketch,
        base={"degree": 2, "n_features": 512},
        reused=True,
    ),
]


def twin(name, look, cls, why, **change):
    return Twin(name, "check_kernel", look, drawer(cls, **change), why)


TWINS = [
    twin(
        "rectified: mirrored",
        UNITS,
        Units,
        "-w has the law of w",
        activation=lambda u: np.maximum(-u, 0.0),
    ),
    twin(
        "stepped: one minus",
        UNITS,
        Units,
        "P(w.x <= 0, w.y <= 0) is the same",
        **{**STEPPED, "activation": lambda u: 1.0 * (u <= 0.0)},
    ),
    twin(
        "group: turned the other way",
        TURNED,
        Averaged,
        "inverses are the same group",
        turns=tuple(-angle for angle in units.QUARTERS),
    ),
    twin(
        "group: every element twice",
        TURNED,
        Averaged,
        "the mean is the same",
        turns=2 * units.QUARTERS,
    ),
    twin(
        "group: every element turned on by one radian",
        TURNED,
        Averaged,
        "a coset: Gaussian frequencies turn with it",
        turns=tuple(a + 1.0 for a in units.QUARTERS),
    ),
    twin("signs: all flipped", SKETCHED, Signs, "-r has the law of r", flip=-1.0),
    twin(
        "count sketch: one bucket never used",
        SKETCHED,
        Sketch,
        "unbiased at any number of buckets: only the variance grows, by 1/63, within the 3 % that "
        "one pair leaves",
        buckets=63,
    ),
]
