"""A load is taken back: its rows go, but for those that somebody has used since."""

import pytest

from analysis.answers.ensembles import judges_of
from annotate.design.access import make_owner
from annotate.models import (
    Content,
    FileLoad,
    Item,
    Place,
    Rater,
    Rating,
    Recipient,
    Session,
    StoppingPlan,
    Study,
    System,
)
from judges.files import load_files
from judges.models import Judge, JudgeStep, Judgment, Run
from judges.removal import delete, purge
from judges.runs.promised import Refused
from judges.uploads import undo
from tests import factories
from tests.files import ITEMS, JUDGMENTS, RATINGS, load, messages, write

pytestmark = pytest.mark.django_db
EMPTY = (Item, Content, Recipient, System, Rater, Session, Rating, Place, Judgment, Judge, Run)


def counts():
    return {model.__name__: model.objects.count() for model in EMPTY}


def load_into(folder, **tables):
    """Load tables into the study films."""
    _, paths = write(folder, study=None, **tables)
    loading = load_files(None, paths, slug="films")
    assert messages(loading) == []
    return loading


def undone(load_, user):
    """Take the load back as the page does; what the preview promised is what goes."""
    before = counts()
    promised = undo.preview(load_)
    assert counts() == before
    done = undo.undo(load_, user)
    assert (done.going, done.staying) == (promised.going, promised.staying)
    return done


def test_everything_that_one_load_brought_goes(tmp_path, owner):
    loading = load(tmp_path, items=ITEMS, ratings=RATINGS, judgments=JUDGMENTS)
    assert messages(loading) == []
    done = undone(FileLoad.objects.get(), owner)
    assert done.staying == ["The verdict still counts this judge among those that were tried."]
    assert done.going == {
        "judgments": 2,
        "judges": 1,
        "ratings": 3,
        "items": 2,
        "raters": 2,
        "contents": 1,
        "recipients": 1,
        "systems": 2,
    }
    assert set(counts().values()) == {0}
    assert Study.objects.get().questions.count() == 3
    # The log keeps it, and nobody can do it twice.
    log = FileLoad.objects.get()
    assert (log.undone_by, log.undone["items"]) == ("owner", 2)
    assert undo.undo(log, owner) is None
    # The same files load again as if nothing had been.
    again = load(tmp_path, items=ITEMS, ratings=RATINGS, judgments=JUDGMENTS)
    assert messages(again) == []
    assert Rating.objects.count() == 3


def test_a_judge_whose_load_is_undone_leaves_its_trace_in_the_family(tmp_path, owner):
    load(tmp_path, items=ITEMS, ratings=RATINGS, judgments=JUDGMENTS)
    judge = Judge.objects.get()
    questions = set(Judgment.objects.values_list("question__key", flat=True))
    undone(FileLoad.objects.get(), owner)
    trace = Judge.with_deleted.get()
    assert trace.deleted_at and trace.gone_pairs == [] and set(trace.undone_pairs) == questions
    step = JudgeStep.objects.get()
    assert (step.kind, step.name, step.by_name) == ("deleted", judge.key, "owner")
    assert "was undone" in step.because
    # Its name is free: the same file loads again, as a judge of its own.
    load(tmp_path, items=ITEMS, ratings=RATINGS, judgments=JUDGMENTS)
    assert Judge.objects.get().key == judge.key and Judge.with_deleted.count() == 2
    purge.purge(trace.pk)
    assert JudgeStep.objects.filter(kind="purged", judge=trace).exists()
    assert Judge.with_deleted.get(pk=trace.pk).undone_pairs == trace.undone_pairs


def gone(study):
    """What the verdict's family counts of judges without answers: {judge: its questions}."""
    return {name.split(" (")[0]: sorted(keys) for name, keys in judges_of(study).gone}


