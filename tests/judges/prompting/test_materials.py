"""What is sent: examples, contexts and samples in real calls to a server; and the preview of it."""

import json
from datetime import UTC, datetime
from decimal import Decimal

import pytest
from django.urls import reverse

from analysis.exports.tables import rows
from annotate.models import Interaction, Item, Rating
from judges.models import Call, Judge, Judgment, Run
from judges.prompting.contexts import Contexts
from judges.runs import drive
from judges.runs.plan import PlanError, plan
from judges.values.settings import SettingsError
from tests import factories
from tests.judges.prompting.test_examples import make_grid
from tests.scripted_server import ScriptedServer, chat, valid

pytestmark = pytest.mark.django_db
Shots, Aspects, Context = Judge.Shots, Judge.Aspects, Judge.Context


def run_with(study, script=valid, **fields):
    """(run, requests) of a judge with these settings over the study."""
    with ScriptedServer(script) as server:
        name = f"judge-{Judge.objects.count()}"
        endpoint = factories.make_endpoint(server.url, key=name)
        judge = factories.make_judge(
            study, name, endpoint, **({"prompt": "explanation.v2"} | fields)
        )
        run = plan(judge)
        drive.work_through(run.pk)
        run.refresh_from_db()
        return run, [request["messages"][0]["content"] for request in server.requests]


def exported(study, table):
    header, found = rows(study, table)
    return [dict(zip(header, row, strict=True)) for row in found]


@pytest.mark.parametrize("aspects", Aspects.values)
@pytest.mark.parametrize("shots", Shots.values)
def test_the_grid_of_the_paper(aspects, shots):
    study = make_grid()
    run, sent = run_with(study, aspects=aspects, shots=shots)
    assert run.state == Run.State.FINISHED
    assert run.judgments.filter(state=Judgment.State.DONE).count() == 36
    assert len(sent) == (36 if aspects == Aspects.SINGLE else 18)
    said = {"zero": "", "one": "a user's ratings", "personalised": "this same user's ratings"}
    for text in sent:
        assert text.count("<<<EXAMPLE") == text.count("EXAMPLE>>>") == (shots != Shots.ZERO)
        assert said[shots] in text
        assert "$" not in text


def test_an_example_stands_between_the_rules_and_the_data_with_all_its_ratings():
    study = make_grid()
    run, _ = run_with(study, aspects=Aspects.SINGLE, shots=Shots.ONE)
    for call in run.calls.all():
        item = call.judgments.first().item
        material = run.materials.select_related("example").get(item=item)
        text = call.messages[0]["content"]
        value = 1 + material.example_id % 5
        parts = [
            "Assess it with",
            "Reply with one JSON",
            f"<<<EXAMPLE\n{material.example.text}\n",
            f"Ratings: fits {value}, clear {value}",
            "Try to immerse",
            "<<<EXPLANATION",
            item.text,
        ]
        places = [text.index(part) for part in parts]
        assert places == sorted(places)
        assert text.count(f"\n{item.text}\n") == 1


def test_the_export_and_the_pages_tell_the_example(as_owner, owner):
    study = make_grid()
    study.memberships.create(user=owner, role="owner")
    run, _ = run_with(study, shots=Shots.PERSONALISED)
    found = exported(study, "samples")
    assert len(found) == 36
    for row in found:
        material = run.materials.get(item__key=row["item"])
        assert row["example"] == material.example.key
        assert row["example_rater"] == material.rater.key == row["item"][:2]
        assert (row["state"], row["value"], row["model"]) == ("done", 5, "scripted-1")
    material = run.materials.first()
    page = as_owner.get(reverse("item", args=[study.slug, material.item_id])).content.decode()
    at = reverse("item", args=[study.slug, material.example_id])
    assert f'<a href="{at}">{material.example.key}</a>' in page
    assert f"as {material.rater.key} rated it" in page


