"""The doubly stochastic gradient against what it must be: exact paths, exact minimisers, defects.

For squares the mean over units and rows of the function after s steps is plain gradient descent
with the exact kernel, a recursion of N x N matrices; and it tends to kernel ridge regression.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import mehler
from mehler import learn
from mehler._random import STEPS as STEPS_STREAM
from mehler._random import derived_seed
from mehler.bounds import ridge as bounds
from mehler.learn._doubly_stochastic import _descent
from mehler.learn._doubly_stochastic._descent import Descent
from tests.features.test_unstored import DRAWS

D, N = 3, 12
_RNG = np.random.default_rng(0)
ROWS = _RNG.standard_normal((N, D))
Y = np.stack([np.sin(ROWS[:, 0]), ROWS[:, 1] * ROWS[:, 2]], axis=1)
LAM, UNITS, STEPS = 0.5, 32, 12

MAPS = {
    "maxout": lambda m, seed: mehler.MaxoutFeatures.draw(D, m, 3, seed=seed, stored=False),
    "pairs": lambda m, seed: mehler.FourierFeatures.draw(
        D, 2 * m, gamma=0.3, seed=seed, stored=False
    ),
}
FIRST = 0.3


def run(draw, seed, steps=STEPS, **options):
    settings = {
        "lam": LAM,
        "n_steps": steps,
        "rows_per_step": 5,
        "units_per_step": UNITS,
        "step": FIRST,
        "intercept": False,
    }
    phi = draw(steps * UNITS, seed)
    return learn.doubly_stochastic(phi, ROWS, Y, seed=seed, **{**settings, **options})


def exact_path(draw, steps):
    """E f after the steps, at the rows: every step is a matrix."""
    kernel = draw(2, 0).kernel(ROWS)
    f = np.zeros_like(Y)
    for s in range(steps):
        gamma = FIRST / (1 + LAM * FIRST * s / 2)
        f = (1 - 2 * LAM * gamma) * f - gamma * 2 / N * kernel @ (f - Y)
    return f


def strays(draw, runs, false_alarm=1e-9):
    """Whether the mean over runs is not the exact path: Student's t, a union over entries."""
    values = np.array([run(draw, seed).predict(ROWS) for seed in range(runs)])
    t = stats.t.isf(false_alarm / (2 * Y.size), runs - 1)
    spread = values.std(axis=0, ddof=1) / np.sqrt(runs)
    return bool(np.any(np.abs(values.mean(axis=0) - exact_path(draw, STEPS)) > t * spread))


@pytest.mark.parametrize("draw", MAPS.values(), ids=MAPS)
def test_the_mean_path_is_gradient_descent_with_the_exact_kernel(draw):
    assert not strays(draw, 100)


def kernel_ridge(draw, lam=LAM):
    """The minimiser over the space of the exact kernel, at the rows."""
    kernel = draw(2, 0).kernel(ROWS)
    return kernel @ np.linalg.solve(kernel + N * lam * np.eye(N), Y)


def deviation(draw, steps, runs=4):
    """Mean squared deviation from kernel ridge regression, over that of the function 0."""
    values = [run(draw, seed, steps).predict(ROWS) for seed in range(runs)]
    exact = kernel_ridge(draw)
    return float(np.mean((np.array(values) - exact) ** 2) / np.mean(exact**2))


def converges(draw):
    """11 times the steps and their start, 13, leave 1/11 of the square; a floor would leave all.

    And it is small by then: 2 percent is an error of a seventh of the function.
    """
    few, many = deviation(draw, 25), deviation(draw, 400)
    return many < few / 4 and many < 0.02


@pytest.mark.parametrize("draw", MAPS.values(), ids=MAPS)
def test_converges_to_kernel_ridge_regression(draw):
    assert converges(draw)


def test_the_bound_of_the_theorem_holds():
    """The recursion, and C/(s + s_0), of docs/theorems/features-doubly-stochastic.md."""
    draw, lam, block, rows, steps = MAPS["pairs"], 1.0, 64, 5, 100
    exact = kernel_ridge(draw, lam)
    phi = draw(2, 0)
    kappa, v = phi.kernel(ROWS).max(), phi.variance(ROWS).max()
    nu, slope = 2 * lam, 2.0
    sigma2 = np.mean(np.sum((2 * (exact - Y)) ** 2, axis=1))
    norm2 = np.sum(np.linalg.solve(phi.kernel(ROWS), exact) * exact)
    limits = (
        1 / (3 * kappa * slope),
        1 / (3 * nu),
        nu * block / (9 * v * slope**2),
        nu**2 * block / (18 * v * slope**3 * kappa),
    )
    theta = 4 / nu
    s0 = theta / min(limits) - 1
    p = 3 * kappa * sigma2 / rows + 9 * slope * v * sigma2 / (nu * block)
    c = 2 * max(nu / (3 * slope), kappa) * max(theta**2 * p, (1 + s0) * norm2)
    settings = {"lam": lam, "step": min(limits), "units_per_step": block, "rows_per_step": rows}
    squares = []
    for seed in range(10):
        fit = learn.doubly_stochastic(
            draw(steps * block, seed), ROWS, Y, seed=seed, intercept=False, **settings
        )
        squares.append(np.sum((fit.predict(ROWS) - exact) ** 2, axis=1))
    rate = math.sqrt(c / (steps + 1 + s0))
    seen = math.sqrt(np.mean(squares, axis=0).max())
    known = {
        "ridge": lam,
        "units_per_step": block,
        "rows_per_step": rows,
        "n_samples": N,
        "sup": float(kappa),
        "variance": float(v),
        "gradient": math.sqrt(sigma2),
        "norm": math.sqrt(norm2),
    }
    bound = bounds.doubly_stochastic(steps, step=min(limits), **known)
    assert seen <= bound.value <= rate
    # A step of the learner's own choice, 20 times as long, breaks the rate's condition.
    assert not bounds.doubly_stochastic(steps, step=0.3, **known).vacuous
    assert bounds.doubly_stochastic(steps, step=2 / (kappa * slope) + 0.01, **known).vacuous


