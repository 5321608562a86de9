"""Every public callable answers, or refuses by the name of the argument."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import mehler
from tests.fuzz.calls import Call, public
from tests.fuzz.hostile import Change, changes
from tests.fuzz.judge import judge

# Rooms whose examples take no seconds to record; the full level records all.
QUICK = "mehler.exact.orbits,mehler.exact.certified,mehler.features.groups,mehler.learn"


def changed(*options: str) -> subprocess.CompletedProcess[str]:
    """Run in a process of its own, since what hangs is killed and what is killed was forked."""
    command = [sys.executable, "-W", "ignore", "-m", "tests.fuzz", *options]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def test_changed_arguments_are_refused_by_name():
    done = changed("--calls", "250", "--modules", QUICK)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout


@pytest.mark.full
def test_changed_arguments_of_all_callables_are_refused_by_name():
    done = changed("--calls", "5000")
    assert done.returncode == 0, done.stdout


def test_all_packages_are_walked():
    names = public()
    assert len(names) > 200
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
        ("factor", "float64", "the same answer"),
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


def test_the_judge_tells_the_examples_errors_from_our_own():
    """A function of the example may know NumPy alone; what mehler raises is mehler's."""
    example = compile("def mean(x):\n    return x.mean()", "<doctest mean>", "exec")
    theirs: dict = {}
    exec(example, theirs)
    call = Call("mean", lambda x: theirs["mean"](x), {"x": np.ones(3)})
    assert judge(call, "x", Change("of lists", [1.0], False, True)).kind == "refused"
    ours = Call("ours", lambda x: mehler.exact.orbits.Bins(x.mean()), {"x": np.ones(3)})
    assert judge(ours, "x", Change("of lists", [1.0], False, True)).kind == "unrelated exception"
