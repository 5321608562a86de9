"""Write the page of failing tests, one of each kind: ``python docs/_failures.py``.

A test holds each output to 25 lines, and the page to what the tests print.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

DOCS = Path(__file__).parent

SETUP = """\
import numpy as np
from scipy.special import ndtr

from mehler import verify

X = 0.7 * np.random.default_rng(0).standard_normal((6, 3))


def offset(seed, m=200, gamma=0.5):
    rng = np.random.default_rng(seed)
    w = rng.normal(scale=np.sqrt(2 * gamma), size=(3, m))
    b = rng.uniform(0, 2 * np.pi, m)
    return lambda X: np.sqrt(2 / m) * np.cos(X @ w + b)


def rbf(X, Y, gamma=0.5):
    return np.exp(-gamma * ((X[:, None] - Y[None]) ** 2).sum(axis=2))


def spread(X, Y):
    return 1 + rbf(X, Y) ** 4 / 2 - rbf(X, Y) ** 2


normal = np.random.default_rng(1).standard_normal((20_000, 2))
"""

# Kind of check -> heading and the body of a test that fails.
KINDS = {
    "kernel": (
        "A kernel: the bandwidth of the map is half of the claimed one",
        "verify.assert_kernel(lambda seed: offset(seed, gamma=0.25), rbf, X, variance=spread)",
    ),
    "mean": (
        "A mean",
        "verify.require(verify.check_mean(normal[:, 0] ** 2, 1.2, variance=2.0, resolution=0.1))",
    ),
    "samples": (
        "Samples of vectors: a covariance",
        "C = [[1.0, 0.0], [0.0, 1.3]]\n"
        "verify.require(verify.check_mean(normal, C, mean=[0, 0], resolution=0.1))",
    ),
    "variance": (
        "A declared variance: a factor of the kernel is left out",
        "wrong = lambda X, Y: 1 + rbf(X, Y) ** 4 / 2\n"
        "verify.require(verify.check_variance(offset, wrong, X, independent_features=True))",
    ),
    "distribution": (
        "A law of features: twice as wide as claimed",
        "law = lambda X, t: ndtr(t / np.linalg.norm(X, axis=1, keepdims=True))\n"
        "wide = lambda seed: lambda X: 2 * X @ np.random.default_rng(seed).normal(size=(3, 100))\n"
        'claim = {"scale": 1.0, "independent_features": True}\n'
        "verify.require(verify.check_distribution(wide, law, X, **claim))",
    ),
    "same": (
        "A new version: a factor is lost",
        "lost = lambda seed: lambda X: 0.9 * offset(seed)(X)\n"
        "verify.require(verify.check_same(offset, lost, X, independent_features=True))",
    ),
    "invariance": (
        "Invariance: even features do not know the order of columns",
        "even = lambda seed: lambda X: abs(X @ np.random.default_rng(seed).normal(size=(3, 20)))\n"
        "verify.require(verify.check_invariance(even, lambda X: X[:, [1, 0, 2]], X[:3]))",
    ),
    "convergence": (
        "Convergence: features beyond the 64th repeat the first ones",
        "tiled = lambda seed, m: lambda X: np.tile(offset(seed, 64)(X), m // 64) * 8 / m**0.5\n"
        "verify.require(verify.check_convergence(tiled, X))",
    ),
    "structure": (
        "Structure: rows are centred by their batch",
        "centred = lambda seed: lambda X: offset(seed)(X - X.mean(axis=0))\n"
        "verify.require(verify.check_structure(centred, X, kernel=rbf))",
    ),
    "never": (
        "What should never happen: a bound is violated in 3 of 1,000 runs",
        "violated = np.arange(1000) % 400 == 0\n"
        "verify.require(verify.check_mean(violated, 0.0, binary=True, resolution=0.02))",
    ),
}


def text(kind: str) -> str:
    """Return what the failing test of a kind prints."""
    scope: dict[str, Any] = {}
    exec(SETUP, scope)
    try:
        exec(KINDS[kind][1], scope)
    except AssertionError as failure:
        return str(failure)
    raise RuntimeError(f"the test of {kind} passes")


def page(texts: dict[str, str]) -> str:
    """Return the page, from what each test prints."""
    lines = [
        "# Failing tests",
        "",
        "A failing test of each kind prints 25 lines or fewer: the cause or the finding, the worst",
        "places, the error rate, what would have been seen, and the seed that replays it.",
        "(`python docs/_failures.py`; {func}`mehler.verify.require` prints any verdict.)",
        "",
        "```python",
        *SETUP.rstrip().splitlines(),
        "```",
    ]
    for kind, (heading, body) in KINDS.items():
        # Blocks of this form are not run with the page: the tests fail.
        lines += ["", f"## {heading}", "", "```{code-block} python", "", *body.splitlines(), "```"]
        lines += ["", "```text", *f"AssertionError: {texts[kind]}".splitlines(), "```"]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    written = page({kind: text(kind) for kind in KINDS})
    (DOCS / "failing-tests.md").write_text(written, encoding="utf-8")
