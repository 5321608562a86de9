"""The experiment on permuted sequences: which features classify best, and the paper's figures.

Mroueh, Voinea and Poggio (2015) label a sequence by whether two target tokens both occur in it.
CDF(n, m), features of n bins and m random vectors, *templates*, and their limit, the Haar kernel,
are equal at all orders of a sequence, its orbit; so is the bag of words, the counts of tokens.
Counted are the draws, of targets, training set and templates, in which one kind of features is more
accurate than another. Statements on counts of tokens alone are exact.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from mehler.statements import Context, Evidence, Plot, Series, check

from ..._comparisons import compare_count, compute
from ..._plots import plot
from .._tokens import Tokens
from . import _task as task
from . import curves
from ._task import PAPER, SMALL, Task, bag_of_words, draw_map, grams, haar
from .curves import draw_of, of_gram, of_map

_DRAWS = 60
_FEWER_DRAWS = 40  # where the difference shows in nearly every draw


def seeds_for(context: Context, label: str, n_draws: int) -> list[int]:
    return [context.seed_for(f"{label} {i}") for i in range(n_draws)]


def invariant_gram(tokens: Tokens, n_bins: int, seed: int) -> Any:
    """Return the Gram matrix of CDF(n, 25): n bins, 25 templates, all permutations."""
    ((_, gram),) = grams(tokens, (25,), n_bins, seed)
    return gram


@check("group-invariant.permutations", form="printed", name="more templates", pays=True)
def more_templates(context: Context, *, sizes: tuple[int, int] = (5, 25)) -> Evidence:
    """Count draws in which 25 templates do better than 5, at the same number of bins."""
    n = 8 if context.quick else 25
    return _larger_wins(context, "more templates", [(n, m) for m in sizes])


@check("group-invariant.permutations", form="printed", name="more bins", pays=True)
def more_bins(context: Context, *, sizes: tuple[int, int] | None = None) -> Evidence:
    """Count draws in which many bins do better than few, with 25 templates."""
    few_and_many = sizes or ((1, 8) if context.quick else (2, 25))
    return _larger_wins(context, "more bins", [(n, 25) for n in few_and_many])


def _larger_wins(context: Context, label: str, sizes: list[tuple[int, int]]) -> Evidence:
    """Count draws in which the second (bins, templates) is more accurate than the first."""
    tokens, per_class = (SMALL, 40) if context.quick else (PAPER, 2000)
    wins = 0
    for seed in seeds_for(context, label, _DRAWS):
        problem, split = draw_of(tokens, seed, per_class)
        less, more = (
            of_gram(gram, problem, split)
            for n, m in sizes
            for _, gram in grams(tokens, (m,), n, seed)
        )
        wins += less < more
    few, many = (f"CDF({n}, {m})" for n, m in sizes)
    claim = (
        f"{few} is less accurate than {many} in more than half of all draws of targets, "
        f"split and templates; {_problem(tokens, per_class)}"
    )
    n_features = _DRAWS * max(m * (2 * n + 1) for n, m in sizes)
    return compare_count(context, claim, wins, _DRAWS, lower=0.5, n_features=n_features)


@check("group-invariant.permutations", form="proved", name="the order of the figure", pays=True)
def ordering(
    context: Context, *, invariant: Callable[[Tokens, int, int], Any] = invariant_gram
) -> Evidence:
    """Count draws with accuracies in the order bag of words < CDF(n, 25) <= Haar kernel."""
    tokens, per_class, n = (SMALL, 40, 8) if context.quick else (PAPER, 2000, 25)
    wins = 0
    for seed in seeds_for(context, "ordering", _DRAWS):
        problem, split = draw_of(tokens, seed, per_class)
        bag, cdf, limit = (
            of_gram(gram, problem, split)
            for gram in (bag_of_words(tokens), invariant(tokens, n, seed), haar(tokens))
        )
        wins += bag < cdf <= limit
    return compare_count(
        context,
        f"bag of words < CDF({n}, 25) <= Haar kernel in more than half of all draws of "
        f"targets, split and templates; {_problem(tokens, per_class)}",
        wins,
        _DRAWS,
        lower=0.5,
        n_features=_DRAWS * 25 * (2 * n + 1),
        plots=(plot_training(context),),
    )


@check("group-invariant.permutations", form="proved", name="few permutations lose", pays=True)
def few_elements(context: Context, *, few: int | None = None) -> Evidence:
    """Count draws in which few permutations do worse than all."""
    tokens, per_class = (SMALL, 60) if context.quick else (PAPER, 500)
    count = 2 if few is None else few
    n, m = 5, 5
    wins = 0
    for seed in seeds_for(context, "few elements", _FEWER_DRAWS):
        problem, split = draw_of(tokens, seed, per_class)
        less, whole = (
            of_map(draw_map(tokens, m, n, seed, n_elements=r), problem, split, 2000)
            for r in (min(count, tokens.group.order), tokens.group.order)
        )
        wins += less < whole
    return compare_count(
        context,
        f"CDF({n}, {m}) with {count} permutations is less accurate than with all in more than "
        f"half of all draws; {_problem(tokens, per_class)}",
        wins,
        _FEWER_DRAWS,
        lower=0.5,
        n_features=_FEWER_DRAWS * m * (2 * n + 1),
        plots=(plot_elements(context),),
    )


def _problem(tokens: Tokens, per_class: int) -> str:
    return (
        f"sequences of {tokens.length} tokens out of {tokens.alphabet}, {per_class} a class to "
        "learn from"
    )


@check("group-invariant.permutations", form="proved", name="least squares on counts")
def least_squares(
    context: Context, *, errors: Callable[[Tokens, int], Fraction] | None = None
) -> Evidence:
    """Compare least squares on counts with the rule "#a + #b >= 2", on the expected test."""
    wrong = 2 * task.alone(PAPER, 2000) if errors is None else errors(PAPER, 2000)
    return compute(
        r"least squares on counts decides by $\#a+\#b \ge 2$: accuracy 0.8364",
        float(task.by_least_squares(PAPER, 2000)),
        1e-12,
        exact=float(1 - wrong),
        method="counted",
        plots=(plot_templates(context),),
    )


@check("group-invariant.permutations", form="proved", name="the best linear rule of counts")
def best_rule(
    context: Context, *, errors: Callable[[Tokens, int], Fraction] = task.alone
) -> Evidence:
    """Enumerate all linear rules of the targets' counts."""
    return compute(
        r"no rule $u\#a+v\#b \ge w$ is more accurate than 0.9182, of one that errs where one "
        "given target stands alone, twice or more",
        float(task.best_of_counts(PAPER, 2000)),
        1e-12,
        exact=float(1 - errors(PAPER, 2000)),
        method="enumerated, in fractions",
    )


