"""Expected kernels of activations: closed forms, Mehler's series and a double integral agree."""

import math

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy import special

from mehler import _arrays
from mehler.exact import Activation, activation_kernel, activation_kernel_error
from mehler.exact.activations import ACTIVATIONS, _closed, _series
from tests.places import Place

RHO = np.array([-1.0, -0.99, -0.7, -0.2, 0.0, 0.3, 0.8, 0.95, 1.0])
BY_HAND = {
    "step": lambda t: (t > 0).astype(float),
    "relu": lambda t: np.maximum(t, 0),
    "relu2": lambda t: np.maximum(t, 0) ** 2,
    "erf": special.erf,
    "tanh": np.tanh,
    "leaky_relu": lambda t: np.where(t > 0, t, 0.01 * t),
    "gelu": lambda t: t * special.ndtr(t),
    "sigmoid": special.expit,
    "softplus": lambda t: np.logaddexp(0, t),
    "cos": np.cos,
    "sin": np.sin,
}


def by_series(function, rho, sx, sy):
    rho = np.asarray(rho)
    return _series.pair_moment(function, rho, 1 - rho, 1 + rho, np.float64(sx), np.float64(sy))


def panels(ends: list[float], points: int = 60) -> tuple[np.ndarray, np.ndarray]:
    x, w = np.polynomial.legendre.leggauss(points)
    half = np.diff(ends)[:, None] / 2
    middle = (np.asarray(ends)[1:] + np.asarray(ends)[:-1])[:, None] / 2
    return (middle + half * x).ravel(), (half * w).ravel()


def in_polar_coordinates(name: str, power: int, rho: float, sx: float, sy: float) -> float:
    """E a(u)^p a(v)^p, u = sx r cos t and v = sy r cos(t - theta).

    The kinks at u = 0 and v = 0 are four known angles, and between them everything is smooth: no
    Hermite polynomial, no closed form.
    """
    theta = math.acos(rho)
    kinks = {math.pi / 2, 3 * math.pi / 2, *((theta + s * math.pi / 2) % math.tau for s in (1, -1))}
    angle, by_angle = panels([0.0, *sorted(kinks), math.tau])
    r, by_r = panels([0.0, 1.0, 2.0, 4.0, 7.0, 12.0])
    u = sx * r * np.cos(angle)[:, None]
    v = sy * r * np.cos(angle - theta)[:, None]
    values = (BY_HAND[name](u) * BY_HAND[name](v)) ** power
    return float(by_angle @ values @ (by_r * r * np.exp(-r * r / 2)) / math.tau)


