"""Lemmas 3 and 4: approximation of a function of the infinite class by m units, and its risk."""

from __future__ import annotations

import math
from typing import Any, Literal

from mehler import exact
from mehler.bounds._bound import (
    Assumption,
    Bound,
    Form,
    Term,
    require_count,
    require_form,
    require_positive,
    require_probability,
)
from mehler.bounds._elementwise import elementwise
from mehler.bounds.maxout._arguments import (
    InputSet,
    Shape,
    given,
    refuse,
    require_constants,
    require_shape,
    root_log,
    two_lengths,
    unit_size,
)
from mehler.bounds.maxout._printed_risk import loss_assumption
from mehler.bounds.maxout._supremum import printed_limits, supremum

Variant = Literal["best", "monte-carlo", "root-mean-square"]
VARIANTS = ("best", "monte-carlo", "root-mean-square")
_OF = {
    "best": "L2 distance from f to the nearest function of the box",
    "monte-carlo": "L2 distance from f to its Monte Carlo function",
    "root-mean-square": "root mean square over the weights of the L2 distance from f to its "
    "Monte Carlo function",
}


@elementwise
def lemma_3(
    *,
    n_features: int,
    pool_size: int,
    scale: float,
    delta: float | None = None,
    radius: float = 1.0,
    n_inputs: int | None = None,
    dimension: float | None = None,
    diameter: float | None = None,
    form: Form = "proved",
    shape: Shape = "dimension-free",
    variant: Variant = "best",
    centred: bool = False,
    c1: float | None = None,
    c: float | None = None,
) -> Bound:
    r"""Bound the L2 error of approximating a function of F by m units.

    .. math::

        \min_{\|\alpha\|_\infty \le C/m} \Big\|\sum_\ell \alpha_\ell \phi(\cdot, W^\ell) - f\Big\|
        \le \frac{C R}{\sqrt m} \left(\sigma(q) + \sqrt{2 \log(1/\delta)}\right)

    for :math:`f = \int \alpha(W) \phi(\cdot, W) dW` with :math:`|\alpha| \le C p`. The Monte
    Carlo function of f is
    :math:`\frac1m \sum_\ell \frac{\alpha(W^\ell)}{p(W^\ell)} \phi(\cdot, W^\ell)`.

    Parameters
    ----------
    n_features, pool_size : int
        Number of features m and pool size q.
    scale : float
        C, the size of the box.
    delta : float or array, optional
        Left out for ``variant="root-mean-square"``. The bound fails with at most probability
        delta; with 2 delta in ``shape="paper"``; printed, with ``2 delta + 2 exp(-c d / 4)``.
    radius : float
        R: the root mean square norm of an input, :math:`(E|x|^2)^{1/2}`; in ``shape="paper"``
        the largest norm.
    n_inputs, dimension, diameter : int, float, float
        d, the doubling dimension k and the diameter D of the set of inputs; only for
        ``shape="paper"`` and the print.
    form : {"proved", "printed"}
        The bound proved here, or the paper's formula.
    shape : {"dimension-free", "paper"}
        The paper's is
        :math:`\frac{C M_\delta}{\sqrt m} (1 + \sqrt{2 \log(1/\delta)})` with :math:`M_\delta` of
        :func:`lemma_2`, for the Monte Carlo function.
    variant : {"best", "monte-carlo", "root-mean-square"}
        Of the dimension-free shape. ``"best"`` is the formula above. ``"root-mean-square"`` is
        :math:`(E\|\hat f - f\|^2)^{1/2} \le C R \sigma(q) / \sqrt m` for the Monte Carlo
        function, ``"monte-carlo"`` its
        :math:`C R (2 \sigma(q) + 1) (\sqrt{2t/m} + 2t/m)`, :math:`t = \log(2/\delta)`.
    centred : bool, optional
        As in :func:`theorem_2`.
    c1, c : float, optional
        The printed constants.

    Returns
    -------
    Bound
        `trivial` is :math:`CR\sigma(q)`, the length of f, for the nearest function; with the
        length of the Monte Carlo function added for that one.

    Raises
    ------
    TypeError, ValueError
        A number out of range, or one that the form needs and that is missing.

    See Also
    --------
    lemma_4 : The loss in risk that follows.
    theorem_2 : Excess risk, of which this is the approximation term.

    Notes
    -----
    About 1 ms, for :math:`\sigma(q)`.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Lemma 3 and equation (9); proofs in :doc:`/theorems/lemma-3`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> bound = maxout.lemma_3(n_features=200, pool_size=8, scale=0.3, delta=0.05)
    >>> round(bound.value, 4), round(bound["mean"], 4)
    (0.0848, 0.0329)
    >>> rms = maxout.lemma_3(n_features=200, pool_size=8, scale=0.3, variant="root-mean-square")
    >>> rms.value == bound["mean"]
    True
    """
    require_form(form)
    require_shape(shape)
    if variant not in VARIANTS:
        raise ValueError(f"variant={variant!r} is not one of {', '.join(VARIANTS)}")
    n_features, pool_size = require_count(n_features=n_features, pool_size=pool_size)
    require_positive(scale=scale, radius=radius)
    averaged = form == "proved" and shape == "dimension-free" and variant == "root-mean-square"
    if averaged:
        refuse("a mean square has none", given(delta=delta))
    elif delta is None:
        raise ValueError("delta=None: give it; only variant='root-mean-square', a mean, needs none")
    else:
        require_probability(delta=delta)
    free = form == "proved" and shape == "dimension-free"
    if not free and variant != "best":
        raise ValueError(f"variant={variant!r} is of shape='dimension-free' only: leave it out")
    if form == "proved":
        refuse("only the printed form has it", given(c1=c1, c=c))
    if centred and not free:
        raise ValueError("centred=True is of shape='dimension-free' only: leave it out")
    if free:
        refuse(
            "shape='dimension-free' has none",
            given(n_inputs=n_inputs, dimension=dimension, diameter=diameter),
        )
        return _dimension_free(n_features, pool_size, scale, delta, radius, variant, centred)
    inputs = InputSet.of(n_inputs, dimension, diameter, radius)
    if form == "printed":
        return _printed(inputs, n_features, pool_size, scale, delta, c1, c)
    return _of_paper(inputs, n_features, pool_size, scale, delta)


