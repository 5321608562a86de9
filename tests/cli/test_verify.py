"""`mehler verify`: how maps are read, what the statuses say, that the cause is named."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from mehler import recheck
from mehler.audit._import import Imports
from mehler.audit._target import read_target
from tests.cli.test_cli import call, refusal

__all__ = ["refusal"]

MAPS = str(Path(__file__).with_name("verified_maps.py"))
# At the default resolution a run takes 3 to 10 seconds; these differ in nothing else.
COARSE = ("--resolution", "0.2", "--false-alarm", "1e-6")


def verify(out, name, kernel, *options):
    target = name if ":" in name else f"{MAPS}:{name}"
    status = call("verify", target, "--kernel", kernel, *COARSE, *options, "--out", str(out))
    found = json.loads((out / "report.json").read_text(encoding="utf-8"))
    assert found["exit_status"] == status
    return status, found


@pytest.mark.parametrize(
    ("name", "options", "assumed"),
    [
        ("sklearn.kernel_approximation:RBFSampler", (), "a transformer class"),
        ("tests.cli.verified_maps:instance", ("--param", "gamma=0.5"), "a transformer,"),
        ("instance", ("--arg", "gamma=2", "--param", "gamma=2"), "a transformer,"),
        ("transformer", (), "a function without arguments, which returned a transformer"),
        ("sized", (), "a draw function seed -> map, with n_features=250"),
        ("sized", ("--arg", "gamma=3", "--param", "gamma=3"), "a draw function"),
        ("sized", ("--features", "200"), "n_features=200"),
    ],
)
@pytest.mark.sampled(1)
def test_a_right_map_holds_however_it_is_named(tmp_path, name, options, assumed, capsys):
    status, found = verify(tmp_path, name, "rbf", *options)
    assert (status, found["status"]) == (0, "holds")
    assert assumed in found["assumed"]
    assert set(os.listdir(tmp_path)) == {"report.html", "report.json", "summary.md"}
    printed = capsys.readouterr().out
    assert printed.startswith(found["headline"])
    assert "taken for" in printed


@pytest.mark.full
def test_nothing_is_written_unless_asked_for(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    line = ("verify", f"{MAPS}:sized", "--kernel", "rbf", "--law", "cos-offset", *COARSE)
    assert call(*line) == 0
    said = capsys.readouterr().out
    assert "kernel: holds; observed" in said
    assert "declared: by --law cos-offset" in said
    assert "assumed: draws and the features of a draw are independent" in said
    assert os.listdir(tmp_path) == []
    assert call(*line, "--json", "found.json") == 0
    assert json.loads(Path("found.json").read_text(encoding="utf-8"))["status"] == "holds"
    assert os.listdir(tmp_path) == ["found.json"]


def test_a_report_is_all_that_needs_its_packages(tmp_path):
    # Neither renderer can be imported; the command runs without, and says what a page needs.
    hidden = "import sys; sys.modules.update(dict.fromkeys(['jinja2', 'matplotlib', 'markupsafe',"
    hidden += " 'latex2mathml'])); from mehler.cli import main; main(sys.argv[1:])"
    verify = ("verify", f"{MAPS}:signs", "--kernel", "linear", "--law", "signs", *COARSE)
    line = [sys.executable, "-c", hidden, *verify]
    done = subprocess.run(line, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("signs has the kernel linear\n")


@pytest.mark.parametrize(
    ("name", "kernel", "options"),
    [
        ("signs", "linear", ()),
        ("signs", f"{MAPS}:linear", ()),
        ("mehler:MaxoutFeatures", "maxout", ("--arg", "pool_size=3", "--param", "q=3")),
        ("mehler:MaxoutCodes", "collision", ("--arg", "pool_size=3", "--param", "q=3")),
        ("sklearn.kernel_approximation:SkewedChi2Sampler", "skewed-chi2", ()),
        ("sized", "rbf", ("--bounds", "-2", "2", "--independent-features")),
    ],
)
@pytest.mark.sampled(1)
def test_other_kernels_hold(tmp_path, name, kernel, options):
    assert verify(tmp_path, name, kernel, *options)[0] == 0


def test_the_bandwidth_of_2014_is_refuted_and_named(tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    junit, certificate = tmp_path / "junit.xml", tmp_path / "certificate.json"
    files = ("--junit", str(junit), "--certificate", str(certificate))
    status, found = verify(tmp_path, "Bandwidth2014", "rbf", *files)
    assert (status, found["status"]) == (1, "refuted")
    assert "fits gamma' = gamma / 2" in found["headline"]
    assert "nothing: draws from different seeds" in found["declared"]
    assert "asymptotic" not in found["evidence"][0]["method"]
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "Likely cause" in page
    assert "fits gamma' = gamma / 2" in (tmp_path / "summary.md").read_text(encoding="utf-8")
    assert "::error title=mehler%3A kernel::kernel: refuted. " in capsys.readouterr().out
    first, *_ = ElementTree.parse(junit).iter("testcase")
    assert first.get("name") == "kernel"
    assert [child.tag for child in first] == ["failure"]
    assert recheck.main([str(certificate)]) == 0
    assert "Bandwidth2014: kernel: confirmed" in capsys.readouterr().out


def test_files_go_where_they_were_asked_for(tmp_path, monkeypatch, capsys):
    """The target changes the working directory; its verdict keeps its status."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    words = ("--law", "signs", "--out", "report", "--json", "numbers.json")
    assert call("verify", f"{MAPS}:moves", "--kernel", "linear", *COARSE, *words) == 0
    assert (tmp_path / "report" / "report.html").exists()
    assert (tmp_path / "numbers.json").exists()
    assert os.listdir(tmp_path / "elsewhere") == []
    assert f"  {os.path.join('report', 'report.html')}\n" in capsys.readouterr().out


