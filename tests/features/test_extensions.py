"""Spectra and activations from outside of the package, with all that they carry.

None is known to the package, and each goes through transform, kernel, variance and distribution.
With one hook left out, what follows from it is refused by name, or is estimated and says so; or
features and claims part, and a check refutes.
"""

import dataclasses
import math
from typing import ClassVar

import numpy as np
import pytest
from scipy import special

import mehler
from mehler import verify
from mehler.exact import Activation
from mehler.features import Spectrum

D, M = 3, 256
ROWS = np.array([[0.3, -0.9, 0.4], [0.8, 0.2, -0.5], [-0.4, 0.7, 0.9], [0.0, 0.0, 0.0]])
# Shares of the kernel's and the variance's scale: planted deviations are 0.25 of it and more.
# Without its law a kernel is 0.37 (cube) and 0.156 (two scales) off at these rows.
CLOSE, SPREAD = 0.1, 0.2


@dataclasses.dataclass(frozen=True)
class Cube(Spectrum):
    """Frequencies uniform on a cube of half side s: the kernel is a product of sin(s z)/(s z)."""

    side: float = 1.5
    name: ClassVar[str] = "cube"

    @property
    def scale(self):
        return self.side

    def entries(self, weights):
        return 2.0 * special.ndtr(weights) - 1.0

    def distance(self, x, y):
        # Not a number a pair: differences of entries, (n, k, d).
        return self.side * (x[:, None, :] - (x if y is None else y)[None, :, :])

    def kernel(self, t, j=1):
        return np.prod(np.sinc(j * t / np.pi), axis=2)


@dataclasses.dataclass(frozen=True)
class TwoScales(Spectrum):
    """Gaussian frequencies of two lengths by turns of a coin: a mean of two Gaussian kernels."""

    name: ClassVar[str] = "two scales"
    isotropic: ClassVar[bool] = True

    @property
    def scale(self):
        return 1.0

    def lengths(self, seed, n_units, first=0):
        # A generator a unit: the same factor however many are asked for.
        counts = (
            np.random.default_rng([seed, i]).integers(2) for i in range(first, first + n_units)
        )
        return np.array([0.5, 2.0])[list(counts)]

    def distance(self, x, y):
        return np.sum((x[:, None, :] - (x if y is None else y)[None, :, :]) ** 2, axis=2)

    def kernel(self, t, j=1):
        return 0.5 * (np.exp(-0.125 * j * j * t) + np.exp(-2.0 * j * j * t))


def normal_cdf(xp, t):
    """Phi(t), as a network's "probit" unit; the error function of its namespace would do too."""
    return xp.asarray(special.ndtr(np.asarray(t)))


def probit_kernel(pairs, power):
    r"""E Phi(u) Phi(v) = P(h < u, h' < v) = 1/4 + asin(r)/(2 pi), r = cov / sqrt of variances."""
    if power != 1:
        return None
    product = pairs.rho * pairs.x_scale * pairs.y_scale
    r = product / np.sqrt((1.0 + pairs.x_scale**2) * (1.0 + pairs.y_scale**2))
    value = 0.25 + np.arcsin(r) / math.tau
    return value, 1e-14 * np.ones_like(value)


ACTIVATIONS = {
    "probit": Activation("probit", normal_cdf, kernel=probit_kernel),
    "hard sign": Activation("hard sign", lambda xp, t: xp.sign(t), degree=0),
    "chirp": Activation(
        "chirp", lambda xp, t: 2.0 * xp.sin(3.0 * t), waves=((3, -1.0j), (-3, 1.0j))
    ),
}


def without(part, hook):
    """The same spectrum with the contract's own `hook`, or activation with none."""
    if isinstance(part, Activation):
        return dataclasses.replace(part, **{hook: () if hook == "waves" else None})
    cls = type(part)
    body = {hook: getattr(Spectrum, hook)}
    return dataclasses.dataclass(frozen=True)(type(cls.__name__, (cls,), body))()


def map_of(part, **options):
    """Return what draws the map of a spectrum or an activation from a seed."""
    if isinstance(part, Activation):
        return lambda seed: mehler.KitchenSinks.draw(D, M, activation=part, seed=seed, **options)
    return lambda seed: mehler.FourierFeatures.draw(D, M, kernel=part, seed=seed, **options)


def kernel_status(draw, rows=ROWS):
    return verify.check_kernel(draw, draw(0).kernel, rows, resolution=CLOSE).status


PARTS = {"cube": Cube(), "two scales": TwoScales(), **ACTIVATIONS}
FORMS = [(name, form) for name in ("cube", "two scales") for form in ("pairs", "offset")]


@pytest.mark.parametrize(("name", "form"), FORMS + [(name, None) for name in ACTIVATIONS])
@pytest.mark.sampled(5)
def test_a_part_from_outside_holds(name, form):
    draw = map_of(PARTS[name], **({"form": form} if form else {}))
    # Activations vary at rows of zeros by nothing.
    phi, rows = draw(0), ROWS if form else ROWS[:3]
    assert phi(ROWS).shape == (4, M)
    if form is None:
        assert phi.kernel_source == "closed form"
        assert np.max(phi.kernel_error(ROWS)) < 1e-12
    assert kernel_status(draw) == "holds"
    assert verify.check_variance(draw, None, rows, resolution=SPREAD).status == "holds"
    if form != "pairs" and name != "probit":
        assert verify.check_distribution(draw, None, rows).status == "holds"