@pytest.mark.parametrize(
    "change",
    [{"ridge": 0.0}, {"sup": -1.0}, {"rows_per_step": 13}, {"n_steps": 10**12}],
    ids=str,
)
def test_the_bound_names_what_it_refuses(change):
    known = {
        "n_steps": 10,
        "ridge": 1.0,
        "step": 0.1,
        "units_per_step": 4,
        "rows_per_step": 5,
        "n_samples": N,
    }
    known |= {"sup": 1.0, "variance": 1.0, "gradient": 1.0, "norm": 1.0, **change}
    with pytest.raises(ValueError, match=next(iter(change))):
        bounds.doubly_stochastic(**known)


@pytest.mark.parametrize(
    "change", [{"norm": 10**200}, {"gradient": 1e200}, {"variance": 1e300, "gradient": 1e150}]
)
def test_the_bound_is_infinite_where_its_recursion_overflows(change):
    known = {"ridge": 1.0, "step": 0.1, "units_per_step": 4, "rows_per_step": 5, "n_samples": N}
    known |= {"sup": 1.0, "variance": 1.0, "gradient": 1.0, "norm": 1.0, **change}
    assert bounds.doubly_stochastic(10, **known).value == math.inf


def wrong_sign(self, *args):
    value, gradients = _SQUARES(self, *args)
    return value, -gradients


def half_gradient(self, *args):
    value, gradients = _SQUARES(self, *args)
    return value, gradients / 2


def forgotten_share(self, *args):
    """Without m/|U|, which is STEPS here."""
    value, gradients = _SQUARES(self, *args)
    return value, gradients / STEPS


_SQUARES = _descent.Squares.__call__
_TAKE, _BLOCK = Descent._take, Descent._block


def unshrunk(self, s):
    before = self.scale
    lost = _TAKE(self, s)
    self.scale = before
    return lost


def repeated_block(self, rng, s):
    return _BLOCK(self, rng, 0)


def steady(self, s):
    return self.step


