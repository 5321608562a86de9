"""check_gradient: expected derivatives, by differences without truncation or by the map's own."""

from __future__ import annotations

import numpy as np
import pytest

from mehler.verify import check_gradient
from tests.verify.toys import offset_fourier, points, require_rate

GAMMA, D = 0.4, 4
X = 0.7 * points(2, D)
COARSE = {"resolution": 0.1}


def fourier(seed, **options):
    return offset_fourier(GAMMA, D, m=200, **options)(seed)


def gaussian(x, y, *, gamma=GAMMA, factor=2.0):
    gap = x[:, None] - y[None]
    return -factor * gamma * gap * np.exp(-gamma * (gap**2).sum(axis=2))[:, :, None]


def rectified(seed, m=200):
    w = np.random.default_rng(seed).standard_normal((D, m))
    return lambda x: np.maximum(x @ w, 0.0) / np.sqrt(m)


def arc_cosine(x, y):
    """Of |x||y| (sin t + (pi - t) cos t) / 2 pi (Cho and Saul 2009)."""
    a, b = (np.linalg.norm(each, axis=1) for each in (x, y))
    t = np.arccos(np.clip(x @ y.T / np.outer(a, b), -1.0, 1.0))
    along = (b[None] * np.sin(t) / a[:, None])[:, :, None] * x[:, None]
    return (along + (np.pi - t)[:, :, None] * y[None]) / (2.0 * np.pi)


def step(seed, m=2000):
    w = np.random.default_rng(seed).standard_normal((D, m))
    return lambda x: (x @ w > 0.0) / np.sqrt(m)


def of_angle(x, y):
    """Of (pi - t) / 2 pi."""
    a, b = (np.linalg.norm(each, axis=1, keepdims=True) for each in (x, y))
    cosine = (x / a) @ (y / b).T
    sine = np.sqrt(1.0 - cosine**2)
    turn = (y / b)[None] - cosine[:, :, None] * (x / a)[:, None]
    return turn / sine[:, :, None] / a[:, None] / (2.0 * np.pi)


COLUMNS = {"independent_features": True}


@pytest.mark.parametrize("options", [COLUMNS, {"step": 0.3, **COLUMNS}, {}])
def test_the_gradient_of_a_smooth_map_holds(options):
    verdict = check_gradient(fourier, gaussian, X, **COARSE, **options)
    assert verdict.holds, str(verdict)
    assert {"i", "j", "direction", "relative_to"} <= set(verdict.where)
    assert verdict.n_intervals >= 12  # 3 directions, 2 x 2 rows


def test_a_map_with_kinks_has_the_gradient_of_its_kernel():
    others = points(2, D, seed=3)
    assert check_gradient(rectified, arc_cosine, X, others, **COARSE, **COLUMNS).holds


def test_float32_rows_are_differentiated_as_they_are():
    def single(seed):
        phi = fourier(seed)
        return lambda x: phi(x.astype(np.float64)).astype(np.float32)

    verdict = check_gradient(single, gaussian, X.astype(np.float32), **COARSE, **COLUMNS)
    assert verdict.holds, str(verdict)


