"""Faults, which `tests/verify/faults` runs, and correct counterparts, which have no cause."""

import math

import numpy as np
import pytest

from mehler import kernels
from mehler.verify import diagnose

M, D = 128, 4
X = np.random.default_rng(5).standard_normal((9, D)) * np.array([0.4, 0.5, 0.6, 0.9])
UNIT = np.random.default_rng(6).standard_normal((8, D))
UNIT /= np.linalg.norm(UNIT, axis=1, keepdims=True)
RBF, EXP, LINEAR = kernels.make("rbf", gamma=0.5), kernels.make("exp"), kernels.make("linear")
LAPLACIAN = kernels.make("laplacian", gamma=1.0)
MATERN = kernels.make("matern", nu=1.5, length_scale=1.0)
ARC = kernels.make("arc-cosine", order=1)


def bare(x, y):
    return np.exp(-0.5 * ((x[:, None] - y[None]) ** 2).sum(axis=2))


def normal(rng, d, m):
    return rng.standard_normal((d, m))


def cauchy(rng, d, m):
    return rng.standard_cauchy((d, m))


def student(nu):
    """Weights of the Matern kernel: a normal vector times the root of 2 nu / chi^2_{2 nu}."""
    return lambda rng, d, m: normal(rng, d, m) * np.sqrt(2.0 * nu / rng.chisquare(2.0 * nu, m))