@pytest.mark.full
def test_a_factor_is_named(tmp_path):
    status, found = verify(tmp_path, "Halved", "rbf")
    assert status == 1
    assert "estimate / exact is 0.50 at every pair" in found["headline"]


@pytest.mark.full  # by structure, as the defects of test_structure.py
def test_repeated_features_are_refuted(tmp_path):
    status, found = verify(tmp_path, "repeated", "rbf", "--features", "256")
    assert (status, found["evidence"][0]["check"]) == (1, "structure")
    assert "64 of 256 features are distinct" in found["headline"]


@pytest.mark.full
def test_an_error_that_does_not_fall_is_refuted_where_one_asks(tmp_path):
    options = ("--also", "convergence", "--also", "finite", "--time-limit", "0")
    status, found = verify(tmp_path, "one_scale", "rbf", *options)
    outcome = {one["check"]: one["status"] for one in found["evidence"]}
    assert {
        "kernel": "holds",
        "convergence": "refuted",
        "finite": "holds",
    }.items() <= outcome.items()
    assert status == 1
    assert "refuted by the check convergence" in found["headline"]


def test_features_that_are_not_finite_are_refuted_without_a_cause(tmp_path):
    status, found = verify(tmp_path, "NotFinite", "rbf")
    assert (status, found["causes"]) == (1, [])
    assert "not finite" in found["evidence"][0]["reason"]


def test_what_the_budget_does_not_decide_is_inconclusive(tmp_path):
    status, found = verify(tmp_path, "sized", "rbf", "--max-features", "2000")
    assert (status, found["status"]) == (3, "inconclusive")
    assert "was not decided" in found["headline"]


@pytest.mark.parametrize(
    ("name", "kernel", "options", "status"),
    [
        ("identity", "linear", (), 0),
        ("shifted", "linear", (), 1),
        ("fitted", "rbf", ("--resolution", "1.9"), 0),
        ("nystroem", "rbf", ("--claim", "close", "--resolution", "1e-6"), 0),
        ("sized", "rbf", ("--claim", "close", "--resolution", "1e-3"), 1),
    ],
)
@pytest.mark.sampled(1)
def test_closeness_is_a_computation(tmp_path, name, kernel, options, status):
    code, found = verify(tmp_path, name, kernel, *options)
    assert code == status
    assert found["evidence"][0]["false_alarm"] == 0.0
    assert found["ledger"]["spent"] == 0.0
    assert found["causes"] == []
    assert "close to" in found["headline"]