WRONG = {
    "sign": lambda x, y: -gaussian(x, y),
    "a factor of 2 lost": lambda x, y: gaussian(x, y, factor=1.0),
    "bandwidth": lambda x, y: gaussian(x, y, gamma=2.0 * GAMMA),
    "of the other argument": lambda x, y: gaussian(y, x).transpose(1, 0, 2),
    "a coordinate left out": lambda x, y: gaussian(x, y) * (np.arange(D) > 0),
    "a tenth too large": lambda x, y: 1.1 * gaussian(x, y),
    "nothing": lambda x, y: 0.0 * gaussian(x, y),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.sampled(4)
def test_a_wrong_gradient_is_refuted(name):
    verdict = check_gradient(fourier, WRONG[name], X, **COLUMNS)
    assert verdict.status == "refuted", str(verdict)
    assert "bounded kurtosis" in verdict.method


BROKEN = {
    "a factor of sqrt 2 lost": lambda seed: lambda x: fourier(seed)(x) / np.sqrt(2.0),
    "rows cut off": lambda seed: lambda x: fourier(seed)(np.clip(x, -0.5, 0.5)),
    "rows rounded": lambda seed: lambda x: fourier(seed)(np.round(x, 1)),
}


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_map_is_refuted(name):
    if name == "rows rounded":
        # Features that never move have no size to be relative to.
        with pytest.raises(ValueError, match="never move"):
            check_gradient(BROKEN[name], gaussian, X, **COLUMNS)
        return
    assert check_gradient(BROKEN[name], gaussian, X, **COLUMNS).status == "refuted"


def own(phi_of):
    """The derivative of sqrt(2/m) cos(xw + b), `phi_of` a factor of it."""

    def draw(seed):
        rng = np.random.default_rng(seed)
        w, b = np.sqrt(2.0 * GAMMA) * rng.standard_normal((D, 200)), rng.uniform(0, 2 * np.pi, 200)

        def phi(x):
            return np.cos(x @ w + b) / 10.0

        phi.weights = (w, b)
        return phi

    def jacobian(phi, x):
        w, b = phi.weights
        return -phi_of * np.sin(x @ w + b)[:, :, None] * w.T[None] / 10.0

    return draw, jacobian


@pytest.mark.parametrize(("factor", "status"), [(1.0, "holds"), (0.9, "refuted")])
def test_a_maps_own_derivative_is_held_against_the_claim(factor, status):
    draw, jacobian = own(factor)
    verdict = check_gradient(draw, gaussian, X, jacobian=jacobian, resolution=0.08, **COLUMNS)
    assert verdict.status == status, str(verdict)


def test_automatic_derivatives_of_torch():
    torch = pytest.importorskip("torch")

    def draw(seed):
        rng = np.random.default_rng(seed)
        w = torch.asarray(np.sqrt(2.0 * GAMMA) * rng.standard_normal((D, 400)))
        b = torch.asarray(rng.uniform(0, 2 * np.pi, 400))
        return lambda x: torch.cos(x @ w + b) / 200**0.5

    def jacobian(phi, x):
        return torch.func.vmap(torch.func.jacrev(phi))(x)

    x = torch.asarray(X)
    verdict = check_gradient(draw, gaussian, x, jacobian=jacobian, **COARSE, **COLUMNS)
    assert verdict.holds, str(verdict)
    assert check_gradient(draw, WRONG["bandwidth"], x, **COARSE, **COLUMNS).status == "refuted"


def test_features_that_jump_have_the_right_difference_and_no_derivative():
    others = points(1, D, seed=3)
    options = {"resolution": 0.2, "directions": 1, **COLUMNS}
    verdict = check_gradient(step, of_angle, X[:1], others, step=0.3, **options)
    assert verdict.holds, str(verdict)

    def jacobian(phi, x):
        return np.zeros((len(x), 2000, D))

    with pytest.raises(ValueError, match="never move"):
        check_gradient(step, of_angle, X[:1], others, jacobian=jacobian, **options)


def test_heavy_tails_are_open():
    def exponential(seed):
        w = np.random.default_rng(seed).standard_normal((D, 20))
        return lambda x: np.exp(x @ w - 0.5 * (x * x).sum(axis=1)[:, None]) / np.sqrt(20)

    def gradient(x, y):
        return y[None] * np.exp(x @ y.T)[:, :, None]

    far = 2.5 * X / np.linalg.norm(X, axis=1, keepdims=True)
    verdict = check_gradient(exponential, gradient, far, max_features=200_000)
    assert verdict.status == "inconclusive", str(verdict)
    assert "larger maps" in verdict.reason


def test_it_raises_no_more_alarms_than_it_says():
    options = {"directions": 1, "false_alarm": 0.1, "miss": 0.1, "resolution": 0.3, **COLUMNS}
    draw = offset_fourier(GAMMA, D, m=50)
    require_rate(
        lambda seed: check_gradient(draw, gaussian, X[:1], X[1:], seed=seed, **options), 40, 0.1
    )


def test_limits_are_kept():
    few = check_gradient(fourier, gaussian, X, max_features=20_000)
    assert few.status == "inconclusive"
    assert few.n_features <= 20_000
    soon = check_gradient(fourier, gaussian, X, resolution=0.001, time_limit=0.05)
    assert soon.status == "inconclusive"
    assert "time limit" in soon.reason


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"gradient": lambda x, y: x @ y.T}, ValueError, "gradient.X, Y. has shape"),
        ({"gradient": lambda x, y: np.nan * gaussian(x, y)}, ValueError, "not finite"),
        ({"gradient": None}, TypeError, "gradient=None must be callable"),
        ({"jacobian": lambda phi, x: x}, ValueError, "jacobian.phi, X. has shape"),
        ({"jacobian": lambda phi, x: x, "step": 0.1}, ValueError, "for differences"),
        ({"step": 10.0}, ValueError, "bends"),
        ({"step": 1e-14}, ValueError, "rounding moves"),
        ({"step": -1.0}, ValueError, "step"),
        ({"directions": 0}, ValueError, "directions"),
        ({"directions": 2**64}, ValueError, "directions"),
        ({"resolution": 2.0}, ValueError, "vacuous"),
        ({"max_features": 100}, ValueError, "max_features=100"),
        ({"Y": np.ones((1, D + 1))}, ValueError, "columns"),
        ({"draw": 3}, TypeError, "callable"),
    ],
)
def test_bad_input_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        check_gradient(**({"draw": fourier, "gradient": gaussian, "X": X} | options))
