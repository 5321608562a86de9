"""What may be a statement, and what follows from its evidence."""

import math

import pytest

from mehler.statements import (
    EXPECTATIONS,
    RESTORED_HOLDS,
    RESTORED_REFUTED,
    Check,
    Context,
    Evidence,
    Plot,
    Series,
    Statement,
    verdict_of,
)
from mehler.verify import Ledger, check_mean


def evidence(form: str, status: str) -> Evidence:
    return Evidence(form=form, status=status, check="c", claim="x is 1")


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        ([], "not computable"),
        ([("printed", "holds")], "holds"),
        ([("printed", "holds"), ("proved", "holds")], "holds"),
        ([("proved", "holds")], "holds with constant"),
        ([("printed", "refuted")], "refuted"),
        ([("printed", "holds"), ("printed", "refuted")], "refuted"),
        ([("printed", "refuted"), ("proved", "holds")], "refuted, repaired"),
        ([("printed", "refuted"), ("proved", "refuted")], "proved form refuted"),
        ([("printed", "holds"), ("proved", "refuted")], "proved form refuted"),
        ([("printed", "refuted"), ("proved", "inconclusive")], "inconclusive"),
        ([("printed", "inconclusive"), ("proved", "error")], "error"),
        ([("restored", "holds")], RESTORED_HOLDS),
        ([("restored", "holds"), ("proved", "holds")], RESTORED_HOLDS),
        ([("restored", "refuted"), ("restored", "holds")], RESTORED_REFUTED),
        ([("restored", "refuted"), ("proved", "holds")], RESTORED_REFUTED),
        ([("restored", "refuted"), ("proved", "refuted")], "proved form refuted"),
        ([("restored", "inconclusive")], "inconclusive"),
        # A refutation has an error rate of its own: what decided nothing does not take it back.
        ([("proved", "refuted"), ("proved", "inconclusive")], "proved form refuted"),
        ([("printed", "inconclusive"), ("proved", "refuted")], "proved form refuted"),
        ([("printed", "error"), ("proved", "refuted")], "proved form refuted"),
        ([("restored", "inconclusive"), ("proved", "refuted")], "proved form refuted"),
        ([("printed", "refuted"), ("printed", "inconclusive")], "refuted"),
        (
            [("printed", "refuted"), ("printed", "inconclusive"), ("proved", "holds")],
            "refuted, repaired",
        ),
        ([("restored", "refuted"), ("restored", "inconclusive")], RESTORED_REFUTED),
        # But a repair is confirmed by all of its checks, and nothing hides one that raised.
        ([("printed", "refuted"), ("proved", "holds"), ("proved", "inconclusive")], "inconclusive"),
        ([("restored", "refuted"), ("proved", "inconclusive")], "inconclusive"),
        ([("printed", "refuted"), ("printed", "error")], "error"),
        ([("printed", "holds"), ("printed", "inconclusive")], "inconclusive"),
    ],
)
def test_verdict_follows_from_all_evidence(found, verdict):
    assert verdict_of([evidence(*one) for one in found]) == verdict


def test_evidence_without_a_form_decides_nothing():
    with pytest.raises(ValueError, match=r"evidence\[1\] has no form"):
        verdict_of([evidence("proved", "holds"), evidence("", "refuted")])


def test_no_failure_is_an_expectation():
    assert not {"inconclusive", "error", "proved form refuted"} & set(EXPECTATIONS)


WORDS = {
    "id": "a.b-1",
    "source": "s",
    "place": "p",
    "hypotheses": "h",
    "title": "t",
    "ground": "g",
    "sections": dict.fromkeys(("As printed", "As restored", "Statement"), "$$ x $$"),
}
CHECK = Check(form="printed", name="c", run=lambda context: evidence("printed", "holds"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"id": "Theorem 1"}, "id='Theorem 1' is malformed"),
        ({"expected": "true"}, "expected='true' is not one of"),
        ({"checks": ()}, "not both or neither"),
        ({"expected": "not computable"}, "not both or neither"),
        ({"expected": "not computable", "checks": ()}, "note is empty"),
        ({"hypotheses": ""}, "a.b-1: hypotheses is empty: list all assumptions"),
        ({"place": " "}, "place is empty: cite section"),
        ({"ground": ""}, "ground is empty: give the basis of the verdict"),
        ({"sections": {"As printed": "$x$"}}, "'As printed' has no display formula"),
    ],
)
def test_malformed_statement_is_refused(change, message):
    good = {**WORDS, "expected": "holds", "checks": (CHECK,)}
    assert Statement(**good).id == "a.b-1"
    with pytest.raises(ValueError, match=message):
        Statement(**{**good, **change})


RESTORATION = {"restored": "The proof.", "fails": "By a factor of 2.", "cause": "a sign"}
RESTORED = Check(form="restored", name="c", run=lambda context: evidence("restored", "holds"))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"copy": "burnt"}, "copy='burnt' is not one of 'printed', 'lost', 'none'"),
        ({"copy": "lost"}, "a check of the printed form"),
        ({"checks": (RESTORED,)}, "a check of the restored form"),
        ({"copy": "none", "checks": (RESTORED,)}, "a check of the restored form"),
        ({"expected": RESTORED_HOLDS}, "as restored if and only if the source text lacks it"),
        (
            {"copy": "lost", "checks": (RESTORED,), "expected": "refuted"},
            "as restored if and only if the source text lacks it",
        ),
    ],
)
def test_a_lost_formula_cannot_pass_for_printed(change, message):
    lost = {"copy": "lost", "checks": (RESTORED,), "expected": RESTORED_REFUTED, **RESTORATION}
    assert Statement(**WORDS, **lost).copy == "lost"
    with pytest.raises(ValueError, match=message):
        Statement(**{**WORDS, "expected": "holds", "checks": (CHECK,), **change})


