"""Defects of Fourier features, most of them out of the histories of public libraries."""

import math

import numpy as np

from mehler import verify
from tests.verify.corpus.fourier import ROWS, Cosines, Orthogonal, Pairs, constant_norms
from tests.verify.corpus.registry import Planted, Twin, drawer, kernel

KERNEL = kernel(ROWS)


def planted(name, cls, **change):
    return Planted(name, "check_kernel", KERNEL, drawer(cls, **change), drawer(cls))


PLANTED = [
    # scikit-learn, RBFSampler, pull request 3656.
    planted("cosines: spectral variance without its factor 2", Cosines, spectral=1.0),
    # gwgundersen/random-fourier-features, issue 1.
    planted("cosines: normalised twice", Cosines, power=1.0),
    planted("pairs: cosine twice", Pairs, second=np.cos),
    planted("cosines: offset over an eighth of a turn", Cosines, widest=math.pi / 4),
    planted("orthogonal: blocks without chi norms", Orthogonal, norms=constant_norms),
]


def repeated(draw, seed):
    """Every unit four times, as whole draws, with the variance that this has."""

    def variance(x, y):
        return 4.0 * Cosines.variance(x, y)

    return verify.check_kernel(
        lambda seed: draw(seed).__call__, Cosines.kernel, ROWS, variance=variance, seed=seed
    )


def twin(name, cls, why, **change):
    return Twin(name, "check_kernel", KERNEL, drawer(cls, **change), why)


# With b on [0, c] the kernel gains E_w E_b cos(w.t + 2b), t = x + y. As w.t is symmetric this is
# phi(t) Re E exp(2ib) with phi the kernel's own characteristic function.
TWINS = [
    twin(
        "cosines: offset over a quarter turn",
        Cosines,
        "E exp(2ib) = 2i/pi is imaginary, and E sin(w.t) = 0: only the features' law is wrong",
        widest=math.pi / 2,
    ),
    Twin(
        "cosines: seeds reused across units",
        "check_kernel",
        repeated,
        drawer(Cosines, n_features=400, distinct=100),
        "repeated units keep the mean: the variance and the convergence tell",
    ),
    twin("orthogonal: blocks transposed", Orthogonal, "Haar's law is", transposed=True),
]
