"""Arrays of ours are written whole, and never as a pickle."""

from __future__ import annotations

import numpy as np
import pytest

from mehler._files import write_arrays


def test_arrays_come_back_as_they_were(tmp_path):
    path = tmp_path / "new" / "arrays.npz"
    arrays = {"x": np.arange(3.0), "names": np.array(["a", "b"])}
    write_arrays(path, arrays)
    with np.load(path, allow_pickle=False) as found:
        assert sorted(found) == sorted(arrays)
        assert all(np.array_equal(found[name], arrays[name]) for name in arrays)


@pytest.mark.parametrize("dtype", [object, [("a", float), ("b", object)]], ids=["plain", "record"])
def test_arrays_of_objects_are_refused_before_anything_is_written(tmp_path, dtype):
    path = tmp_path / "arrays.npz"
    path.write_bytes(b"what was there")
    with pytest.raises(TypeError, match="'bad'"):
        write_arrays(path, {"good": np.ones(2), "bad": np.zeros(2, dtype=dtype)})
    assert path.read_bytes() == b"what was there"
    assert list(tmp_path.iterdir()) == [path]
