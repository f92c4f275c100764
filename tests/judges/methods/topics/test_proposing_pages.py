"""Pages of a judge that proposes topics, and the form that begins with what it proposed."""

from io import StringIO

import pytest
from django.core.management import call_command
from django.urls import reverse

from annotate.design import splits
from annotate.models import Membership
from judges import methods
from judges.files import load_files
from judges.methods.extract import topics
from judges.models import Judge, Run
from judges.prompting import own
from judges.runs.plan import plan
from tests import factories
from tests.api.conftest import program
from tests.extracting import make_extractor
from tests.proposing import in_turn, make_proposer, make_reviews, propose, reply

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(owner):
    return factories.make_study("clothes", owner)


@pytest.fixture
def run(study):
    make_reviews(study)
    said = in_turn(
        reply("Price", "<b>fit</b>", "care"), reply("scent", "price", ""), reply("price", "price")
    )
    return propose(study, said, most_topics=3)[0]


def to_new(study, query=""):
    return reverse("judge_new", args=[study.slug]) + "?kind=llm&method=extraction" + query


def topics_in(response):
    return response.context["form"]["topics"].value()


def test_a_judge_is_made_by_the_form(as_owner, study):
    endpoint = factories.make_endpoint()
    new = reverse("judge_new", args=[study.slug]) + "?kind=llm&method=topics"
    page = as_owner.get(new)
    assert (
        "Extract statements from texts, or propose topics" in page.text
        and "Shows an LLM samples" in page.text
    )
    assert page.context["form"]["sides"].value() == "reference"
    sent = {
        "key": "proposer",
        "endpoint": endpoint.pk,
        "prompt": "topics.v1",
        "sides": "reference",
        "reviews": 15,
        "review_samples": 4,
        "most_topics": 8,
        "seed": 3,
        "temperature": 0,
        "max_tokens": 400,
    }
    for name, wrong in [("reviews", 101), ("review_samples", 0), ("most_topics", 51)]:
        assert as_owner.post(new, sent | {name: wrong}).status_code == 422
    assert as_owner.post(new, sent).status_code == 302
    judge = Judge.objects.get(key="proposer")
    settings = judge.settings
    assert (judge.method, settings.sides, settings.reviews) == (
        "topics",
        "reference",
        15,
    )
    settings = judge.settings
    assert (settings.review_samples, settings.most_topics, settings.seed) == (
        4,
        8,
        3,
    )


def test_the_judge_s_page_shows_what_is_sent_of_each_sample(as_owner, study):
    judge = make_proposer(study)
    at = reverse("judge", args=[study.slug, judge.pk])
    assert "once the study has an explanation or a text with a review" in as_owner.get(at).text
    make_reviews(study)
    rows = plan(judge).topic_samples.order_by("unit")
    first, second, _ = [[line for _, line in row.reviews] for row in rows]
    page = as_owner.get(at).text
    assert f"1. {first[0]}\n2. {first[1]}\nREVIEWS&gt;&gt;&gt;" in page
    assert "3 samples of 2, drawn with seed 1" in page
    assert "For sample 1: 1 call" in page and "Next sample" in page
    page = as_owner.get(at + "?item=2").text
    assert f"1. {second[0]}\n2. {second[1]}\nREVIEWS&gt;&gt;&gt;" in page
    for unknown in ("4", "0", "x", "٢", "-1"):
        assert "There is no sample" in as_owner.get(at + f"?item={unknown}").text


def test_the_run_s_page_shows_the_list_with_counts_and_what_was_dropped(as_owner, study, run):
    page = as_owner.get(run.get_absolute_url()).text
    assert "In how many of the 3 samples" in page
    rows = page.split('id="shortlist"')[1].split("<tbody>")[1].split("</tbody>")[0]
    assert [row.split("</td>")[0] for row in rows.split('<td class="text">')[1:]] == [
        "price",
        "&lt;b&gt;fit&lt;/b&gt;",
        "care",
        "scent",
    ]
    assert "3 of 3" in rows and rows.count("1 of 3") == 3
    assert "1 × empty name (“”)" in page and "1 × the same topic again (“price”)" in page
    assert "<strong>3</strong> topics of 2 reviews" in page
    assert to_new(study, f"&topics_of={run.pk}").replace("&", "&amp;") in page
    assert "The first 3 are filled" in page
    assert as_owner.get(reverse("run_progress", args=[study.slug, run.pk])).status_code == 200


def test_the_form_of_an_extractor_begins_with_them_and_nothing_is_made(as_owner, study, run):
    page = as_owner.get(to_new(study, f"&topics_of={run.pk}"))
    assert page.context["form"]["topic_list"].value() == topics.OWN
    assert topics_in(page) == "price\n<b>fit</b>\ncare"
    assert "price\n&lt;b&gt;fit&lt;/b&gt;\ncare</textarea>" in page.text
    assert f"run {run.pk}</a>, as a model proposed them" in page.text
    assert not Judge.objects.filter(method="extraction").exists()
    sent = {field.html_name: field.value() for field in page.context["form"]}
    changed = {"key": "extractor", "endpoint": run.judge.endpoint_id, "topics": "price: worth\nfit"}
    sent |= changed
    assert as_owner.post(to_new(study, f"&topics_of={run.pk}"), sent).status_code == 302
    assert Judge.objects.get(key="extractor").settings.topics == [["price", "worth"], ["fit", ""]]


