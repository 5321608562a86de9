"""Every public callable answers, or refuses by the name of the argument."""

import subprocess
import sys

import numpy as np
import pytest

import mehler
from tests.package.fuzz.calls import Call, public
from tests.package.fuzz.hostile import Change, changes
from tests.package.fuzz.judge import judge

# Rooms whose examples take no seconds to record; the full level records all.
QUICK = "mehler.exact.orbits,mehler.exact.certified,mehler.features.groups,mehler.learn"


@pytest.mark.parametrize(
    "options",
    [
        ("--calls", "120", "--modules", QUICK),
        pytest.param(("--calls", "5000"), marks=pytest.mark.full),
    ],
    ids=["quick", "all"],
)
def test_changed_arguments_are_refused_by_name(options):
    command = [sys.executable, "-W", "ignore", "-m", "tests.package.fuzz", *options]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (run.returncode, run.stderr) == (0, ""), run.stdout


def test_all_packages_are_walked():
    names = public()
    assert len(names) > 200
    assert {"mehler.MaxoutFeatures", "mehler.verify.check_kernel", "mehler.learn.ridge"} <= set(
        names
    )


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
    [change] = [change for change in changes(call.arguments[argument]) if change.label == label]
    assert judge(call, argument, change).kind == kind


def test_the_judge_sees_hangs_and_other_answers():
    def slow(n):
        while n > 5:
            pass
        return n

    assert judge(Call("slow", slow, {"n": 1}), "n", Change("many", 10), 0.2).kind == "hang"
    by_kind = Call("by_kind", lambda n: n if isinstance(n, int) else n + 1, {"n": 3})
    assert judge(by_kind, "n", Change("int64", np.int64(3), same=True)).kind == "another answer"


def test_the_judge_tells_the_examples_errors_from_our_own():
    """A function of the example may know NumPy alone; what mehler raises is mehler's."""
    theirs: dict = {}
    exec(compile("def mean(x):\n    return x.mean()", "<doctest mean>", "exec"), theirs)
    change = Change("of lists", [1.0], False, True)
    call = Call("mean", lambda x: theirs["mean"](x), {"x": np.ones(3)})
    assert judge(call, "x", change).kind == "refused"
    ours = Call("ours", lambda x: mehler.exact.orbits.Bins(x.mean()), {"x": np.ones(3)})
    assert judge(ours, "x", change).kind == "unrelated exception"
