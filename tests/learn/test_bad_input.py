"""Bad input is refused before any work, by a message that names argument, value and remedy."""

from __future__ import annotations

from fractions import Fraction

import array_api_strict
import dask.array
import numpy as np
import pytest

import mehler
from mehler import learn

Z = np.asarray([[1.0, 2.0], [0.5, -1.0], [0.0, 3.0]])
Y = np.asarray([1.0, -1.0, 1.0])


def with_entry(bad):
    z = Z.copy()
    z[1, 0] = bad
    return z


@pytest.mark.parametrize(
    ("change", "error", "words"),
    [
        ({"Z": with_entry(np.nan)}, ValueError, "Z holds NaN or infinity, first in row 1"),
        ({"Z": with_entry(-np.inf)}, ValueError, "first in row 1"),
        ({"Z": np.ones((0, 2)), "y": np.ones(0)}, ValueError, "Z is empty"),
        ({"Z": np.ones((3, 0))}, ValueError, "Z is empty"),
        ({"Z": np.ones(3)}, ValueError, r"reshape\(1, -1\)"),
        ({"Z": Z.tolist()}, TypeError, r"numpy.asarray\(Z\)"),
        ({"Z": Z * 1j}, TypeError, "complex"),
        ({"Z": Z.astype(np.float16)}, TypeError, "float16"),
        ({"Z": Z.astype(str)}, TypeError, "convert"),
        ({"Z": dask.array.from_array(Z)}, TypeError, r"Z is lazy.*Z.compute\(\)"),
        ({"y": dask.array.from_array(Y)}, TypeError, "Z is an array of numpy but y of dask"),
        ({"y": array_api_strict.asarray(Y)}, TypeError, "but y of array_api_strict"),
        ({"y": Y.tolist()}, TypeError, "y must be an array"),
        ({"y": Y[:2]}, ValueError, r"one label a row of Z, shape \(3,\), but has \(2,\)"),
        ({"y": Y[:, None]}, ValueError, r"has \(3, 1\)"),
        ({"y": (Y + 1) / 2}, ValueError, r"y holds 0, 1; .*use 2 \* y - 1"),
        ({"y": np.zeros(3)}, ValueError, "y holds 0;"),
        ({"y": np.asarray([1.0, 2.0, 3.0])}, ValueError, "y holds 1, 2, 3; the losses are of y f"),
        ({"y": np.asarray([1.0, np.nan, -1.0])}, ValueError, "nan"),
        ({"y": Y > 0}, TypeError, "dtype bool, which cannot hold the labels -1"),
        ({"y": np.ones(3, np.uint8)}, TypeError, "uint8, which cannot hold the labels -1"),
        ({"Z": np.ma.masked_greater(Z, 2.5)}, TypeError, "Z is a masked array: drop or impute"),
        ({"gap": 1e-18}, ValueError, "within the rounding of a certificate for these rows"),
        ({"y": Y.astype(complex)}, TypeError, "complex"),
        ({"y": np.asarray(["a", "b", "a"])}, TypeError, "cannot hold the labels"),
        ({"scale": 0}, ValueError, "scale=0 must be positive and finite"),
        ({"scale": -1.0}, ValueError, "scale=-1.0"),
        ({"scale": np.nan}, ValueError, "scale=nan"),
        ({"scale": np.inf}, ValueError, "scale=inf"),
        ({"scale": True}, TypeError, "scale=True"),
        ({"scale": "1"}, TypeError, "scale='1'"),
        ({"loss": "square"}, ValueError, "'hinge', 'ramp' or an object"),
        ({"loss": learn.losses.Hinge}, ValueError, "or an object of mehler.learn.losses"),
        ({"loss": None}, ValueError, "loss=None"),
        ({"clip": 1.0}, TypeError, "clip=1.0 must be True or False"),
        ({"gap": 0}, ValueError, "gap=0"),
        ({"gap": np.nan}, ValueError, "gap=nan"),
        ({"gap": "small"}, TypeError, "gap='small'"),
        ({"max_iterations": 0}, ValueError, "max_iterations=0 must be at least 1"),
        ({"max_iterations": 10.0}, TypeError, "max_iterations=10.0"),
        ({"Z": 1e300 * Z, "scale": 1e100}, ValueError, "outputs of size inf on row 0"),
        ({"Z": 1e12 * Z}, ValueError, r"size 1.5e\+12 on row 0 of Z, too large"),
        ({"Z": (1e7 * Z).astype(np.float32)}, ValueError, "in float32; make Z or scale smaller"),
    ],
)
def test_arguments(change, error, words):
    arguments = {"Z": Z, "y": Y, "scale": 1.0} | change
    with pytest.raises(error, match=words):
        learn.box_erm(arguments.pop("Z"), arguments.pop("y"), **arguments)


