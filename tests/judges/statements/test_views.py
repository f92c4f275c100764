"""Pages of statements: one side of an item, what people change, and all of a study."""

import pytest
from django.urls import reverse

from annotate.design import splits
from judges.models import Run, Statement
from judges.runs import drive
from judges.statements import edit
from tests import factories
from tests.extracting import (
    REVIEW,
    SEAMS,
    SMALL,
    SOFT,
    extract,
    make_item,
    reply,
    saying,
)

pytestmark = pytest.mark.django_db
HX = {"HX-Request": "true"}


@pytest.fixture
def study(owner):
    return factories.make_study("clothes", owner)


@pytest.fixture
def read(study):
    """An item of which both sides were read: one statement, and two with one dropped."""
    item = make_item(study)
    extract(
        study,
        saying({"runs small": [SMALL, SEAMS, ["smells", "scent", "neutral"]], "fabric": [SOFT]}),
    )
    return item


def side(item, name="reference"):
    return reverse("statements_of", args=[item.study.slug, item.pk, name])


def act(did, one):
    return reverse(f"statement_{did}", args=[one.item.study.slug, one.pk])


def one(statement="runs small"):
    return Statement.objects.get(statement=statement)


# One side of an item


def test_the_text_is_marked_where_statements_stand_by_number_sign_and_word(as_owner, read):
    page = as_owner.get(side(read)).text
    small, seams = one(), one("seams rip after one wash")
    assert (
        f'<mark class="negative">runs small<sup><a href="#statement-{small.pk}" '
        'aria-label="Statement 1, negative">1−</a></sup></mark>. I love it! '
    ) in page
    assert f'<a href="#statement-{seams.pk}" aria-label="Statement 2, negative">2−</a>' in page
    assert "2 statements: 0 positive, 2 negative, 0 neutral." in page
    assert "topic outside the list" in page and "smells" in page
    assert "in <a href" in page and "extractor" in page
    assert SOFT[0] not in page
    assert SOFT[0] in as_owner.get(side(read, "generated")).text
    assert side(read) in as_owner.get(read.get_absolute_url()).text


def test_what_a_review_says_is_escaped(as_owner, study):
    item = make_item(study, review="It <script>alert(1)</script> shrinks & fades.")
    extract(study, lambda *_: reply(["<b>shrinks", "care", "negative"]), sides="reference")
    page = as_owner.get(side(item)).text
    assert "<script>alert" not in page and "<b>shrinks" not in page
    assert "&lt;b&gt;shrinks" in page


def test_a_correction_stands_beside_what_was_extracted_and_can_be_undone(as_owner, read, owner):
    values = {"statement": "fits  small", "topic": "comfort", "sentiment": "neutral"}
    assert as_owner.post(act("correct", one()), values).url == side(read) + "#statements"
    small = one()
    assert (small.said, small.about, small.feels) == ("fits small", "comfort", "neutral")
    assert (small.topic, small.sentiment) == ("fit", "negative")
    assert small.corrected_by == owner and small.corrected_at is not None
    page = as_owner.get(side(read)).text
    assert "Extracted as: runs small (fit, negative)" in page
    assert "Corrected by owner" in page
    part = as_owner.post(act("undo", one()), headers=HX).text
    assert "Extracted as" not in part and part.strip().startswith("<div id=")
    small = one()
    assert (small.said, small.is_corrected, small.corrected_by) == ("runs small", False, None)


def test_the_same_words_again_are_no_correction(as_owner, read):
    values = dict(zip(("statement", "topic", "sentiment"), SMALL, strict=True))
    as_owner.post(act("correct", one()), values)
    assert not one().is_corrected and one().corrected_by is None


def test_a_removed_statement_stays_visible_and_comes_back(as_owner, read):
    page = as_owner.post(act("remove", one()), follow=True).text
    assert "<del>runs small</del>" in page and "Removed by owner" in page
    assert "1 statement: 0 positive, 1 negative, 0 neutral." in page
    assert '<mark class="negative">runs small' not in page
    as_owner.post(act("undo", one()))
    assert not one().is_removed


