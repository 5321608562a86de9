"""The estimator of the risk theorems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_flag, require_integer, require_positive
from mehler.learn._box_erm._arguments import (
    require_features,
    require_labels,
    require_limits,
    require_loss,
    require_reachable,
)
from mehler.learn._box_erm._certificate import Certificate, certify, rounding
from mehler.learn._box_erm._margins import SignedRows
from mehler.learn._box_erm._result import BoxERM
from mehler.learn._box_erm._row_losses import RowLosses
from mehler.learn._box_erm._splitting import Graph, iterate
from mehler.learn.losses import Loss


def box_erm(
    Z: Array,
    y: Array,
    *,
    scale: float,
    loss: Literal["hinge", "logistic", "ramp"] | Loss = "hinge",
    clip: bool = True,
    gap: float = 1e-4,
    max_iterations: int = 20_000,
) -> BoxERM:
    r"""Minimise the empirical risk of a Lipschitz loss over the box of the risk theorems.

    .. math:: \min_{|\alpha|_\infty \le C/m} \frac1n \sum_{i=1}^n V\big(y_i f_\alpha(x_i)\big),
              \qquad f_\alpha(x) = \sum_{\ell=1}^m \alpha_\ell\, \phi(x, W^\ell)

    The theorems assume a bounded V: a convex loss s clipped at its bound, whose risk may not be
    convex. The risk of s is minimised, to a certified duality gap. The risk of V is bounded from
    below too: on the box :math:`|f(x_i)| \le B_i = \frac Cm \sum_\ell |z_{i\ell}|`, the convex
    envelope of V on :math:`[-B_i, B_i]` is below V there, and a dual feasible point of its risk
    bounds the risk of V from below over the whole box.

    Parameters
    ----------
    Z : array, shape (n, m)
        The units' outputs :math:`\phi(x_i, W^\ell)`: features *without* the factor
        :math:`1/\sqrt m` of maps. For a map `phi` of mehler, ``Z = phi(X) *
        phi.n_features ** 0.5``; see :func:`mehler.learn.units`. NumPy (a memory map too),
        PyTorch, JAX, CuPy or another array API library, in float32 or float64.
    y : array, shape (n,)
        Labels -1 and +1, of any real or integer dtype, beside `Z`.
    scale : float
        C, half the width of the box times m.
    loss : {"hinge", "logistic", "ramp"} or Loss, optional
        The loss V: a name for its default bound 1, or an object of :mod:`mehler.learn.losses`.
    clip : bool, optional
        If false, remove the bound: V is then s itself.
    gap : float, optional
        Stop when the surrogate risk is certified to be within this of its minimum. Rows in
        float32 have reached 1e-6.
    max_iterations : int, optional
        Largest number of iterations of each of the (at most two) minimisations.

    Returns
    -------
    BoxERM
        Weights, risks and their certified lower ends. `status` is "solved" if the gap was
        reached; ``print`` states the certificate in a sentence.

    See Also
    --------
    units : Outputs of a map's units.
    losses : Losses of the theorems.

    Notes
    -----
    Exact if all losses are linear on the margins that the box attains, as the ramp is for
    :math:`B_i \le 1`: :math:`\alpha_\ell = \frac Cm \operatorname{sign} \sum_i y_i z_{i\ell}`.
    Otherwise by restarted Halpern iterations of a splitting that projects on the graph of `Z`. An
    inverse of size k = min(n, m) is computed once, for 2 n m k operations, in 24 k^2 bytes of
    which 8 k^2 are kept; each iteration then reads it once and `Z` twice, in its own dtype. Other
    memory is a few vectors and one block of 1024 rows in float64.

    Vectors and certificates are float64. Rows on a device without double precision (JAX without
    x64) are copied to the host. The lower ends are reduced by a bound of their rounding,
    `BoxERM.rounding`, of order :math:`10^{-16}(n + m)`. Weights in float32 stay within the box.

    References
    ----------
    Mroueh, Rennie and Goel (2015), equations (10) to (12) and Theorem 2; Rahimi and Recht (2008).
    Parikh and Boyd (2014); Lieder (2021); Chen, Sun, Yuan, Zhang and Zhao (2024).

    Examples
    --------
    >>> import numpy as np
    >>> import mehler
    >>> from mehler import learn
    >>> X = np.random.default_rng(0).standard_normal((200, 3))
    >>> y = np.where(X[:, 0] * X[:, 1] > 0, 1, -1)
    >>> phi = mehler.MaxoutFeatures.draw(3, 300, 4, seed=0)
    >>> fit = learn.box_erm(learn.units(phi, X), y, scale=20.0)
    >>> fit.status, bool(fit.gap <= 1e-4), fit.convex
    ('solved', True, False)
    >>> bool(fit.risk_lower <= fit.risk <= fit.surrogate_risk)
    True
    >>> bool(np.mean(fit.predict(learn.units(phi, X)) == y) > 0.9)
    True
    """
    require_flag("clip", clip)
    chosen = require_loss(loss, clip)
    scale = require_positive("scale", scale)
    require_positive("gap", gap)
    require_integer("max_iterations", max_iterations)
    Z = require_features(Z)
    require_labels(y, Z)
    data = SignedRows(Z, y, scale / Z.shape[1])
    limits = data.limits()
    require_limits(limits, _arrays.dtype_name(Z.dtype))
    slope = chosen.surrogate_lipschitz
    at_zero = float(chosen.surrogate(np.zeros(1))[0])
    error = rounding(data.n, data.m, at_zero, slope, limits)
    require_reachable(gap, error)
    # Limits are sums of m terms: compare with 1 up to their rounding.
    tolerance = 2.0 * (data.m + 2) * 2.0**-53

    rows = chosen.envelope(limits, np.inf, tolerance)
    graph = Graph(data, limits)
    zero = data.vector(np.zeros(data.m))
    narrow = gap - 2.0 * error  # one more rounding each for the lower ends and the losses
    found = _minimise(graph, rows, zero, None, narrow, max_iterations)
    margins = found.proof.margins
    envelope = chosen.envelope(limits, chosen.bound, tolerance)
    convex = _same(rows, envelope)
    relaxed = found
    if not convex:
        start = found.beta, found.theta
        relaxed = _minimise(graph, envelope, *start, narrow, max_iterations)
    return BoxERM(
        alpha=data.at_home(data.weights(found.beta)),
        scale=scale,
        loss=chosen,
        surrogate_risk=float(np.mean(chosen.surrogate(margins))),
        lower=max(0.0, found.proof.lower - error),
        risk=float(np.mean(chosen(margins))),
        risk_lower=max(0.0, relaxed.proof.lower - error),
        convex=convex,
        largest_output=float(limits.max()),
        rounding=error,
        wanted_gap=float(gap),
        relaxation_gap=relaxed.proof.upper - relaxed.proof.lower + error,
        iterations=found.iterations + (0 if convex else relaxed.iterations),
        n_rows=data.n,
        _label_dtype=y.dtype,
    )


@dataclass(frozen=True)
class _Minimum:
    beta: Array
    theta: Array
    proof: Certificate
    iterations: int


def _minimise(
    graph: Graph, losses: RowLosses, beta: Array, theta: Array | None, gap: float, limit: int
) -> _Minimum:
    """Iterate from `beta` and `theta` until the certified gap is at most `gap`, or to the limit."""
    data, xp = graph.data, graph.xp
    rows = losses.on(data.place)

    def proved(beta: Array, theta: Array, iterations: int) -> _Minimum:
        return _Minimum(beta, theta, certify(data, rows, data.weights(beta), theta), iterations)

    if losses.all_linear:
        return proved(xp.sign(data.transposed(rows.high)), rows.high, 0)
    start = rows.maximiser(xp, data.margins(beta)) if theta is None else rows.clip(xp, theta)
    for candidate in iterate(graph, rows, beta, start, limit):
        if candidate.gap <= gap:
            found = proved(candidate.beta, candidate.theta, candidate.iterations)
            if found.proof.upper - found.proof.lower <= gap:
                return found
    return proved(candidate.beta, candidate.theta, candidate.iterations)


def _same(one: RowLosses, other: RowLosses) -> bool:
    return all(
        bool(np.array_equal(getattr(one, name), getattr(other, name)))
        for name in ("low", "high", "constant", "curved")
    )


def units(phi: Any, X: Array) -> Array:
    r"""Compute the outputs of a map's units: its features times the root of their number, (n, m).

    .. math:: \sqrt m\, \Phi(x) = \big(\phi(x, W^1), \dots, \phi(x, W^m)\big)

    Feature maps include a factor :math:`1/\sqrt m`, so that inner products estimate the kernel;
    the box of the risk theorems is stated for the units themselves.

    Parameters
    ----------
    phi : callable
        A map of mehler, or any X -> features whose inner products estimate a kernel, such as the
        ``transform`` of a scikit-learn sampler.
    X : array, shape (n, d)
        Rows.

    Returns
    -------
    array, shape (n, m)

    Raises
    ------
    TypeError
        If `phi` cannot be called, or gives codes instead of features.

    See Also
    --------
    box_erm : The estimator that takes them.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler import learn
    >>> phi = mehler.MaxoutFeatures.draw(2, 16, 4, seed=0)
    >>> X = np.eye(2)
    >>> np.allclose(learn.units(phi, X), 4 * phi(X))
    True
    """
    if not callable(phi):
        raise TypeError(
            f"phi is {type(phi).__name__}, which cannot be called; pass a map, or the "
            "transform of a fitted scikit-learn sampler"
        )
    features = phi(X)
    xp = _arrays.array_namespace(features, names=("phi(X)",))
    if not xp.isdtype(features.dtype, "real floating"):
        raise TypeError(
            f"phi(X) has dtype {_arrays.dtype_name(features.dtype)}: codes, it seems, and not "
            "features whose inner products estimate a kernel"
        )
    return features * features.shape[1] ** 0.5
