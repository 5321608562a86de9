"""A stand-in of CuPy on the host, for tests where there is no GPU.

It has the names of the real package (`standin.json`, read from its wheel) and no others. Its arrays
refuse implicit conversion and mixing with NumPy. Linear algebra that fails gives NaN and raises
nothing. `counted` says how many kernels a device would have launched, how often the host would
have waited, and how many bytes would have moved:

- each array that a function makes is a launch; a concatenation is one an input; views are none;
- whatever the host reads of a device, shapes that depend on values included, is a wait.

What it cannot show: time, memory, rounding of a device, faults of its drivers, several devices.
"""

import json
import sys
import types
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any, Self

import numpy as np
import scipy.special

KEPT = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
NAMES: dict[str, set[str]] = {where: set(names) for where, names in KEPT["names"].items()}
_METHODS = NAMES["cupy.ndarray"]
# Their results have shapes that the host has to wait for.
_WAITING = {"nonzero", "flatnonzero", "argwhere", "unique", "compress", "extract", "union1d"}
# NumPy's say True, CuPy's are arrays.
_ANSWERS = {"allclose", "array_equal", "array_equiv"}
# They look at shapes and dtypes alone.
_LOOKING = {"shape", "ndim", "size", "result_type", "can_cast", "isscalar", "broadcast_shapes"}
# What a failure leaves, instead of an error.
_FAILED: dict[str, Callable[..., Any]] = {
    "cholesky": lambda a: a * np.nan,
    "inv": lambda a: a * np.nan,
    "solve": lambda a, b: b * np.nan,
    "eigh": lambda a: (a[..., 0] * np.nan, a * np.nan),
}
_JOINING = {"concatenate", "stack", "vstack", "hstack"}


@dataclass
class Counts:
    """What a device would have done."""

    launches: int = 0
    waits: int = 0
    bytes_in: int = 0
    bytes_out: int = 0


_total = Counts()


@contextmanager
def counted() -> Iterator[Counts]:
    """Yield counts that hold, at the end, what happened inside."""
    before, counts = asdict(_total), Counts()
    yield counts
    for name, start in before.items():
        setattr(counts, name, getattr(_total, name) - start)


def _waited(values: Any) -> Any:
    """Let the host wait for values, and have them."""
    _total.waits += 1
    _total.bytes_out += values.nbytes
    return values


class Device:
    """The one device that there is."""

    id = 0

    def __init__(self, device: Any = None) -> None:
        assert device in (None, 0) or isinstance(device, Device)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device)

    def __hash__(self) -> int:
        return 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        pass


# -- arrays -------------------------------------------------------------------------------


class ndarray:
    __array_priority__ = 100
    __hash__ = None  # type: ignore[assignment]  # as arrays have none
    __array_ufunc__ = None  # nothing of NumPy's mixes with it

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_") or name not in _METHODS:
            raise AttributeError(f"'cupy.ndarray' object has no attribute {name!r}")
        value = getattr(self._host, name)
        if not callable(value):
            return _array(value) if isinstance(value, np.ndarray) else value
        method = getattr(np.ndarray, name)
        return lambda *args, **options: _call(method, name, (self, *args), options)

    # What has to be said by name, since Python looks special methods up on the class.
    def __array__(self, *_: Any, **__: Any) -> Any:
        raise TypeError(
            "Implicit conversion to a NumPy array is not allowed. Please use `.get()` to "
            "construct a NumPy array explicitly."
        )

    @property
    def device(self) -> Device:
        return Device()

    def get(self, *_: Any, **__: Any) -> Any:
        return np.array(_waited(self._host))

    def copy(self, order: str = "C") -> Self:
        _total.launches += 1
        return _array(self._host.copy(order=order))

    def astype(self, dtype: Any, order: str = "K", copy: bool = True, **options: Any) -> Any:
        if not copy and np.dtype(dtype) == self._host.dtype:
            return self
        return _call(np.ndarray.astype, "astype", (self, dtype, order), options)

    def __getitem__(self, key: Any) -> Any:
        lowered = _key(key)
        entries = self._host[lowered]
        advanced = isinstance(entries, np.ndarray) and not np.may_share_memory(entries, self._host)
        _total.launches += advanced
        return _array(np.asarray(entries) if advanced else self._host[_basic(lowered)])

    def __setitem__(self, key: Any, value: Any) -> None:
        _total.launches += 1
        self._host[_key(key)] = _lower(value)

    def __len__(self) -> int:
        return len(self._host)

    def __bool__(self) -> bool:
        return bool(_waited(self._host))

    def __float__(self) -> float:
        return float(_waited(self._host))

    def __reduce__(self) -> Any:
        return _cupy.array, (self.get(),)


