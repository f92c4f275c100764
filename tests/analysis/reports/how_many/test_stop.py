"""The look at unfinished collecting: the worked example, a crowd with a known truth, the words."""

import json
from datetime import UTC, datetime, timedelta
from io import StringIO
from math import inf, isnan, log, sqrt

import numpy as np
import pytest
from django.core.management import call_command

from analysis.reports.how_many import stop
from analysis.reports.how_many.prices import prices_of
from analysis.reports.how_many.stop import Fan, describe_fan
from analysis.stats.validation.evidence import Beyond
from analysis.stats.validation.people import Quantity
from annotate.models import Place, QualityStep, Rating
from annotate.sessions.exclude import forget
from annotate.stopping.plan import fix_plan
from judges.models import Judge, StoppingPair
from tests import factories
from tests.analysis.small import build, row_of

pytestmark = pytest.mark.django_db
M = 3
NOON, HALF_A_MINUTE = datetime(2026, 3, 4, 12, tzinfo=UTC), timedelta(seconds=30)


@pytest.fixture
def owner():
    return factories.make_user("owner")


def make_study(owner, clusters, items=1):
    """A study of contents with so many items each, and a judge; nobody has rated yet."""
    study = factories.make_study(owner=owner, questions={"q": "Good?"}, raters_per_item=M)
    for number in range(clusters * items):
        content = f"c{number // items:03}" if items > 1 else None
        factories.make_item(study, f"i{number:03}", None, content, "one")
    factories.make_judge(study, "judge")
    return study


def plan(study, **fields):
    usual = {"planned": 200, "alpha": 0.05, "decisions": 1, "exclusions": [], "role": "third_party"}
    fields = usual | fields
    made = fix_plan(study, study.members.get(), **fields)
    StoppingPair.objects.create(
        plan=made, judge=Judge.objects.get(study=study, key="judge"), question=study.questions.get()
    )
    return made


def rate(study, noise=1.0, seed=1):
    """Rate every item three times, and judge it; items differ."""
    rng, question = np.random.default_rng(seed), study.questions.get()
    items = list(study.items.order_by("pk"))
    truth = rng.normal(size=len(items))
    sessions = [factories.make_session(study, f"r{number}") for number in range(12)]
    for place, item in enumerate(items):
        answers = np.clip(np.round(3 + truth[place] + noise * rng.normal(size=M)), 1, 5)
        for turn, value in enumerate(answers):
            session = sessions[(place + 4 * turn) % 12]
            factories.make_ratings(session, [(item, question, float(value))])
    judge = Judge.objects.get(study=study, key="judge")
    values = np.clip(np.round(3 + truth + 0.2 * rng.normal(size=len(items))), 1, 5)
    factories.make_judgments(
        judge,
        {(item, question): float(value) for item, value in zip(items, values, strict=True)},
    )


def unrate(study, clusters):
    """Take one rating of each of these clusters (of one item) away."""
    for name in clusters:
        Rating.objects.filter(item__key=name, item__study=study).first().delete()


class Worked:
    """An Agreement with the numbers of the worked example: n = t = 120, m = 3, rho = r = .30."""

    rho = Quantity(0.3, 0.05, 119)
    r = Quantity(0.3, 0.05, 119)

    def retention(self, k):
        return Quantity(self.r.value - k * self.rho.value, 0.612620 / sqrt(120), 119)


@pytest.fixture
def worked(owner, monkeypatch):
    """120 complete clusters of 400, whose evidence is that of the worked example."""
    gather = stop.gather_evidence

    def as_worked(*arguments, **options):
        evidence = gather(*arguments, **options)
        assert (evidence.n, evidence.n_clusters) == (120, 120)
        level = type(evidence.level)((Quantity(0.0, 0.001, 119),))
        changed = {"agreement": Worked(), "beyond": Beyond(), "level": level}
        return type(evidence)(**vars(evidence) | changed)

    monkeypatch.setattr(stop, "gather_evidence", as_worked)
    study = make_study(owner, 140)
    made = plan(study)
    rate(study)
    unrate(study, made.order[120:125])
    return study


