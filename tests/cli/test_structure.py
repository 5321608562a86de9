"""`mehler verify` refutes what is built wrongly, and says why in its first line."""

import json
from pathlib import Path

import pytest

from tests.cli.test_cli import call
from tests.cli.test_verify import COARSE
from tests.verify import defective_maps
from tests.verify.defective_maps import DEFECTS

THIRD_PARTY = Path(__file__).parents[2] / "docs" / "third_party"
MAPS = defective_maps.__file__
# Of those that are looked at in other files in process too.
SAMPLED = ("seed_or_none", "each_twice")


def verify(out, name, *options):
    target = name if ":" in name else f"{MAPS}:{name}"
    written = out / "found.json"
    status = call("verify", target, "--kernel", "rbf", *options, "--json", str(written))
    return status, json.loads(written.read_text(encoding="utf-8"))


def sampled(names):
    return [
        pytest.param(name, marks=[] if name in SAMPLED else [pytest.mark.full]) for name in names
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", sampled(DEFECTS))
@pytest.mark.sampled(1)
def test_its_twin_holds(tmp_path, name):
    status, result = verify(tmp_path, f"{name}_twin", *COARSE)
    assert (status, result["status"]) == (0, "holds")
    outcome = {line["check"]: line["status"] for line in result["evidence"]}
    assert outcome == {"kernel": "holds", "structure": "holds"}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:n_components > n_samples")
@pytest.mark.parametrize(
    ("target", "kernel", "options"),
    [
        ("sklearn.kernel_approximation:Nystroem", "rbf", ("--features", "12")),
        ("sklearn.kernel_approximation:SkewedChi2Sampler", "skewed-chi2", ()),
        ("sklearn.kernel_approximation:PolynomialCountSketch", "polynomial", ()),
        (f"{THIRD_PARTY / 'chi2_floats.py'}:Floats", "additive-chi2", ("--resolution", "0.3")),
        ("mehler:MaxoutCodes", "collision", ("--arg", "pool_size=3", "--param", "q=3")),
    ],
)
@pytest.mark.sampled(1)
def test_maps_that_depend_on_rows_signs_and_codes_are_built_rightly(
    tmp_path, target, kernel, options
):
    file = tmp_path / "found.json"
    line = ("verify", target, "--kernel", kernel, *COARSE, *options, "--json", str(file))
    call(*line)
    result = json.loads(file.read_text(encoding="utf-8"))
    built = [entry for entry in result["evidence"] if entry["check"] == "structure"]
    assert [entry["status"] for entry in built] == ["holds"]


def test_every_defect_has_a_twin():
    assert len(DEFECTS) == 23
    for name in DEFECTS:
        assert callable(getattr(defective_maps, name))
        assert callable(getattr(defective_maps, f"{name}_twin"))
