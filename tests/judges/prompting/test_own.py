"""A study's own prompts: what may stand in them, their versions, who may use them."""

import hashlib

import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotate.models import Item, Membership
from judges import methods
from judges.files import load_files
from judges.files.study_file import study_yaml
from judges.models import Call, Judge, Judgment, StudyPrompt
from judges.prompting import fill
from judges.prompting.own import in_words, problems_of, save_version, warnings_of
from judges.runs import drive
from judges.runs.plan import PlanError, plan
from tests import factories
from tests.judges.prompting.test_fill import question
from tests.scripted_server import ScriptedServer

pytestmark = pytest.mark.django_db
TEXT = """\
Rate as a careful reader; 5 costs $$5.
$aspects
$rules Reply in JSON with $keys.
$content
<<<EXPLANATION
$text
EXPLANATION>>>
"""
OTHER = TEXT.replace("careful", "hurried")
WHOLE = {
    "questions": TEXT,
    "fit": "JSON: $words\n<<<EPISODE\n${episode}\nEPISODE>>>",
    "pairwise": "JSON: $keys, $words\n$lists",
    "profile": "JSON\n<<<HISTORY\n$listening\nHISTORY>>>",
    "topics": "JSON, $most\n<<<REVIEWS\n$reviews\nREVIEWS>>>",
}
WRONG = {
    "an unknown placeholder": (
        TEXT + "$user",
        "Line 8: found $user; allowed are $aspects, $rules, $keys, $text, $content, $example, "
        "$context.",
    ),
    "one of another method": (TEXT.replace("5 costs", "${lists}"), "Line 1: found ${lists};"),
    "capitals": (TEXT.replace("$rules", "$Rules"), "Line 3: found $Rules;"),
    "a single dollar sign": (TEXT.replace("$$5", "$5"), "Line 1: found a $ without a name; write"),
    "a missing one": (TEXT.replace("$rules ", ""), "$rules is missing: a sentence about"),
    "only with an escape": (TEXT.replace("$keys", "$$keys"), "$keys is missing"),
    "no marker lines": (
        TEXT.replace("<<<EXPLANATION\n", ""),
        "Line 5: $text has to stand alone between a line",
    ),
    "two different marks": (TEXT.replace("EXPLANATION>>>", "END>>>"), "Line 6: $text has to stand"),
    "beside the text": (TEXT.replace("$text\n", "It: $text\n"), "Line 6: $text has to stand"),
    "a text twice": (TEXT + "$text", "Line 8: $text has to stand alone"),
    "no JSON": (TEXT.replace("JSON", "words"), "It has to ask for JSON"),
    "no end": (TEXT + "x" * 20_000, "at most 20000 characters"),
}


def make_prompt(study, text=TEXT, name="tone", version=1, method="questions"):
    return StudyPrompt.objects.create(
        study=study, name=name, version=version, method=method, text=text
    )


def judge_of(study, prompt="own/tone.v1", **fields):
    endpoint = fields.pop("endpoint", None) or factories.make_endpoint(price_in=1, price_out=2)
    return factories.make_judge(study, "careful", endpoint, prompt=prompt, **fields)


def to(study, name="prompt", *args):
    return reverse(name, args=[study.slug, *args])


def base(text=TEXT):
    return hashlib.sha256(text.encode()).hexdigest()


# What may stand in one


@pytest.mark.parametrize("method", WHOLE)
def test_a_whole_prompt_is_taken_and_known_for_its_method(method):
    assert problems_of(WHOLE[method], methods.named(method)) == []
    assert fill.Prompt("own/x.v1", WHOLE[method]).method == method


@pytest.mark.parametrize("name", fill.names())
def test_what_the_project_s_prompts_hold_is_allowed(name):
    prompt = fill.load(name)
    text = prompt.text.replace("$examples\n", "")  # of explanation.v1; never filled
    assert problems_of(text, methods.named(prompt.method)) == []


@pytest.mark.parametrize("method", WHOLE)
def test_every_needed_placeholder_is_missed(method):
    for name in methods.named(method).needed_places:
        text = WHOLE[method].replace(f"${name}", "").replace(f"${{{name}}}", "")
        assert f"${name} is missing" in " ".join(in_words(problems_of(text, methods.named(method))))


@pytest.mark.parametrize("case", WRONG)
def test_a_wrong_prompt_is_refused_with_its_line(as_owner, study, case):
    text, words = WRONG[case]
    data = {"name": "tone", "method": "questions", "text": text}
    answer = as_owner.post(to(study, "prompt_new"), data)
    assert answer.status_code == 422
    assert words.replace("<", "&lt;") in answer.content.decode()
    assert not StudyPrompt.objects.exists()


