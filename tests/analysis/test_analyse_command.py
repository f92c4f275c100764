"""manage.py analyse: three formats, the options of the page, clear refusals."""

import csv
import json
from io import StringIO
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from analysis.reports.registry import REPORTS
from tests.analysis.small import add_judge, make_rated_study

pytestmark = pytest.mark.django_db
KEYS = {
    "plan": "evaluator question role use method rho judge raters_per_item items ratings sessions "
    "cost power yes low high assurance states pilot_items",
    "stop": "evaluator question role state items items_low items_high raters cost clusters "
    "rated_items rho rho_low rho_high retention retention_low retention_high open bounds",
    "cost": "evaluator kind aspects raters question cost cost_low cost_high currency calls "
    "tokens_in tokens_out seconds n_items value low high n frontier",
    "robustness": "evaluator question relation setting measure value low high n floor floor_low "
    "floor_high excess excess_low excess_high",
    "bias": "bias evaluator question measure group value low high n groups",
    "variance": "part question component raters value low high share share_low share_high levels n",
    "profile": "part evaluator source episodes question measure rating value low high n",
    "ensembles": "kind size members question level coefficient n value low high groups skipped "
    "mean min max cross_validated cross_validated_low cross_validated_high of",
    "correlation": "evaluator question level coefficient value low high n groups skipped",
    "compare": "evaluator other measure question value other_value difference low high p "
    "p_adjusted margin margin_p not_worse n",
    "differences": "evaluator other question level coefficient value other_value difference low "
    "high p p_holm p_adjusted n",
    "examples": "family example evaluator question level coefficient value low high n groups "
    "skipped",
    "agreement": "raters question measure value low high n_units n_raters",
    "roc": "evaluator question threshold auc low high positives negatives n",
    "precision_recall": "evaluator question threshold average_precision low high positives n",
    "calibration": "evaluator question threshold part least most mean value low high n",
    "thresholds": "evaluator question positive_from chosen_on threshold measure value low high n "
    "in_sample",
    "confusion": "evaluator question labels matrix shares shares_low shares_high agreement "
    "agreement_low agreement_high n",
    "verdict": "evaluator question role use systems answer verdict why sentence next rho rho_low "
    "rho_high agreement agreement_low agreement_high retention retention_p worth worth_low "
    "worth_high level level_low level_high level_p share_proven rho_within agreement_within "
    "within_p p_adjusted family winning_rate published_test items clusters raters warnings",
    "overview": "evaluator question figure value low high n verdict why",
    "misjudged": "evaluator question threshold kind item system people judge of value low high",
    "preferences": "evaluator question system measure value low high people people_low "
    "people_high n",
    "selection": "evaluator question msa wins ties losses win_share win_share_low win_share_high "
    "one_sided_ties one_sided_ties_low one_sided_ties_high n low high rsm rsm_low rsm_high rsm_n "
    "rsm_precision rsm_precision_low rsm_precision_high rsm_precision_n",
    "substitution": "evaluator question epsilon winning_rate advantage_probability rejected tested "
    "passes low high n agreement agreement_low agreement_high ceiling ceiling_low ceiling_high "
    "difference difference_low difference_high ceiling_n people_alpha people_alpha_low "
    "people_alpha_high",
    "prediction_powered": "evaluator question system estimate low high lambda n n_unlabelled "
    "n_effective more_to_halve method",
    "counterfactual": "part question score level other other_level measure value low high n mean "
    "sd other_mean other_sd t p p_holm item content explaining rule",
    "factuality": "part domain system other evaluator metric other_evaluator other_metric "
    "coefficient by name value low high sd p p_holm n skipped zero missing",
    "disagreements": "item question evaluator people n_raters judge difference distance spread",
    "rater_pairs": "first second measure value low high n",
    "raters": "rater role question n_items n_answers seconds seconds_low seconds_high seconds_n r "
    "low high n straight straight_low straight_high straight_n counts excluded reason",
    "exclusions": "rule reason excluded unjudged raters alpha alpha_low alpha_high alpha_after "
    "alpha_after_low alpha_after_high question judge r r_low r_high judge_after r_after "
    "r_after_low r_after_high",
    "metamorphic": "part evaluator relation cell measure k l n iterations lists skipped iteration "
    "value low high sd p p_holm p_permutation p_permutation_holm why recipient baseline list",
    "reasons": "kind code other question rating system coder n of percent percent_low percent_high "
    "kappa kappa_low kappa_high",
}


@pytest.fixture(autouse=True)
def rated(db):
    return make_rated_study()


def analyse(*arguments):
    out = StringIO()
    call_command("analyse", *arguments, stdout=out)
    return out.getvalue()


# These have rows in their own tests: the small study has no lists, no two prompts, no texts
# no explanations by contents, no statements and no tests of judges.
ELSEWHERE = {
    "counterfactual",
    "examples",
    "factuality",
    "metamorphic",
    "plan",
    "preferences",
    "reasons",
    "robustness",
    "stop",
}


@pytest.mark.parametrize("report", sorted({*KEYS} - ELSEWHERE))
def test_json_has_the_documented_keys(report):
    found = json.loads(analyse("films", report, "--draws", "0", "--format", "json"))
    assert list(found) == ["study", "report", "options", "rows", "notes"]
    assert (found["study"], found["report"]) == ("films", report)
    assert list(found["rows"][0]) == KEYS[report].split()


