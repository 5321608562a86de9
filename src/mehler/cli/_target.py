"""Import MODULE:FACTORY of a command line, and find how to draw feature maps from it."""

from __future__ import annotations

import copy
import importlib
import importlib.util
import inspect
import random
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial
from importlib.machinery import PathFinder
from operator import attrgetter
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

from mehler._arrays import Array, to_host
from mehler._validate import require_integer

# Names of arguments that are a seed, the number of features, the number of columns of the rows.
_SEEDS = re.compile("(random_)?seed|(random_)?state|((p?rng_)?key)|rngs?|generator")
_SIZES = re.compile(
    "(n|num)_(features|components)|m|D|(out_)?features|(out|output)_dim|d(im)?_out|n_out"
)
_COLUMNS = re.compile(
    "n_inputs|in_features|(in|input)_dim|d|d(im)?_in|n_in|dim|(n|num)_dims|input_size"
)
# Default number of features: their mean is nearly normal, and thousands of draws stay cheap.
SIZE = 250
_REMEDY = "draw and __call__: name a transformer, a callable X -> Z, or a function seed -> map"


def load(spec: str, *, what: str) -> Any:
    """Import MODULE:NAME, with MODULE a dotted module or the path of a ``.py`` file.

    The folder of the module comes last on the path: its neighbours are found, and shadow neither
    the standard library nor an installed package. A file in a package is imported as its module.
    ValueError, which names the option `what`, for what is malformed, missing or not importable.
    """
    module_name, _, name = spec.rpartition(":")
    if not module_name or not name:
        such = "sklearn.kernel_approximation:RBFSampler, or path/to/file.py:name"
        raise ValueError(f"{what}={spec!r} is not MODULE:NAME: as in {such}")
    path = Path(module_name)
    if path.suffix == ".py" and not path.is_file():
        raise ValueError(f"{what}: {module_name} does not exist: check the path")
    try:
        module = _file(path.resolve()) if path.suffix == ".py" else _import(module_name, Path.cwd())
    except (Exception, SystemExit) as error:  # a third party's import may raise anything
        reason = f"{type(error).__name__}: {error}"
        raise ValueError(f"{what}: {module_name} does not import ({reason})") from error
    try:
        return attrgetter(name)(module)
    except AttributeError:
        public = ", ".join([key for key in vars(module) if not key.startswith("_")][:8])
        text = f"{what}: {module_name} has no {name!r}; it has {public or 'nothing'}"
        raise ValueError(text) from None


def _file(path: Path) -> ModuleType:
    folder, name = path.parent, path.stem
    while (folder / "__init__.py").is_file():
        folder, name = folder.parent, f"{folder.name}.{name}"
    if name != path.stem:
        return _import(name, folder)
    sys.path += [str(folder)] * (str(folder) not in sys.path)
    name = f"_file_{path}".replace(".", "_")  # its own name may be that of a library
    return sys.modules.get(name) or _run(importlib.util.spec_from_file_location(name, path))


def _import(name: str, folder: Path) -> ModuleType:
    importlib.invalidate_caches()  # files may be younger than what Python knows of the folder
    sys.path += [str(folder)] * (str(folder) not in sys.path)
    top = name.partition(".")[0]
    # What is named is taken from the folder, though another version may be installed.
    spec = PathFinder.find_spec(top, [str(folder)])
    if top not in sys.modules and spec is not None and spec.loader is not None:
        _run(spec)
    return importlib.import_module(name)


def _run(spec: Any) -> ModuleType:
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(spec.name, None)
        raise
    return module


@dataclass(frozen=True)
class Target:
    """How to draw maps: by a seed, or by a seed and a size; `assumed` says how it was read."""

    assumed: str
    draw: Callable[[int], Any]
    resize: Callable[[int, int], Any] | None = None
    random: bool = True


def _fixed(kind: str, phi: Any) -> Target:
    return Target(f"{kind}: one fixed map", lambda seed: phi, random=False)