def test_questions_of_an_undone_load_count_although_the_judge_has_others(tmp_path, owner):
    load(tmp_path, items=ITEMS, ratings=RATINGS, judgments=JUDGMENTS)
    load_into(tmp_path, judgments="item,judge,question,value\ne1,BLEU,fits,1\n")
    study = Study.objects.get()
    undone(FileLoad.objects.order_by("pk").first(), owner)
    judge = Judge.objects.get()
    assert judge.undone_pairs == ["persuasiveness"] and not judge.deleted_at
    assert gone(study) == {"BLEU": ["persuasiveness"]}
    undone(FileLoad.objects.order_by("pk").last(), owner)
    assert not Judge.objects.exists()
    assert gone(study) == {"BLEU": ["fits", "persuasiveness"]}


def test_a_deleted_judge_whose_load_is_undone_still_counts(tmp_path, owner):
    load(tmp_path, items=ITEMS, ratings=RATINGS, judgments=JUDGMENTS)
    study, judge = Study.objects.get(), Judge.objects.get()
    delete.delete(judge, owner, "wrong")
    undone(FileLoad.objects.get(), owner)
    assert gone(study) == {"BLEU": ["persuasiveness"]}
    with pytest.raises(Refused, match="cannot be brought back"):
        delete.undo(judge, owner)
    purge.purge(judge.pk)
    assert gone(study) == {"BLEU": ["persuasiveness"]}


def test_an_ensemble_whose_deletion_can_be_undone_holds_its_members(tmp_path, owner):
    load(tmp_path, items=ITEMS, ratings=RATINGS, judgments=JUDGMENTS)
    study = Study.objects.get()
    ensemble = factories.make_judge(study, "both", kind=Judge.Kind.ENSEMBLE)
    ensemble.members.add(Judge.objects.get(key="BLEU"))
    delete.delete(ensemble, owner, "wrong")
    done = undone(FileLoad.objects.get(), owner)
    assert "judgments" not in done.going and Judgment.objects.count() == 2
    assert any("an ensemble is made of BLEU" in words for words in done.staying)


def test_only_the_later_load_goes_and_its_places_open_again(tmp_path, owner):
    load(tmp_path, items=ITEMS, ratings=RATINGS)
    before = counts()
    places = list(Place.objects.order_by("item", "number").values_list("item", "number", "state"))
    more = RATINGS.splitlines()[0] + "\ne2,bob,third_party,fits,1\ne2,eve,third_party,fits,0\n"
    load_into(tmp_path, ratings=more)
    assert Rating.objects.count() == 5
    done = undone(FileLoad.objects.first(), owner)
    assert done.going == {"ratings": 2, "raters": 1}
    assert counts() == before
    after = Place.objects.order_by("item", "number").values_list("item", "number", "state")
    assert list(after) == places


@pytest.fixture
def of_items(tmp_path, owner):
    """The load of two items into a study of the owner."""
    load(tmp_path, items=ITEMS)
    make_owner(Study.objects.get(), owner)
    return FileLoad.objects.get()


def test_an_item_that_somebody_rated_since_stays_with_what_it_names(of_items, owner):
    study, item = of_items.study, Item.objects.get(key="e1")
    session = factories.make_session(study, "web")
    item.places.filter(number=1).update(state="filled", rater=session.rater, session=session)
    factories.make_rating(session, item, study.questions.get(key="persuasiveness"), 4)
    done = undone(of_items, owner)
    assert done.going == {"items": 1, "systems": 1}
    assert "1 item stays: it has ratings." in done.staying
    assert list(Item.objects.values_list("key", flat=True)) == ["e1"]
    # It keeps its rating, its place, and an open place for another rater.
    assert Rating.objects.count() == 1
    assert list(item.places.order_by("number").values_list("state", flat=True)) == [
        "filled",
        "open",
    ]


def test_an_item_that_a_rater_holds_stays(of_items, owner):
    session = factories.make_session(of_items.study, "web", state=Session.State.RATING)
    place = Place.objects.filter(item__key="e2").first()
    Place.objects.filter(pk=place.pk).update(state="held", rater=session.rater, session=session)
    done = undone(of_items, owner)
    assert done.staying[0] == "1 item stays: it has places."
    place.refresh_from_db()
    assert (place.state, place.session) == ("held", session)


