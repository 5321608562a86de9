"""Certificates: decided again as the page says, and contradicted where they are altered."""

import ast
import copy
import functools
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
    mean = np.zeros(2) if rng.random() < 0.5 else None
    return verify.check_mean(z, exact, mean=mean, resolution=0.2)


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
    shifts = [
        math.fsum(math.comb(k, j) * step ** (k - j) * sums[j] for j in range(k + 1))
        for k in range(1, 5)
    ]
    return {**test, "sums": [item.hex() for item in shifts]}


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
            for k, item in enumerate(group["tests"]):
                tests[k] = shifted(item, -float.fromhex(item["sums"][0]) / n, n)
                if "log_wealths" in item:
                    tests[k]["log_wealths"] = [(0.0).hex()] * 11
            for record in changed["statistics"][1:]:
                for item in record["tests"]:
                    item["log_wealths"] = [(0.0).hex()] * 11
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
    for record in STATUSES:
        if record != certificate["status"]:
            altered, line = recheck.decide(sealed({**certificate, "status": record}))
            assert altered == (3 if status else 1), (name, record, line)
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
    assert len(text.splitlines()) < 500
    for node in ast.walk(tree):
        if isinstance(node, ast.Import | ast.ImportFrom):
            names = [item.name for item in node.names] if isinstance(node, ast.Import) else []
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
    certificates = [certificate, {**certificate, "miss": 1}]
    file.write_text(json.dumps({"of": ["a", "b"], "certificates": certificates}))
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


def test_numbers_beyond_their_ranges_are_refused():
    beyond = {"variance": -1.0, "bet": 0.0, "rounding": -1e-9, "slack": -1.0, "n": 0, "draw": -1}
    beyond |= {"distance": 1.1, "sign": 2, "claim": math.inf, "low": math.nan, "range": [1.0, 0.0]}
    for name, value in {**beyond, "count": True, "fixed": 1, "sums": [0.0, -1.0, 0.0, 1.0]}.items():
        assert not recheck.RULE_OF[name](value), name


def test_tests_share_the_rate(monkeypatch):
    """By halves with bets that are in a group of their own."""
    rates = []
    method = lambda test, rate, r: (rates.append(float(rate.a)), (False, True))[1]  # noqa: E731
    monkeypatch.setitem(recheck.METHODS, "no event", method)
    for plan in ({}, {"shared": True}, {"count": 8}):
        group = {"method": "no event", "plan": plan, "tests": [{}, {}]}
        assert recheck.outcome(group, {}, recheck.iv.mpf(0.25), 1)[:2] == (False, True)
    assert rates == [0.125, 0.0625, 0.03125]


# -- Certificates that do not fit their schema, or whose parts do not fit together, are undecided --


def made(kind, status):
    """A certificate of a kind with a status, to be altered."""
    return json.loads(text_of(kind, status))


@functools.cache
def text_of(kind, status):
    for seed in range(20):
        certificate = written(KINDS[kind](np.random.default_rng([seed, len(kind)])))
        if certificate["status"] == status and recheck.decide(certificate)[0] == 0:
            return json.dumps(certificate)
    raise AssertionError(f"no certificate of {kind} {status}")


def number(x):
    return float(x).hex()


def first(certificate):
    return certificate["statistics"][0]["tests"][0]


def last(certificate):
    return certificate["statistics"][-1]["tests"][0]


def plan(certificate):
    return certificate["statistics"][0]["plan"]


def whole(certificate):
    return certificate


def put(name, value, of=first):
    """Set a field of the first test, or of another part."""

    def alter(certificate):
        of(certificate)[name] = value

    return alter


def item(name, k, value, of=first):
    def alter(certificate):
        of(certificate)[name][k] = value

    return alter


def fewer(certificate):
    certificate["statistics"][0]["tests"].pop()


def twice(certificate):
    tests = certificate["statistics"][0]["tests"]
    tests[1] = copy.deepcopy(tests[0])


def mirrored(certificate):
    """A pair twice, in both orders, in place of another."""
    tests = certificate["statistics"][0]["tests"]
    k = [test["pair"] for test in tests].index([0, 1])
    tests[0] = {**tests[k], "pair": [1, 0]}


def other_method(certificate):
    certificate["statistics"][0]["method"] = "wealths"


def groups_of_one(certificate):
    """Each mean by itself, at the whole rate."""
    group = certificate["statistics"][0]
    certificate["statistics"] = [{**group, "tests": [test]} for test in group["tests"]]


def another_kernel(certificate):
    """Bets on a squared length that the kernel does not claim at its pair."""
    for name in ("claim", "bet"):
        last(certificate)[name] = number(0.5 * float.fromhex(last(certificate)[name]))


def cheap_bets(certificate):
    """Bets against a smaller claim than that of the check."""
    last(certificate)["bet"] = number(0.5 * float.fromhex(last(certificate)["bet"]))


def fresh(change):
    def alter(certificate):
        for test in certificate["statistics"][0]["tests"]:
            change(test, plan(certificate)["n"])

    return alter


def few_again(certificate):
    plan(certificate)["fresh"] = plan(certificate)["n"] // 2 - 1


def all_again(certificate):
    plan(certificate)["fresh"] = plan(certificate)["n"]
    for test in certificate["statistics"][0]["tests"]:
        test["fresh_sums"] = test["sums"]


def not_again(test, n):
    test["fresh_sums"][0] = number(0.0)