@elementwise
def lemma_4(*, lipschitz: float, loss_bound: float = 1.0, **lemma_3_arguments: Any) -> Bound:
    r"""Bound the risk added by approximating with m units: L times the bound of Lemma 3.

    .. math:: \mathcal E_V(\hat f) - \mathcal E_V(f) \le L \|\hat f - f\|

    Parameters
    ----------
    lipschitz : float
        Lipschitz constant L of the loss V.
    loss_bound : float
        B: the loss has values in [0, B]. Enters only `trivial`.
    **lemma_3_arguments
        Arguments of :func:`lemma_3`.

    Returns
    -------
    Bound
        In expectation over the weights for ``variant="root-mean-square"``.

    See Also
    --------
    lemma_3 : The L2 error.
    theorem_2 : Excess risk of the empirical minimiser.

    References
    ----------
    Mroueh, Rennie, Goel (2015), Lemma 4; :doc:`/theorems/lemma-4`.

    Examples
    --------
    >>> from mehler.bounds import maxout
    >>> bound = maxout.lemma_4(lipschitz=0.5, n_features=200, pool_size=8, scale=0.3, delta=0.05)
    >>> round(bound.value, 4)
    0.0424
    """
    require_positive(lipschitz=lipschitz, loss_bound=loss_bound)
    distance = lemma_3(**lemma_3_arguments)
    return Bound(
        statement="maxout.lemma-4",
        form=distance.form,
        quantity="risk that approximating f by m units adds"
        + (", in expectation" if distance.probability == 1 else ""),
        terms=tuple(
            Term(term.name, lipschitz * term.value, f"L\\,{term.formula}")
            for term in distance.terms
        ),
        probability=distance.probability,
        assumptions=(*distance.assumptions, loss_assumption(lipschitz, loss_bound)),
        trivial=min(loss_bound, lipschitz * distance.trivial),
    )


