"""Certificates that do not fit their schema, or whose parts do not fit together, are undecided.

Each alteration brings a digest of its own. Forgeries that agree with themselves are out of scope.
"""

from __future__ import annotations

import copy
import functools
import json

import numpy as np
import pytest

from mehler import recheck
from tests.verify.test_certificates import DECIDED, SOMETIMES, sealed, written

KINDS = {**DECIDED, **SOMETIMES}


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
    ("catoni", "holds", "NaN among sums", item("sums", 2, "nan")),
    ("squared lengths", "refuted", "a sum that is none", put("sum", "many", last)),
    ("catoni", "refuted", "a third moment", item("sums", 2, number(1e9))),
    ("catoni", "refuted", "no tests", lambda c: c["statistics"][0].update(tests=[])),
    ("catoni", "refuted", "an unknown field", put("note", 1)),
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
    ("catoni", "refuted", "rounding of the other sign", put("rounding", number(-0.5), plan)),
    ("catoni", "refuted", "true samples", put("n", True, plan)),
    ("catoni", "refuted", "half a sample", put("n", number(0.5), plan)),
    ("catoni", "refuted", "text", put("n", "1550", plan)),
    ("catoni", "refuted", "a count beyond floats", put("n", 10**400, plan)),
    ("catoni", "refuted", "no block", put("block", 0, plan)),
    ("catoni", "refuted", "a claim that is NaN", put("claim", "nan")),
    ("same", "refuted", "fresh draws that confirm nothing", fresh(not_again)),
    ("same", "refuted", "few fresh draws", few_again),
    ("same", "refuted", "fresh draws that are all", all_again),
    ("same", "refuted", "no fresh draws", fresh(without_fresh)),
    ("betting", "inconclusive", "a sample outside the range", item("samples", 0, number(3.0))),
    ("betting", "inconclusive", "fewer samples", lambda c: first(c)["samples"].pop()),
    ("binomial", "inconclusive", "half an event", put("count", number(24.5))),
    ("binomial", "refuted", "more events than trials", put("count", 10**9)),
    ("distribution", "holds", "a distance beyond 1", put("distance", number(1.5))),
    ("distribution", "holds", "no distance", put("distance", "nan")),
]


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


@pytest.mark.parametrize("kind", ["catoni", "self normalised", "binomial"])
def test_every_required_field_is_needed(kind):
    certificate = made(kind, "holds")
    for part, schema in zip((plan, first), recheck.SCHEMAS[recheck.METHODS[kind]][1:]):
        for name in (each for each in schema.split() if each[0] != "["):
            changed = copy.deepcopy(certificate)
            del part(changed)[name]
            status, line = recheck.decide(sealed(changed))
            assert (status, line.partition(":")[0]) == (3, "undecided"), name


@pytest.mark.parametrize("name", ["mean: confirmed\n", "\x1b[2J", "\u202e"])
def test_names_with_control_characters_are_refused(name, tmp_path, capsys):
    """They could write the line of another certificate, or over this one's."""
    certificate = sealed(made("binomial", "refuted"))
    file = tmp_path / "certificate.json"
    for of, check in ((name, "mean"), ("maps", name)):
        named = sealed({**certificate, "check": check})
        file.write_text(json.dumps({"of": [of], "certificates": [named]}))
        assert recheck.main([str(file)]) == 2
        out, err = capsys.readouterr()
        assert not out
        assert "a name that can be printed" in err
