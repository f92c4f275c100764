"""entailments.csv: all or nothing, every fault by file, row and column."""

import numpy as np
import pytest
from django.core.management import CommandError, call_command

from analysis.stats.statements.best_match import Pairs
from analysis.stats.statements.statement_entailment import statement_entailment
from judges.files import check_files, load_files
from judges.files.study_file import study_yaml
from judges.models import Entailment, Judge
from judges.models.entailment import as_array
from tests import factories, factual

pytestmark = pytest.mark.django_db
HEADER = "item,direction,premise,hypothesis,entailment,neutral,contradiction\n"
# Two generated statements (7 and 3), one of the reference; rows in no order.
GOOD = """\
a,recall,7,1,0.6,0.3,0.1
a,precision,1,7,0.2,0.2,0.6
a,recall,3,1,0.5,0.25,0.25
a,precision,1,3,0.9,0.05,0.05
"""


@pytest.fixture
def facts(owner, tmp_path):
    study = factual.make_study(owner)
    (tmp_path / "study.yaml").write_text(study_yaml(study))
    return study


def files(folder, text):
    path = folder / "entailments.csv"
    path.write_text(HEADER + text)
    return folder / "study.yaml", {"entailments": path}


def problems(folder, text):
    return [str(problem) for problem in check_files(*files(folder, text)).problems.shown]


def test_what_is_loaded_stands_hypothesis_by_hypothesis(facts, tmp_path):
    loading = load_files(*files(tmp_path, GOOD))
    assert [str(problem) for problem in loading.problems.shown] == []
    kept = Entailment.objects.get()
    assert (kept.run, kept.item.key, kept.n_generated, kept.n_reference) == (None, "a", 2, 1)
    assert np.array_equal(as_array(kept.forward), [[0.9, 0.05, 0.05], [0.2, 0.2, 0.6]])
    assert np.array_equal(as_array(kept.backward), [[0.5, 0.25, 0.25], [0.6, 0.3, 0.1]])


def test_loading_again_changes_nothing_and_other_numbers_are_refused(facts, tmp_path):
    load_files(*files(tmp_path, GOOD))
    counts = load_files(*files(tmp_path, GOOD)).counts["entailments"]
    assert (counts.rows, counts.new, counts.unchanged) == (4, 0, 4)
    other = GOOD.replace("0.9,0.05,0.05", "0.8,0.15,0.05")
    assert problems(tmp_path, other) == [
        "entailments.csv, line 3: 'a' has other probabilities already; what was loaded does not "
        "change"
    ]
    assert Entailment.objects.count() == 1


def test_sentences_have_one_direction(facts, tmp_path):
    study, paths = files(tmp_path, "")
    rows = "a,precision,1,1,0.7,0.2,0.1,sentence\na,precision,2,1,0.1,0.2,0.7,sentence\n"
    paths["entailments"].write_text(HEADER.strip() + ",grain\n" + rows)
    load_files(study, paths)
    kept = Entailment.objects.get()
    assert (kept.grain, kept.n_generated, kept.n_reference) == ("sentence", 1, 2)
    paths["entailments"].write_text(
        HEADER.strip() + ",grain\n" + rows.replace("precision", "recall")
    )
    words = [str(problem) for problem in check_files(study, paths).problems.shown]
    assert "column direction: found recall for a sentence; allowed is precision" in words[0]


@pytest.mark.parametrize(
    "values", ["0.33,0.33,0.33", "0.34,0.34,0.33", "0.333,0.333,0.334", "0.6,0.3,0.11"]
)
def test_probabilities_that_were_rounded_are_taken_up_to_the_hundredth(facts, tmp_path, values):
    assert problems(tmp_path, GOOD.replace("0.6,0.3,0.1", values)) == []


@pytest.mark.parametrize(
    ("values", "total"), [("0.33,0.33,0.325", "0.985"), ("0.34,0.34,0.3301", "1.0101")]
)
def test_probabilities_that_miss_1_by_more_are_refused(facts, tmp_path, values, total):
    (said,) = problems(tmp_path, GOOD.replace("0.6,0.3,0.1", values))
    assert f"add up to {total}; expected is 1, within 0.01" in said


ROWS = GOOD.splitlines(keepends=True)
BAD = {
    "an unknown item": (
        GOOD + "z,precision,1,1,1,0,0\n",
        "line 6, column item: found 'z', which is no item of the study or of items.csv",
    ),
    "no share": (
        GOOD.replace("0.6,0.3,0.1", "1.6,0.3,0.1"),
        "line 2, column entailment: found '1.6'; allowed is a number from 0 to 1",
    ),
    "another sum": (
        GOOD.replace("0.6,0.3,0.1", "0.6,0.3,0.3"),
        "line 2, column entailment: found three probabilities that add up to 1.2; expected is 1, "
        "within 0.01",
    ),
    "a strange direction": (
        GOOD.replace("a,recall,7", "a,back,7"),
        "line 2, column direction: found 'back'; allowed is one of precision, recall",
    ),
    "no number": (
        GOOD.replace("precision,1,7", "precision,one,7"),
        "line 3, column premise: found 'one'; allowed is a whole number from 0 to 32767",
    ),
    "a pair twice": (GOOD + ROWS[0], "line 6: this pair of 'a' stands on line 2 already"),
    "one direction": (
        ROWS[1] + ROWS[3],
        "line 2: 'a' has precision only; recall is missing",
    ),
    "other statements": (
        GOOD.replace("recall,3", "recall,4"),
        "line 3: 'a' has other statements for recall than for precision",
    ),
    "no number at all": (
        GOOD + "a,precision,,,,,\n",
        "line 6, column premise: a row needs a premise or a hypothesis",
    ),
    "no probability": (
        GOOD.replace("0.6,0.3,0.1", "0.6,,0.4"),
        "line 2, column neutral: found nothing",
    ),
    "a probability of half a pair": (
        "b,precision,,1,0.5,,\nb,recall,1,,,,\n",
        "line 2, column entailment: found 0.5 though the premise is blank",
    ),
    "half a pair beside pairs": (
        GOOD + "a,precision,,7,,,\n",
        "line 6: precision of 'a' has pairs; allowed is no row with half of one",
    ),
    "a pair left out": (
        GOOD + "a,recall,3,2,0.5,0.25,0.25\n",
        "line 2: recall of 'a': premise 7 has no row with hypothesis 2",
    ),
}


