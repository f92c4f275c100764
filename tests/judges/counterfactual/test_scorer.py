"""CF, CF-A, its warm start, Item-Sim and Genre-Jacc as judges: from files to judgments."""

import os
import time

import numpy as np
import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from annotate.models import Content, Interaction, Study
from judges.counterfactual import kept_models, scorer
from judges.counterfactual.factorisation import EXPLICIT, Recipe
from judges.files.study_file import study_yaml
from judges.models import Judge
from judges.runs import drive
from judges.runs.plan import PlanError, hash_of, plan, settings_of
from judges.tasks import tend_uploads
from tests import factories
from tests.files import load
from tests.judges.counterfactual.test_factorisation import by_hand

pytestmark = pytest.mark.django_db
Kind = Judge.Kind
LONG_AGO = 1_000_000_000
STUDY = """\
study: films
title: Films
questions:
  - {key: persuasiveness, text: It convinces me., scale: likert5}
"""
CONTENTS = """\
content,title,genres
a,Alpha,Comedy|Drama
b,Beta,Comedy|Crime
c,Gamma,War
d,Delta,Drama|Comedy
e,Epsilon,(no genres listed)
"""
# Columns a to d, by key; nobody has seen e. Cleo's history is made up.
HISTORIES = {
    "anna": {"a": 5, "c": 2},
    "bert": {"a": 4, "b": 3, "d": 4},
    "carl": {"b": 4, "c": 1},
    "dora": {"c": 3},
    "evan": {"b": 5, "d": 2},
}
MADE_UP = {"cleo": {"b": 4, "c": 5}}
ITEMS = """\
item,recipient,content,text,explaining_contents
by-a,anna,d,You watched Alpha.,a
by-c,anna,d,You watched Gamma.,c
hypothetical,cleo,d,You watched Beta.,b
both,anna,d,You watched Alpha and Gamma.,a|c
not-seen,anna,d,You watched Beta.,b|a
seen,anna,c,You watched Alpha.,a
once,dora,d,You watched Gamma.,c
nobody,anna,e,You watched Alpha.,a
unknown,anna,d,You watched Omega.,omega
nothing,anna,d,You watched nothing.,
nobody-s,zoe,d,You watched Alpha.,a
no-recipient,,d,You watched Alpha.,a
no-content,anna,,You watched Alpha.,a
"""
RECIPE = Recipe(factors=1, iterations=6, regularisation=0.2, confidence=3.0)
SETTINGS = {k: v for k, v in RECIPE.settings.items() if k not in ("form", "seed")}


def interactions(rated=True):
    lines = ["recipient,content,rating,hypothetical"]
    for people, word in ((HISTORIES, ""), (MADE_UP, "yes")):
        for who, seen in people.items():
            lines += [f"{who},{key},{value if rated else ''},{word}" for key, value in seen.items()]
    return "\n".join(lines) + "\n"


@pytest.fixture
def films(tmp_path):
    loading = load(
        tmp_path, study=STUDY, contents=CONTENTS, interactions=interactions(), items=ITEMS
    )
    assert not loading.problems.shown
    return Study.objects.get()


def judged(study, kind, items=None, **fields):
    """{item: (value, reason, rationale)} of a run of such a judge."""
    judge = factories.make_judge(study, f"{kind} {Judge.objects.count()}", kind=kind, **fields)
    run = plan(judge, items=items)
    drive.work_through(run.pk)
    rows = run.judgments.values_list("item__key", "value", "reason", "rationale")
    return {key: tuple(rest) for key, *rest in rows}


def matrix(*people, without=()):
    """Rated histories as an array, a row a recipient."""
    everybody = HISTORIES | MADE_UP
    rows = [
        [0 if (who, key) in without else everybody[who].get(key, 0) for key in "abcd"]
        for who in people
    ]
    return np.array(rows, dtype=float)


def expected(people, who, explaining, recipe=RECIPE):
    """CF of content d by hand: one factor, two trainings."""
    row, forgotten = people.index(who), {(who, key) for key in explaining}
    (x, y), (after_x, after_y) = (
        by_hand(matrix(*people, without=some), recipe) for some in ((), forgotten)
    )
    before = [x[row] * each for each in y]
    after = dict(zip("abcd", (after_x[row] * each for each in after_y), strict=True))
    seen = (HISTORIES | MADE_UP)[who].keys() - set(explaining)
    others = [value for key, value in after.items() if key not in seen and key != "d"]
    return max(-1, min(1, (max(others) - after["d"]) / (max(before) - min(before))))


EVERYBODY = sorted(HISTORIES)


