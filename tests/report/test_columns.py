"""Columns: chosen by name, scaled, set apart as a target, and warned of."""

import importlib
import importlib.util

import dask.array as da
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from mehler.report import load_rows

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(RNG.standard_normal((30, 3)), columns=["a", "b", "c"])


POLARS = ["polars"] if importlib.util.find_spec("polars") else []


@pytest.fixture(params=["pandas", *POLARS, "pyarrow", "csv", "parquet", "feather"])
def make_data(request, tmp_path):
    """The same table as a file and as an object."""

    def make(frame):
        if request.param == "pandas":
            return frame
        if request.param == "polars":
            return importlib.import_module("polars").from_pandas(frame)
        if request.param == "pyarrow":
            return pa.Table.from_pandas(frame)
        path = tmp_path / f"a.{request.param}"
        if request.param == "csv":
            frame.to_csv(path, index=False)
        else:
            getattr(frame, f"to_{request.param}")(path)
        return path

    return make


def test_columns_are_taken_in_the_order_that_is_asked_for(make_data):
    rows = load_rows(make_data(FRAME), columns="c, a")
    assert rows.columns == ("c", "a")
    np.testing.assert_array_equal(rows.values, FRAME[["c", "a"]].to_numpy()[rows.index])
    rest = load_rows(make_data(FRAME), drop=["c"])
    assert rest.columns == ("a", "b")
    odd = FRAME.assign(odd=[1.0] * 29 + ["x"], z=1j)
    assert load_rows(odd, drop="odd,z").columns == ("a", "b", "c")


@pytest.mark.parametrize(
    ("labels", "kind"),
    [
        (pd.Categorical(list("uvw") * 10), "U"),
        (list("uvw") * 10, "U"),
        ([3, 1, 2] * 10, "i"),
        (pd.Categorical([3, 1, 2] * 10), "i"),
        ([0.5, 1.5, 2.0] * 10, "f"),
    ],
)
def test_a_target_is_left_out_of_the_rows_and_kept(make_data, labels, kind):
    rows = load_rows(make_data(FRAME.assign(y=labels)), target="y")
    assert rows.columns == ("a", "b", "c")
    assert rows.target.dtype.kind == kind
    np.testing.assert_array_equal(rows.target, np.array(labels)[rows.index])


def test_rows_that_lack_a_value_or_a_label_are_left_out_together(make_data):
    frame = FRAME.assign(y=list("uvw") * 10)
    frame.loc[3, "b"] = np.nan
    frame.loc[5, "y"] = None
    data = make_data(frame)
    with pytest.raises(ValueError, match=r"lacks .* in 2 of 30 rows \(nan at row 3 of 'b'\)"):
        load_rows(data, target="y")
    rows = load_rows(data, target="y", drop_missing=True)
    assert not {3, 5} & set(rows.index)
    assert rows.n_rows == 28
    np.testing.assert_array_equal(rows.target, frame["y"].to_numpy()[rows.index].astype(str))
    np.testing.assert_array_equal(rows.values, FRAME.to_numpy()[rows.index])


def test_standardized_columns_have_mean_0_and_deviation_1(make_data):
    frame = FRAME * [1, 1000, 1e-3] + [0, 5, 7]
    rows = load_rows(make_data(frame), standardize=True)
    expected = ((frame - frame.mean()) / frame.std(ddof=0)).to_numpy()
    np.testing.assert_allclose(rows.values, expected[rows.index], rtol=1e-9, atol=1e-12)
    assert "standardized" in rows.choices
    np.testing.assert_allclose(rows.highs, frame.max(), rtol=1e-12)
    array = frame.to_numpy().copy()
    load_rows(array, standardize=True)
    np.testing.assert_array_equal(array, frame.to_numpy())  # what the caller holds stays


@pytest.mark.parametrize("make", [np.asarray, da.from_array, pd.DataFrame])
def test_labels_may_come_apart_from_the_rows(make):
    x = FRAME.to_numpy().copy()
    x[4] = 0.0
    rows = load_rows(make(x), target=np.arange(30))
    np.testing.assert_array_equal(rows.target, np.delete(np.arange(30), 4))
    with pytest.raises(ValueError, match=r"target has shape \(3,\), but there are 30 rows"):
        load_rows(make(x), target=[1, 2, 3])


COUNT = np.arange(30)


@pytest.mark.parametrize(
    ("name", "values", "warned"),
    [
        ("n", COUNT, True),
        ("n", COUNT**2, True),  # in order
        ("user_id", RNG.integers(0, 9, 30), True),
        ("UserID", RNG.integers(0, 9, 30), True),
        ("Index", RNG.integers(0, 9, 30), True),
        ("width", RNG.integers(0, 9, 30), False),
        ("humidity", RNG.integers(0, 9, 30), False),
        ("n", RNG.permutation(COUNT) % 29, False),  # not distinct
        ("n", COUNT % 4, False),  # in order in each block of four rows only
        ("n", RNG.permutation(COUNT) * 2, False),  # neither in order nor a range
        ("id", RNG.standard_normal(30), False),  # no integers
        ("n", COUNT + 0.5, False),
    ],
)
def test_columns_like_ids_are_warned_of(name, values, warned):
    rows = load_rows(FRAME.assign(**{name: values}))
    assert any(f"column {name!r} is like an id" in warning for warning in rows.warnings) == warned


@pytest.mark.parametrize(("scale", "warned"), [(900.0, False), (1100.0, True)])
def test_scales_apart_are_warned_of(scale, warned):
    x = np.array([[1.0, scale, 0.0], [0.5, -scale / 2, 0.0], [-1.0, 0.0, 0.0]])
    assert bool(load_rows(x).warnings) == warned
    assert not load_rows(x, standardize=True).warnings
