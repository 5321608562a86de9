"""Check two bounds that sharpen the maxout paper's Theorem 2 on the excess risk of m units.

One is for centred units, less their mean, by the variance V of a unit in place of its mean square.
The other is by the norms of the sample's own features. Both, and Lemma 3 for centred units, are
ours; they are compared with instances: settings where the risk is computed.
"""

import dataclasses
import functools
import math
from collections.abc import Iterator
from typing import Any

from mehler import exact
from mehler.bounds import Bound, maxout
from mehler.statements import Context, Evidence, check

from ..._comparisons import Bounding, Instance, compare_instances
from . import _instances as instances


def _signs(bound: Bounding) -> Iterator[Instance]:
    """Yield instances of m centred units, weights C/m, random signs: the mean square is C^2 V/m."""
    for q in (1, 4, 1024):
        value = bound(n_features=7, pool_size=q, scale=0.5, centred=True).value
        variance = exact.sigma2(q) - exact.max_moment(1, q) ** 2
        truth = 0.5 * math.sqrt(variance / 7)
        # V cancels: sigma^2 and h_1^2 are good to 1e-14 of themselves, up to 30 V here.
        yield Instance(f"random signs, q = {q}", (truth * (1 - 1e-11), truth * (1 - 1e-12)), value)


@check("maxout.sharper-risk", form="printed", name="Lemma 3 of centred units")
def nearest(context: Context, *, bound: Bounding = maxout.approximation) -> Evidence:
    """Compare Lemma 3, the distance from functions of weights of at most C/m, for centred units."""
    centred = functools.partial(bound, centred=True)
    return compare_instances(
        "distance from the box of centred units",
        *_signs(bound),
        *instances.nearest_falls_short(centred, instances.FREE[3]),
    )


@check("maxout.sharper-risk", form="printed", name="the risk with centred units")
def risk(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Compare the risk bound by V with the instances of linear units, whose mean is 0."""
    centred, shape = functools.partial(bound, centred=True), instances.FREE[2]
    return compare_instances(
        "excess risk with centred units",
        *instances.wrong_sign(centred, shape),
        instances.memorised_inputs(centred, shape),
        *instances.falls_short(centred, shape),
        instances.memorised_inputs_mean(centred),
        instances.falls_short_mean(centred, n_samples=instances.ENDLESS**2),
    )


@check("maxout.sharper-risk", form="proved", name="by the sample's norms")
def of_the_sample(context: Context, *, bound: Bounding = maxout.excess_risk) -> Evidence:
    """Compare the bound by the sample's norms with the same instances.

    Their mean over endless units is R E|g| for one input, g normal; for orthogonal inputs, each at
    most a tenth more frequent than expected, it is at most R sqrt(1.1).
    """
    shape = dataclasses.replace(instances.FREE[2], events=2)

    def one_input(**options: Any) -> Bound:
        return bound(**options, mean_norm=instances.MEAN * options.get("radius", 1.0))

    def orthogonal(**options: Any) -> Bound:
        return bound(**options, mean_norm=options.get("radius", 1.0) * math.sqrt(1.1))

    return compare_instances(
        "excess risk by the norms of the sample's features",
        *instances.wrong_sign(one_input, shape),
        instances.memorised_inputs(orthogonal, shape),
        *instances.falls_short(one_input, shape),
    )
