"""Files of a paper: numbers are the reports', nothing comes from outside, LaTeX compiles."""

import csv
import re
import shutil
import subprocess
from io import BytesIO, StringIO
from zipfile import ZipFile

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from analysis.paper.files import STYLE_SHEET
from analysis.paper.sections import SECTIONS
from annotate.models import Content, Rating
from judges.models import Judge
from tests import factories
from tests.analysis.small import build as build_report
from tests.analysis.small import make_rated_study, row_of

pytestmark = pytest.mark.django_db
EVERY = ",".join(section.name for section in SECTIONS)
APPLYING = EVERY.replace("lists,", "").replace("cost,", "")
ENGINES = ("tectonic", "pdflatex", "lualatex")
ENGINE = next(filter(None, map(shutil.which, ENGINES)), "")
HOW = "compiles" if ENGINE else "is checked by a parser for want of an engine"


@pytest.fixture
def rated(owner):
    return make_rated_study(owner)


def write(path, *options):
    """A paper by the command."""
    out = StringIO()
    call_command("report", "films", "-o", path, *options, stdout=out)
    assert out.getvalue() == f"Wrote {path}.\n"
    return path


def files_of(path):
    """{name: bytes} of an archive."""
    with ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def words(html):
    """The text without the styles and the tags."""
    html = re.sub(r"<style\b.*?</style>", "", html, flags=re.S)
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def table(files, key):
    """{name: {heading: cell}} of a table in an archive, as CSV holds it."""
    lines = csv.DictReader(StringIO(files[f"tables/{key}.csv"].decode()))
    return {line.pop(lines.fieldnames[0]): line for line in lines}


def test_the_usual_paper_has_answer_board_agreement_figure_methods_codebook(rated, tmp_path):
    html = write(tmp_path / "x.html").read_text()
    assert html.startswith("<!doctype html>") and html.endswith("</html>\n")
    names = re.findall(r'<h2 id="paper-(\w+)">', html)
    usual = ["answer", "leaderboard", "agreement", "figure", "methods", "codebook", "references"]
    assert names == usual
    assert html.count("<svg ") == 1
    assert len(words(html).split()) < 2000


def test_nothing_comes_from_outside_or_runs(rated, tmp_path):
    html = write(tmp_path / "x.html", "--sections", APPLYING).read_text()
    assert not re.search(r"<script|<link|<img|<iframe|\son\w+=|@import|url\(", html, re.I)
    assert set(re.findall(r'(?:href|src|xlink:href)="([^"]*)"', html)) == set()
    assert set(re.findall(r"https?://[^\"'\s<]+", html)) == {"http://www.w3.org/2000/svg"}


def test_the_numbers_are_those_of_the_reports(rated, tmp_path):
    files = files_of(write(tmp_path / "x.zip", "--sections", APPLYING))
    draws = {"draws": 2000}
    correlation = build_report(rated, "correlation", **draws)
    for judge in ("close", "random"):
        for question in ("accuracy", "average"):
            row = row_of(
                correlation,
                evaluator=judge,
                question=question,
                level="user",
                coefficient="pearson",
            )
            cells = table(files, "correlation-user")[judge]
            assert float(cells[question]) == row["value"]
            assert float(cells[f"{question} low"]) == row["low"]
    row = row_of(
        build_report(rated, "agreement", **draws),
        raters="humans + close",
        question="accuracy",
        measure="alpha_ordinal",
    )
    assert float(table(files, "agreement-judges")["close"]["accuracy"]) == row["value"]
    roc = build_report(rated, "roc", **draws)
    row = row_of(roc, evaluator="close", question="accuracy", threshold=4.0)
    assert float(table(files, "auc")["close"]["accuracy"]) == row["auc"]
    bias = build_report(rated, "bias", **draws)
    row = row_of(bias, bias="systems", evaluator="close", question="accuracy", group="all")
    assert float(table(files, "bias-level")["close"]["accuracy"]) == row["value"]


