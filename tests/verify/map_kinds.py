"""Every kind of map that mehler has, as tests of maps draw it: n_features, seed, like -> map."""

import functools

import numpy as np

import mehler
from mehler.features import groups, leverage

D = 3
# In random directions, of lengths from 1/2 to 2.
RNG = np.random.default_rng(0)
ROWS = RNG.standard_normal((4, D))
ROWS *= RNG.uniform(0.5, 2.0, (4, 1)) / np.linalg.norm(ROWS, axis=1, keepdims=True)
# Leverage is scored on other rows than those that a map is held to.
SCORED = RNG.standard_normal((20, D))

maxout = functools.partial(mehler.MaxoutFeatures.draw, D)
decoupled = functools.partial(mehler.DecoupledMaxoutFeatures.draw, D, pool_size=4)
codes = functools.partial(mehler.MaxoutCodes.draw, D, pool_size=4)
fourier = functools.partial(mehler.FourierFeatures.draw, D)
sinks = functools.partial(mehler.KitchenSinks.draw, D)
invariant = functools.partial(mehler.GroupInvariantFeatures.draw, D, n_bins=4)


single = functools.partial(fourier, gamma=0.3, form="offset")


def selected(choose, pool=single):
    """A selector's map with n_features of a pool of four times as many."""

    def draw(n_features, *, seed, like=None):
        candidates = pool(n_features=4 * n_features, seed=seed)
        phi = choose(candidates, n_features, seed).fit(SCORED, np.sin(2 * SCORED[:, 0]))
        return phi.to(like)

    return draw


def sampled(draws, **options):
    """With scores so even that systematic draws repeat none: n_features columns come out."""
    return selected(
        lambda pool, m, seed: leverage.LeverageSampling(
            pool, m, lam=1e-4, mix=0.7, seed=seed, draws=draws, method="gram"
        ),
        **options,
    )


def deep(n_features, *, seed, like=None):
    """One hidden layer, whose kernel at any width is that of infinite width."""
    return mehler.DeepFeatures.draw(
        D, (n_features,), activation="maxout", pool_size=4, seed=seed, like=like
    )


DRAWS = {
    "maxout": functools.partial(maxout, pool_size=4),
    "centred": functools.partial(maxout, pool_size=4, centred=True),
    "shared": functools.partial(maxout, pool_size=8, n_projections=400),
    "maxout-orthogonal": functools.partial(maxout, pool_size=4, projections="orthogonal"),
    "maxout-sobol": functools.partial(maxout, pool_size=4, projections="sobol"),
    "maxout-hadamard": functools.partial(maxout, pool_size=4, projections="hadamard"),
    "next": decoupled,
    "fresh": functools.partial(decoupled, directions="fresh"),
    "fresh-orthogonal": functools.partial(decoupled, directions="fresh", projections="orthogonal"),
    "codes": codes,
    "codes-orthogonal": functools.partial(codes, projections="orthogonal"),
    "pairs": functools.partial(fourier, gamma=0.3),
    "offset": single,
    "laplacian": functools.partial(fourier, kernel="laplacian", gamma=0.3, form="offset"),
    "laplacian-pairs": functools.partial(fourier, kernel="laplacian", gamma=0.3),
    "laplacian-sobol": functools.partial(
        fourier, kernel="laplacian", gamma=0.3, projections="sobol"
    ),
    "matern": functools.partial(fourier, kernel="matern"),
    "matern-offset": functools.partial(fourier, kernel="matern", nu=2.5, form="offset"),
    "matern-orthogonal": functools.partial(fourier, kernel="matern", projections="orthogonal"),
    "matern-sobol": functools.partial(fourier, kernel="matern", projections="sobol"),
    "matern-hadamard": functools.partial(fourier, kernel="matern", projections="hadamard"),
    "pairs-orthogonal": functools.partial(fourier, gamma=0.3, projections="orthogonal"),
    "pairs-sobol": functools.partial(fourier, gamma=0.3, projections="sobol"),
    "pairs-hadamard": functools.partial(fourier, gamma=0.3, projections="hadamard"),
    "offset-orthogonal": functools.partial(
        fourier, gamma=0.3, form="offset", projections="orthogonal"
    ),
    "offset-hadamard": functools.partial(fourier, gamma=0.3, form="offset", projections="hadamard"),
    "sinks-step": functools.partial(sinks, activation="step"),
    "sinks-relu": functools.partial(sinks, activation="relu"),
    "sinks-relu2": functools.partial(sinks, activation="relu2"),
    "sinks-relu2-sphere": functools.partial(sinks, activation="relu2", law="sphere"),
    "sinks-erf": functools.partial(sinks, activation="erf", weight_scale=0.8),
    "sinks-tanh-bias": functools.partial(sinks, activation="tanh", bias=1.0),
    "sinks-cos": functools.partial(sinks, activation="cos", bias="uniform"),
    "sinks-sin": functools.partial(sinks, activation="sin", bias=0.5),
    "sinks-orthogonal": functools.partial(sinks, activation="tanh", projections="orthogonal"),
    "sinks-hadamard": functools.partial(sinks, activation="erf", projections="hadamard"),
    "invariant": functools.partial(invariant, group=groups.CyclicShifts(D)),
    "invariant-paper": functools.partial(
        invariant, group=groups.BlockPermutations(D, D), rule="paper", templates="redraw"
    ),
    "invariant-dither": functools.partial(
        invariant, group=groups.Dihedral(D), rule="dither", templates="zero"
    ),
    "invariant-maps": functools.partial(
        invariant,
        group=groups.LinearMaps(np.random.default_rng(5).standard_normal((3, D, D)) / 3),
        templates="gaussian",
        window=2.0,
    ),
    "invariant-sampled": functools.partial(
        invariant, group=groups.SignFlips(D), n_bins=1, n_elements=3
    ),
    "invariant-replaced": functools.partial(
        invariant, group=groups.SignFlips(D), n_elements=3, replacement=True
    ),
    "invariant-own": functools.partial(
        invariant, group=groups.SignFlips(D), n_elements=3, own_elements=True
    ),
    "not-invariant": functools.partial(invariant, group=groups.Trivial(D), n_bins=2),
    "plain-sampling": selected(lambda pool, m, seed: leverage.PlainSampling(pool, m)),
    "leverage": sampled("systematic"),
    "leverage-once": sampled("without replacement"),
    "leverage-invariant": sampled(
        "without replacement",
        pool=functools.partial(invariant, group=groups.CyclicShifts(D), n_bins=1),
    ),
    "top-leverage": selected(lambda pool, m, seed: leverage.TopLeverage(pool, m, lam=0.01)),
    "localised": functools.partial(mehler.features.LocalisedLinearFeatures.draw, D, gamma=0.3),
    "deep": deep,
}

