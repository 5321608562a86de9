"""`mehler verify`: how maps are read, what the statuses say, that the cause is named."""

import json
import os
import random
import subprocess
import sys
import types
from pathlib import Path

import numpy as np
import pytest

from mehler import recheck, report
from mehler.cli import _verify
from mehler.cli._checks import verify_map
from mehler.cli._target import load, read_target
from tests.cli import verified_maps as maps
from tests.cli.test_cli import call

MAPS = str(Path(__file__).with_name("verified_maps.py"))
# At the default resolution a run takes 3 to 10 seconds; these differ in nothing else.
COARSE = ("--resolution", "0.2", "--false-alarm", "1e-6")
X = np.random.default_rng(0).standard_normal((4, 5))


def check(name, kernel, **options):
    """The verification in this process."""
    target = name if ":" in name else f"tests.cli.verified_maps:{name}"
    options = {"resolution": 0.2, "false_alarm": 1e-6, **options}
    return verify_map(target, kernel, **options)


# -- reading --------------------------------------------------------------------------------------


def read(factory, n_features=None, **arguments):
    return read_target("t", factory, X, n_features=n_features, arguments=arguments)


@pytest.mark.parametrize(
    ("name", "arguments", "assumed", "width"),
    [
        ("Fourier", {}, "a transformer class, made anew with each random_state", 250),
        ("instance", {}, "a transformer, made anew with each random_state, and fitted", 300),
        ("transformer", {}, "a function without arguments, which returned a transformer", 500),
        ("sized", {}, "a draw function seed -> map, with n_features=250", 250),
        ("Rectified", {}, "a class, made anew with each seed, with n_features=250", 250),
        ("generator", {}, "a draw function rng -> map, with m=250", 250),
        (
            "three_sizes",
            {"rows": 5, "hidden": 2, "m": 70},
            "returned a draw function seed -> map",
            70,
        ),
        ("Ambient", {}, "a class without a seed, made anew after global generators", 250),
        ("signs", {"m": 90}, "a draw function seed -> map", 90),
    ],
)
def test_a_map_is_read_however_it_is_named(name, arguments, assumed, width):
    target = read(getattr(maps, name), **arguments)
    assert assumed in target.assumed
    assert target.random
    first, again, reseeded = (np.asarray(target.draw(seed)(X)) for seed in (0, 0, 1))
    assert first.shape == (4, width)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, reseeded)
    if target.resize is not None:
        assert target.resize(0, 24)(X).shape == (4, 24)


@pytest.mark.parametrize(
    ("factory", "arguments", "width"),
    [
        (maps.identity, {}, 5),
        (maps.shifted, {"by": 0.25}, 5),
        (maps.fitted, {}, 40),
        (maps.Fixed, {}, 5),
        (types.SimpleNamespace(transform=lambda X: 2 * X), {}, 5),
    ],
)
def test_what_has_no_seed_is_one_fixed_map(factory, arguments, width):
    target = read(factory, **arguments)
    assert not target.random
    assert "one fixed map" in target.assumed
    assert target.draw(0)(X).shape == (4, width)
    if arguments:
        np.testing.assert_array_equal(target.draw(0)(X), X + 0.25)


def test_a_pipeline_gets_the_seeds_of_its_steps():
    from sklearn.kernel_approximation import RBFSampler
    from sklearn.pipeline import make_pipeline, make_union
    from sklearn.preprocessing import StandardScaler

    union = make_union(RBFSampler(n_components=3), RBFSampler(n_components=4, random_state=1))
    target = read(make_pipeline(StandardScaler(), union))
    first, again, reseeded = (target.draw(seed)(X) for seed in (0, 0, 1))
    assert first.shape == (4, 7)
    assert np.array_equal(first, again)
    assert not (first == reseeded).any()
    assert target.resize is None


@pytest.mark.parametrize("seeded", [False, True])
def test_a_module_of_pytorch_is_called_with_tensors(seeded):
    torch = pytest.importorskip("torch")

    class Waves(torch.nn.Module):
        def __init__(self, in_features, out_features, generator=None):
            super().__init__()
            self.dropout = torch.nn.Dropout(0.5)
            weights = torch.randn(in_features, out_features, generator=generator)
            self.register_buffer("weights", weights)

        def forward(self, x):
            return self.dropout(x @ self.weights)

    factory = Waves if seeded else lambda seed: (torch.manual_seed(seed), Waves(5, 250))[1]
    target = read(factory)
    first, again, reseeded = (target.draw(seed)(X) for seed in (0, 0, 1))
    assert (first.shape, first.dtype) == ((4, 250), torch.float32)
    assert torch.equal(first, again)
    assert not torch.equal(first, reseeded)
    # Neither weights in training nor rows of negative strides.
    assert torch.equal(target.draw(0)(X[::-1]).flip(0), first)


def test_a_key_is_one_of_jax():
    jax = pytest.importorskip("jax")

    def draw(m, key):
        return lambda X: X @ jax.random.normal(key, (5, m))

    assert read(draw).draw(1)(X).shape == (4, 250)