def test_the_worked_example_goes_on_and_is_advised_171_items(worked):
    report = build(worked, "stop", item_cost=0.4)
    row = row_of(report, evaluator="judge", question="q")
    assert (row["state"], row["items"], row["raters"], row["clusters"]) == ("continue", 171, 0, 120)
    assert row["cost"] == pytest.approx(68.4)
    assert row["retention"] == pytest.approx(0.1)
    assert row["retention_low"] == pytest.approx(-0.057303, abs=1e-6)
    assert (row["items_low"], row["items_high"]) == (2, 1580)
    assert (row["open"], row["bounds"]) == ("retention", "always valid")


def test_the_worked_example_in_words(worked):
    report = build(worked, "stop", item_cost=0.4)
    assert report.verdict == [
        "Go on collecting: “judge” on “q” is undecided. Not shown yet: retention. If today’s "
        "estimates stay, it takes about 171 more items. That costs about $68, at $.40 per item. "
        "One standard error to either side: 2 to 1,580. More ratings per item alone are not "
        "enough.",
        "This look uses 120 of 140 clusters: in the plan’s order all those before the first that "
        "is incomplete. A cluster is complete when each of its items has 3 ratings. Items get "
        "their last rating only after all items have the others, so that looks come late.",
    ]
    without_cost = build(worked, "stop")
    assert "about 171 more items. One standard error" in without_cost.verdict[0]
    assert isnan(row_of(without_cost, evaluator="judge")["cost"])


def margin(t, alpha, planned):
    """The margin by the formula of the plan, written once more."""
    length = -2 * log(2 * alpha)
    rho2 = (length + log(length + 1)) / planned
    return sqrt(2 * (t * rho2 + 1) / (t * t * rho2) * log(1 + sqrt(t * rho2 + 1) / (2 * alpha)))


def test_bounds_are_those_of_the_formula_on_the_verdicts_estimate(owner):
    """All clusters are complete, so the verdict on the same ratings has the same estimates."""
    study = make_study(owner, 80)
    plan(study, planned=60, alpha=0.04, decisions=2)
    rate(study)
    row = row_of(build(study, "stop"), evaluator="judge", question="q")
    usual = row_of(build(study, "verdict"), evaluator="judge", use="rate_items")
    assert row["rho"] == pytest.approx(usual["rho"])
    assert row["retention"] == pytest.approx(usual["retention"])
    # t at .975 of 79 and of 11 degrees of freedom: raters, of whom there are 12, may count too
    errors = [(usual["rho_high"] - usual["rho_low"]) / 2 / t for t in (1.990450, 2.200985)]
    bounds = [row["rho"] - error * sqrt(80) * margin(80, 0.02, 60) for error in errors]
    assert any(row["rho_low"] == pytest.approx(bound, abs=1e-6) for bound in bounds)
    for name in ("rho", "retention"):
        middle = (row[f"{name}_low"] + row[f"{name}_high"]) / 2
        assert middle == pytest.approx(usual[name])


def test_a_judge_that_knows_the_truth_may_at_the_end_and_the_words_say_would(owner):
    study = make_study(owner, 120)
    plan(study)
    rate(study, noise=0.5)
    report = build(study, "stop")
    row = row_of(report, evaluator="judge")
    assert row["state"] == "may" and row["rho_low"] > 0 and row["retention_low"] > 0
    assert report.verdict[0] == (
        "The rule would stop here: “judge” may stand in for one rater on “q”. The verdict says "
        "what it may not be used for."
    )
    assert isnan(row["items"]), "nothing is advised any more"
    study.refresh_from_db()
    assert study.is_open, "nothing closes by itself"


def test_a_judge_that_says_the_opposite_may_not(owner):
    study = make_study(owner, 120)
    plan(study)
    rate(study, noise=0.5)
    for judgment in Judge.objects.get(study=study).runs.get().judgments.all():
        judgment.value = 6 - judgment.value
        judgment.save()
    report = build(study, "stop")
    assert row_of(report, evaluator="judge")["state"] == "may_not"
    assert "stop here: “judge” tells less than two thirds of what" in report.verdict[0]


def test_raters_who_guess_end_it_or_go_on_and_never_let_a_judge_pass(owner):
    study = make_study(owner, 400)
    plan(study)
    rng, question = np.random.default_rng(4), study.questions.get()
    rate(study)
    values = rng.integers(1, 6, Rating.objects.count())
    for rating, value in zip(Rating.objects.order_by("pk"), values, strict=True):
        Rating.objects.filter(pk=rating.pk).update(value=float(value), question=question)
    assert row_of(build(study, "stop"), evaluator="judge")["state"] == "raters_disagree"


