"""Draw a map in a fresh process, where string hashes differ and nothing was drawn before.

Run as a module, this is the fresh process; its argument is the folder of rows and request.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from mehler._forks import end_forks
from mehler.audit._import import Imports
from mehler.audit._target import read_target

# Timeout of the process in seconds.
_PATIENCE = 30.0


@dataclass(frozen=True)
class Fresh:
    """Compute features of a target in a fresh process, from seed and rows.

    `rows` are those that transformers are fitted on; for the other arguments see `read_target`.
    `patience` is the timeout in seconds.
    """

    target: str
    rows: np.ndarray
    n_features: int | None
    arguments: Mapping[str, Any]
    patience: float = _PATIENCE

    def __call__(self, seed: int, values: np.ndarray) -> np.ndarray:
        """Return features of `values` by the map of a seed; RuntimeError if the process fails."""
        request = (self.target, self.n_features, dict(self.arguments), seed, sys.path)
        with tempfile.TemporaryDirectory() as folder:
            there = Path(folder)
            np.save(there / "rows.npy", self.rows, allow_pickle=False)
            np.save(there / "values.npy", values, allow_pickle=False)
            (there / "request").write_text(repr(request), encoding="utf-8")
            hash_seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
            try:
                # A file, since processes that the target leaves behind would hold a pipe open.
                with open(there / "errors", "wb") as errors:
                    process = subprocess.run(
                        [sys.executable, "-W", "ignore", "-m", __name__, folder],
                        env={**os.environ, "PYTHONHASHSEED": hash_seed},
                        stdout=errors,
                        stderr=errors,
                        timeout=self.patience,
                        check=False,
                    )
            except subprocess.TimeoutExpired as error:
                raise RuntimeError(f"it took more than {self.patience:g} s") from error
            if not (there / "features.npy").exists():
                message = (there / "errors").read_text(encoding="utf-8", errors="replace")
                ending = f"it ended with status {process.returncode}"
                raise RuntimeError(message.strip().rpartition("\n")[2] or ending)
            features: np.ndarray = np.load(there / "features.npy", allow_pickle=False)
            return features


def main(folder: str) -> None:
    """Answer the request in a folder."""
    end_forks()
    there = Path(folder)
    text = (there / "request").read_text(encoding="utf-8")
    target, n_features, arguments, seed, sys.path[:] = ast.literal_eval(text)
    rows, values = (np.load(there / f"{name}.npy", allow_pickle=False) for name in _INPUTS)
    with Imports() as imports:
        loaded = imports.load(target, what="MODULE:FACTORY")
        read = read_target(target, loaded, rows, n_features=n_features, arguments=arguments)
        z = read.draw(seed)(values)
    np.save(there / "features.npy", np.asarray(z), allow_pickle=False)


_INPUTS = ("rows", "values")

if __name__ == "__main__":
    main(sys.argv[1])