def read_target(
    name: str, factory: Any, X: Array, *, n_features: int | None, arguments: Mapping[str, Any]
) -> Target:
    """Return the way to draw maps from an object, by its interface and signature.

    `factory` is a transformer (class or instance), a class whose objects are called with X or that
    has ``draw``, a function of a seed that returns a map, a callable X -> Z, or a function without
    arguments that returns one of these; X is for fitting, and its columns are counted. Raises
    ValueError or TypeError for anything else, and for arguments that it does not take.
    """
    size = SIZE if n_features is None else require_integer("n_features", n_features)
    if inspect.isclass(factory):
        return _class(name, factory, X, size, arguments)
    if callable(getattr(factory, "transform", None)):
        return _transformer(name, factory, X, n_features, arguments)
    if not callable(factory):
        raise TypeError(f"{name} is {type(factory).__name__} without transform, {_REMEDY}")
    call = _Call.of(name, factory, X, arguments)
    value: object = None
    if not call.seeds and call.required:
        with suppress(Exception):  # of rows
            value = factory(0, **arguments)
    if callable(value) or callable(getattr(value, "transform", None)):
        call = replace(call, seeds=call.required[:1], required=call.required[1:])
    if not call.seeds and call.required:
        replace(call, required=call.required[1:]).require_complete(name)
        return _fixed("a callable X -> Z without a seed", partial(as_map(factory, X), **arguments))
    call.require_complete(name)
    if call.seeds:
        return _by_seed(f"a draw function {call.seeds[0]} -> map", call, X, size)
    target = read_target(name, call(0, size), X, n_features=n_features, arguments={})
    return replace(target, assumed=f"a function without arguments, which returned {target.assumed}")


def _class(name: str, cls: Any, X: Array, size: int, arguments: Mapping[str, Any]) -> Target:
    factory = cls.draw if callable(getattr(cls, "draw", None)) else cls
    calls = any("__call__" in vars(base) for base in cls.__mro__) or hasattr(cls, "transform")
    if factory is cls and not calls:
        raise TypeError(f"{name} is a class without transform, {_REMEDY}")
    call = _Call.of(name, factory, X, arguments)
    call.require_complete(name)
    kind = "a transformer class" if hasattr(cls, "transform") else "a class"
    if call.seeds:
        return _by_seed(f"{kind}, made anew with each {call.seeds[0]}", call, X, size)
    words = f"{kind} without a seed, made anew after global generators were seeded"
    target = _by_seed(words, replace(call, seeds=("",)), X, size)
    first, second = (np.asarray(to_host(target.draw(seed)(X))) for seed in range(2))
    same = np.array_equal(first, second)
    return _fixed(f"{kind} without a seed", target.draw(0)) if same else target


def _by_seed(words: str, call: _Call, X: Array, size: int) -> Target:
    def resize(seed: int, m: int) -> Any:
        if call.seeds == ("",):
            random.seed(seed)
            np.random.seed(seed)  # noqa: NPY002 (what a class without a seed draws from)
            if "torch" in sys.modules:
                sys.modules["torch"].manual_seed(seed)
        value = call(seed, m)
        if hasattr(type(value), "init_with_output"):  # of Flax's linen, whose weights are separate
            return partial(value.apply, value.init(_seed("key", seed), X))
        return as_map(value, X)

    words += f", with {call.sizes[0]}={size}" if call.sizes else ""
    return Target(words, lambda seed: resize(seed, size), resize if call.sizes else None)


def _transformer(
    name: str, instance: Any, X: Array, n_features: int | None, arguments: Mapping[str, Any]
) -> Target:
    parameters = instance.get_params() if hasattr(instance, "get_params") else {}
    for key in arguments.keys() - parameters.keys():
        raise ValueError(f"{name} takes no argument {key!r}: it takes {', '.join(parameters)}")
    # Those of the steps of a pipeline too.
    ends = {key: key.rpartition("__")[2] for key in parameters.keys() - arguments.keys()}
    seeds = sorted(key for key, end in ends.items() if end in ("random_state", "seed"))
    sizes = [key for key, end in ends.items() if end == "n_components"]

    def resize(seed: int, m: int | None) -> Any:
        settings = {**arguments, **dict.fromkeys(seeds, seed)}
        settings |= {} if m is None else dict.fromkeys(sizes, m)
        final = copy.deepcopy(instance).set_params(**settings).fit(X) if settings else instance
        return as_map(final, X)

    if not seeds:
        return _fixed("a transformer without random_state", resize(0, n_features))
    words = f"a transformer, made anew with each {seeds[0]}, and fitted on the inputs"
    at_size = resize if len(sizes) == 1 else None
    return Target(words, lambda seed: resize(seed, n_features), at_size)


