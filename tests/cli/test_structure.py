"""`mehler verify` refutes what is built wrongly, and says why in its first line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.kernel_approximation import AdditiveChi2Sampler

from tests.cli import defective_maps
from tests.cli.defective_maps import DEFECTS
from tests.cli.test_cli import call
from tests.cli.test_verify import COARSE

THIRD_PARTY = Path(__file__).parents[2] / "docs" / "third_party"
MAPS = str(Path(__file__).with_name("defective_maps.py"))
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
    status, found = verify(tmp_path, f"{name}_twin", *COARSE)
    assert (status, found["status"]) == (0, "holds")
    outcome = {one["check"]: one["status"] for one in found["evidence"]}
    assert outcome == {"kernel": "holds", "structure": "holds"}


@pytest.mark.slow
def test_what_is_no_fault_is_said(capsys):
    """Remarks are lines of the command: a generator set to one value, other lengths."""
    corpus = Path(__file__).parents[1] / "verify" / "corpus" / "structure_maps.py"
    said = {
        f"{corpus}:call_reseeds": "is it set to one value by every call?",
        f"{MAPS}:clips_rows": "which you did not ask for, the claimed kernel is refuted",
    }
    for target, words in said.items():
        assert call("verify", target, "--kernel", "rbf", *COARSE) == 0
        assert re.search(rf"^  structure: .*{re.escape(words)}", capsys.readouterr().out, re.M)


KEYED = """import numpy as np


def waves(seed, n_features, key=np.cos):
    def phi(X):
        rng = np.random.default_rng(seed)
        w = np.sqrt(2.0) * rng.standard_normal((X.shape[1], n_features))
        return np.sqrt(2.0 / n_features) * key(X @ w + rng.uniform(0.0, 2.0 * np.pi, n_features))

    return phi
"""


@pytest.mark.slow
def test_a_default_that_is_no_seed_stays_what_it_is(tmp_path):
    """A function named key, say."""
    (tmp_path / "maps.py").write_text(KEYED)
    status, found = verify(tmp_path, f"{tmp_path / 'maps.py'}:waves", *COARSE)
    assert (status, found["status"]) == (0, "holds")


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
    written = tmp_path / "found.json"
    line = ("verify", target, "--kernel", kernel, *COARSE, *options, "--json", str(written))
    call(*line)
    found = json.loads(written.read_text(encoding="utf-8"))
    built = [one for one in found["evidence"] if one["check"] == "structure"]
    assert [one["status"] for one in built] == ["holds"]


@pytest.mark.full
def test_features_of_whole_numbers_that_are_cut_are_refuted(tmp_path):
    """Of scikit-learn up to 1.9.1, see docs/third-party.md; a later one may have repaired it."""
    sampler = AdditiveChi2Sampler()
    whole = np.array([[1, 2], [3, 4]])
    right = np.array_equal(sampler.fit_transform(whole), sampler.fit_transform(whole.astype(float)))
    written = tmp_path / "found.json"
    target = "sklearn.kernel_approximation:AdditiveChi2Sampler"
    call(
        "verify", target, "--kernel", "additive-chi2", "--resolution", "0.3", "--json", str(written)
    )
    found = json.loads(written.read_text(encoding="utf-8"))
    assert (found["status"] == "holds") == right
    assert right or any("wrong for integer rows" in one["reason"] for one in found["evidence"])


def test_a_fixed_map_is_looked_at_without_chance(tmp_path):
    target = f"{Path(__file__).with_name('verified_maps.py')}:identity"
    written = tmp_path / "found.json"
    assert call("verify", target, "--kernel", "linear", "--json", str(written)) == 0
    found = json.loads(written.read_text(encoding="utf-8"))
    assert found["evidence"][-1]["check"] == "structure"
    assert found["evidence"][-1]["false_alarm"] == 0.0
    assert found["ledger"]["spent"] == 0.0


def test_every_defect_has_a_twin():
    assert len(DEFECTS) == 26
    for name in DEFECTS:
        assert callable(getattr(defective_maps, name))
        assert callable(getattr(defective_maps, f"{name}_twin"))
