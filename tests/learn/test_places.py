"""The same problem on every library and device: risks agree within their certificates."""

from __future__ import annotations

import numpy as np
import pytest

from mehler import _arrays, learn
from tests.learn.audit import audit
from tests.learn.problems import NAMES, problem
from tests.places import CPU, GPU, Place


def lazy(place: Place) -> bool:
    """Dask, and whatever is compiled: each iteration would read values that are not there."""
    return place.jit or place.name == "dask"


@pytest.fixture(
    params=[pytest.param(place, id=place.name) for place in CPU if not lazy(place)]
    + [pytest.param(place, id=place.name, marks=pytest.mark.gpu) for place in GPU]
)
def here(request: pytest.FixtureRequest) -> Place:
    return request.param


@pytest.mark.parametrize("place", [p for p in CPU if lazy(p)], ids=lambda place: place.name)
def test_lazy_arrays_are_refused(place: Place):
    z = place.asarray(np.ones((3, 2)), "float32")
    with pytest.raises(TypeError, match=r"Z is lazy .*traced by jax.jit.*Z = Z.compute\(\)"):
        place.apply(lambda z: learn.box_erm(z, z[:, 0], scale=1.0), z)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.sampled(14)
def test_risks_agree(here: Place, name, dtype):
    if not here.has_float64:
        dtype = "float32"
    z, y = problem(3, 1500, 20)  # more rows than a block
    z = z.astype(dtype)
    x, labels = here.asarray(z, dtype), here.asarray(y.astype(np.int32))
    fit = learn.box_erm(x, labels, scale=7.0, loss=name)
    usual = learn.box_erm(z, y, scale=7.0, loss=name)
    # Each pair of ends holds the same minimum.
    assert fit.lower <= usual.surrogate_risk + usual.rounding
    assert usual.lower <= fit.surrogate_risk + fit.rounding
    assert abs(fit.risk_lower - usual.risk_lower) <= fit.wanted_gap
    assert fit.status == "solved"
    assert (fit.convex, fit.n_rows) == (usual.convex, usual.n_rows)
    # Certificates are float64 whatever the device has.
    assert fit.rounding == usual.rounding < 1e-11

    alpha = _arrays.to_host(fit.alpha)
    assert alpha.dtype == np.dtype(dtype)
    assert _arrays.array_namespace(fit.alpha) is _arrays.array_namespace(x)
    assert _arrays.place_of(fit.alpha).device == _arrays.place_of(x).device
    predicted = fit.predict(x)
    assert predicted.dtype == labels.dtype
    assert set(np.unique(_arrays.to_host(predicted))) <= {-1, 1}
    values = _arrays.to_host(fit.decision(x))
    exact = z.astype(np.float64) @ alpha.astype(np.float64)
    eps = {"float32": 2.0**-23, "float64": 2.0**-52}[dtype]
    assert np.abs(values - exact).max() <= 22 * eps * fit.largest_output


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.sampled(8)
def test_a_small_fit_passes_the_audit(here: Place, name):
    z, y = problem(6, 40, 8)
    z = z.astype("float64" if here.has_float64 else "float32")
    fit = learn.box_erm(here.asarray(z), here.asarray(y, z.dtype.name), scale=4.0, loss=name)
    host = learn.BoxERM(
        **{field: getattr(fit, field) for field in fit.__dataclass_fields__}
        | {"alpha": _arrays.to_host(fit.alpha)}
    )
    audit(host, z.astype(np.float64), y, 4.0, name)


def test_integers_become_the_default_float(here: Place):
    z = here.asarray(np.asarray([[1, 2], [0, -3], [4, 1]], dtype=np.int32))
    y = here.asarray(np.asarray([1, -1, 1], dtype=np.int32))
    fit = learn.box_erm(z, y, scale=2.0)
    assert "float" in _arrays.dtype_name(fit.alpha.dtype)
    assert np.array_equal(_arrays.to_host(fit.predict(z)), [1, -1, 1])


@pytest.mark.parametrize("place", [p for p in CPU if p.name == "torch:cpu"], ids=lambda p: p.name)
def test_features_of_a_network_are_cut_off_from_its_graph(place: Place):
    z, y = problem(6, 40, 8)
    traced = place.asarray(z)
    traced.requires_grad_()
    fit = learn.box_erm(traced, place.asarray(y), scale=4.0)
    assert not fit.alpha.requires_grad
    assert not fit.decision(traced).requires_grad
    plain = learn.box_erm(place.asarray(z), place.asarray(y), scale=4.0)
    assert np.array_equal(_arrays.to_host(fit.alpha), _arrays.to_host(plain.alpha))
