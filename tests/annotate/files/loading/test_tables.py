"""From rows to the database: all or nothing, and the same files twice change nothing."""

import pytest
from django.db import IntegrityError, transaction

from annotate.models import Content, Interaction, Item, Place, Rating, Session, Study
from tests import factories
from tests.files import ITEMS, RATINGS, STUDY, check, load, messages

pytestmark = pytest.mark.django_db


def test_a_study_is_loaded_with_what_its_items_name(tmp_path):
    loading = load(tmp_path, items=ITEMS)
    assert messages(loading) == []
    study = Study.objects.get(slug="films")
    item = Item.objects.get(study=study, key="e2")
    assert (item.kind, item.text, item.data) == (
        "explanation",
        "Slow, and quiet.",
        {"length": "long"},
    )
    assert (item.recipient.key, item.content.key, item.system.key) == ("anna", "film-1", "personal")
    assert list(study.questions.values_list("key", "required")) == [
        ("persuasiveness", True),
        ("fits", True),
        ("why", False),
    ]


@pytest.mark.parametrize("blank", ["", "  ", '" \n"'])
def test_an_item_of_kind_text_without_text_is_refused_with_its_place(tmp_path, blank):
    items = f"item,kind,text\nt1,text,Some words.\nt2,text,{blank}\nt3,explanation,\n"
    assert messages(check(tmp_path, items=items)) == [
        "items.csv, line 3, column text: found a blank cell; allowed is some text, as 't2' is of "
        "kind text"
    ]
    # The study's own kind counts where the row names none, and a missing column is blank too.
    of_texts = STUDY.replace("title: Films", "title: Films\nkind: text")
    missing = messages(check(tmp_path, study=of_texts, items="item,system\nt1,a\n"))
    assert any("items.csv, line 2, column text: found a blank cell" in line for line in missing)
    assert not Study.objects.exists()


def test_a_text_cannot_be_emptied_by_a_later_file_but_may_be_left_out_of_it(tmp_path):
    items = "item,kind,content,text,group\nt1,text,f1,Some words.,a\n"
    assert messages(load(tmp_path, items=items)) == []
    emptied = check(tmp_path, items=items.replace("Some words.", ""))
    assert any("column text: found a blank cell" in line for line in messages(emptied))
    assert messages(load(tmp_path, items="item,kind,content,group\nt1,text,f1,b\n")) == []
    item = Item.objects.get(key="t1")
    assert (item.text, item.data) == ("Some words.", {"group": "b"})


def test_every_item_gets_its_open_places(tmp_path):
    load(tmp_path, items=ITEMS)
    places = Place.objects.order_by("item__key", "number")
    assert list(places.values_list("item__key", "number", "state")) == [
        ("e1", 1, "open"),
        ("e1", 2, "open"),
        ("e2", 1, "open"),
        ("e2", 2, "open"),
    ]


def test_places_are_drawn_the_same_in_every_load(tmp_path):
    load(tmp_path, items=ITEMS)
    first = set(Place.objects.values_list("item__key", "shuffle"))
    Study.objects.all().delete()
    load(tmp_path, items=ITEMS)
    assert set(Place.objects.values_list("item__key", "shuffle")) == first
    assert len({shuffle for _, shuffle in first}) == 2


def test_ratings_fill_places_of_one_completed_session_a_rater(tmp_path):
    load(tmp_path, items=ITEMS, ratings=RATINGS)
    assert list(Session.objects.values_list("rater__key", "state", "source")) == [
        ("ann", "completed", "file"),
        ("bob", "completed", "file"),
    ]
    places = Place.objects.order_by("item__key", "number")
    assert list(places.values_list("item__key", "state", "rater__key")) == [
        ("e1", "filled", "ann"),
        ("e1", "filled", "bob"),
        ("e2", "filled", "ann"),
        ("e2", "open", None),
    ]
    assert list(Rating.objects.for_analysis().order_by("id").values_list("value", flat=True)) == [
        4,
        2,
        5,
    ]


def test_more_ratings_than_places_make_more_places(tmp_path):
    more = RATINGS + "e1,cid,,persuasiveness,1\ne1,dan,,persuasiveness,1\n"
    load(tmp_path, items=ITEMS, ratings=more)
    filled = Place.objects.filter(item__key="e1", state="filled")
    assert sorted(filled.values_list("number", flat=True)) == [1, 2, 3, 4]


def test_later_ratings_take_the_open_places(tmp_path):
    load(tmp_path, items=ITEMS)
    load(tmp_path, items=ITEMS, ratings=RATINGS)
    places = Place.objects.order_by("item__key", "number")
    assert list(places.values_list("number", "state")) == [
        (1, "filled"),
        (2, "filled"),
        (1, "filled"),
        (2, "open"),
    ]
    assert list(places.values_list("rater__key", "session__rater__key")) == [
        ("ann", "ann"),
        ("bob", "bob"),
        ("ann", "ann"),
        (None, None),
    ]