def test_two_devices():
    here, there = (array_api_strict.Device(name) for name in ("CPU_DEVICE", "device1"))
    with pytest.raises(ValueError, match=r"Z lives on .*CPU.* but y on .*device1.*bring both"):
        learn.box_erm(
            array_api_strict.asarray(Z, device=here),
            array_api_strict.asarray(Y, device=there),
            scale=1.0,
        )
    fit = learn.box_erm(
        array_api_strict.asarray(Z, device=here), array_api_strict.asarray(Y, device=here), scale=1
    )
    with pytest.raises(ValueError, match=r"alpha lives on .*CPU.* but Z on .*device1"):
        fit.decision(array_api_strict.asarray(Z, device=there))


def test_features_of_another_map():
    fit = learn.box_erm(Z, Y, scale=1.0)
    for method in (fit.decision, fit.predict):
        with pytest.raises(ValueError, match="Z has 3 columns but the weights are 2"):
            method(np.ones((1, 3)))
        with pytest.raises(ValueError, match="NaN"):
            method(with_entry(np.nan))
        with pytest.raises(TypeError, match="array_api_strict"):
            method(array_api_strict.asarray(Z))


def test_units_want_a_map():
    with pytest.raises(TypeError, match="pass a map, or the transform of"):
        learn.units(Z, Z)
    codes = mehler.MaxoutCodes.draw(2, 5, 3, seed=0)
    with pytest.raises(TypeError, match="uint8: codes, it seems"):
        learn.units(codes, Z)
    with pytest.raises(TypeError, match=r"phi\(X\) must be an array"):
        learn.units(lambda x: x.tolist(), Z)


def test_a_fit_cannot_be_changed():
    fit = learn.box_erm(Z, Y, scale=1.0)
    with pytest.raises(AttributeError):
        fit.alpha = Z


@pytest.mark.parametrize(
    "change",
    [
        lambda z: z[::-1, ::-1],
        np.asfortranarray,
        lambda z: np.repeat(z, 2, axis=1)[:, ::2],
        lambda z: np.broadcast_to(z[:1], z.shape),
    ],
)
def test_strides_and_read_only_memory_are_fine(change):
    z, y = change(Z), Y.copy()
    y.flags.writeable = False
    one = learn.box_erm(z, y, scale=2.0)
    other = learn.box_erm(np.ascontiguousarray(z), y, scale=2.0)
    assert abs(one.surrogate_risk - other.surrogate_risk) <= 1e-4


def test_denormal_and_tiny_numbers_are_fine():
    fit = learn.box_erm(Z * 5e-324, Y, scale=1.0)
    assert (fit.status, fit.surrogate_risk) == ("solved", 1.0)
    fit = learn.box_erm((Z * 1e-30).astype(np.float32), Y, scale=1e-30)
    assert (fit.status, fit.surrogate_risk) == ("solved", 1.0)


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.int8, np.float64])
def test_numbers_of_numpy_are_numbers(kind):
    """Compared with the largest float64, narrow ones overflowed."""
    assert learn.losses.Hinge(kind(2)).bound == 2.0
    x = np.eye(4)
    phi = mehler.MaxoutFeatures.draw(4, 8, 2, seed=0)
    fits = [learn.ridge(phi, x, x[:, 0], lambdas=lam) for lam in (kind(2), [kind(2)], 2.0)]
    assert all(np.array_equal(fit.predict(x), fits[-1].predict(x)) for fit in fits)


@pytest.mark.parametrize("digits", [400, 5000])
@pytest.mark.parametrize("kind", [int, Fraction])
def test_numbers_beyond_the_floats_are_refused_by_name(kind, digits):
    number = kind(10**digits)
    with pytest.raises(ValueError, match=r"lambdas=a .* must be a number that a float holds"):
        learn.ridge(
            mehler.MaxoutFeatures.draw(4, 8, 2, seed=0), np.eye(4), np.ones(4), lambdas=number
        )
    with pytest.raises(ValueError, match=r"bound=a .* must be a number that a float holds"):
        learn.losses.Hinge(number)
