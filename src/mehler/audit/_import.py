"""Import MODULE:NAME with the modules beside its file, and restore the import system."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any


class Imports:
    """A context that imports MODULE:NAME and restores the import system at its end.

    While a module executes its folder comes first on the path, as for ``python FILE.py``;
    afterwards last, so that imports inside functions find their neighbours without shadowing
    installed packages. The end of the context removes the folder and forgets the modules found in
    it, since another file may have different neighbours of the same names.

    >>> with Imports() as imports:
    ...     imports.load("math:pi", what="target")
    3.141592653589793
    """

    def __init__(self) -> None:
        self._folders: list[str] = []
        self._before: frozenset[str] = frozenset()

    def __enter__(self) -> Imports:
        self._before = frozenset(sys.modules)
        return self

    def __exit__(self, *error: object) -> None:
        for folder in self._folders:
            _without(folder)
        neighbours = [name for name in set(sys.modules) - self._before if self._is_neighbour(name)]
        for name in neighbours:
            del sys.modules[name]
        self._folders = []

    def load(self, spec: str, *, what: str) -> Any:
        """Import MODULE:NAME, with MODULE a dotted module or the path of a ``.py`` file.

        `what` names the option in messages. Raises ValueError for a malformed name, a module that
        does not import, or a name that it lacks.
        """
        module_name, colon, name = spec.rpartition(":")
        if not colon or not module_name or not name:
            raise ValueError(
                f"{what}={spec!r} is not MODULE:NAME: as in "
                "sklearn.kernel_approximation:RBFSampler, or path/to/file.py:name"
            )
        module = self._import(module_name, what)
        value: Any = module
        for part in name.split("."):
            if not hasattr(value, part):
                public = [each for each in vars(module) if not each.startswith("_")][:8]
                raise ValueError(
                    f"{what}: {module_name} has no {name!r}; it has "
                    f"{', '.join(public) or 'nothing'}"
                )
            value = getattr(value, part)
        return value

    def _import(self, module_name: str, what: str) -> ModuleType:
        path = Path(module_name)
        if path.suffix == ".py" and not path.is_file():
            raise ValueError(f"{what}: {module_name} does not exist: check the path")
        try:
            if path.suffix == ".py":
                return self._file(path.resolve())
            # As `python -m` does: modules beside the user are found.
            return self._beside(Path.cwd(), lambda: importlib.import_module(module_name))
        except (Exception, SystemExit) as error:  # a third party's import may raise anything
            raise ValueError(
                f"{what}: {module_name} does not import ({type(error).__name__}: {error}): "
                "install or repair it"
            ) from error

    def _file(self, path: Path) -> ModuleType:
        # Dataclasses and pickles look up their module, so use its own name if that is free.
        name = path.stem if path.stem not in sys.modules else f"_file_{path.stem}"
        for loaded in {path.stem, name} & (set(sys.modules) - self._before):
            if getattr(sys.modules[loaded], "__file__", None) == str(path):
                return sys.modules[loaded]
        spec = importlib.util.spec_from_file_location(name, path)
        assert spec is not None
        assert spec.loader is not None
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        loader = spec.loader
        try:
            self._beside(path.parent, lambda: loader.exec_module(module))
        except BaseException:
            sys.modules.pop(name, None)
            raise
        return module

    def _beside(self, folder: Path, run: Callable[..., Any]) -> Any:
        """Run an import with a folder first on the path; keep it last until the context ends."""
        place = str(folder)
        importlib.invalidate_caches()  # files may be younger than what Python knows of the folder
        sys.path.insert(0, place)
        try:
            return run()
        finally:
            _without(place)
            if place not in sys.path:
                sys.path.append(place)
                self._folders.append(place)

    def _is_neighbour(self, name: str) -> bool:
        """Whether a module's top-level package is in one of the added folders."""
        top = name.partition(".")[0]
        if top in self._before:
            return False
        module = sys.modules.get(top)
        file = getattr(module, "__file__", None)
        places = [Path(file)] if file else [Path(p) / "_" for p in getattr(module, "__path__", [])]
        for place in places:
            home = place.parent if place.name in ("__init__.py", "_") else place
            if str(home.parent) in self._folders:
                return True
        return False


def _without(place: str) -> None:
    # The imported module may have changed the path too.
    if place in sys.path:
        sys.path.remove(place)
