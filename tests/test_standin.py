"""The stand-in is honest: CuPy's names, what its arrays refuse, and what is counted."""

import numpy as np
import pytest

from tests import standin


def test_names_are_those_of_the_package():
    for path, module in standin.MODULES.items():
        assert {name for name in vars(module) if not name.startswith("_")} <= standin.NAMES[path]
    names = set(vars(standin.ndarray)) - set(vars(type("Empty", (), {}))) - {"__getattr__"}
    names = {name for name in names if not name.startswith("_") or name.endswith("__")}
    python = {*dir(object), "__annotations__", "__static_attributes__", "__firstlineno__"}
    assert names - python <= standin.NAMES["cupy.ndarray"]


@pytest.mark.parametrize(
    ("error", "use"),
    [
        (AttributeError, lambda cupy, x: cupy.linalg.cho_factor),
        (AttributeError, lambda cupy, x: x.to_device("cpu")),
        (TypeError, lambda cupy, x: np.asarray(x)),
        (TypeError, lambda cupy, x: np.ones(3) + x),
        (TypeError, lambda cupy, x: cupy.concatenate([x, np.ones(3)])),
        (TypeError, lambda cupy, x: cupy.ones(3, device=0)),
    ],
)
def test_nothing_is_converted_or_mixed_and_no_name_is_added(cupy, error, use):
    with pytest.raises(error):
        use(cupy, cupy.ones(3))


@pytest.mark.parametrize(
    ("work", "counts"),
    [
        (lambda cupy, x: cupy.asarray(np.ones(5)), (0, 0, 40, 0)),
        (lambda cupy, x: x.get(), (0, 1, 0, 48)),
        (lambda cupy, x: bool(cupy.all(cupy.isfinite(x))), (2, 1, 0, 1)),
        (lambda cupy, x: x.reshape(3, 2).T[1:, :], (0, 0, 0, 0)),
        (lambda cupy, x: 2.0 * x + 1.0, (2, 0, 0, 0)),
        (lambda cupy, x: cupy.concatenate([x, x]), (2, 0, 0, 0)),
        (lambda cupy, x: x.__setitem__((slice(1), 0), 2.0), (1, 0, 0, 0)),
        (lambda cupy, x: x[x > 0], (2, 1, 0, 0)),
    ],
)
def test_launches_waits_and_bytes(cupy, work, counts):
    x = cupy.asarray(np.ones((2, 3)))
    with standin.counted() as count:
        work(cupy, x)
    assert count == standin.Counts(*counts)
