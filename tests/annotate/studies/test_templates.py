"""A study from a template."""

import pytest
import yaml

from annotate.files.reading import Problems
from annotate.files.reading.studyfile import read_study
from annotate.models import Study
from annotate.studies.templates import FOLDER, NAMES, study_templates
from annotate.values.scales.likert import AGREEMENT
from tests import factories

pytestmark = pytest.mark.django_db
ADDRESS = "/studies/new/template/"
# From the papers: section 2.2.2 of "Large Language Models as Evaluators for Recommendation
# Explanations", section 4.3 of "Counterfactually Evaluating Explanations in Recommender Systems".
FOUR = [
    ("persuasiveness", "This explanation is convincing to me."),
    ("transparency", "Based on this explanation, I understand why this movie is recommended."),
    ("accuracy", "This explanation is consistent with my interests."),
    ("satisfaction", "I am satisfied with this explanation."),
]
SEVEN = [
    ("explainability", "help you understand why we recommend this movie to you?", "helpful"),
    ("informativeness", "help you know more about the recommended movie?", "helpful"),
    (
        "effectiveness",
        "help you decide whether you want to watch this recommended movie?",
        "helpful",
    ),
    ("persuasiveness", "convince you to watch the recommended movie?", "convincing"),
    ("transparency", "help you understand how the system works?", "helpful"),
    ("trustworthiness", "increase your trust in the system?", "increasing"),
    ("satisfaction", "make you happier about the system?", "satisfactory"),
]


def make(client, template="explanations-four", title="My films", slug="", **more):
    given = {"template": template, "title": title, "slug": slug, **more}
    return client.post(ADDRESS, given, follow=True)


def test_every_template_is_offered_and_is_a_study_file(tmp_path):
    assert sorted(path.stem for path in FOLDER.glob("*.yaml")) == sorted(NAMES)
    for name, template in study_templates().items():
        problems = Problems()
        assert read_study(FOLDER / f"{name}.yaml", "study.yaml", problems).slug == name
        assert not problems
        assert template.title and template.about


def test_the_page_offers_templates_beside_files(as_owner):
    page = as_owner.get("/studies/new/").content.decode()
    for words in (
        "What do you have?",
        "Explanations, seven questions",
        "Podcast lists",
        "Check the files",
    ):
        assert words in page
    assert "This explanation is consistent with my interests." in page


def test_the_four_statements(as_owner, owner):
    page = make(as_owner, instructions="ignored").content.decode()
    study = Study.objects.get()
    assert (study.slug, study.title, study.kind) == ("my-films", "My films", "explanation")
    assert study.memberships.get().user == owner and study.memberships.get().role == "owner"
    assert [(q.key, q.text) for q in study.questions.all()] == FOUR
    assert {q.scale.labels == AGREEMENT for q in study.questions.all()} == {True}
    assert [q.position for q in study.questions.all()] == [0, 1, 2, 3]
    assert study.show_history == 10 and study.extra["repeat_share"] == 0.1
    assert "Next: load its items." in page and "/studies/my-films/load/" in page


def test_the_seven_questions(as_owner):
    make(as_owner, "explanations-seven", slug="seven")
    study = Study.objects.get()
    assert study.items_per_session == 12
    found = [
        (q.key, q.text, q.scale.low, q.scale.high, q.scale.labels) for q in study.questions.all()
    ]
    for (key, words, word), (found_key, text, low, high, labels) in zip(SEVEN, found, strict=True):
        assert (found_key, low, high) == (key, 1, 5)
        assert text.startswith("Given a scale from 1 to 5, does the explanation ")
        assert text.endswith(words)
        assert len(labels) == 2 and all(word in label for label in labels)


def test_podcast_lists_ask_about_profile_episode_and_lists(as_owner):
    make(as_owner, "podcast-lists", slug="pods")
    study = Study.objects.get()
    assert study.extra["sessions_by"] == "recipient"  # a session is about one listener
    asked = [(q.applies_to, q.scale.kind, q.required, bool(q.why)) for q in study.questions.all()]
    assert asked == [
        (["profile"], "likert", True, False),
        (["profile"], "likert", True, False),
        (["profile"], "text", False, False),
        (["recommendation"], "likert", True, False),
        (["recommendation"], "binary", True, False),
        (["list_pair"], "choice", True, True),
        (["list_pair"], "choice", True, False),
        (["list_pair"], "choice", True, False),
    ]
    choices = study.questions.filter(key__endswith="-list")
    assert [q.scale.labels for q in choices] == [["A", "tie", "B"]] * 3


