"""Every public callable answers, or refuses by the name of the argument."""

import subprocess
import sys

import numpy as np
import pytest

import mehler
from tests.package.fuzz.calls import Call, public
from tests.package.fuzz.hostile import Change
from tests.package.fuzz.judge import judge

# Packages whose examples take no seconds to record; the full level records all.
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


@pytest.mark.parametrize(
    ("value", "change", "kind"),
    [
        (np.ones(3), Change("list", [1.0]), "unrelated exception"),
        (2.0, Change("object", object()), "names no argument"),
        (2.0, Change("float64", np.float64(2.0), same=True), "the same answer"),
        (2.5, Change("many", 10.0), "hang"),
        (3.0, Change("other", 4.0, same=True), "another answer"),
    ],
)
def test_the_judge_sees_what_a_careless_function_does(value, change, kind):
    def careless(x):
        while isinstance(x, float) and x > 5.0:
            pass
        return x + 1.0 if isinstance(x, float) else x.clip(-1, 1)

    if kind == "names no argument":
        careless = lambda x: x + 1.0  # noqa: E731
    assert judge(Call("careless", careless, {"x": value}), "x", change, 0.2).kind == kind


def test_the_judge_tells_the_examples_errors_from_our_own():
    """A function of the example may know NumPy alone; what mehler raises is mehler's."""
    theirs: dict = {}
    exec(compile("def mean(x):\n    return x.mean()", "<doctest mean>", "exec"), theirs)
    change = Change("of lists", [1.0], False, True)
    call = Call("mean", lambda x: theirs["mean"](x), {"x": np.ones(3)})
    assert judge(call, "x", change).kind == "refused"
    ours = Call("ours", lambda x: mehler.exact.orbits.Bins(x.mean()), {"x": np.ones(3)})
    assert judge(ours, "x", change).kind == "unrelated exception"
