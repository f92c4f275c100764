"""study.yaml comes out as it went in: loading what was downloaded changes nothing."""

import io

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from hypothesis import example, given
from hypothesis import strategies as st

from annotate.files.reading import Problems
from annotate.files.reading.studyfile import read_study
from annotate.files.reading.studyspec import StudySpec
from annotate.models import Membership, Question, Study
from annotate.studies.study_file import as_yaml, study_data
from annotate.values.scales import parse_scale, spec_of
from judges.files import check_files, load_files
from judges.files.study_file import study_yaml
from judges.models import Judge
from tests import factories
from tests.files import load

FULL = """\
study: full
title: "Films: 电影 – #1 'best' \\U0001F3AC"
language: en
state: closed
kind: list_pair
raters_per_item: 7
raters_per_item_max: 9
split: {seed: 11, share: 0.25}
adaptive_from: {sd: 1.25}
items_per_session: 12
hold_minutes: 90
show_history: 9
media_hosts: [media.example.org, cdn.example.com]
completion_code: "0042"
notice: Yes
consent: |
  # Consent

  One line
    and one with blanks before.

  - [link](https://uni.example)
instructions: "  begins with blanks\\r\\nends with them  \\n\\n"
questions:
  - {key: five, text: 'true', scale: likert5}
  - {key: seven, text: "null", scale: likert7, applies_to: [profile, statement]}
  - {key: yes-no, text: "2024-05-31", scale: binary, required: false}
  - {key: support, text: "- a", scale: {binary: [Not supported, Supported]}}
  - {key: better, text: "a: b # c", scale: {choice: [A, tie, "B", "1", "true", "a, b]"]}}
  - {key: points, text: "|", scale: {min: -3, max: 3}}
  - {key: ends, text: "[", scale: {min: 0, max: 100, labels: [none, "all: of it"]}}
  - {key: each, text: "~", scale: {min: 1, max: 3, labels: [a, '', "  c "]}}
  - {key: number, text: ".5", scale: number}
  - {key: why, text: "1e3", scale: text, required: false, applies_to: text}
quality:
  min_seconds: 2.5
  attention: [{text: 'Please choose both "A" and D.', at: [3, 9]}, null, true, 1.0e+15]
  "1": {}
  "<<": []
platform: prolific
pays_per_session: 2.75
pay_currency: CHF
comprehension:
  attempts: 3
  questions:
    - {text: "How many?", options: [two, "3", "true"], answer: "3", explanation: "Three: count."}
    - {text: "What: #1?", options: ["a, b]", c], answer: c}
practice:
  - {item: "0012", answers: {five: 4, better: "B"}, feedback: "Look\\nagain."}
  - {item: p2}
exit:
  - gender
  - {ready: familiarity, text: "What share?", required: true}
  - {key: owns-tv, text: "TV?", scale: {choice: ["true", "no: none"]}, required: true}
  - {key: years, text: "|", scale: number, required: false}
attention:
  - {key: both, text: Please choose both A and D., options: [A, B, C, D],
     right: [A, D], after: middle}
  - {key: read, text: "Choose *Disagree*.", scale: likert5, right: Disagree, after: 3}
  - {key: ends, text: "[", scale: {min: 1, max: 3, labels: [a, '', "  c "]}, right: 3}
  - {key: number, text: "1", scale: {min: -2, max: 2}, right: -1, after: random}
gold:
  - {item: "e 1", answers: {five: 5, number: 0.5, yes-no: 1}, tolerance: 1}
  - {item: "0042", answers: {better: tie}}
order: latin_square
attention_failures: 2
gold_per_session: 1
repeats: 3
repeat_share: 0.1
minimum_seconds: 8
stem: "Does it help you"
layout: grid
tell_pay: true
contact: Jane Doe, jane@uni.example
ethics_reference: IRB 2026-114
withdrawal_pay: You are paid for the minutes that you took part.
delete_on: 2187-06-30
local_models_only: true
consent_covers: [api.openai.com, llm.uni.example]
screener:
  questions:
    - {key: adult, text: "How old: #?", options: ["<18", "18 or over"], screens_out: ["<18"]}
    - {key: sex, text: "Are you …", options: [a woman, a man, "no: neither"]}
  quotas:
    - {name: "Women: 40", question: sex, options: [a woman], most: 40}
    - {name: Others, question: sex, options: [a man, "no: neither"], most: 1}
arms:
  - {name: "Long: #1", instructions: "Read *all*.\\n\\nThen rate.", layout: one_at_a_time}
  - {name: short, share: 2}
screen_out_pay: You are paid $0.14.
questions_before:
  - {ready: age, required: true}
  - movies_per_month
  - {key: job, text: "What: do you do?", scale: text, required: false}
taste:
  least: 2
  most: 7
  length: 4
  sources:
    - {system: "near: #1", columns: [genres, "top, ics"]}
    - {system: chance, by: random}
debrief: "# Why\\n\\nSome texts were *written* by models: - a\\n- [b](https://example.org)"
order_seed: 2147483647
sessions_by: "len gth: #1"
prompts:
  - prompt: own/tone.v1
    text: "JSON $$5: #\\n$aspects $rules $keys\\n<<<T\\n$text\\nT>>>\\n\\n  "
  - {prompt: own/fits.v7, method: fit, text: "JSON $words\\n<<<T\\n${episode}\\nT>>>"}
judges:
  - {judge: careful, endpoint: local, prompt: explanation.v1, aspects: single, temperature: 0.3,
     rationale: true, max_tokens: 77}
  - {judge: shown, endpoint: local, prompt: explanation.v2, temperature: null, samples: 5,
     shots: personalised, example_role: expert, strict: true, pool_share: 0.35, seed: 9,
     context: history, history_length: 25}
  - {judge: "BLEU-4: “n-gram”", kind: imported}
  - {judge: B, kind: bleu-4, language: zh}
  - {judge: R, kind: random, seed: 7}
  - {judge: both, kind: ensemble, members: [B, R], rule: median}
"""


