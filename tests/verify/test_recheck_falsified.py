"""Certificates whose statistics, plan or rates no check can have written are not confirmed.

Each alteration brings a digest of its own.
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


def plan(certificate):
    return certificate["statistics"][0]["plan"]


def put(name, value, of=first):
    """Set a field; the test or the plan to look into is `of`."""

    def alter(certificate):
        of(certificate)[name] = value

    return alter


def whole(certificate):
    return certificate


def no_tests(certificate):
    certificate["statistics"][0]["tests"] = []


def fewer(certificate):
    certificate["statistics"][0]["tests"].pop()


def twice(certificate):
    tests = certificate["statistics"][0]["tests"]
    tests[1] = copy.deepcopy(tests[0])


def third_moment(certificate):
    """A third power sum that no samples with the other sums have."""
    first(certificate)["sums"][2] = number(1e9)


def cheap_bets(certificate):
    """Bets against a smaller claim than that of the check."""
    test = certificate["statistics"][-1]["tests"][0]
    test["bet"] = number(0.5 * float.fromhex(test["bet"]))


def another_kernel(certificate):
    """Bets on a squared length that the kernel does not claim at its pair."""
    test = certificate["statistics"][1]["tests"][0]
    for name in ("claim", "bet"):
        test[name] = number(0.5 * float.fromhex(test[name]))


def many_stakes(certificate):
    test = certificate["statistics"][-1]["tests"][0]
    test["log_wealths"] = test["log_wealths"] * 9


def samples(certificate):
    """Samples of another mean beside the sums."""
    test = first(certificate)
    test["samples"] = [number(float.fromhex(x) + 0.1) for x in test["samples"]]


def outside(certificate):
    first(certificate)["samples"][0] = number(3.0)


def other_length(certificate):
    first(certificate)["samples"].pop()


def no_grid(certificate):
    for name in ("index", "above", "below"):
        first(certificate)[name] = first(certificate)[name][:3]


def ends_of_the_grid(certificate):
    """Only the first and the last sample: the farthest ones are left out."""
    certificate["status"] = "holds"
    for test in certificate["statistics"][0]["tests"]:
        ends = [test["index"].index(0), test["index"].index(test["n"] - 1)]
        for name in ("index", "above", "below"):
            test[name] = [test[name][k] for k in ends]


def bets_alone(certificate):
    """Bets that a claim is too large, without the means that could hold."""
    certificate["statistics"] = certificate["statistics"][1:]
    plan(certificate)["count"] = 2


def groups_of_one(certificate):
    """Each mean by itself, at the whole rate."""
    group = certificate["statistics"][0]
    certificate["statistics"] = [{**group, "tests": [test]} for test in group["tests"]]


def mirrored(certificate):
    """A pair twice, in both orders, in place of another."""
    tests = certificate["statistics"][0]["tests"]
    k = [test["pair"] for test in tests].index([0, 1])
    tests[0] = {**tests[k], "pair": [1, 0]}


def falling(certificate):
    first(certificate)["above"][3] = number(0.0)


def not_again(certificate):
    """Fresh draws whose means are the claims."""
    for test in certificate["statistics"][0]["tests"]:
        test["fresh"]["sums"][0] = number(0.0)


def few_again(certificate):
    """Fewer fresh draws than first ones."""
    for test in certificate["statistics"][0]["tests"]:
        test["fresh"]["n"] = test["n"] // 2 - 1


def all_again(certificate):
    """Fresh draws that are all draws."""
    for test in certificate["statistics"][0]["tests"]:
        test["fresh"] = {name: test[name] for name in ("n", "sums", "radii")}


def more_again(certificate):
    """Ten times as many fresh draws as there are in all, which scatter as these do."""
    all_again(certificate)
    for test in certificate["statistics"][0]["tests"]:
        sums = [number(10.0 * float.fromhex(x)) for x in test["sums"]]
        test["fresh"] |= {"n": 10 * test["n"], "sums": sums}


def other_side_again(certificate):
    """Fresh draws of the other sign, which no first ones bring to the sums of all."""
    for test in certificate["statistics"][0]["tests"]:
        odd = [number(-float.fromhex(x)) for x in test["fresh"]["sums"][::2]]
        test["fresh"]["sums"][::2] = odd


def without_fresh(certificate):
    for test in certificate["statistics"][0]["tests"]:
        del test["fresh"]


def fixed(certificate):
    """No fresh draws, since all draws were one."""
    without_fresh(certificate)
    plan(certificate)["fixed"] = True


def beyond(certificate):
    first(certificate)["index"][0] = 10**6


def other_range(certificate):
    first(certificate)["range"] = [number(1.0), number(1.5)]


ALTERATIONS = [
    ("catoni", "refuted", "no rate", put("false_alarm", number(1.5), whole)),
    ("catoni", "refuted", "a negative rate", put("false_alarm", number(-1.0), whole)),
    ("catoni", "holds", "no resolution", put("resolution", "inf", whole)),
    ("catoni", "refuted", "no tests", no_tests),
    ("catoni", "refuted", "fewer pairs", fewer),
    ("catoni", "refuted", "a pair twice", twice),
    ("catoni", "holds", "a pair in both orders", mirrored),
    ("wealth", "holds", "a pair of no rows", put("pair", [7, 7])),
    ("wealth", "holds", "a pair before the first", put("pair", [-1, 0])),
    ("squared lengths", "holds", "bets alone", bets_alone),
    ("squared lengths", "refuted", "bets against another kernel", another_kernel),
    ("vector", "refuted", "groups of one mean", groups_of_one),
    ("catoni", "refuted", "rounding of the other sign", put("rounding", number(-0.5), plan)),
    ("catoni", "refuted", "a third moment", third_moment),
    ("catoni", "refuted", "true samples", put("n", True)),
    ("catoni", "refuted", "half a sample", put("n", 0.5)),
    ("catoni", "refuted", "text", put("n", "1550")),
    ("catoni", "refuted", "a count beyond floats", put("n", 10**400)),
    ("catoni", "refuted", "radii of the other sign", put("radii", [number(-1.0)] * 4)),
    ("catoni", "refuted", "few radii", put("radii", [number(0.0)])),
    ("catoni", "refuted", "a claim that is NaN", put("claim", "nan")),
    ("wealth", "holds", "a range without the mean", other_range),
    ("same", "refuted", "fresh draws that confirm nothing", not_again),
    ("same", "refuted", "few fresh draws", few_again),
    ("same", "refuted", "fresh draws that are all", all_again),
    ("same", "refuted", "fresh draws beyond all", more_again),
    ("same", "refuted", "fresh draws of the other sign", other_side_again),
    ("same", "refuted", "no fresh draws", without_fresh),
    ("same", "refuted", "draws that are one", fixed),
    ("self normalised", "holds", "a look before the first", put("look", -2, plan)),
    ("covariance", "holds", "fewer means", fewer),
    ("vector", "holds", "no tests", no_tests),
    ("mean of known variance", "holds", "other samples", samples),
    ("mean of known variance", "inconclusive", "fewer samples", other_length),
    ("betting", "inconclusive", "a sample outside the range", outside),
    ("betting", "inconclusive", "fewer samples", other_length),
    ("binomial", "inconclusive", "half an event", put("count", 24.5)),
    ("binomial", "refuted", "more trials than can be summed", put("n", 10**15)),
    ("defect", "refuted", "bets against less", cheap_bets),
    ("defect", "refuted", "more stakes", many_stakes),
    ("distribution", "holds", "a part of the grid", no_grid),
    ("distribution", "refuted", "the ends of the grid", ends_of_the_grid),
    ("distribution", "holds", "a law that falls", falling),
    ("distribution", "refuted", "a sample beyond the last", beyond),
]


@pytest.mark.parametrize(
    ("kind", "status", "alter"),
    [pytest.param(*case[:2], case[3], id=f"{case[0]}: {case[2]}") for case in ALTERATIONS],
)
def test_a_falsified_certificate_is_not_confirmed(kind, status, alter, tmp_path):
    certificate = made(kind, status)
    alter(certificate)
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(sealed(certificate)))
    assert recheck.main([str(file)]) in (1, 3)


@pytest.mark.parametrize("n", [3, 5])
def test_power_sums_that_are_not_four_are_contradicted(n):
    certificate = made("catoni", "refuted")
    for test in certificate["statistics"][0]["tests"]:
        test["sums"] = [*test["sums"], number(0.0)][:n]
    status, line = recheck.decide(sealed(certificate))
    assert (status, line.partition(":")[0]) == (1, "contradicted")


@pytest.mark.parametrize("name", ["false_alarm", "resolution", "status", "statistics", "digest"])
def test_a_certificate_that_lacks_what_decides_is_none(name, tmp_path):
    certificate = sealed(made("binomial", "refuted"))
    del certificate[name]
    file = tmp_path / "certificate.json"
    file.write_text(json.dumps(certificate))
    assert recheck.main([str(file)]) in (1, 2)


def test_every_field_of_a_test_is_needed(tmp_path):
    """But those that the replay and readers use, or whose absence has a meaning."""
    replayed = {"unit", "X", "Y", "unit_Y", "draws", "source", "low", "high", "per_draw"}
    replayed |= {"samples", "shared", "pilot", "rounding"}
    certificate = made("catoni", "refuted")
    for part in (first, plan):
        for name in set(part(certificate)) - replayed:
            changed = copy.deepcopy(certificate)
            del part(changed)[name]
            file = tmp_path / "certificate.json"
            file.write_text(json.dumps(sealed(changed)))
            assert recheck.main([str(file)]) in (1, 2, 3), name


def test_a_key_that_is_there_twice_is_refused(tmp_path, capsys):
    text = json.dumps(sealed(made("binomial", "refuted")))
    file = tmp_path / "certificate.json"
    file.write_text('{"status": "holds", ' + text[1:])
    assert recheck.main([str(file)]) == 2
    assert "a key is there twice" in capsys.readouterr().err


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


def test_rate_and_resolution_are_in_the_answer():
    _, line = recheck.decide(made("binomial", "refuted"))
    assert line.endswith("refuted, at a rate of 1e-09 and a resolution of 0.15")
