"""Statements whose outcome is known, and rows to run them beside."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from mehler.report import DataResult, _run, _survey
from mehler.report._maps import candidates as all_maps
from mehler.statements import (
    RESTORED_REFUTED,
    BoundCase,
    Check,
    Context,
    Evidence,
    Plot,
    Series,
    Statement,
)

SCRIPT = "<script>alert(1)</script>"


@contextmanager
def few_maps() -> Iterator[None]:
    """Measure two maps on the rows of a report, in this process, where a test asks for no more."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_run, "usable_cores", lambda: 1)
        patch.setattr(_survey, "candidates", lambda data: all_maps(data)[:2])
        yield


def measure(data: Any, context: Context) -> DataResult:
    """Measure the maps on rows, in this process."""
    names = ("level", "seed", "backend", "false_alarm")
    survey = _survey.Survey(data, context, {name: getattr(context, name) for name in names})
    return survey.result([part for job in survey.jobs for part in job()])


def mean_of_normals(context: Context, claimed: float, form: str, n: int = 4000) -> Evidence:
    """Measure E g^2 = 1 for a standard normal g, Var g^2 = 2, and hold a claim against it."""
    from mehler.verify import check_mean

    samples = context.rng("normals").standard_normal(n) ** 2
    verdict = check_mean(
        samples,
        claimed,
        variance=2.0,
        resolution=0.4,
        false_alarm=context.false_alarm,
        ledger=context.ledger,
        name="second moment",
    )
    x = [0.0, 0.5, 1.0]
    picture = Plot(
        title=f"Moments {SCRIPT}",
        x_label="order & <b>",
        y_label="moment",
        series=(
            Series(label=f"claimed {SCRIPT}", x=x, y=[claimed] * 3),
            Series(
                label="measured", x=x, y=[1, 1, 1], y_low=[0, 0, 0], y_high=[2, 2, 2], kind="points"
            ),
        ),
        caption=r"With $x < y$.",
    )
    return Evidence.from_verdict(verdict, form=form, plots=(picture,))


def held_bound(context: Context) -> Evidence:
    """Compare E g^2 = 1 as before, beside a bound of |g| whose quantile is known."""
    errors = np.abs(context.rng("draws").standard_normal(20_000))
    settings = ((3.0, 0.95, 1.5), (2.5, 0.98, None))
    cases = tuple(
        BoundCase.from_draws(
            errors,
            bound=bound,
            probability=probability,
            false_alarm=context.false_alarm,
            lower=lower,
            where={"map": SCRIPT, "bound": bound},
        )
        for bound, probability, lower in settings
    )
    return replace(mean_of_normals(context, 1.0, "printed"), cases=cases)


def check(claimed: float, form: str, n: int = 4000) -> Check:
    return Check(
        form=form,
        name="second moment",
        run=lambda context: mean_of_normals(context, claimed, form, n),
    )


def explode(context: Context) -> Evidence:
    raise RuntimeError(f"the sampler broke {SCRIPT}")


def statement(
    name: str, expected: str, *checks: Check, claim: str = "$$ E g^2 = 3 $$", **texts: Any
) -> Statement:
    fields = {"place": "Page 1", "hypotheses": "A standard normal $g$.", "ground": "Measured."}
    heading = "As restored" if texts.get("copy") == "lost" else "As printed"
    sections = {heading: claim, **texts.pop("sections", {})}
    texts = {"title": f"Toy {name}", "sections": sections, **fields, **texts}
    return Statement(id=f"toy.{name}", source="A toy", expected=expected, checks=checks, **texts)


TRUE = statement("true", "holds", check(1.0, "printed"), claim="$$ E g^2 = 1 $$")
REPAIRED = statement(
    "repaired",
    "refuted, repaired",
    check(3.0, "printed"),
    check(1.0, "proved"),
    sections={"What is wrong": "It takes the fourth moment.", "As it holds": "$$ E g^2 = 1 $$"},
)
WRONG = statement("wrong", "holds", check(3.0, "printed"))
UNDECIDED = statement("undecided", "holds", check(1.0, "printed", n=200))
BROKEN = statement("broken", "holds", Check(form="printed", name="broken", run=explode))
LOST = statement(
    "lost",
    RESTORED_REFUTED,
    check(3.0, "restored"),
    check(1.0, "proved"),
    copy="lost",
    place="Section 2, equation (3); source text, line 7",
    restored="The words of the proof.",
    fails="By a factor of 3, at every row.",
    cause="a moment of another order",
)
BOUND = statement("bound", "holds", Check(form="printed", name="held", run=held_bound))
SILENT = statement("silent", "not computable", note="No number is claimed.")
HOSTILE = statement(
    "hostile",
    "holds",
    check(1.0, "printed"),
    title=f"Title {SCRIPT}",
    claim=(
        rf"$$ \text{{{SCRIPT}}} $$ Text {SCRIPT}, $\href{{javascript:alert(1)}}{{x}}$, "
        "[a link](javascript:alert(1)), ![a picture](https://a.example/x.png), <https://a.example>"
    ),
    note=SCRIPT,
)


def rows(n: int = 40, d: int = 5) -> np.ndarray:
    """Rows in random directions, of lengths from 0.1 to 10."""
    rng = np.random.default_rng(11)
    return rng.standard_normal((n, d)) * 10 ** rng.uniform(-1, 1, (n, 1))
