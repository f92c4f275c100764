"""What stands on an item's page: documents, history, profiles, pictures; and what may be loaded."""

import re
from datetime import UTC, datetime

import pytest
from django.db.models import Value
from django.db.models.functions import Concat
from django.utils.translation import override

from annotate.models import Content, Interaction, Place, Recipient, Session, Study
from annotate.raters.episode_facts import episode_facts
from annotate.raters.screens import card, facts
from annotate.values import media
from tests import factories
from tests.annotate.raters.test_preview import open_preview, policy
from tests.annotate.raters.test_views import begin
from tests.podcasts import HOST, LONG, make_podcasts, tell_facts

pytestmark = pytest.mark.django_db
TINY = {"image_url": f"https://{HOST}/a.png", "audio_url": f"https://{HOST}/a.mp3"}


def first_page(client, study):
    return client.get(f"/r/{begin(client, study)}/item/1/")


def words(response):
    """The page's text: without tags, blanks as one."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", response.content.decode()))


# Statements and profiles


def test_a_statement_stands_with_its_document(client, owner):
    study = factories.make_study("support", owner, questions={}, kind="statement")
    scale = {"binary": ["Not supported", "Supported"]}
    factories.make_question(study, "supported", scale=scale, applies_to=["statement"])
    factories.make_item(
        study,
        "s1",
        kind="statement",
        content=None,
        text="The film is long.",
        reference="I liked it.\n\nIt took <b>three hours</b>.",
        review="SECRET",
    )
    response = first_page(client, study)
    page = response.content.decode()
    assert "<p>It took &lt;b&gt;three hours&lt;/b&gt;.</p>" in page
    assert 'role="region" aria-labelledby="document" tabindex="0"' in page
    assert "Document I liked it." in words(response)
    assert "Statement The film is long." in words(response) and "SECRET" not in page
    assert re.findall(r'value="(\d)"[^>]*> <span>([\w ]+)</span>', page) == [
        ("0", "Not supported"),
        ("1", "Supported"),
    ]


def test_a_profile_is_a_text_with_its_own_questions(client, owner):
    study = make_podcasts(owner)
    response = first_page(client, study)
    assert "Profile Listens on the way to work" in words(response)
    assert response.content.decode().count("<fieldset") == 2
    assert "aligns with my interests" not in words(response)


# History


@pytest.fixture
def history(study):
    """Three films of r1, one of them chosen twice, and one of somebody else."""
    r1, r2 = study.recipients.get(), Recipient.objects.create(study=study, key="r2")
    seen = [
        ("old", r1, 2001),
        ("new", r1, 2020),
        ("old", r1, 2019),
        ("none", r1, None),
        ("theirs", r2, 2021),
    ]
    for key, recipient, year in seen:
        data = {"year": 1927, "genres": "Drama|Comedy", "secret": "SECRET"}
        content, _ = Content.objects.get_or_create(
            study=study, key=key, defaults={"title": f"The {key} film", "data": data}
        )
        at = year and datetime(year, 1, 1, tzinfo=UTC)
        Interaction.objects.create(study=study, recipient=recipient, content=content, at=at)
    return study


@pytest.mark.parametrize(
    "number, titles", [(0, []), (2, ["new", "old"]), (9, ["new", "old", "none"])]
)
def test_the_history_is_shown_as_far_as_the_study_wants_it(client, history, number, titles):
    Study.objects.update(show_history=number)
    page = first_page(client, history).content.decode()
    assert re.findall(r"<li dir=\"auto\">The (\w+) film", page) == titles
    assert ("What you chose before" in page) == bool(titles) and "SECRET" not in page
    assert page.count("1927 · Drama, Comedy") == len(titles)
    if titles:
        assert page.index("What you chose before") < page.index("Why it is recommended")


def test_an_item_without_a_recipient_or_history_shows_none(client, history):
    Study.objects.update(show_history=9)
    history.items.update(recipient=None)
    assert "What you chose before" not in first_page(client, history).content.decode()
    Interaction.objects.all().delete()
    history.items.update(recipient=history.recipients.first())
    assert "What you chose before" not in first_page(client, history).content.decode()


def test_facts_are_short():
    assert facts(Content(show="A show", data={"year": 1999, "genres": "x" * 81})) == "A show · 1999"
    assert facts(Content(data={})) == ""


# Contents of which only an id is known


def test_raters_never_read_the_id_of_a_content_without_a_title(client, study):
    Content.objects.update(key="BOOK-1", title="")
    page = first_page(client, study).content.decode()
    assert "BOOK-1" not in page and "Recommended" not in page and "Why it is recommended" in page
    Content.objects.update(description="A heist.", **TINY)
    page = first_page(client, study).content.decode()
    assert "A heist." in page and "BOOK-1" not in page and 'class="title"' not in page
    assert 'role="img" aria-label="No picture"' in page


def test_entries_of_a_list_show_no_id(client, owner):
    study = make_podcasts(owner)
    pair = study.items.filter(kind="list_pair").first()
    study.items.exclude(pk=pair.pk).filter(parent=None).delete()
    before = first_page(client, study).content.decode()
    Content.objects.filter(study=study).update(key=Concat(Value("ID-"), "key"), title="")
    page = first_page(client, study).content.decode()
    assert "ID-" not in page and page.count("<fieldset") == before.count("<fieldset") > 0
    assert "<h3" in before and "<h3" not in page


def test_the_history_leaves_out_what_has_no_title(client, history):
    Study.objects.update(show_history=2)
    Content.objects.filter(key="old").update(title="")
    page = first_page(client, history).content.decode()
    assert re.findall(r"<li dir=\"auto\">The (\w+) film", page) == ["new", "none"]
    assert page.count("<li dir") == 2


# Pictures and recordings


@pytest.mark.parametrize(
    "name", ["media.example.org", "a.b-c.example", "xn--bcher-kva.example", "  MEDIA.Example.org "]
)
def test_a_host_is_named(name):
    assert media.check_hosts([name, name]) == [name.strip().lower()]


@pytest.mark.parametrize(
    "name",
    [
        "",
        "localhost",
        "https://media.example.org",
        "media.example.org/",
        "media.example.org:8443",
        "*.example.org",
        "*",
        "127.0.0.1",
        "[::1]",
        "a..b",
        "-a.example",
        "a b.example",
        "é.example",
        "media.example.org; script-src *",
        "'self'",
        "a." * 130 + "org",
        "user@example.org",
    ],
)
def test_what_is_no_host_is_refused(name):
    with pytest.raises(ValueError, match="allowed is the name of a host"):
        media.check_hosts([name])


@pytest.mark.parametrize(
    "url, is_allowed",
    [
        ("https://media.example.org/a.png", True),
        ("https://MEDIA.example.org:443/a.png?x=1", True),
        ("http://media.example.org/a.png", False),
        ("https://media.example.org:8443/a.png", False),
        ("https://media.example.org@evil.example/a.png", False),
        ("https://user@media.example.org/a.png", False),
        ("https://evil.example/media.example.org", False),
        ("https://sub.media.example.org/a.png", False),
        ("https://media.example.org.evil.example/", False),
        ("//media.example.org/a.png", False),
        ("javascript:alert(1)", False),
        ("https://[media.example.org/", False),
        ("https://media.example.org:x/", False),
        ("", False),
    ],
)
def test_only_https_addresses_of_the_hosts_are_loaded(url, is_allowed):
    assert media.allowed(url, [HOST]) == (url if is_allowed else "")


def test_the_policy_names_the_hosts_on_the_items_of_that_study_only(as_owner, client, owner):
    study = make_podcasts(owner, media_hosts=[HOST, "cdn.example.com"])
    other = factories.make_study("other", owner, items=1)
    usual = policy(client.get("/join/podcasts/"))
    assert usual == policy(first_page(client, other)) and HOST not in str(usual)
    token = begin(client, study)
    sources = f"https://{HOST} https://cdn.example.com"
    for page in (
        client.get(f"/r/{token}/item/1/"),
        client.post(
            f"/r/{token}/item/1/",
            {"item": study.places.get(session__token=token, position=1).item_id},
        ),
    ):
        assert policy(page) == usual | {
            "img-src": f"{usual['img-src']} {sources}",
            "media-src": f"{usual['media-src']} {sources}",
        }
    framed = policy(as_owner.get(open_preview(as_owner, study="podcasts"), follow=True))
    assert framed["img-src"].endswith(sources) and framed["frame-ancestors"] == "'self'"
    assert HOST not in str(policy(as_owner.get("/studies/podcasts/preview/")))


def test_a_picture_that_may_not_be_loaded_is_a_box_with_words(study):
    content = Content(title="Metropolis", description=LONG, **TINY)
    refused, allowed = card(content, study), card(content, Study(media_hosts=[HOST]))
    assert (refused.image, refused.audio, refused.wants_image) == ("", "", True)
    assert (allowed.image, allowed.audio) == tuple(TINY.values())
    assert allowed.is_long and not card(Content(description="Short."), study).is_long


def test_pages_name_no_address_of_a_host_that_is_not_allowed(client, study):
    Content.objects.update(**TINY)
    page = first_page(client, study).content.decode()
    assert HOST not in page and 'aria-label="No picture: film-1"' in page
    assert "The recording cannot be played here." in page
    Study.objects.update(media_hosts=[HOST])
    page = first_page(client, study).content.decode()
    assert f'src="https://{HOST}/a.png" alt="Picture: film-1"' in page
    assert f'preload="none" src="https://{HOST}/a.mp3" aria-label="Recording: film-1"' in page
    Content.objects.update(image_url="", audio_url="")
    page = first_page(client, study).content.decode()
    assert "cover" not in page and "recording" not in page


# Settings


SETTINGS = {
    "title": "T",
    "state": "open",
    "items_per_session": 5,
    "hold_minutes": 30,
    "completion_code": "ABC",
}


def test_settings_take_hosts_and_history(as_owner, study):
    given = SETTINGS | {"show_history": "9", "media_hosts": f"{HOST}\r\n CDN.example.com \n{HOST}"}
    assert as_owner.post("/studies/films/settings/", given).status_code == 302
    study.refresh_from_db()
    assert (study.show_history, study.media_hosts) == (9, [HOST, "cdn.example.com"])
    page = as_owner.get("/studies/films/settings/").content.decode()
    assert f"{HOST}\ncdn.example.com</textarea>" in page
    empty = SETTINGS | {"show_history": "", "media_hosts": " "}
    assert as_owner.post("/studies/films/settings/", empty).status_code == 302
    study.refresh_from_db()
    assert (study.show_history, study.media_hosts) == (0, [])


@pytest.mark.parametrize(
    "wrong, said",
    [({"media_hosts": "https://a.example"}, "name of a host"), ({"show_history": "101"}, "100")],
)
def test_wrong_settings_say_what_is_allowed(as_owner, study, wrong, said):
    answer = as_owner.post("/studies/films/settings/", SETTINGS | wrong)
    assert answer.status_code == 422 and said in answer.content.decode()
    study.refresh_from_db()
    assert study.title == "Films" and study.media_hosts == []


def test_a_stem_that_neighbours_share_is_said_once_and_each_group_has_the_whole_text(client):
    study = factories.make_study(items=1, questions={}, extra={"stem": "Does it help you"})
    for key, text in (
        ("choose", "Does it help you choose?"),
        ("understand", "Does it help you understand?"),
        ("liked", "Did you like it?"),
        ("stem", "Does it help you"),
        ("mark", "Does it help you?"),
        ("word", "Does it help yourself?"),
        ("lone", "Does it help you decide?"),
    ):
        factories.make_question(study, key, text=text, position=study.questions.count())
    page = first_page(client, study).content.decode()
    assert page.count('<p class="stem" aria-hidden="true">Does it help you …</p>') == 1
    assert page.index('class="stem"') < page.index("choose?") < page.index("understand?")
    assert page.count('<span class="visually-hidden">Does it help you </span>') == 2
    legends = page.replace("\n", "")
    for whole in ("Does it help you", "Does it help you?", "Does it help yourself?"):
        assert f"> {whole}</legend>" in legends
    assert "> Does it help you decide?</legend>" in legends  # alone, it needs no line above it


def test_progress_counts_answers_and_the_last_questions_are_a_page_of_it(client):
    study = factories.make_study(items=2, extra={"exit": ["age"]})
    token = begin(client, study)
    bar = '<progress max="3" value="{}"'
    page = client.get(f"/r/{token}/item/1/").content.decode()
    assert bar.format("0") in page
    place = Place.objects.get(session__token=token, position=1)
    question = study.questions.first()
    client.post(f"/r/{token}/answer/{place.item_id}/{question.pk}/", {f"q{question.pk}": "4"})
    assert bar.format("0.25") in client.get(f"/r/{token}/item/1/").content.decode()
    assert bar.format("1") in client.get(f"/r/{token}/item/2/").content.decode()


def test_a_session_keeps_the_layout_that_the_study_had_when_it_began(client):
    study = factories.make_study(items=2, extra={"layout": "grid"})
    token = begin(client, study)
    page = f"/r/{token}/item/1/"
    assert client.get(page).content.decode().count('class="grid-head"') == 1
    Study.objects.update(extra={"layout": "one_at_a_time"})
    assert "grid-head" in client.get(page).content.decode()
    assert "data-one-at-a-time" not in client.get(page).content.decode()
    assert Session.objects.get().layout == "grid"


def test_a_grid_takes_neighbours_with_the_same_options_that_ask_for_no_reason(client):
    study = factories.make_study(items=1, questions={}, extra={"layout": "grid"})
    for key, scale, why in (
        ("one", "likert5", ""),
        ("two", "likert5", ""),
        ("reason", "likert5", "optional"),
        ("three", "likert7", ""),
        ("four", "likert5", ""),
        ("five", "likert5", ""),
        ("number", "number", ""),
        ("words", "text", ""),
    ):
        position = study.questions.count()
        factories.make_question(study, key, scale, why=why, position=position)
    page = first_page(client, study).content.decode()
    assert page.count('class="grid-head"') == 2
    cells = re.findall(r'class="question card( cell)?"', page)
    assert cells == [" cell", " cell", "", "", " cell", " cell", "", ""]


def test_an_answer_that_lacks_its_reason_is_no_progress(client):
    study = factories.make_study(items=2, questions={})
    question = factories.make_question(study, "good", why="required")
    token = begin(client, study)
    address = f"/r/{token}/answer/{Place.objects.get(session__token=token, position=1).item_id}/"
    for sent, value in (({}, "0"), ({f"q{question.pk}why": "So."}, "1")):
        client.post(f"{address}{question.pk}/", {f"q{question.pk}": "4", **sent})
        page = client.get(f"/r/{token}/item/1/").content.decode()
        assert f'<progress max="2" value="{value}"' in page


@pytest.mark.parametrize(
    ("labels", "is_grid"),
    [
        (["never", "seldom", "at times", "often", "always"], True),
        (["not at all", "hardly", "a little", "fairly", "rather", "very", "fully"], True),
        (["completely not", "hardly", "a little", "fairly", "rather", "very", "fully"], False),
        (["unverständlicherweise", "b", "c", "d", "e"], False),
        (list("abcdefgh"), False),
    ],
)
def test_a_grid_has_options_whose_words_fit_side_by_side(client, labels, is_grid):
    study = factories.make_study(items=1, questions={}, extra={"layout": "grid"})
    for position, key in enumerate(("one", "two")):
        factories.make_question(study, key, {"choice": labels}, position=position)
    assert ("grid-head" in first_page(client, study).content.decode()) == is_grid


# What is said about an episode


@pytest.mark.parametrize(
    "data, said",
    [
        ({"date": "2021-05-18T17:45:00-07:00", "duration": "01:00:45"}, "May 18, 2021 · 61 min"),
        ({"date": "2012-06-09", "topics": "linux| rust |"}, "June 9, 2012 · linux, rust"),
        ({"duration": 2063}, "34 min"),
        ({"duration": "0:20"}, "1 min"),
        ({"date": "spring 2012", "duration": "an hour"}, "spring 2012 · an hour"),
        ({"date": "x" * 41, "duration": "1:2:3:4 " * 9, "topics": "y" * 61}, ""),
        ({"duration": "0"}, ""),
        ({"topics": "|".join(["twenty letters here."] * 4)}, f"{'twenty letters here., ' * 2}…"),
        ({}, ""),
    ],
)
def test_facts_of_an_episode_are_one_short_line(data, said):
    assert episode_facts(Content(data=data)) == said


def test_facts_of_an_episode_are_in_the_language_of_the_page():
    data = {"date": "2012-06-09", "duration": "00:34:23"}
    with override("zh-hans"):
        assert episode_facts(Content(data=data)) == "2012年6月9日 · 34 分钟"
    with override("ar"):
        assert episode_facts(Content(data=data)) == "9 يونيو، 2012 · 34 د"


def test_cards_of_a_pair_say_the_facts_and_fold_what_the_show_is(client, owner):
    study = tell_facts(make_podcasts(owner, pairs=1))
    show = "<b>Old</b> trades & *more*."
    for content in study.contents.exclude(title=""):
        content.data["show_description"] = show
        content.save()
    page = client.get(f"/r/{begin(client, study)}/item/2/").content.decode()
    said = "May 18, 2021 · 61 min · lighthouses, trade by sea, letters, winter storms, bread, …"
    assert page.count(f'<p class="muted show" dir="auto">Show 2 · {said}</p>') == 2
    about = '<p class="about-show" dir="auto"><b>Show 1</b>: Old trades &amp; more.</p></div></div>'
    assert page.count(about) == 2
    short = Content(title="T", data={"show_description": show})
    assert card(short, study).is_long and not card(Content(title="T"), study).is_long
    dated = {"data": {"date": "2021-05-18"}}
    assert not card(Content(show="S", **dated), study).is_long
    assert card(Content(show="A show with a long name", **dated), study).is_long
