"""Certificates: decided again as the page says, and contradicted where they are altered."""

from __future__ import annotations

import ast
import copy
import hashlib
import json
import math
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

import mehler
from mehler import recheck, verify

SOURCE = Path(recheck.__file__)
STATUSES = ("holds", "refuted", "inconclusive")


@pytest.fixture(autouse=True)
def intervals_that_overlap_raise(monkeypatch):
    """As in mpmath 1.4, whatever its version: before, comparing such intervals gave None."""
    interval = type(recheck.iv.mpf(0))
    compared = interval._compare

    def strict(s, t, relation):
        answer = compared(s, t, relation)
        if answer is None:
            raise ValueError("neither is certain")
        return answer

    monkeypatch.setattr(interval, "_compare", strict)


def cosines(seed, m=50):
    """A map that declares nothing."""
    rng = np.random.default_rng(seed)
    w, b = rng.standard_normal((3, m)), rng.uniform(0.0, 2.0 * np.pi, m)
    return lambda X: np.sqrt(2.0 / m) * np.cos(X @ w + b)


def scaled(factor):
    return lambda X, Y: factor * np.exp(-0.5 * ((X[:, None] - Y[None]) ** 2).sum(axis=-1))


def kernel(rng, **declared):
    """Two or three rows, a claim that is right or off by up to a third, and any budget."""
    X = rng.standard_normal((int(rng.integers(2, 4)), 3))
    return verify.check_kernel(
        cosines,
        scaled(rng.choice([1.0, 1.0, 0.75, 1.1, 1.33])),
        X,
        resolution=float(rng.choice([0.2, 0.4])),
        max_features=int(rng.choice([3_000, 10**7])),
        seed=int(rng.integers(2**31)),
        **declared,
    )


def constant(X, Y):
    return np.full((len(X), len(Y)), 2.0)


def mean(rng, n, draw, **declared):
    x = draw(rng, n)
    return verify.check_mean(
        x, float(rng.choice([0.0, 0.0, 0.3, -1.0])), resolution=float(rng.choice([0.2, 1.5])),
        **declared,
    )  # fmt: skip


def normal(rng, n):
    return rng.standard_normal(n)


def sines(rng, n):
    return np.sin(rng.uniform(0.0, 2.0 * np.pi, n))


def coins(rng):
    n = int(rng.choice([50, 2_000, 20_000]))
    x = rng.random(n) < rng.choice([0.5, 0.6])
    return verify.check_mean(x, 0.5, binary=True, resolution=0.15)


def vector(rng):
    x = rng.standard_normal((int(rng.choice([500, 20_000])), 3)) * [1.0, 2.0, 3.0]
    exact = [0.0, 0.0, float(rng.choice([0.0, 1.0]))]
    variance = [1.0, 4.0, 9.0] if rng.random() < 0.5 else None
    return verify.check_mean(x, exact, variance=variance, resolution=0.3)


def covariance(rng):
    z = rng.standard_normal((int(rng.choice([2_000, 40_000])), 2)) @ [[1.0, 0.5], [0.0, 1.0]]
    exact = np.array([[1.0, 0.5], [0.5, 1.25]]) * rng.choice([1.0, 0.6, 1.4])
    known = np.zeros(2) if rng.random() < 0.5 else None
    return verify.check_mean(z, exact, mean=known, resolution=0.2)


def maxout(seed, m=64):
    return mehler.MaxoutFeatures.draw(3, m, 2, seed=seed)


def opaque(seed):
    return maxout(seed).__call__


def variance(rng, draw=maxout):
    X, factor = rng.standard_normal((2, 3)), float(rng.choice([1.0, 0.6, 1.7]))
    claim = maxout(0).variance
    return verify.check_variance(
        draw, lambda A, B: factor * claim(A, B), X, resolution=0.5, independent_features=True,
        seed=int(rng.integers(2**31)),
    )  # fmt: skip


def distribution(rng):
    X, scale = rng.standard_normal((2, 3)), float(rng.choice([8.0, 8.0, 9.5]))
    limit = int(rng.choice([10, 1000]))
    return verify.check_distribution(maxout, None, X, scale=scale, max_features=64 * limit)


