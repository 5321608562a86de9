"""Defects of Fourier features, most of them out of the histories of public libraries."""

import functools
import math
from unittest import mock

import numpy as np

import mehler
from mehler import verify
from mehler.features import SoftmaxFeatures, projections
from tests.verify.corpus.fourier import ROWS, Cosines, Orthogonal, Pairs, constant_norms
from tests.verify.corpus.registry import Planted, Twin, drawer, kernel, moved_weights

KERNEL = kernel(ROWS)


def planted(name, cls, **change):
    return Planted(name, "check_kernel", KERNEL, drawer(cls, **change), drawer(cls))


# Rows of five columns, one near another: blocks of orthogonal or structured directions.
FIVE = np.random.default_rng(0).standard_normal((3, 5)) * 0.6
FIVE = np.vstack([FIVE, FIVE[0] + 0.1 * FIVE[1]])


@moved_weights
def lengths_of_coordinates(phi, w):
    """Lengths on the left axis: one for each coordinate of the block, not for each direction."""
    lengths = np.linalg.norm(w, axis=1)[0]
    unit = w / lengths
    blocks = [unit[0][:, k : k + 5] * lengths[k : k + 5, None] for k in (0, 5)]
    return (np.concatenate([*blocks, w[0][:, 10:]], axis=1)[None],)


@moved_weights
def lengths_before_padding(phi, *parts):
    """chi of the row's dimension where the block has that of the padded one."""
    return *parts[:-1], parts[-1] * math.sqrt(5 / 8)


def in_blocks(name, words, defect, resolution):
    """In cells of 2: structured blocks of 8 have four of them and are no orthogonal ones."""

    def look(draw, seed):
        with mock.patch.object(projections, "CELL", 2):
            claim = draw(0).kernel
            return verify.check_kernel(draw, claim, FIVE, resolution=resolution, seed=seed)

    def draw(cls):
        return lambda seed: cls(5, 24, gamma=0.3, projections=name, seed=seed)

    broken = draw(defect(mehler.FourierFeatures))
    right = draw(mehler.FourierFeatures)
    return Planted(f"{name} blocks: {words}", "check_kernel", look, broken, right)


@functools.cache
def positive(cls):
    return lambda seed: cls(4, 400, form="hyperbolic", scale=0.8, seed=seed)


SOFTMAX = kernel(0.5 * ROWS, resolution=0.05)


def softmax(words, change):
    """A defect of softmax features: ``change(xp, rows, features)`` in their place."""

    class Broken(SoftmaxFeatures):
        def _transform(self, xp, rows, *weights):
            return change(xp, rows, super()._transform(xp, rows, *weights))

    maps = positive(Broken), positive(SoftmaxFeatures)
    return Planted(f"softmax: {words}", "check_kernel", SOFTMAX, *maps)


PLANTED = [
    # scikit-learn, RBFSampler, pull request 3656.
    planted("cosines: spectral variance without its factor 2", Cosines, spectral=1.0),
    # gwgundersen/random-fourier-features, issue 1.
    planted("cosines: normalised twice", Cosines, power=1.0),
    planted("pairs: cosine twice", Pairs, second=np.cos),
    planted("cosines: offset over an eighth of a turn", Cosines, widest=math.pi / 4),
    planted("orthogonal: blocks without chi norms", Orthogonal, norms=constant_norms),
    # The first moves the kernel by 4 % only.
    in_blocks("orthogonal", "a length a coordinate", lengths_of_coordinates, 0.03),
    in_blocks("hadamard", "lengths before padding", lengths_before_padding, 0.1),
    softmax("without the norm", lambda xp, x, z: z * xp.exp(0.32 * xp.sum(x * x, 1)[:, None])),
    softmax("half a scale", lambda xp, x, z: z * 0.96),
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
