"""Judgments of a file outside their question's scale: counted by judge, no numbers unasked."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from judges.loading import load_files
from judges.models import Judgment, Upload
from judges.tasks import load_upload
from tests.analysis.small import HANNA
from tests.files import ITEMS, STUDY, check, load, messages, write
from tests.judges.test_upload_pages import send

pytestmark = pytest.mark.django_db
# gpt: four of the scale's values, −1 and 7 beside it; BLEU: three of four are no points of 1 to 5.
JUDGMENTS = """\
item,judge,question,value
e1,gpt,persuasiveness,4
e2,gpt,persuasiveness,-1
e1,gpt,fits,1
e2,gpt,fits,0
e3,gpt,persuasiveness,7
e3,gpt,fits,1
e1,BLEU,persuasiveness,0.25
e2,BLEU,persuasiveness,1.5
e3,BLEU,persuasiveness,0.5
e3,BLEU,fits,-3
"""
THREE = ITEMS + 'e3,bo,film-2,personal,"Loud.",long\n'
GPT = (
    "gpt: 2 of 6 judgments are outside their questions' scales, 1–5 and 0–1 (lowest −1, highest 7)."
)
BLEU = (
    "BLEU: 3 of 4 judgments are outside their questions' scales, 1–5 and 0–1 "
    "(lowest −3, highest 1.5), so BLEU is taken to have a scale of its own: its values stay."
)


@pytest.fixture(autouse=True)
def folders(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


def values(judge):
    rows = Judgment.objects.filter(run__judge__key=judge).order_by("question__key", "item__key")
    return list(rows.values_list("value", flat=True))


def test_they_are_counted_by_judge_and_a_metric_keeps_its_own_scale(tmp_path):
    loading = check(tmp_path, items=THREE, judgments=JUDGMENTS)
    assert messages(loading) == []
    assert loading.off_scale.lines == [GPT, BLEU]


def test_missing_is_the_default_and_keeps_the_raw_value_as_the_reason(tmp_path):
    load(tmp_path, items=THREE, judgments=JUDGMENTS)
    assert values("gpt") == [1, 0, 1, 4, None, None]
    rows = Judgment.objects.filter(run__judge__key="gpt", value=None).order_by("item__key")
    assert [(row.state, row.reason) for row in rows] == [
        ("failed", "outside 1–5: the file has -1"),
        ("failed", "outside 1–5: the file has 7"),
    ]
    assert values("BLEU") == [-3, 0.25, 1.5, 0.5]


def test_clipped_to_the_nearest_end_or_kept(tmp_path):
    paths = write(tmp_path, items=THREE, judgments=JUDGMENTS)
    load_files(*paths, out_of_range="clip")
    assert values("gpt") == [1, 0, 1, 4, 1, 5]
    Judgment.objects.all().delete()
    load_files(*paths, out_of_range="keep")
    assert values("gpt") == [1, 0, 1, 4, -1, 7]
    assert values("BLEU") == [-3, 0.25, 1.5, 0.5]


@pytest.mark.parametrize("policy", ["missing", "clip", "keep"])
def test_the_same_file_loaded_again_changes_nothing_whatever_was_chosen(tmp_path, policy):
    paths = write(tmp_path, items=THREE, judgments=JUDGMENTS)
    load_files(*paths, out_of_range=policy)
    for again in ("missing", "clip", "keep"):
        loading = load_files(*paths, out_of_range=again)
        assert messages(loading) == []
        assert loading.counts["judgments"].unchanged == 10
    changed = JUDGMENTS.replace("persuasiveness,-1", "persuasiveness,-2")
    loading = load(tmp_path, items=THREE, judgments=changed)
    refused = [] if policy == "clip" else ["found -2, but this judgment is"]
    assert [text.split(": ")[1][:30] for text in messages(loading)] == [r[:30] for r in refused]


def test_what_a_judge_said_before_tells_whether_its_scale_is_its_own(tmp_path):
    """Rows may come in pieces: a piece of two rows in which one is −1 says nothing by itself."""
    load(tmp_path, items=THREE, judgments=JUDGMENTS.replace("e3,gpt,persuasiveness,7\n", ""))
    more = "item,judge,question,value\ne3,gpt,persuasiveness,9\n"
    load(tmp_path, judgments=more)
    assert values("gpt")[-1] is None


def test_nothing_is_nearest_on_a_choice(tmp_path):
    study = STUDY.replace("scale: likert5", "scale: {choice: [yes, maybe, no]}")
    rows = "item,judge,question,value\ne1,gpt,persuasiveness,3\ne2,gpt,persuasiveness,9\n"
    load_files(*write(tmp_path, study=study, items=ITEMS, judgments=rows), out_of_range="clip")
    assert values("gpt") == [3, None]


def test_a_weighted_value_off_the_scale_goes_too(tmp_path):
    rows = (
        "item,judge,question,value,weighted_value\n"
        "e1,gpt,persuasiveness,4,4.5\ne2,gpt,persuasiveness,3,-1\ne3,gpt,persuasiveness,2,2\n"
    )
    load(tmp_path, items=THREE, judgments=rows)
    stored = Judgment.objects.order_by("item__key").values_list("value", "weighted_value")
    assert list(stored) == [(4, 4.5), (3, None), (2, 2)]


def test_the_command_says_it_and_may_refuse(tmp_path, capsys):
    study, paths = write(tmp_path, items=THREE, judgments=JUDGMENTS)
    tables = [f"--{table}={path}" for table, path in paths.items()]
    with pytest.raises(CommandError, match="1 problem; nothing was written"):
        call_command("load_study", study, *tables, "--out-of-range=refuse")
    assert f"judgments.csv, column value: {GPT}" in capsys.readouterr().err
    call_command("load_study", study, *tables)
    printed = capsys.readouterr().out
    assert f"{GPT} They are missing judgments" in printed and BLEU in printed
    assert "--out-of-range" in printed


def test_a_judge_whose_settings_say_so_has_a_scale_of_its_own(tmp_path):
    judges = "judges:\n  - {judge: words, kind: bleu-1}\n"
    rows = "item,judge,question,value\ne1,words,persuasiveness,3\ne2,words,persuasiveness,40\n"
    loading = load(tmp_path, study=STUDY + judges, items=ITEMS, judgments=rows)
    assert messages(loading) == []
    assert values("words") == [3, 40]
    assert "words has a scale of its own: its values stay." in loading.off_scale.lines[0]


def test_the_page_shows_the_count_and_asks(as_owner, monkeypatch):
    sent = []
    monkeypatch.setattr(load_upload, "delay", sent.append)
    page = send(as_owner, items=THREE, judgments=JUDGMENTS)
    text = page.content.decode().replace("&#x27;", "'")
    assert GPT in text and BLEU in text
    upload = Upload.objects.get()
    assert 'name="out_of_range" value="missing" required id="id_out_of_range_0" checked' in text
    as_owner.post(f"/uploads/{upload.token}/load/", {"out_of_range": "clip"})
    load_upload.run(*sent)
    assert values("gpt") == [1, 0, 1, 4, 1, 5]


def test_the_page_takes_no_other_word(as_owner):
    send(as_owner, items=THREE, judgments=JUDGMENTS)
    upload = Upload.objects.get()
    response = as_owner.post(f"/uploads/{upload.token}/load/", {"out_of_range": "guess"})
    assert response.status_code == 422
    assert Upload.objects.get().state == Upload.State.CHECKED


def test_a_file_on_the_scale_asks_nothing(as_owner):
    page = send(as_owner, items=THREE)
    assert "out_of_range" not in page.content.decode()


@pytest.mark.shared_data
def test_hanna_has_848_of_which_167_are_minus_one(shared_data):
    folder, out = shared_data / "hanna", StringIO()
    tables = [f"--{table}={folder / table}.csv" for table in ("items", "judgments")]
    call_command("load_study", HANNA, *tables, stdout=out)
    missing = Judgment.objects.filter(value=None)
    assert missing.count() == 848
    assert missing.filter(reason="outside 1–5: the file has -1").count() == 167
    assert not missing.filter(run__judge__key__in=["BLEU", "chrF", "ROUGE-1-F"]).exists()
    assert "253 of 6,336 judgments are outside 1–5 (lowest −1, highest 5)" in out.getvalue()
    assert out.getvalue().count("is taken to have a scale of its own") == 5