def test_digits_percent_and_intervals_are_followed(rated, tmp_path):
    options = ["--sections", "correlation,yes_no", "--digits", "3"]
    plain = words(write(tmp_path / "a.html", *options).read_text())
    full = words(write(tmp_path / "b.html", *options, "--percent", "--intervals").read_text())
    wanted = {"evaluator": "close", "question": "accuracy"}
    share = row_of(build_report(rated, "roc", draws=2000), **wanted, threshold=4.0)["auc"]
    assert f"{share:.3f}".removeprefix("0") in plain.split()
    assert f"{100 * share:.1f}" in full.split()
    report = build_report(rated, "correlation", draws=2000)
    row = row_of(report, **wanted, level="user", coefficient="pearson")
    value, low, high = (f"{row[name]:.3f}".replace("0.", ".") for name in ("value", "low", "high"))
    ends = f"[{low}, {high}]".replace("-", "−")
    assert f" {value} {ends} " in full and ends not in plain
    assert "In per cent." in full and "In per cent." not in plain


def test_baselines_and_raters_are_never_marked(rated, tmp_path):
    html = write(tmp_path / "x.html", "--sections", "leaderboard,correlation,agreement").read_text()
    muted = re.findall(r'<tr class="muted">(.*?)</tr>', html, re.S)
    assert any("length of the text" in line for line in muted)
    assert any("people alone" in line for line in muted)
    assert not any("<strong>" in line or "<u>" in line for line in muted)
    assert "<strong>" in html and "<u>" in html


def test_width_and_font_of_the_figure_are_followed(rated, tmp_path):
    asked = ["--sections", "figure", "--width", "12.7", "--font", "serif"]
    files = files_of(write(tmp_path / "x.zip", *asked))
    svg = files["figures/agreement.svg"].decode()
    assert 'width="360.0pt"' in svg and 'font-family="Times New Roman' in svg
    pdf = files["figures/agreement.pdf"]
    assert pdf.startswith(b"%PDF-1.4") and b"/BaseFont /Times-Roman" in pdf
    assert b"/MediaBox [0 0 360.0 " in pdf
    start = int(re.search(rb"startxref\n(\d+)", pdf)[1])
    assert pdf[start : start + 4] == b"xref"
    for number, at in enumerate(re.findall(rb"^(\d{10}) 00000 n", pdf, re.M), start=1):
        assert pdf[int(at) :].startswith(b"%d 0 obj" % number)


def test_methods_name_every_option_and_what_is_cited_stands_in_the_references(rated, tmp_path):
    files = files_of(write(tmp_path / "x.zip", "--sections", APPLYING))
    methods, bibtex = files["methods.md"].decode(), files["references.bib"].decode()
    cited = set(re.findall(r"@(\w+)", methods))
    assert cited == set(re.findall(r"@\w+\{(\w+),", bibtex)) and "zhang2024" in cited
    for name, value in build_report(rated, "correlation", draws=2000).options.items():
        if value not in (None, [], "all"):
            words_of_value = f"{value:,}" if isinstance(value, int) else value.replace("_", " ")
            assert f"{name.replace('_', ' ')} {words_of_value}" in methods
    assert "2,000 cluster-bootstrap draws" in methods
    assert "Zhang et al., 2024" in files["paper.html"].decode()


def test_sections_that_cannot_apply_are_refused_with_what_is_allowed(rated, tmp_path):
    for asked in ("lists", "cost", "wrong"):
        with pytest.raises(CommandError, match=f"Found “{asked}”; allowed are answer, leaderboard"):
            call_command("report", "films", "-o", tmp_path / "x.html", "--sections", asked)
    with pytest.raises(CommandError, match="lists needs a question that chooses between two"):
        call_command("report", "films", "-o", tmp_path / "x.html", "--sections", "lists")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--digits", "9"], "digits: "),
        (["--width", "2"], "width: "),
        (["--font", "x"], "font: "),
    ],
)
def test_wrong_options_are_named(rated, tmp_path, options, message):
    with pytest.raises(CommandError, match=message):
        call_command("report", "films", "-o", tmp_path / "x.html", *options)


