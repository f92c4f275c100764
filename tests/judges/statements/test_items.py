"""Statement items: which are made, what they show, and that nothing with an answer ever changes."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.design.splits import lock, withheld
from annotate.files.loading.placing import want_raters
from annotate.models import Item, Membership, Study
from judges.models import Extraction, Run, Statement
from judges.statements import items
from judges.statements.counts import StatementSets
from judges.statements.items import current, make
from tests import factories
from tests.stated import GENERATED, REFERENCE, make_explained, make_factuality, read, state

pytestmark = pytest.mark.django_db
COMFORT, HEAT = ("It is comfortable.", "comfort", "positive"), ("it is hot", "comfort", "negative")
TRUTH = "The user appreciates that it is comfortable. However, the user dislikes that it is hot."


@pytest.fixture
def shoes(owner):
    return make_factuality(owner)


@pytest.fixture
def explained(shoes):
    """One statement in the explanation, two in the review: three items."""
    return make_explained(
        shoes,
        "e1",
        [COMFORT],
        [COMFORT, HEAT],
        text="You will love the comfort.",
        data={"domain": "clothes", "language": "en", "explaining_contents": "a|b"},
    )


def shown(study):
    """{(direction, text, document)} of the items that count."""
    return {(i.data["direction"], i.text, i.reference) for i in current(study)}


def test_each_statement_stands_beside_the_other_sides_text(shoes, explained):
    made = make(shoes)
    assert shown(shoes) == {
        ("precision", "The user appreciates that it is comfortable.", TRUTH),
        ("recall", "The user appreciates that it is comfortable.", "You will love the comfort."),
        ("recall", "The user dislikes that it is hot.", "You will love the comfort."),
    }
    assert (made.new, made.unchanged, made.outdated, made.explanations) == (3, 0, 0, 1)
    item = current(shoes).get(text__contains="hot")
    assert (item.kind, item.parent, item.recipient, item.content, item.system) == (
        "statement",
        None,
        explained.recipient,
        explained.content,
        explained.system,
    )
    assert item.data == {
        "explanation": "e1",
        "direction": "recall",
        "statement": "2",
        "topic": "comfort",
        "sentiment": "negative",
        "domain": "clothes",
        "language": "en",
    }
    assert set(item.places.values_list("number", "state")) == {(1, "open"), (2, "open")}


def test_the_document_is_composed_also_where_an_item_has_a_reference_of_its_own(shoes):
    make_explained(shoes, "own", [COMFORT], [COMFORT, HEAT], reference="Written by hand.")
    make(shoes)
    assert current(shoes).get(data__direction="precision").reference == TRUTH


def test_it_may_be_repeated_and_changes_nothing(shoes, explained):
    make(shoes)
    before = list(Item.objects.order_by("pk").values())
    loads = Study.objects.get().loads
    made = make(shoes)
    assert (made.new, made.unchanged, made.outdated) == (0, 3, 0)
    assert list(Item.objects.order_by("pk").values()) == before
    assert Study.objects.get().loads == loads == 1


def correct(said):
    row = Statement.objects.get(side=GENERATED)
    row.corrected_statement = said
    row.save()


def test_a_corrected_statement_makes_a_new_item_and_an_unrated_one_goes(shoes, explained):
    make(shoes)
    correct("it is cosy")
    made = make(shoes)
    assert (made.new, made.unchanged, made.outdated) == (1, 2, 1)
    assert {text for where, text, _ in shown(shoes) if where == "precision"} == {
        "The user appreciates that it is cosy."
    }
    assert shoes.items.filter(kind="statement").count() == 3


def test_one_with_a_rating_stays_as_it_is_outdated_without_open_places(shoes, explained):
    make(shoes)
    rated = current(shoes).get(data__direction="precision")
    session = factories.make_session(shoes)
    factories.make_rating(session, rated, shoes.questions.get(), 1)
    correct("it is cosy")
    assert make(shoes).outdated == 1
    now = Item.objects.get(pk=rated.pk)
    assert (now.key, now.text, now.reference) == (rated.key, rated.text, rated.reference)
    assert now.data == rated.data | {"outdated": "yes"} and not now.places.exists()
    assert rated not in current(shoes) and current(shoes).count() == 3
    shoes.raters_per_item = 5
    shoes.save()
    want_raters(shoes)
    assert not now.places.exists(), "no later change gives it places"
    assert make(shoes).outdated == 0, "it is said once"
    correct("")
    assert (make(shoes).new, current(shoes).count()) == (0, 3)
    now.refresh_from_db()
    assert now.data == rated.data and now.places.count() == 5, "the correction was undone"


def test_one_that_a_rater_holds_or_a_judge_has_answered_stays_too(shoes, explained):
    make(shoes)
    one, two, three = current(shoes).order_by("pk")
    session = factories.make_session(shoes, state="rating", source="link")
    held = {"state": "held", "session": session, "rater": session.rater, "position": 1}
    one.places.filter(number=1).update(**held)
    factories.make_judgments(factories.make_judge(shoes), {(two, shoes.questions.get()): 1})
    Statement.objects.update(corrected_statement="nothing is the same")
    assert make(shoes).outdated == 3
    assert set(Item.objects.filter(data__has_key="outdated")) == {one, two}
    assert list(one.places.values_list("state")) == [("held",)]
    assert not Item.objects.filter(pk=three.pk).exists()


def test_another_reference_statement_makes_other_documents(shoes, explained):
    make(shoes)
    Statement.objects.filter(side=REFERENCE, number=2).update(is_removed=True)
    made = make(shoes)
    assert (made.new, made.unchanged, made.outdated) == (1, 1, 2)
    assert current(shoes).get(data__direction="precision").reference == (
        "The user appreciates that it is comfortable."
    )


def test_a_corrected_topic_alone_keeps_the_item_and_its_answers(shoes, explained):
    make(shoes)
    item = current(shoes).get(data__direction="precision")
    Item.objects.filter(pk=item.pk).update(data=item.data | {"checked": "twice"})
    Statement.objects.filter(side=GENERATED).update(corrected_topic="fit")
    made = make(shoes)
    assert (made.new, made.unchanged, made.outdated) == (0, 3, 0)
    item.refresh_from_db()
    assert (item.data["topic"], item.data["checked"]) == ("fit", "twice")


def test_empty_sides_are_counted_and_get_no_items(shoes):
    make_explained(shoes, "both", [], [])
    make_explained(shoes, "no reference", [COMFORT], [])
    make_explained(shoes, "no generated", [], [HEAT])
    make_explained(shoes, "says nothing", [(" . ", "fit", "positive")], [HEAT])
    item = factories.make_item(shoes, "half read", review="Fine.")
    state(read(shoes), item, GENERATED, [COMFORT])
    blank = factories.make_item(shoes, "no review at all", review=" ")
    state(read(shoes), blank, GENERATED, [COMFORT])
    made = make(shoes)
    assert (made.explanations, made.both_empty, made.one_empty, made.unread) == (5, 1, 4, 1)
    assert made.new == 0 and not current(shoes).exists()
    assert str(made) == (
        "No statement items, of 5 items with statements. 1 with no statement on either side: their "
        "values are undefined. 4 with none on one side: their precision, recall and F1 are 0. "
        "1 of which only one side has been read."
    )


def test_the_newest_ended_run_speaks_and_practice_does_not(shoes, explained):
    newer = read(shoes)
    state(newer, explained, GENERATED, [HEAT])
    active = read(shoes)
    state(active, explained, GENERATED, [("it floats", "fit", "positive")])
    Run.objects.filter(pk=active.pk).update(state="active")
    practice = make_explained(shoes, "practice", [COMFORT], [COMFORT])
    Item.objects.filter(pk=practice.pk).update(is_practice=True)
    make(shoes)
    assert {text for where, text, _ in shown(shoes) if where == "precision"} == {
        "The user dislikes that it is hot."
    }
    assert {item.data["explanation"] for item in current(shoes)} == {"e1"}


def test_the_same_statement_twice_is_two_items_and_long_ids_fit(shoes):
    make_explained(shoes, "k" * 200, [COMFORT, COMFORT], [HEAT])
    make_explained(shoes, "k" * 199 + "x", [COMFORT], [HEAT])
    assert make(shoes).new == 3 + 2
    assert max(len(key) for key in current(shoes).values_list("key", flat=True)) <= 200


def test_three_hundred_statements_are_three_hundred_items(shoes, django_assert_max_num_queries):
    many = [(f"part {n} holds", "durability", "positive") for n in range(300)]
    make_explained(shoes, "long", many, many[:2])
    with django_assert_max_num_queries(60):
        assert make(shoes).new == 302


def test_a_study_without_statements_is_told(shoes):
    factories.make_item(shoes, "e1")
    with pytest.raises(ValueError, match="No text of this study has statements yet"):
        make(shoes)


def test_all_or_nothing(shoes, explained, monkeypatch):
    def fail(*_):
        raise RuntimeError

    monkeypatch.setattr(items, "give_places", fail)
    with pytest.raises(RuntimeError):
        make(shoes)
    assert not shoes.items.filter(kind="statement").exists()


def test_references_are_filled_where_asked_and_blank_only(shoes, explained):
    own = make_explained(shoes, "own", [COMFORT], [HEAT], reference="Written by hand.")
    make_explained(shoes, "no review", [COMFORT], [HEAT], review="", reference="It is hot.")
    make(shoes)
    assert not Item.objects.get(key="e1").reference
    made = make(shoes, fill_references=True)
    assert (made.references, made.references_kept) == (1, 2)
    assert Item.objects.get(key="e1").reference == TRUTH
    own.refresh_from_db()
    assert own.reference == "Written by hand."
    correct_all = Statement.objects.filter(side=REFERENCE)
    correct_all.update(corrected_statement="it is warm")
    assert make(shoes, fill_references=True).references == 0, "a reference is never changed"


def test_a_chinese_study_says_it_in_chinese(owner):
    study = make_factuality(owner, language="zh-hans")
    make_explained(study, "e1", [("面料柔软", "material", "positive")], [HEAT])
    make(study)
    assert current(study).get(data__direction="precision").text == "用户喜欢的是：面料柔软。"


def command(*arguments):
    out = StringIO()
    call_command("make_statement_items", *arguments, stdout=out)
    return out.getvalue()


def test_the_command_says_what_was_made(shoes, explained):
    assert command("shoes") == "3 new statement items, of 1 item with statements.\n"
    assert "3 as they were" in command("shoes", "--fill-references")
    assert Item.objects.get(key="e1").reference == TRUTH
    with pytest.raises(CommandError, match="There is no study 'boots'"):
        command("boots")
    make_factuality(slug="empty")
    with pytest.raises(CommandError, match="No text of this study has statements"):
        command("empty")


# The page


def press(client, **data):
    return client.post(reverse("make_statement_items", args=["shoes"]), data, follow=True)


def test_the_button_stands_on_the_page_of_statements_and_says_what_it_made(as_owner, explained):
    page = as_owner.get(reverse("statements", args=["shoes"])).content.decode()
    assert "There are no statement items yet." in page and "Make statement items" in page
    page = press(as_owner).content.decode()
    assert "3 new statement items, of 1 item with statements." in page
    assert "3 statement items so far" in page
    assert not Item.objects.get(key="e1").reference
    press(as_owner, references="on")
    assert Item.objects.get(key="e1").reference == TRUTH


def test_a_viewer_sees_it_without_the_button(shoes, explained, as_stranger, stranger):
    address = reverse("statements", args=["shoes"])
    Membership.objects.create(study=shoes, user=stranger, role=Membership.Role.VIEWER)
    page = as_stranger.get(address).content.decode()
    assert "Checking statements" in page and "Make statement items" not in page


def test_without_statements_the_button_says_why_not(as_owner, shoes):
    assert "No text of this study has statements yet" in press(as_owner).content.decode()


# What stays as it is


def test_a_locked_test_part_gets_no_items_and_keeps_those_it_has(shoes):
    for n in range(8):
        make_explained(shoes, f"e{n}", [COMFORT], [COMFORT], recipient=f"r{n}")
    make(shoes)
    lock(shoes, 1, 0.5, "owner")
    hidden = withheld(shoes)
    explanations = sorted(key for key in hidden.values() if " · " not in key)
    before = list(Item.objects.filter(pk__in=hidden).order_by("pk").values())
    Statement.objects.update(corrected_statement="it is cosy")
    made = make(shoes, fill_references=True)
    assert explanations and made.withheld == len(explanations) == 8 - made.explanations
    assert made.new == made.outdated == 2 * made.explanations
    assert list(Item.objects.filter(pk__in=withheld(shoes)).order_by("pk").values()) == before
    assert f"{len(explanations)} of the locked test part, left as they are" in str(made)
    Item.objects.exclude(key__in=explanations).delete()
    with pytest.raises(ValueError, match="belong to the locked test part"):
        make(shoes)


def test_a_question_of_every_kind_has_to_say_of_which(shoes, explained, as_owner):
    asked = factories.make_question(shoes, "convincing", text="Does it convince you?")
    with pytest.raises(CommandError, match="of every kind, of statements too: convincing. Say of"):
        command("shoes")
    assert "of every kind, of statements too: convincing." in press(as_owner).content.decode()
    assert not current(shoes).exists()
    asked.retired = True
    asked.save()
    assert make(shoes).new == 3


def test_loaded_items_of_explanations_without_statements_stay(shoes, explained):
    other = make_explained(shoes, "e2", [COMFORT], [HEAT])
    make(shoes)
    Extraction.objects.filter(item=other).delete()
    Statement.objects.filter(item=other).delete()
    assert make(shoes).outdated == 0
    assert current(shoes).filter(data__explanation="e2").count() == 2


def test_a_statement_item_has_no_statements_of_its_own(shoes, explained):
    make(shoes)
    one = current(shoes).order_by("pk").first()
    state(read(shoes), one, GENERATED, [COMFORT])
    state(read(shoes), one, REFERENCE, [COMFORT])
    assert (make(shoes).new, current(shoes).count()) == (0, 3)


BLANKS = ["\u00a0", "\u2007", "\u202f", "\u0085", "\x1c", "\u3000 \n", ""]


@pytest.mark.parametrize("blank", BLANKS)
def test_a_text_of_any_blanks_says_nothing_on_every_database(shoes, blank):
    """Texts need not be read to know it; PostgreSQL's \\s would not take an unbreakable space."""
    none = {"text": blank, "review": blank, "reference": blank}
    item = factories.make_item(shoes, "nothing", **none)
    state(read(shoes), factories.make_item(shoes, "other"), GENERATED, [COMFORT])
    Extraction.objects.filter(item=item).delete()
    known = StatementSets(shoes).counts_by_item[item.pk]
    assert known == {("bare", GENERATED): 1, ("bare", REFERENCE): 1}


def test_a_text_with_a_letter_or_without_width_is_not_blank(shoes):
    for key, text in {"letter": "\u00a0a", "zero width": "\u200b"}.items():
        factories.make_item(shoes, key, text=text, review=text, reference=text)
    assert not StatementSets(shoes).counts_by_item
