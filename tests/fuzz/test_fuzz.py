"""Every public callable answers, or refuses by the name of the argument."""

from __future__ import annotations

import numpy as np
import pytest

from tests.fuzz.__main__ import drawn, run
from tests.fuzz.calls import Call, modules, public, recorded
from tests.fuzz.hostile import Change, changes
from tests.fuzz.judge import FINE, judge

# Rooms whose examples take seconds to record; the full level records all.
QUICK = ("mehler.exact.orbits", "mehler.exact.certified", "mehler.features.groups", "mehler.learn")


def wrong(n_calls: int, seed: int, names: list[str]) -> list[str]:
    outcomes = run(drawn(recorded(names), n_calls, seed))
    assert len(outcomes) == n_calls
    return sorted({str(one) for one in outcomes if one.kind not in FINE})


def test_changed_arguments_are_refused_by_name():
    assert wrong(500, 0, [name for name in modules() if name.startswith(QUICK)]) == []


@pytest.mark.full
def test_changed_arguments_of_all_callables_are_refused_by_name():
    assert wrong(5000, 0, modules()) == []


def test_all_packages_are_walked():
    names = public()
    assert len(names) > 300
    for name in ("mehler.MaxoutFeatures", "mehler.verify.check_kernel", "mehler.learn.ridge"):
        assert name in names


def scaled(x, factor):
    """Stands for a function that looks at nothing."""
    return x.clip(-1, 1) * factor


@pytest.mark.parametrize(
    ("argument", "label", "kind"),
    [
        ("x", "list", "unrelated exception"),
        ("factor", "object", "names no argument"),
        ("factor", "float64", "answered"),
    ],
)
def test_the_judge_sees_what_a_careless_function_does(argument, label, kind):
    call = Call("careless", scaled, {"x": np.ones(3), "factor": 2.0})
    [change] = [one for one in changes(call.arguments[argument]) if one.label == label]
    assert judge(call, argument, change).kind == kind


def test_the_judge_sees_hangs_and_other_answers():
    def slow(n):
        while n > 5:
            pass
        return n

    def by_kind(n):
        return n if isinstance(n, int) else n + 1

    assert judge(Call("slow", slow, {"n": 1}), "n", Change("many", 10), 0.2).kind == "hang"
    same = Change("int64", np.int64(3), same=True)
    assert judge(Call("by_kind", by_kind, {"n": 3}), "n", same).kind == "another answer"