def test_a_person_adds_a_statement_where_it_stands(as_owner, read, owner):
    add = reverse("statement_add", args=[read.study.slug, read.pk, "reference"])
    sent = {"add-statement": "I love it", "add-topic": "service", "add-sentiment": "positive"}
    page = as_owner.post(add, sent, follow=True).text
    added = Statement.objects.get(run=None)
    assert REVIEW[added.start : added.end] == "I love it"
    assert (added.label, added.corrected_by) == ("A1", owner)
    assert "Added by owner" in page
    as_owner.post(add, sent | {"add-statement": "it shines"})
    assert sorted(s.label for s in Statement.objects.filter(run=None)) == ["A1", "A2"]
    as_owner.post(
        act("correct", added), {"statement": "loved", "topic": "service", "sentiment": "positive"}
    )
    assert "Added as: I love it (service, positive)" in as_owner.get(side(read)).text


def test_what_the_text_says_already_is_refused(as_owner, read):
    add = reverse("statement_add", args=[read.study.slug, read.pk, "reference"])
    values = {"statement": "Runs small!", "topic": "fit", "sentiment": "positive"}
    page = as_owner.post(add, {f"add-{name}": value for name, value in values.items()})
    assert page.status_code == 422 and "This text has that statement already." in page.text
    other = one("seams rip after one wash")
    assert as_owner.post(act("correct", other), values).status_code == 422
    assert as_owner.post(act("correct", one()), values).status_code == 302, "it is its own"
    as_owner.post(act("remove", one()))
    assert as_owner.post(act("correct", other), values).status_code == 302


def test_a_change_is_not_undone_where_another_one_says_that_by_now(as_owner, read):
    """The first is corrected, the second is corrected to what the first was; so with a removal."""
    values = dict(zip(("statement", "topic", "sentiment"), SMALL, strict=True))
    first, other = one(), one("seams rip after one wash")
    as_owner.post(act("correct", first), values | {"statement": "fits tight"})
    as_owner.post(act("correct", other), values | {"statement": "Runs small!"})
    page = as_owner.post(act("undo", first), headers=HX)
    assert page.status_code == 422
    assert page.text.count("Not undone: runs small. This text has that statement already.") == 1
    assert one().said == "fits tight"
    as_owner.post(act("remove", first))
    assert as_owner.post(act("undo", first)).status_code == 422
    assert one().is_removed
    as_owner.post(act("undo", other))
    assert as_owner.post(act("undo", first)).status_code == 302
    assert one().said == "runs small" and not one().is_removed


def test_what_was_added_comes_back_only_beside_others_that_count(as_owner, read):
    add = reverse("statement_add", args=[read.study.slug, read.pk, "reference"])
    sent = {"add-statement": "it shines", "add-topic": "appearance", "add-sentiment": "positive"}
    as_owner.post(add, sent)
    added = Statement.objects.get(run=None)
    as_owner.post(act("remove", added))
    run, _ = extract(read.study, lambda *_: reply(["It shines", "fit", "neutral"]), key="b")
    assert as_owner.post(act("undo", added)).status_code == 422
    Statement.objects.filter(run=run, side="reference").update(is_removed=True)
    assert as_owner.post(act("undo", added)).status_code == 302


def test_two_who_correct_at_once_make_no_repeat(read, owner):
    """The second form was checked before the first was saved."""
    first, other = one(), one("seams rip after one wash")
    values = {"statement": "it is short", "topic": "fit", "sentiment": "negative"}
    edit.correct(first.pk, values, owner)
    with pytest.raises(edit.Repeated):
        edit.correct(other.pk, values, owner)
    with pytest.raises(edit.Repeated):
        edit.add(read, "reference", REVIEW, values, owner)
    edit.correct(first.pk, values | {"statement": "It is short."}, owner)  # its own words


def test_only_texts_and_explanations_get_statements(as_owner, study):
    item = factories.make_item(study, "s", kind="statement", reference="It fits.")
    assert "Add a statement" not in as_owner.get(side(item)).text
    add = reverse("statement_add", args=[study.slug, item.pk, "reference"])
    sent = {"add-statement": "it fits", "add-topic": "fit", "add-sentiment": "positive"}
    assert as_owner.post(add, sent).status_code == 404
    assert not Statement.objects.exists()


