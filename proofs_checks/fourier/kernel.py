"""Check Bochner's theorem: the mean of cos<w, x - y> over random frequencies w is the kernel.

As in Rahimi and Recht (2007), features are the cosine and sine of <w, x>, or one cosine with a
random offset. Their frequencies are compared with claimed laws, their mean products with kernels.
"""

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from scipy import stats

from mehler import FourierFeatures, _arrays, kernels, verify
from mehler.statements import Context, Evidence, Plot, Series, check
from mehler.verify import intervals

from .._comparisons import run_check
from .._measured_products import MISS, Estimates, compare_with_claims
from .._plots import plot
from ._blocks import Draw, along

# Kernels, the law of an entry of w, how many entries are independent, and the draws of the quick
# level: a scale that is wrong by a hundredth is detected.
_SPECTRA: tuple[tuple[dict[str, Any], Any, int, int], ...] = (
    ({"kernel": "rbf", "gamma": 0.3}, stats.norm(scale=math.sqrt(0.6)), 8, 1_000_000),
    ({"kernel": "laplacian", "gamma": 0.3}, stats.cauchy(scale=0.3), 8, 2_000_000),
    ({"kernel": "matern", "nu": 1.5, "length_scale": 1.5}, stats.t(3, scale=1 / 1.5), 1, 1_200_000),
)
_LEVELS = (0.25, 0.5, 0.75)
# A distance from the origin at which angles exceed a turn with a probability of 1e-6 at most.
_NEAR = 1e-6
_BLOCK = 200_000