def signless(rng, d, m):
    blocks = [np.linalg.qr(normal(rng, d, d))[0] for _ in range(-(-m // d))]
    return np.hstack(blocks)[:, :m] * np.sqrt(rng.chisquare(d, m))


def signed(rng, d, m):
    pairs = [np.linalg.qr(normal(rng, d, d)) for _ in range(-(-m // d))]
    directions = np.hstack([q * np.sign(np.diag(r)) for q, r in pairs])[:, :m]
    return directions * np.sqrt(rng.chisquare(d, m))


def offset(law=normal, width=2.0 * math.pi, *, scale=1.0, rows=lambda x: x, features=lambda z: z):
    """Cosines of weights from a law, with offsets uniform on [0, width)."""

    def draw(seed):
        rng = np.random.default_rng(seed)
        w, b = scale * law(rng, D, M), rng.uniform(0.0, width, M) if width else np.zeros(M)
        return lambda x: features(math.sqrt(2.0 / M) * np.cos(rows(x) @ w + b))

    return draw


def positive(law=normal, *, scale=1.0, power=0.5, shift=0.0, factor=1.0):
    """Positive features of exp(<x, y>)."""

    def draw(seed):
        w = scale * law(np.random.default_rng(seed), D, M)

        def phi(x):
            x = np.asarray(x)
            t = x @ w - power * scale**2 * (x**2).sum(axis=1, keepdims=True)
            return factor * np.exp(t) / math.sqrt(M) + shift

        return phi

    return draw


def rectified(*, factor=2.0**0.5, threshold=0.0, power=1, shift=0.0):
    def draw(seed):
        w = normal(np.random.default_rng(seed), D, M)
        return lambda x: factor * np.maximum(x @ w - threshold, 0.0) ** power / math.sqrt(M) + shift

    return draw


def linear(law=normal, *, factor=1.0, columns=1.0):
    def draw(seed):
        w = law(np.random.default_rng(seed), D, M)
        return lambda x: factor * (x * columns) @ w / math.sqrt(M)

    return draw


SCALES = np.array([2.0, 0.5, 1.0, 1.25])
# Draw, claim, rows, words of the cause; None where a cause would be worse than none.
FAULTS = {
    "half a factor": (offset(features=lambda z: z / math.sqrt(2.0)), RBF, X, "exact is 0.50 at"),
    "divided by m": (offset(features=lambda z: z / math.sqrt(M)), RBF, X, "(1/n_features, with"),
    "3 % too small": (offset(features=lambda z: 0.97 * z), RBF, X, "exact is 0.94 at every pair"),
    "an offset": (offset(features=lambda z: np.hstack([z, np.full((len(z), 1), 0.4)])), RBF, X,
                  "estimate - exact is 0.1"),
    "bandwidth of 2014": (offset(scale=math.sqrt(0.5)), RBF, X, "gamma' = gamma / 2"),
    "weights 3 % too small": (offset(scale=0.97), RBF, X, "gamma' / gamma = 0.9"),
    "degrees": (offset(scale=math.pi / 180.0), RBF, X, "rows are scaled to almost nothing"),
    "radians": (offset(scale=180.0 / math.pi), RBF, X, "' / gamma above"),
    "matern, twice": (offset(student(1.5), scale=0.5), MATERN, X, "length_scale' = 2 length_scale"),
    "columns of their own": (offset(lambda rng, d, m: rng.standard_t(3, (d, m))), MATERN, X,
                             "3 degrees in each column"),
    "phases left out": (offset(width=0.0), RBF, X, "phases b were left out: E cos 2b = "),
    "phases to quarter pi": (offset(width=math.pi / 4.0), RBF, X, "b were uniform on [0, pi/4)"),
    "normal for Cauchy": (offset(), LAPLACIAN, X, "fits rbf(gamma="),
    "Cauchy for normal": (offset(cauchy), RBF, X, "fits laplacian(gamma="),
    "normal for Matern": (offset(), MATERN, X, "fits rbf(gamma="),
    "Matern without its root": (
        offset(lambda rng, d, m: normal(rng, d, m) * 7.0 / rng.chisquare(7.0, m)),
        kernels.make("matern", nu=3.5), X, "(nu = 3.5) without the root"),
    "uniform weights": (offset(lambda rng, d, m: rng.uniform(-3.0, 3.0, (d, m))), RBF, 2.0 * X,
                        "uniform weights"),
    "columns of a fit": (offset(rows=lambda x: x * SCALES), RBF, X, "multiplied by 2, 0."),
    "exp, plus a little": (positive(shift=1e-2), EXP, UNIT, "an offset"),
    "exp, without the norm": (positive(power=0.0), EXP, UNIT, "exact is 2.7"),
    "QR without signs": (positive(signless), EXP, UNIT, None),
    "arc-cosine of order 2": (rectified(power=2), ARC, UNIT, "fits arc-cosine(order=2)"),
    "waves without their norm": (offset(), EXP, X, "fits rbf(gamma=0.5"),
    "arc-cosine, a threshold": (rectified(threshold=0.4), ARC, UNIT, None),
    "linear for arc-cosine": (linear(), ARC, UNIT, "fits linear"),
    "noise of its own": (
        offset(features=lambda z: z + 0.2 * np.random.default_rng(len(z)).normal(size=z.shape)),
        RBF, X, None),
    "rows of length one": (offset(rows=lambda x: x / np.linalg.norm(x, axis=1, keepdims=True)),
                           RBF, X, None),
}  # fmt: skip
CORRECT = {
    "rbf": (offset(), RBF, X),
    "rbf, bare": (offset(), bare, X),
    "laplacian": (offset(cauchy), LAPLACIAN, X),
    "matern": (offset(student(1.5)), MATERN, X),
    "orthogonal": (offset(signed), RBF, X),
    "cosines do not see signs of R": (offset(signless), RBF, X),
    "exp": (positive(), EXP, UNIT),
    "exp, orthogonal": (positive(signed), EXP, UNIT),
    "arc-cosine": (rectified(), ARC, UNIT),
    "linear": (linear(), LINEAR, UNIT),
    "columns, as claimed": (offset(rows=lambda x: x * SCALES),
                            lambda x, y: bare(x * SCALES, y * SCALES), X),
    "zeros, made up for": (
        offset(features=lambda z: math.sqrt(4.0 / 3.0) * z * (np.arange(M) >= M // 4)), RBF, X),
}  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("name", CORRECT)
def test_a_correct_counterpart_has_none(name):
    assert diagnose(*CORRECT[name]) == ()


def test_a_seed_that_is_not_used_is_named():
    (cause,) = diagnose(lambda seed: offset()(1), RBF, X)
    assert (cause.kind, "the seed is not used" in cause.text) == ("seed", True)