@pytest.mark.parametrize("kind", ["nnx", "linen"])
def test_modules_of_flax_are_drawn(kind):
    nnx, linen = pytest.importorskip("flax.nnx"), pytest.importorskip("flax.linen")

    class Streams(nnx.Module):
        def __init__(self, d, m, *, rngs: nnx.Rngs):
            self.weights = nnx.Param(rngs.params.normal((d, m)))

        def __call__(self, x):
            return x @ self.weights

    class Layer(linen.Module):
        features: int

        @linen.compact
        def __call__(self, x):
            return linen.Dense(self.features)(x)

    target = read(Streams if kind == "nnx" else Layer)
    first, again, reseeded = (np.asarray(target.draw(seed)(X)) for seed in (0, 0, 1))
    assert first.shape == (4, 250)
    assert np.array_equal(first, again)
    assert not np.array_equal(first, reseeded)


def linear(seed):
    weights = np.random.default_rng(seed).standard_normal((5, 20))
    return lambda rows: rows @ weights


@pytest.mark.parametrize("draw", [lambda s: linear(s), lambda x: linear(x)])
def test_a_function_of_any_name_that_returns_a_map_is_a_draw(draw):
    target = read(draw)
    assert target.random
    assert np.array_equal(target.draw(1)(X), linear(1)(X))
    assert not read(lambda s: s * 2.0).random


@pytest.mark.parametrize(
    ("factory", "arguments", "error", "message"),
    [
        (maps.number, {}, TypeError, "is float without transform"),
        (maps.Nothing, {}, TypeError, "is a class without transform"),
        (maps.sized, {"a": 1}, ValueError, "takes no argument 'a': it takes seed, n_features"),
        (maps.Fourier, {"a": 1}, ValueError, "takes no argument 'a'"),
        (lambda seed, alpha: None, {}, ValueError, "takes alpha, .*: give --arg alpha="),
        (maps.three_sizes, {"m": 3}, ValueError, "takes hidden, .*: give --arg hidden="),
    ],
)
def test_what_is_no_map_is_refused(factory, arguments, error, message):
    with pytest.raises(error, match=message):
        read(factory, **arguments)


# -- importing ------------------------------------------------------------------------------------


@pytest.fixture
def restored(monkeypatch):
    """What is imported is forgotten, and the path is as before."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


FILES = {
    "main.py": "from beside import value\n",
    "beside.py": "value = 3\n",
    "pkg/__init__.py": "",
    "pkg/maps.py": "from .inner import value\n",
    "pkg/inner.py": "value = 4\n",
    "loose/maps.py": "from .inner import value\n",
    "loose/inner.py": "value = 7\n",
    "wave.py": "raise RuntimeError('this is no neighbour of the standard library')\n",
    "shadow.py": "import wave\nvalue = 6\n",
    "leaves.py": "import sys\nsys.exit(0)\n",
}


@pytest.fixture
def folder(tmp_path, monkeypatch, restored):
    for name, text in FILES.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize(
    ("spec", "value"),
    [
        ("main.py:value", 3),
        ("main:value", 3),
        ("pkg.maps:value", 4),
        ("pkg/maps.py:value", 4),
        ("shadow.py:value", 6),
    ],
)
def test_a_module_is_found_with_its_neighbours(folder, spec, value):
    assert load(spec, what="target") is value


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("main", "is not MODULE:NAME"),
        ("gone.py:value", "gone.py does not exist: check the path"),
        ("no.such:value", "no.such does not import"),
        ("main.py:gone", "main.py has no 'gone'; it has value"),
        ("loose/maps.py:value", "loose/maps.py does not import .ImportError: "),
        ("leaves.py:value", "does not import .SystemExit: 0."),
    ],
)
def test_a_module_that_does_not_import_is_named(folder, spec, message):
    with pytest.raises(ValueError, match=message):
        load(spec, what="target")


POOLS = {"arguments": {"pool_size": 3}, "parameters": {"q": 3}}

# -- verdicts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kernel", "options"),
    [
        ("Rectified", "rbf", {}),
        ("instance", "rbf", {"parameters": {"gamma": 0.5}}),
        ("Ambient", "rbf", {}),
        ("signs", "linear", {"law": "signs"}),
        ("signs", "tests.cli.verified_maps:linear", {}),
        ("sparse", "linear", {"law": "signs"}),
        ("mehler:MaxoutFeatures", "maxout", POOLS),
        ("mehler:MaxoutCodes", "collision", POOLS),
    ],
)
@pytest.mark.sampled(2)
def test_a_correct_map_holds(name, kernel, options):
    result = check(name, kernel, **options)
    assert (result.status, result.exit_status) == ("holds", 0), report.lines(result)


def test_a_factor_is_named():
    result = check("Halved", "rbf", law="cos-offset", rows=X / 2)
    assert (result.status, result.exit_status) == ("refuted", 1)
    assert "estimate / exact is 0.50 at every pair" in result.headline
    result = check("sized", "rbf", max_features=2000, time_limit=1.0)
    assert (result.exit_status, result.status) == (3, "inconclusive")
    assert "was not decided" in result.headline


@pytest.mark.parametrize(
    ("name", "kernel", "options", "status"),
    [
        ("identity", "linear", {}, 0),
        ("shifted", "linear", {}, 1),
        ("fitted", "rbf", {"resolution": 1.9}, 0),
    ],
)
def test_closeness_is_a_computation(name, kernel, options, status):
    result = check(name, kernel, **options)
    assert result.exit_status == status
    assert (result.evidence[0].false_alarm, result.ledger["spent"]) == (0.0, 0.0)
    assert result.causes == ()
    assert "close to" in result.headline


# -- the command ----------------------------------------------------------------------------------


def verify(out, name, kernel, *options):
    target = name if ":" in name else f"{MAPS}:{name}"
    file = out / "twin.json"
    status = call("verify", target, "--kernel", kernel, *COARSE, *options, "--json", str(file))
    return status, json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_files_are_those_of_the_start_and_their_certificate_is_decided(tmp_path, monkeypatch):
    """Though the map changes the working directory."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path)
    words = ("--law", "signs", "--out", "page", "--json", "twin.json", "--junit", "junit.xml")
    line = ("verify", f"{MAPS}:moves", "--kernel", "linear", *COARSE, *words)
    assert call(*line, "--certificate", "made.json") == 0
    names = {"report.html", "report.json", "summary.md"}
    assert set(os.listdir(tmp_path / "page")) == names
    assert {"twin.json", "junit.xml", "made.json"} <= set(os.listdir(tmp_path))
    assert os.listdir(tmp_path / "elsewhere") == []
    assert 'href="../made.json"' in (tmp_path / "page" / "report.html").read_text("utf-8")
    assert recheck.main(["made.json"]) == 0