@pytest.mark.parametrize(
    "wrong", [{"statement": " "}, {"statement": "..."}, {"topic": "smell"}, {"sentiment": "mixed"}]
)
def test_what_is_no_triplet_is_refused_and_says_why(as_owner, read, wrong):
    values = dict(zip(("statement", "topic", "sentiment"), SMALL, strict=True)) | wrong
    page = as_owner.post(act("correct", one()), values, headers=HX)
    assert page.status_code == 422
    assert "errorlist" in page.text
    add = reverse("statement_add", args=[read.study.slug, read.pk, "reference"])
    page = as_owner.post(add, {f"add-{name}": value for name, value in values.items()})
    assert page.status_code == 422
    assert Statement.objects.count() == 3 and not one().is_corrected


def test_the_form_of_a_statement_opens_in_its_place(as_owner, read):
    page = as_owner.get(f"{side(read)}?edit={one().pk}").text
    assert "Leave it" in page and "runs small</textarea>" in page
    assert "Leave it" not in as_owner.get(f"{side(read)}?edit=99999").text


def test_a_viewer_has_no_buttons(client, read, study):
    viewer = factories.make_user("viewer")
    study.memberships.create(user=viewer, role="viewer")
    client.force_login(viewer)
    for address in (side(read), reverse("statements", args=[study.slug])):
        page = client.get(address)
        assert page.status_code == 200 and "Remove" not in page.text


def test_another_study_s_statement_is_not_to_be_had(as_owner, read, owner):
    other = factories.make_study("other", owner)
    address = reverse("statement_remove", args=[other.slug, one().pk])
    assert as_owner.post(address).status_code == 404


def test_a_side_without_a_run_and_one_without_a_statement_say_so(as_owner, study):
    item = make_item(study, text="Great!", review="")
    assert "No run has read this text yet" in as_owner.get(side(item, "generated")).text
    assert "The item has no such text" in as_owner.get(side(item)).text
    extract(study, lambda *_: reply())
    assert "no statement was found in it" in as_owner.get(side(item, "generated")).text
    assert "neither a review nor a reference" in as_owner.get(side(item)).text
    wrong = side(item).replace("reference", "other")
    assert as_owner.get(wrong).status_code == 404


def test_another_run_can_be_looked_at_and_the_page_says_that_it_does_not_count(as_owner, read):
    first = Run.objects.get()
    second, _ = extract(read.study, lambda *_: reply(["is red", "appearance", "neutral"]), key="b")
    page = as_owner.get(side(read)).text
    assert "is red" in page and f"?run={first.pk}" in page
    page = as_owner.get(f"{side(read)}?run={first.pk}").text
    assert "is red" not in page and "these statements do not count: a newer run" in page
    there = as_owner.post(act("remove", one())).url
    assert there == f"{side(read)}?run={first.pk}#statements"


def test_an_item_with_another_text_since_says_so(as_owner, read):
    read.review = "Something else."
    read.save()
    page = as_owner.get(side(read)).text
    assert "The item has another text now" in page
    assert "runs small<sup>" in page


def test_what_is_locked_is_withheld(as_owner, read, study):
    splits.lock(study, 3, 0.99, "owner")
    assert splits.withheld(study) == {read.pk: read.key}
    page = as_owner.get(side(read)).text
    assert "withheld" in page and SEAMS[0] not in page
    assert as_owner.post(act("remove", one())).status_code == 404
    page = as_owner.get(reverse("statements", args=[study.slug])).text
    assert "Without 1 item of the locked test part" in page and SEAMS[0] not in page
    run = as_owner.get(Run.objects.get().get_absolute_url()).text
    assert "withheld" in run and SEAMS[0] not in run
    table = as_owner.get(reverse("export_table", args=[study.slug, "statements", "jsonl"]))
    assert b"".join(table.streaming_content) == b""


# All of a study


@pytest.fixture
def many(study):
    """Two systems; of c the reference is empty, of d the reply says nothing understood."""
    make_item(study, "a", system="s1")
    make_item(study, "b", text="The fabric is fine.", system="s2")
    make_item(study, "c", text="Great!", review="", system="s2")
    extract(study, saying({"runs small": [SMALL, SEAMS, SMALL], "fabric": [SOFT]}))
    return study