def test_cf_equals_the_case_retrained_by_hand(films):
    found = judged(films, Kind.CF, **SETTINGS)
    for item, explaining in (("by-a", "a"), ("by-c", "c")):
        assert found[item][0] == pytest.approx(expected(EVERYBODY, "anna", explaining), abs=1e-8)
    assert found["by-a"][0] != pytest.approx(found["by-c"][0], abs=1e-3)


def test_the_explicit_form_equals_the_case_by_hand(films):
    found = judged(films, Kind.CF, **SETTINGS, form=EXPLICIT)
    recipe = Recipe(EXPLICIT, factors=1, iterations=6, regularisation=0.2)
    value = expected(EVERYBODY, "anna", "a", recipe)
    assert found["by-a"][0] == pytest.approx(value, abs=1e-8)


def test_a_hypothetical_recipient_is_a_row_of_their_own_model_alone(films):
    found = judged(films, Kind.CF, **SETTINGS)
    assert found["hypothetical"][0] == pytest.approx(
        expected([*EVERYBODY, "cleo"], "cleo", "b"), abs=1e-8
    )


def test_cf_a_solves_the_recipient_alone(films):
    """By hand: one factor, the contents' kept; what is left of the history is c."""
    found = judged(films, Kind.CF_APPROXIMATE, **SETTINGS)
    x, y = by_hand(matrix(*EVERYBODY), RECIPE)
    mine = x[EVERYBODY.index("anna")]
    before = [mine * each for each in y]
    folded = 3 * y[2] / (sum(each**2 for each in y) + 2 * y[2] ** 2 + 0.2)
    raw = folded * max(y[0], y[1]) - folded * y[3]
    assert found["by-a"][0] == pytest.approx(raw / (max(before) - min(before)), abs=1e-8)


def test_warm_retraining_lies_elsewhere_and_more_of_it_near_the_full_one(films):
    full = judged(films, Kind.CF, **SETTINGS)["by-a"][0]
    warm = judged(films, Kind.CF_WARM, **SETTINGS)["by-a"][0]
    approximate = judged(films, Kind.CF_APPROXIMATE, **SETTINGS)["by-a"][0]
    assert len({round(value, 6) for value in (full, warm, approximate)}) == 3
    assert abs(warm - full) < abs(approximate - full)


def test_the_rationale_says_what_happened_and_ranks_are_an_effect_too(films):
    value, _, rationale = judged(films, Kind.CF, **SETTINGS)["by-a"]
    words = "would no longer be" if value > 0 else "would still be"
    assert rationale.startswith(f"{words} recommended; rank ")
    ranks = judged(films, Kind.CF, **SETTINGS, effect="rank")["by-a"]
    before, after = _ranks(ranks[2])
    assert ranks[0] == after - before


def _ranks(rationale):
    words = rationale.split("rank ")[1].split()
    return int(words[0]), int(words[2])


def test_of_two_shown_the_second_best_other_is_what_counts(films):
    one, two = (judged(films, Kind.CF, **SETTINGS, top=top)["by-a"][0] for top in (1, 2))
    assert two < one


REASONS = {
    "both": "without the explanation nothing is left of the history",
    "not-seen": "the explanation names b, which is not in the history",
    "seen": "the recommended content is in the history already",
    "once": "without the explanation nothing is left of the history",
    "nobody": "nobody has the content e in their history",
    "unknown": "the study has no content omega, which the item names",
    "nothing": "the item names no explaining contents",
    "nobody-s": "the recipient has no interactions",
    "no-recipient": "the item has no recipient, whose history the explanation is about",
    "no-content": "the item has no content that was recommended",
}


@pytest.mark.parametrize("kind", [Kind.CF, Kind.CF_APPROXIMATE, Kind.CF_WARM])
def test_what_cannot_be_scored_says_why(films, kind):
    found = judged(films, kind, **SETTINGS)
    assert {key: found[key][1] for key in REASONS} == REASONS
    assert all(found[key][0] is None for key in REASONS)
    assert all(found[key][0] is not None for key in found.keys() - REASONS.keys())


def test_item_similarity_is_the_cosine_of_the_model(films):
    found = judged(films, Kind.ITEM_SIM, **SETTINGS)
    # With one factor a cosine is a sign; all factors here are positive.
    assert found["by-a"][0] == pytest.approx(1)
    assert found["nobody"][1] == REASONS["nobody"]


def test_genres_in_common(films):
    found = judged(films, Kind.GENRE_JACC)
    assert found["by-a"][0] == 1  # comedy and drama, in either order
    assert found["hypothetical"][0] == pytest.approx(1 / 3)  # comedy of comedy, crime, drama
    assert found["both"][0] == pytest.approx(1 / 2)  # 1 and 0
    assert found["nobody"][1] == "the recommended content has no genres"