def same(rng):
    factor = float(rng.choice([1.0, 1.3]))
    return verify.check_same(
        cosines, lambda seed: lambda X: factor * cosines(seed + 10**6)(X), np.eye(3)[:2] + 0.1,
        resolution=0.4,
    )  # fmt: skip


def never(rng):
    m = 20 if rng.random() < 0.7 else 21
    return verify.check_invariance(
        lambda seed: lambda X: abs(X @ np.random.default_rng(seed).standard_normal((3, 20)))
        if m == 20
        else X,
        lambda X: -X, np.eye(3), max_features=int(rng.choice([400, 40_000])),
    )  # fmt: skip


# Kinds that the table of docs/certificates.md has as decided always.
DECIDED = {
    "catoni": lambda rng: kernel(rng, variance=constant, independent_features=True),
    "wealth": lambda rng: kernel(rng, bounds=(-2.0, 2.0), independent_features=True),
    "beyond range": lambda rng: kernel(rng, bounds=(-1.0, 1.0), independent_features=True),
    "self normalised": lambda rng: kernel(rng, independent_features=True),
    "squared lengths": kernel,
    "mean of known variance": lambda rng: mean(rng, 800, normal, variance=1.0),
    "mean of bounded kurtosis": lambda rng: mean(rng, 30_000, normal),
    "betting": lambda rng: mean(rng, 500, sines, bounds=(-1.0, 1.0)),
    "binomial": coins,
    "vector": vector,
    "covariance": covariance,
    "distribution": distribution,
    "same": same,
    "no event": never,
}
# And those that are decided only where sums suffice, or counts decide.
SOMETIMES = {
    "variance": variance,
    "nonnegative": lambda rng: variance(rng, opaque),
    "catoni, whole draws": lambda rng: kernel(rng, variance=constant),
    "mean of few samples": lambda rng: mean(rng, 50, normal, variance=1.0),
    "betting on more samples than are stored": lambda rng: mean(
        rng, 5000, sines, bounds=(-1.0, 1.0)
    ),
    "structure": lambda rng: verify.check_structure(maxout, rng.standard_normal((3, 3))),
}
KINDS = {**DECIDED, **SOMETIMES}


def written(verdict):
    return json.loads(json.dumps(verdict.certificate(), allow_nan=False))