def test_an_item_that_waits_for_a_judge_stays(of_items, owner):
    judge = factories.make_judge(of_items.study)
    run = Run.objects.create(judge=judge, state=Run.State.ACTIVE)
    question = of_items.study.questions.first()
    Judgment.objects.create(run=run, item=Item.objects.get(key="e1"), question=question)
    done = undone(of_items, owner)
    assert "1 item stays: it has judgments." in done.staying
    assert Judgment.objects.count() == 1


def test_judgments_of_which_an_ensemble_is_made_stay(of_items, owner, tmp_path):
    load_into(tmp_path, judgments=JUDGMENTS)
    bleu = Judge.objects.get(key="BLEU")
    ensemble = Judge.objects.create(study=of_items.study, key="all", kind=Judge.Kind.ENSEMBLE)
    ensemble.members.add(bleu)
    done = undone(FileLoad.objects.first(), owner)
    assert (done.going, done.staying) == (
        {},
        ["2 judgments stay: an ensemble is made of BLEU."],
    )


def test_wrongly_loaded_judgments_go_and_the_judge_stays_for_the_others(of_items, owner, tmp_path):
    load_into(tmp_path, judgments=JUDGMENTS)
    more = JUDGMENTS.splitlines()[0] + ",cost_usd\ne1,BLEU,fits,1,0.5\n"
    load_into(tmp_path, judgments=more)
    run = Run.objects.get()
    assert run.spent_usd > 0
    done = undone(FileLoad.objects.first(), owner)
    assert done.going == {"judgments": 1}
    run.refresh_from_db()
    assert run.spent_usd == 0
    assert Judgment.objects.count() == 2


def test_what_a_stopping_plan_counts_stays(of_items, owner, tmp_path):
    load_into(tmp_path, ratings=RATINGS)
    factories_of_plans(of_items.study)
    assert undone(FileLoad.objects.first(), owner).staying == [
        "3 ratings stay: the study’s stopping plan counts them."
    ]
    assert Rating.objects.count() == 3


def factories_of_plans(study):
    return StoppingPlan.objects.create(
        study=study,
        planned=20,
        alpha=0.05,
        decisions=1,
        raters_per_item=2,
        seed=1,
        order=["anna"],
        by_name="owner",
    )


def test_what_was_changed_is_not_brought_back(of_items, owner, tmp_path):
    load_into(tmp_path, items=ITEMS.replace("quiet", "loud"))
    done = undone(FileLoad.objects.first(), owner)
    assert done.going == {}
    assert done.staying == ["1 changed row stays: what stood there before was not kept."]
    assert Item.objects.filter(text__contains="loud").exists()


def test_a_kill_in_the_middle_takes_nothing_back(of_items, owner, tmp_path, monkeypatch):
    load_into(tmp_path, ratings=RATINGS)
    before = counts()

    def killed(*args):
        raise SystemExit

    monkeypatch.setattr(undo, "_raters", killed)
    with pytest.raises(SystemExit):
        undo.undo(FileLoad.objects.first(), owner)
    assert counts() == before
    assert not FileLoad.objects.exclude(undone_at=None).exists()


# The pages


def test_the_page_shows_what_goes_and_undoes_it(of_items, as_owner):
    address = f"/studies/films/loads/{of_items.pk}/"
    page = as_owner.get(address).content.decode()
    assert "<li>2 items</li>" in page
    assert Item.objects.count() == 2
    log = as_owner.post(address, follow=True).content.decode()
    assert "The load was undone." in log
    assert "Undone by owner" in log
    assert not Item.objects.exists()
    assert "It was undone already." in as_owner.post(address, follow=True).content.decode()


def test_the_list_of_loads_costs_the_same_for_many(
    of_items, as_owner, django_assert_max_num_queries
):
    for number in range(20):
        FileLoad.objects.create(study=of_items.study, names=f"{number}.csv", counts={"items": 1})
    with django_assert_max_num_queries(6):
        page = as_owner.get("/studies/films/loads/").content.decode()
    assert page.count("Undo<span") == 21