def read(folder, text):
    """(StudyFile, messages) of a text."""
    path, problems = folder / "study.yaml", Problems()
    path.write_bytes(text.encode())
    return read_study(path, path.name, problems), [str(problem) for problem in problems.shown]


def check(folder, text):
    """(is anything new or changed, messages) of loading the text now."""
    path = folder / "again.yaml"
    path.write_bytes(text.encode())
    loading = check_files(path, {})
    changes = any(counts.new or counts.changed for counts in loading.counts.values())
    return changes, [str(problem) for problem in loading.problems.shown]


@pytest.fixture
def full(db, tmp_path):
    """The study of the file above, loaded."""
    factories.make_endpoint()
    (tmp_path / "study.yaml").write_text(FULL)
    loading = load_files(tmp_path / "study.yaml", {}, owner=factories.make_user("owner"))
    assert [str(problem) for problem in loading.problems.shown] == []
    return loading.study


def test_what_was_loaded_comes_out_the_same(full, tmp_path):
    first, messages = read(tmp_path, FULL)
    again, more = read(tmp_path, study_yaml(Study.objects.get()))
    assert (messages, more) == ([], [])
    assert again.slug == first.slug
    assert again.fields == first.fields
    assert again.questions == first.questions
    assert len(again.judges) == 6


def test_loading_the_download_changes_nothing_and_says_so(full, tmp_path):
    text = study_yaml(Study.objects.get())
    assert check(tmp_path, text) == (False, [])
    (tmp_path / "study.yaml").write_bytes(text.encode())
    said = io.StringIO()
    call_command("load_study", str(tmp_path / "study.yaml"), stdout=said)
    assert "Nothing changes: study full holds all of it already." in said.getvalue()
    assert study_yaml(Study.objects.get()) == text


def judge_rows():
    names = ["key", "kind", "prompt", "settings", "endpoint__key", "rule", "members__key"]
    return Judge.objects.order_by("pk", "members__pk").values(*names)


def test_another_server_makes_the_same_study_of_it(full, tmp_path):
    text = study_yaml(Study.objects.get())
    questions = list(
        Question.objects.values("key", "text", "scale_spec", "required", "applies_to", "position")
    )
    judges = list(judge_rows())
    fields = Study.objects.values(
        "slug",
        "title",
        "kind",
        "consent",
        "instructions",
        "extra",
        "completion_code",
        "raters_per_item",
    )
    before = fields.get()
    Study.objects.all().delete()
    (tmp_path / "study.yaml").write_bytes(text.encode())
    load_files(tmp_path / "study.yaml", {})
    assert fields.get() == before
    assert list(Question.objects.values(*questions[0])) == questions
    assert list(judge_rows()) == judges
    assert study_yaml(Study.objects.get()) == text


