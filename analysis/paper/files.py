"""Write a paper as one HTML file, or as a ZIP archive with its tables, figures and sources."""

import csv
from dataclasses import dataclass, field
from io import BytesIO, StringIO
from pathlib import Path
from zipfile import ZIP_DEFLATED, ZipFile, ZipInfo

from django.conf import settings
from django.template.loader import render_to_string
from django.utils.html import escape

from analysis.figures.forest import Forest, draw
from analysis.figures.vector import SANS, as_pdf, as_svg
from analysis.paper.blocks import Words
from analysis.paper.citations import as_bibtex, in_words, references
from analysis.paper.latex import as_latex, document
from analysis.paper.table import Style, Table
from annotate.values.formulas import guarded

STYLE_SHEET = Path(settings.BASE_DIR) / "static" / "paper.css"
WIDTH = 16.0  # cm of figures: the text's width of most pages
HTML, ZIP = "html", "zip"
TYPES = {HTML: "text/html; charset=utf-8", ZIP: "application/zip"}
NEWEST = (1980, 1, 1, 0, 0, 0)  # of the archive's files: the same paper is the same archive
# Around the template, which holds no inline style: what stands here is our own file.
HEAD = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>%s</title>
<style>
%s</style>
</head>
<body class="paper">
<main>
"""
FOOT = "</main>\n</body>\n</html>\n"


@dataclass(frozen=True)
class Looks:
    """How a paper is written: the Style of numbers, width (cm) and font of figures."""

    style: Style = field(default_factory=Style)
    width: float = WIDTH
    font: str = SANS


def body(paper, looks):
    """Return the paper as HTML without a frame, for a page and for the file."""
    sections = [
        (section.name, section.title, [_shown(block, looks) for block in section.blocks])
        for section in paper.sections
    ]
    cited = [references()[key].full for key in paper.keys]
    context = {"paper": paper, "sections": sections, "references": cited}
    return render_to_string("analysis/paper/body.html", context)


def _shown(block, looks):
    """Return what the template shows of a block."""
    if isinstance(block, Table):
        shown = {"blocks": list(block.blocks(looks.style))}
        return {"table": block, "caption": block.caption_in(looks.style)} | shown
    if isinstance(block, Forest):
        drawing = draw(block, looks.width)
        return {"figure": block, "svg": as_svg(drawing, looks.font, block.caption)}
    if isinstance(block, Words):
        return {"words": [in_words(text) for text in block.paragraphs], "leads": block.leads}
    return {"listing": block}


def as_html(paper, looks):
    """Return the paper as one HTML file that needs no network."""
    styles = STYLE_SHEET.read_text(encoding="utf-8")
    return HEAD % (escape(f"{paper.title} · paper"), styles) + body(paper, looks) + FOOT


def as_zip(paper, looks):
    """Return an archive: paper.html, paper.tex, tables, figures, methods and references."""
    blocks = [block for section in paper.sections for block in section.blocks]
    files = {
        "paper.html": as_html(paper, looks),
        "paper.tex": document(paper, looks.style),
        "methods.md": _methods(paper),
        "references.bib": as_bibtex(paper.keys),
    }
    for block in blocks:
        if isinstance(block, Table):
            files[f"tables/{block.key}.tex"] = as_latex(block, looks.style)
            files[f"tables/{block.key}.csv"] = as_csv(block)
        elif isinstance(block, Forest):
            drawing = draw(block, looks.width)
            files[f"figures/{block.key}.svg"] = as_svg(drawing, looks.font, block.caption)
            files[f"figures/{block.key}.pdf"] = as_pdf(drawing, looks.font)
    target = BytesIO()
    with ZipFile(target, "w") as archive:
        for name, text in files.items():
            if text:
                archive.writestr(ZipInfo(name, NEWEST), text, ZIP_DEFLATED)
    return target.getvalue()


def as_csv(table):
    """Return a table as CSV with unrounded numbers; texts cannot act as formulas."""
    target = StringIO()
    rows = ([guarded(c) if isinstance(c, str) else c for c in row] for row in table.rows())
    csv.writer(target, lineterminator="\r\n").writerows(rows)
    return target.getvalue()


def _methods(paper):
    """Return the methods with citations as pandoc reads them; blank without that section."""
    paragraphs = [
        text
        for section in paper.sections
        if section.name == "methods"
        for block in section.blocks
        for text in block.paragraphs
    ]
    return "".join(f"{text}\n" for text in paragraphs)


WRITERS = {HTML: lambda paper, looks: as_html(paper, looks).encode(), ZIP: as_zip}
