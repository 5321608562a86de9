"""Defects that the expected kernel hides: of the variance, and of the law of single features."""

import math

import numpy as np
from scipy.special import ndtr

from mehler import exact, verify
from tests.verify import toys
from tests.verify.corpus import fourier, mehler_cases
from tests.verify.corpus.fourier import Cosines, Orthogonal, arcsine_cdf
from tests.verify.corpus.mehler_cases import Q
from tests.verify.corpus.registry import Planted, Twin, drawer


def variance(rows, others=None):
    """check_variance against the map's own declaration."""

    def look(draw, seed):
        return verify.check_variance(draw, draw(0).variance, rows, others, seed=seed)

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


PAIRED = variance(fourier.ROWS[:1], fourier.ROWS[1:])
MAXOUT = variance(mehler_cases.FEW)
ANGLES = distribution(fourier.ROWS, arcsine_cdf)
MAXIMA = distribution(mehler_cases.FEW, maxout_cdf)
CHOSEN = distribution(mehler_cases.FEW, decoupled_cdf)


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
        "orthogonal: variance of independent frequencies",
        "check_variance",
        PAIRED,
        drawer(Independent, n_features=16),
        drawer(Orthogonal, n_features=16),
    ),
    Planted(
        "maxout: min for max",
        "check_distribution",
        MAXIMA,
        mehler_cases.drawer("maxout", mehler_cases.smallest),
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
        "cosines: bandwidth of 2014",
        "check_distribution",
        ANGLES,
        drawer(Cosines, spectral=1.0),
        "the offset hides the frequency from one row: only pairs of rows tell",
    ),
    Twin(
        "maxout: min for max",
        "check_variance",
        MAXOUT,
        small("maxout", mehler_cases.smallest),
        "-w has the law of w",
    ),
]