OTHERWISE = """\
study: chinese
title: 电影
language: zh-hans
kind: explanation
questionnaire_version: 3
questions:
  - {key: five, text: 有说服力吗？, scale: likert5, why: required}
  - {key: own, text: 好吗？, scale: {min: 1, max: 5, labels: [很差, 很好]}, why: true}
  - {key: english, text: "?", scale: {binary: ["No", "Yes"]}}
  - {key: old, text: "旧 \\u202bقديم", scale: binary, retired: true, required: false}
platform:
  name: mturk
  open_link: true
  keep_for_recipients: false
  keep_days: 3
  codes: {screened_out: OUT-1, failed_attention: "007", no_consent: 8, too_late: L_4}
attention:
  - {key: point, text: 请选“不同意”。, scale: likert5, right: 不同意}
  - {key: words, text: 请选是。, scale: binary, right: 是, after: 0}
exit:
  - {key: mood, text: 心情？, scale: likert7, required: true}
raters_per_item_max: 5
adaptive_from: {labels: 3}
notice: "=1+1"
instructions: "# 说明\\n\\n**请** <b>看</b>"
"""


def test_a_chinese_study_with_reasons_codes_and_versions_comes_out_the_same(db, tmp_path):
    (tmp_path / "study.yaml").write_text(OTHERWISE)
    loading = load_files(tmp_path / "study.yaml", {}, owner=factories.make_user("owner"))
    assert [str(problem) for problem in loading.problems.shown] == []
    first, _ = read(tmp_path, OTHERWISE)
    text = study_yaml(Study.objects.get())
    again, messages = read(tmp_path, text)
    assert messages == [] and again.questions == first.questions
    assert {key: again.fields[key] for key in first.fields} == first.fields
    assert again.version == 3 and [one["why"] for one in again.questions[:2]] == [
        "required",
        "optional",
    ]
    assert check(tmp_path, text) == (False, [])
    Study.objects.all().delete()
    (tmp_path / "study.yaml").write_text(text)
    load_files(tmp_path / "study.yaml", {})
    assert study_yaml(Study.objects.get()) == text


def test_every_key_that_can_be_read_is_written(full):
    found = [line.split(":")[0] for line in study_yaml(Study.objects.get()).splitlines()]
    assert [key for key in StudySpec.model_fields if key not in found] == []


def test_a_change_in_the_file_is_seen(full, tmp_path):
    text = study_yaml(Study.objects.get())
    for old, new in [
        ("max_tokens: 77", "max_tokens: 78"),
        ("min_seconds: 2.5", "min_seconds: 2.6"),
        ("all: of it", "all of it"),
        ("and one with", "And one with"),
        ("- key: five\n", ""),
    ]:
        assert old in text
        changes, messages = check(tmp_path, text.replace(old, new))
        assert changes or messages, old


def test_long_texts_stand_in_blocks_that_people_can_edit(full):
    text = study_yaml(Study.objects.get())
    assert "consent: |\n  # Consent\n\n  One line\n    and one with blanks before.\n" in text
    assert "applies_to: [profile, statement]" in text
    assert "title: 'Films: 电影 – #1 ''best'' 🎬'" in text


def test_after_changes_on_the_pages_the_file_still_round_trips(full, tmp_path):
    client = Client()
    client.force_login(
        full.memberships.get().user, backend="django.contrib.auth.backends.ModelBackend"
    )
    pks = list(full.questions.values_list("pk", flat=True))
    client.post(f"/studies/full/questions/{pks[3]}/move/", {"to": "up"})
    client.post(f"/studies/full/questions/{pks[0]}/delete/")
    client.post(
        "/studies/full/questions/new/",
        {"text": "a\r\nb", "key": "new", "scale": "choice", "labels": "x\r\ny: z\r\n"},
    )
    given = {
        "title": "T",
        "state": "open",
        "items_per_session": 5,
        "hold_minutes": 30,
        "completion_code": "no",
        "consent": "a\r\n\r\n- b\r\n",
    }
    assert client.post("/studies/full/settings/", given).status_code == 302
    assert Study.objects.get().consent == "a\n\n- b"
    text = client.get("/studies/full/study.yaml").content.decode()
    assert check(tmp_path, text) == (False, [])


def test_a_study_without_questions_says_nothing_of_them(db, tmp_path):
    factories.make_study("empty", questions={})
    text = study_yaml(Study.objects.get())
    assert "questions" not in text
    assert check(tmp_path, text) == (False, [])


def test_the_download_is_for_editors(full, as_stranger):
    answers = {}
    for role in ("viewer", "editor"):
        client, user = Client(), factories.make_user(role)
        Membership.objects.create(study=full, user=user, role=role)
        client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
        answers[role] = client.get("/studies/full/study.yaml")
    assert answers["viewer"].status_code == 404
    assert as_stranger.get("/studies/full/study.yaml").status_code == 404
    assert answers["editor"]["Content-Disposition"] == 'attachment; filename="full-study.yaml"'
    assert answers["editor"].content.decode() == study_yaml(Study.objects.get())


