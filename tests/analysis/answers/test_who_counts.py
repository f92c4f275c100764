"""An analysis reads the answers of raters who count, or says why it reads all."""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ANY = re.compile(r"\b(?:Answer|Screen)\s*\.\s*objects\b|\.screens\.")
COUNTED = re.compile(r"\bAnswer\.objects\.for_analysis\(\)")
OF_ALL = {
    "analysis/answers/sums.py": "notices that any answer changed",
    "analysis/exports/extras.py": "the tables have every screen of every session",
    "analysis/exports/people.py": "the table of sessions has the attempts of each",
}


def reads_all(source):
    """Whether a module reads answers or screens of raters who do not count."""
    return len(ANY.findall(source)) > len(COUNTED.findall(source))


def test_only_files_that_say_why_read_the_answers_of_raters_who_do_not_count():
    modules = {
        str(path.relative_to(ROOT)): path.read_text() for path in (ROOT / "analysis").rglob("*.py")
    }
    assert {path for path, source in modules.items() if reads_all(source)} == OF_ALL.keys()


def test_a_reader_of_all_is_found():
    assert not reads_all("twice = Answer.objects.for_analysis().test_retest()")
    assert reads_all("Answer.objects.for_analysis()\nAnswer.objects.test_retest()")
    assert reads_all("session.screens.all()") and reads_all("Screen.objects.filter(passed=True)")