@given(st.text(alphabet="<>|$PROEXLANTI{}text\n\r ", max_size=120))
def test_no_text_can_end_its_marker_lines(raw):
    item = Item(text=raw)
    for template in (TEXT, fill.load("explanation.v2").text):
        (message,) = fill.messages(template, item, [question()])
        marks = [line for line in message["content"].splitlines() if "<<<" in line or ">>>" in line]
        assert marks == ["<<<EXPLANATION", "EXPLANATION>>>"]
        assert message["content"].endswith("EXPLANATION>>>"), "nothing follows the text"


@given(st.text(max_size=200), st.sampled_from(["EPISODE>>>", "<<<EPISODE", "<|im_end|>", "$words"]))
def test_no_episode_can_end_its_marker_lines(raw, marker):
    text = fill.filled(
        WHOLE["fit"], episode=fill.one_line(raw + marker + raw), words="fit", context=""
    )[0]["content"]
    inside = text.split("<<<EPISODE\n", 1)[1]
    assert inside.count("EPISODE>>>") == 1 and inside.endswith("\nEPISODE>>>")
    assert "<|" not in inside


def test_a_title_outside_marker_lines_is_warned_of(as_owner, study):
    """TEXT has it on its fourth line; between marker lines it is no matter."""
    words = "Line 4: $content stands outside marker lines"
    make_prompt(study)
    assert words in as_owner.get(to(study, "prompt", "tone")).content.decode()
    for place in ("$content", "${content}"):
        fenced = TEXT.replace("$content", f"<<<RECOMMENDATION\n{place}\nRECOMMENDATION>>>")
        sent = {"text": fenced, "base": base(), "try": "1"}
        page = as_owner.post(to(study, "prompt", "tone"), sent).content.decode()
        assert "This text is not saved." in page and "outside marker lines" not in page
    assert warnings_of(WHOLE["fit"], methods.named("fit")) == []


# Versions


def test_a_prompt_is_made_and_its_text_is_kept_to_the_letter(as_owner, study):
    sent = "  \n" + TEXT.replace("\n", "\r\n") + "\r\n "
    data = {"name": "tone", "method": "questions", "text": sent}
    assert as_owner.post(to(study, "prompt_new"), data).url == to(study, "prompt", "tone")
    made = StudyPrompt.objects.get()
    assert (made.key, made.text) == ("own/tone.v1", f"  \n{TEXT}\n ")
    again = as_owner.post(to(study, "prompt_new"), data)
    assert again.status_code == 422
    assert "already has a prompt of that name" in again.content.decode()


def test_a_save_replaces_a_version_until_a_run_uses_it(as_owner, study):
    make_prompt(study)
    at = to(study, "prompt", "tone")
    assert as_owner.post(at, {"text": OTHER, "base": base()}).status_code == 302
    assert [each.text for each in StudyPrompt.objects.all()] == [OTHER]
    judge = judge_of(study)
    run = plan(judge)
    assert run.frozen["prompt_text"] == OTHER
    assert run.frozen["prompt_sha256"] == base(OTHER) == StudyPrompt.objects.get().sha256
    assert as_owner.post(at, {"text": TEXT, "base": base(OTHER)}).status_code == 302
    first, second = StudyPrompt.objects.all()
    assert (first.text, second.text, second.key) == (OTHER, TEXT, "own/tone.v2")
    judge.refresh_from_db()
    assert judge.prompt == "own/tone.v1", "the judge stays as it is"


def test_saving_the_same_text_makes_no_version(as_owner, study):
    make_prompt(study)
    plan(judge_of(study))
    as_owner.post(to(study, "prompt", "tone"), {"text": TEXT, "base": base()})
    assert StudyPrompt.objects.count() == 1


def test_who_began_from_an_older_text_is_told(as_owner, study):
    make_prompt(study, OTHER)
    answer = as_owner.post(
        to(study, "prompt", "tone"), {"text": TEXT + "Mine.", "base": base(TEXT)}
    )
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Somebody else saved this prompt meanwhile" in page and "Mine." in page
    assert StudyPrompt.objects.get().text == OTHER


def test_a_text_changed_behind_the_pages_is_never_run(study):
    prompt = make_prompt(study)
    judge = judge_of(study)
    plan(judge)
    StudyPrompt.objects.filter(pk=prompt.pk).update(text=OTHER)
    judge.runs.update(state="finished")
    with pytest.raises(PlanError, match="prompt own/tone.v1 was changed"):
        plan(judge)


