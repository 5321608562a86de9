"""Draw maps in other processes: ahead of time, with the same features, or in a fresh one.

Run as a module, this is the fresh process; its argument is the folder of rows and request.
"""

from __future__ import annotations

import ast
import multiprocessing
import os
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mehler._forks import end_forks
from mehler.audit._import import Imports
from mehler.audit._target import read_target
from mehler.verify.sampling import Draws

# Draws per request to a process, and requests ahead per process.
_CHUNK, _AHEAD = 16, 2
# Declarations are read from the map itself, not from features computed elsewhere.
_DECLARATIONS = ("independent_units", "products", "variance", "gram_variance", "gram")


@dataclass(frozen=True)
class Request:
    """The arguments with which a process draws maps of a target: see `read_target`."""

    target: str
    rows: np.ndarray
    n_features: int | None
    arguments: Mapping[str, Any]

    def read(self, imports: Imports) -> Callable[[int], Any]:
        """Import the target, and return its draw function."""
        loaded = imports.load(self.target, what="MODULE:FACTORY")
        return read_target(
            self.target, loaded, self.rows, n_features=self.n_features, arguments=self.arguments
        ).draw


def processes(n_jobs: int) -> int:
    """Return the number of processes; -1 is one per core. Raises ValueError for other n < 1."""
    if isinstance(n_jobs, bool) or not isinstance(n_jobs, int) or (n_jobs < 1 and n_jobs != -1):
        raise ValueError(f"n_jobs={n_jobs!r} must be 1 or more, or -1 for one a core")
    return (os.cpu_count() or 1) if n_jobs == -1 else n_jobs


class Jobs:
    """A context in which `n` processes draw the maps of a target; 1 is this process alone."""

    def __init__(self, n: int, request: Request) -> None:
        self.n = n
        self._request = request
        self._pool: ProcessPoolExecutor | None = None

    def __enter__(self) -> Jobs:
        if self.n > 1:
            # Do not fork, which libraries with threads of their own do not survive.
            self._pool = ProcessPoolExecutor(
                self.n,
                mp_context=multiprocessing.get_context("spawn"),
                initializer=_start,
                initargs=(self._request, list(sys.path)),
            )
        return self

    def __exit__(self, *error: object) -> None:
        if self._pool is not None:
            self._pool.shutdown(cancel_futures=True)

    def ahead(self, draw: Callable[[int], Any], seed: int) -> Callable[[int], Any]:
        """Return the draw function for a check with that seed, or `draw` itself.

        Its maps return features computed elsewhere for the rows of the request, and draw the map
        here for any others. Maps with declarations are drawn here.
        """
        if self._pool is None or any(hasattr(draw(0), name) for name in _DECLARATIONS):
            return draw
        return _Ahead(self._pool, self.n, draw, seed, self._request.rows)


class _Ahead:
    """The draws of a check, in the order of its requests."""

    def __init__(
        self, pool: ProcessPoolExecutor, n: int, draw: Any, seed: int, rows: np.ndarray
    ) -> None:
        self._pool, self._most, self._draw, self._rows = pool, n * _AHEAD, draw, rows
        self._seeds = Draws(draw, seed)
        self._asked: dict[int, Future[Any]] = {}
        self._place: dict[int, int] = {}
        self._chunks = 0

    def __call__(self, seed: int) -> Any:
        try:
            features = self._from_elsewhere(seed)
        except Exception:
            # Exceptions of the map are raised again here; dead processes are done without.
            features = None
        if features is None:
            return self._draw(seed)
        return _Drawn(self._draw, seed, self._rows, features)

    def _from_elsewhere(self, seed: int) -> Any:
        """Return a draw's features, or None while processes start and for unforeseen seeds."""
        if not self._chunks:
            self._ask_for(self._most)
        k = self._place.pop(seed, None)
        if k is None:
            return None
        chunk, index = divmod(k, _CHUNK)
        self._ask_for(chunk + self._most - self._chunks)
        for old in [number for number in self._asked if number < chunk]:
            del self._asked[old]
        future = self._asked[chunk]
        return future.result()[index] if chunk or future.done() else None

    def _ask_for(self, chunks: int) -> None:
        for _ in range(chunks):
            first = self._chunks * _CHUNK
            seeds = [self._seeds.seed(k) for k in range(first, first + _CHUNK)]
            self._place.update({seed: first + i for i, seed in enumerate(seeds)})
            self._asked[self._chunks] = self._pool.submit(_features, seeds)
            self._chunks += 1