def test_only_the_run_of_complete_clusters_from_the_start_of_the_order_counts(owner):
    study = make_study(owner, 70)
    made = plan(study)
    rate(study)
    unrate(study, [made.order[60], made.order[65]])
    report = build(study, "stop")
    row = row_of(report, evaluator="judge")
    assert (row["clusters"], row["rated_items"]) == (60, 60)
    # what waits changes nothing
    before = row["rho"], row["retention"]
    Rating.objects.filter(item__key__in=made.order[61:]).update(value=1.0)
    row = row_of(build(study, "stop"), evaluator="judge")
    assert (row["rho"], row["retention"]) == before
    Rating.objects.filter(item__key__in=made.order[:20]).update(value=5.0)
    row = row_of(build(study, "stop"), evaluator="judge")
    assert (row["rho"], row["retention"]) != before


def test_a_cluster_is_complete_when_all_of_its_items_are(owner):
    study = make_study(owner, 60, items=2)
    made = plan(study)
    rate(study)
    of_last = study.items.filter(content__key=made.order[-1]).order_by("pk")
    Rating.objects.filter(item=of_last.last()).first().delete()
    row = row_of(build(study, "stop"), evaluator="judge")
    assert (row["clusters"], row["rated_items"]) == (59, 118)


def test_before_50_clusters_the_report_says_what_the_first_look_lacks(client, owner):
    """Of the first 50 clusters two lack a rating each; a session of 4 items pays 1.20."""
    study = make_study(owner, 70)
    study.extra |= {"pays_per_session": 1.2, "pay_currency": "EUR"}
    study.save()
    made = plan(study)
    rate(study)
    unrate(study, [made.order[number] for number in (30, 49, 49, 60)])
    report = build(study, "stop")
    row = row_of(report, evaluator="judge")
    assert (row["state"], row["clusters"]) == ("continue", 30)
    assert isnan(row["retention_low"]) and isnan(row["items"])
    assert report.verdict[:1] == [
        "The first look needs the first 50 clusters complete. Still missing: 3 ratings in 2 "
        "clusters, about EUR 1."
    ]
    client.force_login(owner)
    page = client.get(f"/studies/{study.slug}/analysis/stop/").text
    assert "Still missing: 3 ratings in 2 clusters" in page
    assert "what to collect" not in page and "figure-stop" not in page


def test_before_the_first_rating_the_report_says_what_the_first_look_needs(client, owner):
    study = make_study(owner, 60, items=2)
    made = plan(study)
    report = build(study, "stop")
    assert report.rows == []
    assert report.verdict[:1] == [
        "The first look needs the first 50 clusters complete. Still missing: 300 ratings in 50 "
        "clusters."
    ]
    assert "about 90" in build(study, "stop", item_cost=0.9).verdict[0].replace("$", "")
    first = study.items.filter(content__key=made.order[0]).first()
    question, judge = study.questions.get(), Judge.objects.get(study=study)
    factories.make_ratings(factories.make_session(study, "r0"), [(first, question, 4.0)])
    factories.make_judgments(judge, {(first, question): 4.0})
    client.force_login(owner)
    page = client.get(f"/studies/{study.slug}/analysis/stop/").text
    assert "Still missing: 299 ratings in 50 clusters." in page
    assert "what to collect" not in page


def test_all_collected_and_undecided_is_the_limit(owner):
    study = make_study(owner, 55)
    plan(study)
    rate(study, noise=2.0)
    report = build(study, "stop")
    assert row_of(report, evaluator="judge")["state"] == "limit"
    assert "The rule would stop here: all clusters of the order are complete" in report.verdict[0]