def _array(host: Any) -> Self:
    array = object.__new__(ndarray)
    array._host = host
    return array


def _basic(key: Any) -> Any:
    # With an ellipsis even one entry comes as a view of no axes.
    entries = key if isinstance(key, tuple) else (key,)
    return entries if Ellipsis in entries else (*entries, ...)


def _key(key: Any) -> Any:
    if isinstance(key, tuple):
        return tuple(map(_key, key))
    if isinstance(key, ndarray):
        _total.waits += key.dtype == bool
        return _lower(key)
    return key


def _lower(value: Any) -> Any:
    """Return what NumPy computes with; refuse arrays of the host."""
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, np.ndarray):
        raise TypeError(f"Unsupported type {type(value)}")
    if type(value) in (tuple, list):
        return type(value)(map(_lower, value))
    return value


def _raise(value: Any, inputs: list[Any], name: str) -> Any:
    """Return what CuPy returns, and count what was made."""
    if isinstance(value, (tuple, list)):
        return tuple(_raise(x, inputs, name) for x in value)
    if not isinstance(value, (np.ndarray, np.generic)) and name not in _ANSWERS:
        return value
    host = np.asarray(value)
    shared = any(np.may_share_memory(host, x) for x in inputs)
    _total.launches += not shared and not name.startswith("empty")
    return _array(host)


def _call(function: Callable[..., Any], name: str, args: Any, options: dict[str, Any]) -> Any:
    if "device" in options:
        raise TypeError(f"{name}() got an unexpected keyword argument 'device'")
    if name in _LOOKING:
        return function(*(getattr(x, "_host", x) for x in args), **options)
    lowered = [_lower(x) for x in args]
    keywords = {key: _lower(x) for key, x in options.items()}
    flat = [x for part in lowered for x in (part if isinstance(part, (tuple, list)) else [part])]
    inputs = [x for x in flat if isinstance(x, np.ndarray)]
    _total.waits += name in _WAITING or (name == "where" and len(args) == 1)
    try:
        value = function(*lowered, **keywords)
    except np.linalg.LinAlgError:
        value = _FAILED[name](*lowered)
    _total.launches += len(inputs) - 1 if name in _JOINING else 0
    return _raise(value, inputs, name)


def _operator(name: str) -> Callable[..., Any]:
    method = getattr(np.ndarray, name)

    def operate(self: ndarray, *others: Any) -> Any:
        classes = (ndarray, np.ndarray, np.generic, int, float, complex)
        if not all(isinstance(other, classes) for other in others):
            return NotImplemented
        value = method(_lower(self), *map(_lower, others))
        return value if value is NotImplemented else _raise(value, [], name)

    return operate


_BINARY = (
    *("add", "sub", "mul", "truediv", "floordiv", "mod", "divmod", "pow", "matmul"),
    *("and", "or", "xor", "lshift", "rshift"),
)
_OPERATORS = (
    *(f"__{name}__" for name in (*_BINARY, "neg", "pos", "abs", "invert")),
    *(f"__{name}__" for name in ("lt", "le", "eq", "ne", "gt", "ge")),
    *(f"__r{name}__" for name in _BINARY),
)
for _name in _OPERATORS:
    setattr(ndarray, _name, _operator(_name))

# -- modules ------------------------------------------------------------------------------


def _asarray(values: Any, dtype: Any = None, order: Any = None, *, blocking: bool = False) -> Any:
    if isinstance(values, ndarray):
        return values if dtype is None else values.astype(dtype, copy=False)
    return _new(values, dtype)


