"""Judgments of a file outside their question's scale: counted by judge, no numbers unasked."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from judges.files import load_files, off_scale
from judges.models import Judgment, Upload
from judges.tasks import load_upload
from tests.analysis.small import HANNA
from tests.files import ITEMS, STUDY, check, load, messages, write
from tests.judges.uploads.test_views import send

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
    "gpt: 2 of 6 judgments are outside their questions’ scales, 1 to 5 and 0 to 1 "
    "(lowest −1, highest 7)."
)
BLEU = (
    "BLEU: 3 of 4 judgments are outside their questions’ scales, 1 to 5 and 0 to 1 "
    "(lowest −3, highest 1.5), so BLEU is taken to have a scale of its own: its values stay."
)


@pytest.fixture(autouse=True)
def folders(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path / "media"


@pytest.fixture
def four_suffice(monkeypatch):
    """Infer a scale of BLEU's four values."""
    monkeypatch.setattr(off_scale, "OWN_SCALE_JUDGMENTS", 4)


def values(judge):
    rows = Judgment.objects.filter(run__judge__key=judge).order_by("question__key", "item__key")
    return list(rows.values_list("value", flat=True))


@pytest.mark.usefixtures("four_suffice")
def test_they_are_counted_by_judge_and_a_metric_keeps_its_own_scale(tmp_path):
    loading = check(tmp_path, items=THREE, judgments=JUDGMENTS)
    assert messages(loading) == []
    assert loading.off_scale.lines == [GPT, BLEU]


@pytest.mark.usefixtures("four_suffice")
def test_missing_is_the_default_and_keeps_the_raw_value_as_the_reason(tmp_path):
    load(tmp_path, items=THREE, judgments=JUDGMENTS)
    assert values("gpt") == [1, 0, 1, 4, None, None]
    rows = Judgment.objects.filter(run__judge__key="gpt", value=None).order_by("item__key")
    assert [(row.state, row.reason) for row in rows] == [
        ("failed", "outside the scale 1 to 5: the file has -1"),
        ("failed", "outside the scale 1 to 5: the file has 7"),
    ]
    assert values("BLEU") == [-3, 0.25, 1.5, 0.5]


@pytest.mark.usefixtures("four_suffice")
def test_clipped_to_the_nearest_end_or_kept(tmp_path):
    paths = write(tmp_path, items=THREE, judgments=JUDGMENTS)
    load_files(*paths, out_of_range="clip")
    assert values("gpt") == [1, 0, 1, 4, 1, 5]
    Judgment.objects.all().delete()
    load_files(*paths, out_of_range="keep")
    assert values("gpt") == [1, 0, 1, 4, -1, 7]
    assert values("BLEU") == [-3, 0.25, 1.5, 0.5]


@pytest.mark.usefixtures("four_suffice")
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
    assert [text.split(": ")[1][:30] for text in messages(loading)] == [
        "found -2, but this judgment is"
    ]


def test_what_a_judge_said_before_tells_whether_its_scale_is_its_own(tmp_path):
    """Rows may come in pieces: a piece of two rows in which one is −1 says nothing by itself."""
    load(tmp_path, items=THREE, judgments=JUDGMENTS.replace("e3,gpt,persuasiveness,7\n", ""))
    more = "item,judge,question,value\ne3,gpt,persuasiveness,9\n"
    load(tmp_path, judgments=more)
    assert values("gpt")[-1] is None


def scores(judge, values):
    """Rows of a judge, each of an item of its own."""
    rows = (f"e{n},{judge},persuasiveness,{value}\n" for n, value in enumerate(values))
    return "item,judge,question,value\n" + "".join(rows)


def items(count):
    return "item,kind,text\n" + "".join(f"e{n},explanation,Because.\n" for n in range(count))


@pytest.mark.parametrize(("count", "stored"), [(19, None), (20, 0.5)])
def test_no_scale_is_inferred_of_fewer_than_twenty_judgments(tmp_path, count, stored):
    load(tmp_path, items=items(20), judgments=scores("BLEU", [0.5] * count))
    assert values("BLEU") == [stored] * count


def test_judgments_loaded_before_count_once_of_the_twenty(tmp_path):
    first = scores("BLEU", [0.5] * 19)
    load(tmp_path, items=items(20), judgments=first)
    again = load(tmp_path, judgments=first)
    assert not again.off_scale.tallies["BLEU"].own_scale
    load(tmp_path, judgments=scores("BLEU", [0.5] * 20))
    assert Judgment.objects.get(item__key="e19").value == 0.5


@pytest.mark.parametrize("rows", [scores("gpt", [-1]), scores("gpt", [-1] * 20)])
def test_to_refuse_is_to_refuse_whatever_would_be_inferred(tmp_path, rows):
    paths = write(tmp_path, items=items(20), judgments=rows)
    loading = load_files(*paths, out_of_range="refuse")
    assert "outside the scale 1 to 5 (lowest −1, highest −1)." in messages(loading)[0]
    assert not Judgment.objects.exists()