@dataclass(frozen=True)
class _Drawn:
    """A map whose features at some rows are already computed."""

    draw: Callable[[int], Any]
    seed: int
    rows: np.ndarray
    features: Any

    def __call__(self, X: Any) -> Any:
        if X is self.rows:
            return self.features
        return self.draw(self.seed)(X)


_here: dict[str, Any] = {}


def _start(request: Request, path: list[str]) -> None:
    """Prepare a process, without warnings, which the parent process already shows."""
    end_forks()
    warnings.simplefilter("ignore")
    sys.path[:] = path
    _here.update(draw=request.read(Imports()), rows=request.rows)


def _features(seeds: list[int]) -> list[Any]:
    """Return the features of the rows by the map of each seed."""
    return [_here["draw"](seed)(_here["rows"]) for seed in seeds]


# Timeout of the process in seconds.
_PATIENCE = 30.0


@dataclass(frozen=True)
class Fresh(Request):
    """Compute features of a target in a fresh process with other string hashes, from seed and rows.

    `rows` are those that transformers are fitted on; `patience` is the timeout in seconds.
    """

    patience: float = _PATIENCE

    def __call__(self, seed: int, values: np.ndarray) -> np.ndarray:
        """Return features of `values` by the map of a seed; RuntimeError if the process fails."""
        request = {
            "target": self.target,
            "n_features": self.n_features,
            "arguments": dict(self.arguments),
            "seed": seed,
            "path": sys.path,
        }
        with tempfile.TemporaryDirectory() as folder:
            there = Path(folder)
            np.save(there / "rows.npy", self.rows, allow_pickle=False)
            np.save(there / "values.npy", values, allow_pickle=False)
            (there / "request").write_text(repr(request), encoding="utf-8")
            hashes = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
            try:
                # A file, since processes that the target leaves behind would hold a pipe open.
                with open(there / "errors", "wb") as errors:
                    done = subprocess.run(
                        [sys.executable, "-W", "ignore", "-m", __name__, folder],
                        env={**os.environ, "PYTHONHASHSEED": hashes},
                        stdout=errors,
                        stderr=errors,
                        timeout=self.patience,
                        check=False,
                    )
            except subprocess.TimeoutExpired as error:
                raise RuntimeError(f"it took more than {self.patience:g} s") from error
            if not (there / "features.npy").exists():
                said = (there / "errors").read_text(encoding="utf-8", errors="replace")
                ending = f"it ended with status {done.returncode}"
                raise RuntimeError(said.strip().rpartition("\n")[2] or ending)
            features: np.ndarray = np.load(there / "features.npy", allow_pickle=False)
            return features


def main(folder: str) -> None:
    """Answer the request in a folder."""
    end_forks()
    there = Path(folder)
    asked = ast.literal_eval((there / "request").read_text(encoding="utf-8"))
    sys.path[:] = asked["path"]
    rows, values = (np.load(there / f"{name}.npy", allow_pickle=False) for name in _INPUTS)
    request = Request(asked["target"], rows, asked["n_features"], asked["arguments"])
    with Imports() as imports:
        z = request.read(imports)(asked["seed"])(values)
    np.save(there / "features.npy", np.asarray(z), allow_pickle=False)


_INPUTS = ("rows", "values")

if __name__ == "__main__":
    main(sys.argv[1])
