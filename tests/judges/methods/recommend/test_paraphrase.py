"""A recommender's prompt in other words, written by an LLM: asked for once, checked, kept."""

import hashlib

import pytest
from django.core.management import CommandError

from annotate.models import Membership
from judges.methods.recommend.paraphrase import Refused, paraphrase, problem_of, unwrapped
from judges.models import Run, StudyPrompt
from judges.prompting import fill
from judges.prompting.own import save_version, sha256
from tests import factories
from tests.judges.methods.recommend.test_method import FIRST, films, make_recommender
from tests.judges.methods.recommend.test_recommender_pages import tell
from tests.judges.methods.recommend.test_wordings import PARAPHRASE
from tests.scripted_server import Reply, ScriptedServer, chat

pytestmark = pytest.mark.django_db
__all__ = ["films"]
USUAL = fill.load("recommend.v1").text.strip()
SMALL = ["--iterations", 1, "--l", 3, "--users", 1, "--relations", "multiply", "--wait", "--yes"]
LOST = "You recommend. Rated from $low to $high: $rated. List $k more of $word, nothing else."


def writes(text, **fields):
    """Whoever is asked for another wording writes that; lists are as always."""

    def script(_number, request):
        is_asked = "WORDING" in request["messages"][0]["content"]
        return chat(text, **fields) if is_asked else chat(FIRST)

    return script


def asked_to_write(server):
    return [each for each in server.requests if "WORDING" in each["messages"][0]["content"]]


def test_it_is_asked_for_once_and_compared_as_another_wording_is(films):
    with ScriptedServer(writes(f"{PARAPHRASE}\n")) as server:
        judge = make_recommender(films, server.url)
        told = tell(films.slug, judge.key, *SMALL, "--paraphrase", "said-again")
        again = tell(films.slug, judge.key, *SMALL, "--paraphrase", "said-again")
        (sent,) = asked_to_write(server)
    text = sent["messages"][0]["content"]
    assert f"<<<WORDING\n{USUAL}\nWORDING>>>" in text and "such as $k," in text
    assert "Heat" not in text and "temperature" not in sent
    digest = hashlib.sha256(PARAPHRASE.encode()).hexdigest()
    assert (
        f"scripted-1 wrote the paraphrase own/said-again.v1 of recommend.v1, sha256 {digest}"
        in told
    )
    assert "own/said-again.v1 is there already; nobody is asked" in again
    prompt = StudyPrompt.objects.get()
    assert (prompt.text, prompt.sha256, prompt.method) == (PARAPHRASE, digest, "recommender")
    for run in Run.objects.all():
        cells = set(run.recommended_lists.values_list("cell", flat=True))
        assert cells == {"no_change", "multiply:factor=2", "wording:prompt=own/said-again.v1"}
        assert run.frozen["wordings"][prompt.key]["text"] == PARAPHRASE
    other = run.recommended_lists.get(relation="wording")
    assert other.text.startswith("You recommend. Person u") and "$" not in other.text
    assert other.is_parsed and Run.objects.count() == 2


def test_another_endpoint_may_write_it_and_who_wrote_it_is_kept(films):
    with ScriptedServer(writes(PARAPHRASE)) as own, ScriptedServer(writes(PARAPHRASE)) as writer:
        judge = make_recommender(films, own.url)
        factories.make_endpoint(writer.url, key="writer", price_in=2, price_out=10)
        told = tell(films.slug, judge.key, *SMALL, "--paraphrase", "p", "--by", "writer")
        assert not asked_to_write(own) and len(writer.requests) == 1
        with pytest.raises(CommandError, match="no endpoint 'nobody'. Endpoints: local-0, writer"):
            tell(films.slug, judge.key, *SMALL, "--paraphrase", "q", "--by", "nobody")
    prompt, asked = StudyPrompt.objects.get(), fill.load_part("paraphrase.v1")
    assert prompt.written_by == {
        "endpoint": "writer",
        "model": "scripted-1",
        "asked": "paraphrase.v1",
        "asked_sha256": asked.sha256,
        "of": "recommend.v1",
        "of_sha256": fill.load("recommend.v1").sha256,
        "temperature": None,
        "tokens_in": 100,
        "tokens_out": 10,
        "cost_usd": 0.0003,  # (100 · 2 + 10 · 10) / a million
    }
    assert "of recommend.v1, USD 0.000300, sha256" in told
    assert Run.objects.get().frozen["wordings"][prompt.key]["written_by"] == prompt.written_by


def test_its_page_says_who_wrote_it_until_a_person_writes_another(films, owner, as_owner):
    Membership.objects.get_or_create(study=films, user=owner, defaults={"role": "owner"})
    writer = {
        "endpoint": "e",
        "model": "<b>m",
        "asked": "a.v1",
        "of": "o.v1",
        "tokens_in": 7,
        "tokens_out": 5,
        "cost_usd": None,
    }
    fields = {"study": films, "name": "p", "method": "recommender", "text": PARAPHRASE}
    prompt = StudyPrompt.objects.create(**fields, written_by=writer)
    said = (
        "written by &lt;b&gt;m at e, asked by a.v1 to say o.v1 in other words; 7 tokens in, 5 out"
    )
    page = f"/studies/{films.slug}/prompts/own/p/"
    assert said in as_owner.get(page).content.decode()
    base = sha256(PARAPHRASE)
    save_version(prompt, PARAPHRASE + " Now.", base, owner)
    assert StudyPrompt.objects.get().written_by == {}
    assert "written by" not in as_owner.get(page).content.decode()


