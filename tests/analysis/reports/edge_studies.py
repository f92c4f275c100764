"""Studies at the edge: of which a report can say little, each small enough to be computed at once.

EDGES: {what is odd about it: owner -> the study}; all have the slug "edge".
"""

from annotate.models import Item, Rater, Rating
from judges.models import Judgment
from tests import factories

CHOICE, LISTS = {"choice": ["calm", "loud", "odd"]}, {"choice": ["A", "tie", "B"]}


def make(owner, scales=("likert5",), items=8, raters=("ann", "bob"), judges=("warm", "cold")):
    """Items of four recipients and two systems; everybody answers every question."""
    study = factories.make_study("edge", owner, questions={})
    for at in range(items):
        data = {"genre": "drama" if at % 3 else "comedy"}
        factories.make_item(study, f"i{at}", f"r{at // 2}", f"c{at}", f"s{at % 2}", data=data)
    for position, scale in enumerate(scales):
        factories.make_question(study, f"q{position}", scale, position=position)
    for number, name in enumerate(raters):
        rate(study, name, number)
    for number, name in enumerate(judges):
        judge(study, name, number + len(raters))
    return study


def value_of(question, place, number):
    """Some answer on the scale, which differs by item and by who gives it."""
    scale, at = question.scale, place * 3 + place // 4 + number * (place % 2)
    if scale.low is None:
        return 0.5 * (at % 9)
    return scale.low + at * max(1, (scale.high - scale.low) // 9) % (scale.high - scale.low + 1)


def rate(study, name, number, **fields):
    session = factories.make_session(study, name, **fields)
    for question in study.questions.all():
        is_text = question.scale.kind == "text"
        for place, item in enumerate(study.items.order_by("pk")):
            said = None if is_text else value_of(question, place, number)
            words = {"text": "Too long."} if is_text else {}
            factories.make_rating(session, item, question, said, **words)


def judge(study, name, number, endpoint=None, **fields):
    """The run of a judge that has answered everything that is no text."""
    questions = [q for q in study.questions.all() if q.scale.kind != "text"]
    values = {
        (item, question): value_of(question, place, number)
        for question in questions
        for place, item in enumerate(study.items.order_by("pk"))
    }
    return factories.make_judgments(factories.make_judge(study, name, endpoint, **fields), values)


def no_ratings(owner):
    return make(owner, raters=())


def nothing_at_all(owner):
    return make(owner, raters=(), judges=())


def one_rater(owner):
    return make(owner, raters=("ann",))


def one_recipient(owner):
    study = make(owner)
    study.items.update(recipient=study.recipients.first())
    return study


def neither_recipients_nor_systems(owner):
    study = make(owner)
    study.items.update(recipient=None, content=None, system=None)
    return study


def all_ratings_equal(owner):
    study = make(owner)
    Rating.objects.update(value=4)
    return study


def everything_equal(owner):
    study = all_ratings_equal(owner)
    Judgment.objects.update(value=4)
    return study


def one_judge(owner):
    return make(owner, judges=("warm",))


def no_judge(owner):
    return make(owner, judges=())


def a_judge_that_failed(owner):
    study = make(owner)
    failed = Judgment.objects.filter(run__judge__key="warm")
    failed.update(state="failed", value=None, reason="timed out")
    return study


def all_judges_failed(owner):
    study = make(owner)
    Judgment.objects.update(state="failed", value=None, reason="timed out")
    return study


def a_judge_that_was_never_asked(owner):
    """Nothing could be shown beside its items, so that no call was made."""
    study = make(owner)
    judge(study, "shy", 5, factories.make_endpoint(), shots="personalised")
    unasked = Judgment.objects.filter(run__judge__key="shy")
    unasked.update(state="not_asked", value=None, reason="no example")
    return study


def a_judge_with_weighted_values(owner):
    study = make(owner)
    run = judge(study, "odds", 5, factories.make_endpoint(), weighted=True)
    run.judgments.update(weighted_value=3.25, weighted_mass=0.9)
    run.judgments.filter(value__gt=2).update(weighted_value=4.5)
    return study


def three_items(owner):
    return make(owner, items=3)


def one_item(owner):
    return make(owner, items=1)


def texts_only(owner):
    return make(owner, scales=("text",))


def yes_or_no(owner):
    return make(owner, scales=("binary",))


def words_to_choose(owner):
    return make(owner, scales=(CHOICE,))


def numbers_without_ends(owner):
    return make(owner, scales=("number",))


def every_scale(owner):
    scales = ("likert5", "likert7", "binary", CHOICE, "number", "slider", "text")
    return make(owner, scales=scales, items=4)


def a_long_scale(owner):
    return make(owner, scales=({"min": 0, "max": 100},))


def pairs_of_lists_that_tie(owner):
    """Two systems; people and one judge tie throughout, the other judge never does."""
    study = factories.make_study("edge", owner, questions={}, kind="list_pair")
    better = factories.make_question(study, "better", LISTS, applies_to=["list_pair"])
    for at in range(4):
        own = {"kind": Item.Kind.LIST_PAIR}
        pair = factories.make_item(study, f"pair-{at}", f"r{at}", None, None, **own)
        for side, system in (("A", "tower"), ("B", "popular")):
            factories.make_item(
                study,
                f"pair-{at}-{side}",
                f"r{at}",
                f"c-{at}-{side}",
                system,
                kind=Item.Kind.RECOMMENDATION,
                parent=pair,
                side=side,
                position=1,
            )
    pairs = list(study.items.filter(kind="list_pair"))
    for name in ("ann", "bob"):
        session = factories.make_session(study, name, Rater.Role.RECIPIENT)
        for pair in pairs:
            factories.make_rating(session, pair, better, 2)
    for name, said in (("ties", [2, 2]), ("sure", [1, 3])):
        values = {(pair, better): said[at % 2] for at, pair in enumerate(pairs)}
        factories.make_judgments(factories.make_judge(study, name), values)
    return study


def much_is_missing(owner):
    study = make(owner, scales=("likert5", "likert5"), raters=("ann", "bob", "cem"))
    pks = list(Rating.objects.order_by("pk").values_list("pk", flat=True))
    Rating.objects.filter(pk__in=pks[::2]).delete()
    pks = list(Judgment.objects.order_by("pk").values_list("pk", flat=True))
    Judgment.objects.filter(pk__in=pks[::3]).update(
        state="unparsable", value=None, reason="no JSON"
    )
    Judgment.objects.filter(pk__in=pks[1::6]).delete()
    return study


def a_question_nobody_answered(owner):
    study = make(owner)
    factories.make_question(study, "unasked", position=9)
    return study


def one_rater_excluded(owner):
    study = make(owner)
    Rater.objects.filter(key="bob").update(excluded_because="Too fast.")
    return study


def everybody_excluded(owner):
    study = make(owner)
    Rater.objects.update(excluded_because="Too fast.")
    return study


def a_judge_that_is_nearly_right(owner):
    """Of 315 items 15 are labelled, all as the judge says; the rest it finds nearly alike."""
    study = factories.make_study("edge", owner, questions={})
    question = factories.make_question(study, "q0")
    factories.make_items(study, 315)
    items, session = list(study.items.order_by("pk")), factories.make_session(study, "ann")
    values = {(item, question): 3 + (at < 7) for at, item in enumerate(items[15:])}
    for at, item in enumerate(items[:15]):
        values[item, question] = 1 + at % 5
        factories.make_rating(session, item, question, 1 + at % 5)
    factories.make_judgments(factories.make_judge(study, "warm"), values)
    return study


EDGES = {
    make.__name__.replace("_", " "): make
    for make in (
        no_ratings,
        nothing_at_all,
        one_rater,
        one_recipient,
        neither_recipients_nor_systems,
        all_ratings_equal,
        everything_equal,
        one_judge,
        no_judge,
        a_judge_that_failed,
        all_judges_failed,
        a_judge_that_was_never_asked,
        a_judge_with_weighted_values,
        three_items,
        one_item,
        texts_only,
        yes_or_no,
        words_to_choose,
        numbers_without_ends,
        every_scale,
        a_long_scale,
        pairs_of_lists_that_tie,
        much_is_missing,
        a_question_nobody_answered,
        one_rater_excluded,
        everybody_excluded,
        a_judge_that_is_nearly_right,
    )
}