@pytest.mark.parametrize(
    ("owner", "name", "defect"),
    [
        (_descent.Squares, "__call__", half_gradient),
        (Descent, "_take", unshrunk),
        (_descent.Squares, "__call__", forgotten_share),
    ],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_planted_defects_stray(monkeypatch, owner, name, defect):
    monkeypatch.setattr(owner, name, defect)
    assert strays(MAPS["maxout"], 100)


@pytest.mark.parametrize(
    ("name", "defect"),
    [("_block", repeated_block), ("_size", steady)],
    ids=lambda value: getattr(value, "__name__", ""),
)
def test_planted_defects_do_not_converge(monkeypatch, name, defect):
    monkeypatch.setattr(Descent, name, defect)
    assert not converges(MAPS["maxout"])


def test_a_wrong_sign_diverges(monkeypatch):
    monkeypatch.setattr(_descent.Squares, "__call__", wrong_sign)
    with pytest.raises(ValueError, match=r"the steps diverge, at step \d+ of size 0.3"):
        run(MAPS["maxout"], 0, 400)


def test_many_passes_find_the_ridge_regression_of_the_map():
    """With blocks at random the minimiser is that of the map's own features."""
    phi = MAPS["maxout"](40, 7)
    options = {"lam": 0.05, "intercept": False, "step": 0.15, "rows_per_step": N}
    fit = learn.doubly_stochastic(phi, ROWS, Y, seed=1, n_steps=2000, units_per_step=16, **options)
    z = phi(ROWS)
    exact = np.linalg.solve(z.T @ z + N * 0.05 * np.eye(40), z.T @ Y)
    assert np.mean((z @ exact - fit.predict(ROWS)) ** 2) < 1e-3 * np.mean((z @ exact) ** 2)


def objective(z, weights, labels, lam):
    values = z @ weights
    top = values.max(axis=1, keepdims=True)
    log_sum = top[:, 0] + np.log(np.exp(values - top).sum(axis=1))
    return np.mean(log_sum - values[np.arange(N), labels]) + lam * np.sum(weights**2)


def test_logistic_finds_what_lbfgs_finds():
    labels = np.arange(N) % 3
    codes, _ = learn.one_vs_all(labels)
    phi = MAPS["maxout"](40, 7)
    lam = 0.02
    fit = learn.doubly_stochastic(
        phi,
        ROWS,
        codes,
        lam=lam,
        loss="logistic",
        seed=1,
        n_steps=1500,
        units_per_step=16,
        rows_per_step=N,
        intercept=False,
    )
    best = learn.logistic(phi, ROWS, labels, lam=lam, intercept=False)
    assert best.gap < 1e-6
    z = phi(ROWS)
    found, start = objective(z, fit.weights, labels, lam), np.log(3)
    assert -1e-9 < found - best.objective < 0.01 * (start - best.objective)
    # Losses are those of the rows before each step.
    assert fit.losses[0] == pytest.approx(start)


def test_logistic_starts_at_the_shares_of_classes():
    labels = np.array([0] * 6 + [1] * 4 + [2] * 2)
    codes, _ = learn.one_vs_all(labels)
    fit = learn.doubly_stochastic(
        MAPS["pairs"](64, 0), ROWS, codes, lam=0.1, loss="logistic", seed=0, step=1e-9
    )
    p = np.exp(fit.predict(ROWS))
    p /= p.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(p, np.tile([6 / 12, 4 / 12, 2 / 12], (N, 1)), atol=1e-6)


def test_squares_start_at_the_mean_of_the_targets():
    fit = learn.doubly_stochastic(MAPS["pairs"](64, 0), ROWS, Y[:, 0], lam=0.1, seed=0, step=1e-9)
    assert fit.predict(ROWS).shape == (N,)
    np.testing.assert_allclose(fit.predict(ROWS), np.full(N, Y[:, 0].mean()), atol=1e-6)


@pytest.mark.parametrize("passes", [1, 2])
@pytest.mark.parametrize("rows", [5, N])
def test_the_same_function_however_values_are_had(monkeypatch, rows, passes):
    """Kept or not, with features of a block held or made twice; steps beyond one pass too."""
    phi = mehler.FourierFeatures.draw(D, 2 * 130, gamma=0.3, seed=0, stored=False)
    options = {
        "lam": 0.01,
        "seed": 0,
        "rows_per_step": rows,
        "units_per_step": 32,
        "n_steps": 4 * passes,
    }
    kept = learn.doubly_stochastic(phi, ROWS, Y, **options)
    left = learn.doubly_stochastic(phi, ROWS, Y, keep_values=False, **options)
    np.testing.assert_allclose(left.weights, kept.weights, atol=1e-12)
    np.testing.assert_allclose(left.losses, kept.losses, rtol=1e-12)
    monkeypatch.setattr(_descent, "_HELD", 1)
    twice = learn.doubly_stochastic(phi, ROWS, Y, **options)
    np.testing.assert_allclose(twice.weights, kept.weights, atol=1e-12)
    stored = mehler.FourierFeatures.draw(D, 2 * 130, gamma=0.3, seed=0)
    z = stored(ROWS)
    np.testing.assert_allclose(kept.predict(ROWS), z @ kept.weights + kept.intercept, atol=1e-12)
    same = learn.doubly_stochastic(stored, ROWS, Y, **options)
    np.testing.assert_allclose(same.weights, kept.weights, atol=1e-12)


def test_one_large_target_is_no_divergence():
    """What diverges is told from targets of very different sizes, seen late or not at all."""
    y = np.where(np.arange(N) == 3, 1e9, Y[:, 0])
    options = {"lam": 0.1, "rows_per_step": 1, "units_per_step": 4, "intercept": False}
    fit = learn.doubly_stochastic(MAPS["pairs"](64, 0), ROWS, y, seed=0, **options)
    # The large one is not of the first step, which would hide what is tested.
    assert fit.losses[0] < 1.0
    assert fit.losses.max() > 1e12
    assert np.all(np.isfinite(fit.weights))
    even = learn.doubly_stochastic(MAPS["pairs"](64, 0), ROWS, 0 * y + 2.0, lam=0.1, seed=0)
    assert np.all(even.weights == 0.0)
    assert np.all(even.predict(ROWS) == 2.0)


@pytest.mark.parametrize("kind", DRAWS)
def test_the_default_step_is_that_of_units_with_another_seed(kind):
    """Drawn as a map of their own: no unit that takes steps has a part in their size."""
    cls, sizes, own = DRAWS[kind]
    x, y = np.random.default_rng(1).standard_normal((2, 30, 7))
    phi = cls.draw(7, 96, *sizes, seed=3, **own)
    fit = learn.doubly_stochastic(
        phi, x, y[:, 0], lam=0.1, seed=0, units_per_step=32, rows_per_step=10, n_steps=1
    )
    other = cls.draw(7, 96, *sizes, seed=derived_seed(3, STEPS_STREAM), **own)
    fresh = np.asarray(other(x))
    assert not np.isin(fresh[fresh != 0], np.asarray(phi(x))).any()
    gram = other(x) @ other(x).T
    e, k = np.linalg.eigvalsh(gram)[-1] / 30, np.trace(gram) / 30
    assert fit.step == pytest.approx(1 / (2 * (e + k / 32 + k / 10) + 0.2), rel=1e-9)