def without_fresh(test, n):
    del test["fresh_sums"]


ALTERATIONS = [
    ("catoni", "refuted", "no rate", put("false_alarm", number(1.5), whole)),
    ("catoni", "holds", "no resolution", put("resolution", "inf", whole)),
    ("self normalised", "inconclusive", "no inspection", put("look", None, plan)),
    ("catoni", "refuted", "an unknown method", other_method),
    ("catoni", "holds", "n tripled", put("n", 3 * 2550, plan)),
    ("squared lengths", "refuted", "a sign of 3", put("sign", 3, last)),
    ("catoni", "refuted", "a third moment", item("sums", 2, number(1e9))),
    ("catoni", "refuted", "no tests", lambda c: c["statistics"][0].update(tests=[])),
    ("catoni", "refuted", "a pair twice", twice),
    ("catoni", "holds", "a pair in both orders", mirrored),
    ("wealth", "holds", "a pair of no rows", put("pair", [7, 7])),
    ("squared lengths", "refuted", "bets against another kernel", another_kernel),
    ("squared lengths", "refuted", "bets against less", cheap_bets),
    ("nonnegative", "refuted", "bets against less", cheap_bets),
    ("nonnegative", "refuted", "more stakes", put("log_wealths", [number(0.0)] * 99, last)),
    ("vector", "refuted", "groups of one mean", groups_of_one),
    ("vector", "holds", "no groups", put("statistics", [], whole)),
    ("covariance", "holds", "fewer means", fewer),
    ("catoni", "refuted", "a count beyond floats", put("n", 10**400, plan)),
    ("same", "refuted", "fresh draws that confirm nothing", fresh(not_again)),
    ("same", "refuted", "few fresh draws", few_again),
    ("same", "refuted", "fresh draws that are all", all_again),
    ("same", "refuted", "no fresh draws", fresh(without_fresh)),
    ("betting", "inconclusive", "a sample outside the range", item("samples", 0, number(3.0))),
    ("betting", "holds", "a resolution of 30", put("resolution", number(30.0), whole)),
    ("betting", "inconclusive", "fewer samples", lambda c: first(c)["samples"].pop()),
    ("binomial", "refuted", "more events than trials", put("count", 10**9)),
    ("no event", "refuted", "more events than trials", put("count", 10**9)),
    ("no event", "holds", "a resolution that nothing exceeds", put("resolution", number(1), whole)),
    ("wealth", "holds", "squares of no such range", item("sums", 3, number(1e9))),
    ("wealth", "holds", "squares that are too small", item("sums", 1, number(1e-3))),
    ("mean of bounded kurtosis", "holds", "ends that no sample has", item("ends", 0, number(1))),
    ("catoni", "holds", "blocks of more than n", put("block", 10**6, plan)),
    ("squared lengths", "refuted", "a sum that wins less", item("log_wealths", 3, number(0), last)),
    ("squared lengths", "refuted", "a lost stake", item("log_wealths", 0, number(-1e6), last)),
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "status", "alter"),
    [pytest.param(*case[:2], case[3], id=f"{case[0]}: {case[2]}") for case in ALTERATIONS],
)
def test_a_falsified_certificate_is_not_confirmed(kind, status, alter, tmp_path):
    certificate = made(kind, status)
    alter(certificate)
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(sealed(certificate)))
    # Contradicted if they decide otherwise; 2 if there is nothing to read.
    assert recheck.main([str(file)]) in (1, 2, 3)


# Of no field, of a few, and of many: kinds, signs and sizes.
VALUES = (None, "x", "nan", "-inf", True, -1, {}, [None], [], 10**12, number(0.5))


@pytest.mark.parametrize("kind", [name for name in KINDS if name in recheck.METHODS])
@pytest.mark.sampled(3)
def test_every_field_is_needed_and_has_a_kind(kind):
    """A certificate without a field, with another, or with what no field is, is undecided."""
    certificates = (written(KINDS[kind](np.random.default_rng([2, seed]))) for seed in range(20))
    certificate = next(item for item in certificates if kind in str(item["statistics"]))
    (group,) = (item for item in certificate["statistics"] if item["method"] == kind)
    schema = recheck.SCHEMAS[recheck.METHODS[group["method"]]][1:]
    for part, names in zip((group["plan"], group["tests"][0]), schema):
        for name in [*(item for item in names.split() if item[0] != "["), "note"]:
            before = part.pop(name, None)
            assert name == "note" or recheck.decide(sealed(certificate))[0] == 3, name
            for value in VALUES:
                part[name] = value
                status, line = recheck.decide(sealed(certificate))
                fits = name != "note" and recheck.RULE_OF[name](recheck.numbers([value])[0])
                assert status == 3 or (fits and status in (0, 1)), (name, value, line)
            part.pop(name) if name == "note" else part.update({name: before})


@pytest.mark.parametrize("name", ["mean: confirmed\n", "\x1b[2J", "\u202e"])
def test_names_with_control_characters_are_refused(name, tmp_path, capsys):
    """They could write the line of another certificate, or over this one's."""
    certificate = sealed(made("binomial", "refuted"))
    file = tmp_path / "certificate.json"
    for of, check in ((name, "mean"), ("maps", name)):
        renamed = sealed({**certificate, "check": check})
        file.write_text(json.dumps({"of": [of], "certificates": [renamed]}))
        assert recheck.main([str(file)]) == 2
        out, err = capsys.readouterr()
        assert not out
        assert "a name that can be printed" in err