def test_more_raters_per_item_make_more_places_and_fewer_close_the_open_ones(tmp_path):
    load(tmp_path, items=ITEMS, ratings=RATINGS)
    load(tmp_path, study=STUDY.replace("raters_per_item: 2", "raters_per_item: 4"))
    assert Place.objects.count() == 8
    load(tmp_path, study=STUDY.replace("raters_per_item: 2", "raters_per_item: 1"))
    # e1 keeps its two filled places, e2 its filled one.
    assert Place.objects.count() == 3


def test_loading_the_same_files_again_changes_nothing(tmp_path):
    files = {
        "items": ITEMS,
        "ratings": RATINGS,
        "contents": "content,title,topics\nfilm-1,The Salt Road,a|b\n",
        "interactions": "recipient,content,rating\nanna,film-2,4.5\n",
    }
    load(tmp_path, **files)
    rows = {model: list(model.objects.values()) for model in (Study, Item, Rating, Place, Content)}
    again = load(tmp_path, **files)
    assert messages(again) == []
    assert {t: (c.new, c.changed) for t, c in again.counts.items()} == dict.fromkeys(
        ("study", "questions", "contents", "interactions", "items", "ratings"), (0, 0)
    )
    assert {model: list(model.objects.values()) for model in rows} == rows


def test_a_check_writes_nothing(tmp_path):
    loading = check(tmp_path, items=ITEMS, ratings=RATINGS)
    assert (loading.counts["items"].new, loading.counts["ratings"].new) == (2, 3)
    assert not Study.objects.exists()


def test_json_lines_load_like_csv(tmp_path):
    items = '{"item": "e1", "text": "Because.", "genres": ["a", "b"]}\n'
    loading = load(tmp_path, suffix=".jsonl", items=items)
    assert messages(loading) == []
    assert Item.objects.get().data == {"genres": ["a", "b"]}


def test_html_is_kept_as_the_text_it_is(tmp_path):
    load(tmp_path, items="item,text\ne1,<script>alert(1)</script>\n")
    assert Item.objects.get().text == "<script>alert(1)</script>"


def test_a_formula_in_a_text_is_kept_as_text(tmp_path):
    assert messages(load(tmp_path, items="item,text\ne1,=1+1\n")) == []
    assert Item.objects.get().text == "=1+1"


def test_text_answers_are_kept_as_text(tmp_path):
    load(tmp_path, items=ITEMS, ratings="item,rater,question,value\ne1,ann,why,-- so --\n")
    assert Rating.objects.values_list("value", "text").get() == (None, "-- so --")


# Changes


def test_new_rows_are_added_and_changed_texts_without_answers_replaced(tmp_path):
    load(tmp_path, items=ITEMS)
    changed = ITEMS.replace("Because you", "As you") + "e3,anna,film-3,template,New.,short\n"
    counts = load(tmp_path, items=changed).counts["items"]
    assert (counts.new, counts.changed, counts.unchanged) == (1, 1, 1)
    assert Item.objects.get(key="e1").text == "As you like films."
    assert Place.objects.filter(item__key="e3").count() == 2


def test_columns_that_the_file_lacks_stay_as_they_are(tmp_path):
    load(tmp_path, items=ITEMS)
    load(tmp_path, items="item,text,year\ne1,New text.,2024\n")
    item = Item.objects.get(key="e1")
    assert (item.text, item.system.key) == ("New text.", "template")
    assert item.data == {"length": "short", "year": "2024"}


def test_changed_texts_of_answered_items_are_refused_with_their_ids(tmp_path):
    load(tmp_path, items=ITEMS, ratings=RATINGS)
    loading = load(tmp_path, items=ITEMS.replace("Because you", "As you"))
    assert "items.csv, line 2, column text: item 'e1' has answers already" in messages(loading)[0]
    assert Item.objects.get(key="e1").text == "Because you like films."


def test_extra_columns_of_answered_items_may_change(tmp_path):
    load(tmp_path, items=ITEMS, ratings=RATINGS)
    assert messages(load(tmp_path, items=ITEMS.replace("short", "tiny"))) == []
    assert Item.objects.get(key="e1").data == {"length": "tiny"}


def test_texts_in_the_hands_of_a_rater_at_work_stay_as_they_are(tmp_path):
    load(tmp_path, items=ITEMS)
    session = factories.make_session(Study.objects.get(), "ann", state=Session.State.RATING)
    place = Place.objects.filter(item__key="e1").first()
    place.state, place.rater, place.session = Place.State.HELD, session.rater, session
    place.save()
    loading = load(tmp_path, items=ITEMS.replace("Because you", "As you"))
    assert "item 'e1' has answers already or is being rated" in messages(loading)[0]


