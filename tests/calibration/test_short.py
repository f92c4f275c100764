"""The short form of the study meets the targets that docs/CALIBRATION.md says are met."""

import re
from pathlib import Path

import numpy as np
import pytest

from analysis.stats.validation.decision import decide
from analysis.stats.validation.evidence import gather_evidence
from tests.analysis.stats.validation.simulated import simulate, tricks
from tests.calibration import false_yes, own_answers
from tests.calibration.experiments import SEED, experiments_by_name, run_experiments
from tests.calibration.page import Cost, collect_tables, write_header, write_page

PAGE = (Path(__file__).parents[2] / "docs" / "CALIBRATION.md").read_text()


@pytest.fixture(scope="module")
def short():
    return run_experiments(SEED, is_short=True, processes=1)


@pytest.fixture(scope="module")
def lines(short):
    """[(title of the table, line)] of the short form."""
    return [
        (table.title, line)
        for tables in collect_tables(short).values()
        for table in tables
        for line in table.lines
    ]


def outcomes_of_page():
    """{(title, first cells): met, not met … or –} of the tables of the page."""
    outcomes, title = {}, ""
    for text in PAGE.splitlines():
        if text.startswith("### "):
            title = text.removeprefix("### ")
        elif text.startswith("| "):
            cells = [cell.strip() for cell in text.strip("|").split("|")]
            is_share = re.compile(r"\**[\d.]+ \([\d.]+\)|–$").match
            shares = [k for k, cell in enumerate(cells) if is_share(cell)]
            outcomes[title, *cells[: shares[0] if shares else None]] = cells[-1]
    return outcomes


def test_the_page_has_the_line_of_every_cell(lines):
    outcomes = outcomes_of_page()
    assert [key for title, line in lines if (key := (title, *line.labels)) not in outcomes] == []
    assert len(lines) > 150


def test_no_share_is_farther_from_its_target_than_chance_unless_the_page_says_so(lines):
    outcomes = outcomes_of_page()
    beyond = [
        (title, *line.labels)
        for title, line in lines
        if any(target and not target.is_possible(tally) for tally, target in line.pairs)
    ]
    assert [key for key in beyond if not outcomes[key].startswith("not met")] == []


def test_the_page_is_of_the_seed_and_the_sections_of_the_program():
    said = re.search(r"^(Seed \d+), .*?studies: (.*?)\. Made on", PAGE, re.MULTILINE)
    counts = re.findall(r"([a-z ]+?) ([\d,]+)(?:, |$)", said[2])
    long = write_header(SEED, is_short=False)
    most = dict(re.findall(r"([a-z ]+?) ([\d,]+)(?:, |\.$)", long.split("studies: ")[1]))
    assert said[1] == long.split(",")[0]
    assert [name for name, _ in counts] == list(most)
    assert all(_number(count) <= _number(most[name]) for name, count in counts)
    assert all(own.few < own.studies for own in experiments_by_name().values())


def _number(text):
    return int(text.replace(",", ""))


def test_the_long_form_is_large_enough_for_its_targets():
    counts = {name: own.studies for name, own in experiments_by_name().items()}
    assert min(counts.values()) >= 300  # none of 300: at most .01
    asked = ("coverage", "intervals", "boundary", "bounds of theta", "stopping rule", "plan")
    assert min(n for name, n in counts.items() if name.startswith(asked)) >= 1000


def targets_of(lines, title, *labels):
    """The words of the targets of a table's lines that begin so."""
    return {
        target.words if target else "–"
        for own, line in lines
        if own == title and line.labels[: len(labels)] == labels
        for target in line.targets
    }


def test_the_targets_are_those_agreed(lines):
    false = "False yes: judges that know nothing, or one thing"
    assert targets_of(lines, false) == {"≤ .01"}
    assert {line.labels[1] for title, line in lines if title == false} == {"2", "4", "11"}
    assert targets_of(lines, "Power where two raters agree by .30", "equal to one rater") == {
        "≥ .70"
    }
    for title in ("by items", "by reliability"):
        for whose in ("all systems", "the pair"):
            label = f"{whose}: yes, and a wrong winner"
            assert targets_of(lines, f"A wrong winner of two systems, {title}", label) == {"≤ .01"}
    covered = targets_of(lines, "Shares of 95 % intervals that hold the truth")
    assert covered == {".93 to .97 ± 2 errors"}
    others = targets_of(lines, "Shares of 95 % intervals of other reports that hold the truth")
    assert others == {"–", ".93 to .97 ± 2 errors"}
    label = "warning that it favours one"
    warned = targets_of(lines, "A wrong winner of two systems, by items", label)
    assert warned == {"–", "≤ .05 + 2 errors"}
    contents = "False yes: judges that know only the content, or only the recipient"
    for judge in ("content", "people's own content means", "content and noise"):
        assert targets_of(lines, contents, judge, "contents carry .4, 150 × 2, 5 % missing") == {
            "≤ .01"
        }
    pasting = "Raters who paste a judge's answers"
    assert targets_of(lines, pasting, "30% paste: yes") == {"–"}
    assert targets_of(lines, pasting, "30% paste: yes without the flag's words") == {"≤ .01"}


@pytest.mark.parametrize("share", [0.0, 0.4])
def test_a_yes_of_the_study_is_that_of_the_whole_verdict(share):
    """Retention is asked first to save time; no judge is answered otherwise for it."""
    answers = set()
    for seed in range(3):
        study = simulate(seed, 0.3, share)
        judges = [*tricks(study).values(), study.follow(0.8), study.draw_rating(0.3)]
        for judge in (np.clip(judge, 1, 5) for judge in judges):
            whole = decide(gather_evidence(study.reference, judge)).answer == "yes"
            assert false_yes.is_yes(study.reference, judge) == whole
            answers.add(whole)
    assert answers == {False, True}


@pytest.mark.parametrize(
    "name",
    [
        *(*false_yes.TRICKS, false_yes.BIASED, *false_yes.GOOD),
        *(name for _, judges in false_yes.EFFECTS.values() for name in judges),
        *(*own_answers.FALSE, *own_answers.GOOD),
        *("30% paste: yes", "+.5 SD for one system: compares systems"),
    ],
)
def test_the_page_names_every_judge(name):
    assert f"\n| {name} | " in PAGE


def test_the_studies_are_the_same_whatever_the_number_of_processes():
    names = ["coverage, 75 × 4, a panel of five, at 0.3", "stopping rule"]
    alone = run_experiments(7, is_short=True, processes=1, names=names)
    assert alone == run_experiments(7, is_short=True, processes=2, names=names)
    assert alone != run_experiments(8, is_short=True, processes=1, names=names)


def test_every_missed_target_has_a_sentence(short):
    page = write_page(short, SEED, is_short=True, cost=Cost(60, 60, 1))
    tables = re.split(r"^### ", page, flags=re.MULTILINE)[1:]
    assert [table for table in tables if ("not met" in table) != ("\nNot met: " in table)] == []