def test_the_material_of_a_run_stays_as_it_was_planned():
    study = make_grid()
    with ScriptedServer() as server:
        judge = factories.make_judge(
            study,
            "j",
            factories.make_endpoint(server.url),
            shots=Shots.ONE,
            prompt="explanation.v2",
        )
        run = plan(judge)
        Rating.objects.update(value=1)
        drive.work_through(run.pk)
        said = {
            line
            for request in server.requests
            for line in request["messages"][0]["content"].splitlines()
            if line.startswith("Ratings:")
        }
    assert len(said) > 1


# Samples


def by_turns(number, request):
    keys = request["response_format"]["json_schema"]["schema"]["properties"]
    return chat(json.dumps(dict.fromkeys(keys, 1 + number % 4)))


def test_samples_are_calls_of_their_own_and_the_scores_are_their_mean():
    study = make_grid(1, 1, 1)
    run, sent = run_with(study, by_turns, samples=4, temperature=0.7)
    assert len(sent) == 4
    assert sorted(run.judgments.values_list("sample", "question__key")) == [
        (sample, key) for sample in range(4) for key in ("clear", "fits")
    ]
    assert sorted(r["value"] for r in exported(study, "samples") if r["question"] == "fits") == [
        1,
        2,
        3,
        4,
    ]
    scores = [row for row in exported(study, "scores") if row["source"] == "judge"]
    assert [row["value"] for row in scores] == [2.5, 2.5]


@pytest.mark.parametrize("values,expected", [([2, 1, 2, 2], "tie"), ([1, 2, 1, 2], None)])
def test_of_a_choice_of_words_the_most_frequent_sample_counts(values, expected):
    study = factories.make_study("choice", questions={})
    factories.make_question(study, "better", {"choice": ["A", "tie", "B"]})
    factories.make_item(study)

    def script(number, request):
        return chat(json.dumps({"better": values[number]}))

    run_with(study, script, samples=4, temperature=1)
    (row,) = exported(study, "scores")
    assert row["value"] == expected
    assert row["missing_reason"] == ("" if expected else "samples are tied")


def test_several_samples_at_temperature_zero_are_refused(study):
    with pytest.raises(SettingsError, match="would all be the same"):
        factories.make_judge(study, "j", factories.make_endpoint(), samples=2, temperature=0)


# Contexts


@pytest.fixture
def watched():
    """u0 watched three films and has a profile; u1 only watched the film that is recommended."""
    study = make_grid(2, 1, 1)
    recipient, other = study.recipients.order_by("key")
    content = study.contents.get()
    titles = {"old": "The Old One", "new": "New <<<HISTORY", "undated": "Some Day"}
    more = [study.contents.create(key=key, title=title) for key, title in titles.items()]
    for film, day, rating in zip(more, [1, 2, None], [4.5, None, 3], strict=True):
        at = day and datetime(2024, 5, day, tzinfo=UTC)
        Interaction.objects.create(
            study=study, recipient=recipient, content=film, at=at, rating=rating
        )
    for who in (recipient, other):
        Interaction.objects.create(
            study=study,
            recipient=who,
            content=content,
            rating=5,
            at=datetime(2024, 6, 1, tzinfo=UTC),
        )
    for text in ("An earlier profile.", "Likes slow films."):
        Item.objects.create(
            study=study, key=text, kind=Item.Kind.PROFILE, recipient=recipient, text=text
        )
    study.questions.update(applies_to=["explanation"])
    return study


def reasons(run):
    return dict(run.judgments.exclude(reason="").values_list("item__key", "reason"))


def test_the_history_is_the_newest_first_without_the_judged_content(watched):
    run, (sent,) = run_with(watched, context=Context.HISTORY, history_length=2)
    history = sent.split("<<<HISTORY\n")[1].split("\nHISTORY>>>")[0]
    assert history == "- New < < <HISTORY\n- The Old One (rated 4.5)"
    assert reasons(run) == {"u1-i0-g0": "no context: the recipient has no other interactions"}


def test_the_profile_is_the_recipient_s_newest(watched):
    run, (sent,) = run_with(watched, context=Context.PROFILE)
    assert "The profile of this user:\n<<<PROFILE\nLikes slow films.\nPROFILE>>>" in sent
    assert "An earlier profile" not in sent
    assert reasons(run) == {"u1-i0-g0": "no context: the recipient has no profile"}


