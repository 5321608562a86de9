"""The rows of each table as faults."""

import contextlib
import functools
import io
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import pytest
from mehler.proofs_checks.maxout.kernel import theorem_1_kernel

from mehler.proofs_checks import STATEMENTS
from mehler.verify import diagnose
from tests.cli.test_structure import SAMPLED
from tests.cli.test_structure import verify as by_command
from tests.learn import test_faults as learners
from tests.proofs_checks.conftest import context_for
from tests.proofs_checks.mutations import DEFECTS, ROWS, described
from tests.report import test_data_section as sections
from tests.verify import defective_maps, test_diagnosis
from tests.verify.corpus.cases import PLANTED
from tests.verify.faults import Fault, Outcome

# Computed instances cost milliseconds; of what draws features each fifth is quick enough.
DRAWN = (
    *("fourier.", "group-invariant.expectation"),
    *("maxout.figure", "maxout.theorem-1", "maxout.de"),
)
STATEMENT_OF = {check.run: statement for statement in STATEMENTS for check in statement.checks}


def _of_claim(check: Callable[..., Any], defect: dict[str, Any]) -> Outcome:
    # One pool size is enough to see a fault, and three cost three times as much.
    with mock.patch.object(theorem_1_kernel, "_QUICK", ((32, (-0.5, 0.5)),)):
        return check(context_for(STATEMENT_OF[check]), **defect).status, ""


def terms() -> Iterator[Fault]:
    """Terms and constants of claims, by the statement's own checks."""
    for number, row in enumerate(ROWS):
        name = f"{row.statement}: {row.term}, {row.change}"
        if row.check is None:
            yield Fault(system="terms of bounds", name=name, seen_by="none", because=row.because)
            continue
        yield Fault(
            system="terms of bounds",
            name=name,
            seen_by=row.check.__name__,
            run=functools.partial(_of_claim, row.check, dict(row.defect)),
            slow=row.statement.startswith(DRAWN) and number % 5 > 0,
        )


def claims() -> Iterator[Fault]:
    """What takes the place of an argument of a check."""
    for number, (check, defect, status) in enumerate(DEFECTS):
        module = check.__module__.rpartition(".")[2]
        yield Fault(
            system="checks of statements",
            name=f"{number} {module}.{check.__name__}: {described(defect)}",
            seen_by=check.__name__,
            run=functools.partial(_of_claim, check, defect),
            status=status,
        )


def maps() -> Iterator[Fault]:
    """Maps of the corpus, at the default settings of their checks."""

    def look(case: Any) -> Outcome:
        verdict = case.look(case.broken, 0)
        return verdict.status, str(verdict)

    for case in PLANTED:
        run = functools.partial(look, case)
        yield Fault(system="maps", name=f"{case.name} [{case.check}]", seen_by=case.check, run=run)


def of_estimators() -> Iterator[Fault]:
    """Slips in the solvers of the learners, by the audit of what they claim."""

    def look(name: str) -> Outcome:
        with pytest.MonkeyPatch.context() as monkeypatch:
            inject, audit = learners.FAULTS[name]
            inject(monkeypatch)
            try:
                audit()
            except AssertionError:
                return "refuted", ""
        return "holds", ""

    for name, (_, audit) in learners.FAULTS.items():
        run = functools.partial(look, name)
        yield Fault(system="learners", name=name, seen_by=audit.__name__, run=run)


def commanded() -> Iterator[Fault]:
    """Maps in a file, by ``mehler verify`` alone: the headline names the cause."""

    def look(name: str) -> Outcome:
        with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
            status, report = by_command(Path(folder), name)
        structural = name in defective_maps.STRUCTURAL
        outcome = {line["check"]: line["status"] for line in report["evidence"]}
        built = next(line["reason"] for line in report["evidence"] if line["check"] == "structure")
        if structural and status != 1 and built:
            return "refuted", built  # it is reported, which is seen
        # What is built wrongly has no statistics worth the time; a wrong law is built rightly.
        expected = {"structure": "refuted"} if structural else OF_A_WRONG_LAW
        cause = report["headline"] if outcome == expected else str(outcome)
        return report["status"] if status == 1 else str(status), cause

    for name, words in defective_maps.DEFECTS.items():
        yield Fault(
            system="command",
            name=name,
            seen_by="mehler verify",
            run=functools.partial(look, name),
            words=words,
            slow=name not in SAMPLED,
        )


def reported() -> Iterator[Fault]:
    """Parameters of a map, by the report on the user's rows."""
    for name in sections.FAULTS:
        run = functools.partial(sections.with_fault, name)
        yield Fault(system="maps of the report", name=name, seen_by="check_on_rows", run=run)


def diagnosed() -> Iterator[Fault]:
    """Features with the words of their cause, or without one where it would be worse than none."""

    def look(name: str) -> Outcome:
        draw, kernel, rows, _ = test_diagnosis.FAULTS[name]
        causes = diagnose(draw, kernel, rows, time_limit=60.0)
        return ("explained", causes[0].text) if causes else ("not explained", "")

    for name, (*_, words) in test_diagnosis.FAULTS.items():
        yield Fault(
            system="causes",
            name=name,
            seen_by="diagnose",
            run=functools.partial(look, name),
            status="not explained" if words is None else "explained",
            words=words or "",
            slow=name == "uniform weights",  # fits of four seconds
        )


OF_A_WRONG_LAW = {"kernel": "refuted", "structure": "holds"}
FAULTS = (*terms(), *claims(), *maps(), *of_estimators(), *commanded(), *reported(), *diagnosed())
