"""The stand-in is honest: CuPy's names, what its arrays refuse, and what is counted."""

from __future__ import annotations

import importlib.metadata
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from tests.devices import names, standin

DISTRIBUTIONS = ("cupy", "cupy-cuda12x", "cupy-cuda13x")


def wheels():
    """Versions of CuPy that are installed here."""
    found = {one.metadata["Name"]: one.version for one in importlib.metadata.distributions()}
    return [found[name] for name in DISTRIBUTIONS if name in found]


def test_names_are_those_of_the_package():
    """Of an installed wheel, which needs no GPU to be imported; else of the kept list."""
    kept = names.kept()
    if wheels() and wheels()[0] == kept["version"]:
        script = "import json, tests.devices.names as n; print(json.dumps(n.installed()))"
        root = Path(__file__).parents[2]
        told = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True, cwd=root
        ).stdout
        assert json.loads(told) == kept
    for path, module in standin.MODULES.items():
        ours = {name for name in vars(module) if not name.startswith("_")}
        assert ours <= set(kept["names"][path]), path
    for path in names.CLASSES:
        module, _, name = path.rpartition(".")
        cls = getattr(standin.MODULES[module], name, None)
        own = {one for one in vars(cls or object) if one not in dir(object)}
        python = {"__module__", "__dict__", "__weakref__", "__annotations__", "__getattr__"}
        python |= {"__static_attributes__", "__firstlineno__"}
        ours = {one for one in own - python if not one.startswith("_") or one.endswith("__")}
        assert ours <= set(kept["names"][path]), path


@pytest.mark.parametrize(
    "use",
    [
        lambda cupy, x: cupy.no_such_name,
        lambda cupy, x: cupy.linalg.cho_factor,
        lambda cupy, x: cupy.vecmat,
        lambda cupy, x: x.numpy(),
        lambda cupy, x: x.to_device("cpu"),
        lambda cupy, x: x.__array_namespace__(),
    ],
)
def test_other_names_are_errors(cupy, use):
    with pytest.raises(AttributeError):
        use(cupy, cupy.ones(3))


@pytest.mark.parametrize(
    "use",
    [
        lambda cupy, x: np.asarray(x),
        lambda cupy, x: np.ones(3) + x,
        lambda cupy, x: x + np.ones(3),
        lambda cupy, x: np.linalg.norm(np.stack([x, np.ones(3)])),
        lambda cupy, x: cupy.matmul(x, np.ones(3)),
        lambda cupy, x: cupy.concatenate([x, np.ones(3)]),
        lambda cupy, x: cupy.add(x, 1, out=np.ones(3)),
        lambda cupy, x: range(cupy.asarray(3)),
        lambda cupy, x: cupy.ones(3, device=0),
        lambda cupy, x: x * [1, 2, 3],
    ],
)
def test_nothing_is_converted_or_mixed(cupy, use):
    with pytest.raises(TypeError):
        use(cupy, cupy.ones(3))


@pytest.mark.parametrize(
    ("work", "launches", "waits", "bytes_in", "bytes_out"),
    [
        (lambda cupy, x: cupy.asarray(np.ones(5)), 0, 0, 40, 0),
        (lambda cupy, x: x.get(), 0, 1, 0, 48),
        (lambda cupy, x: float(x[0, 0]), 0, 1, 0, 8),
        (lambda cupy, x: bool(cupy.all(cupy.isfinite(x))), 2, 1, 0, 1),
        (lambda cupy, x: x.reshape(3, 2).T[1:, :], 0, 0, 0, 0),
        (lambda cupy, x: cupy.empty(9), 0, 0, 0, 0),
        (lambda cupy, x: x @ x.T, 1, 0, 0, 0),
        (lambda cupy, x: 2.0 * x + 1.0, 2, 0, 0, 0),
        (lambda cupy, x: cupy.concatenate([x, x]), 2, 0, 0, 0),
        (lambda cupy, x: x.sum(axis=0).astype("f4"), 2, 0, 0, 0),
        (lambda cupy, x: x.__setitem__((slice(1), 0), 2.0), 1, 0, 0, 0),
        (lambda cupy, x: x[x > 0], 2, 1, 0, 0),
        (lambda cupy, x: cupy.nonzero(x), 2, 1, 0, 0),
        (lambda cupy, x: x[:, np.array([0, 1])], 1, 0, 16, 0),
        (lambda cupy, x: cupy.multiply(x, x, out=x), 1, 0, 0, 0),
        (lambda cupy, x: np.exp(x), 1, 0, 0, 0),
        (lambda cupy, x: cupy.cuda.Device().synchronize(), 0, 1, 0, 0),
    ],
)
def test_counts(cupy, work, launches, waits, bytes_in, bytes_out):
    x = cupy.asarray(np.ones((2, 3)))
    with standin.counted() as found:
        work(cupy, x)
    assert found == standin.Counts(launches, waits, bytes_in, bytes_out)