def test_changed_contents_of_answered_items_are_refused(tmp_path):
    contents = "content,title,year\nfilm-1,The Film,1999\nfilm-2,Another,1999\n"
    load(tmp_path, contents=contents, items=ITEMS, ratings=RATINGS)
    changed = contents.replace("The Film", "A Film").replace("Another", "Other")
    loading = load(tmp_path, contents=changed)
    assert (
        "contents.csv, line 2, column title: items of the content 'film-1'" in messages(loading)[0]
    )
    assert len(messages(loading)) == 1
    assert Content.objects.get(key="film-1").title == "The Film"


def test_a_content_that_was_only_named_may_be_described_later(tmp_path):
    load(tmp_path, items=ITEMS, ratings=RATINGS)
    assert messages(load(tmp_path, contents="content,title\nfilm-1,The Film\n")) == []
    assert Content.objects.get(key="film-1").title == "The Film"


def test_extra_columns_of_contents_of_answered_items_may_change(tmp_path):
    contents = "content,title,year\nfilm-1,The Film,1999\n"
    load(tmp_path, contents=contents, items=ITEMS, ratings=RATINGS)
    assert messages(load(tmp_path, contents=contents.replace("1999", "2001"))) == []
    assert Content.objects.get(key="film-1").data == {"year": "2001"}


def test_a_changed_rating_is_refused_with_both_values(tmp_path):
    load(tmp_path, items=ITEMS, ratings=RATINGS)
    loading = load(tmp_path, items=ITEMS, ratings=RATINGS.replace("ness,4", "ness,3"))
    assert "line 2, column value: found 3, but this rating is 4 already" in messages(loading)[0]


def test_a_changed_questionnaire_is_refused_once_there_are_answers(tmp_path):
    load(tmp_path, items=ITEMS)
    changed = STUDY.replace("convincing", "clear")
    assert messages(load(tmp_path, study=changed)) == []
    load(tmp_path, study=changed, items=ITEMS, ratings=RATINGS)
    loading = load(tmp_path, study=STUDY)
    assert "found changes of persuasiveness; the questionnaire is frozen" in messages(loading)[0]


def test_title_and_instructions_may_change_at_any_time(tmp_path):
    load(tmp_path, items=ITEMS, ratings=RATINGS)
    assert messages(load(tmp_path, study=STUDY + "instructions: Read.\n")) == []
    assert Study.objects.get().instructions == "Read."


def test_a_rater_who_answered_here_gets_no_ratings_from_a_file(tmp_path):
    load(tmp_path, items=ITEMS)
    study = Study.objects.get()
    factories.make_session(study, "ann", source=Session.Source.WEB)
    loading = load(tmp_path, items=ITEMS, ratings=RATINGS)
    assert "rater 'ann' answered on the web pages" in messages(loading)[0]


# Lists


def test_children_of_a_list_pair_are_loaded_below_it(tmp_path):
    items = (
        "item,kind,content,system,parent,side,position\n"
        "c1,recommendation,ep-1,x,pair,A,1\n"
        "pair,list_pair,,,,,\n"
    )
    assert messages(load(tmp_path, items=items)) == []
    child = Item.objects.get(key="c1")
    assert (child.parent.key, child.side, child.position) == ("pair", "A", 1)
    assert set(Place.objects.values_list("item__key", flat=True)) == {"pair"}
    rated = "item,rater,question,value\nc1,ann,persuasiveness,4\n"
    assert messages(load(tmp_path, items=items, ratings=rated)) == []
    assert Place.objects.get(state="filled").item.key == "pair"


@pytest.mark.parametrize("parent", ["nobody", "c1", "c2"])
def test_a_parent_is_an_item_without_a_parent(tmp_path, parent):
    items = (
        f"item,kind,parent\nc1,recommendation,{parent}\nc2,recommendation,pair\npair,list_pair,\n"
    )
    assert f"line 2, column parent: found '{parent}'" in messages(load(tmp_path, items=items))[0]
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    "rows, said",
    [
        (
            "c1,recommendation,x,A\nx,profile,,\n",
            "column parent: found 'x', a profile; allowed",
        ),
        ("c1,recommendation,x,\nx,list_pair,,\n", "column side: is blank; allowed is A or B"),
    ],
)
def test_a_part_stands_on_a_side_of_a_pair(tmp_path, rows, said):
    items = f"item,kind,parent,side\n{rows}"
    assert f"line 2, {said}" in messages(load(tmp_path, items=items))[0]


def test_ratings_keep_what_stood_first(tmp_path):
    rated = "item,rater,question,value,first_side\ne1,ann,persuasiveness,4,B\ne2,ann,fits,1,\n"
    assert messages(load(tmp_path, items=ITEMS, ratings=rated)) == []
    assert list(Rating.objects.order_by("item").values_list("first_side", flat=True)) == ["B", ""]


