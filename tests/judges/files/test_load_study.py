"""manage.py load_study: whole studies, judges and judgments, and the reference data."""

import hashlib
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db.models import Count

from annotate.models import Content, Interaction, Item, Membership, Place, Rating, Study
from judges.models import Judge, Judgment, Run
from tests import factories
from tests.files import ITEMS, JUDGMENTS, RATINGS, STUDY, load, messages, write

pytestmark = pytest.mark.django_db
HANNA = Path(__file__).parent.parent.parent / "data" / "hanna.yaml"
EXAMPLES = Path(__file__).parent.parent.parent.parent / "static" / "examples"
LLM = """\
judges:
  - judge: small model
    endpoint: local
    prompt: explanation.v1
    temperature: 0.5
    max_tokens: 200
"""


@pytest.fixture
def load_study(tmp_path, capsys):
    """Runs the command on the texts as files; returns what it prints."""

    def run(*flags, **files):
        study, paths = write(tmp_path, **files)
        tables = [f"--{table}={path}" for table, path in paths.items()]
        call_command("load_study", study, *tables, *flags)
        return capsys.readouterr().out

    return run


def test_it_prints_what_changed(load_study):
    first = load_study(items=ITEMS, ratings=RATINGS, judgments=JUDGMENTS)
    assert "ratings              3 rows: 3 new, 0 changed, 0 unchanged" in first
    assert "Study films is loaded." in first
    again = load_study(items=ITEMS, ratings=RATINGS, judgments=JUDGMENTS)
    assert "judgments            2 rows: 0 new, 0 changed, 2 unchanged" in again
    assert "Nothing changes" in again


def test_problems_are_printed_and_nothing_is_written(load_study, capsys):
    with pytest.raises(CommandError, match="^1 problem; nothing was written$"):
        load_study(items=ITEMS, ratings=RATINGS.replace("ness,4", "ness,6"))
    assert "ratings.csv, line 2, column value: found '6'" in capsys.readouterr().err
    assert not Study.objects.exists()


def test_a_check_writes_nothing(load_study):
    assert "can be loaded" in load_study("--check", items=ITEMS)
    assert not Study.objects.exists()


def test_an_owner_is_named(load_study, owner):
    load_study("--owner=owner", items=ITEMS)
    assert Membership.objects.get().role == "owner"


def test_an_unknown_owner_or_file_is_said_before_anything_is_read(load_study, tmp_path):
    with pytest.raises(CommandError, match="no user named 'nobody'"):
        load_study("--owner=nobody", items=ITEMS)
    with pytest.raises(CommandError, match="there is no such file"):
        call_command("load_study", tmp_path / "none.yaml")


# Judges


def test_judges_of_the_study_file(tmp_path):
    endpoint = factories.make_endpoint()
    assert messages(load(tmp_path, study=STUDY + LLM)) == []
    judge = Judge.objects.get()
    assert (judge.key, judge.kind, judge.endpoint) == ("small model", "llm", endpoint)
    settings = judge.settings
    assert (settings.temperature, settings.max_tokens, settings.rationale) == (
        0.5,
        200,
        False,
    )
    assert messages(load(tmp_path, study=STUDY + LLM.replace("200", "300"))) == []
    assert Judge.objects.get().settings.max_tokens == 300


def test_a_frozen_judge_may_not_change(tmp_path):
    factories.make_endpoint()
    load(tmp_path, study=STUDY + LLM)
    Judge.objects.update(settings_hash="abc")
    assert messages(load(tmp_path, study=STUDY + LLM)) == []
    loading = load(tmp_path, study=STUDY + LLM.replace("200", "300"))
    assert "found other settings for 'small model', which are frozen" in messages(loading)[0]


