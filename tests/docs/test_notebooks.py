"""Notebooks run from top to bottom, in a namespace of their own, without Jupyter."""

import json
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import pytest

from tests.docs._blocks import ROOT

NOTEBOOKS = sorted((ROOT / "docs" / "notebooks").glob("*.ipynb"))


def run(path: Path) -> dict[str, Any]:
    """Run the code cells in order; a failure names the cell."""
    namespace: dict[str, Any] = {"__name__": path.stem}
    for number, cell in enumerate(json.loads(path.read_text(encoding="utf-8"))["cells"]):
        if cell["cell_type"] == "code":
            exec(compile("".join(cell["source"]), f"{path.name}, cell {number}", "exec"), namespace)
    return namespace


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
@pytest.mark.sampled(1)
def test_cells_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # a notebook may write files
    with plt.rc_context({"backend": "agg", "figure.max_open_warning": 0}):
        run(path)
    plt.close("all")


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_words_for_plots_are_kept_and_no_outputs(path: Path) -> None:
    """Outputs would be what some machine once gave."""
    cells = json.loads(path.read_text(encoding="utf-8"))["cells"]
    assert all(not cell.get("outputs") for cell in cells)
    plots = [cell["metadata"] for cell in cells if "plt.show()" in "".join(cell["source"])]
    assert all(metadata["mystnb"]["image"]["alt"] for metadata in plots)
