"""Stochastic gradients over rows and over units, for more units than fit into memory."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_choice, require_flag, require_integer, require_positive
from mehler.features import FeatureMap, MaxoutCodes
from mehler.learn._arguments import require_lambdas, require_pair
from mehler.learn._doubly_stochastic._descent import LOSSES, Descent
from mehler.learn._doubly_stochastic._fit import StochasticFit


def doubly_stochastic(
    phi: FeatureMap,
    X: Array,
    Y: Array,
    *,
    lam: float,
    loss: Literal["squares", "logistic"] = "squares",
    seed: int,
    n_steps: int | None = None,
    rows_per_step: int = 256,
    units_per_step: int = 256,
    step: float | None = None,
    intercept: bool = True,
    keep_values: bool = True,
) -> StochasticFit:
    r"""Minimise a regularised loss by gradients on random rows and on units that are not stored.

    .. math:: \min_W \frac1N\sum_{i=1}^N \ell\big(W^\top\phi(x_i) + b, y_i\big) + \lambda|W|^2,
              \qquad \ell = |f - y|^2 \text{ or } \log\sum\nolimits_c e^{f_c} - f_y

    At step s some rows R and a block of units U, of which phi has J blocks: with the gradients
    g_i of the loss at f(x_i)

    .. math:: W \leftarrow (1 - 2\lambda\gamma_s)\,W, \quad
              W_U \leftarrow W_U - \frac{\gamma_s m}{|U||R|} \sum_{i\in R} \phi_U(x_i)\,g_i^\top,
              \quad \gamma_s = \frac{\gamma_1}{1 + \lambda\gamma_1(s-1)/2}

    (m units). The first J steps take the blocks in order: each is then a fresh draw, and the
    objective is the loss over the space of the *expected* kernel, that of infinitely many units.
    Later steps take blocks at random, and the space is that of phi itself.

    Parameters
    ----------
    phi : FeatureMap
        A map whose units can be drawn alone, best with ``stored=False``.
    X : array, shape (n, d)
        Rows that `phi` takes, of any library but Dask.
    Y : array, shape (n,) or (n, t)
        Real targets for "squares"; codes of :func:`one_vs_all` of two or more classes for either.
    lam : float
        Regularisation above 0; as for :func:`ridge`, with 1/N before the sum.
    loss : {"squares", "logistic"}, optional
        The loss.
    seed : int
        Seed of the rows, and of the blocks after the first pass.
    n_steps : int, optional
        Number of steps; default J, one pass over the units.
    rows_per_step : int, optional
        Distinct rows per step; all of them if there are fewer.
    units_per_step : int, optional
        Units per block, best a multiple of 64; the last block also takes the remainder. Fewer
        units per step are more steps for the same work.
    step : float, optional
        gamma_1, below 1/(2 lam). Default 1/(L (e + k/B + k/n) + 2 lam) for B units and n rows a
        step: L is 2 for squares and 1/2 for logistic, e the largest eigenvalue of the matrix of
        kernels over the number of rows and k the mean of kernel(x, x), as up to 1024 rows and
        units see them. These units have a seed of their own, so that the step does not depend on
        those that take it.
    intercept : bool, optional
        Fix b at the mean of the targets for squares, or the log class frequencies for logistic;
        it is not learned. False: 0.
    keep_values : bool, optional
        Keep f at all rows, N t numbers: a step then computes the features of its units for all
        rows, n_steps N units_per_step in all. If not, a step computes those of all earlier units
        for its own rows: n_steps/2 (rows_per_step m) in a pass. The function is the same.

    Returns
    -------
    StochasticFit
        The function.

    Raises
    ------
    TypeError, ValueError
        If an argument is not of its kind or range, before any work; if the steps diverge, in
        which case take a smaller `step`.

    See Also
    --------
    ridge : Exact solution for fewer units.
    logistic : The same for the logistic loss.

    Notes
    -----
    Memory: m t numbers of the solution, the values if they are kept, one block of weights and a
    few blocks of features of at most 64 MiB, but neither the weights of the map nor the features
    of all rows and units.

    Let f* be the minimiser over the space of the expected kernel. With E over rows and units,

    .. math:: E\,|f_s(x) - f_*(x)|^2 \le \frac{C}{s + s_0}

    for convex losses whose gradient is Lipschitz, kernel(x, x) and variance of a product bounded
    over the rows, and gamma_1 small enough: C and the condition are explicit, and proved, in
    :doc:`/theorems/features-doubly-stochastic`. Products need not be bounded. Small lam make C
    large: then s steps are an early stop, for squares about as a lambda of 1/(2 gamma_1 s) would
    be, and :func:`ridge` with fewer units may be better.

    All but the features and their products with W is computed in float64, if the device has it.

    References
    ----------
    Dai, Xie, He, Liang, Raj, Balcan, Song (2014), Scalable kernel methods via doubly stochastic
    gradients, Algorithms 1 and 2, Theorem 4.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler import learn
    >>> rng = np.random.default_rng(0)
    >>> X = rng.standard_normal((500, 2))
    >>> codes, classes = learn.one_vs_all(X[:, 0] * X[:, 1] > 0)
    >>> phi = mehler.FourierFeatures.draw(2, 20_000, seed=0, stored=False)
    >>> fit = learn.doubly_stochastic(phi, X, codes, lam=1e-4, units_per_step=64, seed=0)
    >>> new = rng.standard_normal((200, 2))
    >>> found = classes[fit.predict(new).argmax(axis=1)]
    >>> bool(np.mean(found == (new[:, 0] * new[:, 1] > 0)) > 0.9)
    True
    """
    require_map_of_units(phi)
    (lam,) = require_lambdas(require_positive("lam", lam))
    require_choice("loss", loss, tuple(LOSSES))
    require_flag("intercept", intercept)
    require_flag("keep_values", keep_values)
    units = min(require_integer("units_per_step", units_per_step), phi.n_units)
    rows = require_integer("rows_per_step", rows_per_step)
    steps = phi.n_units // units if n_steps is None else n_steps
    steps = require_integer("n_steps", steps)
    if _arrays.is_array(X) and _arrays.is_chunked(X):
        raise TypeError("X is a Dask array, of which every step takes rows at random: compute it")
    targets = require_pair(X, Y)
    phi._checked(X)
    if loss == "logistic":
        require_codes(targets)
    descent = Descent(
        phi=phi,
        x=_arrays.without_gradient(X),
        targets=targets,
        loss=LOSSES[loss](),
        lam=lam,
        seed=seed,
        rows_per_step=min(rows, X.shape[0]),
        units_per_step=units,
        step=None if step is None else require_positive("step", step),
        intercept=intercept,
        keep_values=keep_values,
    )
    return descent.run(steps, loss, flat=Y.ndim == 1)


def require_map_of_units(phi: Any) -> None:
    """Raise unless `phi` is a real-valued map whose units can be drawn alone."""
    if not isinstance(phi, FeatureMap) or isinstance(phi, MaxoutCodes):
        raise TypeError(
            f"phi is {type(phi).__name__}: units that are drawn alone have the maps of mehler "
            "with real features, for instance MaxoutFeatures.draw(..., stored=False)"
        )
    phi.unit_blocks()


def require_codes(targets: Array) -> None:
    """Raise unless rows are -1 with a single +1, in two columns or more."""
    codes = _arrays.to_host(targets)
    good = codes.shape[1] > 1 and np.isin(codes, (-1, 1)).all()
    if not good or not np.all(np.sum(codes == 1, axis=1) == 1):
        raise ValueError(
            "Y must be codes for loss='logistic', a column for each class, +1 in that of the row "
            "and -1 in the others: pass learn.one_vs_all(labels)[0]"
        )