@dataclass(frozen=True)
class _Call:
    """How a factory is called: its seeds, its sizes, and the required arguments without a value."""

    factory: Callable[..., Any]
    arguments: Mapping[str, Any]
    seeds: tuple[str, ...] = ()
    sizes: tuple[str, ...] = ()
    required: tuple[str, ...] = ()

    @classmethod
    def of(cls, name: str, factory: Any, X: Array, arguments: Mapping[str, Any]) -> _Call:
        """Read the signature of a factory; ValueError for arguments that it does not take."""
        try:
            # A metaclass with a call of its own, as Flax has, hides the arguments of its classes.
            is_hidden = inspect.isclass(factory) and type(factory).__call__ is not type.__call__
            function = partial(factory.__init__, None) if is_hidden else factory
            parameters = inspect.signature(function).parameters
        except (TypeError, ValueError):  # of C
            return cls(factory, arguments, required=("X",))
        kinds = {key: parameter.kind for key, parameter in parameters.items()}
        for key in arguments.keys() - kinds.keys():
            if inspect.Parameter.VAR_KEYWORD not in kinds.values():
                raise ValueError(f"{name} takes no argument {key!r}: it takes {', '.join(kinds)}")
        variable = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)
        free = [k for k, kind in kinds.items() if k not in arguments and kind not in variable]
        required = [key for key in free if parameters[key].default is inspect.Parameter.empty]
        names = [k for k in free if k in required or not callable(parameters[k].default)]
        seeds = tuple(filter(_SEEDS.fullmatch, names))  # a default that is a function is no seed
        # Beside another size, n_features is the number of columns.
        sizes = sorted(filter(_SIZES.fullmatch, free), key=lambda key: key == "n_features")
        columns = [key for key in required if _COLUMNS.fullmatch(key) or key in sizes[1:]]
        values = {**arguments, **dict.fromkeys(columns, int(X.shape[1]))}
        rest = tuple(k for k in required if k not in {*seeds, *sizes[:1], *columns})
        return cls(factory, values, seeds, tuple(sizes[:1]), rest)

    def require_complete(self, name: str) -> None:
        """Raise ValueError for arguments that are neither a seed nor a size, nor given."""
        if self.required:
            options = " ".join(f"--arg {key}=..." for key in self.required)
            text = f"{name} takes {', '.join(self.required)}, by name neither seed nor size"
            raise ValueError(f"{text}: give {options}")

    def __call__(self, seed: int, m: int) -> Any:
        """Call the factory with a seed and a number of features."""
        values = {**self.arguments, **dict.fromkeys(self.sizes, m)}
        return self.factory(**values, **{key: _seed(key, seed) for key in self.seeds if key})


def _seed(key: str, seed: int) -> Any:
    """Return a seed as its name has it: a key of JAX, streams of Flax, a generator, or itself."""
    jax, torch, nnx = (sys.modules.get(name) for name in ("jax", "torch", "flax.nnx"))
    if key == "rngs" and nnx is not None:
        return nnx.Rngs(seed)
    if key.endswith("key") and jax is not None:
        return jax.random.key(seed)
    if key == "generator" and torch is not None:
        return torch.Generator().manual_seed(seed)
    return np.random.default_rng(seed) if key in ("rng", "generator") else seed


def as_map(value: Any, X: Array) -> Any:
    """Return the map X -> Z of a callable or a transformer, fitting it if necessary."""
    if any(base.__module__ == "torch.nn.modules.module" for base in type(value).__mro__):
        return _of_module(value)
    if callable(getattr(value, "transform", None)):
        try:
            value.transform(X)
        except Exception:  # of a kind that each library has for what is not fitted
            if not hasattr(value, "fit"):
                raise
            value.fit(X)
        return value.transform
    if callable(value):
        return value
    kind = type(value).__name__
    raise TypeError(f"the draw function returned {kind}: return a callable X -> Z or a transformer")


def _of_module(module: Any) -> Any:
    """Return a PyTorch module as a map of NumPy rows, in the dtype and on the device of its own."""
    torch = sys.modules["torch"]
    like = next(iter((*module.parameters(), *module.buffers())), torch.empty(0))
    module.eval()

    def phi(X: Array) -> Any:
        with torch.no_grad():
            return module(torch.asarray(np.array(X), dtype=like.dtype, device=like.device))

    return phi