def test_another_ending_is_refused(rated, tmp_path):
    with pytest.raises(CommandError, match=r"expected a name that ends in \.html or \.zip"):
        call_command("report", "films", "-o", tmp_path / "x.docx")


def test_without_ratings_it_says_what_is_missing(rated, tmp_path):
    Rating.objects.all().delete()
    with pytest.raises(CommandError, match=r"nothing to report yet\. No rating counts yet\."):
        call_command("report", "films", "-o", tmp_path / "x.html")
    assert list(tmp_path.iterdir()) == []


def test_what_strangers_typed_is_text(owner, tmp_path):
    study = make_rated_study(owner)
    study.title = study.notice = "</title></style></script><script>alert(1)</script>"
    study.save()
    Judge.objects.filter(key="close").update(key="=1+1<b>x")
    factories.make_question(study, "words", {"choice": ["</script><b>x", "no"]})
    Content.objects.update(title="<img src=x onerror=alert(1)>")
    files = files_of(write(tmp_path / "x.zip", "--sections", APPLYING))
    html, svg = files["paper.html"].decode(), files["figures/agreement.svg"].decode()
    for text in (html, svg):
        assert "<script" not in text and "<img" not in text and "<b>x" not in text
    assert "'=1+1<b>x" in files["tables/correlation-user.csv"].decode()


def test_our_style_sheet_ends_no_element():
    assert "</" not in STYLE_SHEET.read_text() and "<!--" not in STYLE_SHEET.read_text()


def make_hostile(study):
    """Names that LaTeX would take for its own."""
    study.title = r"100 % of \input{/etc/passwd} & $x_1^2$ ~ #5 {"
    study.save()
    Judge.objects.filter(key="close").update(key=r"gpt_4 & \rm {50%} [b] ^~")
    study.questions.filter(key="accuracy").update(text="Is α > ρ_1 & 50 % of {it} #right?")
    return study


def check_latex(text):
    """Braces and environments close, and each line has as many cells as its tabular has columns."""
    bare = re.sub(r"(?m)(?<!\\)%.*$", "", re.sub(r"\\[\\{}&%$#_]", " ", text))
    depth = 0
    for letter in bare:
        depth += {"{": 1, "}": -1}.get(letter, 0)
        assert depth >= 0
    assert depth == 0
    opened = []
    for kind, name in re.findall(r"\\(begin|end)\{([\w*]+)\}", text):
        assert kind == "begin" or opened.pop() == name
        opened += [name] if kind == "begin" else []
    assert opened == []
    for columns, body in re.findall(
        r"\\begin\{tabular\}\{([lr]+)\}(.*?)\\end\{tabular\}", text, re.S
    ):
        lines = [line for line in body.splitlines() if line.endswith(r" \\")]
        assert lines and {len(re.findall(r"(?<!\\)&", line)) for line in lines} == {
            len(columns) - 1
        }


@pytest.mark.parametrize("how", [HOW])
def test_the_latex_of_every_table_and_the_paper(rated, tmp_path, how):
    make_hostile(rated)
    options = ["--sections", APPLYING, "--intervals", "--percent"]
    with ZipFile(BytesIO(write(tmp_path / "x.zip", *options).read_bytes())) as archive:
        archive.extractall(tmp_path)
    paths = [tmp_path / "paper.tex", *(tmp_path / "tables").glob("*.tex")]
    assert len(paths) > 8
    for path in paths:
        check_latex(path.read_text())
    if ENGINE:
        run = ["-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape"]
        run = [ENGINE, *(run if "latex" in ENGINE else []), "paper.tex"]
        done = subprocess.run(
            run, check=False, cwd=tmp_path, capture_output=True, text=True, timeout=300
        )
        assert done.returncode == 0, done.stdout[-2000:]
        assert (tmp_path / "paper.pdf").exists()
        assert "Overfull" not in done.stdout


def test_every_section_has_an_entry_in_the_documents():
    commands = (settings.BASE_DIR / "docs" / "COMMANDS.md").read_text()
    for section in SECTIONS:
        assert f"`{section.name}`" in commands
