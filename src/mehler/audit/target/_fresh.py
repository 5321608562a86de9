"""Features of MODULE:FACTORY from a fresh process, with different string hashes.

Run as a module, this is that process; its argument is the folder of rows and request.
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

# Timeout of the process in seconds.
_PATIENCE = 30.0


@dataclass(frozen=True)
class Fresh:
    """Compute features of a target in a fresh process, called with a seed and rows.

    `rows` are those that transformers are fitted on; `patience` is the timeout in seconds.
    """

    target: str
    rows: np.ndarray
    n_features: int | None
    arguments: Mapping[str, Any]
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
    from mehler.audit.target._import import Imports
    from mehler.audit.target._target import read_target

    end_forks()
    there = Path(folder)
    asked = ast.literal_eval((there / "request").read_text(encoding="utf-8"))
    sys.path[:] = asked["path"]
    rows, values = (np.load(there / f"{name}.npy", allow_pickle=False) for name in _INPUTS)
    name = asked["target"]
    with Imports() as imports:
        found = read_target(
            name,
            imports.load(name, what="MODULE:FACTORY"),
            rows,
            n_features=asked["n_features"],
            arguments=asked["arguments"],
        )
        z = found.draw(asked["seed"])(values)
    np.save(there / "features.npy", np.asarray(z), allow_pickle=False)


_INPUTS = ("rows", "values")

if __name__ == "__main__":
    main(sys.argv[1])
