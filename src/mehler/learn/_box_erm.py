"""Minimise a mean loss over weights of at most C/m, the box, and certify how near it comes."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from dataclasses import astuple, dataclass, field, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from mehler import _arrays
from mehler._arrays import Array
from mehler._validate import require_integer, require_positive
from mehler.learn._box_solver import (
    Certificate,
    Graph,
    RowLosses,
    SignedRows,
    certify,
    envelope,
    iterate,
    rounding,
)
from mehler.learn._features import require_beside, require_features, require_map
from mehler.learn.losses import Hinge, Ramp


@dataclass(frozen=True, kw_only=True, eq=False)
class BoxERM:
    r"""A function of the box, \|alpha_l\| <= C/m, with its risks, by :func:`mehler.learn.box_erm`.

    Parameters
    ----------
    alpha : array, shape (m,)
        Weights, each at most `scale` / m in size.
    scale, loss, wanted_gap
        C, the loss V, and the excess over the minimal risk, as requested.
    surrogate_risk, lower : float
        Mean of the convex surrogate of `loss` over the sample, at `alpha`, and a lower bound of it
        in the whole box, rounding included.
    risk, risk_lower : float
        The same of V.
    convex : bool
        Whether nothing is clipped on margins that the box attains on the sample: both risks are
        the same, and their lower ends.
    largest_output : float
        The largest \|f(x_i)\| of the box, (C/m) max_i sum_l \|z_il\|.
    rounding : float
        Bound of the rounding error of each risk.
    status : {"solved", "stopped"}
        Whether the gap was reached, by the convex envelope of `loss` too, before the iterations
        ended.
    iterations : int
        Iterations of both minimisations together; 0 for the closed form.
    n_rows : int
        Number of samples n.
    """

    alpha: Array
    scale: float
    loss: Hinge
    surrogate_risk: float
    lower: float
    risk: float
    risk_lower: float
    convex: bool
    largest_output: float
    rounding: float
    wanted_gap: float
    status: Literal["solved", "stopped"]
    iterations: int
    n_rows: int
    _label_dtype: Any = field(repr=False)

    @property
    def gap(self) -> float:
        """Bound of the surrogate risk above its minimum over the box."""
        return self.surrogate_risk - self.lower

    @property
    def slack(self) -> float:
        """Bound of the risk above its minimum over the box, to be added to a theorem's bound."""
        return self.risk - self.risk_lower

    def decision(self, Z: Array) -> Array:
        """Compute f(x) = <alpha, z>, (n,), for rows `Z`, (n, m), of units, where `alpha` is."""
        Z = _require_units(Z)
        if Z.shape[1] != self.alpha.shape[0]:
            raise ValueError(
                f"Z has {Z.shape[1]} columns but the weights are {self.alpha.shape[0]}; pass the "
                "features of the map that they were fitted on"
            )
        xp = require_beside(self.alpha, Z, ("alpha", "Z"))
        with _arrays.full_precision(Z):
            return xp.matmul(Z, xp.astype(self.alpha, Z.dtype, copy=False))

    def predict(self, Z: Array) -> Array:
        """Predict labels -1 or +1 for the rows of `Z`, (n,): the sign of :meth:`decision`, +1 at 0.

        In the dtype of the labels that the function was fitted on.
        """
        values = self.decision(Z)
        xp = _arrays.array_namespace(values)
        return 2 * xp.astype(values >= 0.0, self._label_dtype) - 1

    def __str__(self) -> str:
        """State the risk and its certificate."""
        reach = f"the margins that the box attains on the sample, up to {self.largest_output:.3g},"
        remark = (
            f"Nothing is clipped on {reach} so that is the risk of the theorem."
            if self.convex
            else f"The clipped loss is not convex on {reach} so no minimiser of it is claimed: its "
            f"risk is {self.risk:.6g} here, and certified to be nowhere in the box below "
            f"{self.risk_lower:.6g}."
        )
        text = (
            f"{self.loss} over |alpha| <= C/m, C = {self.scale:g}, m = {self.alpha.shape[0]}, "
            f"{self.n_rows} rows: surrogate risk {self.surrogate_risk:.6g}, certified to be within "
            f"{self.gap:.2g} of its minimum over the box. {remark}"
        )
        if self.status == "stopped":
            text += (
                f" Stopped after {self.iterations} iterations, before the wanted gap of "
                f"{self.wanted_gap:.2g}: raise max_iterations, or ask for less."
            )
        return text