def test_items_added_after_the_plan_count_at_no_look_and_the_report_says_how_many(owner):
    """Neither an item of a new cluster nor one of a cluster of the order takes any look back."""
    study = make_study(owner, 60, items=2)
    made = plan(study)
    rate(study)
    before = build(study, "stop")
    assert not any("Added" in sentence for sentence in before.verdict)
    factories.make_item(study, "late", None, "new", "one")
    report = build(study, "stop")
    assert (
        "Added after the plan was fixed: 1 item, without a place in its order. Ratings of added "
        "items count at no look."
    ) in report.verdict
    factories.make_item(study, "later", None, made.order[0], "one")
    report = build(study, "stop")
    assert any("fixed: 2 items, without" in sentence for sentence in report.verdict)
    row, same = (row_of(found, evaluator="judge") for found in (report, before))
    assert (row["clusters"], row["rated_items"], row["rho"]) == (60, 120, same["rho"])
    assert row["state"] == same["state"] != ""


def test_an_item_that_moves_to_another_cluster_stays_in_its_place_of_the_order(owner):
    study = make_study(owner, 60, items=2)
    made = plan(study)
    rate(study)
    first, last = (study.items.filter(content__key=made.order[end]).first() for end in (0, -1))
    unrate(study, [last.key])
    assert row_of(build(study, "stop"), evaluator="judge")["clusters"] == 59
    last.content = first.content
    last.save()
    assert row_of(build(study, "stop"), evaluator="judge")["clusters"] == 59


@pytest.mark.parametrize("way", ["deleted", "practice", "gold"])
def test_items_that_go_after_the_plan_end_the_guarantee_in_words(owner, way):
    study = make_study(owner, 60, items=2)
    made = plan(study)
    rate(study)
    item = study.items.filter(content__key=made.order[3]).first()
    if way == "deleted":
        item.delete()
    elif way == "practice":
        study.items.filter(pk=item.pk).update(is_practice=True)
    else:
        study.extra["gold"] = [{"item": item.key}]
        study.save()
    report = build(study, "stop")
    assert report.verdict[0] == (
        "The guarantee has ended (1 item of its order left it: deleted, corrected or taken out of "
        "rating). What stands here is the usual result, chosen after looking."
    )
    assert row_of(report, evaluator="judge")["clusters"] == 60


def test_an_older_plan_takes_the_items_that_its_clusters_have_now(owner):
    study = make_study(owner, 60, items=2)
    made = plan(study)
    rate(study)
    type(made).objects.update(items=[])
    row = row_of(build(study, "stop"), evaluator="judge")
    assert (row["clusters"], row["rated_items"]) == (60, 120)


def exclude(study, rater, rule, parameters):
    step = QualityStep.objects.create(
        study=study, rule=rule, parameters=parameters, words="why", by_name="owner"
    )
    step.excluded.create(rater=study.raters.get(key=rater))
    study.raters.filter(key=rater).update(excluded_because="why")


def test_another_exclusion_ends_the_guarantee_and_the_usual_intervals_stand(owner):
    study = make_study(owner, 60)
    plan(study)
    rate(study)
    exclude(study, "r3", "by_hand", {})
    report = build(study, "stop")
    assert report.verdict[0] == (
        "The guarantee has ended (exclusions that the plan does not name: By hand). What stands "
        "here is the usual result, chosen after looking."
    )
    for row in report.rows:
        assert (row["state"], row["bounds"]) == ("", "chosen after looking")
        assert isnan(row["items"]) and isnan(row["cost"])
    assert report.curves == {}


def test_a_later_exclusion_by_hand_ends_it_where_an_earlier_one_was_frozen(client, owner):
    study = make_study(owner, 60)
    study.raters.create(key="known")
    exclude(study, "known", "by_hand", {})
    plan(study)
    rate(study)
    client.force_login(owner)
    page = f"/studies/{study.slug}/analysis/stop/"
    assert "The guarantee has ended" not in client.get(page).text
    exclude(study, "r3", "by_hand", {})
    assert "The guarantee has ended" in client.get(page).text


def test_deleting_a_raters_data_ends_the_guarantee_in_words(client, owner):
    study = make_study(owner, 60)
    plan(study)
    rate(study)
    client.force_login(owner)
    forget(study.raters.get(key="r3"), owner)
    assert build(study, "stop").verdict[0] == (
        "The guarantee has ended (exclusions that the plan does not name: the data of 1 rater "
        "deleted, which raters may have asked for or researchers chosen). What stands here is the "
        "usual result, chosen after looking."
    )
    plans = client.get(f"/studies/{study.slug}/stopping/").text
    assert "the data of 1 rater deleted" in plans


