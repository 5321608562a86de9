"""Spectra from outside of the package, with all that they carry.

Each is one class that the package does not know, and goes through transform, kernel, variance and
distribution. With one hook left out, what follows from it is refused by name; or features and
claims part, and a check refutes.
"""

import dataclasses
from typing import ClassVar

import numpy as np
import pytest
from scipy import special

import mehler
from mehler import verify
from mehler.features import Spectrum

D, M = 3, 256
ROWS = np.array([[0.3, -0.9, 0.4], [0.8, 0.2, -0.5], [-0.4, 0.7, 0.9], [0.0, 0.0, 0.0]])
# Shares of the kernel's and the variance's scale. Without its law a kernel is 0.37 (cube) and
# 0.156 (two scales) off at these rows.
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
        chosen = (
            np.random.default_rng([seed, i]).integers(2) for i in range(first, first + n_units)
        )
        return np.array([0.5, 2.0])[list(chosen)]

    def distance(self, x, y):
        return np.sum((x[:, None, :] - (x if y is None else y)[None, :, :]) ** 2, axis=2)

    def kernel(self, t, j=1):
        return 0.5 * (np.exp(-0.125 * j * j * t) + np.exp(-2.0 * j * j * t))


SPECTRA = {"cube": Cube, "two scales": TwoScales}


def without(cls, hook):
    """The same class, with the contract's own `hook`."""
    return dataclasses.dataclass(frozen=True)(
        type(cls.__name__, (cls,), {hook: getattr(Spectrum, hook)})
    )


def fourier(spectrum, **options):
    return lambda seed: mehler.FourierFeatures.draw(D, M, kernel=spectrum, seed=seed, **options)


@pytest.mark.slow
@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize("form", ["pairs", "offset"])
def test_a_spectrum_from_outside_holds(name, form):
    draw = fourier(SPECTRA[name](), form=form)
    phi = draw(0)
    assert phi(ROWS).shape == (4, M)
    assert verify.check_kernel(draw, phi.kernel, ROWS, resolution=CLOSE).status == "holds"
    assert verify.check_variance(draw, None, ROWS, resolution=SPREAD).status == "holds"
    if form == "offset":
        assert verify.check_distribution(draw, None, ROWS).status == "holds"


@pytest.mark.parametrize("name", SPECTRA)
@pytest.mark.parametrize(
    ("hook", "method", "words"),
    [
        ("distance", "kernel", "carries no distance: define distance"),
        ("kernel", "kernel", "carries no kernel: define kernel"),
        ("kernel", "variance", r"carries no variance: define spread\(t\), or kernel"),
        ("kernel", "gram_variance", r"carries no variance: define spread\(t\), or kernel"),
        ("kernel", "product_kurtosis", "carries no variance"),
    ],
)
def test_a_spectrum_without_a_hook_refuses_what_follows_from_it(name, hook, method, words):
    phi = fourier(without(SPECTRA[name], hook)())(0)
    assert phi(ROWS).shape == (4, M)
    with pytest.raises(ValueError, match=f"the spectrum '{name}' {words}"):
        getattr(phi, method)(ROWS)


@pytest.mark.parametrize(("name", "hook"), [("cube", "entries"), ("two scales", "lengths")])
def test_a_spectrum_without_its_law_is_refuted(name, hook):
    """Frequencies are then those of the default, and the kernel is another one's."""
    draw = fourier(without(SPECTRA[name], hook)())
    assert verify.check_kernel(draw, draw(0).kernel, ROWS, resolution=CLOSE).status == "refuted"


@pytest.mark.slow
def test_orthogonal_directions_are_for_spectra_that_say_they_are_isotropic():
    draw = fourier(TwoScales(), projections="orthogonal")
    assert verify.check_kernel(draw, draw(0).kernel, ROWS, resolution=CLOSE).status == "holds"
    with pytest.raises(ValueError, match="kernel='cube' prefers axes"):
        fourier(Cube(), projections="orthogonal")(0)


def test_a_spectrum_of_ones_own_has_no_recipe_and_moves_without_one():
    phi = fourier(Cube())(0)
    with pytest.raises(ValueError, match="has no recipe, since JSON"):
        phi.recipe()
    assert np.array_equal(phi.to(np.empty(0))(ROWS), phi(ROWS))
    with pytest.raises(ValueError, match="has its parameters: leave gamma out"):
        mehler.FourierFeatures.draw(D, M, kernel=Cube(), gamma=1.0, seed=0)