@pytest.mark.parametrize(
    "old, new, message",
    [
        ("local", "lokal", "line 10, column judges.endpoint: found 'lokal'; endpoints here: local"),
        ("0.5", "warm", "column judges.temperature: found 'warm'; allowed is a number from 0 to 2"),
        ("explanation.v1", "../x", "found '../x'; prompts here: explanation.v1"),
        (
            "explanation.v1",
            "recommend-german.v1",
            "study.yaml, line 11, column judges.prompt: found 'recommend-german.v1'; prompts here: "
            "explanation.v1",
        ),
        ("max_tokens", "max_token", "column judges.max_token: is not a known key"),
        ("judge: small model", "judge: ''", "expected is a name of 1 to 200 characters"),
        (
            "endpoint",
            "kind: robot\n    endpoint",
            "column judges.kind: found 'robot'; allowed is llm",
        ),
        ("0.5", "0\n    samples: 3", "column judges.samples: Several samples at temperature 0"),
        (
            "0.5",
            "0.5\n    samples: 0",
            "judges.samples: found '0'; allowed is a whole number from 1 to",
        ),
        ("0.5", "0.5\n    shots: two", "found 'two'; allowed is zero, one, personalised"),
        ("0.5", "0.5\n    shots: one", "judges.shots: The prompt explanation.v1 has no place for"),
        ("0.5", "0.5\n    context: profile", "judges.context: The prompt explanation.v1 has no"),
        ("0.5", "0.5\n    pool_share: 1", "found '1'; allowed is a number from 0.01 to 0.9"),
        ("0.5", "0.5\n    strict: 1", "judges.strict: found '1'; allowed is true or false"),
    ],
)
def test_a_bad_judge_is_named(tmp_path, old, new, message):
    factories.make_endpoint()
    loading = load(tmp_path, study=STUDY + LLM.replace(old, new, 1))
    assert message in messages(loading)[0]
    assert not Study.objects.exists()


# Judgments


def test_judgments_become_one_finished_run_of_an_imported_judge(tmp_path):
    load(tmp_path, items=ITEMS, judgments=JUDGMENTS)
    run = Run.objects.get()
    assert (run.judge.key, run.judge.kind, run.state) == ("BLEU", "imported", "finished")
    assert list(run.judgments.order_by("id").values_list("value", "state")) == [
        (3.25, "done"),
        (1.5, "done"),
    ]


def test_judges_run_in_the_order_of_the_file(tmp_path):
    """Their colours follow it: with a set it differed from one load to the next."""
    names = ["zeta", "alpha", "mid", "beta", "omega", "gamma", "eta", "iota"]
    rows = "".join(f"e1,{name},persuasiveness,1\n" for name in names)
    load(tmp_path, items=ITEMS, judgments="item,judge,question,value\n" + rows)
    assert list(Run.objects.order_by("pk").values_list("judge__key", flat=True)) == names


def test_a_blank_question_means_all_that_have_numbers_and_a_blank_value_is_missing(tmp_path):
    rows = "item,judge,question,value,cost_usd\ne1,BLEU,,,0.00000003\n"
    load(tmp_path, items=ITEMS, judgments=rows)
    found = Judgment.objects.order_by("id").values_list("question__key", "value", "state", "reason")
    assert list(found) == [
        ("persuasiveness", None, "failed", "missing in file"),
        ("fits", None, "failed", "missing in file"),
    ]
    # Half of 3e-8 has no eighth decimal: the first takes what rounding leaves.
    costs = Judgment.objects.order_by("id").values_list("cost_usd", flat=True)
    assert sum(costs) == Decimal("3e-8") == Run.objects.get().spent_usd


def test_rows_that_stand_for_several_judgments_are_told(load_study):
    blank = "item,judge,question,value\ne1,BLEU,,1\ne2,BLEU,persuasiveness,1\n"
    said = load_study(items=ITEMS, judgments=blank)
    assert "judgments            2 rows: 2 new, 0 changed, 0 unchanged" in said
    assert (
        "2 new rows stand for 3 judgments, as a blank question means every question asked of the "
        "item." in said
    )
    assert Judgment.objects.count() == 3
    assert "stand for" not in load_study(items=ITEMS, judgments=blank)


def test_later_judgments_join_the_same_run(tmp_path):
    load(tmp_path, items=ITEMS, judgments=JUDGMENTS)
    more = load(tmp_path, items=ITEMS, judgments=JUDGMENTS + "e1,BLEU,fits,1\n")
    counts = more.counts["judgments"]
    assert (counts.new, counts.unchanged) == (1, 2)
    assert Run.objects.get().judgments.count() == 3
    assert sorted(Judgment.objects.values_list("unit", flat=True)) == [1, 2, 3]


def test_changed_texts_of_judged_items_are_refused(tmp_path):
    load(tmp_path, items=ITEMS, judgments=JUDGMENTS)
    loading = load(tmp_path, items=ITEMS.replace("Slow", "Fast"))
    assert "item 'e2' has answers already" in messages(loading)[0]


