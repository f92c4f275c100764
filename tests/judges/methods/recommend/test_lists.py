"""What a recommender under test replied: matched, counted, kept; read again; after a kill."""

import re
from datetime import timedelta

import pytest
from django.utils import timezone

from analysis.answers.judged import about_runs
from annotate.models import Content
from judges.checks import drift
from judges.endpoints.client import Answer
from judges.methods.recommend import lists as recommending
from judges.models import Judgment
from judges.replies.parse import Reason
from judges.runs import drive, resume, settle
from judges.runs.lease import lease, return_expired
from judges.runs.plan import PlanError, plan
from judges.runs.reread import reread
from tests import factories
from tests.judges.methods.recommend.test_method import (
    FIRST,
    asked,
    films,
    lists,
    make_recommender,
    said,
    settled,
    small,
)
from tests.scripted_server import ScriptedServer, chat

pytestmark = pytest.mark.django_db
__all__ = ["films"]


def test_entries_are_matched_counted_and_kept_in_order(films):
    reply = (
        "Here you are:\n1. The Matrix of Nothing (1999)\n2. amelie (2001)\n3. Heat (1995)\n"
        "4. Monsters, Inc. (2001) - for children\n5. HEAT\n6. Solaris\n7. Alien (1979)\n"
    )
    run, _ = asked(films, said(reply))
    one = lists(run, recipient__key="u1")[0]
    assert one.is_parsed
    assert [(entry["content"], entry["how"]) for entry in one.entries] == [
        (None, ""),
        ("f6", "normalised"),
        ("f1", "exact"),
        ("f7", "exact"),
        (None, ""),
    ]
    assert one.entries[0]["said"] == "The Matrix of Nothing (1999)"
    assert [(entry["content"], entry["why"]) for entry in one.left_out] == [
        ("f1", "repeated"),
        ("f2", "extra"),
    ]
    assert (one.unmatched, one.repeated, one.extra, one.known) == (2, 1, 1, 1)
    assert one.identities == ["“matrix of nothing (1999)”", "f6", "f1", "f7", "“solaris”"]
    assert {state for state, _ in settled(run)[:5]} == {"done"}


@pytest.mark.parametrize(
    ("reply", "options", "state", "reason"),
    [
        ("", {}, "unparsable", Reason.EMPTY),
        ("ok", {}, "unparsable", Reason.NO_LIST),
        ("Could you please clarify your request?", {}, "unparsable", Reason.NO_LIST),
        ("I'm sorry, I cannot.", {}, "unparsable", Reason.NO_LIST),
        ("- Heat\n\nor\n\n- Alien", {}, "unparsable", Reason.SEVERAL_LISTS),
        ("1. Heat\n2. Al", {"finish_reason": "length"}, "unparsable", Reason.CUT_OFF),
        ("", {"message": {"refusal": "No."}}, "refused", "refused by the model"),
    ],
)
def test_what_is_no_list_has_its_reason_and_never_an_entry(films, reply, options, state, reason):
    run, _ = asked(films, said(reply, **options))
    assert settled(run)[0] == (state, str(reason))
    one = lists(run, recipient__key="u1")[0]
    assert (one.entries, one.is_parsed, one.unmatched) == ([], False, 0)


def test_bold_and_quotes_are_no_part_of_a_title_and_an_explanation_ends_with_its_year(films):
    reply = (
        '1. **Monsters, Inc.** (2001)\n2. "Dukes of Hazzard, The (2005)"\n3. Heat (1995): a thief'
    )
    run, _ = asked(films, said(reply))
    entries = lists(run)[0].entries
    assert [(entry["content"], entry["how"]) for entry in entries] == [
        ("f7", "exact"),
        ("f0", "exact"),
        ("f1", "exact"),
    ]


def test_an_endpoint_that_knows_the_answer_gives_it(films):
    """Rated first, second, … of its prompt: the order that was drawn comes back."""

    def script(_number, request):
        text = request["messages"][0]["content"]
        found = re.findall(r"(?:: |, )([A-Z][^/]*?\(\d{4}\)) [\d.]+/", text)
        return chat("\n".join(f"- {title}" for title in found))

    run, _ = asked(films, script, small(l=6, k=6))
    for one in lists(run, recipient__key="u1"):
        assert one.identities == [key for key, _ in one.given]
        assert one.known == 6


