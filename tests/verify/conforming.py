"""A small map that meets every requirement, with a place for a defect against each."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.verify.corpus import units
from tests.verify.corpus.units import D


@dataclass(frozen=True)
class Rectified:
    """max(w_l.x, 0) / sqrt(m); `defect` breaks one thing."""

    n_features: int
    seed: int
    defect: str = ""

    independent_units = True
    n_inputs = D

    def weights(self) -> Any:
        seed = 0 if self.defect == "deaf to its seed" else self.seed
        if self.defect == "its own seeds":
            seed = np.random.SeedSequence().entropy
        rng = np.random.default_rng(seed)
        if self.defect == "eight units repeated":
            return np.tile(rng.standard_normal((D, 8)), self.n_features // 8)
        return rng.standard_normal((D, self.n_features))

    def __call__(self, x: Any) -> Any:
        if self.defect != "takes anything":
            if x.ndim != 2 or x.shape[1] != D:
                raise ValueError(f"X has shape {x.shape}, not (n, {D})")
            if not np.isfinite(x).all():
                raise ValueError("X is not finite")
        if self.defect == "centres its rows":
            x = x - x.mean(axis=0)
        if self.defect == "writes its input":
            x += 1.0
        if self.defect == "divides by lengths":
            with np.errstate(invalid="ignore"):
                lengths = np.linalg.norm(x, axis=1, keepdims=True)
                x = lengths * (x / lengths)
        w = self.weights().astype(
            np.result_type(x.dtype, np.float32) if self.defect != "widens" else float
        )
        gain = 2.0 if self.defect == "twice as long" else 1.0
        return gain * np.maximum(x @ w, 0) / np.asarray(self.n_features**0.5, dtype=w.dtype)

    def products(self, x: Any, y: Any) -> Any:
        factor = 1 if self.defect == "products without m" else self.n_features
        return factor * self(x) * self(y)

    def gram(self, x: Any, y: Any) -> Any:
        return self(x) @ self(y).T * (2 if self.defect == "another gram" else 1)

    def kernel(self, x: Any, y: Any = None) -> Any:
        y = x if y is None else y
        if self.defect == "a kernel that is none":
            return units.rectified_kernel(x, y) - 0.5 * (x**2).sum(1)[:, None] * (y**2).sum(1)
        return units.rectified_kernel(x, y)

    def variance(self, x: Any, y: Any = None) -> Any:
        value = units.rectified_variance(x, x if y is None else y)
        return {"a negative variance": -value, "half the variance": 0.5 * value}.get(
            self.defect, value
        )

    def recipe(self) -> dict[str, Any]:
        content = {"map": "Rectified", "n_features": self.n_features, "seed": self.seed}
        if self.defect == "a recipe without a seed":
            del content["seed"]
        return {**content, "weights": self.weights()} if self.defect == "a fat recipe" else content

    def __reduce__(self) -> Any:
        if self.defect == "pickled without its seed":
            return Rectified, (self.n_features, 0 if self.seed else 1)
        return Rectified, (self.n_features, self.seed, self.defect)