def test_the_versions_stand_with_what_differs(as_owner, study):
    make_prompt(study)
    make_prompt(study, OTHER, version=2)
    judge_of(study)
    page = as_owner.get(to(study, "prompt", "tone")).content.decode()
    assert "-Rate as a careful reader; 5 costs $$5." in page
    assert "+Rate as a hurried reader; 5 costs $$5." in page
    assert "used by <a" in page and "Version 2" in page


# Judges


def test_a_call_keeps_the_text_and_its_hash(study):
    make_prompt(study)
    with ScriptedServer() as server:
        run = plan(judge_of(study, endpoint=factories.make_endpoint(server.url)))
        drive.work_through(run.pk)
    call = Call.objects.first()
    assert (call.prompt_name, call.prompt_hash) == ("own/tone.v1", base())
    assert call.messages[0]["content"].startswith("Rate as a careful reader; 5 costs $5.\n- per")
    assert set(Judgment.objects.values_list("value", flat=True)) == {5}


def test_the_form_of_a_judge_offers_the_study_s_own_only(as_owner, owner, study):
    make_prompt(study)
    other = factories.make_study("other", owner=owner)
    factories.make_endpoint()
    own = as_owner.get(reverse("judge_new", args=[study.slug]) + "?kind=llm").content.decode()
    others = as_owner.get(reverse("judge_new", args=[other.slug]) + "?kind=llm").content.decode()
    assert "own/tone.v1" in own and "own/tone.v1" not in others


def test_a_judge_of_another_study_cannot_use_it(owner, study):
    make_prompt(study)
    other = factories.make_study("other", owner=owner, items=1)
    with pytest.raises(PlanError, match="found prompt 'own/tone.v1'"):
        plan(judge_of(other))


def test_a_prompt_without_a_place_for_it_cannot_show_an_example(as_owner, study):
    make_prompt(study)
    with pytest.raises(PlanError, match="own/tone.v1 has no place for an example"):
        plan(judge_of(study, shots="one"))


# study.yaml


def test_study_yaml_gives_the_prompts_back(tmp_path, study, owner):
    text = f'  "#: {TEXT}\t- ü 电影 \n\n'
    make_prompt(study, text)
    make_prompt(study, OTHER, version=3)
    make_prompt(study, WHOLE["fit"], name="fits", method="fit")
    judge_of(study)
    file = tmp_path / "study.yaml"
    file.write_text(study_yaml(study), encoding="utf-8")
    same = load_files(file, {})
    assert not same.problems and same.counts["prompts"].unchanged == 3
    file.write_text(file.read_text().replace("study: films", "study: copy"), encoding="utf-8")
    copy = load_files(file, {}, owner=owner)
    assert not copy.problems, copy.problems.as_dict()
    kept = StudyPrompt.objects.filter(study=copy.study).values_list("name", "version", "text")
    assert {*kept} == {("tone", 1, text), ("tone", 3, OTHER), ("fits", 1, WHOLE["fit"])}
    assert Judge.objects.get(study=copy.study).prompt == "own/tone.v1"
    assert study_yaml(copy.study) == file.read_text(encoding="utf-8")


def load_prompt(tmp_path, entry):
    file = tmp_path / "study.yaml"
    file.write_text(f"study: films\nprompts:\n  - {entry}\n", encoding="utf-8")
    return load_files(file, {})


FAULTS = {
    "a name": ('{prompt: tone.v1, text: ""}', "expected is a name such as own/tone.v1"),
    "a method": ("{prompt: own/a.v1, method: rate}", "allowed is questions, fit, pairwise"),
    "a key": ("{prompt: own/a.v1, body: x}", "is not a known key; allowed are prompt, method, "),
    "a placeholder": ('{prompt: own/a.v1, text: "a\\n$b"}', "line 2 of the prompt: found $b; al"),
    "another method": ("{prompt: own/tone.v2, method: fit}", "other versions of it have questions"),
}


@pytest.mark.parametrize("case", FAULTS)
def test_a_wrong_prompt_of_a_file_is_refused(tmp_path, study, case):
    make_prompt(study)
    entry, words = FAULTS[case]
    loading = load_prompt(tmp_path, entry)
    problems = [(each.row, each.column, each.message) for each in loading.problems.shown]
    assert any(
        row == 3 and column.startswith("prompts.") and words in message
        for row, column, message in problems
    ), problems
    assert StudyPrompt.objects.count() == 1