@pytest.mark.full
def test_on_the_users_rows(tmp_path):
    rows = np.random.default_rng(5).standard_normal((50, 3))
    np.save(tmp_path / "rows.npy", rows)
    options = ("--data", str(tmp_path / "rows.npy"), "--features", "100")
    _, found = verify(tmp_path / "out", "sized", "rbf", *options)
    assert "rows.npy: 20 of 50 rows" in found["inputs"]


@pytest.mark.full
def test_the_same_seed_finds_the_same(tmp_path):
    options = ("--seed", "4", "--features", "100")
    runs = [verify(tmp_path / str(i), "sized", "rbf", *options)[1] for i in range(2)]
    assert runs[0]["evidence"] == runs[1]["evidence"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["verify"], "Missing argument"),
        (["verify", "x:y"], "Missing option '--kernel'"),
        (["verify", "x", "--kernel", "rbf"], "is not MODULE:NAME"),
        (["verify", "no.such:thing", "--kernel", "rbf"], "no.such does not import"),
        (["verify", "gone.py:thing", "--kernel", "rbf"], "gone.py does not exist"),
        (["verify", f"{MAPS}:gone", "--kernel", "rbf"], "has no 'gone'; it has"),
        (["verify", f"{MAPS}:number", "--kernel", "rbf"], "is float without transform"),
        (["verify", f"{MAPS}:Nothing", "--kernel", "rbf"], "is a class without transform"),
        (["verify", f"{MAPS}:broken", "--kernel", "rbf"], "RuntimeError: the sampler broke"),
        (["verify", f"{MAPS}:sized", "--kernel", "cubic"], "kernel='cubic' is not known"),
        (["verify", f"{MAPS}:sized", "--kernel", "rbf", "--param", "g=1"], "no parameter 'g'"),
        (["verify", f"{MAPS}:sized", "--kernel", "rbf", "--param", "gamma=x"], "not a number"),
        (["verify", f"{MAPS}:sized", "--kernel", "rbf", "--param", "gamma"], "is not K=V"),
        (["verify", f"{MAPS}:sized", "--kernel", "rbf", "--arg", "a=1"], "no argument 'a'"),
        (["verify", f"{MAPS}:instance", "--kernel", "rbf", "--arg", "a=1"], "no argument 'a'"),
        (["verify", f"{MAPS}:sized", "--kernel", "rbf", "--inputs", "0"], "inputs=0 must be"),
        (["verify", f"{MAPS}:sized", "--kernel", "rbf", "--inputs", "9999999"], "most 1000000"),
        (["verify", f"{MAPS}:sized", "--kernel", "rbf", "--claim", "far"], "claim='far' is not"),
        (["verify", f"{MAPS}:sized", "--kernel", "rbf", "--also", "x"], "also='x' is not"),
        (["verify", f"{MAPS}:identity", "--kernel", "linear", "--also", "finite"], "for draws"),
        (
            ["verify", f"{MAPS}:signs", "--kernel", "linear", *COARSE, "--also", "convergence"],
            "two",
        ),
        (["verify", f"{MAPS}:sized", "--kernel", "rbf", "--resolution", "2"], "is vacuous"),
        (["verify", f"{MAPS}:sized", "--kernel", "rbf", "--data", "no.csv"], "does not exist"),
        (["verify", f"{MAPS}:sized", "--kernel", "linear", "--features", "0"], "n_features=0"),
    ],
)
def test_bad_input_is_one_line_and_writes_nothing(refusal, arguments, message):
    assert message in refusal(arguments)


def test_a_callable_object_is_a_map():
    class Map:
        def __call__(self, *rows):
            return rows[0]

    target = read_target("m", Map(), np.eye(2), n_features=None, arguments={})
    assert not target.random
    assert np.array_equal(target.draw(0)(np.eye(2)), np.eye(2))


def test_nested_names_are_followed():
    assert Imports().load("numpy:linalg.norm", what="target") is np.linalg.norm