# Thousands of draws each.
SLOW = ("variance", "convergence", "seeds differ")
# A bound on the variance is declared.
BOUND = {"leave_out": ("variance",)}
# What is kept has a kernel of its own in each draw.
CHANGED = {"n_features": 64, "leave_out": ("kernel", "variance", "convergence")}
# Whole draws are the samples: small ones make more of them.
WHOLE = {"n_features": 24}
WHOLE_BOUND = {**WHOLE, **BOUND}
# A loose one, with which a finer look takes 10^5 draws: the corpus has one at an exact variance.
SAMPLED = {**WHOLE_BOUND, "resolution": 0.5}
# At other sizes systematic draws repeat features now and then, and sizes have to be a pool's.
SAMPLED_TOO = {**SAMPLED, "leave_out": ("variance", "convergence")}
OPTIONS = {
    # A fixed number of projections does not converge.
    "shared": {"n_features": 64, "resolution": 0.2, "leave_out": ("variance", "convergence")},
    # The Gaussian kernel's variance is exact for orthogonal blocks, all others' are bounds.
    **dict.fromkeys(("pairs-orthogonal", "offset-orthogonal"), WHOLE),
    **dict.fromkeys(
        (
            *("maxout-orthogonal", "maxout-sobol", "maxout-hadamard", "codes-orthogonal"),
            *("fresh-orthogonal", "sinks-orthogonal", "sinks-hadamard"),
            *("laplacian-sobol", "matern-sobol", "pairs-sobol"),
            *("matern-orthogonal", "matern-hadamard", "pairs-hadamard", "offset-hadamard"),
        ),
        WHOLE_BOUND,
    ),
    **dict.fromkeys(("invariant", "invariant-dither", "invariant-maps", "invariant-own"), BOUND),
    # Nine columns a template: no power of 2, as the sizes of convergence are, has whole ones.
    "invariant-paper": {"n_features": 504, "leave_out": ("variance", "convergence")},
    # Elements that are shared do not average out.
    "invariant-sampled": {"n_features": 64, "leave_out": ("variance", "convergence")},
    "invariant-replaced": {"n_features": 64, "leave_out": ("variance", "convergence")},
    "plain-sampling": {"n_features": 24},
    # Six columns per frequency: no power of 2, as the sizes of convergence are, has whole ones.
    "localised": {"n_features": 504, "leave_out": ("convergence",)},
    "leverage-once": SAMPLED,
    **dict.fromkeys(("leverage", "leverage-invariant"), SAMPLED_TOO),
    "top-leverage": CHANGED,
}