def test_the_form_is_as_ever_without_it(as_owner, study):
    factories.make_endpoint()
    page = as_owner.get(to_new(study))
    assert page.context["form"]["topic_list"].value() is None
    assert not topics_in(page) and "as a model proposed" not in page.text


@pytest.mark.parametrize("number", ["0", "x", "", "9" * 30, "1e3", "٣", "-1"])
def test_a_number_of_no_run_is_not_found(as_owner, study, number):
    assert as_owner.get(to_new(study, f"&topics_of={number}")).status_code == 404


def test_neither_another_study_s_run_nor_that_of_another_judge_is_taken(as_owner, study, run):
    make_extractor(study)
    other = Run.objects.create(judge=Judge.objects.get(key="extractor"))
    assert as_owner.get(to_new(study, f"&topics_of={other.pk}")).status_code == 404
    elsewhere = factories.make_study("elsewhere", Membership.objects.get(study=study).user)
    assert as_owner.get(to_new(elsewhere, f"&topics_of={run.pk}")).status_code == 404


def test_who_may_only_look_sees_the_list_without_the_link(client, study, run, stranger):
    Membership.objects.create(study=study, user=stranger, role=Membership.Role.VIEWER)
    client.force_login(stranger)
    page = client.get(run.get_absolute_url()).text
    assert "Proposed topics" in page and "use-topics" not in page
    assert client.get(to_new(study, f"&topics_of={run.pk}")).status_code in (403, 404)


def test_what_was_said_of_a_test_part_locked_since_is_withheld(as_owner, study, run):
    splits.lock(study, seed=1, share=0.99, by="owner")
    page = as_owner.get(run.get_absolute_url()).text
    assert "3 samples with a review of the locked test part are left out" in page
    assert splits.WITHHELD in page
    assert "&lt;b&gt;fit" not in page and "scent" not in page
    assert topics_in(as_owner.get(to_new(study, f"&topics_of={run.pk}"))) == ""


def test_a_file_says_all_of_it_and_leaves_out_what_is_usual(study, owner, tmp_path):
    factories.make_endpoint()
    path = tmp_path / "study.yaml"
    line = "  - {{judge: {}, kind: llm, endpoint: local, method: topics{}}}\n"
    said = ", sides: both, reviews: 7, review_samples: 3, most_topics: 12, seed: 5"
    text = "study: files\nquestions: [{key: a, text: A, scale: likert5}]\njudges:\n"
    path.write_text(text + line.format("said", said) + line.format("usual", ""))
    assert not load_files(path, {}, owner=owner).problems.shown
    rows = Judge.objects.order_by("key").values_list("key", "settings", "prompt")
    names = ("sides", "reviews", "review_samples", "most_topics", "seed", "max_tokens")
    assert [(key, *map(settings.get, names), prompt) for key, settings, prompt in rows] == [
        ("said", "both", 7, 3, 12, 5, 400, "topics.v1"),
        ("usual", "reference", 20, 5, 10, 1, 400, "topics.v1"),
    ]


def test_in_a_prompt_of_the_study_s_own_reviews_stand_between_marker_lines():
    ((line, problem),) = own.problems_of("JSON of $most:\n$reviews", methods.named("topics"))
    assert line == 2 and problem.startswith("$reviews has to stand alone between")


def test_programs_and_the_command_run_it_as_any_judge(owner, study, monkeypatch):
    monkeypatch.setattr("judges.pages.api.nudge", lambda run: None)
    make_reviews(study)
    judge = make_proposer(study)
    address = f"/api/v1/studies/{study.slug}/"
    row = program(owner).get(address + "judges/").json()["results"][0]
    assert row["settings"]["reviews"] == 2 and row["settings"]["method"] == "topics"
    answer = program(owner).post(address + "runs/", {"judge": judge.key})
    assert answer.status_code == 201, answer.json()
    assert answer.json()["progress"]["total"] == 3 == judge.runs.get().topic_samples.count()
    assert answer.json()["settings"]["review_samples"] == 3
    judge.runs.update(state=Run.State.FINISHED)
    call_command("run_judge", study.slug, judge.key, stdout=StringIO())
    first, second = [
        list(run.topic_samples.order_by("unit").values_list("reviews")) for run in judge.runs.all()
    ]
    assert first == second


def test_the_pages_ask_no_more_for_more_samples(
    as_owner, study, run, django_assert_num_queries, django_assert_max_num_queries
):
    many, _ = propose(study, lambda *_: reply("fit", "care"), key="many", review_samples=20)
    assert many.judgments.count() == 20
    with django_assert_max_num_queries(16) as few:
        as_owner.get(run.get_absolute_url())
    with django_assert_num_queries(len(few)):
        as_owner.get(many.get_absolute_url())
    splits.lock(study, seed=1, share=0.5, by="owner")
    with django_assert_max_num_queries(24) as locked:
        as_owner.get(run.get_absolute_url())
    with django_assert_num_queries(len(locked)):
        as_owner.get(many.get_absolute_url())