def test_the_same_ratings_everywhere_are_an_ordinary_case(tmp_path):
    same = interactions().replace(",5,", ",3,").replace(",4,", ",3,").replace(",2,", ",3,")
    load(tmp_path, study=STUDY, contents=CONTENTS, interactions=same, items=ITEMS)
    found = judged(Study.objects.get(), Kind.CF, **SETTINGS, form=EXPLICIT)
    assert found["by-a"][0] is not None


def test_the_explicit_form_refuses_histories_without_ratings(tmp_path):
    load(
        tmp_path,
        study=STUDY,
        contents=CONTENTS,
        interactions=interactions(rated=False),
        items=ITEMS,
    )
    study = Study.objects.get()
    found = judged(study, Kind.CF, **SETTINGS, form=EXPLICIT)
    assert {reason for _, reason, _ in found.values()} == {
        "the explicit form needs ratings, and 10 interactions have none"
    }
    assert judged(study, Kind.CF, **SETTINGS)["by-a"][0] is not None


def test_interactions_that_changed_after_the_plan_are_noticed(films):
    judge = factories.make_judge(films, "CF", kind=Kind.CF, **SETTINGS)
    run = plan(judge)
    Interaction.objects.filter(recipient__key="bert").first().delete()
    with CaptureQueriesContext(connection) as found:
        drive.work_through(run.pk)
    read = [one for one in found if 'FROM "annotate_interaction"' in one["sql"]]
    assert len(read) == 1, "once a run, not for each explanation"
    assert {row.reason for row in run.judgments.all()} == {
        "the study’s interactions were changed since the run was planned"
    }
    with pytest.raises(PlanError, match="Make a new judge"):
        plan(judge)


@pytest.mark.parametrize(
    ("kind", "why"), [(Kind.CF_APPROXIMATE, "interactions"), (Kind.GENRE_JACC, "genres")]
)
def test_no_run_mixes_made_up_histories_or_genres_of_two_times(films, kind, why):
    trained = SETTINGS if kind == Kind.CF_APPROXIMATE else {}
    judge = factories.make_judge(films, "CF", kind=kind, **trained)
    run = plan(judge)
    Interaction.objects.filter(data__hypothetical="yes").first().delete()
    Content.objects.filter(key="b").update(data={"genres": "Western"})
    drive.work_through(run.pk)
    (reason,) = {row.reason for row in run.judgments.all()}
    assert why in reason and reason.endswith("changed since the run was planned")
    again = plan(judge)  # the judge is the same
    drive.work_through(again.pk)
    assert "" in {row.reason for row in again.judgments.all()}


def test_what_only_hypothetical_recipients_have_changes_nobody_s_score(tmp_path):
    """Neither in this study nor in another with the same histories, whose model is kept."""
    more = interactions() + "fred,aaa,5,yes\nfred,b,4,yes\n"
    items = ITEMS + "fred-s,fred,d,You watched Beta.,b\n"
    load(tmp_path, study=STUDY, contents=CONTENTS, interactions=interactions(), items=ITEMS)
    before = judged(Study.objects.get(), Kind.CF, **SETTINGS)
    contents = CONTENTS + "aaa,Before all others,War\n"
    text = STUDY.replace("study: films", "study: other")
    load(tmp_path, study=text, contents=contents, interactions=more, items=items)
    found = judged(Study.objects.get(slug="other"), Kind.CF, **SETTINGS)
    why = "the recipient is hypothetical, and nobody else has all they have"
    assert found.pop("fred-s") == (None, why, "")
    assert found == before
    load(tmp_path, study=STUDY, contents=contents, interactions=more)
    assert judged(Study.objects.get(slug="films"), Kind.CF, **SETTINGS) == before


def test_another_hypothetical_recipient_changes_no_judge(films):
    judge = factories.make_judge(films, "CF", kind=Kind.CF, **SETTINGS)
    plan(judge)
    before = hash_of(settings_of(judge))
    Interaction.objects.filter(recipient__key="cleo").first().delete()
    assert hash_of(settings_of(judge)) == before


