"""mehler's own maps meet every requirement; each requirement refuses a map that breaks it."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

import mehler
from mehler.features import groups
from mehler.verify import Ledger, conformance
from tests.verify.conforming import Rectified, Unnamed

# What breaks, and the requirements that it breaks.
DEFECTS = {
    "widens": {"shape"},
    "writes its input": {"input"},
    "centres its rows": {"rows"},
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
    "deaf to its seed": {"seeds"},
    "its own seeds": {"seeds"},
    "divides by lengths": {"finite"},
}


def named(factory):
    return {requirement.name: requirement for requirement in conformance.checks(factory)}


@conformance.parametrize(Rectified)
def test_a_small_map_conforms(requirement):
    requirement()


# Thousands of draws each: the small map and the maxout map stand for the others by default.
SLOW = ("variance", "convergence", "seeds")
DRAWS = {
    "maxout": functools.partial(mehler.MaxoutFeatures.draw, 3, pool_size=4),
    "centred": functools.partial(mehler.MaxoutFeatures.draw, 3, pool_size=4, centred=True),
    "shared": functools.partial(mehler.MaxoutFeatures.draw, 3, pool_size=8, n_projections=400),
    "next": functools.partial(mehler.DecoupledMaxoutFeatures.draw, 3, pool_size=4),
    "fresh": functools.partial(
        mehler.DecoupledMaxoutFeatures.draw, 3, pool_size=4, directions="fresh"
    ),
    "codes": functools.partial(mehler.MaxoutCodes.draw, 3, pool_size=4),
    "fourier": functools.partial(mehler.FourierFeatures.draw, 3, gamma=0.3),
    "offset": functools.partial(mehler.FourierFeatures.draw, 3, gamma=0.3, form="offset"),
    "laplacian": functools.partial(
        mehler.FourierFeatures.draw, 3, kernel="laplacian", gamma=0.3, form="offset"
    ),
    "matern": functools.partial(mehler.FourierFeatures.draw, 3, kernel="matern"),
    "fourier-orthogonal": functools.partial(
        mehler.FourierFeatures.draw, 3, gamma=0.3, projections="orthogonal"
    ),
    "maxout-hadamard": functools.partial(
        mehler.MaxoutFeatures.draw, 3, pool_size=4, projections="hadamard"
    ),
    "invariant": functools.partial(
        mehler.GroupInvariantFeatures.draw, 3, group=groups.CyclicShifts(3), n_bins=4
    ),
    "not-invariant": functools.partial(
        mehler.GroupInvariantFeatures.draw, 3, group=groups.Trivial(3), n_bins=2
    ),
    "invariant-sampled": functools.partial(
        mehler.GroupInvariantFeatures.draw, 3, group=groups.SignFlips(3), n_bins=1, n_elements=3
    ),
}
OPTIONS = {
    # A bound on the variance is declared, and a fixed number of projections does not converge.
    "shared": {"n_features": 64, "resolution": 0.2, "leave_out": ("variance", "convergence")},
    # Whole draws are the samples.
    "fourier-orthogonal": {"n_features": 24},
    "maxout-hadamard": {"n_features": 24, "leave_out": ("variance",)},
    # Bounds on the variance are declared, save for single elements.
    "invariant": {"leave_out": ("variance",)},
    "invariant-sampled": {"n_features": 64, "leave_out": ("variance", "convergence")},
}


@conformance.parametrize(DRAWS["maxout"], n_features=128)
def test_maxout_conforms(requirement):
    requirement()


OTHERS = [
    pytest.param(
        requirement,
        id=f"{name}-{requirement.name}",
        marks=[pytest.mark.full] if requirement.name in SLOW else [],
    )
    for name, draw in DRAWS.items()
    if name != "maxout"
    for requirement in conformance.checks(draw, **OPTIONS.get(name, {}))
]


@pytest.mark.parametrize("requirement", OTHERS)
def test_the_other_maps_conform(requirement):
    requirement()


@pytest.mark.full
def test_fixed_projections_do_not_converge():
    """What is left out for shared projections is left out because it is false."""
    draw = functools.partial(mehler.MaxoutFeatures.draw, 3, pool_size=2, n_projections=8)
    with pytest.raises(AssertionError, match="shared, repeated or dependent"):
        named(draw)["convergence"]()


@pytest.mark.parametrize("defect", DEFECTS)
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
    assert [line for line in page.splitlines() if line.startswith("| `")] == rows