def sealed(certificate):
    """The same with a digest of its own: who alters a certificate can do that too."""
    content = {key: value for key, value in certificate.items() if key != "digest"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    return {**content, "digest": "sha256:" + hashlib.sha256(text).hexdigest()}


def shifted(test, step, n):
    """The statistics of n samples that all moved by `step`."""
    sums = [float(n), *map(float.fromhex, test["sums"])]
    moved = [
        math.fsum(math.comb(k, j) * step ** (k - j) * sums[j] for j in range(k + 1))
        for k in range(1, 5)
    ]
    return {**test, "sums": [each.hex() for each in moved]}


def moved(certificate):
    """Alterations of the statistics that move the decision."""
    resolution = float.fromhex(certificate["resolution"])
    group = certificate["statistics"][0]
    n = group["plan"].get("n")
    for index, test in enumerate(group["tests"]):
        changed = copy.deepcopy(certificate)
        tests = changed["statistics"][0]["tests"]
        if "sums" in test and certificate["status"] == "holds":
            for step in (-3.0, 3.0):
                tests[index] = shifted(test, step * resolution, n)
                yield sealed(changed)
        elif "sums" in test and certificate["status"] == "refuted":
            # All means at once, and no bets that win.
            for k, each in enumerate(group["tests"]):
                tests[k] = shifted(each, -float.fromhex(each["sums"][0]) / n, n)
                if "log_wealths" in each:
                    tests[k]["log_wealths"] = [(0.0).hex()] * 11
            for other in changed["statistics"][1:]:
                for each in other["tests"]:
                    each["log_wealths"] = [(0.0).hex()] * 11
            yield sealed(changed)
            return
        elif "count" in test and certificate["status"] != "inconclusive" and "claim" in test:
            tests[index]["count"] = n // 2 if certificate["status"] == "refuted" else n
            yield sealed(changed)
            return


@pytest.mark.parametrize("case", range(480))  # 24 of each kind
@pytest.mark.sampled(20)
def test_a_certificate_is_decided_again_and_altered_ones_are_not(case):
    name = list(KINDS)[case % len(KINDS)]
    certificate = written(KINDS[name](np.random.default_rng([28, case])))
    status, line = recheck.decide(certificate)
    assert status in ((0,) if name in DECIDED else (0, 3)), (name, line)
    for other in STATUSES:
        if other != certificate["status"]:
            altered, line = recheck.decide(sealed({**certificate, "status": other}))
            assert altered == (3 if status else 1), (name, other, line)
    if status == 0:
        for one in moved(certificate):
            altered, line = recheck.decide(one)
            assert altered != 0, (name, line)
    group = certificate["statistics"][0] if status == 0 else {"plan": {}}
    if "rows" in group["plan"] and len(group["tests"]) > 1:
        fewer = [{**group, "tests": group["tests"][1:]}, *certificate["statistics"][1:]]
        assert recheck.decide(sealed({**certificate, "statistics": fewer}))[0] == 3
    plain = {**certificate, "status": "holds", "false_alarm": (0.5).hex()}
    assert recheck.decide(plain)[0] == 1  # its digest is another


def test_the_program_is_small_and_stands_alone():
    text = SOURCE.read_text(encoding="utf-8")
    tree = ast.parse(text)
    assert len(text.splitlines()) <= 481
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [each.name for each in node.names] if isinstance(node, ast.Import) else []
            for name in names or [node.module]:
                assert name.partition(".")[0] in {*sys.stdlib_module_names, "mpmath"}


def run(*arguments):
    return subprocess.run(
        [sys.executable, str(SOURCE), *map(str, arguments)], capture_output=True, text=True
    )


def test_it_runs_by_its_path(tmp_path):
    file, certificate = tmp_path / "certificate.json", written(coins(np.random.default_rng(1)))
    file.write_text(json.dumps(certificate))
    assert run(file).returncode == 0
    listed = [certificate, {**certificate, "miss": 1}]
    file.write_text(json.dumps({"of": ["a", "b"], "certificates": listed}))
    assert run(file).returncode == 1
    file.write_text("{}")
    assert run(file).returncode == 2


@pytest.mark.parametrize(
    ("command", "status"),
    [
        ("{python} -OO {source} {file}", 0),
        ("{python} {source} {file} | true", 0),
        ("set -o pipefail; {python} {source} {file} | sleep 0", 2),
        ("{python} {source} {file} >&-", 2),
        ("{python} {source} gone.json 2>&-", 2),
        ("{python} -m mehler.recheck {file}", 0),
        ("cp {source} here.py; {python} here.py {file}", 0),
        ("PYTHONPATH=hidden {python} {source} {file}", 2),
    ],
)
def test_only_a_contradiction_has_status_1(command, status, tmp_path):
    """Beside modules that are called like those of the standard library, too."""
    certificate = written(KINDS["binomial"](np.random.default_rng([28, 1])))
    (tmp_path / "certificate.json").write_text(json.dumps(certificate))
    (tmp_path / "hidden").mkdir()
    (tmp_path / "hidden" / "mpmath.py").write_text("raise ImportError('no mpmath')\n")
    for name in ("argparse", "hashlib", "json"):
        (tmp_path / f"{name}.py").write_text("open('run', 'w')\n")
    line = command.format(python=sys.executable, source=SOURCE, file="certificate.json")
    done = subprocess.run(["bash", "-c", line], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == status, done.stderr
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize(
    ("n", "k", "p"),
    [(50, 30, 0.5), (50, 50, 0.3), (50, 1, 0.001), (100, 60, 0.599), (2000, 1100, 0.5)],
)
def test_tails_of_binomials_are_enclosed(n, k, p):
    """By all terms, in exact fractions."""
    q = Fraction(p)
    exact = sum(math.comb(n, j) * q**j * (1 - q) ** (n - j) for j in range(k, n + 1))
    value = recheck.iv.mpf(exact.numerator) / exact.denominator
    enclosure = recheck.tail(n, k, recheck.iv.mpf(p))
    assert recheck.compare(enclosure.a, "<=", value)
    assert recheck.compare(enclosure.b, ">=", value)
    assert recheck.compare(enclosure.b, "<=", value * (1 + 1e-12))
