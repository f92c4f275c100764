"""words.yaml: every text is said somewhere, and numbers are written as the pages write them."""

import re
from pathlib import Path

from analysis.reports.how_many import words
from analysis.reports.words import Writer
from analysis.stats.planning.planning import CHECKS
from analysis.stats.planning.stopping import State
from analysis.stats.validation.decision import Reason

FOLDER = Path(words.__file__).parent
PARTS = re.compile("(note|course)_")  # that the code puts before a case


def test_no_text_is_left_over():
    code = " ".join(path.read_text() for path in FOLDER.glob("*.py"))
    asked = {*re.findall(r'"(\w+)"', code), *CHECKS, *State, *Reason}
    cases = {case for page in words.TEXTS.values() for case in page}
    assert {case for case in cases if PARTS.sub("", case) not in asked} == set()


def test_numbers_are_written_in_one_way():
    write = Writer().format
    assert write("{:point} {:measured} {:*item} {:*item}", 0.4, 0.25, 1, 2000) == (
        ".40 0.25 1 item 2,000 items"
    )