def test_statement_support_is_binary_with_words_of_its_own(as_owner):
    make(as_owner, "statement-support", slug="support")
    scale = Study.objects.get().questions.get().scale
    assert (scale.kind, scale.points) == ("binary", [(0, "Not supported"), (1, "Supported")])


def test_a_blank_study_leads_to_its_questions(as_owner):
    page = make(as_owner, "blank", slug="empty").content.decode()
    assert "Write the first question" in page and "Next: write its questions." in page
    assert Study.objects.get().questions.count() == 0


BAD = {
    "taken": ({"slug": "films"}, "“films” is taken; choose another address."),
    "taken by the title": ({"title": "Films"}, "“films” is taken; choose another address."),
    "reserved": ({"slug": "new"}, "that is the address of a page of its own"),
    "reserved by the title": ({"title": "New"}, "No address can be made from this title"),
    "no letters": ({"title": "电影"}, "No address can be made from this title: please give one."),
    "capitals": ({"slug": "Films"}, "Use 1 to 60 lower-case letters, digits and hyphens."),
    "no title": ({"title": " "}, "This field is required."),
    "no template": ({"template": "poems"}, "Select a valid choice."),
}


@pytest.mark.parametrize("given, message", BAD.values(), ids=BAD)
def test_what_is_wrong_comes_back_with_what_was_typed(as_owner, study, given, message):
    answer = make(as_owner, **given)
    assert answer.status_code == 422 and Study.objects.count() == 1
    page = answer.content.decode()
    assert message.replace("'", "&#x27;") in page
    assert f'value="{given.get("title", "My films")}"' in page or given.get("title") == " "


def test_a_title_in_another_script_needs_an_address(as_owner):
    make(as_owner, title="电影 <b>", slug="dianying")
    assert Study.objects.get().title == "电影 <b>"


def test_the_address_of_the_form_alone_leads_to_the_page(as_owner):
    assert as_owner.get(ADDRESS).url == "/studies/new/"


def test_templates_are_yaml_that_any_reader_reads():
    for name in NAMES:
        assert yaml.safe_load((FOLDER / f"{name}.yaml").read_text())["study"] == name


def test_items_that_are_loaded_into_a_made_study_can_be_rated(as_owner, client):
    make(as_owner, slug="mine")
    study = Study.objects.get()
    assert "not ready" in client.get("/join/mine/").content.decode() or study.items.count() == 0
    factories.make_item(study)
    assert "I agree and take part" in client.get("/join/mine/").content.decode()


def test_a_study_like_another_gets_its_questions_and_settings_alone(as_owner, study):
    Study.objects.update(
        consent="Agreed.",
        extra={"quality": {"min_seconds": 2}},
        notice="N",
        raters_per_item_max=7,
        adaptive_from={"labels": 3},
    )
    factories.make_rating(
        factories.make_session(study), study.items.first(), study.questions.first(), 4
    )
    assert "/studies/films/copy/" in as_owner.get("/studies/films/questions/").content.decode()
    form = as_owner.get("/studies/films/copy/").context["form"]
    assert form["title"].value() == "Films"
    given = {"title": "Films, two", "slug": ""}
    page = as_owner.post("/studies/films/copy/", given, follow=True).content.decode()
    made = Study.objects.get(slug="films-two")
    names = ("key", "text", "scale_spec", "required", "applies_to", "position")
    assert list(made.questions.values(*names)) == list(study.questions.values(*names))
    assert (made.consent, made.notice, made.extra["quality"]) == (
        "Agreed.",
        "N",
        {"min_seconds": 2},
    )
    assert (made.raters_per_item_max, made.adaptive_from) == (7, {"labels": 3})
    assert made.completion_code != study.completion_code
    assert not made.items.exists() and not made.sessions.exists()
    assert "Next: load its items." in page
    assert study.questions.count() == 4 and study.items.count() == 4


def test_a_copy_needs_an_address_of_its_own(as_owner, study):
    answer = as_owner.post("/studies/films/copy/", {"title": "Films", "slug": ""})
    assert answer.status_code == 422 and "“films” is taken" in answer.content.decode()
    assert Study.objects.count() == 1


def test_a_study_without_questions_says_so_where_it_matters(as_owner):
    make(as_owner, "blank", slug="empty")
    factories.make_item(Study.objects.get())
    for path in ("", "raters/"):
        page = as_owner.get(f"/studies/empty/{path}").content.decode()
        assert page.count('href="/studies/empty/questions/"') == 2, path  # the tab, and the link
    factories.make_question(Study.objects.get())
    page = as_owner.get("/studies/empty/").content.decode()
    assert "Write questions" not in page
