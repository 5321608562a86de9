r"""Risk of learning on random maxout features: Theorem 2, its lemmas, and how often codes agree.

The class is that of functions :math:`f = \int \alpha(W) \phi(\cdot, W) dW` with
:math:`|\alpha| \le C p`, p the density of the weights; the box holds :math:`\sum_\ell \alpha_\ell
\phi(\cdot, W^\ell)` with :math:`|\alpha_\ell| \le C/m`. A unit is
:math:`\phi(x, W) = \max_{j \le q} \langle w_j, x\rangle`, its root mean square at a vector of norm
1 is :math:`\sigma(q)`.

Each quantity has a bound without dimensions, and one ``_by_dimension`` along the paper's route: a
covering of the inputs by their doubling dimension. The second is larger.

Arguments broadcast, and are the same in all functions:

n_features, n_samples, pool_size : int or array
    Number of units m, of samples N, and pool size q.
scale : float or array
    C: weights are at most C/m.
lipschitz, loss_bound : float or array
    L and B: the loss is L-Lipschitz in y f(x), with values in [0, B]; for one in [-B, B] give 2 B.
radius : float or array
    R: the root mean square norm of an input, :math:`(E|x|^2)^{1/2}`; by dimension the largest norm.
n_inputs, dimension, diameter : int, float, float, or arrays
    d, the doubling dimension k (Definition 2) and the diameter D of the set of inputs.
centred : bool
    The units are centred, :math:`\phi - h_1(q)|x|`: :math:`\sqrt{V(q)}` then stands for
    :math:`\sigma(q)`, which it is smaller than for q > 1.
function : {"nearest", "monte-carlo"}
    The function of the box nearest to f, or the average over the weights.
delta : float or array
    Probability of one event; each function says how many of them it excludes.
"""

from mehler.bounds.maxout._approximation import (
    approximation,
    approximation_by_dimension,
    approximation_risk,
    approximation_risk_by_dimension,
    supremum,
    supremum_by_dimension,
)
from mehler.bounds.maxout._excess_risk import (
    collision_probability,
    excess_risk,
    excess_risk_by_dimension,
)

__all__ = [
    "approximation",
    "approximation_by_dimension",
    "approximation_risk",
    "approximation_risk_by_dimension",
    "collision_probability",
    "excess_risk",
    "excess_risk_by_dimension",
    "supremum",
    "supremum_by_dimension",
]