@pytest.mark.slow
def test_a_report_is_all_that_needs_its_packages(tmp_path):
    # Neither renderer can be imported; the command runs without, and says what a page needs.
    for name in ("jinja2", "matplotlib", "markupsafe", "latex2mathml"):
        (tmp_path / f"{name}.py").write_text(f"raise ModuleNotFoundError('no', name={name!r})\n")
    line = [sys.executable, "-m", "mehler", "verify", f"{MAPS}:signs", "--kernel", "linear"]
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}:{os.environ.get('PYTHONPATH', '')}"}
    done = subprocess.run(
        [*line, "--law", "signs", *COARSE],
        capture_output=True,
        text=True,
        check=False,
        env=environment,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("signs has the kernel linear\n")


@pytest.mark.parametrize(
    ("name", "kernel", "options", "message"),
    [
        ("sized", "cubic", {}, "kernel='cubic' is not known"),
        ("sized", "rbf", {"parameters": {"g": 1}}, "no parameter 'g'"),
        ("sized", "rbf", {"inputs": 0}, "inputs=0 must be"),
        ("sized", "rbf", {"inputs": 3, "rows": X}, "exclude each other"),
        ("sized", "rbf", {"resolution": 2}, "is vacuous"),
        ("sized", "rbf", {"time_limit": -1.0}, "time_limit=-1.0 must be at least 0"),
        ("complex_waves", "rbf", {}, r"np.hstack\(\[Z.real, Z.imag\]\)"),
        ("signs", "tests.cli.verified_maps:linear", {"law": "signs"}, "a kernel with a name"),
        ("signs", "linear", {"law": "signs", "bounds": (-1, 1)}, "leave them out"),
        ("identity", "exp", {"law": "cos-sin"}, "is of the mean over draws"),
    ],
)
def test_what_cannot_be_checked_is_refused(name, kernel, options, message):
    with pytest.raises((ValueError, TypeError), match=message):
        check(name, kernel, **options)


def test_options_reach_the_process(monkeypatch, capsys):
    """All of them, and the limit of the process is that of the checks with a margin."""
    requests = []

    def answered(request, seconds):
        requests.append((request, seconds))
        return {"status": 3, "lines": ["a line", "::stop-commands::x"]}

    monkeypatch.setattr(_verify, "answer", answered)
    line = "a:b --kernel rbf --param gamma=2 --arg n=3 --arg s=x --bounds -1 1 --time-limit 10"
    assert call("verify", *line.split(), "--debug") == 3
    assert capsys.readouterr().out == "a line\n\\::stop-commands::x\n"
    ((request, seconds),) = requests
    assert seconds == 70.0
    request = json.loads(json.dumps(request))  # as the process gets it
    assert request["debug"]
    expected = {"parameters": {"gamma": 2}, "arguments": {"n": 3, "s": "x"}, "bounds": [-1.0, 1.0]}
    assert expected.items() <= request["options"].items()


def test_global_generators_are_left_to_targets_that_have_a_seed():
    before = random.getstate(), np.random.get_state()[1].tolist()  # noqa: NPY002
    read(maps.Rectified).draw(0)(X)
    assert before == (random.getstate(), np.random.get_state()[1].tolist())  # noqa: NPY002
