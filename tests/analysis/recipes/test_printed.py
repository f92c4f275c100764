"""The numbers of the papers are those that the papers print: read again by hand, and counted."""

import re
from collections import Counter

import pytest

from analysis.recipes.p0.numbers import ASPECTS
from analysis.recipes.p0.recipe import P0
from analysis.recipes.p1.recipe import P1
from analysis.recipes.p2.recipe import P2
from analysis.recipes.p3.recipe import P3
from analysis.recipes.p4.recipe import P4

AGAIN = {
    P0: [
        ("1", "Random", "Transparency: pair", -2.58),
        ("1", "BLEU-4", "Accuracy: user", 4.8),
        ("1", "ROUGE-L-F", "Average: pair", 15.27),
        ("1", "Annotator-2", "Transparency: user", 26.42),
        ("1", "Annotators, averaged", "Satisfaction: pair", 13.16),
        ("1", "Llama2-7B (M)", "Accuracy: pair", -16.36),
        ("1", "Qwen1.5-14B (S)", "Accuracy: pair", 35.11),
        ("1", "GPT3.5-Turbo (M)", "Satisfaction: dataset", 20.93),
        ("1", "GPT4 (S)", "Satisfaction: pair", 3.17),
        ("1", "GPT4 (M)", "Average: dataset", 21.07),
        ("2", "Human", "Cost", 0.111),
        ("2", "GPT3.5 (M)", "Cost", 0.000364),
        ("Data", "Users", "Number", 39),
    ],
    P1: [
        ("II", "Interactions", "Sports", 293244),
        ("II", "Statements: Avg/item", "Cellphones", 81.42),
        ("III", "Toys: St2Exp-P", "NRT", 0.0438),
        ("III", "Sports: St2Exp-P", "XRec", 0.3288),
        ("III", "Sports: St2Exp-P", "XRec SD", 0.3663),
        ("IV", "Cellphones: StCoh-R", "PETER", -0.1259),
        ("IV", "Clothes: StEnt-F1", "PEPLER SD", 0.1708),
        ("V", "Cellphones: AlignScore", "NRT", 0.6046),
        ("V", "Beauty: QuestEval", "CER", 0.4088),
        ("VI", "Sports: BART", "XRec", -4.0168),
        ("VI", "Clothes: BLEURT", "Att2Seq SD", 0.2891),
        ("VII", "Beauty: STS", "NRT", 0.0673),
        ("VII", "Cellphones: BERT-F1", "PEPLER", 0.8529),
    ],
    P2: [
        ("2", "k = 10", "Overlap ratio", 0.9445),
        ("3", "l = 30", "RBO", 0.9791),
        ("4", "MR3: Spaces", "Kendall τ", 0.064),
        ("4", "MR4: Random words", "Overlap ratio SD", 0.0089),
    ],
    P3: [
        ("1", "LaaJ-Profile", "MSA", 0.6596),
        ("1", "LaaJ-History", "ROC-AUC", 0.6476),
        ("1", "sBERT-Sim", "L", 23),
        ("Figure 4", "20 episodes", "LaaJ-human accuracy", 0.59),
    ],
    P4: [
        ("1", "CF", "Explainability", 0.4436),
        ("1", "Genre-Jacc", "Transparency", 0.4554),
        ("2", "Item-Sim", "Trustworthiness", 0.0059),
        ("3", "High-CF", "Transparency SD", 0.776),
        ("3", "Low-CF", "Satisfaction", 3.824),
        ("3", "t", "Persuasiveness", 2.0424),
        ("4a", "High-Item-Sim", "Effectiveness SD", 0.866),
        ("4a", "t", "Informativeness", 1.877),
        ("4b", "High-Genre-Jacc", "Trustworthiness", 3.995),
        ("4b", "t", "Satisfaction", 4.415),
        ("Data", "Participants excluded", "Number", 16),
    ],
}
# Numbers of a table: P1 prints each mean with its deviation, but for table II.
COUNTS = {
    P0: {"1": 300, "2": 5, "Data": 3},
    P1: {"II": 55, "III": 180, "IV": 300, "V": 240, "VI": 360, "VII": 300},
    P2: {"2": 12, "3": 12, "4": 30},
    P3: {"1": 18, "Data": 5, "Figure 3": 6, "Figure 4": 2},
    P4: {"1": 28, "2": 28, "3": 35, "4a": 35, "4b": 35, "Data": 2},
}


@pytest.mark.parametrize("recipe", AGAIN)
def test_samples_read_again_stand_there_and_no_place_twice(recipe):
    printed = {number.place: number.value for number in recipe().published}
    assert len(printed) == len(recipe().published)
    for *place, value in AGAIN[recipe]:
        assert printed[tuple(place)] == value
    assert Counter(table for table, *_ in printed) == COUNTS[recipe]


def test_the_printed_agreement_on_lists_is_the_printed_counts():
    printed = {number.place: number.value for number in P3().published}
    for judge in ("LaaJ-Profile", "LaaJ-History", "sBERT-Sim"):
        wins, ties, losses, msa = (printed["1", judge, name] for name in ("W", "T", "L", "MSA"))
        assert wins + ties + losses == 47
        assert round((wins + ties) / 47, 4) == msa


def test_the_printed_averages_of_p0_are_means_of_the_printed_aspects():
    printed = {number.place: number.value for number in P0().published}
    for _, row, column in [place for place in printed if place[2].startswith("Average: ")]:
        level = column.partition(": ")[2]
        own = sum(printed["1", row, f"{name}: {level}"] for name in ASPECTS) / len(ASPECTS)
        assert own == pytest.approx(printed["1", row, column], abs=0.0101)


@pytest.fixture
def papers(shared_data):
    """Return the text of a paper by its first three letters."""
    folder = shared_data.parent / "papers"
    if not folder.is_dir():
        pytest.skip("the papers (../shared/papers) are not beside the project")
    return lambda name: next(folder.glob(f"{name}_*.txt")).read_text(encoding="utf-8")


def printed_values(recipe, table):
    return [number.value for number in recipe().published if number.table == table]


def test_table_1_of_p0_is_that_of_the_papers_text(papers):
    text = papers("000")
    table = text[text.index("Table 1: The 3-level") : text.index("Table 2: The cost")]
    lines = [line.partition("\t")[2] for line in table.splitlines() if line.count(" / ") == 10]
    numbers = [float(word) for line in lines for word in re.findall(r"-?\d+\.\d+", line)]
    assert numbers == printed_values(P0, "1")


def test_the_tables_of_p4_are_those_of_the_papers_text(papers):
    text = papers("004")
    tables = re.split(r"Table [1-4]: |\(a\) Between|\(b\) Between", text[text.index("5.1 Is") :])
    for name, part in zip(("1", "2", "3", "4a", "4b"), tables[:5], strict=True):
        start = part.rindex("Explainability Informativeness")
        numbers = re.findall(r"(?<![\d.])\d\.\d+(?![\d.e])", part[start:])
        own = printed_values(P4, name)
        assert [*map(float, numbers)][: len(own)] == own