@pytest.mark.parametrize("report", REPORTS)
def test_every_key_is_documented(report):
    page = (Path(settings.BASE_DIR) / "docs" / "REPORTS.md").read_text()
    start = page.index(f"| {report} |")
    end = page.find("\n| ", start + 1)
    while end > 0 and page[end:].startswith("\n| |"):
        end = page.find("\n| ", end + 1)
    part = page[start : end if end > 0 else len(page)]
    assert [key for key in KEYS[report].split() if f"`{key}`" not in part] == []


def test_undefined_numbers_are_null_in_json_and_blank_in_csv(rated):
    add_judge(rated, "constant", lambda item: 3)
    text = analyse("films", "correlation", "--draws", "0", "--format", "json")
    assert "NaN" not in text
    rows = list(csv.DictReader(StringIO(analyse("films", "correlation", "--format", "csv"))))
    assert {row["value"] for row in rows if row["evaluator"] == "constant"} == {""}


def test_text_is_an_aligned_table_with_the_notes_below():
    lines = analyse("films", "roc", "--draws", "0").splitlines()
    assert lines[0].split() == KEYS["roc"].split()
    assert set(lines[1]) == {"-", " "}
    assert lines[2].startswith("close ")
    assert "No intervals: 0 draws." in lines


def test_a_table_for_latex_stands_below_the_notes():
    lines = analyse("films", "roc", "--draws", "20", "--format", "latex").splitlines()
    assert lines[-1] == r"\end{longtable}"  # 4 questions × 5 evaluators × 5 rows
    assert r"\toprule" in lines
    assert "% Missing judgments are dropped (none)." in lines


def test_options_are_those_of_the_page_and_of_this_report_alone():
    found = json.loads(
        analyse(
            "films",
            "correlation",
            "--reference",
            "all",
            "--judge",
            "close",
            "--exclude",
            "genre=drama",
            "--exclude",
            "system=system-1",
            "--only",
            "recipient=r1",
            "--missing-reference",
            "3",
            "--missing-judgment",
            "drop",
            "--strong",
            "2",
            "--criterion",
            "f1",
            "--against",
            "random",
            "--undefined",
            "zero",
            "--threshold",
            "3.5",
            "--epsilon",
            "0.15",
            "--standard-errors",
            "plain",
            "--draws",
            "0",
            "--seed",
            "7",
            "--version",
            "1",
            "--least-raters",
            "2",
            "--direction",
            "higher",
            "--order",
            "people",
            "--splits",
            "50",
            "--persistence",
            "0.8",
            "--entries",
            "matched",
            "--cluster",
            "genre",
            "--format",
            "json",
        )
    )
    assert found["options"] == {
        "reference": "all",
        "judges": ["close"],
        "exclude": ["genre=drama", "system=system-1"],
        "only": ["recipient=r1"],
        "by": None,
        "missing_reference": 3.0,
        "missing_judgment": "drop",
        "undefined": "zero",
        "weighted": "beside",
        "draws": 0,
        "seed": 7,
        "version": 1,
        "part": "all",
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["nothing", "roc"], "There is no study 'nothing'; there are: films."),
        (["films", "horoscope"], "there are: verdict, substitution, plan, stop, overview, "),
        (["films", "roc", "--exclude", "colour=red"], "use column=value with one of the columns"),
        (["films", "roc", "--exclude", "system=sistem"], "values of system are system-0"),
        (["films", "roc", "--reference", "boss"], "reference: Select a valid choice"),
        (["films", "roc", "--missing-judgment", "zero"], "Use drop, or the number to put in"),
        (["films", "roc", "--undefined", "maybe"], "undefined: Select a valid choice"),
        (["films", "roc", "--draws", "many"], "draws: Enter a whole number"),
        (["films", "roc", "--draws", "-1"], "draws: Ensure this value is greater than"),
        (["films", "roc", "--draws", "999999"], "less than or equal to 20000"),
        (["films", "roc", "--threshold", "nan"], "threshold: Enter a number"),
        (["films", "substitution", "--epsilon", "0.6"], "epsilon: Ensure this value is less"),
        (["films", "substitution", "--standard-errors", "x"], "standard_errors: Select a valid"),
        (["films", "selection", "--strong", "3"], "strong: Select a valid choice"),
        (["films", "thresholds", "--criterion", "kappa"], "criterion: Select a valid choice"),
        (["films", "differences", "--against", "nobody"], "against: Select a valid choice"),
        (
            ["films", "compare", "--of", "nobody"],
            "allowed are a rater, mean of third_party, close,",
        ),
        (["films", "compare", "--with", "close + x"], "other: Found “close + x”; allowed are"),
        (["films", "compare", "--of", "close", "--with", "close"], "on both sides; choose two"),
        (["films", "compare", "--margin", "-1"], "margin: Ensure this value is greater"),
        (["films", "compare", "--measure", "f1"], "allowed are pearson-dataset, pearson-user,"),
        (["films", "roc", "--measure", "auc"], "this report has no measures"),
        (["films", "disagreements", "--order", "x"], "order: Select a valid choice"),
        (["films", "disagreements", "--direction", "x"], "direction: Select a valid choice"),
        (["films", "disagreements", "--least-raters", "0"], "least_raters: Ensure this value"),
        (["films", "counterfactual", "--splits", "0"], "splits: Ensure this value is greater"),
        (["films", "counterfactual", "--cluster", "x"], "cluster: Select a valid choice"),
        (["films", "disagreements", "--only", "x"], "use column=value with one of the columns"),
        (["films", "roc", "--seed", "x"], "seed: Enter a whole number"),
    ],
)
def test_a_wrong_value_is_refused_in_words(arguments, words):
    with pytest.raises(CommandError) as refusal:
        analyse(*arguments)
    assert words in str(refusal.value)