LEFT_OUT = {
    ("distance", "kernel"): "has no known distance: define distance",
    ("kernel", "kernel"): "has no known kernel: define kernel",
    ("kernel", "variance"): r"has no known variance: define spread\(t\), or kernel",
    ("kernel", "gram_variance"): r"has no known variance: define spread\(t\), or kernel",
    ("kernel", "product_kurtosis"): "has no known variance",
}


@pytest.mark.parametrize("name", ["cube", "two scales"])
@pytest.mark.parametrize(("hook", "method"), LEFT_OUT)
def test_a_spectrum_without_a_hook_refuses_what_follows_from_it(name, hook, method):
    phi = map_of(without(PARTS[name], hook))(0)
    assert phi(ROWS).shape == (4, M)
    with pytest.raises(ValueError, match=f"the spectrum '{name}' {LEFT_OUT[hook, method]}"):
        getattr(phi, method)(ROWS)


@pytest.mark.parametrize(("name", "hook"), [("cube", "entries"), ("two scales", "lengths")])
def test_a_spectrum_without_its_law_is_refuted(name, hook):
    """Frequencies are then those of the default, and the kernel is another one's."""
    assert kernel_status(map_of(without(PARTS[name], hook))) == "refuted"


@pytest.mark.slow
def test_orthogonal_directions_are_for_spectra_that_say_they_are_isotropic():
    assert kernel_status(map_of(TwoScales(), projections="orthogonal")) == "holds"
    with pytest.raises(ValueError, match="kernel='cube' is not isotropic"):
        map_of(Cube(), projections="orthogonal")(0)


def test_a_spectrum_from_outside_has_no_recipe_and_moves_without_one():
    phi = map_of(Cube())(0)
    with pytest.raises(ValueError, match="has no recipe, since JSON"):
        phi.recipe()
    assert np.array_equal(phi.to(np.empty(0))(ROWS), phi(ROWS))
    with pytest.raises(ValueError, match="has its parameters: leave gamma out"):
        map_of(Cube(), gamma=1.0)(0)


@pytest.mark.parametrize(
    ("name", "hook"), [("probit", "kernel"), ("hard sign", "degree"), ("chirp", "waves")]
)
def test_without_a_closed_form_the_kernel_is_estimated_and_says_so(name, hook):
    """By another route than the closed form: both agree within the stated error."""
    # Rows that are neither equal nor opposite, where the series of a jump converges.
    rows = ROWS[:3]
    phi, whole = (map_of(part)(0) for part in (without(PARTS[name], hook), PARTS[name]))
    assert phi.kernel_source == "series"
    slack = phi.kernel_error(rows) + whole.kernel_error(rows)
    assert np.all(np.abs(phi.kernel(rows) - whole.kernel(rows)) <= slack)
    if name != "probit":
        with pytest.raises(ValueError, match=f"the activation '{name}' has no known distribution"):
            phi.feature_cdf(ROWS, np.zeros((4, 1)))


@pytest.mark.parametrize(
    ("name", "options", "words"),
    [
        ("probit", {"law": "sphere"}, "with a degree, .* not for the activation 'probit'"),
        ("probit", {"bias": "uniform"}, "declare waves, .* not for the activation 'probit'"),
        ("hard sign", {"bias": "uniform"}, "not for the activation 'hard sign'"),
        ("chirp", {"law": "sphere"}, "not for the activation 'chirp'"),
    ],
)
def test_options_ask_for_the_hook_that_they_need(name, options, words):
    with pytest.raises(ValueError, match=words):
        map_of(ACTIVATIONS[name], **options)(0)
    # Those that carry it are served, by the same laws.
    able = "hard sign" if "law" in options else "chirp"
    draw = map_of(ACTIVATIONS[able], **options)
    assert kernel_status(draw, ROWS[:3]) == "holds"
    assert verify.check_distribution(draw, None, ROWS[:3]).status == "holds"


@pytest.mark.parametrize("factor", [0.9, 1.0 + 1e-10])
def test_a_wrong_closed_form_is_refused(factor):
    def wrong(pairs, power):
        value = probit_kernel(pairs, power)
        return value if value is None else (factor * value[0], value[1])

    phi = map_of(dataclasses.replace(ACTIVATIONS["probit"], kernel=wrong))(0)
    with pytest.raises(ValueError, match="'probit' declares a kernel that does not fit"):
        phi.kernel(ROWS)


def test_keywords_that_a_subclass_passes_on_are_those_of_its_base():
    class _Passing(mehler.FourierFeatures):
        def __init__(self, *sizes, **options):
            super().__init__(*sizes, **options)

    assert _Passing.draw(3, 10, gamma=0.5, seed=0).gamma == 0.5
    with pytest.raises(TypeError, match=r"has no argument gama: .*; gamma is the nearest"):
        _Passing.draw(3, 10, gama=0.5, seed=0)