def test_a_frozen_exclusion_keeps_the_guarantee(owner):
    study = make_study(owner, 60)
    frozen = {"rule": "too_fast", "parameters": {"seconds": 5, "items": 3}}
    made = plan(study, exclusions=[frozen])
    rate(study)
    exclude(study, "r3", **frozen)
    report = build(study, "stop")
    assert "guarantee" not in " ".join(report.verdict)
    # clusters that lost a rating wait until another rater has filled them
    rated_by = Rating.objects.filter(session__rater__key="r3").values_list("item__key", flat=True)
    first = min(made.order.index(key) for key in rated_by)
    assert report.verdict[-1].startswith(f"This look uses {first} of 60 clusters")


def test_items_left_out_by_an_option_end_the_guarantee(owner):
    study = make_study(owner, 60)
    plan(study)
    rate(study)
    report = build(study, "stop", only=["system=one"])
    assert "The guarantee has ended (some items are left out by an option)" in report.verdict[0]
    usual = row_of(build(study, "verdict"), evaluator="judge", use="rate_items")
    row = row_of(report, evaluator="judge")
    for name in ("rho", "rho_low", "rho_high", "retention"):
        assert row[name] == pytest.approx(usual[name])


def test_a_study_without_a_plan_says_so_and_has_no_row(owner):
    study = make_study(owner, 5)
    rate(study)
    report = build(study, "stop")
    assert report.rows == []
    assert "chosen after looking" in report.verdict[0]


def test_the_plan_fixes_whose_ratings_count(owner):
    """An expert's rating completes no item of third parties, and the option changes nothing."""
    study = make_study(owner, 60)
    made = plan(study)
    rate(study)
    usual = row_of(build(study, "stop"), evaluator="judge")
    expert = factories.make_session(study, "expert", role="expert")
    item, question = study.items.get(key=made.order[55]), study.questions.get()
    unrate(study, [item.key])
    factories.make_ratings(expert, [(item, question, 5.0)])
    for options in ({}, {"reference": "expert"}, {"reference": "all"}):
        report = build(study, "stop", **options)
        row = row_of(report, evaluator="judge")
        assert (row["clusters"], row["role"]) == (55, "third_party")
        assert report.options["reference"] == "third_party"
    assert (
        "The plan fixed whose ratings count: those by raters of the role third_party, and no "
        "others. The option Reference role (all) is not used."
    ) in report.notes
    type(made).objects.update(role="")
    older = build(study, "stop", reference="third_party")
    assert row_of(older, evaluator="judge")["clusters"] == usual["clusters"] == 60
    assert any("The plan does not fix whose ratings count" in note for note in older.notes)


def test_the_cost_is_by_the_studys_own_pay_where_no_other_is_asked_for(worked):
    """171 items of 3 ratings; a session of 4 items pays 1.20, so that a rating costs .30."""
    unpriced = build(worked, "stop")
    assert isnan(row_of(unpriced, evaluator="judge")["cost"])
    assert any(note.startswith("Cost: not known") for note in unpriced.notes)
    worked.extra |= {"pays_per_session": 1.2, "pay_currency": "EUR"}
    worked.save()
    report = build(worked, "stop")
    assert row_of(report, evaluator="judge")["cost"] == pytest.approx(171 * 0.9)
    assert "about EUR 154, at EUR .90 per item" in report.verdict[0]
    assert (
        "Cost: 40 seconds per rating (assumed), 27.00 per hour (by the study’s settings), sessions "
        "of 4 items, without a platform’s fee."
    ) in report.notes
    asked = build(worked, "stop", item_cost=0.4)
    assert row_of(asked, evaluator="judge")["cost"] == pytest.approx(68.4)


def test_the_cost_is_by_the_studys_own_time_where_no_pay_is_set(owner):
    study = make_study(owner, 2)
    for number in range(5):
        session = factories.make_session(
            study, f"r{number}", source="link", ended_at=NOON + HALF_A_MINUTE
        )
        Place.objects.create(
            study=study,
            item=study.items.first(),
            number=10 + number,
            shuffle=1,
            state="filled",
            rater=session.rater,
            session=session,
        )
    study.sessions.update(started_at=NOON)
    prices = prices_of(study)
    assert prices.of_item(3) == pytest.approx(3 * 30 * 9 / 3600)
    assert prices.source.startswith("30 seconds per rating (the median of the study’s sessions)")


