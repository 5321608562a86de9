"""Weighted sums of random features (Rahimi and Recht 2008), with explicit constants.

A function of F_pi is f(x) = int alpha(w) phi(x; w) dw with |alpha| <= C pi. K features drawn from
pi, with weights of at most C/K each, come near it (`lemma_1`), so does their risk (`risk_lemma`),
and so does the risk of weights fitted to N samples (`theorem`).
"""

from mehler.bounds.kitchen_sinks._estimation import estimation_lemma
from mehler.bounds.kitchen_sinks._greedy import greedy
from mehler.bounds.kitchen_sinks._lemma_1 import lemma_1, lemma_1_features
from mehler.bounds.kitchen_sinks._norms import norm_h, norm_pi
from mehler.bounds.kitchen_sinks._rescaling import maxout_feature_scale
from mehler.bounds.kitchen_sinks._risk import risk_lemma
from mehler.bounds.kitchen_sinks._theorem import theorem, theorem_features

__all__ = [
    "estimation_lemma",
    "greedy",
    "lemma_1",
    "lemma_1_features",
    "maxout_feature_scale",
    "norm_h",
    "norm_pi",
    "risk_lemma",
    "theorem",
    "theorem_features",
]