# Bad rows

BAD_RATINGS = {
    "unknown item": ("e9,ann,,fits,1", "column item: found 'e9'; allowed is the id of a loaded"),
    "unknown question": (
        "e1,ann,,charm,1",
        "column question: found 'charm'; allowed is one of persuasiveness, fits, why",
    ),
    "off the scale": ("e1,ann,,fits,2", "found '2'; allowed is a whole number from 0 to 1"),
    "half a point": ("e2,bob,,persuasiveness,3.5", "allowed is a whole number from 1 to 5"),
    "formula": ("e1,ann,,fits,=1", "column value: found '=1'; allowed is a whole number"),
    "no value": ("e1,ann,,fits,", "column value: this cell is empty"),
    "two values": ("e1,ann,,fits,0;1", "found '0;1'"),
    "role": ("e1,ann,boss,fits,1", "column role: found 'boss'; allowed is one of recipient"),
    "other role": ("e2,ann,expert,fits,1", "found expert for rater 'ann', who is third_party on"),
    "twice": ("e1,ann,,persuasiveness,4", "on question 'persuasiveness' stands on line 2 already"),
}


@pytest.mark.parametrize("row, message", BAD_RATINGS.values(), ids=BAD_RATINGS)
def test_a_bad_rating_is_named_and_nothing_is_written(tmp_path, row, message):
    loading = load(tmp_path, items=ITEMS, ratings=RATINGS + row + "\n")
    assert len(messages(loading)) == 1
    assert messages(loading)[0].startswith("ratings.csv, line 5")
    assert message in messages(loading)[0]
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    "files, message",
    [
        ({"items": ITEMS + "e1,,,,again,\n"}, "line 4: item 'e1' stands on line 2 already"),
        ({"contents": "content\na\na\n"}, "content 'a' stands on line 2 already"),
        (
            {"interactions": "recipient,content\na,b\na,b\n"},
            "line 3: the interaction of 'a' with 'b' stands on line 2 already",
        ),
        ({"interactions": "recipient,content,share_listened\na,b,60\n"}, "a number from 0 to 1"),
        ({"items": "item,system\na,b\n"}, "found neither a column text nor content"),
    ],
)
def test_other_bad_rows_are_named_and_nothing_is_written(tmp_path, files, message):
    loading = load(tmp_path, **files)
    assert len(messages(loading)) == 1
    assert message in messages(loading)[0]
    assert not Study.objects.exists()


def test_a_question_is_only_answered_where_it_is_asked(tmp_path):
    study = STUDY.replace("scale: binary", "scale: binary, applies_to: profile")
    loading = load(
        tmp_path, study=study, items=ITEMS, ratings="item,rater,question,value\ne1,a,fits,1\n"
    )
    assert "which is not asked of the item's kind, explanation" in messages(loading)[0]


def test_a_new_study_needs_questions(tmp_path):
    assert "a new study needs questions" in messages(load(tmp_path, study="study: films\n"))[0]


def test_looking_up_what_is_there_takes_a_query_a_batch_not_a_row(
    tmp_path, django_assert_max_num_queries
):
    items = "item,text\n" + "".join(f"i{n},text {n}\n" for n in range(900))
    ratings = "item,rater,question,value\n" + "".join(f"i{n},ann,fits,1\n" for n in range(900))
    load(tmp_path, items=items, ratings=ratings)
    with django_assert_max_num_queries(40):
        load(tmp_path, items=items, ratings=ratings)


def test_one_interaction_with_a_content_may_lack_its_time(tmp_path):
    rows = "recipient,content,at\nr1,c1,\nr1,c1,2024-05-01\nr1,c2,\n"
    for _ in range(2):
        load(tmp_path, items=ITEMS, interactions=rows)
    assert Interaction.objects.count() == 3
    old = Interaction.objects.get(content__key="c2")
    with pytest.raises(IntegrityError), transaction.atomic():
        Interaction.objects.create(
            study=old.study, recipient=old.recipient, content=old.content, at=None
        )


def test_a_pair_of_which_a_part_has_answers_stays_as_it_is(tmp_path):
    items = (
        "item,kind,recipient,content,parent,side,position\n"
        "pair,list_pair,anna,,,,\n"
        "c1,recommendation,,ep-1,pair,A,1\n"
    )
    rated = "item,rater,question,value\nc1,ann,persuasiveness,4\n"
    assert messages(load(tmp_path, items=items, ratings=rated)) == []
    loading = load(tmp_path, items=items.replace("anna", "bob"))
    assert "column recipient: item 'pair' has answers already" in messages(loading)[0]
    assert Item.objects.get(key="pair").recipient.key == "anna"
