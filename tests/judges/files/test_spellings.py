"""Topics that differ in capitals or in how their letters are encoded are one topic in files."""

import pytest

from analysis.exports import write
from judges.files.study_file import study_yaml
from judges.methods.extract import topics
from judges.models import Judge, Statement
from tests import factories
from tests.files import load, messages

pytestmark = pytest.mark.django_db
COMPOSED, DECOMPOSED = "qualit\u00e9", "qualite\u0301"
ITEMS = "item,text,review\n" + "".join(f"e{n},Text {n}.,Review {n}.\n" for n in range(6))
HEADER = "item,side,statement,topic,sentiment\n"


def rows(*said, start=0):
    """A generated statement of an item each, about these topics."""
    each = enumerate(said, start=start)
    return HEADER + "".join(f"e{n},generated,thing {n},{topic},positive\n" for n, topic in each)


def spelt(slug="films"):
    return [one.topic for one in Statement.objects.filter(item__study__slug=slug).order_by("pk")]


def test_without_a_list_the_first_spelling_of_the_file_is_kept(tmp_path):
    said = ("Fit", DECOMPOSED, "fit", COMPOSED, "FIT", "price")
    assert messages(load(tmp_path, items=ITEMS, statements=rows(*said))) == []
    assert spelt() == ["Fit", DECOMPOSED, "Fit", DECOMPOSED, "Fit", "price"]


def test_what_the_study_has_already_comes_before_the_file(tmp_path):
    load(tmp_path, items=ITEMS, statements=rows("fit", COMPOSED))
    more = rows("Fit", DECOMPOSED, "FIT", start=2)
    assert messages(load(tmp_path, items=ITEMS, statements=more)) == []
    assert spelt() == ["fit", COMPOSED, "fit", COMPOSED, "fit"]


def test_a_list_of_topics_comes_before_both(tmp_path, owner):
    load(tmp_path, items=ITEMS, statements=rows("Fit"))
    (statement,) = Statement.objects.all()
    make_list(statement.item.study, ["fit", COMPOSED])
    more = rows("FIT", DECOMPOSED, "Price", start=1)
    study = study_yaml(statement.item.study)
    assert messages(load(tmp_path, study=study, items=ITEMS, statements=more)) == []
    assert spelt() == ["Fit", "fit", COMPOSED, "Price"]


def make_list(study, names):
    return factories.make_judge(
        study,
        "reader",
        factories.make_endpoint(),
        method=Judge.Method.EXTRACTION,
        prompt="extract.v1",
        topics=[[name, ""] for name in names],
    )


def test_the_same_file_again_changes_nothing_nor_does_another_spelling(tmp_path):
    load(tmp_path, items=ITEMS, statements=rows("Fit", "fit"))
    for said in (("Fit", "fit"), ("fit", "FIT")):
        loading = load(tmp_path, items=ITEMS, statements=rows(*said))
        counts = loading.counts["statements"]
        assert (messages(loading), counts.unchanged, counts.changed) == ([], 2, 0)
    other = load(tmp_path, items=ITEMS, statements=rows("price", "fit"))
    assert "found other statements" in messages(other)[0]


def test_statements_that_were_kept_in_two_spellings_load_back_and_stay(tmp_path):
    """As earlier versions kept them."""
    loading = load(tmp_path, items=ITEMS, statements=rows("Fit", "Fit"))
    Statement.objects.filter(item__key="e1").update(topic="fit")
    export = "".join(write.pieces(loading.study, "statements", "csv"))
    again = load(tmp_path, items=ITEMS, statements=export)
    assert (messages(again), again.counts["statements"].unchanged) == ([], 2)
    assert spelt() == ["Fit", "fit"]


def test_an_export_comes_back_as_it_was(tmp_path):
    said = ("Fit", DECOMPOSED, "fit", COMPOSED, "FIT", "price")
    loading = load(tmp_path, items=ITEMS, statements=rows(*said))
    export = "".join(write.pieces(loading.study, "statements", "csv"))
    copy = study_yaml(loading.study).replace("study: films", "study: copy")
    assert messages(load(tmp_path, study=copy, items=ITEMS, statements=export)) == []
    assert spelt("copy") == spelt()


@pytest.mark.parametrize(("one", "other"), [(COMPOSED, DECOMPOSED), ("fit", "FIT")])
def test_a_list_with_two_spellings_of_a_topic_names_both(one, other):
    problem = topics.problem_of([[one, "a"], ["price", ""], [other, "b"]])
    assert f"“{one}” and “{other}”" in problem and "one topic" in problem


def test_study_yaml_with_such_a_list_is_refused(tmp_path, owner):
    study = factories.make_study("shoes", owner)
    make_list(study, ["qualite", COMPOSED])
    text = study_yaml(study).replace("qualite:", f"{DECOMPOSED}:")
    assert DECOMPOSED in text and COMPOSED in text
    (said,) = messages(load(tmp_path, study=text.replace("study: shoes", "study: other")))
    assert "study.yaml" in said and f"“{DECOMPOSED}” and “{COMPOSED}”" in said