BAD_JUDGMENTS = {
    "another value": ("e1,BLEU,persuasiveness,0.3", "found 0.3, but this judgment is 3.25 already"),
    "NaN": ("e1,x,fits,nan", "line 2, column value: found 'nan'; allowed is a finite number"),
    "infinite": ("e1,x,fits,inf", "found 'inf'; allowed is a finite number"),
    "word": ("e1,x,fits,good", "found 'good'; allowed is a number"),
    "unknown item": ("e9,x,fits,1", "column item: found 'e9'"),
    "unknown question": ("e1,x,charm,1", "column question: found 'charm'; allowed is one of"),
    "twice": (
        "e1,x,,1\ne1,x,fits,1",
        "line 3: the judgment of item 'e1' by 'x' on question 'fits'",
    ),
    "a judge with runs": ("e1,small model,fits,1", "which is a judge of this study that is not"),
}


@pytest.mark.parametrize("rows, message", BAD_JUDGMENTS.values(), ids=BAD_JUDGMENTS)
def test_a_bad_judgment_is_named_and_nothing_is_written(tmp_path, rows, message):
    factories.make_endpoint()
    load(tmp_path, study=STUDY + LLM, items=ITEMS, judgments=JUDGMENTS)
    loading = load(tmp_path, judgments="item,judge,question,value\n" + rows + "\n")
    assert len(messages(loading)) == 1
    assert message in messages(loading)[0]
    assert Judgment.objects.count() == 2


@pytest.mark.parametrize("cost", ["100000.01", "-0.01", "999999999", "1e300"])
def test_a_cost_beyond_what_a_run_can_sum_is_refused(tmp_path, cost):
    rows = f"item,judge,question,value,cost_usd\ne1,BLEU,persuasiveness,0.5,{cost}\n"
    (message,) = messages(load(tmp_path, items=ITEMS, judgments=rows))
    assert f"judgments.csv, line 2, column cost_usd: found '{cost}'; allowed is a" in message
    assert not Judgment.objects.exists()


def test_the_highest_cost_is_loaded_and_summed(tmp_path):
    rows = "item,judge,question,value,cost_usd\n" + "".join(
        f"{item},BLEU,{question},0.5,100000\n"
        for item in ("e1", "e2")
        for question in ("persuasiveness", "fits")
    )
    assert messages(load(tmp_path, items=ITEMS, judgments=rows)) == []
    assert Run.objects.get().spent_usd == 400_000


# Reference data


@pytest.mark.shared_data
def test_hanna_loads_whole_and_loading_it_again_changes_nothing(shared_data, capsys):
    tables = ("items", "ratings", "judgments")
    files = [f"--{table}={shared_data / 'hanna' / table}.csv" for table in tables]
    call_command("load_study", HANNA, *files)
    assert "judgments      106,656 rows: 106,656 new" in capsys.readouterr().out
    assert (Item.objects.count(), Rating.objects.count()) == (1056, 19008)
    assert not Place.objects.exclude(state="filled").exists()
    assert Place.objects.count() == 3 * 1056
    # 16 LLM judges x 6 questions x 1,056 items; 5 metrics have one row for all six questions.
    rows = (
        Judgment.objects.values("run__judge")
        .order_by()
        .annotate(n=Count("id"), units=Count("unit", distinct=True))
    )
    assert [row["n"] for row in rows] == [6336] * 21
    assert sorted(row["units"] for row in rows) == [1056] * 5 + [6336] * 16
    assert sum(row["units"] for row in rows) == 106_656
    call_command("load_study", HANNA, *files)
    assert "Nothing changes" in capsys.readouterr().out


@pytest.mark.shared_data
def test_movielens_loads_as_contents_and_interactions(shared_data, tmp_path):
    folder = shared_data / "movielens-small"
    study, _ = write(tmp_path)
    call_command(
        "load_study",
        study,
        f"--contents={folder / 'movies.csv'}",
        f"--interactions={folder / 'ratings.csv'}",
        verbosity=0,
    )
    assert (Content.objects.count(), Interaction.objects.count()) == (9742, 100836)
    assert Content.objects.get(key="1").title == "Toy Story (1995)"
    # By primary keys: without statistics PostgreSQL may look through all pairs of the two keys.
    made = Study.objects.get()
    one = {"recipient": made.recipients.get(key="1"), "content": made.contents.get(key="1")}
    first = Interaction.objects.get(**one)
    assert (first.rating, first.at.isoformat()) == (4.0, "2000-07-30T18:45:03+00:00")