def test_the_command_writes_the_same_file(full, tmp_path):
    out = tmp_path / "out.yaml"
    call_command("export", "full", "study", output=out)
    assert out.read_bytes().decode() == study_yaml(Study.objects.get())
    said = io.StringIO()
    call_command("export", "full", "study", stdout=said)
    assert said.getvalue() == out.read_bytes().decode()
    with pytest.raises(CommandError, match="leave --format out"):
        call_command("export", "full", "study", format="csv")


# Odd texts, by the thousand

ODD = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=60)
PIECES = st.sampled_from(
    [
        "\n",
        "\r",
        "\r\n",
        "\t",
        " ",
        "  ",
        "\u0085",
        "\u2028",
        "\u2029",
        "\ufeff",
        "\x1b",
        "\x7f",
        "\U0001f3ac",
        "\U0010ffff",
        "é",
        "e\u0301",
        "\u202e",
        "'",
        '"',
        "\\",
        ": ",
        " #",
        "- ",
        "? ",
        "|",
        ">",
        "&a",
        "*a",
        "!x",
        "%",
        "@",
        "`",
        "{",
        "}",
        "[",
        "]",
        ",",
        "<<",
        "=",
        "~",
        "null",
        "true",
        "No",
        "0x1F",
        "1e3",
        ".inf",
        "2024-05-31",
        "12:30",
        "---",
        "...",
        "a",
        "long words ",
    ]
)
TEXTS = ODD | st.lists(PIECES, max_size=12).map("".join)
PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**15), 10**15)
    | TEXTS
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=8,
)
LABELS = st.lists(TEXTS, min_size=2, max_size=5, unique=True)
SCALES = (
    st.sampled_from(["likert5", "likert7", "binary", "number", "text"])
    | LABELS.filter(lambda labels: all(map(str.strip, labels))).map(
        lambda labels: {"choice": labels}
    )
    | LABELS.map(lambda labels: {"binary": labels[:2]})
    | LABELS.map(lambda labels: {"min": -1, "max": len(labels) - 2, "labels": labels})
    | LABELS.map(lambda labels: {"min": 0, "max": 10, "labels": labels[:2]})
    | st.integers(-1_000_000, 999_900).map(lambda low: {"min": low, "max": low + 100})
)


@given(SCALES)
def test_every_scale_has_a_form_that_makes_it_again(spec):
    scale = parse_scale(spec)
    assert parse_scale(spec_of(scale)) == scale


@given(TEXTS, TEXTS, TEXTS, SCALES, PLAIN)
@example("a\n", "\na", " a\nb", "text", {"": "\n "})
@example("a \nb", "a\n\n\n", "\t\n", "text", ["|\n  x", "# \n#"])
@example("\x85a\nb", "\u2028", "a\u2029\n", "text", {"a: b\nc": {"- ": "?"}})
def test_no_text_however_odd_is_changed(tmp_path_factory, consent, text, notice, spec, extra):
    study = Study(
        slug="odd",
        title="x",
        completion_code=notice[:40],
        consent=consent,
        notice=notice,
        extra={"quality": extra},
    )
    question = Question(key="q", text=text or "x", scale_spec=parse_scale(spec).as_dict())
    data = study_data(study, [question])
    found, messages = read(tmp_path_factory.getbasetemp(), as_yaml(data))
    assert messages == []
    assert found.fields["consent"] == consent and found.fields["notice"] == notice
    code = notice[:40] if notice[:40].strip() else None
    assert found.fields.get("completion_code") == code
    assert found.fields["extra"] == ({} if extra is None else {"quality": extra})
    assert found.questions[0]["text"] == (text or "x")
    assert found.questions[0]["scale_spec"] == question.scale_spec


BLANK = "study: films\ntitle: {0}\ncompletion_code: {0}\nkind: {0}\nhold_minutes: {0}\nstate: {0}\n"


@pytest.mark.django_db
@pytest.mark.parametrize("blank", ["", "null", '""', '" "'])
def test_a_blank_of_what_every_study_has_leaves_it_as_it_is(tmp_path, blank):
    text = "title: Films\ncompletion_code: '0042'\nkind: text\nhold_minutes: 7\nstate: closed\n"
    questions = "questions:\n  - {key: q, text: Q, scale: binary}\n"
    assert not load(tmp_path, study=f"study: films\n{text}{questions}").problems
    again = load(tmp_path, study=BLANK.format(blank))
    assert not again.problems and not again.changes
    made = load(tmp_path, study=BLANK.format(blank).replace("films", "made") + questions).study
    assert (made.title, made.kind, made.hold_minutes, made.state) == (
        *("made", "explanation", 60, "open"),
    )
    assert len(made.completion_code) > 4
