"""The lines on GPyTorch, Equinox and Flax in the documentation, as they stand there.

The extra dev brings all three, so that they are missing nowhere but where PyTorch or JAX is, as in
the run with the lowest versions.
"""

import re
from pathlib import Path

import pytest

PAGE = (Path(__file__).parents[2] / "docs" / "modules.md").read_text()
BLOCKS = re.findall(r"^```{code-block} python\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)
# What each block needs besides PyTorch or JAX.
NEEDS = {"gpytorch": "torch", "equinox": "jax", "nnx": "jax", "linen": "jax"}


def block_of(name: str) -> str:
    """Return the block that imports a library; skip where the one below it is missing."""
    pytest.importorskip(NEEDS[name])
    (block,) = [text for text in BLOCKS if re.search(rf"import .*\b{name}\b", text)]
    return block


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what the frameworks import
@pytest.mark.parametrize("name", NEEDS)
def test_the_page_runs(name):
    exec(compile(block_of(name), f"modules.md, {name}", "exec"), {"__name__": "page"})