def test_a_failed_call_is_asked_again_and_its_list_is_filled(films):
    answers = iter(["I'm sorry, I cannot.", *[FIRST] * 9])
    with ScriptedServer(lambda *_: chat(next(answers))) as server:
        run = plan(make_recommender(films, server.url), trial=small(iterations=1))
        drive.work_through(run.pk)
        run.refresh_from_db()
        before = sorted(one.is_parsed for one in lists(run))
        assert resume.reset_failed(run) == 1
        drive.work_through(run.pk)
    assert before == [False, False, True, True]  # the other one cannot be asked
    assert [len(one.entries) for one in lists(run)] == [5, 5, 5, 0]


def test_read_again_finds_what_the_catalogue_has_now(films, monkeypatch):
    monkeypatch.setattr(recommending, "BATCH", 2)
    run, _ = asked(films, said("1. Heat (1995)\n2. Brazil (1985)"))
    assert lists(run)[0].unmatched == 1
    Content.objects.create(study=films, key="new", title="Brazil (1985)")
    assert reread(run).changed == 0
    for one in lists(run, recipient__key="u1"):
        assert (one.identities, one.unmatched) == (["f1", "new"], 0)


def test_a_cut_reply_that_is_long_enough_stays_read(films):
    run, _ = asked(films, said("1. Heat\n2. Alien\n3. So", finish_reason="length"), small(k=2))
    assert lists(run)[0].identities == ["f1", "f2"]
    reread(run)
    assert lists(run)[0].identities == ["f1", "f2"]


def test_read_again_a_reply_that_earlier_parsers_took_for_a_list_is_none(films):
    """As such runs are stored: "ok" was a list of one title, which has an RBO of 0."""
    run, _ = asked(films, said("ok"))
    run.judgments.filter(call__isnull=False).update(state="done", value=1, reason="")
    run.recommended_lists.filter(unit__in=run.calls.values("unit")).update(
        entries=[{"said": "ok", "content": None, "how": ""}], is_parsed=True, unmatched=1
    )
    found = reread(run)
    assert (found.read, found.lost) == (5, 5)
    assert settled(run)[0] == ("unparsable", str(Reason.NO_LIST))
    assert not any(one.entries or one.is_parsed or one.unmatched for one in lists(run))
    assert {call.reply for call in run.calls.all()} == {"ok"}


def test_the_budget_counts_the_longest_list(films):
    endpoint = factories.make_endpoint(key="priced", price_in=0, price_out=1)
    judge = make_recommender(films)
    judge.endpoint = endpoint
    judge.save()
    run = plan(judge, budget=1, trial=small(plans=["k_sweep"], ks=[5, 50]))
    assert float(run.unit_usd) == pytest.approx(50 * 60 / 1e6)  # its longest reply, in tokens


def test_it_is_no_evaluator_and_its_rows_are_in_no_analysis(films):
    run, _ = asked(films, said(FIRST))
    assert run.pk not in about_runs(films)
    assert not Judgment.objects.judging().filter(run=run).exists()
    assert drift.checkable(run.judge) is None
    with pytest.raises(PlanError, match="recommends"):
        drift.plan_check(run)


# Killed


def test_a_worker_that_is_killed_loses_no_list_and_repeats_none_that_was_stored(films, monkeypatch):
    with ScriptedServer(said(FIRST)) as server:
        run = plan(make_recommender(films, server.url), trial=small())
        units = lease(run, run.judge.endpoint, "killed", 3)
        outcomes = [settle.Outcome(unit, [], {}, Answer(content=FIRST)) for unit in units[:2]]
        settle.store_calls(run, run.judge.endpoint, outcomes, "killed")
        later = timezone.now() + timedelta(hours=1)
        settle.settle_lost(later)
        assert [one.is_parsed for one in lists(run)] == [True, True, False, False, False, False]
        return_expired(later)
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == run.State.FINISHED
    assert len(server.requests) == 3  # of five: two were stored before
    assert [one.is_parsed for one in lists(run)] == [True] * 5 + [False]


def test_a_test_that_was_cancelled_goes_on_only_as_it_was(films):
    with ScriptedServer(said(FIRST)) as server:
        judge = make_recommender(films, server.url)
        run, _ = resume.start(judge, confirmed=True, trial=small())
        resume.cancel(run)
        with pytest.raises(PlanError, match="asks something else"):
            resume.start(judge, confirmed=True, trial=small(k=6))
        again, _ = resume.start(judge, confirmed=True, trial=small())
        assert again == run
        drive.work_through(run.pk)
    assert [one.is_parsed for one in lists(run)] == [True] * 5 + [False]
