"""Statements that are read from Markdown, and checks that register themselves."""

import pytest

from mehler.statements import RESTORED_REFUTED, Check, Context, Evidence, Statement, check
from mehler.verify import BudgetExceeded, Ledger

PAGE = """\
---
id: toy.lemma-1
source: A paper, Lemma 1
place: Section 2: page 3
expected: refuted, repaired
hypotheses: $x$ is positive,
  and so is $y$.
ground: A number.
---

# The sum of two numbers

Both are real.

## As printed

Let $x > 0$:

$$ x + y
   = 1 , $$

for all $y$; see [another](other.md#proof) and [a picture](picture.md).

```python
## not a heading
```

## What is wrong

It is 2, by [the proof](#proof).

## As it holds

$$ x + y = 2 $$

## Proof

Add.

## Evidence

Nothing else.
"""


def evidence(context: Context, value: float = 2.0) -> Evidence:
    return Evidence.from_interval(
        form="proved", claim="2", observed=value, interval=(2.0, 2.0), exact=2.0, method="computed"
    )


def runs(form: str, name: str, pays: bool = False) -> Check:
    return Check(form=form, name=name, run=evidence, pays=pays)


CHECKS = (runs("printed", "one"), runs("proved", "two"))


@pytest.fixture
def statement_of(tmp_path):
    (tmp_path / "other.md").write_text("---\nid: toy.other\n---\n", encoding="utf-8")
    (tmp_path / "picture.md").write_text("# A page\n", encoding="utf-8")

    def from_text(text: str, checks=CHECKS) -> Statement:
        (tmp_path / "lemma_1.md").write_text(text, encoding="utf-8")
        return Statement.read(tmp_path / "lemma_1.md", checks)

    return from_text


def test_front_matter_and_sections_become_fields(statement_of):
    claim = statement_of(PAGE)
    assert (claim.id, claim.title, claim.place) == (
        *("toy.lemma-1", "The sum of two numbers", "Section 2: page 3"),
    )
    assert claim.hypotheses == "$x$ is positive, and so is $y$."
    assert (claim.printed, claim.proved) == ("x + y = 1", "x + y = 2")
    assert claim.sections["As printed"].startswith("Let $x > 0$:")
    assert claim.sections["Proof"] == "Add."
    assert (claim.copy, claim.note, claim.checks) == ("printed", "", CHECKS)
    assert [*claim.sections] == ["Setting", "As printed", "What is wrong", "As it holds", "Proof"]


def test_links_lead_to_ids(statement_of):
    text = statement_of(PAGE).sections
    assert "[another](#toy.other-proof)" in text["As printed"]
    assert "[a picture](picture.md)" in text["As printed"]
    assert text["What is wrong"] == "It is 2, by [the proof](#toy.lemma-1-proof)."


def test_a_lost_formula_is_restored(statement_of):
    lost = PAGE.replace(
        "expected: refuted, repaired",
        f"copy: lost\nexpected: {RESTORED_REFUTED}\n"
        "restored: The proof.\nfails: By 2.\ncause: a sign",
    )
    with pytest.raises(ValueError, match="'As restored' has no display formula"):
        statement_of(lost)  # the section is that of a print
    claim = statement_of(lost.replace("## As printed", "## As restored"), [runs("restored", "one")])
    assert (claim.copy, claim.printed) == ("lost", "x + y = 1")


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("ground: A number.\n", "", "lacks ground"),
        ("ground: A number.\n", "ground: A number.\nverdict: holds\n", "has verdict"),
        ("ground: A number.\n", "ground: A number.\nid: toy.lemma-2\n", "with a new key"),
        ("ground: A number.\n", "ground\n", "'ground' is not a line `key: value`"),
        ("---\n\n# ", "\n# ", "no front matter"),
        ("# The sum of two numbers\n", "", "no heading of the first level"),
        ("## What is wrong", "## As printed", "stands twice"),
        ("$$ x + y\n   = 1 , $$", "", "'As printed' has no display formula"),
    ],
)
def test_what_is_missing_is_named(statement_of, old, new, message):
    assert old in PAGE
    with pytest.raises(ValueError, match=message):
        statement_of(PAGE.replace(old, new))


def test_checks_register_themselves(statement_of, monkeypatch):
    monkeypatch.setattr("mehler.statements._statement._REGISTERED", {})

    @check("toy.lemma-1", form="proved", name="repaired", pays=True)
    def repaired(context, *, value=2.0):
        return evidence(context, value)

    @check("toy.lemma-1", form="printed", name="printed")
    def printed(context):
        return evidence(context)

    claim = statement_of(PAGE, None)
    assert [(c.form, c.name, c.run, c.pays) for c in claim.checks] == [
        ("printed", "printed", printed, False),
        ("proved", "repaired", repaired, True),
    ]
    check("toy.lemma-1", form="proved", name="repaired")(repaired)  # a module that is loaded again
    with pytest.raises(ValueError, match="rename one"):
        check("toy.lemma-1", form="proved", name="repaired")(printed)
    with pytest.raises(ValueError, match="form='wrong'"):
        check("toy.lemma-1", form="wrong", name="other")(printed)


def test_a_check_pays_once_before_it_runs():
    ledger = Ledger(budget=1e-8)
    context = Context(ledger=ledger, statement="toy.lemma-1")
    assert runs("proved", "free")(context).status == "holds"
    assert ledger.spent == 0.0
    runs("proved", "two", pays=True)(context)
    assert ledger.spent == context.false_alarm == context.pay("another") == 1e-9
    poor = Context(ledger=Ledger(budget=1e-12), statement="toy.lemma-1")
    with pytest.raises(BudgetExceeded):
        runs("proved", "two", pays=True)(poor)
