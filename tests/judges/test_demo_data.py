"""The demo's data: a load that is cut short leaves nothing half made."""

import pytest
import sacrebleu
from django.db.models import Count

from analysis.demo import preparing
from annotate.models import Membership, Study
from judges.models import Endpoint, Judge, Judgment, Run

pytestmark = pytest.mark.django_db


def test_a_study_that_was_being_loaded_is_not_there_after_a_kill(monkeypatch):
    """Nor is half of it: its judge is named between two of its loads."""
    plain = preparing.call_command

    def killed_after(*arguments, **options):
        plain(*arguments, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr(preparing, "call_command", killed_after)
    with pytest.raises(KeyboardInterrupt):
        preparing.prepare(8001, print)
    assert not Study.objects.exists()
    monkeypatch.setattr(preparing, "call_command", plain)
    preparing.prepare(8001, print)
    owners = Membership.objects.filter(role=Membership.Role.OWNER, user__username="demo")
    assert {*owners.values_list("study__slug", flat=True)} == {*preparing.STUDIES}
    named = Judge.objects.filter(named_at__isnull=False)
    assert dict(named.values_list("study__slug", "key")) == preparing.NAMED


def test_a_metric_of_similarity_scores_the_study_of_factuality():
    preparing.prepare(8001, print)
    # Of the fourth study an explanation and a statement are asked one question each.
    factual = Judgment.objects.filter(run__judge__study__slug="factuality-demo")
    assert factual.count() == 40 + 195
    Run.objects.exclude(judge__study__slug="factuality-demo").delete()
    preparing.work_here()
    unscored = factual.exclude(state=Judgment.State.DONE).values_list("item__content__key")
    assert list(unscored) == [("gift-scarf",)] * 4, "whose review explains nothing"


def test_baselines_of_films_are_planned_once_and_judge_everything():
    preparing.prepare(8001, print)
    Run.objects.filter(judge__study__slug="factuality-demo").delete()
    assert Judgment.objects.filter(state=Judgment.State.PENDING).count() == 5 * 160 * 4 + 4 * 24 * 7
    preparing.work_here()
    texts = (
        "text length",
        "Simulated judge",
        "random (seeded)",
        "BLEU-1",
        "BLEU-4",
        "ROUGE-1-F",
        "ROUGE-L-F",
    )
    counterfactual = ("CF", "CF-A", "Item-Sim", "Genre-Jacc")
    shown = ("helpdesk-demo", "podcasts-demo")
    films = Judgment.objects.exclude(run__judge__study__slug__in=shown)
    counts = films.values_list("run__judge__key").annotate(n=Count("pk"))
    assert dict(counts) == dict.fromkeys(texts, 160 * 4) | dict.fromkeys(counterfactual, 24 * 7)
    assert not Judgment.objects.exclude(state=Judgment.State.DONE).exists()
    bleu = Judgment.objects.filter(run__judge__key="BLEU-4", question__key="accuracy")
    for judgment in bleu.select_related("item"):
        expected = sacrebleu.sentence_bleu(judgment.item.text, [judgment.item.reference])
        assert judgment.value == pytest.approx(expected.score)
    runs = Run.objects.count()
    preparing.prepare(8001, print)
    assert Run.objects.count() == runs == 10 + 5


def test_a_new_endpoint_waits_for_a_busy_machine_and_an_old_one_keeps_what_was_entered():
    preparing.prepare(8001, print)
    endpoint = Endpoint.objects.get(key="local-demo")
    assert endpoint.timeout_seconds == 120
    Endpoint.objects.update(timeout_seconds=30)
    preparing.prepare(8002, print)
    endpoint.refresh_from_db()
    assert (endpoint.timeout_seconds, endpoint.base_url) == (30, "http://127.0.0.1:8002/v1")