@pytest.mark.shared_data
def test_podcasts_load_as_contents(shared_data, tmp_path):
    study, _ = write(tmp_path)
    path = shared_data / "podcasts" / "contents.csv"
    call_command("load_study", study, f"--contents={path}", verbosity=0)
    assert Content.objects.count() == 1954
    assert Content.objects.exclude(data__topics=None).count() == 1274


WIDE = "item,judge,question,value,weighted_value,prompt,version\n"


def test_weighted_values_and_prompts_are_kept(tmp_path):
    rows = WIDE + "e1,G,persuasiveness,4,3.75,own.v2,1\ne1,G,fits,,,own.v2,\n"
    load(tmp_path, items=ITEMS, judgments=rows)
    run = Run.objects.get()
    assert (run.frozen["prompt"], run.version) == ("own.v2", 1)
    assert set(run.judgments.values_list("value", "weighted_value")) == {(4, 3.75), (None, None)}
    again = load(tmp_path, items=ITEMS, judgments=rows)
    assert again.counts["judgments"].unchanged == 2


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("e1,G,fits,4,3.5,own.v2,2", "column version: found 2; allowed is at most 1"),
        ("e1,G,fits,4,3.5,own.v3,1", "column prompt: found 'own.v3', but rows above"),
        ("e1,G,fits,,3.5,own.v2,1", "column weighted_value: found 3.5; allowed is blank"),
        ("e1,G,fits,4,x,own.v2,1", "column weighted_value: found 'x'; allowed is a number"),
    ],
)
def test_a_wrong_weighted_value_prompt_or_version_is_named(tmp_path, row, message):
    first = "e1,G,persuasiveness,4,3.75,own.v2,1\n"
    loading = load(tmp_path, items=ITEMS, judgments=WIDE + first + row + "\n")
    assert message in " ".join(messages(loading))


def test_another_weighted_value_than_before_is_refused(tmp_path):
    row = "e1,G,persuasiveness,4,{},own.v2,1\n"
    load(tmp_path, items=ITEMS, judgments=WIDE + row.format(3.75))
    loading = load(tmp_path, items=ITEMS, judgments=WIDE + row.format(3.5))
    assert "found 3.5, but this judgment is 3.75 already" in messages(loading)[0]


def test_a_prompt_other_than_that_of_the_loaded_judgments_is_refused(tmp_path):
    load(tmp_path, items=ITEMS, judgments=WIDE + "e1,G,fits,1,,own.v2,1\n")
    other = "e2,G,fits,1,,{},1\n"
    assert messages(load(tmp_path, items=ITEMS, judgments=WIDE + other.format("own.v3"))) == [
        "judgments.csv, line 2, column prompt: found 'own.v3'; allowed is 'own.v2', as in this "
        "judge’s loaded judgments of version 1"
    ]
    (blank,) = messages(load(tmp_path, items=ITEMS, judgments=WIDE + other.format("")))
    assert "column prompt: found none; allowed is 'own.v2'" in blank
    assert Judgment.objects.count() == 1
    without = "item,judge,question,value\ne2,G,fits,1\n"
    assert messages(load(tmp_path, items=ITEMS, judgments=without)) == [], "it says nothing of it"
    assert Run.objects.get().frozen["prompt"] == "own.v2"


def test_a_prompt_where_the_loaded_judgments_have_none_is_refused(tmp_path):
    load(tmp_path, items=ITEMS, judgments=JUDGMENTS)
    (problem,) = messages(load(tmp_path, items=ITEMS, judgments=WIDE + "e1,BLEU,fits,1,,own.v2,\n"))
    assert "line 2, column prompt: found 'own.v2'; allowed is blank, as in this" in problem


def test_the_run_of_a_file_has_the_hash_of_what_the_file_says_of_it(tmp_path):
    rows = WIDE + "e1,G,fits,1,,own.v2,1\ne1,H,fits,1,,own.v2,1\n"
    load(tmp_path, items=ITEMS, judgments=rows)
    g, h = (run.settings_hash for run in Run.objects.order_by("pk"))
    frozen = b'{"judge": "G", "kind": "imported", "prompt": "own.v2"}'
    assert g == hashlib.sha256(frozen).hexdigest() != h