def test_a_sentence_has_a_verb_for_what_is_outside_and_ends_that_can_be_read(tmp_path):
    study = STUDY.replace("scale: likert5", "scale: {min: -2, max: 2}")
    loading = check(tmp_path, study=study, items=items(1), judgments=scores("gpt", [-3]))
    assert loading.off_scale.lines == [
        "gpt: 1 of 1 judgments is outside the scale −2 to 2 (lowest −3, highest −3)."
    ]


def test_a_value_on_the_scale_is_not_the_nearest_end_of_another(tmp_path):
    """A stored 5 that a file now calls 7 has changed, unless it was a 7 of which 5 was made."""
    load(tmp_path, items=items(1), judgments=scores("gpt", [5]))
    changed = messages(load(tmp_path, judgments=scores("gpt", [7])))
    assert "found 7, but this judgment is 5 already" in changed[0]
    Judgment.objects.all().delete()
    paths = write(tmp_path, items=items(1), judgments=scores("gpt", [7]))
    load_files(*paths, out_of_range="clip")
    judgment = Judgment.objects.get()
    assert (judgment.value, judgment.reason) == (5, "clipped: the file has 7")
    assert messages(load(tmp_path, judgments=scores("gpt", [7]))) == []
    changed = messages(load(tmp_path, judgments=scores("gpt", [8])))
    assert "found 8, but this judgment is 5 already" in changed[0]


WEIGHTED = "item,judge,question,value,weighted_value\ne0,gpt,persuasiveness,"


@pytest.mark.parametrize(
    ("policy", "given", "reason", "weighted_reason"),
    [
        ("missing", "5,5.4", "", "outside the scale 1 to 5: the file has 5.4"),
        ("missing", "6,5.4", "outside the scale 1 to 5: the file has 6, weighted 5.4", ""),
        ("clip", "5,5.4", "clipped: the file has 5, weighted 5.4", ""),
    ],
)
def test_a_weighted_value_outside_leaves_its_trace(
    tmp_path, policy, given, reason, weighted_reason
):
    paths = write(tmp_path, items=items(1), judgments=f"{WEIGHTED}{given}\n")
    load_files(*paths, out_of_range=policy)
    judgment = Judgment.objects.get()
    assert (judgment.reason, judgment.weighted_reason) == (reason, weighted_reason)
    assert load_files(*paths).counts["judgments"].unchanged == 1
    value = given.split(",")[0]
    assert load(tmp_path, judgments=scores("gpt", [value])).counts["judgments"].unchanged == 1
    other = load(tmp_path, judgments=f"{WEIGHTED}{value},5.5\n")
    assert "found 5.5, but this judgment is" in messages(other)[0]


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


@pytest.mark.usefixtures("four_suffice")
def test_the_command_says_it_and_may_refuse(tmp_path, capsys):
    study, paths = write(tmp_path, items=THREE, judgments=JUDGMENTS)
    tables = [f"--{table}={path}" for table, path in paths.items()]
    with pytest.raises(CommandError, match="2 problems; nothing was written"):
        call_command("load_study", study, *tables, "--out-of-range=refuse")
    assert f"judgments.csv, column value: {GPT}" in capsys.readouterr().err
    call_command("load_study", study, *tables)
    printed = capsys.readouterr().out
    assert f"{GPT} They count as missing" in printed and BLEU in printed
    assert "--out-of-range" in printed


def test_a_judge_whose_settings_say_so_has_a_scale_of_its_own(tmp_path):
    judges = "judges:\n  - {judge: words, kind: bleu-1}\n"
    rows = "item,judge,question,value\ne1,words,persuasiveness,3\ne2,words,persuasiveness,40\n"
    loading = load(tmp_path, study=STUDY + judges, items=ITEMS, judgments=rows)
    assert messages(loading) == []
    assert values("words") == [3, 40]
    assert "words has a scale of its own: its values stay." in loading.off_scale.lines[0]


@pytest.mark.usefixtures("four_suffice")
def test_the_page_shows_the_count_and_asks(as_owner, monkeypatch):
    sent = []
    monkeypatch.setattr(load_upload, "delay", sent.append)
    page = send(as_owner, items=THREE, judgments=JUDGMENTS)
    text = page.content.decode().replace("&#x27;", "'")
    assert GPT in text and BLEU in text
    assert "The files can be loaded. Nothing is written yet." in text
    assert "No problems found" not in text
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
    assert missing.filter(reason="outside the scale 1 to 5: the file has -1").count() == 167
    assert not missing.filter(run__judge__key__in=["BLEU", "chrF", "ROUGE-1-F"]).exists()
    assert (
        "253 of 6,336 judgments are outside the scale 1 to 5 (lowest −1, highest 5)"
        in out.getvalue()
    )
    assert out.getvalue().count("is taken to have a scale of its own") == 5
