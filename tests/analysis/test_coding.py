"""Coding of what raters wrote: codes, two coders apart, the comparison, the report, the export."""

import numpy as np
import pytest
from django.core.cache import caches
from django.test import Client
from sklearn.metrics import cohen_kappa_score

from analysis.answers import frame
from analysis.exports import write
from analysis.reports.shared.options import PeopleOptions
from analysis.reports.shared.scores import Scores
from annotate.coding import codes as coding
from annotate.models import Code, CodesCompared, Coding, Membership
from tests import factories
from tests.analysis.small import build

pytestmark = pytest.mark.django_db
PAGE = "/studies/films/coding/"
HOSTILE = "<script>alert(1)</script>"


@pytest.fixture(autouse=True)
def _empty_cache():
    caches["reports"].clear()


@pytest.fixture
def study(owner):
    """Four items with a why each, one of them hostile; a text question with one answer."""
    study = factories.make_study(owner=owner, items=4, questions={"good": "It is good."})
    why = factories.make_question(study, "why", "text", required=False, position=1)
    session = factories.make_session(study, "ann")
    words = ["too long", HOSTILE, "fits me", "too long again"]
    for item, text, value in zip(study.items.all(), words, [1, 2, 5, 1], strict=True):
        factories.make_rating(session, item, study.questions.first(), value, reason=text)
    factories.make_rating(session, study.items.first(), why, None, text="no reason")
    return study


@pytest.fixture
def codes(study):
    return [Code.objects.create(study=study, name=name) for name in ("long", "fit")]


def texts(study):
    return list(coding.texts(study))


def give(study, user, *pairs):
    known = coding.Codes.load(study)
    for rating, code in pairs:
        coding.toggle(rating, user, code, known)


def editor_of(study, name="bea"):
    user = factories.make_user(name)
    Membership.objects.create(study=study, user=user, role=Membership.Role.EDITOR)
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return user, client


def names_of(study, rating, user):
    found = coding.given(study, coding.Codes.load(study), [rating.pk])
    return found.get((rating.pk, user.get_username()))


def test_an_answer_takes_any_number_of_codes_and_gives_them_back(study, codes, owner):
    first = texts(study)[0]
    give(study, owner, (first, codes[0]), (first, codes[1]))
    assert names_of(study, first, owner) == {"long", "fit"}
    give(study, owner, (first, codes[0]))
    assert names_of(study, first, owner) == {"fit"}


def test_none_applies_and_a_code_exclude_each_other(study, codes, owner):
    first = texts(study)[0]
    give(study, owner, (first, codes[0]), (first, None))
    assert names_of(study, first, owner) == set()
    give(study, owner, (first, codes[1]))
    assert names_of(study, first, owner) == {"fit"}
    assert Coding.objects.count() == 1


def test_merging_and_deleting_can_be_undone_to_the_letter(study, codes, owner):
    first = texts(study)[0]
    give(study, owner, (first, codes[0]))
    coding.merge(codes[0], codes[1])
    assert names_of(study, first, owner) == {"fit"}
    coding.delete(codes[1])
    assert names_of(study, first, owner) is None
    coding.restore(codes[1])
    coding.restore(codes[0])
    assert names_of(study, first, owner) == {"long"}


def test_taking_back_a_merged_code_takes_back_all_that_it_stands_for(study, codes, owner):
    first = texts(study)[0]
    give(study, owner, (first, codes[0]), (first, codes[1]))
    coding.merge(codes[0], codes[1])
    give(study, owner, (first, codes[1]))
    assert names_of(study, first, owner) is None


# Pages


def test_the_page_shows_what_was_written_escaped(study, codes, as_owner):
    page = as_owner.get(PAGE).content.decode()
    assert "&lt;script&gt;alert(1)" in page and HOSTILE not in page
    assert page.count('id="reason-') == 5


def test_a_click_saves_with_and_without_javascript(study, codes, owner, as_owner):
    first = texts(study)[0]
    address = f"{PAGE}{first.pk}/"
    plain = as_owner.post(address, {"code": codes[0].pk, "page": "1"})
    assert (plain.status_code, plain.url) == (302, f"{PAGE}?page=1#reason-{first.pk}")
    fragment = as_owner.post(address, {"code": codes[1].pk}, headers={"HX-Request": "true"})
    assert fragment.status_code == 200
    assert fragment.content.decode().count('aria-pressed="true"') == 2
    assert names_of(study, first, owner) == {"long", "fit"}