@check("group-invariant.permutations", form="proved", name="raw rows are counts")
def raw_is_counts(context: Context, *, labels: Callable[[Task], Any] | None = None) -> Evidence:
    """Compare least squares on one-hot rows and on counts, over all sequences."""
    problem = Task(SMALL if context.quick else PAPER, (1, 3))
    orbit = problem.tokens.everything[1]
    of_orbit = problem.labels[orbit] if labels is None else labels(problem)
    claim = "least squares on all sequences: largest difference between one-hot rows and counts"
    method = "computed in float64, with its rounding"
    return compute(claim, task.raw_and_counts(problem, of_orbit), 1e-9, exact=0.0, method=method)


@check("group-invariant.permutations", form="proved", name="the Haar kernel tells all orbits apart")
def separates(context: Context, *, kernel: Callable[[Tokens], Any] = haar) -> Evidence:
    """Compute the smallest eigenvalue of the Haar kernel on the orbits."""
    claim = (
        "smallest eigenvalue of the Haar kernel on functions of the 792 orbits that sum to "
        "zero is positive, so that any labels of orbits are functions of its space"
    )
    method = "computed in float64, with its rounding"
    return compute(claim, task.least_eigenvalue(kernel(PAPER)), 1e-7, lower=1e-6, method=method)