@pytest.mark.parametrize(
    ("exact", "resolution", "status"),
    [(1.0, None, "holds"), (1.2, None, "refuted"), (1.0, 0.1, "inconclusive"), (1.0, 0.2, "holds")],
)
def test_a_claimed_value_is_compared_with_an_interval(exact, resolution, status):
    found = Evidence.from_interval(
        form="proved",
        check="c",
        claim="x",
        observed=1.0,
        exact=exact,
        interval=(0.9, 1.09),
        resolution=resolution,
    )
    assert found.status == status
    assert found.false_alarm == 0
    assert (found.margin < 0) == (status == "refuted")


@pytest.mark.parametrize(
    ("bounds", "status", "nearer"),
    [
        ({"lower": 0.0}, "holds", 0.0),
        ({"upper": 3.0}, "holds", 3.0),
        ({"lower": 1.5}, "inconclusive", 1.5),
        ({"lower": 2.5}, "refuted", 2.5),
        ({"upper": 0.5}, "refuted", 0.5),
        ({"lower": -9.0, "upper": 2.5}, "holds", 2.5),
    ],
)
def test_claimed_bounds_are_compared_with_an_interval(bounds, status, nearer):
    found = Evidence.from_interval(
        form="printed", check="c", claim="x", observed=1.5, interval=(1.0, 2.0), **bounds
    )
    assert found.status == status
    assert found.exact == nearer
    assert (found.margin >= 0) == (status == "holds")


@pytest.mark.parametrize("interval", [(1.0, 0.0), (math.nan, 1.0)])
def test_empty_interval_is_refused(interval):
    with pytest.raises(ValueError, match="empty or NaN"):
        Evidence.from_interval(
            form="printed", check="c", claim="x", observed=1, exact=1, interval=interval
        )


def test_a_claim_of_nan_is_refuted_and_a_bound_of_nan_decides_nothing():
    ends = {"claim": "x", "observed": 1.5, "interval": (1.0, 2.0)}
    assert Evidence.from_interval(exact=math.nan, **ends).status == "refuted"
    assert Evidence.from_interval(upper=math.nan, **ends).status == "inconclusive"


@pytest.mark.parametrize("claim", [{}, {"exact": 1.0, "upper": 2.0}])
def test_a_value_or_bounds_are_claimed_not_both(claim):
    with pytest.raises(ValueError, match="exact=, or bounds"):
        Evidence.from_interval(claim="x", observed=1.5, interval=(1.0, 2.0), **claim)


def test_evidence_from_a_verdict_keeps_its_numbers():
    samples = Context(ledger=Ledger()).rng("x").standard_normal(20_000)
    verdict = check_mean(samples, 0.0, variance=1.0, resolution=0.2, name="mean")
    found = Evidence.from_verdict(verdict, form="proved")
    for name in ("status", "observed", "exact", "interval", "n_features", "false_alarm", "method"):
        assert getattr(found, name) == getattr(verdict, name)
    # A scalar claim has scale 1: relative and absolute agree.
    assert found.resolution == verdict.resolution
    assert found.detectable == verdict.detectable


@pytest.mark.parametrize("level", ["quick", "full"])
def test_random_streams_depend_on_seed_statement_and_label_alone(level):
    def first(seed: int = 0, statement: str = "a", label: str = "x") -> float:
        context = Context(ledger=Ledger(), seed=seed, statement=statement, level=level)
        return float(context.rng(label).random())

    assert first() == first()
    assert len({first(), first(seed=1), first(statement="b"), first(label="y")}) == 4


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"level": "slow"}, "level='slow' is not one of 'quick', 'full'"),
        ({"backend": "tensorflow"}, "backend='tensorflow' is not one of 'numpy'"),
        ({"seed": -1}, "seed=-1 must be at least 0"),
        ({"seed": 1.0}, "seed=1.0 must be an integer"),
        ({"false_alarm": 0.0}, "false_alarm=0.0 must be a probability"),
        ({"false_alarm": math.nan}, "false_alarm=nan must be a probability"),
    ],
)
def test_bad_context_is_refused(change, message):
    with pytest.raises((TypeError, ValueError), match=message):
        Context(ledger=Ledger(), **change)


def test_missing_backend_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    context = Context(ledger=Ledger(), backend="torch")
    with pytest.raises(ValueError, match=r"backend='torch' is not installed .*\.\[torch\]"):
        context.like()


def test_rows_reach_the_backend():
    import numpy as np

    rows = np.arange(6.0).reshape(3, 2)
    rows.flags.writeable = False
    for backend in ("numpy", "torch", "jax", "cupy", "dask"):
        context = Context(ledger=Ledger(), backend=backend)
        try:
            moved = context.asarray(rows)
        except ValueError as error:
            assert "choose --backend numpy" in str(error)  # noqa: PT017 - not installed here
            continue
        assert tuple(moved.shape) == (3, 2)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"kind": "bars"}, "kind='bars' is not one of"),
        ({"y": [1, 2, 3]}, "y has 3 values and x has 2"),
        ({"y": None}, "give y"),
        ({"y_low": [0, 0]}, "only one of y_low and y_high"),
        ({"kind": "band"}, "is a band: give y_low and y_high"),
    ],
)
def test_malformed_series_is_refused(change, message):
    with pytest.raises(ValueError, match=message):
        Series(**{"label": "s", "x": [0, 1], "y": [1, 2], **change})


def test_empty_plot_is_refused():
    with pytest.raises(ValueError, match="has no series"):
        Plot(title="t", x_label="x", y_label="y", series=())
