"""A run: every outcome is in the report, and decides the exit status."""

import json
import math

import pytest

from mehler import report
from mehler.report._model import json_value
from mehler.statements import Check, Evidence
from tests.report import toys


def run(*statements, **options):
    return report.run(statements, with_data=False, **options)


@pytest.mark.parametrize(
    ("statements", "verdicts", "status"),
    [
        ((toys.TRUE,), ["holds"], 0),
        (
            (toys.TRUE, toys.REPAIRED, toys.SILENT),
            ["holds", "refuted, repaired", "not computable"],
            0,
        ),
        ((toys.LOST,), [toys.RESTORED_REFUTED], 0),
        ((toys.TRUE, toys.WRONG), ["holds", "refuted"], 1),
        ((toys.UNDECIDED,), ["inconclusive"], 3),
        ((toys.UNDECIDED, toys.WRONG), ["inconclusive", "refuted"], 1),
        ((toys.BROKEN, toys.WRONG), ["error", "refuted"], 2),
    ],
)
def test_exit_status(statements, verdicts, status):
    result = run(*statements)
    assert [entry.verdict for entry in result.statements] == verdicts
    assert result.exit_status == status
    ids = [entry.id for entry in result.unexpected]
    assert all(name in result.headline for name in ids)
    assert ("not come out as expected" in result.headline) == bool(ids)
    assert ("judged: " in result.headline or "restored: " in result.headline) == (not ids)


@pytest.mark.parametrize(
    "returned", [None, Evidence(form="proved", check="c", status="holds", claim="x")]
)
def test_a_check_that_returns_something_else_is_reported(returned):
    check = Check(form="printed", name="c", run=lambda context: returned)
    result = run(toys.statement("odd", "holds", check))
    assert result.exit_status == 2


def test_one_statement_alone_repeats_what_it_saw_among_all():
    together = run(toys.TRUE, toys.REPAIRED, seed=5).statements[1]
    alone = run(toys.REPAIRED, seed=5).statements[0]
    assert alone.evidence == together.evidence
    assert alone.evidence != run(toys.REPAIRED, seed=6).statements[0].evidence


def test_replay_line_says_how():
    (result,) = run(toys.TRUE, seed=5, false_alarm=1e-7).statements
    assert result.evidence[0].replay == (
        "mehler report --statements toy.true --level quick --seed 5 --backend numpy "
        "--false-alarm 1e-07"
    )


def test_a_run_beyond_its_budget_is_an_error_not_a_pass():
    many = toys.statement("many", "holds", *[toys.check(1.0, "printed")] * 3)
    # The budget is capped at 1/2: one look at 0.3 fits, two do not.
    result = run(many, false_alarm=0.3)
    assert [e.status for e in result.statements[0].evidence] == ["holds", "error", "error"]
    assert result.exit_status == 2


def test_progress_has_the_outcome_of_each_statement_as_it_ends():
    calls = []
    run(toys.TRUE, toys.SILENT, progress=lambda *args: calls.append(args))
    assert calls == [("toy.true: holds", 1, 2), ("toy.silent: not computable", 2, 2)]


def test_patterns_are_no_statements():
    with pytest.raises(TypeError, match=r"what mehler\.statements\.discover"):
        run("maxout.*")


def test_numbers_that_json_lacks_come_back_through_float():
    values = {"a": math.inf, "b": [-math.inf], "c": math.nan, "d": 1.5}
    text = json.dumps(json_value(values), allow_nan=False)
    back = json.loads(text)
    assert float(back["a"]) == math.inf
    assert float(back["b"][0]) == -math.inf
    assert math.isnan(float(back["c"]))
    assert back["d"] == 1.5
    with pytest.raises(TypeError, match="cannot be written to a JSON"):
        json_value(object())


def test_json_holds_the_keys_and_the_plots_of_the_page():
    result = run(toys.TRUE, toys.REPAIRED).to_dict()
    assert {"schema", "provenance", "ledger", "data", "statements", "exit_status"} <= set(result)
    assert result["schema"] == "mehler-report/6"
    entry = result["statements"][1]
    keys = {"id", "source", "title", "expected", "verdict", "evidence"}
    assert keys <= set(entry)
    assert entry["evidence"][0]["margin"] < 0 < entry["evidence"][1]["margin"]
    assert entry["evidence"][0]["plots"][0]["series"][0]["y"] == [3.0, 3.0, 3.0]
    provenance = result["provenance"]
    assert {"mehler", "python", "numpy", "backend", "platform", "date", "seed"} <= set(provenance)