def box_erm(
    Z: Array,
    y: Array,
    *,
    scale: float,
    loss: Literal["hinge", "ramp"] | Hinge = "hinge",
    gap: float = 1e-4,
    max_iterations: int = 20_000,
) -> BoxERM:
    r"""Minimise the empirical risk of a Lipschitz loss over the box of the risk theorems.

    .. math:: \min_{|\alpha|_\infty \le C/m} \frac1n \sum_{i=1}^n V\big(y_i f_\alpha(x_i)\big),
              \qquad f_\alpha(x) = \sum_{\ell=1}^m \alpha_\ell\, \phi(x, W^\ell)

    The theorems are those of Rahimi and Recht (2008) and of Mroueh, Rennie and Goel (2015). V is a
    convex loss clipped at its bound. The risk of the convex loss, the surrogate, is minimised to a
    certified duality gap. The risk of V, which may not be convex, is bounded from below in the
    whole box, by its convex envelopes on the margins that the box attains: :doc:`/learning`.

    Parameters
    ----------
    Z : array, shape (n, m)
        The units' outputs :math:`\phi(x_i, W^\ell)`, *without* the factor :math:`1/\sqrt m` of
        maps, as by :func:`mehler.learn.units`, of any library but Dask.
    y : array, shape (n,)
        Labels -1 and +1, of any real or integer dtype, on the device of `Z`.
    scale : float
        C, half the width of the box times m.
    loss : {"hinge", "ramp"} or losses.Hinge, optional
        The loss V: a name for its default bound 1, or an object of :mod:`mehler.learn.losses`,
        whose bound may be infinity.
    gap : float, optional
        Stop when the surrogate risk is certified to be within this of its minimum.
    max_iterations : int, optional
        Largest number of iterations of each of the (at most two) minimisations.

    Returns
    -------
    BoxERM
        Weights, risks and their certified lower ends; ``print`` states them in a sentence.

    Notes
    -----
    Exact, by a sign, if all losses are linear on the margins that the box attains. Else an inverse
    of size k = min(n, m) takes 2 n m k operations, and each iteration reads it once and `Z` twice,
    in float64. Memory: 24 k^2 bytes and two float64 copies of `Z`, of which one is kept. Rows on a
    device without float64 (JAX without x64) are copied to the host.

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
    loss = {"hinge": Hinge(), "ramp": Ramp()}.get(loss, loss) if isinstance(loss, str) else loss
    if not isinstance(loss, Hinge):
        raise ValueError(
            f"loss={loss!r} is not one of 'hinge', 'ramp' or an object of mehler.learn.losses"
        )
    scale, slope = require_positive("scale", scale), loss.lipschitz
    require_positive("gap", gap)
    require_integer("max_iterations", max_iterations)
    Z = _require_units(Z)
    _require_labels(y, Z)
    data = SignedRows(Z, y, scale / Z.shape[1])
    limits = data.limits()
    _require_limits(limits, _arrays.dtype_name(Z.dtype))
    error = rounding(data.n, data.m, slope, limits)
    if gap <= 2.0 * error:
        raise ValueError(
            f"gap={gap:g} is within the rounding of a certificate for these rows, {error:.1g}; "
            f"ask for more than {2.0 * error:.1g}"
        )
    # Limits, the largest outputs, are sums of m terms: compare with 1 up to their rounding.
    tolerance = 2.0 * (data.m + 2) * 2.0**-53

    surrogate, envelopes = (envelope(limits, slope, b, tolerance) for b in (math.inf, loss.bound))
    narrow = gap - 2.0 * error  # one more rounding each for the lower ends and the losses
    graph = functools.cache(lambda: Graph(data, limits))
    zero = data.vector(np.zeros(data.m))
    ends = narrow, max_iterations
    beta, theta, proof, iterations = _minimise(data, graph, surrogate, zero, None, *ends)
    relaxation, margins = proof, proof.margins
    pairs = zip(astuple(surrogate), astuple(envelopes), strict=True)
    convex = all(np.array_equal(a, b) for a, b in pairs)
    if not convex:
        *_, relaxation, extra = _minimise(data, graph, envelopes, beta, theta, *ends)
        iterations += extra
    small = all(bounds.upper - bounds.lower <= narrow for bounds in (proof, relaxation))
    return BoxERM(
        alpha=data.weights(beta),
        scale=scale,
        loss=loss,
        surrogate_risk=float(np.mean(loss.surrogate(margins))),
        lower=max(0.0, proof.lower - error),
        risk=float(np.mean(loss(margins))),
        risk_lower=max(0.0, relaxation.lower - error),
        convex=convex,
        largest_output=float(limits.max()),
        rounding=error,
        wanted_gap=float(gap),
        status="solved" if small else "stopped",
        iterations=iterations,
        n_rows=data.n,
        _label_dtype=y.dtype,
    )


def _minimise(
    data: SignedRows,
    graph: Callable[[], Graph],
    losses: RowLosses,
    beta: Array,
    theta: Array | None,
    gap: float,
    limit: int,
) -> tuple[Array, Array, Certificate, int]:
    """Return weights beta = alpha m/C, duals theta, their certificate, and the iterations taken."""
    xp, rows = data.xp, losses.on(data.place)
    if losses.is_line.all():
        pairs = iter([(0, xp.sign(data.transposed(rows.high)), rows.high)])
    else:
        start = rows.maximiser(xp, data.margins(beta)) if theta is None else rows.clip(xp, theta)
        pairs = iterate(graph(), rows, beta, start, limit)
    best = Certificate(math.inf, -math.inf, None)
    # The best beta and the best theta need not come together.
    for iteration, primal, dual in pairs:
        proof = certify(data, rows, data.weights(primal), dual)
        if proof.upper < best.upper:
            best, beta = replace(best, upper=proof.upper, margins=proof.margins), primal
        if proof.lower > best.lower:
            best, theta = replace(best, lower=proof.lower), dual
        iterations = iteration
        if best.upper - best.lower <= gap:
            break
    return beta, theta, best, iterations


def units(phi: Any, X: Array) -> Array:
    r"""Compute the outputs of a map's units: its features times the root of their number, (n, m).

    .. math:: \sqrt m\, \Phi(x) = \big(\phi(x, W^1), \dots, \phi(x, W^m)\big)

    Maps include a factor :math:`1/\sqrt m`; the box of the risk theorems is of the units.

    Parameters
    ----------
    phi : callable
        A map of mehler, or any X -> features whose inner products estimate a kernel.
    X : array, shape (n, d) or (d,)
        Rows.

    Examples
    --------
    >>> import numpy as np, mehler
    >>> from mehler import learn
    >>> phi = mehler.MaxoutFeatures.draw(2, 16, 4, seed=0)
    >>> X = np.eye(2)
    >>> np.allclose(learn.units(phi, X), 4 * phi(X))
    True
    """
    features = require_map(phi)(X)
    require_features(_arrays.array_namespace(features, names=("phi(X)",)), features)
    return features * features.shape[-1] ** 0.5


def _require_units(z: Array) -> Array:
    """Return `z` as a matrix of finite floats; integers become the default float."""
    xp = _arrays.array_namespace(z, names=("Z",))
    if _arrays.is_lazy(z):
        raise TypeError(
            "Z is lazy (a Dask graph, or traced by jax.jit) but each iteration reads all of it; "
            "compute it first, for instance Z = Z.compute()"
        )
    _arrays.require_matrix(z, name="Z")
    return xp.astype(_arrays.constant(z), _arrays.real_dtype(z, name="Z"), copy=False)


def _require_labels(y: Array, z: Array) -> None:
    xp = require_beside(z, y, ("Z", "y"))
    if tuple(y.shape) != (z.shape[0],):
        raise ValueError(
            f"y must have one label per row of Z, shape ({z.shape[0]},), but has {tuple(y.shape)}"
        )
    if not xp.isdtype(y.dtype, ("real floating", "signed integer")):
        raise TypeError(
            f"y has dtype {_arrays.dtype_name(y.dtype)}, which cannot hold the labels -1 and +1; "
            "use a signed integer or a float"
        )
    labels = np.unique(_arrays.to_host(y))
    if not np.isin(labels, (-1, 1)).all():
        values = ", ".join(f"{value:g}" for value in labels[:5]) + ", ..." * (len(labels) > 5)
        remedy = "; use 2 * y - 1" if np.isin(labels, (0, 1)).all() else ""
        raise ValueError(
            f"y holds {values}; the losses are of y f(x), so labels are -1 and +1{remedy}"
        )


def _require_limits(limits: NDArray[np.float64], dtype: str) -> None:
    largest = float(limits.max())
    if not largest <= (2.0**40 if dtype == "float64" else 2.0**20):
        raise ValueError(
            f"the box reaches outputs of size {largest:.3g} on row {int(limits.argmax())} of Z, "
            f"too large for losses of order 1 in {dtype}; make Z or scale smaller"
        )