@pytest.mark.parametrize("case", BAD)
def test_what_is_wrong_is_named_and_nothing_is_loaded(case, facts, tmp_path):
    text, words = BAD[case]
    found = problems(tmp_path, text)
    assert f"entailments.csv, {words}" in found
    load_files(*files(tmp_path, text))
    assert not Entailment.objects.exists()


def test_the_command_takes_the_file(facts, tmp_path):
    study, paths = files(tmp_path, GOOD)
    call_command("load_study", study, entailments=paths["entailments"], verbosity=0)
    assert Entailment.objects.count() == 1
    paths["entailments"].write_text(HEADER + BAD["another sum"][0])
    with pytest.raises(CommandError, match="nothing was written"):
        call_command("load_study", study, entailments=paths["entailments"], verbosity=0)


def test_a_side_without_statements_has_rows_without_a_pair(facts, tmp_path):
    rows = "d,precision,,1,,,\nd,precision,,2,,,\nd,recall,1,,,,\nd,recall,2,,,,\n"
    loading = load_files(*files(tmp_path, rows))
    assert [str(problem) for problem in loading.problems.shown] == []
    kept = Entailment.objects.get()
    assert (kept.n_generated, kept.n_reference, len(kept.forward)) == (2, 0, 0)
    counts = load_files(*files(tmp_path, rows)).counts["entailments"]
    assert (counts.new, counts.unchanged) == (0, 4)


def test_sentences_need_something_to_be_compared_with(facts, tmp_path):
    study, paths = files(tmp_path, "")
    paths["entailments"].write_text(HEADER.strip() + ",grain\na,precision,,1,,,,chunk\n")
    assert [str(problem) for problem in check_files(study, paths).problems.shown] == [
        "entailments.csv, line 2, column premise: found nothing for a chunk; without a reference "
        "nothing is measured"
    ]


def test_a_new_judge_is_imported_and_one_that_runs_here_is_refused(facts, tmp_path):
    factories.make_judge(facts, "NLI", kind=Judge.Kind.NLI)
    study, paths = files(tmp_path, "")
    header = HEADER.strip() + ",judge\n"
    for name in ("elsewhere", "NLI"):
        rows = "".join(f"{row},{name}\n" for row in GOOD.splitlines())
        paths["entailments"].write_text(header + rows)
        found = [str(problem) for problem in load_files(study, paths).problems.shown]
        if name == "NLI":
            assert len(found) == 1
            assert "column judge: found 'NLI', which is a judge of this study that is" in found[0]
    kept = Entailment.objects.get()
    assert (kept.run.judge.key, kept.run.judge.kind) == ("elsewhere", "imported")
    assert kept.run.is_from_file
    paths["entailments"].write_text("item,direction,premise\na,recall,1\n")
    words = "; ".join(str(problem) for problem in check_files(study, paths).problems.shown)
    assert words.count("this column is missing") == 4


def test_three_hundred_statements_a_side_load_and_give_their_numbers(facts, tmp_path):
    """The first of each side entails the other: P = R = F1 = 1/300, as all others say .0."""
    numbers = range(1, 301)
    rows = [
        f"a,{way},{premise},{hypothesis},{'1,0,0' if premise == hypothesis == 1 else '0,1,0'}\n"
        for way in ("precision", "recall")
        for premise in numbers
        for hypothesis in numbers
    ]
    loading = load_files(*files(tmp_path, "".join(rows)))
    assert [str(problem) for problem in loading.problems.shown] == []
    kept = Entailment.objects.get()
    assert (kept.n_generated, kept.n_reference) == (300, 300)
    forward, backward = as_array(kept.forward), as_array(kept.backward)
    assert forward.shape == backward.shape == (90_000, 3)
    pairs = (Pairs(each, [300], [300]) for each in (forward, backward))
    found = statement_entailment(*pairs)["ent"]
    assert (found.precision[0], found.recall[0]) == pytest.approx((1 / 300, 1 / 300))
    assert found.f1[0] == pytest.approx(1 / 300)


def test_more_pairs_than_a_judge_compares_are_refused_once(facts, tmp_path, monkeypatch):
    monkeypatch.setattr("judges.files.entailments.MOST_PAIRS", 2)
    assert problems(tmp_path, GOOD) == []
    more = "a,precision,2,7,.2,.2,.6\na,precision,2,3,.2,.2,.6\n"
    assert problems(tmp_path, GOOD + more) == [
        "entailments.csv, line 6, column item: 'a' has more than 2 pairs of precision"
    ]