def test_the_model_is_kept_and_read_again(films, settings, tmp_path):
    settings.VAR_DIR = tmp_path
    first = judged(films, Kind.CF, **SETTINGS)
    (file,) = (tmp_path / "models").glob("[!o]*")  # besides it one-…, of somebody made up
    with np.load(file) as kept:
        assert kept["contents"].shape == (4, 1) and '"factors": 1' in str(kept["made_of"])
    written = file.stat().st_ino
    os.utime(file, (LONG_AGO, LONG_AGO))
    assert judged(films, Kind.CF, **SETTINGS) == first
    assert file.stat().st_ino == written and len([*file.parent.glob("[!o]*")]) == 1
    tend_uploads()
    assert file.exists(), "it was used just now"
    os.utime(file, (LONG_AGO, LONG_AGO))
    tend_uploads()
    assert not file.exists()
    assert judged(films, Kind.CF, **SETTINGS) == first, "trained anew"


def test_where_no_model_can_be_kept_the_run_goes_on_without(films, settings, tmp_path, caplog):
    """A file stands where the folder of the models should be."""
    first = judged(films, Kind.CF, **SETTINGS)
    settings.VAR_DIR = tmp_path
    (tmp_path / "models").write_text("")
    assert judged(films, Kind.CF, **SETTINGS) == first
    assert "a model was trained and could not be kept" in caplog.text
    tend_uploads()


def test_a_judge_is_made_on_its_page_and_shown_with_its_settings(films, as_owner, owner):
    films.memberships.create(user=owner, role="owner")
    address = reverse("judge_new", args=[films.slug]) + "?kind=cf"
    page = as_owner.get(address).content.decode()
    assert "retrained" in page and 'name="regularisation"' in page and 'name="top"' in page
    sent = {
        "key": "CF",
        "effect": "score",
        "top": 1,
        "form": "implicit",
        "factors": 12,
        "iterations": 5,
        "regularisation": 0.5,
        "confidence": 2,
        "seed": 7,
    }
    refused = as_owner.post(address, sent | {"regularisation": 0})
    assert "0.000001" in refused.content.decode() or "1e-06" in refused.content.decode()
    as_owner.post(address, sent)
    judge = Judge.objects.get(key="CF")
    settings = judge.settings
    assert (settings.factors, settings.regularisation, settings.seed) == (
        12,
        0.5,
        7,
    )
    plan(judge)  # frozen: what was a form is now said
    page = as_owner.get(reverse("judge", args=[films.slug, judge.pk])).content.decode()
    assert "<dt>Factors</dt><dd>12</dd>" in page and "Implicit: seen or not" in page


def test_the_study_file_keeps_all_settings(films, tmp_path):
    factories.make_judge(films, "CF", kind=Kind.CF, factors=9, top=3, effect="rank", confidence=4.5)
    factories.make_judge(films, "Item-Sim", kind=Kind.ITEM_SIM, form=EXPLICIT, iterations=7)
    factories.make_judge(films, "Genre-Jacc", kind=Kind.GENRE_JACC)
    text = study_yaml(films)
    loading = load(tmp_path, study=text)
    assert not loading.problems.shown and loading.counts["judges"].unchanged == 3
    other = load(tmp_path, study=text.replace("study: films", "study: other"))
    assert not other.problems.shown
    made = Judge.objects.get(study__slug="other", key="CF")
    assert (
        made.settings.factors,
        made.settings.top,
        made.settings.effect,
        made.settings.confidence,
    ) == (9, 3, "rank", 4.5)


@pytest.mark.parametrize("confidence", [1.0, 3.0])
def test_the_model_of_somebody_made_up_is_trained_once_for_all_kinds(
    films, settings, tmp_path, monkeypatch, confidence
):
    """It is kept for a day, in its smaller form where there is one; the scores stay the same."""
    settings.VAR_DIR = tmp_path
    kinds = (Kind.CF, Kind.CF_APPROXIMATE, Kind.CF_WARM, Kind.ITEM_SIM)
    own, trained = SETTINGS | {"confidence": confidence}, []
    items = films.items.filter(key="hypothetical")
    first = {kind: judged(films, kind, items=items, **own) for kind in kinds}
    (file,) = (tmp_path / "models").glob("one-*")
    with np.load(file) as kept:
        assert ("half" in kept, "contents" in kept) == (confidence == 1, confidence != 1)
        assert '"columns": [1, 2]' in str(kept["made_of"])  # b and c
    train = scorer.train
    monkeypatch.setattr(scorer, "train", lambda *a, **k: trained.append(1) or train(*a, **k))
    assert {kind: judged(films, kind, items=items, **own) for kind in kinds} == first
    assert len(trained) == 2, "without the explanation: in full, and going on from the model"
    os.utime(file, (time.time() - 90_000,) * 2)
    tend_uploads()
    assert not file.exists()
    monkeypatch.setattr(kept_models, "LEAST_FREE", 2**62)
    assert {kind: judged(films, kind, items=items, **own) for kind in kinds} == first
    assert not file.exists(), "a full disk keeps none"