def _dimension_free(
    m: int, pool_size: int, scale: float, delta: Any, radius: float, variant: str, centred: bool
) -> Bound:
    sigma = unit_size(pool_size, centred)
    size = scale * radius
    # The box contains 0, and norms in the class are at most C R sigma(q); the Monte
    # Carlo function may point the other way.
    length = {
        "best": lambda: sigma,
        "monte-carlo": lambda: two_lengths(sigma, m, delta),
        "root-mean-square": lambda: 2 * sigma,
    }[variant]()
    mean = Term("mean", size * sigma / math.sqrt(m), r"CR\sigma(q)/\sqrt m")
    if variant == "root-mean-square":
        terms = [mean]
    elif variant == "best":
        confidence = size * root_log(delta) / math.sqrt(m)
        terms = [mean, Term("confidence", confidence, r"CR\sqrt{2\log(1/\delta)/m}")]
    else:
        t = math.log(2 / delta)
        each = size * (2 * sigma + 1)
        terms = [
            Term(
                "deviation", each * math.sqrt(2 * t / m), r"CR(2\sigma+1)\sqrt{2\log(2/\delta)/m}"
            ),
            Term("tail", each * 2 * t / m, r"2CR(2\sigma+1)\log(2/\delta)/m"),
        ]
    return _bound(
        "proved",
        _OF[variant],
        terms,
        1.0 if variant == "root-mean-square" else 1 - delta,
        (Assumption(f"inputs have root mean square norm at most {radius:g}"),),
        trivial=size * length,
    )


def _of_paper(inputs: InputSet, m: int, pool_size: int, scale: float, delta: Any) -> Bound:
    mean = scale * supremum(inputs, pool_size, m, delta) / math.sqrt(m)
    sigma = math.sqrt(exact.sigma2(pool_size))
    return _bound(
        "proved",
        _OF["monte-carlo"],
        [
            Term("mean", mean, r"C M_\delta/\sqrt m"),
            Term("confidence", mean * root_log(delta), r"C M_\delta\sqrt{2\log(1/\delta)/m}"),
        ],
        1 - 2 * delta,
        inputs.assumptions,
        trivial=scale * inputs.radius * two_lengths(sigma, m, delta),
    )


def _printed(
    inputs: InputSet, m: int, pool_size: int, scale: float, delta: Any, c1: Any, c: Any
) -> Bound:
    require_constants(c1=c1, c=c)
    complexity = inputs.printed_complexity(pool_size, delta)
    mean = scale * float(c1) * math.sqrt(complexity / m) if complexity >= 0 else math.nan
    root = r"C C_1\sqrt{(k\log(D\sqrt d/\delta) + \log(q+1))/m}"
    return _bound(
        "printed",
        _OF["best"],
        [
            Term("mean", mean, root),
            Term("confidence", mean * root_log(delta), root + r"\sqrt{2\log(1/\delta)}"),
        ],
        1 - 2 * delta - 2 * math.exp(-float(c) * inputs.n_inputs / 4),
        (*inputs.assumptions, *printed_limits(inputs, complexity)),
    )


def _bound(
    form: Form,
    quantity: str,
    terms: list[Term],
    probability: float,
    assumptions: tuple[Assumption, ...],
    trivial: float = math.inf,
) -> Bound:
    return Bound(
        statement="maxout.lemma-3",
        form=form,
        quantity=quantity,
        terms=tuple(terms),
        probability=probability,
        assumptions=(*assumptions, Assumption("weights are independent standard normal")),
        trivial=trivial,
    )
