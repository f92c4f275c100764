"""manage.py recipe: a table as text and CSV, what cannot be repeated, clear refusals."""

import csv
from io import StringIO

import pandas as pd
import pytest
from django.core.management import CommandError, call_command
from scipy.stats import pearsonr

from analysis.demo import preparing
from analysis.recipes.registry import RECIPES
from tests import factories
from tests.explained import Explained
from tests.recommended import known_table, make_lists, make_recommender

pytestmark = pytest.mark.django_db
FILMS = preparing.FOLDER / "films"


def printed_by(*words):
    out = StringIO()
    call_command("recipe", *words, stdout=out)
    return out.getvalue()


@pytest.mark.parametrize("paper", RECIPES)
def test_a_study_without_anything_gets_reasons_and_no_numbers(owner, paper):
    factories.make_study("films", owner)
    text = printed_by("films", paper)
    recipe = RECIPES[paper]
    assert f"Of {len(recipe.published):,} printed numbers: 0 equal, 0 inside the interval" in text
    assert all(sentence in text for sentence in recipe.cannot)


def test_the_table_is_written_as_csv(owner, tmp_path):
    study = factories.make_study("films", owner)
    make_lists(make_recommender(study), known_table())
    make_lists(make_recommender(study, "other"), known_table())
    path = tmp_path / "p2.csv"
    said = printed_by("films", "p2", "--judge", "recommender=teller", "-o", str(path))
    assert said.startswith(f"Wrote {path}.") and "The judge teller stands for: recommender." in said
    rows = {(row["table"], row["row"], row["column"]): row for row in rows_in(path)}
    row = rows["4", "MR1: Multiply", "Overlap ratio"]
    assert (float(row["printed"]), row["verdict"]) == (0.8146, "differs")
    assert float(row["ours"]) == pytest.approx(0.8)
    assert (rows["2", "k = 5", "RBO"]["ours"], rows["2", "k = 5", "RBO"]["verdict"]) == (
        "",
        "not computed",
    )


def test_p0_runs_whole_on_the_demo_of_films(tmp_path):
    """Its files have what recipients and the judge say: Pearson's r of them stands in the table."""
    factories.make_endpoint(key="local-demo")
    files = {name: FILMS / f"{name}.csv" for name in ("items", "ratings", "judgments")}
    given = [f"--{name}={file}" for name, file in files.items()]
    call_command("load_study", FILMS / "study.yaml", *given, stdout=StringIO())
    path = tmp_path / "p0.csv"
    said = printed_by("films-demo", "p0", "--judge", "GPT4 (M)=Simulated judge", "-o", str(path))
    assert "Of 308 printed numbers: " in said
    assert "The judge Simulated judge stands for: GPT4 (M)." in said
    answers = [pd.read_csv(files[name]) for name in ("ratings", "judgments")]
    own = answers[0][answers[0]["role"] == "recipient"]
    judged = answers[1][answers[1]["judge"] == "Simulated judge"]
    judged = judged[judged["item"].isin(own["item"])]
    both = judged.merge(own, on=["item", "question"], how="left").fillna({"value_y": 3})
    assert len(both) > len(own), "some recipients left out a question, which counts as 3"
    rows = {(row["table"], row["row"], row["column"]): row for row in rows_in(path)}
    for aspect in ("persuasiveness", "satisfaction"):
        pairs = both[both["question"] == aspect]
        r = pearsonr(pairs["value_x"], pairs["value_y"])[0]
        row = rows["1", "GPT4 (M)", f"{aspect.capitalize()}: dataset"]
        assert float(row["ours"]) == pytest.approx(100 * r)
        assert float(row["low"]) < 100 * r < float(row["high"])
    reason = rows["1", "Annotator-1", "Accuracy: pair"]["reason"]
    assert reason == "the paper has two third-party annotators, this study 3"
    assert rows["Data", "Users", "Number"]["ours"] == "10.0"


def test_p4_runs_whole_on_explained_films(tmp_path):
    explained = Explained()
    path = tmp_path / "p4.csv"
    said = printed_by("films", "p4", "-o", str(path))
    assert "Of 163 printed numbers: " in said
    rows = {(row["table"], row["row"], row["column"]): row for row in rows_in(path)}
    r = pearsonr(explained.scores["item-sim"], explained.means("satisfaction"))[0]
    assert float(rows["1", "Item-Sim", "Satisfaction"]["ours"]) == pytest.approx(r)
    assert rows["3", "t", "Persuasiveness"]["printed"] == "2.0424"
    assert rows["3", "p", "Satisfaction"]["printed"] == ""


def rows_in(path):
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def test_what_is_unknown_is_refused(owner):
    factories.make_study("films", owner)
    for words, sentence in (
        (["films", "p9"], "There is no recipe 'p9'; there are: p0, p1, p2, p3, p4."),
        (["nothing", "p2"], "There is no study 'nothing'"),
        (["films", "p2", "--judge", "teller"], "expected ROLE=NAME"),
        (["films", "p2", "--judge", "recommender=x"], "The study has no judge 'x'"),
    ):
        with pytest.raises(CommandError, match=sentence):
            printed_by(*words)
