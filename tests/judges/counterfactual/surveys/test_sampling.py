"""Studies made of a sample of the people of a folder of ratings."""

import csv
from collections import defaultdict
from io import StringIO

import numpy as np
import pytest

from annotate.files.reading import Problems
from annotate.models import Item
from judges.counterfactual.surveys.reading import read_folder
from judges.counterfactual.surveys.sampling import sampled
from judges.models import Judgment
from tests.demo_files import made_up_ratings
from tests.judges.counterfactual.surveys.test_making import run

PEOPLE = 60


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Ratings of 90 people on 240 films."""
    found = tmp_path_factory.mktemp("films")
    made_up_ratings.write_all(found)
    return found


def rows_of(folder):
    with (folder / "ratings.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def by_person(rows):
    found = defaultdict(list)
    for row in rows:
        found[row["userId"]].append(row)
    return found


def test_some_people_with_all_that_they_rated(folder, tmp_path):
    sample = sampled(folder, PEOPLE, 3, tmp_path)
    everything, some = by_person(rows_of(folder)), by_person(rows_of(sample.folder))
    assert (len(some), sample.people, sample.of, len(everything)) == (PEOPLE, PEOPLE, 90, 90)
    assert all(rows == everything[who] for who, rows in some.items())
    films = (sample.folder / "movies.csv").read_bytes()
    assert films == (folder / "movies.csv").read_bytes()


def test_the_seed_draws_them(folder, tmp_path):
    first, again = (sampled(folder, PEOPLE, 3, tmp_path / name) for name in "ab")
    assert rows_of(first.folder) == rows_of(again.folder)
    other = sampled(folder, PEOPLE, 4, tmp_path)
    assert {*by_person(rows_of(other.folder))} != {*by_person(rows_of(first.folder))}
    drawn = np.random.default_rng([3]).choice(90, PEOPLE, replace=False)
    people = list(by_person(rows_of(folder)))
    assert {*by_person(rows_of(first.folder))} == {people[at] for at in drawn}


def test_other_names_of_columns_and_marks_of_files_are_kept(folder, tmp_path):
    renamed = tmp_path / "renamed"
    renamed.mkdir()
    (renamed / "movies.csv").write_bytes((folder / "movies.csv").read_bytes())
    text = (folder / "ratings.csv").read_text().replace("userId", "recipient", 1)
    (renamed / "ratings.csv").write_text("\ufeff" + text, encoding="utf-8")
    sample = sampled(renamed, PEOPLE, 3, tmp_path)
    films = read_folder(sample.folder, Problems())
    assert films.matrix.shape[0] == PEOPLE
    assert films.people == sorted(by_person(rows_of(sampled(folder, PEOPLE, 3, tmp_path).folder)))


@pytest.mark.parametrize("spoilt", ["all of them", "no column", "no file"])
def test_where_nothing_can_be_left_out_the_folder_stays(folder, tmp_path, spoilt):
    own = tmp_path / "own"
    own.mkdir()
    (own / "movies.csv").write_bytes((folder / "movies.csv").read_bytes())
    text = (folder / "ratings.csv").read_text()
    if spoilt != "no file":
        is_nameless = spoilt == "no column"
        (own / "ratings.csv").write_text(text.replace("userId", "x", 1) if is_nameless else text)
    assert sampled(own, 90 if spoilt == "all of them" else PEOPLE, 3, tmp_path) is None


@pytest.mark.django_db
def test_the_study_is_that_of_a_folder_with_only_these_people(folder, tmp_path, settings, owner):
    settings.VAR_DIR = tmp_path / "var"
    small, out = {"factors": 4, "iterations": 3, "seed": 3}, StringIO()
    run(folder, **small, sample=PEOPLE, study="sample", stdout=out)
    assert "A sample of 60 of 90 people, drawn by the seed 3." in out.getvalue()
    alone = tmp_path / "alone"
    alone.mkdir()
    (alone / "movies.csv").write_bytes((folder / "movies.csv").read_bytes())
    chosen = by_person(rows_of(sampled(folder, PEOPLE, 3, tmp_path).folder))
    with (alone / "ratings.csv").open("w", newline="") as file:
        writer = csv.DictWriter(file, list(rows_of(folder)[0]))
        writer.writeheader()
        writer.writerows(row for row in rows_of(folder) if row["userId"] in chosen)
    settings.VAR_DIR = tmp_path / "other"
    run(alone, **small, study="alone")
    assert _made("sample") == _made("alone")


def _made(slug):
    """What stands in the study: items, and what the judges said of them."""
    items = Item.objects.filter(study__slug=slug).order_by("key")
    scores = Judgment.objects.filter(item__study__slug=slug)
    return (
        list(items.values_list("key", "text", "data__explaining_contents")),
        sorted(scores.values_list("item__key", "run__judge__key", "value")),
    )