def test_an_item_without_a_recipient_has_no_context(study):
    factories.make_item(study, "nobody", recipient=None)
    run, sent = run_with(study, context=Context.PROFILE)
    assert sent == []
    assert reasons(run)["nobody"] == "no context: the item has no recipient"
    assert run.state == Run.State.FINISHED


def test_histories_of_many_recipients_take_one_query_or_two(watched, django_assert_max_num_queries):
    judge = factories.make_judge(
        watched, "j", factories.make_endpoint(), context=Context.HISTORY, prompt="explanation.v2"
    )
    with django_assert_max_num_queries(30) as few:
        plan(judge)
    assert sum("annotate_interaction" in query["sql"] for query in few.captured_queries) == 2


# What does not go together


def test_prompts_without_a_place_are_refused(study, as_owner):
    judge = factories.make_judge(study, "j", factories.make_endpoint(), shots=Shots.ONE)
    with pytest.raises(PlanError, match="explanation.v1 has no place for an example"):
        plan(judge)
    fields = {
        "key": "j",
        "endpoint": judge.endpoint_id,
        "prompt": "explanation.v1",
        "aspects": "multiple",
        "temperature": "0",
        "max_tokens": "400",
        "samples": "3",
        "shots": "one",
        "example_role": "recipient",
        "pool_share": "0.2",
        "seed": "1",
        "context": "history",
        "history_length": "10",
    }
    at = reverse("judge_edit", args=[study.slug, judge.pk])
    page = as_owner.post(at, fields)
    assert page.status_code == 422
    text = page.content.decode()
    assert "Several samples at temperature 0 would all be the same" in text
    fields |= {"samples": "1"}
    text = as_owner.post(at, fields).content.decode()
    place = "The prompt explanation.v1 has no place for"
    assert f"{place} an example. Choose explanation.v2 or explanation.v3." in text
    assert f"{place} a context. Choose explanation.v2 or explanation.v3." in text
    fields |= {"prompt": "explanation.v2", "strict": "on"}
    assert as_owner.post(at, fields).status_code == 302
    judge.refresh_from_db()
    settings = judge.settings
    assert (settings.shots, settings.strict, settings.context) == (
        "one",
        True,
        "history",
    )


# Preview


@pytest.fixture
def graded(owner):
    study = make_grid()
    study.memberships.create(user=owner, role="owner")
    return study


@pytest.mark.parametrize("aspects", Aspects.values)
@pytest.mark.parametrize("strict", [False, True])
def test_the_preview_shows_to_the_letter_what_is_sent_later(graded, as_owner, aspects, strict):
    with ScriptedServer() as server:
        endpoint = factories.make_endpoint(server.url, price_in=2, price_out=8)
        judge = factories.make_judge(
            graded,
            "j",
            endpoint,
            shots=Shots.PERSONALISED,
            aspects=aspects,
            strict=strict,
            pool_share=0.6,
            prompt="explanation.v2",
        )
        at = reverse("judge", args=[graded.slug, judge.pk])
        seen = {
            key: as_owner.get(at, {"item": key}).context["preview"]
            for key in graded.items.values_list("key", flat=True)
        }
        assert server.requests == []
        assert not Run.objects.exists() and not Call.objects.exists()
        run = plan(judge)
        drive.work_through(run.pk)
    for key, preview in seen.items():
        calls = run.calls.filter(judgments__item__key=key).order_by("unit").distinct()
        assert [messages for _, messages, _ in preview.calls] == [call.messages for call in calls]
        assert bool(preview.missing) == (not calls)
    assert strict == any("held out" in preview.missing for preview in seen.values())