@pytest.mark.parametrize(
    ("text", "fields", "words"),
    [
        (" \n", {}, "the reply is empty"),
        (PARAPHRASE, {"finish_reason": "length"}, "the reply was cut off"),
        (f"<<<WORDING\n{USUAL}\nWORDING>>>", {}, "it is the prompt as it was"),
        (LOST, {}, "user stands 0 times instead of 1"),
        (PARAPHRASE.replace("$rated", "them"), {}, "rated is missing"),
        (PARAPHRASE + " I said $k.", {}, "k stands 2 times instead of 1"),
        (PARAPHRASE + " For ${user}.", {}, "user stands 2 times instead of 1"),
        (PARAPHRASE.replace("$word", "$film"), {}, "found .film; allowed are"),
        (PARAPHRASE + " It costs $ 3.", {}, "a . without a name"),
        (PARAPHRASE + " At most 10.", {}, "the number 10, which the prompt has not"),
        (PARAPHRASE + " <<<END", {}, "the marker <<<, which the prompt has not"),
        ("Sure! Here it is.", {}, "rated is missing"),
    ],
)
def test_what_is_no_paraphrase_is_refused_in_words_and_nothing_is_kept(films, text, fields, words):
    with ScriptedServer(writes(text, **fields)) as server:
        judge = make_recommender(films, server.url)
        with pytest.raises(CommandError, match=words) as refused:
            tell(films.slug, judge.key, *SMALL, "--paraphrase", "said-again")
    assert "cannot be used as a paraphrase" in str(refused.value)
    assert not StudyPrompt.objects.exists() and not Run.objects.exists()


@pytest.mark.parametrize(("status", "words"), [(401, "key refused"), (500, "server error")])
def test_an_endpoint_that_fails_is_named(films, status, words):
    with ScriptedServer(lambda *_: Reply("no", status=status)) as server:
        judge = make_recommender(films, server.url)
        with pytest.raises(CommandError, match=f"local-0 wrote no paraphrase: {words}"):
            tell(films.slug, judge.key, *SMALL, "--paraphrase", "said-again")
    assert not StudyPrompt.objects.exists()


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--by", "writer"], "give it a name, --paraphrase"),
        (["--paraphrase", "p", "--plan", "k_sweep"], "add relations to --plan"),
        (["--paraphrase", "Said Again"], "lower-case letters, digits and hyphens"),
        (["--paraphrase", "a-score"], "own/a-score.v1 asks something else"),
        (["--paraphrase", "short"], "no place for .high, .low"),
        (["--paraphrase", "said", "--relations", "wording:prompt=own/said.v1"], "twice"),
    ],
)
def test_what_makes_no_sense_is_refused_before_anybody_is_asked(films, options, words):
    texts = {
        "a-score": ("questions", "JSON $text"),
        "said": ("recommender", PARAPHRASE),
        "short": ("recommender", "Of $rated name $k to $user"),
    }
    for name, (method, text) in texts.items():
        StudyPrompt.objects.create(study=films, name=name, method=method, text=text)
    with ScriptedServer(writes(PARAPHRASE)) as server:
        judge = make_recommender(films, server.url)
        with pytest.raises(CommandError, match=words):
            tell(films.slug, judge.key, *SMALL, *options)
    assert not server.requests and not Run.objects.exists()


def test_a_name_that_was_taken_meanwhile_is_not_replaced(films):
    judge = make_recommender(films)
    StudyPrompt.objects.create(study=films, name="p", method="recommender", text=LOST)
    with ScriptedServer(writes(PARAPHRASE)) as server:
        judge.endpoint.base_url = server.url
        with pytest.raises(Refused, match="has got a prompt own/p meanwhile"):
            paraphrase(judge, judge.endpoint, "p")
    assert StudyPrompt.objects.get().text == LOST


def test_what_stands_around_it_is_taken_away():
    for around in (
        PARAPHRASE,
        f"\n{PARAPHRASE}\r\n",
        f"```text\n{PARAPHRASE}\n```",
        f"<<<WORDING\n{PARAPHRASE}\nWORDING>>>",
    ):
        assert unwrapped(around) == PARAPHRASE
    assert problem_of(USUAL, PARAPHRASE) == ""
    assert problem_of(USUAL, "  ".join(USUAL.split())) == "it is the prompt as it was."


def test_a_place_that_a_prompt_has_twice_stays_twice():
    twice = PARAPHRASE + " Remember: $k."
    assert problem_of(USUAL + " So $k.", twice) == ""
    assert "$k stands 1 times instead of 2" in problem_of(USUAL + " So $k.", PARAPHRASE)