def _new(
    values: Any, dtype: Any = None, copy: bool = True, order: Any = "K", subok: bool = False,
    ndmin: int = 0, *, blocking: bool = False,
) -> Any:  # fmt: skip
    host = np.array(values, dtype=dtype, ndmin=ndmin)
    _total.bytes_in += host.nbytes
    return _array(host)


def _module(path: str, source: Any, **contents: Any) -> types.ModuleType:
    """Return a module of the package: its own things, and NumPy's or SciPy's for arrays."""
    module = types.ModuleType(path)
    module.__spec__ = ModuleSpec(path, None)
    for name in NAMES[path] - contents.keys():
        theirs = getattr(source, name, None)
        if theirs is None and name != "newaxis":
            continue
        plain = isinstance(theirs, type) or not callable(theirs)
        module.__dict__[name] = theirs if plain else _function(theirs, name, path)
    module.__dict__.update({name: contents[name] for name in contents})

    def missing(name: str) -> Any:
        classes = "the stand-in lacks it" if name in NAMES[path] else "CuPy has no such name"
        raise AttributeError(f"module {path!r} has no attribute {name!r}: {classes}")

    module.__dict__["__getattr__"] = missing
    return module


def _function(theirs: Any, name: str, path: str) -> Callable[..., Any]:
    def function(*args: Any, **options: Any) -> Any:
        return _call(theirs, name, args, options)

    function.__name__ = function.__qualname__ = name
    function.__module__ = path
    return function


_runtime = _module("cupy.cuda.runtime", None, getDeviceCount=lambda: 1, getDevice=lambda: 0)
_device = _module("cupy.cuda.device", None, Device=Device)
_cuda = _module(
    "cupy.cuda",
    None,
    Device=Device,
    device=_device,
    get_device_id=lambda: 0,
    is_available=lambda: True,
    runtime=_runtime,
)
_linalg, _fft = _module("cupy.linalg", np.linalg), _module("cupy.fft", np.fft)
_linalg.__dict__["__all__"] = [n for n in vars(_linalg) if not n.startswith("_")]
_random = _module("cupy.random", None)
for _made in (_asarray, _new):
    _made.__module__ = "cupy"
_new.__qualname__ = _new.__name__ = "array"
_cupy: Any = _module(
    "cupy",
    np,
    __version__=KEPT["version"],
    ndarray=ndarray,
    array=_new,
    asarray=_asarray,
    asanyarray=_asarray,
    ascontiguousarray=lambda a, dtype=None: _asarray(a, dtype),
    cuda=_cuda,
    linalg=_linalg,
    fft=_fft,
    random=_random,
)
ndarray.__module__ = "cupy"
_special = _module("cupyx.scipy.special", scipy.special)
_scipy = _module("cupyx.scipy", None, special=_special)
_cupyx = _module("cupyx", None, scipy=_scipy)
_ALL = (_cupy, _cuda, _device, _runtime, _linalg, _fft, _random, _cupyx, _scipy, _special)
MODULES = {module.__name__: module for module in _ALL}
# Faces of the package that array-api-compat makes, kept between installations.
_faces: dict[str, types.ModuleType] = {}


@contextmanager
def installed() -> Iterator[Any]:
    """Let ``import cupy`` give the stand-in inside, whether or not there is a real one."""
    import array_api_compat

    def taken() -> dict[str, types.ModuleType]:
        ours = ("cupy", "cupyx", "array_api_compat.cupy")
        return {
            name: sys.modules.pop(name)
            for name in list(sys.modules)
            if name.startswith(tuple(f"{home}." for home in ours)) or name in ours
        }

    outside, face = taken(), vars(array_api_compat).pop("cupy", None)
    sys.modules.update(MODULES | _faces)
    if "array_api_compat.cupy" in _faces:
        array_api_compat.cupy = _faces["array_api_compat.cupy"]
    try:
        yield _cupy
    finally:
        inside = taken()
        _faces.update({name: inside[name] for name in inside.keys() - MODULES.keys()})
        vars(array_api_compat).pop("cupy", None)
        sys.modules.update(outside)
        if face is not None:
            array_api_compat.cupy = face
