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
    ("pieces", "verdict"),
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
def test_verdict_follows_from_all_evidence(pieces, verdict):
    assert verdict_of([evidence(*arguments) for arguments in pieces]) == verdict


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
CHECK, RESTORED = (
    Check(form=form, name="c", run=lambda context, form=form: evidence(form, "holds"))
    for form in ("printed", "restored")
)
GOOD = {**WORDS, "expected": "holds", "checks": (CHECK,)}
LOST = {"copy": "lost", "checks": (RESTORED,), "expected": RESTORED_REFUTED}
RESTORATION = {"restored": "The proof.", "fails": "By a factor of 2.", "cause": "a sign"}
ENDS = {"claim": "x", "observed": 1.5, "interval": (1.0, 2.0)}
# What is made, of what is right, and wrong changes of it with words.
REFUSED = [
    (Statement, GOOD, [
        ({"id": "Theorem 1"}, "id='Theorem 1' is malformed"),
        ({"expected": "true"}, "expected='true' is not one of"),
        ({"checks": ()}, "not both or neither"),
        ({"expected": "not computable"}, "not both or neither"),
        ({"expected": "not computable", "checks": ()}, "note is empty"),
        ({"hypotheses": ""}, "a.b-1: hypotheses is empty: list all assumptions"),
        ({"place": " "}, "place is empty: cite section"),
        ({"ground": ""}, "ground is empty: give the basis of the verdict"),
        ({"sections": {"As printed": "$x$"}}, "'As printed' has no display formula"),
        ({"copy": "burnt"}, "copy='burnt' is not one of 'printed', 'lost', 'none'"),
        ({"copy": "lost"}, "a check of the printed form"),
        ({"checks": (RESTORED,)}, "a check of the restored form"),
        ({"copy": "none", "checks": (RESTORED,)}, "a check of the restored form"),
        ({"expected": RESTORED_HOLDS}, "as restored if and only if the source text lacks it"),
        ({**LOST, "expected": "refuted"}, "as restored if and only if the source text lacks it"),
    ]),
    (Evidence.from_interval, ENDS | {"exact": 1.0}, [
        *(({"interval": ends}, "empty or NaN") for ends in ((1.0, 0.0), (math.nan, 1.0))),
        *((claim, "exact=, or bounds") for claim in ({"exact": None}, {"upper": 2.0})),
    ]),
    (Context, {"ledger": Ledger()}, [
        ({"level": "slow"}, "level='slow' is not one of 'quick', 'full'"),
        ({"backend": "tensorflow"}, "backend='tensorflow' is not one of 'numpy'"),
        ({"seed": -1}, "seed=-1 must be at least 0"), ({"seed": 1.0}, "1.0 must be an integer"),
        ({"false_alarm": 0.0}, "false_alarm=0.0 must be a probability"),
        ({"false_alarm": math.nan}, "false_alarm=nan must be a probability"),
    ]),
    (Series, {"label": "s", "x": [0, 1], "y": [1, 2]}, [
        ({"kind": "bars"}, "kind='bars' is not one of"),
        ({"y": [1, 2, 3]}, "y has 3 values and x has 2"), ({"y": None}, "give y"),
        ({"y_low": [0, 0]}, "only one of y_low and y_high"),
        ({"kind": "band"}, "is a band: give y_low and y_high"),
    ]),
    (Plot, {"title": "t", "x_label": "x", "y_label": "y", "series": [
        Series(label="s", x=[0], y=[1])]}, [({"series": ()}, "has no series")]),
    (lambda pieces: verdict_of(pieces), {"pieces": [evidence("proved", "holds")]}, [
        ({"pieces": [evidence("proved", "holds"), evidence("", "refuted")]}, "1. has no form")]),
]  # fmt: skip


@pytest.mark.parametrize(("make", "right", "cases"), REFUSED, ids=lambda x: type(x).__name__)
def test_what_is_malformed_is_refused(make, right, cases):
    make(**right)
    for wrong, words in cases:
        with pytest.raises((TypeError, ValueError), match=words):
            make(**right | wrong)


def test_a_lost_formula_does_not_pass_for_printed():
    assert Statement(**WORDS, **LOST, **RESTORATION).copy == "lost"


@pytest.mark.parametrize(
    ("exact", "resolution", "status"),
    [(1.0, None, "holds"), (1.2, None, "refuted"), (1.0, 0.1, "inconclusive"), (1.0, 0.2, "holds")],
)
def test_a_claimed_value_is_compared_with_an_interval(exact, resolution, status):
    outcome = Evidence.from_interval(
        form="proved",
        check="c",
        claim="x",
        observed=1.0,
        exact=exact,
        interval=(0.9, 1.09),
        resolution=resolution,
    )
    assert outcome.status == status
    assert outcome.false_alarm == 0
    assert (outcome.margin < 0) == (status == "refuted")


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
    outcome = Evidence.from_interval(
        form="printed", check="c", claim="x", observed=1.5, interval=(1.0, 2.0), **bounds
    )
    assert outcome.status == status
    assert outcome.exact == nearer
    assert (outcome.margin >= 0) == (status == "holds")


def test_a_claim_of_nan_is_refuted_and_a_bound_of_nan_decides_nothing():
    ends = {"claim": "x", "observed": 1.5, "interval": (1.0, 2.0)}
    assert Evidence.from_interval(exact=math.nan, **ends).status == "refuted"
    assert Evidence.from_interval(upper=math.nan, **ends).status == "inconclusive"


def test_evidence_from_a_verdict_keeps_its_numbers():
    samples = Context(ledger=Ledger()).rng("x").standard_normal(20_000)
    verdict = check_mean(samples, 0.0, variance=1.0, resolution=0.2, name="mean")
    outcome = Evidence.from_verdict(verdict, form="proved")
    for name in ("status", "observed", "exact", "interval", "n_features", "false_alarm", "method"):
        assert getattr(outcome, name) == getattr(verdict, name)
    # A scalar claim has scale 1: relative and absolute agree.
    assert outcome.resolution == verdict.resolution
    assert outcome.detectable == verdict.detectable


@pytest.mark.parametrize("level", ["quick", "full"])
def test_random_streams_depend_on_seed_statement_and_label_alone(level):
    def first(seed: int = 0, statement: str = "a", label: str = "x") -> float:
        context = Context(ledger=Ledger(), seed=seed, statement=statement, level=level)
        return float(context.rng(label).random())

    assert first() == first()
    assert len({first(), first(seed=1), first(statement="b"), first(label="y")}) == 4


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
            there = context.asarray(rows)
        except ValueError as error:
            assert "choose --backend numpy" in str(error)  # noqa: PT017 - not installed here
            continue
        assert tuple(there.shape) == (3, 2)