@pytest.mark.parametrize("name", ACTIVATIONS)
@pytest.mark.parametrize("power", [1, 2])
def test_against_a_double_integral(name, power):
    for at in ((0.6, 1.0, 1.5), (-0.35, 0.7, 2.0), (0.93, 0.2, 0.25)):
        ours = activation_kernel(name, *at, power=power)
        assert ours == pytest.approx(in_polar_coordinates(name, power, *at), rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(
    "name", ["erf", "gelu", "cos", "sin", "step", "relu", "relu2", "leaky_relu"]
)
def test_closed_forms_agree_with_the_series(name):
    a = ACTIVATIONS[name]
    for sx, sy in [(1.0, 1.0), (0.3, 2.5)]:
        closed = activation_kernel(name, RHO, sx, sy)
        series, error = by_series(a.on_host, RHO, sx, sy)
        assert np.all(np.abs(closed - series) <= error + activation_kernel_error(name, RHO, sx, sy))


@pytest.mark.parametrize(("scale", "rho"), [(0.3, 0.7), (2.0, -0.999), (1e3, 1 - 1e-9)])
def test_the_kernel_of_gelu_by_a_single_integral(scale, rho):
    """Given u = s g, v is N(rho u, (1 - rho^2) s^2): E v Phi(v) = m Phi(z) + t phi(z)/w.

    With m and t the mean and variance, w = sqrt(1 + t) and z = m/w.
    """
    with mpmath.workdps(30):
        s, r = mpmath.mpf(scale), mpmath.mpf(rho)
        t = (1 - r**2) * s**2
        w = mpmath.sqrt(1 + t)

        def inside(g):
            m = r * s * g
            conditional = m * mpmath.ncdf(m / w) + t * mpmath.npdf(m / w) / w
            return s * g * mpmath.ncdf(s * g) * conditional * mpmath.npdf(g)

        ends = [-14, -2, *(sign * 10.0**k / scale for sign, k in ((-1, 0), (1, 0))), 2, 14]
        truth = mpmath.quad(inside, sorted([*ends, 0]))
    ours = activation_kernel("gelu", rho, scale, scale)
    assert abs(ours - float(truth)) <= activation_kernel_error("gelu", rho, scale, scale)


def arc_cosine(rho, order):
    return _closed.arc_cosine(rho, 1 - rho, 1 + rho, order)


@pytest.mark.parametrize("order", range(_closed.LARGEST_ORDER + 1))
def test_arc_cosine_kernels_obey_mehlers_derivative(order):
    """dA_n/drho = n^2 A_(n-1), and A_n(0) = (E g_+^n)^2, A_n(1) = E g^(2n)/2, A_n(-1) = 0."""
    half_moment = 2 ** (order / 2 - 1) * math.gamma((order + 1) / 2) / math.sqrt(math.pi)
    ends = arc_cosine(np.array([-1.0, 0.0, 1.0]), order)
    double_factorial = math.prod(range(1, 2 * order, 2))
    assert ends == pytest.approx([0.0, half_moment**2, double_factorial / 2], rel=4e-15, abs=1e-15)
    # High powers cancel towards -1: they are held to the accuracy that is stated for all orders.
    stated = 1e-14 * double_factorial / 2 if order > 4 else 0.0
    if order:
        x, w = np.polynomial.legendre.leggauss(40)
        for upper in (-0.5, 0.2, 0.7):
            # From -1 in the angle, where everything is smooth.
            start, stop = math.acos(upper), math.pi
            angle = (stop - start) / 2 * x + (stop + start) / 2
            inside = arc_cosine(np.cos(angle), order - 1) * np.sin(angle)
            integral = order**2 * (stop - start) / 2 * np.sum(w * inside)
            assert arc_cosine(np.float64(upper), order) == pytest.approx(
                integral, rel=1e-12, abs=stated
            )


@given(
    rho=st.floats(-1, 1),
    sx=st.floats(0.0, 30.0),
    sy=st.floats(0.0, 30.0),
    name=st.sampled_from(sorted(ACTIVATIONS)),
)
def test_cauchy_schwarz_and_symmetry(rho, sx, sy, name):
    # Squares of these scales are subnormal, and their roots have no digits left.
    assume(all(scale == 0.0 or scale > 1e-150 for scale in (sx, sy)))
    value = activation_kernel(name, rho, sx, sy)
    slack = activation_kernel_error(name, rho, sx, sy)
    degree = ACTIVATIONS[name].degree
    if degree is None:
        # Known to their error: the square of a tiny scale underflows.
        both = (activation_kernel, activation_kernel_error)
        squares = [sum(of(name, 1.0, s, s) for of in both) for s in (sx, sy)]
        roots = [math.sqrt(max(square, 0.0)) for square in squares]
    else:  # homogeneous: the square of a tiny scale would underflow where its root does not
        roots = [s**degree * math.sqrt(activation_kernel(name, 1.0)) for s in (sx, sy)]
    assert abs(value) <= roots[0] * roots[1] * (1 + 1e-9) + slack
    assert value == pytest.approx(activation_kernel(name, rho, sy, sx), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize("scale", [0.1, 1.0, 4.0, 20.0])
def test_the_stated_error_covers_the_truth_for_tanh(scale):
    """At rho = 1 the truth is E tanh^2, a single integral; sharp scales have slow series."""
    ends = [-12, -2, -0.3, 0, 0.3, 2, 12]
    with mpmath.workdps(20):
        truth = mpmath.quad(lambda g: mpmath.tanh(scale * g) ** 2 * mpmath.npdf(g), ends)
    ours = activation_kernel("tanh", 1.0, scale, scale)
    assert abs(ours - float(truth)) <= activation_kernel_error("tanh", 1.0, scale, scale)


@pytest.mark.slow
def test_every_namespace(place: Place):
    dtype = "float64" if place.has_float64 else "float32"
    rho = place.asarray(RHO[1:-1, None], dtype)
    for name in ACTIVATIONS:
        ours = _arrays.to_host(activation_kernel(name, rho, 0.8, 1.3))
        exact = activation_kernel(name, _arrays.to_host(rho).astype(np.float64), 0.8, 1.3)
        assert np.max(np.abs(ours - exact)) < (1e-5 if dtype == "float32" else 1e-14)
        # The stated error is that of the namespace's own precision.
        stated = _arrays.to_host(activation_kernel_error(name, rho, 0.8, 1.3))
        assert np.all(np.abs(ours - exact) <= stated)


def test_functions_of_pytorch_and_jax_are_refused_with_the_remedy():
    torch = pytest.importorskip("torch")
    nn = pytest.importorskip("jax.nn")
    for function in (torch.tanh, torch.nn.ReLU(), torch.nn.functional.gelu, nn.relu, nn.gelu):
        with pytest.raises(TypeError, match=r"takes no NumPy arrays .*mehler\.exact\.Activation"):
            activation_kernel(function, 0.5)
    assert activation_kernel(np.tanh, 0.5) == activation_kernel("tanh", 0.5)


@pytest.mark.parametrize("scale", [1e-160, 0.3, 3.0, 1e100, 1e160, 1e300])
def test_the_tangent_kernel_of_gelu(scale):
    slope, rho = ACTIVATIONS["gelu"].slope, np.array([1.0, 0.6, 0.0, -0.8, -1.0])
    assert slope.has_closed_form()
    ours = activation_kernel(slope, rho, scale, scale)
    series = Activation("", slope.function)
    if 0.1 < scale < 10:
        expected = activation_kernel(series, rho, scale, scale)
        errors = (
            activation_kernel_error(activation, rho, scale, scale) for activation in (series, slope)
        )
        assert np.all(np.abs(ours - expected) <= sum(errors))
    elif scale < 1:
        assert np.all(np.abs(ours - 0.25) < 1e-15)  # Phi(0)^2
    else:
        # The step's: Phi(t) + t phi(t) tends to it.
        assert np.all(np.abs(ours - activation_kernel("step", rho)) < 1e-15)


@pytest.mark.parametrize("name", ["gelu", "sigmoid", "softplus", "leaky_relu"])
def test_derivatives_and_functions_leave_their_arguments(name):
    """`slope` compares the declared derivative with differences of the function."""
    at = np.linspace(-40.0, 40.0, 81)
    assert np.isfinite(ACTIVATIONS[name].slope.on_host(at.copy())).all()
    np.testing.assert_allclose(ACTIVATIONS[name].on_host(at.copy()), BY_HAND[name](at), atol=1e-14)
