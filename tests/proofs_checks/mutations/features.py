"""Terms of the bounds for any map."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from mehler.proofs_checks.features import (
    clipped_ridge,
    gram_error,
    lower,
    margin,
    nearest,
    ridge,
    uniform,
)

from mehler.bounds import kernel_error, spectral
from mehler.bounds import lower as lowest
from mehler.bounds import margin as margins
from mehler.bounds import ridge as risks
from tests.proofs_checks.mutations._row import Check, Row, blind, of_term, red, scaled

GRAM, RIDGE = "features.gram-error", "features.ridge"

LOWER, NEAREST = "features.lower", "features.nearest"

MARGIN, CLIPPED = "features.margin", "features.clipped-ridge"
UNIFORM = "features.uniform"


def less_kurtosis(n_features: int, **options: Any) -> Any:
    """The nearest combination with half of the kurtosis, where one is declared."""
    if "kurtosis" in options:
        options["kurtosis"] = max(1.0, options["kurtosis"] / 2)
    return spectral.approximation(n_features, **options)


def one_point(m: int, **options: Any) -> Any:
    """The uniform bound of a set of one point: no union over pairs."""
    return kernel_error.uniform_by_slope(m, **{**options, "dimension": 0})


def flat(m: int, **options: Any) -> Any:
    """The uniform bound of products that hardly move, at the level that this makes the best."""
    return kernel_error.uniform_by_slope(m, **{**options, "slope": (1e-12, 1e-24)})


def uniform_term(
    term: str, label: str, least: float, check: Check, because: str = "", links: bool = False
) -> Iterator[Row]:
    """A term of the uniform bound, at the level that is chosen; with links where asked."""

    def where(options: Mapping[str, Any]) -> bool:
        return not links or "increments" in options

    return of_term(
        UNIFORM,
        term,
        check,
        kernel_error.uniform_by_slope,
        least=least,
        because=because,
        label=label,
        where=where,
    )


def larger(term: str, label: str, factor: float, check: Check, bound: Any) -> Row:
    """A lower bound that is too large."""
    return red(LOWER, label, f"times {factor:g}", check, bound=scaled(bound, factor, term))


def seen(
    term: str,
    label: str,
    least: float,
    check: Check,
    bound: Any,
    where: Callable[[Mapping[str, Any]], bool],
    because: str = "",
) -> Iterator[Row]:
    """A term of an upper bound, where the bound is called with some options."""
    statement = RIDGE if bound is risks.excess_risk else GRAM
    return of_term(
        statement, term, check, bound, least=least, because=because, label=label, where=where
    )


def given(option: str) -> Callable[[Mapping[str, Any]], bool]:
    return lambda options: option in options


def at_the_rows(options: Mapping[str, Any]) -> bool:
    return not {"design", "smoothness", "lipschitz"} & options.keys()


def smooth(*values: float, by: str = "leverage") -> Callable[[Mapping[str, Any]], bool]:
    return lambda options: options.get("smoothness") in values and by in options


def smoother(n_features: int, **options: Any) -> Any:
    """The risk of targets that are taken for a little smoother than they are."""
    if options.get("smoothness", 1.0) < 1:
        options["smoothness"] += 0.01
    return risks.excess_risk(n_features, **options)


def without_factor(n_features: int, **options: Any) -> Any:
    """The risk at a row that is left out, with the variance at the rows."""
    bound = risks.excess_risk(n_features, **options)
    if options.get("design") != "left-out":
        return bound
    shift = len(options["eigenvalues"]) * options["ridge"]
    factor = 1 / (1 + options["sup"] ** 2 / shift)
    return scaled(lambda: bound, factor, "variance")()


def of_products(name: str, centred: bool, term: str, least: float, because: str) -> Iterator[Row]:
    """A term of one product of a map without a bound, in the instance of squares."""

    def where(options: Mapping[str, Any]) -> bool:
        return "sub_gamma" in options and (options["sub_gamma"][0] == 8.0) == centred

    return of_term(
        UNIFORM,
        term,
        uniform.tight,
        kernel_error.uniform_by_slope,
        least=least,
        because=because,
        label=f"one product, {name}, {term}",
        where=where,
    )


_FOUR = "v/4 is the variance of a square; the logarithmic Sobolev inequality pays 4"
_MEAN = "; and an activation may have a mean, which that of linear units has not"
_TAIL = "c = 2 sqrt(2) stands for the 2 of a square, by the inequality of Cauchy and Schwarz"
PRODUCTS = (
    ("centred maxout", True, "variance", 0.46, _FOUR),
    ("centred maxout", True, "tail", 0.59, _TAIL),
    ("kitchen sinks", False, "variance", 0.36, _FOUR + _MEAN),
    ("kitchen sinks", False, "tail", 0.57, _TAIL),
)
_GRAM = (gram_error.tight, spectral.gram_error)
_OPERATOR = (gram_error.tight_without_bound, spectral.gram_error)
_RISK = (ridge.tight, risks.excess_risk)
_SQUARE = "a square is declared there as the square of 1 and a normal length together"
_LONGEST = "each draw is taken at the largest spectral error and each block at the longest features"
_NOTHING = "for so few units the tail bound is vacuous, and nothing is assumed to be learned"
_LEVERAGE = "1/(1 - h) is taken at the largest leverage h that one row alone may have"

# Instances are exact laws, so what `least` a term has is computed and not drawn: the quantile of
# the binomial or chi-squared law over the bound at the instance's failures, the best of them, or a
# little less.
SEEN = (
    ("deviation", "deviation, one feature for each row", 0.95, *_GRAM, given("leverage")),
    ("deviation", "deviation, by sup", 0.97, *_GRAM, given("sup")),
    ("deviation", "deviation, by lipschitz", 0.65, *_OPERATOR, given("lipschitz"), _SQUARE),
    ("deviation", "deviation, by variance", 0.99, *_OPERATOR, given("variance")),
    ("bias", "bias, at the rows", 0.99, *_RISK, at_the_rows),
    ("variance", "variance, at the rows", 0.99, *_RISK, at_the_rows),
    ("features", "features, at the rows", 0.99, *_RISK, at_the_rows),
    ("bias", "bias, left out", 0.99, *_RISK, given("design")),
    # Two equal rows, ridge x/2: x (2 + x)/(1 + x)^3 is largest at sqrt(3) - 1, 2/sqrt(27).
    ("variance", "variance, left out", 0.38, *_RISK, given("design"), _LEVERAGE),
    ("bias", "bias, smoothness 1/4", 0.99, *_RISK, smooth(0.25)),
    ("bias", "bias, smoothness 3/4", 0.99, *_RISK, smooth(0.75)),
    ("bias", "bias, smoothness 1", 0.99, *_RISK, smooth(1.0)),
    ("features", "features, smoothness 1/4", 0.99, *_RISK, smooth(0.25)),
    ("features", "features, smoothness 3/4", 0.99, *_RISK, smooth(0.75)),
    ("features", "features, smoothness 1", 0.95, *_RISK, smooth(1.0)),
    ("features", "features, smoothness 1, by sup", 0.56, *_RISK, smooth(1.0, by="sup"), _LONGEST),
    # E 1/(1 + g^2)^2 = 1/2 of a standard normal, less 1/4, over 3/4.
    ("features", "features, by lipschitz", 0.33, *_RISK, given("lipschitz"), _NOTHING),
)

ROWS = [
    # The least that is seen, to two digits: test_lower_factors computes them by another route.
    larger("deviation", "one pair", 1.01, lower.one_pair, lowest.one_pair),
    larger("deviation", "all pairs", 1.08, lower.all_pairs, lowest.all_pairs),
    larger("deviation", "a set", 1.16, lower.uniform, lower.of_set),
    larger("statistical", "the risk", 1.01, lower.risk, lowest.excess_risk),
    larger("statistical", "the risk, many rows", 1.01, lower.many_laws, lowest.excess_risk),
    larger("minimax", "the risk at the rows", 1.01, lower.rows, lower.by_box),
    larger("rank", "the spectral error", 1.01, lower.rank, lowest.gram_error),
    larger("direction", "one direction", 1.01, lower.direction, lower.by_direction),
    larger("rare", "a rare draw", 1.01, lower.rare, lower.by_rare_draw),
    larger("rare", "a rare frequency", 1.1, lower.grid, lower.by_rare_draw),
    larger("approximation", "the nearest function", 1.04, lower.nearest, lowest.approximation),
    *of_term(NEAREST, "nearest", nearest.tight, spectral.approximation, least=0.99),
    red(NEAREST, "kurtosis", "times 0.5", nearest.tight, bound=less_kurtosis),
    blind(NEAREST, "kurtosis", "times 0.7",
        "half of a square stands for e^(-x) - 1 + x, which is x where x is large"),
    *of_term(MARGIN, "margin", margin.tight, margins.error_rate_separated, least=0.99),
    *of_term(MARGIN, "weights", margin.tight, margins.error_rate_separated, least=0.6,
        because="the normal law pays for all directions, where the class errs in one"),
    *of_term(MARGIN, "confidence", margin.confident, margins.error_rate_separated, least=0.96),
    *of_term(MARGIN, "threshold", margin.tight, margins.error_rate_separated, least=0.99),
    *(row for term in ("bias", "variance") for row in of_term(CLIPPED, term, clipped_ridge.tight,
        risks.excess_risk_clipped, least=0.99)),
    *(row for case in SEEN for row in seen(*case)),
    *uniform_term("deviation", "pairs of one level", 0.99, uniform.tight),
    red(UNIFORM, "the union over pairs", "deleted", uniform.tight, bound=one_point),
    *uniform_term("increments", "increments, variance", 0.07, uniform.tight,
        "pairs of rows that know nothing of each other have fewer independent errors than pairs, "
        "and increments half of the second moment that the slope allows", links=True),
    *(row for case in PRODUCTS for row in of_products(*case)),
    *(blind(UNIFORM, f"constants of {name}", "times 0.9",
        f"sums over units are far from these laws; {constants} are the least that the "
        "moments of the proof allow: `tests/bounds/test_kernel_error_slopes.py`") for name,
        constants in (("kitchen sinks", "8 of one product and 3 of increments"), ("centred maxout",
        "8 of one product and 4 of increments"))),
    *of_term(UNIFORM, "range", None,
        because="where it dominates few large increments are many units' common slope, and then "
        "the first term is larger", label="increments, range"),
    *uniform_term("between", "mean of the slopes", 0.49, uniform.tight_slopes,
        "the mean of products has a slope too, and is flat where one row of many is steep"),
    *uniform_term("spread", "deviation of the slopes", 0.7, uniform.tight_slopes),
    red(UNIFORM, "the slopes", "deleted", uniform.tight, bound=flat),
    red(RIDGE, "smoothness", "plus 0.01", ridge.tight, bound=smoother),
    red(RIDGE, "variance, left out, its factor c", "deleted", ridge.tight, bound=without_factor),
    blind(LOWER, "one pair, errors of the normal limit at both ends of an interval", "1 for 2",
        "squares of normal variables keep the bound even without them; the number is "
        "computed by another route in tests/bounds/test_lower.py"),
    blind(RIDGE, "features, the second moment by lipschitz, its factor 2", "times 0.9",
        "no computed instance has few enough blocks; the moment of a shifted normal "
        "variable is 0.9994 of it in tests/bounds/test_ridge_source.py"),
    blind(RIDGE, "features, the part that is mixed with the bias", "deleted",
        "it is of a smaller order than either where the spectral error is small"),
    blind(RIDGE, "features, the second moment by lipschitz", "deleted",
        "one direction is taken at the largest singular value of the rows; linear units, "
        "whose moment is known, are below it in tests/bounds/test_ridge_source.py"),
    blind(RIDGE, "features, left out", "deleted",
        "it is the product of a factor and an integral that are seen apart"),
]  # fmt: skip
