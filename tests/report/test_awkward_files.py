"""Files as people have them are read as they are meant, or refused by name."""

from __future__ import annotations

import re

import numpy as np
import pytest

from mehler.report import load_rows
from tests.report.awkward_files import FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: f"{file.what} {file.name}")
def test_files_are_read_as_meant_or_refused(tmp_path, file):
    path = tmp_path / file.name
    file.make(path)
    if file.columns is None:
        with pytest.raises(ValueError, match=re.escape(file.message)) as caught:
            load_rows(path, **file.options)
        assert "\n" not in str(caught.value)
        return
    found = load_rows(path, **file.options)
    assert (found.name, found.path) == (file.name, str(path))
    assert found.columns == file.columns
    np.testing.assert_array_equal(found.values, file.values)
    np.testing.assert_array_equal(found.lows, np.min(file.values, axis=0))
    np.testing.assert_array_equal(found.highs, np.max(file.values, axis=0))
    assert file.says in "; ".join(found.choices)
    assert found.target_name == file.options.get("target")