def test_the_caption_names_what_is_open_where_the_figure_shows_a_settled_retention():
    fan = Fan([50, 60], [0.0, 0.0], [1.0, 1.0], (60, 0.2, 0.1, 0.3))
    settled = describe_fan("judge", "q", fan, "agreement, level")
    assert settled.endswith("Retention, shown here, is settled. Still open: agreement, level.")
    assert "Still open" not in describe_fan("judge", "q", fan, "retention, level")
    assert "Still open" not in describe_fan("judge", "q", fan)


def test_pairs_share_the_level(owner):
    study = make_study(owner, 60)
    made = plan(study)
    rate(study)
    alone = row_of(build(study, "stop"), evaluator="judge")
    type(made).objects.update(decisions=10)
    shared = row_of(build(study, "stop"), evaluator="judge")
    ratio = (shared["rho"] - shared["rho_low"]) / (alone["rho"] - alone["rho_low"])
    assert ratio == pytest.approx(margin(60, 0.005, 200) / margin(60, 0.05, 200))


def test_the_command_prints_rows_that_json_can_hold(owner):
    study = make_study(owner, 60)
    plan(study)
    rate(study)
    out = StringIO()
    call_command("analyse", study.slug, "stop", "--format", "json", "--item-cost", ".4", stdout=out)
    (row,) = json.loads(out.getvalue())["rows"]
    assert {"state", "items", "raters", "cost"} <= row.keys()
    assert inf not in row.values()


def test_the_page_draws_the_fan_and_links_to_the_plan(client, owner):
    study = make_study(owner, 60)
    plan(study)
    rate(study)
    client.force_login(owner)
    page = client.get(f"/studies/{study.slug}/analysis/stop/").content.decode()
    assert "figure-stop-0" in page and "The lines are the bounds if today" in page
    assert f"/studies/{study.slug}/stopping/" in page
    for word in ("upper bound", "lower bound", "decision line", "this look"):
        assert word in page


def test_the_page_of_a_study_without_a_plan_is_that_of_its_pilot(client, owner):
    study = make_study(owner, 5)
    rate(study)
    client.force_login(owner)
    answer = client.get(f"/studies/{study.slug}/analysis/stop/?question=q")
    assert (answer.status_code, answer["Location"]) == (
        302,
        f"/studies/{study.slug}/analysis/plan/?question=q",
    )
    assert build(study, "stop").verdict[0].startswith("No stopping plan was fixed before")


def test_a_study_with_a_plan_has_one_page_of_how_many_more(client, owner):
    study = make_study(owner, 60)
    plan(study)
    rate(study)
    client.force_login(owner)
    there = client.get(f"/studies/{study.slug}/analysis/plan/?judges=judge")
    assert there["Location"] == f"/studies/{study.slug}/analysis/stop/"
    page = client.get(there["Location"]).text
    assert "<h2>How many more ratings</h2>" in page or 'aria-current="page">How many more' in page
    assert f"/studies/{study.slug}/analysis/plan/" not in page
    # both keep their rows, in files and by the API
    assert client.get(f"/studies/{study.slug}/analysis/plan/rows.json").status_code == 200


def test_the_api_has_the_same_rows(client, owner):
    study = make_study(owner, 60)
    plan(study)
    rate(study)
    client.force_login(owner)
    sent = client.get(f"/api/v1/studies/{study.slug}/reports/stop/").json()
    assert [row["state"] for row in sent["rows"]] == [
        row["state"] for row in build(study, "stop").rows
    ]


def test_a_kept_report_is_computed_anew_after_another_exclusion(client, owner):
    study = make_study(owner, 60)
    plan(study)
    rate(study)
    client.force_login(owner)
    page = f"/studies/{study.slug}/analysis/stop/"
    assert "The guarantee has ended" not in client.get(page).content.decode()
    step = QualityStep.objects.create(study=study, rule="by_hand", words="x", by_name="owner")
    step.excluded.create(rater=study.raters.create(key="nobody"))
    assert "The guarantee has ended" in client.get(page).content.decode()