def plot_templates(context: Context) -> Plot:
    """Return the accuracy over templates, a curve for each number of bins."""
    n_draws, per_class = (1, 100) if context.quick else (10, 2000)
    templates = (1, 5, 25) if context.quick else (1, 5, 10, 25, 50, 100)
    bins = (5, 25) if context.quick else (5, 10, 25, 50)
    seeds = seeds_for(context, "templates", n_draws)
    accuracies = curves.over_templates(PAPER, seeds, per_class, templates, bins)
    lines = [_series(f"CDF({n}, m)", templates, rows) for n, rows in accuracies.items()]
    counted = [float(1 - k * task.alone(PAPER, per_class)) for k in (2, 1)]
    names = ("counts by least squares", "best linear rule of counts")
    lines += [
        Series(label=name, x=[templates[0], templates[-1]], y=[value, value])
        for name, value in zip(names, counted, strict=True)
    ]
    return plot(
        "Sequences of 5 tokens out of 8: accuracy over templates",
        "number of templates m",
        "test accuracy",
        *lines,
        log="x",
        caption=f"{_mean_of(n_draws)} {per_class} training sequences per class, all other test "
        "sequences; n bins on each side of 0. Horizontal: exact values for counts of tokens.",
    )


def plot_training(context: Context) -> Plot:
    """Return the accuracy over rows per class, a curve for each kind of features."""
    n_draws = 1 if context.quick else 10
    sizes = (10, 50, 100) if context.quick else (10, 50, 100, 500, 2000)
    seeds = seeds_for(context, "training", n_draws)
    accuracies = curves.over_training(PAPER, seeds, sizes, (10, 25), 25)
    return plot(
        "Sequences of 5 tokens out of 8: accuracy over training rows",
        "training sequences per class",
        "test accuracy",
        *(_series(name, sizes, rows) for name, rows in accuracies.items()),
        log="x",
        caption=f"{_mean_of(n_draws)} CDF(n, m) has n bins on each side of 0 and m templates.",
    )


def plot_elements(context: Context) -> Plot:
    """Return the accuracy over the number of permutations, drawn with and without replacement."""
    n_draws, per_class = (1, 100) if context.quick else (10, 2000)
    elements: Sequence[int] = (2, 30, 120) if context.quick else (2, 5, 10, 30, 60, 90, 120)
    seeds = seeds_for(context, "elements", n_draws)
    lines = [
        _series(
            "independent" if replacement else "distinct",
            elements,
            curves.over_elements(
                PAPER,
                seeds,
                per_class,
                elements,
                (5, 25),
                replacement=replacement,
                n_test=1000 if context.quick else 5000,
            ),
        )
        for replacement in ((False,) if context.quick else (False, True))
    ]
    return plot(
        "Sequences of 5 tokens out of 8: accuracy over permutations",
        "number r of permutations",
        "test accuracy",
        *lines,
        log="x",
        caption=f"{_mean_of(n_draws)} CDF(5, 25), {per_class} training sequences per class, the "
        "same r random permutations for all templates; 120 distinct ones are the whole group.",
    )


def _series(label: str, x: Any, rows: Any) -> Series:
    """Return means over draws, with the least and the largest."""
    if len(rows) == 1:
        return Series(label=label, x=x, y=rows[0])
    return Series(
        label=label,
        x=x,
        y=rows.mean(axis=0),
        kind="points",
        y_low=rows.min(axis=0),
        y_high=rows.max(axis=0),
    )


def _mean_of(n_draws: int) -> str:
    if n_draws == 1:
        return "One draw of targets, split and templates."
    return f"Mean, least and largest of {n_draws} draws of targets, split and templates."