@pytest.mark.parametrize("headers", [{}, {"HX-Request": "true"}], ids=["plain", "with htmx"])
def test_a_code_for_an_answer_that_was_taken_back_is_refused_in_words(
    study, codes, owner, as_owner, headers
):
    first, *others = texts(study)
    address, code = f"{PAGE}{first.pk}/", {"code": codes[0].pk}
    first.revisions.all().delete()
    first.delete()
    told = as_owner.post(address, code, headers=headers, follow=True)
    assert told.status_code == 200
    assert "The rater took this answer back" in told.content.decode()
    elsewhere = factories.make_study("elsewhere", factories.make_user("eve"), items=1)
    address = f"/studies/elsewhere/coding/{others[0].pk}/"
    Membership.objects.create(study=elsewhere, user=owner, role=Membership.Role.EDITOR)
    assert as_owner.post(address, code, headers=headers).status_code == 404


def test_coders_see_only_their_own_codes_until_the_comparison(study, codes, owner, as_owner):
    bea, as_bea = editor_of(study)
    first = texts(study)[0]
    give(study, owner, (first, codes[0]))
    give(study, bea, (first, codes[1]))
    page = as_bea.get(PAGE).content.decode()
    assert page.count('aria-pressed="true"') == 1
    compare = f"{PAGE}compare/"
    assert "too long" not in as_bea.get(compare).content.decode()
    assert {row["kind"] for row in build(study, "reasons").rows} == {"texts"}
    as_bea.post(f"{compare}open/")
    page = as_owner.get(compare).content.decode()
    assert "too long" in page and "Opened by bea" in page
    assert {"code", "agreement"} <= {row["kind"] for row in build(study, "reasons").rows}


def test_viewers_read_and_have_no_buttons(study, codes, stranger, as_stranger):
    Membership.objects.create(study=study, user=stranger, role=Membership.Role.VIEWER)
    assert "None applies" not in as_stranger.get(PAGE).content.decode()


def test_codes_are_made_renamed_merged_deleted_and_brought_back(study, as_owner):
    for name in ("long", "fit", "LONG", "", "x" * 61):
        as_owner.post(f"{PAGE}codes/", {"name": name})
    long, fit = Code.objects.all()
    as_owner.post(f"{PAGE}codes/{long.pk}/", {"name": "  too   long "})
    as_owner.post(f"{PAGE}codes/{long.pk}/merge/", {"into": fit.pk})
    long.refresh_from_db()
    assert (long.name, long.merged_into) == ("too long", fit)
    assert as_owner.post(f"{PAGE}codes/{fit.pk}/merge/", {"into": fit.pk}).status_code == 404
    as_owner.post(f"{PAGE}codes/{fit.pk}/delete/")
    assert coding.Codes.load(study).live == []
    as_owner.post(f"{PAGE}codes/{fit.pk}/restore/")
    as_owner.post(f"{PAGE}codes/{long.pk}/restore/")
    assert len(coding.Codes.load(study).live) == 2


def test_another_studys_texts_and_codes_are_out_of_reach(study, codes, as_owner):
    other = factories.make_study("other", items=1, questions={"good": "?"})
    rating = factories.make_rating(
        factories.make_session(other), other.items.get(), other.questions.get(), 3, reason="x"
    )
    foreign = Code.objects.create(study=other, name="foreign")
    first = texts(study)[0]
    assert as_owner.post(f"{PAGE}{rating.pk}/", {"code": codes[0].pk}).status_code == 404
    assert as_owner.post(f"{PAGE}{first.pk}/", {"code": foreign.pk}).status_code == 404
    assert as_owner.post(f"{PAGE}codes/{foreign.pk}/delete/").status_code == 404


@pytest.mark.parametrize("n", [1, 12])
def test_the_pages_take_the_same_queries_for_any_number(
    study, codes, owner, as_owner, django_assert_num_queries, n
):
    session = factories.make_session(study, "cem")
    for item in [factories.make_item(study, f"more-{k}") for k in range(n)]:
        rating = factories.make_rating(session, item, study.questions.first(), 3, reason="because")
        give(study, owner, (rating, codes[0]))
    as_owner.get(PAGE)
    with django_assert_num_queries(8):
        as_owner.get(PAGE)
    with django_assert_num_queries(11):
        as_owner.get(f"{PAGE}compare/")


def test_filters_find_words_questions_and_what_is_left(study, codes, owner, as_owner):
    first = texts(study)[0]
    give(study, owner, (first, None))
    for query, n in (({"q": "long"}, 2), ({"question": "why"}, 1), ({"left": "1"}, 4)):
        assert as_owner.get(PAGE, query).context["page"].paginator.count == n
    assert "Nothing matches" in as_owner.get(PAGE, {"q": "zebra\x00"}).content.decode()


# Report and export


def test_agreement_is_scikit_learns_kappa_over_what_both_coded(study, codes, owner):
    bea, _ = editor_of(study)
    CodesCompared.objects.create(study=study, by_name="bea")
    said = {owner: [1, 1, 0, 1], bea: [1, 0, 0, 1]}
    for user, given in said.items():
        give(
            study,
            user,
            *(
                (text, codes[0] if yes else None)
                for text, yes in zip(texts(study), given, strict=False)
            ),
        )
    give(study, bea, (texts(study)[4], codes[0]))
    rows = [row for row in build(study, "reasons").rows if row["kind"] == "agreement"]
    row = next(row for row in rows if row["code"] == "long")
    assert (row["coder"], row["other"], row["n"], row["percent"]) == ("bea", "owner", 4, 0.75)
    assert row["kappa"] == pytest.approx(cohen_kappa_score(*said.values()))