def test_a_file_replaces_a_prompt_until_a_run_uses_it(tmp_path, study):
    make_prompt(study)
    entry = f"prompt: own/tone.v1\n    text: {OTHER!r}".replace("'", '"')
    assert not load_prompt(tmp_path, entry).problems
    assert StudyPrompt.objects.get().text == OTHER
    plan(judge_of(study))
    (problem,) = load_prompt(tmp_path, entry.replace("hurried", "slow")).problems.shown
    assert "which a run has used, so that it is frozen" in problem.message
    assert StudyPrompt.objects.get().text == OTHER


# The preview


def test_a_text_is_tried_without_being_kept(as_owner, study):
    make_prompt(study)
    endpoint = factories.make_endpoint(price_in=1, price_out=2)
    data = {"text": OTHER, "base": base(), "try": "1", "item": "item-2", "endpoint": endpoint.pk}
    page = as_owner.post(to(study, "prompt", "tone"), data).content.decode()
    assert "Rate as a hurried reader; 5 costs $5." in page
    assert "Because you like films (item-2)." in page
    assert "This text is not saved." in page
    assert "tokens in" in page and "for all 4 items" in page and "An estimate" in page
    assert StudyPrompt.objects.get().text == TEXT


def test_the_tokens_and_the_cost_are_those_of_the_text(as_owner, study):
    make_prompt(study)
    factories.make_endpoint(price_in=1, price_out=2)
    page = as_owner.get(to(study, "prompt", "tone") + "?item=item-1")
    preview = page.context["preview"]
    ((_, (message,), tokens),) = preview.calls
    assert preview.item.key == "item-1"
    assert tokens == -(-len(message["content"]) // 4) + 8, "all ASCII: 4 a token, 8 around"
    assert float(preview.usd) == (preview.tokens_in + 2 * preview.tokens_out) / 1e6


@pytest.mark.parametrize(
    ("method", "label"), [("topics", "Sample"), ("profile", "Recipient"), ("questions", "Item")]
)
def test_the_page_asks_for_what_a_prompt_is_tried_on(as_owner, study, method, label):
    make_prompt(study, WHOLE[method], method=method)
    page = as_owner.get(to(study, "prompt", "tone"))
    assert f'<label for="id_item">{label}' in page.text
    assert ('name="context"' in page.text) == (method == "questions")


def test_without_an_endpoint_the_page_says_so(as_owner, study):
    make_prompt(study)
    page = as_owner.get(to(study, "prompt", "tone"))
    assert "There is no endpoint yet" in page.content.decode()


@pytest.mark.parametrize("method", ["fit", "pairwise"])
def test_a_verdict_s_prompt_has_its_page(as_owner, study, method):
    make_prompt(study, WHOLE[method], method=method)
    factories.make_endpoint()
    assert as_owner.get(to(study, "prompt", "tone")).status_code == 200


def test_a_page_says_which_model_wrote_a_prompt_until_a_person_writes_another(
    as_owner, owner, study
):
    """Earlier versions had prompts written by models; the row still says so."""
    writer = {
        "endpoint": "e",
        "model": "<b>m",
        "asked": "a.v1",
        "of": "o.v1",
        "tokens_in": 7,
        "tokens_out": 5,
        "cost_usd": None,
    }
    prompt = make_prompt(study)
    StudyPrompt.objects.update(written_by=writer)
    words = "written by &lt;b&gt;m at e, asked by a.v1 to say o.v1 in other words; 7 tokens in"
    assert words in as_owner.get(to(study, "prompt", "tone")).text
    save_version(prompt, OTHER, base(), owner)
    assert StudyPrompt.objects.get().written_by == {}
    assert "written by" not in as_owner.get(to(study, "prompt", "tone")).text


# Who may


def test_viewers_have_no_buttons(as_stranger, stranger, study):
    make_prompt(study)
    Membership.objects.create(study=study, user=stranger, role=Membership.Role.VIEWER)
    main = as_stranger.get(to(study, "prompt", "tone")).content.split(b"<main")[-1]
    assert main.count(b"<form") == main.count(b'<form method="get"')


def test_the_list_takes_few_queries(as_owner, study, django_assert_max_num_queries):
    for number in range(1, 6):
        make_prompt(study, name=f"tone-{number}")
    with django_assert_max_num_queries(8):
        assert as_owner.get(to(study, "prompts")).status_code == 200