def _absolute_frequencies(
    context: Context, draw: Draw, options: dict[str, Any], entries: int, n: int, seed: int
) -> Iterator[Any]:
    """Yield absolute frequencies: angles of cosine and sine at rows near the origin, rescaled."""
    rows, units = context.asarray(_NEAR * np.eye(entries)), _BLOCK // entries
    for block in range(n // _BLOCK):
        child = int(np.random.SeedSequence([seed, block]).generate_state(1, np.uint64)[0])
        phi = draw(entries, 2 * units, seed=child, like=context.like(), form="pairs", **options)
        features = _arrays.to_host(phi(rows))
        yield np.abs(np.arctan2(features[:, units:], features[:, :units])) / _NEAR


@check("fourier.kernel", form="printed", name="the law of the frequencies", pays=True)
def frequencies(
    context: Context,
    *,
    draw: Draw = FourierFeatures.draw,
    wider: float = 1.0,
    selects: Callable[[dict[str, Any]], bool] = lambda options: True,
) -> Evidence:
    """Count the frequencies below the quartiles of the distribution of their size.

    `wider` stretches the claimed distributions of the kernels that `selects` picks.
    """
    rate = context.false_alarm / (len(_SPECTRA) * len(_LEVELS))
    claimed, means, enclosures, n_units, detectable = [], [], [], [], []
    for place, (options, law, entries, quick) in enumerate(_SPECTRA):
        n = quick if context.quick else 12_000_000
        endpoints = [law.isf((1 - probability) / 2) for probability in _LEVELS]
        stretch = wider if selects(options) else 1.0
        claimed += [1 - 2 * float(law.sf(end / stretch)) for end in endpoints]
        counts = np.zeros(len(endpoints), dtype=np.int64)
        seed = context.seed_for(f"frequencies {place}")
        for sizes in _absolute_frequencies(context, draw, options, entries, n, seed):
            counts += [int(np.sum(sizes <= end)) for end in endpoints]
        means += (counts / n).tolist()
        enclosures += [intervals.binomial(int(count), n, rate) for count in counts]
        n_units += [n] * len(endpoints)
        half_width = sum(math.sqrt(math.log(2 / miss) / (2 * n)) for miss in (rate, MISS))
        detectable += [half_width] * len(endpoints)
    estimates = Estimates(
        pool_size=(1,) * len(means),
        rho=_LEVELS * len(_SPECTRA),
        mean=tuple(means),
        low=tuple(low for low, _ in enclosures),
        high=tuple(high for _, high in enclosures),
        n_units=tuple(n_units),
        detectable=tuple(detectable),
        false_alarm=context.false_alarm,
        method="binomial (Clopper-Pearson), union bound over quartiles and kernels",
    )
    return compare_with_claims(
        estimates,
        claimed,
        # Clopper and Pearson's intervals lie within Hoeffding's.
        resolution=2 * np.asarray(detectable),
        claim="shares of frequencies below the quartiles of normal, Cauchy and Student's laws",
    )


# Options of the library's maps, and the kernels that are claimed for them.
_GAUSSIAN: dict[str, Any] = {"kernel": "rbf", "gamma": 0.3}
_LAPLACIAN: dict[str, Any] = {"kernel": "laplacian", "gamma": 0.3}
_MATERN: dict[str, Any] = {"kernel": "matern", "nu": 1.5, "length_scale": 1.5}
_RBF = kernels.make("rbf", gamma=0.3)
_L1 = kernels.make("laplacian", gamma=0.3)
_ROUGH = kernels.make("matern", nu=1.5, length_scale=1.5)
_D = 5


def _compare_kernel(
    context: Context, draw: Draw, options: dict[str, Any], claimed: Any, **texts: Any
) -> Evidence:
    """Compare the mean inner product of features with a claimed kernel."""
    rows = 0.8 * context.rng("rows").standard_normal((4, _D))
    return run_check(
        context,
        verify.check_kernel,
        lambda seed: draw(_D, 2000, seed=seed, like=context.like(), **options),
        claimed,
        context.asarray(rows),
        resolution=(0.04, 0.01),
        **texts,
    )


@check("fourier.kernel", form="printed", name="pairs at Gaussian frequencies")
def gaussian(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Callable[..., Any] = _RBF
) -> Evidence:
    """Compare exp(-gamma |x - y|^2) with cosines and sines of N(0, 2 gamma I)."""
    claim = r"$w \sim N(0, 2\gamma I)$: $E\langle\Phi(x), \Phi(y)\rangle = e^{-\gamma|x-y|^2}$"
    options, plots = {**_GAUSSIAN, "form": "pairs"}, (_plot(context),)
    return _compare_kernel(
        context, draw, options, claimed, label="Gaussian", claim=claim, plots=plots
    )


@check("fourier.kernel", form="printed", name="cosines with an offset")
def offset(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Callable[..., Any] = _RBF
) -> Evidence:
    """Compare the same kernel with single cosines, cos(<w, x> + b), of a uniform offset b."""
    claim = (
        r"$b$ uniform on a turn: $E\,2\cos(\langle w,x\rangle + b)"
        r"\cos(\langle w,y\rangle + b) = e^{-\gamma|x-y|^2}$"
    )
    options = {**_GAUSSIAN, "form": "offset"}
    return _compare_kernel(context, draw, options, claimed, label="offset", claim=claim)


@check("fourier.kernel", form="printed", name="pairs at Cauchy frequencies")
def laplacian(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Callable[..., Any] = _L1
) -> Evidence:
    """Compare exp(-gamma |x - y|_1) with frequencies of Cauchy entries."""
    claim = (
        r"entries Cauchy of scale $\gamma$: $E\langle\Phi(x), \Phi(y)\rangle = "
        r"e^{-\gamma|x-y|_1}$"
    )
    return _compare_kernel(context, draw, _LAPLACIAN, claimed, label="Laplacian", claim=claim)


@check("fourier.kernel", form="printed", name="pairs at Student frequencies")
def matern(
    context: Context, *, draw: Draw = FourierFeatures.draw, claimed: Callable[..., Any] = _ROUGH
) -> Evidence:
    """Compare Matern's kernel with frequencies of Student's law."""
    claim = r"$w$ of Student's $t$ with $2\nu$ degrees of freedom over $\ell$: the Matern kernel"
    return _compare_kernel(context, draw, _MATERN, claimed, label="Matern", claim=claim)


def _plot(context: Context) -> Plot:
    distances = np.linspace(0.0, 6.0, 61)
    x, y = along(context, _D, distances)
    curves, markers = [], []
    for options in (_GAUSSIAN, _LAPLACIAN, _MATERN):
        phi = FourierFeatures.draw(_D, 2000, seed=context.seed_for("plot"), **options)
        name = options["kernel"]
        curves.append(Series(label=name, x=distances, y=phi.kernel(x, y)[0]))
        markers.append(
            Series(
                label=f"{name}, 1000 frequencies",
                x=distances[::4],
                y=phi.gram(x, y)[0, ::4],
                kind="points",
            )
        )
    return plot(
        "Kernels and one draw of 1000 frequencies",
        "distance of x and y, in one direction",
        "kernel",
        *curves,
        *markers,
        caption="One draw: errors at different distances are dependent.",
    )
