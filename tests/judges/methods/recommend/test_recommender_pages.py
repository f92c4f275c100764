"""Pages and command of a test of a recommender: what is asked, the forecast, what came back."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from annotate.design import splits
from annotate.models import Content, Interaction, Study
from judges.methods.recommend.plans import Trial
from judges.models import Judge, RecommendedList, Run
from judges.pages import trial_preview
from judges.pages.forms_recommender import TrialForm, option_name
from judges.runs import drive, progress
from judges.runs.plan import plan
from tests import factories
from tests.judges.methods.recommend.test_method import (
    FIRST,
    TITLES,
    asked,
    films,
    make_recommender,
    said,
    small,
)
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.django_db
__all__ = ["films"]
MOVIES = "movieId,title,genres\n" + "".join(
    f'{number},"{title}",Drama\n' for number, title in enumerate(TITLES)
)
RATINGS = "userId,movieId,rating,timestamp\n" + "".join(
    f"{user},{film},{1 + (user + film) % 5},{964982703 + film}\n"
    for user in (1, 2)
    for film in range(8)
)


def page(judge):
    return reverse("recommender_test", args=[judge.study.slug, judge.pk])


def entered(**changes):
    """What a browser sends of the form as it stands first, with changes."""
    form = TrialForm()
    sent = {}
    for field in form:
        value = field.field.prepare_value(field.value())
        sent[field.html_name] = "" if value is None else value
    return sent | {"iterations": 1, "l": 3, "relations": ["multiply"]} | changes


# The form


def test_the_page_shows_a_prompt_and_its_cost_before_anything_is_sent(films, as_owner):
    judge = make_recommender(films)
    judge.endpoint.price_in = judge.endpoint.price_out = 1
    judge.endpoint.save()
    first = as_owner.get(page(judge)).text
    assert "not asked: 20 rated contents are to be shown" in first
    found = as_owner.post(page(judge), entered(preview="", user="u1"))
    assert found.status_code == 200 and not Run.objects.exists()
    assert "<mark>10</mark>" in found.text and "Nothing has been sent" in found.text
    assert "about $0.000" in found.text


def test_where_the_prompts_differ_is_marked_and_nothing_else():
    left, right, compared = trial_preview.marked("Heat 4/5 and Alien", "Heat 8/10 and Alien")
    assert compared
    assert left == [("Heat ", False), ("4", True), ("/", False), ("5", True), (" and Alien", False)]
    assert [text for text, differs in right if differs] == ["8", "10"]
    same, _, _ = trial_preview.marked("Heat", "Heat")
    assert same == [("Heat", False)]
    long = "a " * trial_preview.MOST_COMPARED
    assert trial_preview.marked(long, long + "b")[2] is False


def test_the_forecast_counts_the_calls_that_are_made(films):
    judge = make_recommender(films)
    trial = small(users=None, plans=["relations", "k_sweep", "l_sweep"], ks=[5, 10], ls=[1, 2])
    found = trial_preview.forecast(judge, trial.checked())
    run = plan(judge, trial=trial)
    assert found.calls == run.judgments.exclude(state="not_asked").count()
    assert found.recipients == 2 and found.usd is None and found.measured == 2


def test_a_test_is_started_and_its_run_has_the_lists(films, as_owner):
    with ScriptedServer(said(FIRST)) as server:
        judge = make_recommender(films, server.url)
        answer = as_owner.post(page(judge), entered(start=""))
        run = Run.objects.get()
        assert answer.headers["Location"] == run.get_absolute_url()
        drive.work_through(run.pk)
    shown = as_owner.get(run.get_absolute_url()).text
    assert reverse("run_lists", args=[films.slug, run.pk]) in shown
    assert "none is sent: the endpoint’s default" in shown and "5 of 5" in shown
    assert run.frozen["trial"]["relations"] == [["multiply", {"factor": 2}]]


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({option_name("multiply", "factor"): "0"}, "found λ = 0"),
        ({option_name("multiply", "factor"): "2.5"}, "a whole number"),
        ({option_name("multiply", "factor"): "nan"}, "Enter a number"),
        ({"plans": []}, "This field is required"),
        ({"k": "0"}, "greater than or equal to 1"),
        ({"ks": "5, x"}, "Enter numbers with commas"),
        ({"low": "5"}, "its end has to be higher"),
        ({"high": "4"}, "the scale is said to end at 4"),
        ({"budget": "0"}, "greater than or equal to"),
        ({"relations": ["swapped_lists"]}, "Select a valid choice"),
    ],
)
def test_what_makes_no_sense_is_said_beside_the_form(films, as_owner, changes, words):
    judge = make_recommender(films)
    found = as_owner.post(page(judge), entered(start="", **changes))
    assert found.status_code == 422 and words in found.text
    assert not Run.objects.exists()


def test_a_study_without_ratings_says_so(study, as_owner):
    judge = make_recommender(study)
    assert "Load interactions with ratings" in as_owner.get(page(judge)).text
    assert as_owner.post(page(judge), entered(start="")).status_code == 422


def test_who_may_look_and_who_may_start(films, as_owner):
    judge = make_recommender(films)
    plan(judge, trial=small())
    films.memberships.update(role="viewer")
    assert "Start the test" not in as_owner.get(page(judge)).text
    assert as_owner.post(page(judge), entered(preview="")).status_code == 200
    assert as_owner.post(page(judge), entered(start="")).status_code == 404


def test_the_page_is_for_recommenders_and_lists_are_of_their_runs(films, as_owner):
    other = factories.make_judge(films, "other", factories.make_endpoint(key="else"))
    assert as_owner.get(page(other)).status_code == 404
    run = Run.objects.create(judge=other)
    assert as_owner.get(reverse("run_lists", args=[films.slug, run.pk])).status_code == 404


def test_the_judge_s_page_shows_the_prompt_of_a_recipient(films, as_owner):
    judge = make_recommender(films)
    address = reverse("judge", args=[films.slug, judge.pk])
    assert "Nothing is sent for u1: not asked: 20 rated" in as_owner.get(address).text
    for number in range(30):
        content = Content.objects.create(study=films, key=f"x{number}", title=f"Film {number}")
        Interaction.objects.create(
            study=films, recipient=films.recipients.get(key="u1"), content=content, rating=3
        )
    shown = as_owner.get(address).text
    assert "The user u1 likes the following items" in shown and page(judge) in shown


# What came back


def test_the_lists_of_a_run_with_what_is_wrong_in_each(films, as_owner, django_assert_num_queries):
    reply = "1. Brazil <b> (1985)\n2. amelie\n3. Heat (1995)\n4. Heat\n5. Alien\n6. Toy Story"
    run, _ = asked(films, said(reply), small(k=4))
    address = reverse("run_lists", args=[films.slug, run.pk])
    as_owner.get(address)
    with django_assert_num_queries(11):
        shown = as_owner.get(address).text
    assert 'Brazil &lt;b&gt; (1985) <span class="badge warn">not in the catalogue' in shown
    assert "normalised: Amélie (2001)" in shown
    assert "repeated</span>" in shown and "beyond k</span>" in shown
    assert "not asked: 3 rated contents are to be shown, the recipient has 2" in shown
    assert "No recipient of this run" in as_owner.get(address, {"user": "zz"}).text
    assert "u2" not in as_owner.get(address, {"user": "u1"}).text.split("as CSV")[1]


def test_lists_of_a_locked_test_part_are_nowhere_and_counted(films, as_owner):
    run, _ = asked(films, said("1. Brazil (1985)\n2. Heat (1995)"), small(l=2))
    seed = next(
        seed
        for seed in range(99)
        if [splits.Split(seed, 0.5, ()).side(key) for key in ("u1", "u2")] == ["test", "choose"]
    )
    addresses = [reverse(name, args=[films.slug, run.pk]) for name in ("run_lists", "run")]
    assert "Lists for u1" in as_owner.get(addresses[0]).text
    assert splits.WITHHELD not in as_owner.get(addresses[1]).text
    splits.lock(films, seed, 0.5, "owner")
    shown = as_owner.get(addresses[0]).text
    assert "5 lists are of recipients of the locked test part" in shown
    assert "Lists for u1" not in shown and "Lists for u2" in shown and "5 of 5 were" in shown
    assert splits.WITHHELD in as_owner.get(addresses[1]).text


def test_the_command_counts_no_entries_of_a_locked_test_part(films):
    seed = next(
        seed
        for seed in range(99)
        if [splits.Split(seed, 0.5, ()).side(key) for key in ("u1", "u2")] == ["test", "choose"]
    )
    splits.lock(films, seed, 0.5, "owner")
    with ScriptedServer(said("1. Brazil (1985)\n2. Heat (1995)")) as server:
        judge = make_recommender(films, server.url)
        told = tell(
            films.slug,
            judge.key,
            "--iterations",
            1,
            "--l",
            2,
            "--relations",
            "multiply",
            "--wait",
            "--yes",
        )
    assert "3 lists of 3 were read: 6 entries, 3 of them not in the catalogue" in told
    assert "3 of the locked test part are withheld" in told


def test_the_example_of_a_failure_is_none_of_a_locked_test_part(films):
    run, _ = asked(films, said("I cannot."), small(l=3))
    assert all(row["call"] for row in progress.failures(run) if row["state"] == "unparsable")
    seed = next(seed for seed in range(99) if splits.Split(seed, 0.5, ()).side("u1") == "test")
    splits.lock(films, seed, 0.5, "owner")
    again = Run.objects.get(pk=run.pk)
    assert not any(row["call"] for row in progress.failures(again))


# The command


@pytest.fixture
def folder(tmp_path):
    place = tmp_path / "Movies small"
    place.mkdir()
    (place / "movies.csv").write_text(MOVIES, encoding="utf-8")
    (place / "ratings.csv").write_text(RATINGS, encoding="utf-8")
    return place


def tell(*arguments, **options):
    out = StringIO()
    call_command("test_recommender", *map(str, arguments), stdout=out, stderr=out, **options)
    return out.getvalue()


def test_a_folder_and_an_endpoint_are_all_it_needs(folder):
    with ScriptedServer(said(FIRST)) as server:
        factories.make_endpoint(server.url, key="scripted")
        options = [
            "--iterations",
            1,
            "--l",
            4,
            "--relations",
            "multiply:factor=3",
            "--wait",
            "--yes",
        ]
        told = tell(folder, "scripted", *options)
        again = tell(folder, "scripted", *options)
    assert "6 lists of 6 were read: 30 entries, 0 of them not in the catalogue" in told
    assert told.rstrip().endswith("manage.py analyse ratings-movies-small metamorphic")
    study = Study.objects.get(slug="ratings-movies-small")
    assert study.recipients.count() == 2
    assert "is there already, made of the same files" in again
    assert "only an operator sees it: see --owner" in told and not study.memberships.exists()
    judge = Judge.objects.get()
    assert judge.method == "recommender" and judge.runs.count() == 2
    assert Content.objects.get(study=study, key="6").title == "Amélie (2001)"
    one = RecommendedList.objects.filter(relation="multiply").first()
    assert "/15" in one.text and one.options == {"factor": 3}


def test_a_study_of_the_same_name_is_taken_only_if_it_is_made_of_the_same_files(folder, owner):
    factories.make_endpoint()
    told = tell(folder, "local", "--l", 2, "--owner", "owner")
    study = Study.objects.get()
    assert "; owner owns it" in told and study.members.get() == owner
    Interaction.objects.filter(study=study).update(rating=3)  # whatever was loaded since
    assert "made of the same files" in tell(folder, "local", "--l", 2, "--owner", "owner")
    (folder / "ratings.csv").write_text(RATINGS.replace("1,0,2,", "1,0,3,"), encoding="utf-8")
    for name in (study.slug, factories.make_study(slug="by-hand", owner=owner).slug):
        with pytest.raises(CommandError, match="not made of these files. Choose another --name"):
            tell(folder, "local", "--name", name)
    tell(folder, "local", "--name", "other", "--l", 2)
    with pytest.raises(CommandError, match="owner does not own it"):
        tell(folder, "local", "--name", "other", "--owner", "owner")
    assert Study.objects.count() == 3


def test_a_folder_s_ratings_begin_where_they_do(folder):
    (folder / "ratings.csv").write_text(RATINGS.replace(",1,9", ",0.5,9"), encoding="utf-8")
    factories.make_endpoint()
    tell(folder, "local", "--l", 2)
    assert Run.objects.get().frozen["trial"]["low"] == 0.5
    Run.objects.all().delete()
    with pytest.raises(CommandError, match="Found ratings down to 0.5"):
        tell(folder, "local", "--l", 2, "--lowest", 1)


def test_the_form_begins_the_scale_where_the_ratings_do(films, as_owner):
    Interaction.objects.filter(rating=1).update(rating=0.5)
    shown = as_owner.get(page(make_recommender(films))).text
    assert 'name="low" value="0.5"' in shown and "Found ratings down" not in shown


def test_the_sizes_that_are_swept_can_be_chosen(films):
    with ScriptedServer(said(FIRST)) as server:
        make_recommender(films, server.url)
        plans = ["--plan", "k_sweep,l_sweep", "--ks", "2,3", "--ls", "1", "--iterations", 1]
        tell("films", "recommender", *plans, "--wait", "--yes")
    assert set(RecommendedList.objects.values_list("plan", "k", "l")) == {
        ("k_sweep", 2, 0),
        ("k_sweep", 3, 0),
        ("l_sweep", 5, 1),
    }
    with pytest.raises(CommandError, match="invalid sizes value"):
        tell("films", "recommender", "--ks", "2,x")
    with pytest.raises(CommandError, match="found k = 5 twice"):
        tell("films", "recommender", "--ks", "5,5")


def test_a_broken_folder_makes_nothing(folder):
    (folder / "ratings.csv").write_text("userId,movieId,rating,timestamp\n1,99,4,1\n")
    factories.make_endpoint()
    with pytest.raises(CommandError, match="nothing was written"):
        tell(folder, "local")
    (folder / "ratings.csv").unlink()
    with pytest.raises(CommandError, match="nothing was written"):
        tell(folder, "local")
    assert not Study.objects.exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["films", "recommender", "--relations", "multiply:factor=1"], "1 changes nothing"),
        (["films", "recommender", "--plan", "all"], "allowed plans are"),
        (["films", "nobody"], "has no judge 'nobody'"),
        (["films", "judge"], "recommends nothing"),
        (["nowhere", "recommender"], "There is no study 'nowhere'"),
        (["films", "recommender", "--highest", "3"], "the scale is said to end at 3"),
        (["films", "recommender", "--owner", "nobody"], "no user named 'nobody'"),
        (["films", "recommender", "--name", "other"], "are for a folder"),
    ],
)
def test_what_the_command_refuses(films, arguments, words):
    make_recommender(films)
    factories.make_judge(films, "judge", factories.make_endpoint(key="else"))
    with pytest.raises(CommandError, match=words):
        tell(*arguments)
    assert not Run.objects.exists()


def test_a_longer_test_waits_with_its_forecast(films):
    with ScriptedServer(said(FIRST)) as server:
        make_recommender(films, server.url)
        options = ["films", "recommender", "--iterations", 5, "--l", 2, "--wait"]
        with pytest.raises(CommandError, match="repeat this with --yes"):
            tell(*options)
        assert len(server.requests) == 20
        assert "52 lists of 52 were read" in tell(*options, "--yes")
        assert len(server.requests) == 52


def test_the_usual_test_is_the_paper_s():
    usual = Trial().checked()
    assert (usual.k, usual.l, usual.iterations) == (5, 20, 10)
    assert [key for key, _ in usual.relations] == ["multiply", "shift", "spaces", "random_words"]