def test_counts_by_side_system_topic_sentiment_and_what_was_dropped(as_owner, many):
    page = " ".join(as_owner.get(reverse("statements", args=[many.slug])).text.split())
    row = "<td>{}</td><td>{}</td>" + '<td class="num">{}</td>' * 7
    assert row.format("Generated text", "s1", 1, 1, 1, "1.00", 1, 0, 0) in page
    assert row.format("Generated text", "s2", 2, 2, 1, "0.50", 1, 0, 0) in page
    assert row.format("Reference", "s1", 1, 1, 2, "2.00", 0, 2, 0) in page
    assert row.format("Reference", "s2", 2, 1, 2, "2.00", 0, 2, 0) in page
    topic = '<th scope="row">{}</th>' + '<td class="num">{}</td>' * 7
    assert topic.format("material", 2, 0, 0, 0, 0, 0, 2) in page
    assert topic.format("fit", 0, 0, 0, 0, 2, 0, 2) in page
    assert '<td>the same statement again</td><td class="num">0</td><td class="num">2</td>' in page
    assert "Reference not read of 1 item" in page
    page = as_owner.get(reverse("without_statements", args=[many.slug, "reference"])).text
    assert ">c</a>" in page and "neither a review nor a reference" in page
    assert (
        "read." in as_owner.get(reverse("without_statements", args=[many.slug, "generated"])).text
    )


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ("", 6),
        ("side=reference", 4),
        ("system=s1", 3),
        ("topic=fit", 2),
        ("sentiment=positive", 2),
        ("q=SEAMS", 2),
        ("state=removed", 0),
        ("state=as+extracted", 6),
        ("state=corrected", 0),
        ("state=added", 0),
        ("state=odd", 0),
        ("side=odd", 0),
        ("system=none", 0),
        ("q=%00", 6),
        ("side=reference&topic=fit&system=s2", 1),
    ],
)
def test_the_list_can_be_filtered(as_owner, many, query, count):
    page = as_owner.get(reverse("statements", args=[many.slug]) + "?" + query).text
    assert f"{count} statement{'s' * (count != 1)}. <a" in page


def test_the_list_filters_by_what_people_made_of_statements(as_owner, many, owner):
    first, second = Statement.objects.filter(statement="runs small").order_by("item__key")
    as_owner.post(
        act("correct", first),
        {"statement": "fits tight", "topic": "comfort", "sentiment": "neutral"},
    )
    as_owner.post(act("remove", second))
    there = reverse("statements", args=[many.slug])
    assert "5 statements." in as_owner.get(there).text
    assert "1 statement." in as_owner.get(there + "?topic=comfort&q=tight&state=corrected").text
    assert "1 statement." in as_owner.get(there + "?state=removed").text
    assert "0 statements." in as_owner.get(there + "?topic=fit").text


def test_pages_ask_the_database_as_much_however_many_there_are(
    as_owner, study, django_assert_num_queries, django_assert_max_num_queries
):
    make_item(study, "a")
    script = saying({"runs small": [SMALL, SEAMS], "fabric": [SOFT]})
    extract(study, script)
    there = reverse("statements", args=[study.slug])
    with django_assert_max_num_queries(20) as few:
        as_owner.get(there)
    for number in range(30):
        make_item(study, f"i{number}", text=f"The fabric {number}.", review="", system=f"s{number}")
    extract(study, script, key="again")
    with django_assert_num_queries(len(few)):
        as_owner.get(there)
    with django_assert_max_num_queries(14):
        as_owner.get(side(study.items.first()))
    with django_assert_max_num_queries(10):
        as_owner.get(reverse("without_statements", args=[study.slug, "reference"]))


def test_without_anything_the_page_says_where_statements_come_from(as_owner, study):
    page = as_owner.get(reverse("statements", args=[study.slug])).text
    assert "statements.csv" in page and "method=extraction" in page


def test_the_list_has_the_sides_that_each_run_speaks_for(as_owner, read, study):
    """A newer run of one side only leaves the older one the other."""
    extract(
        study, lambda *_: reply(["is red", "appearance", "neutral"]), key="b", sides="reference"
    )
    page = as_owner.get(reverse("statements", args=[study.slug])).text
    assert "2 statements. <a" in page and "is red" in page and SOFT[0] in page
    assert SEAMS[0] not in page


# A run


def test_the_run_s_page_shows_what_was_read(as_owner, read):
    run = Run.objects.get()
    page = as_owner.get(run.get_absolute_url()).text
    assert "<strong>3</strong>" not in page
    assert "<strong>2</strong> statements" in page
    assert "<strong>1</strong> statement<" in page
    assert "fit, material, comfort" in page
    drive.work_through(run.pk)
