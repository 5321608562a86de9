"""Defects that the expected kernel hides: of the variance, and of the law of single features."""

from __future__ import annotations

import math

import numpy as np
from scipy.special import ndtr

from mehler import exact, verify
from tests.corpus import fourier, mehler_cases, sketches
from tests.corpus.fourier import Cosines, Orthogonal, arcsine_cdf
from tests.corpus.mehler_cases import Q
from tests.corpus.registry import Planted, Twin, drawer
from tests.corpus.sketches import Signs, Sketch
from tests.verify import toys


def variance(rows, others=None):
    """check_variance against the map's own declaration."""

    def look(draw, seed):
        return verify.check_variance(draw, draw(0).variance, rows, others, seed=seed)

    return look


def variance_of_draws(rows):
    """The same of maps that do not declare independent units: every draw gives one sample."""

    def look(draw, seed):
        return verify.check_variance(
            lambda seed: draw(seed).__call__, draw(0).variance, rows, seed=seed
        )

    return look


def distribution(rows, cdf):
    def look(draw, seed):
        return verify.check_distribution(draw, cdf, rows, seed=seed)

    return look


def lengths(x):
    return np.linalg.norm(x, axis=1, keepdims=True)


def maxout_cdf(x, t):
    """P(max_j <w_j, x> <= t) = Phi(t/|x|)^q."""
    return ndtr(np.asarray(t) / lengths(x)) ** Q


def decoupled_cdf(x, t):
    """A direction of its own at the winner's index: sigma(q) times a normal."""
    return ndtr(np.asarray(t) / (lengths(x) * math.sqrt(exact.sigma2(Q))))


class Independent(Orthogonal):
    """Orthogonal frequencies that declare the variance of independent ones."""

    variance = staticmethod(toys.paired_variance(fourier.GAMMA))


FOURIER = variance(fourier.ROWS)
WHOLE = variance_of_draws(fourier.ROWS)
PAIRED = variance(fourier.ROWS[:1], fourier.ROWS[1:])
MAXOUT = variance(mehler_cases.FEW)
SKETCHED = variance(sketches.ROWS)
ANGLES = distribution(fourier.ROWS, arcsine_cdf)
MAXIMA = distribution(mehler_cases.FEW, maxout_cdf)
CHOSEN = distribution(mehler_cases.FEW, decoupled_cdf)
# Draws of few units: the variance is one of whole draws.
SMALL = {"n_features": 50}
SHORT = {"n_features": 8}


def small(kind, defect=None):
    return mehler_cases.drawer(kind, defect, m=50)


PLANTED = [
    Planted(
        "linear: signs for normal weights",
        "check_variance",
        MAXOUT,
        mehler_cases.linear(mehler_cases.sign_weights),
        mehler_cases.linear(),
    ),
    Planted(
        "cosines: each unit twice",
        "check_variance",
        WHOLE,
        drawer(Cosines, **SMALL, distinct=25),
        drawer(Cosines, **SMALL),
    ),
    Planted(
        "orthogonal: variance of independent frequencies",
        "check_variance",
        PAIRED,
        drawer(Independent, n_features=16),
        drawer(Orthogonal, n_features=16),
    ),
    Planted(
        "signs: normal weights for signs",
        "check_variance",
        SKETCHED,
        drawer(Signs, **SMALL, law="normal"),
        drawer(Signs, **SMALL),
    ),
    Planted(
        "count sketch: two buckets of eight never used",
        "check_variance",
        SKETCHED,
        drawer(Sketch, **SHORT, buckets=6),
        drawer(Sketch, **SHORT),
    ),
    Planted(
        "maxout: min for max",
        "check_distribution",
        MAXIMA,
        mehler_cases.drawer("maxout", mehler_cases.smallest),
        mehler_cases.drawer("maxout"),
    ),
    Planted(
        "maxout: off-by-one pool",
        "check_distribution",
        MAXIMA,
        mehler_cases.drawer("maxout", mehler_cases.one_piece_short),
        mehler_cases.drawer("maxout"),
    ),
    Planted(
        "decoupled, fresh: direction is the decider",
        "check_distribution",
        CHOSEN,
        mehler_cases.drawer("decoupled-fresh", mehler_cases.own_directions),
        mehler_cases.drawer("decoupled-fresh"),
    ),
    Planted(
        "cosines: offset over a quarter turn",
        "check_distribution",
        ANGLES,
        drawer(Cosines, widest=math.pi / 2),
        drawer(Cosines),
    ),
]


# With b on [0, c], sqrt(2) cos(w.x + b) has n-th Fourier coefficient phi(nx) Re E exp(inb).
# c = pi: E exp(inb) is 0 for even n and imaginary for odd n, so the law is the arcsine law. More:
# b on [0, 2 pi] is b on [0, pi] with a random sign, so that every product, and so kernel and
# variance, has the very same law. c = pi/2: n = 1 gives 2/pi, and the features have a mean.
# The variance of a product needs n = 2 and 4 only, where both have no real part.
TWINS = [
    Twin(
        "cosines: offset over half a turn",
        "check_distribution",
        ANGLES,
        drawer(Cosines, widest=math.pi),
        "the arcsine law again, as w.x is symmetric",
    ),
    Twin(
        "cosines: offset subtracted",
        "check_distribution",
        ANGLES,
        drawer(Cosines, sign=-1.0),
        "-b is as uniform as b",
    ),
    Twin(
        "cosines: bandwidth of 2014",
        "check_distribution",
        ANGLES,
        drawer(Cosines, spectral=1.0),
        "the offset hides the frequency from one row: only pairs of rows tell",
    ),
    Twin(
        "cosines: offset over half a turn",
        "check_variance",
        FOURIER,
        drawer(Cosines, **SMALL, widest=math.pi),
        "products have the law that they should",
    ),
    Twin(
        "cosines: offset over a quarter turn",
        "check_variance",
        FOURIER,
        drawer(Cosines, **SMALL, widest=math.pi / 2),
        "E cos(w.x + b) matters, products do not see it",
    ),
    Twin(
        "maxout: min for max",
        "check_variance",
        MAXOUT,
        small("maxout", mehler_cases.smallest),
        "-w has the law of w",
    ),
]
