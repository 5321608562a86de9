"""One entry a printed statement, with its parts, and whose verdict each is."""

import json

import pytest

from mehler.cli import main
from mehler.statements import discover
from mehler.statements._discover import entries, listing, summary

FOUND = {name["statement"]: name["parts"] for name in entries(discover("*"))}


def test_every_statement_is_a_part_of_one_entry() -> None:
    ids = [part["id"] for parts in FOUND.values() for part in parts]
    assert sorted(ids) == sorted(name.id for name in discover("*"))


@pytest.mark.parametrize(
    ("statement", "ids"),
    [
        (
            "Mroueh, Voinea, Poggio (2015), Theorem 1",
            ["theorem-1", "theorem-1-limit", "theorem-1-positive"],
        ),
        # A known result that names another paper's lemma is no part of it.
        ("Mroueh, Voinea, Poggio (2015), Lemma 7", ["lemma-7"]),
    ],
)
def test_parts_stand_together(statement: str, ids: list[str]) -> None:
    assert [part["id"] for part in FOUND[statement]] == [f"group-invariant.{name}" for name in ids]


def test_what_is_ours_is_no_part_of_a_print() -> None:
    ours = {part["id"] for parts in FOUND.values() for part in parts if "own" in part["of"]}
    assert {"maxout.decoupled-kernel", "features.ridge"} <= ours
    printed = FOUND["Mroueh, Rennie, Goel (2015), Theorem 1"]
    assert [part["id"] for part in printed] == [
        "maxout.theorem-1-kernel",
        "maxout.theorem-1-series",
    ]
    assert all(part["of"] == "the published form" for part in printed)


def test_a_lost_formula_is_never_the_prints_verdict() -> None:
    for parts in FOUND.values():
        for part in parts:
            lost = "not in the source text" in part["of"]
            assert lost == ("formula" in part) == ("restored" in part), part["id"]
            judged = lost and part["expected"] != "not computable"
            assert judged == part["expected"].endswith("as restored"), part["id"]
            assert judged == ("restored" in part["checks"]), part["id"]


def test_the_first_line_counts_published_and_restored_forms_apart() -> None:
    rows = [("printed", "holds", "")] * 2 + [("printed", "refuted, repaired", "")]
    rows += [("lost", "holds as restored", ""), ("lost", "not computable", "")]
    rows += [("lost", "refuted as restored", "a factor")] * 2
    rows += [("lost", "refuted as restored", "pairs"), ("none", "holds", "")]
    assert summary(rows) == (
        "3 published forms judged: 2 hold, 1 refuted and repaired. "
        "4 restored: 1 holds, 3 do not, for two reasons. 1 of our own: 1 holds. 1 not computable"
    )
    assert summary(rows[:1]) == "1 published form judged: 1 holds"
    said = listing(discover("*")).splitlines()[0]
    assert "published forms judged: " in said
    assert " do not, for " in said


def test_the_command_lists_them(capsys) -> None:
    for words in (["--parts"], ["--parts", "--json"]):
        with pytest.raises(SystemExit) as caught:
            main(["statements", *words])
        assert caught.value.code == 0
        said = capsys.readouterr().out
        if "--json" in words:
            assert json.loads(said) == entries(discover("*"))
        else:
            assert said == listing(discover("*")) + "\n"
            assert "  leverage.lemma-7: " in said
