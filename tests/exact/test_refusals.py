"""What exact functions refuse: a function, what is right, and wrong changes of it with words."""

import math

import mpmath
import numpy as np
import pytest

from mehler import exact
from mehler.exact import (
    Activation,
    _digits,
    activation_kernel,
    activation_kernel_error,
    certified,
    orbits,
)
from mehler.exact.activations import ACTIVATIONS
from mehler.exact.certified import Ball
from mehler.exact.orbits import Bins, TemplateLaw

KERNELS = (
    *(exact.collision_probability, exact.maxout_kernel),
    *(exact.locally_linear_kernel, exact.product_second_moment),
)
# Pairs of functions of one name: by balls, and in digits.
EACH = [(certified, {}), (_digits, {"dps": 20})]
MOMENTS = {"max_moment": "k", "hermite_moment": "i"}
BIG = (10**19, 10**400)
PRODUCT = {"law": TemplateLaw("sphere", 3), "bins": Bins(2, 1.0, "paper"), "left": 1.0}


def with_claims(function, **claims):
    return activation_kernel(Activation("own", function, **claims), 0.5)


REFUSED = [
    *((function, {"rho": 0.5, "q": 3}, [
        ({"q": 0}, "pool size q=.* must be at least 1"), ({"q": 10**6 + 1}, "at most 1000000"),
        ({"q": 2.5}, "pool size q=.* must be an integer"),
        *(({"rho": rho}, r"rho must lie in \[-1, 1\]") for rho in (1.0 + 1e-9, np.nan)),
        ({"rho": np.array([0.1, -2.0])}, "-2.0"), *(({"rho": rho}, "rho") for rho in (1j, "0.5")),
    ]) for function in KERNELS),
    *((getattr(home, name), {order: 2, "q": 4, **dps}, [
        *(({"q": q}, r"pool size q=.* must be at least 1") for q in (0, -3)),
        ({order: -1}, rf"order {order}=.* must be at least 0"),
        *(({order: n}, "at most") for n in BIG), *(({"q": n}, "at most") for n in BIG),
    ]) for home, dps in EACH for name, order in MOMENTS.items()),
    *((home.collision_coefficients, {"q": 4, "n": 2, **dps}, [
        *(({"q": q}, r"pool size q=.* must be an integer") for q in (2.0, "2", True)),
        ({"n": 0}, "number of coefficients n=0 must be at"),
        *(({name: n}, "at most") for n in BIG for name in ("q", "n")),
    ]) for home, dps in EACH),
    *((getattr(home, name), {"rho": "0.5", "q": 2, **dps}, [
        *(({"rho": rho}, r"rho must lie in \[-1, 1\].*divide")
          for rho in (1.0000001, "-1.5", mpmath.mpf(2))),
        *(({"rho": rho}, "rho must be a finite number")
          for rho in (math.nan, math.inf, mpmath.mpf("nan"), mpmath.inf, "x", "1/0")),
        *(({"rho": rho}, "rho must be") for rho in ([0.5], None, 1j, True)),
        *(({"q": n}, r"(at most|\[-1, 1\])") for n in BIG),
    ]) for home, dps in EACH
      for name in ("maxout_kernel", "collision_probability", "locally_linear_kernel")),
    (certified.sigma2, {"q": 3}, [({"bits": n}, "bits=.* at least 24") for n in (23, 0, -5)]),
    (exact.sigma2, {"q": 4}, [({"dps": n}, "dps=.* must be at least 1") for n in (0, -1)]),
    (Ball(mpmath.mpf(1), mpmath.mpf(1)).contains, {"x": 1}, [({"x": "one"}, "x must be a finite")]),
    (lambda v, r: Ball(mpmath.mpf(v), mpmath.mpf(r)), {"v": 1, "r": 1}, [
        *(({"v": v, "r": r}, "must be")
          for v, r in ((mpmath.inf, 0), (mpmath.nan, 1), (0, mpmath.inf), (0, -1)))]),
    # -- orbits --
    (TemplateLaw, {"name": "redraw", "n_inputs": 3}, [
        ({"name": "ball"}, "'sphere', 'gaussian', 'redraw', 'zero'"),
        ({"name": "sphere", "n_inputs": 1}, "templates='gaussian'"),
        ({"epsilon": 0.0}, "epsilon=0.0"), ({"n_inputs": 2.0}, "n_inputs=.* must be an integer"),
    ]),
    (Bins, {"n_bins": 2, "window": 1.0, "rule": "paper"}, [
        ({"n_bins": 0}, "n_bins=.* must be at least 1"),
        ({"window": 0.0}, "window=0.0"), ({"window": math.inf}, "window=inf"),
        ({"rule": "simpson"}, "'paper', 'trapezoid', 'midpoint', 'dither'"),
    ]),
    (orbits.coincidence_weight, {"size": 1, "order": 2, "replacement": False}, [
        ({"size": 3}, "size=3")]),
    (orbits.expected_product, PRODUCT | {"right": 1.0, "inner": 0.0}, [
        ({"left": -1.0}, "left must be at least 0"),
        ({"right": 1e200}, "right must be at least 0 and at most"),
        ({"inner": 2.0}, "at most the product of both norms"),
    ]),
    (orbits.sample_variance, {"matrix": np.eye(3), "size": 1, "replacement": True}, [
        ({"size": 10**400}, "^size=a number of about 400 digits")]),
    (orbits.orbit_sample_variance, {"values": [1.0, 2.0], "size": 1, "replacement": True}, [
        ({"size": 10**400}, "^size=a number of about 400 digits")]),
    # -- activations --
    (activation_kernel, {"activation": "relu", "rho": 0.5}, [
        ({"activation": "rleu"}, "is not one of step, relu"),
        ({"activation": 3}, "neither a name nor a function"),
        ({"rho": 1.5}, "rho"), ({"rho": np.ma.masked_array([0.5], [True])}, "^rho is a masked ar"),
        ({"x_scale": -1.0}, "x_scale=-1.0"), ({"x_scale": math.nan}, "x_scale=nan"),
        *(({name: scale}, rf"^{name}") for name in ("x_scale", "y_scale") for scale in
          ("wide", 1j, *map(np.array, (["a"], [None], np.array(["2020"], "datetime64[D]"))))),
        ({"power": 0}, "power"), ({"power": 65}, "power=65 must be at most 64"),
        ({"activation": lambda t: 1 / (t - t)}, "not finite"),
        ({"activation": lambda t: t[:, :1]}, "element"),
        *(({"activation": function, "power": 2}, f"made {words} of real numbers")
          for function, words in ((lambda t: np.exp(1j * t), "complex128"),
                                 (lambda t: "a", "<U1"), (lambda t: {}, "object"))),
    ]),
    (with_claims, {"function": lambda xp, t: xp.abs(t), "degree": 1}, [
        ({"function": lambda xp, t: xp.tanh(t)}, "'own' declares a degree that does not fit its f"),
        ({"degree": 2}, "a degree that does not fit"),
        ({"function": lambda xp, t: xp.abs(t) + 1.0}, "leave it out"),
        ({"function": lambda xp, t: xp.where(t == 0.0, 1.0, t)}, "0 for 1 at 0.0: correct it"),
        *(({"degree": degree}, "whole number") for degree in (-1, 1.0, True)),
    ]),
    (with_claims, {"function": ACTIVATIONS["cos"].function, "waves": ((1, 0.5), (-1, 0.5))}, [
        ({"waves": ((1, 0.5), (-1, 0.4))}, "'own' declares a sum of waves that does not fit")]),
    *((function, {"activation": "relu", "rho": 1.0, "x_scale": 1.0}, [
        ({"x_scale": 1e300, "y_scale": 1e300}, "overflows in float"),
        ({"activation": "relu2", "rho": np.float32([0.9]), "x_scale": 1e30, "y_scale": 1e30},
         "overflows in float"),
    ]) for function in (activation_kernel, activation_kernel_error)),
]  # fmt: skip


@pytest.mark.filterwarnings("ignore:divide by zero:RuntimeWarning")
@pytest.mark.parametrize(
    ("function", "right", "cases"),
    REFUSED,
    ids=[getattr(row[0], "__name__", "") for row in REFUSED],
)
def test_what_is_refused_is_named(function, right, cases):
    function(**right)
    for wrong, words in cases:
        with pytest.raises((TypeError, ValueError), match=words):
            function(**right | wrong)


@pytest.mark.parametrize("name", orbits.LAWS)
def test_methods_of_laws_refuse_by_name(name):
    law = TemplateLaw(name, 3)
    calls = {
        "h": [law.tail, lambda value: law.wedge(value, 0.3)],
        "y": [lambda value: law.wedge_below(value, 0.3), law.excess_square],
        "theta": [lambda value: law.wedge(0.5, value), lambda value: law.wedge_below(0.5, value)],
    }
    for argument, functions in calls.items():
        for value in (math.nan, [0.5, math.nan], -0.5, None, 10**400):
            for function in functions if value != -0.5 or argument != "theta" else ():
                with pytest.raises((TypeError, ValueError), match=rf"^{argument} "):
                    function(value)