def test_the_preview_estimates_tokens_and_cost(graded, as_owner):
    endpoint = factories.make_endpoint(price_in=Decimal(2), price_out=Decimal(8))
    judge = factories.make_judge(graded, "j", endpoint, samples=3, temperature=1)
    preview = as_owner.get(reverse("judge", args=[graded.slug, judge.pk])).context["preview"]
    ((_, (message,), _),) = preview.calls
    # 4 characters a token and 8 around a call; the reply: 8 around it, "fits" 1 + 4, "clear" 2 + 4
    tokens_in = 3 * (-(-len(message["content"]) // 4) + 8)
    tokens_out = 3 * (8 + 5 + 6)
    assert (preview.tokens_in, preview.tokens_out, preview.count) == (tokens_in, tokens_out, 3)
    assert preview.usd == Decimal(2 * tokens_in + 8 * tokens_out) / 1_000_000
    assert preview.usd_of_all == 18 * preview.usd


def test_the_preview_of_an_item_that_is_not_there_says_so(graded, as_owner):
    judge = factories.make_judge(graded, "j", factories.make_endpoint())
    page = as_owner.get(reverse("judge", args=[graded.slug, judge.pk]), {"item": "<b>x\0"})
    assert "There is no item “&lt;b&gt;x” with a text" in page.content.decode()


def test_the_preview_says_why_nothing_is_sent(graded, as_owner):
    factories.make_item(graded, "alone", "u0", "i0", None)
    judge = factories.make_judge(
        graded, "j", factories.make_endpoint(), shots=Shots.ONE, prompt="explanation.v2"
    )
    page = as_owner.get(reverse("judge", args=[graded.slug, judge.pk]), {"item": "alone"})
    assert "</a>: no example: the item has no system." in page.content.decode()


@pytest.mark.parametrize("shots", Shots.values)
def test_the_judge_s_page_takes_few_queries(graded, as_owner, django_assert_max_num_queries, shots):
    judge = factories.make_judge(
        graded, "j", factories.make_endpoint(), shots=shots, prompt="explanation.v2"
    )
    plan(judge)
    with django_assert_max_num_queries(16):
        as_owner.get(reverse("judge", args=[graded.slug, judge.pk]))


def test_a_budget_counts_what_is_shown_beside_the_item(graded):
    endpoint = factories.make_endpoint(price_in=1, price_out=1)
    Item.objects.filter(study=graded).update(text="short")
    Item.objects.filter(study=graded, key="u0-i0-g0").update(text="long " * 1000)
    short = graded.items.filter(key="u1-i1-g0")
    Rating.objects.exclude(item__key="u0-i0-g0").delete()
    judge = factories.make_judge(graded, "b", endpoint, prompt="explanation.v2", shots=Shots.ONE)
    run = plan(judge, items=short)
    (request,) = _messages(run)
    assert request[0]["content"].count("long ") > 900
    assert Decimal(run.frozen["unit_usd"]) > Decimal(len(json.dumps(request)) + 400) / 1_000_000


def _messages(run):
    with ScriptedServer() as server:
        run.judge.endpoint.base_url = server.url
        run.judge.endpoint.save()
        drive.work_through(run.pk)
        return [request["messages"] for request in server.requests]


@pytest.mark.parametrize("context", [Context.HISTORY, Context.PROFILE])
def test_few_histories_are_kept_however_many_are_asked_for(owner, monkeypatch, context):
    """In a long run each is read when its item comes, and made room for the next."""
    study = make_grid(7, 2, 1)
    for recipient in study.recipients.all():
        for content in study.contents.all():
            Interaction.objects.create(study=study, recipient=recipient, content=content, rating=4)
        key = f"profile-{recipient.key}"
        factories.make_item(study, key, recipient.key, None, None, kind="profile", text=key)
    judge = factories.make_judge(study, "j", factories.make_endpoint(), context=context)
    items = list(study.items.filter(kind="explanation").order_by("pk"))
    whole = Contexts(judge).contexts_by_item(items)
    monkeypatch.setattr("judges.prompting.contexts.MOST_KNOWN", 3)
    contexts, found = Contexts(judge), {}
    for some in (items[:2], items[2:12], items[12:], items):
        found |= contexts.contexts_by_item(some)
        assert len(contexts.known) <= 3
    assert found == whole and len({text for text, _ in whole.values()}) > 1