def test_shares_and_agreement_have_the_intervals_of_items_drawn_again(study, codes, owner):
    """Against the definition: each draw's texts repeated, kappa by scikit-learn."""
    study.items.update(recipient=None, content=None)
    bea, _ = editor_of(study)
    CodesCompared.objects.create(study=study, by_name="bea")
    said = {owner: [1, 1, 0, 1], bea: [1, 0, 0, 1]}
    for user, given in said.items():
        give(
            study,
            user,
            *(
                (text, codes[0] if yes else None)
                for text, yes in zip(texts(study), given, strict=False)
            ),
        )
    report = build(study, "reasons", draws=120)
    row = next(r for r in report.rows if (r["kind"], r["code"]) == ("agreement", "long"))
    scores = Scores(frame.read_answers(study), PeopleOptions(draws=120))
    places = [scores.item_ids.index(text.item_id) for text in texts(study)[:4]]
    shares, kappas, coded = [], [], []
    for counts in scores.counts[:, scores.clusters[places]]:
        one, other = (np.repeat(given, counts) for given in said.values())
        if len(one):
            shares.append((one == other).mean())
            coded.append(((one + other) > 0).mean())
        if len({*one, *other}) > 1 and len(one) > 1:
            kappas.append(cohen_kappa_score(one, other, labels=[0, 1]))
    ends = [0.025, 0.975]
    found = row["percent_low"], row["percent_high"]
    assert found == pytest.approx(np.quantile(shares, ends))
    known = [kappa for kappa in kappas if not np.isnan(kappa)]
    assert (row["kappa_low"], row["kappa_high"]) == pytest.approx(np.quantile(known, ends))
    row = next(r for r in report.rows if (r["kind"], r["code"]) == ("code", "long"))
    assert (row["percent"], row["n"], row["of"]) == (0.75, 3, 4)
    assert (row["percent_low"], row["percent_high"]) == pytest.approx(np.quantile(coded, ends))
    assert np.isnan(build(study, "reasons").rows[0]["percent_low"])


def test_codes_are_counted_by_rating_and_by_system(study, codes, owner):
    give(study, owner, *((text, codes[0]) for text in texts(study)[:2]), (texts(study)[3], None))
    give(study, owner, (texts(study)[2], codes[0]), (texts(study)[2], codes[0]))
    give(study, owner, (texts(study)[2], None))
    rows = [row for row in build(study, "reasons").rows if row["kind"] == "rating"]
    found = {(row["question"], row["rating"]): (row["n"], row["of"]) for row in rows}
    assert found == {("good", "1"): (1, 2), ("good", "2"): (1, 1), ("good", "5"): (0, 1)}
    (system,) = [row for row in build(study, "reasons").rows if row["kind"] == "system"]
    assert (system["system"], system["n"], system["of"]) == ("good", 2, 4)


def test_the_export_has_one_row_a_code_and_none_while_coders_are_apart(study, codes, owner):
    give(study, owner, (texts(study)[0], codes[0]), (texts(study)[2], None))
    coding.merge(codes[0], codes[1])
    lines = "".join(write.pieces(study, "codes", "csv")).splitlines()
    assert lines[0] == "item,rater,question,value,text,coder,code,coded_at"
    assert lines[1].startswith("item-0,ann,good,1,too long,owner,fit,")
    assert lines[2].startswith("item-2,ann,good,5,fits me,owner,,")
    give(study, editor_of(study)[0], (texts(study)[0], codes[1]))
    assert len("".join(write.pieces(study, "codes", "csv")).splitlines()) == 1


def test_two_codes_merged_into_each_other_at_once_make_no_circle(study, codes, owner):
    """Both editors saw both codes as live: the second merge finds the first one."""
    long, fit = codes
    assert coding.merge(long, fit)
    assert not coding.merge(fit, long)
    assert coding.Codes.load(study).stands_for(long.pk) == fit
    assert coding.Codes.load(study).live == [fit]


def test_the_report_of_one_version_counts_its_texts_only(study, codes, owner):
    give(study, owner, *((text, codes[0]) for text in texts(study)))
    study.questionnaire_version = 2
    study.save()
    later = factories.make_session(study, "bea", version=2)
    factories.make_rating(later, study.items.first(), study.questions.first(), 3, reason="later")

    def counted(**options):
        rows = build(study, "reasons", **options).rows
        return [sum(row["n"] for row in rows if row["kind"] == kind) for kind in ("texts", "code")]

    assert (counted(), counted(version=1), counted(version=2)) == ([6, 5], [5, 5], [1, 0])
