"""Multinomial logistic regression on features that are recomputed block by block."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_flag, require_integer, require_positive
from mehler.learn._arguments import feature_blocks, require_map, require_pair, shape_of
from mehler.learn._logistic._fit import LogisticFit
from mehler.learn._one_vs_all import one_vs_all


def logistic(
    phi: Callable[[Array], Array],
    X: Array,
    labels: Array,
    *,
    lam: float,
    classes: Any = None,
    intercept: bool = True,
    tolerance: float = 1e-6,
    max_iterations: int = 1000,
) -> LogisticFit:
    r"""Fit multinomial logistic regression on the features of a map.

    .. math:: \min_{W, b} F(W, b), \quad F = \frac1N\sum_{i=1}^N
              \Big(\log\sum_{c} e^{f_c(x_i)} - f_{y_i}(x_i)\Big) + \lambda |W|^2, \quad
              f(x) = W^\top \phi(x) + b

    Features are recomputed, block by block, at every step of SciPy's L-BFGS, and never stored.

    Parameters
    ----------
    phi : callable
        A map of mehler, or any function from rows (n, d) to features (n, m). If the features fit
        into memory, compute ``Z = phi(X)`` once and fit on them with ``phi=lambda rows: rows``.
    X : array, shape (n, d)
        Rows that `phi` takes, of any library. Every step reads all chunks of a Dask array:
        ``persist()`` it if the rows fit into the workers' memory.
    labels : array, shape (n,)
        Class labels, as for :func:`one_vs_all`: beside the rows, or of NumPy wherever the rows are,
        since only NumPy has strings.
    lam : float
        Regularisation above 0. scikit-learn's ``C`` is :math:`1/(2\lambda N)`.
    classes : array-like, optional
        The classes, at least two; default those found in `labels`.
    intercept : bool, optional
        Fit b, which is not penalised.
    tolerance : float, optional
        Stop once :math:`|\nabla F| \le` tolerance.
    max_iterations : int, optional
        Largest number of L-BFGS iterations.

    Returns
    -------
    LogisticFit
        The fit; check its ``converged``.

    See Also
    --------
    ridge : Least squares on codes of classes.

    Notes
    -----
    Without intercept F is :math:`2\lambda`-strongly convex, so that

    .. math:: F(W) - \min F \le \frac{|\nabla F(W)|^2}{4\lambda},

    the ``gap`` of the fit, which does not depend on trusting the optimiser. With an intercept the
    strong convexity is only in W, and ``gap`` is None; judge by the norm of the gradient.

    Features aside, all is computed in float64; the returned weights are rounded to the features'
    dtype. A gradient below about :math:`10^{-8}` is not reached. Cost per step: features and two
    products, 4 m c N operations.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler import learn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((300, 2))
    >>> labels = (X[:, 0] > 0).astype(int) + 2 * (X[:, 1] > 0)
    >>> phi = mehler.MaxoutFeatures.draw(2, 200, 4, seed=0, dtype="float64")
    >>> fit = learn.logistic(phi, X, labels, lam=1e-4)
    >>> fit.converged, bool((fit.predict(X) == labels).mean() > 0.95)
    (True, True)
    """
    from scipy.optimize import minimize

    require_map(phi)
    lam, tolerance = require_positive("lam", lam), require_positive("tolerance", tolerance)
    max_iterations = require_integer("max_iterations", max_iterations)
    require_flag("intercept", intercept)
    away = isinstance(labels, np.ndarray) and _arrays.is_array(X) and not isinstance(X, np.ndarray)
    codes, known = one_vs_all(labels, classes, like=X if away else None)
    if len(known) < 2:
        raise ValueError(f"labels hold one class, {known.tolist()[0]!r}; give at least two")
    targets = require_pair(X, codes, ("X", "labels"))
    m, dtype = shape_of(phi, X)
    objective = _Objective(phi, X, targets, lam, intercept)
    start = np.zeros((m + intercept) * len(known))
    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        callback=_stop_at(tolerance, objective),
        options={"maxiter": max_iterations, "maxfun": 2 * max_iterations, "ftol": 0.0, "gtol": 0.0},
    )
    value, gradient = objective(found.x)
    norm = float(np.linalg.norm(gradient))
    solution = found.x.reshape(m + intercept, len(known))
    home = _arrays.place_of(X)
    weights, offset = (
        _arrays.from_host(np.ascontiguousarray(part), home, dtype)
        for part in (solution[:m], solution[m] if intercept else np.zeros(len(known)))
    )
    return LogisticFit(
        phi=phi,
        weights=weights,
        intercept=offset,
        classes=known,
        lam=lam,
        objective=value,
        gradient=norm,
        gap=None if intercept else norm**2 / (4 * lam),
        converged=norm <= tolerance,
    )


@dataclass
class _Objective:
    """F and its gradient, in float64 on the host; W above b in one vector."""

    phi: Callable[[Array], Array] = field(repr=False)
    x: Array
    codes: Array
    lam: float
    intercept: bool

    def __post_init__(self) -> None:
        # The map is sent to Dask's workers once, not at every step.
        self._map = _arrays.share(self.phi) if _arrays.is_chunked(self.x) else self.phi

    def __call__(self, flat: Any) -> tuple[float, Any]:
        n, c = self.codes.shape
        solution = flat.reshape(-1, c)
        weights = solution[: len(solution) - self.intercept]
        over = _Losses(solution, self.intercept)
        if _arrays.is_chunked(self.x):
            found = _arrays.sum_over_chunks(over, self.x, self.codes, shared=(self._map,))
        else:
            found = over(self._map, self.x, self.codes)
        gradient = found[1:].reshape(solution.shape) / n
        gradient[: len(weights)] += 2 * self.lam * weights
        value = float(found[0]) / n + self.lam * float(np.sum(weights**2))
        self.norm = float(np.linalg.norm(gradient))
        self.at = flat.copy()
        return value, gradient.ravel()


@dataclass(frozen=True)
class _Losses:
    """Sum of the losses of some rows, and then of their gradients, on the host."""

    solution: Any
    intercept: bool

    def __call__(self, phi: Callable[[Array], Array], x: Array, codes: Array) -> Any:
        m = len(self.solution) - self.intercept
        solution: Any = None
        total: Any = 0.0
        gradient: Any = 0.0
        for z, targets in feature_blocks(phi, x, codes):
            xp = _arrays.array_namespace(z)
            if solution is None:
                solution = _arrays.from_host(self.solution, _arrays.place_of(z))
            # In float64 even for float32 features: a line search ends where values are noise.
            z = xp.astype(z, xp.float64, copy=False)
            values = xp.matmul(z, solution[:m, :])
            if self.intercept:
                values = values + solution[m:, :]
            top = xp.max(values, axis=1, keepdims=True)
            powers = xp.exp(values - top)
            sums = xp.sum(powers, axis=1, keepdims=True)
            mine = (targets + 1.0) / 2.0
            total = total + (xp.sum(top + xp.log(sums)) - xp.sum(mine * values))
            left = powers / sums - mine
            part = xp.matmul(xp.matrix_transpose(z), left)
            if self.intercept:
                part = xp.concat((part, xp.sum(left, axis=0, keepdims=True)), axis=0)
            gradient = gradient + part
        # Sums stay where they are: the host waits once.
        flat = xp.concat((xp.reshape(total, (1,)), xp.reshape(gradient, (-1,))))
        return _arrays.to_host(flat)


def _stop_at(tolerance: float, objective: _Objective) -> Callable[[Any], None]:
    def callback(flat: Any) -> None:
        # The last evaluation need not be at the accepted point: check.
        if np.array_equal(flat, objective.at) and objective.norm <= tolerance:
            raise StopIteration

    return callback
