"""mehler's own maps meet every requirement; each requirement refuses a map that breaks it."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

import mehler
from mehler.verify import Ledger, conformance
from tests.verify.conforming import Rectified, Unnamed
from tests.verify.map_kinds import DRAWS, OPTIONS, SLOW

# What breaks, and the requirements that it breaks.
DEFECTS = {
    "widens": {"shape"},
    "writes its input": {"input"},
    "centres its rows": {"rows", "structure"},
    "another gram": {"gram"},
    "products without m": {"gram"},
    "a kernel that is none": {"declared-kernel"},
    "a negative variance": {"declared-variance"},
    "takes anything": {"bad-rows"},
    "a recipe without a seed": {"recipe"},
    "a fat recipe": {"recipe"},
    "pickled without its seed": {"pickle"},
    "twice as long": {"kernel"},
    "half the variance": {"variance"},
    "eight units repeated": {"convergence"},
    "deaf to its seed": {"structure", "seeds"},
    "its own seeds": {"structure", "seeds"},
    "divides by lengths": {"finite"},
}


def named(factory):
    return {requirement.name: requirement for requirement in conformance.checks(factory)}


@conformance.parametrize(Rectified)
@pytest.mark.sampled(2)
def test_a_small_map_conforms(requirement):
    requirement()


@conformance.parametrize(DRAWS["maxout"], n_features=128)
@pytest.mark.sampled(2)
def test_maxout_conforms(requirement):
    requirement()


# What is settled without chance takes milliseconds; the rest is looked at by default for these, and
# the small map and the maxout map stand for all where thousands of draws are needed.
LOOKED_AT = {
    *("centred", "shared", "next", "fresh", "codes", "pairs", "offset", "laplacian", "matern"),
    *("pairs-orthogonal", "maxout-hadamard", "invariant", "invariant-sampled", "not-invariant"),
    *("sinks-step", "sinks-relu", "sinks-tanh-bias", "plain-sampling"),
}
OTHERS = [
    pytest.param(
        requirement,
        id=f"{kind}-{requirement.name}",
        marks=[pytest.mark.full]
        if requirement.name in SLOW
        or (requirement.name in ("structure", "kernel", "finite") and kind not in LOOKED_AT)
        else [],
    )
    for kind, draw in DRAWS.items()
    if kind != "maxout"
    for requirement in conformance.checks(draw, **OPTIONS.get(kind, {}))
]


@pytest.mark.parametrize("requirement", OTHERS)
@pytest.mark.sampled(8)
def test_the_other_maps_conform(requirement):
    requirement()


@pytest.mark.full
def test_fixed_projections_do_not_converge():
    """What is left out for shared projections is left out because it is false."""
    draw = functools.partial(mehler.MaxoutFeatures.draw, 3, pool_size=2, n_projections=8)
    with pytest.raises(AssertionError, match="shared, repeated or dependent"):
        named(draw)["convergence"]()


@pytest.mark.parametrize("defect", DEFECTS)
@pytest.mark.sampled(8)
def test_a_defect_breaks_its_requirement(defect):
    requirements = named(functools.partial(Rectified, defect=defect))
    for name in DEFECTS[defect]:
        with pytest.raises(AssertionError):
            requirements[name]()


def test_a_map_without_a_recipe_is_not_done():
    with pytest.raises(AssertionError, match="has no method recipe"):
        named(Unnamed)["parts"]()


def test_every_requirement_can_fail():
    broken = set().union(*DEFECTS.values()) | {"parts"}
    assert broken == {requirement.name for requirement in conformance.checks(Rectified)}


def test_statistical_requirements_are_paid_for():
    ledger = Ledger()
    for requirement in conformance.checks(Rectified, ledger=ledger, leave_out=SLOW):
        requirement()
    assert 0.0 < ledger.spent <= 1e-9 * len(ledger.entries)


def test_nothing_is_drawn_before_a_requirement_is_called():
    conformance.checks(lambda n_features, seed: 1 / 0)


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"n_features": 0}, ValueError, "n_features=0"),
        ({"resolution": 3.0}, ValueError, "vacuous"),
        ({"false_alarm": 0.0}, ValueError, "false_alarm=0.0"),
        ({"leave_out": ["speed"]}, ValueError, "leave_out"),
    ],
)
def test_bad_options_are_refused(options, error, message):
    with pytest.raises(error, match=message):
        conformance.checks(Rectified, **options)
    with pytest.raises(TypeError, match="factory=3"):
        conformance.checks(3)


def test_the_page_lists_every_requirement():
    page = (Path(__file__).parents[2] / "docs" / "conformance.md").read_text(encoding="utf-8")
    rows = [f"| `{r.name}` | {r.says} |" for r in conformance.checks(Rectified)]
    listed = page[page.index("| requirement") :].split("\n\n")[0].splitlines()
    assert [line for line in listed if line.startswith("| `")] == rows
