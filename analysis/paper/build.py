"""Build a paper's sections of what a study's reports say, and keep them as every result is kept."""

from dataclasses import dataclass, field

from analysis.paper.blocks import Made, Words
from analysis.paper.citations import keys_in
from analysis.paper.methods import paragraphs_of
from analysis.paper.sections import BY_NAME, SECTIONS, Work
from analysis.reports.registry import REPORTS
from analysis.serving.summaries import missing

METHODS = "methods"
NOTHING = "No number of this section is defined. Its report says why."


@dataclass(frozen=True)
class Paper:
    """What a paper says, whatever the digits and widths in which it is written.

    keys: of the references that it cites.
    """

    study: str
    title: str
    notice: str
    sections: list
    keys: list = field(default_factory=list)


def names_asked(text):
    """Return the names of the sections in a text such as `answer,figure`, in a paper's order."""
    asked = {*text.split(",")}
    return [section.name for section in SECTIONS if section.name in asked]


def build(source, names):
    """Compute the sections of these names."""
    work, made = Work(source), []
    for name in names:
        section = BY_NAME[name]
        if not section.applies(source):
            continue
        made.append(Made(name, section.title, _told(section.make(work))))
    made = [_with_methods(section, work, names) for section in made]
    paragraphs = [text for section in made for text in _paragraphs(section)]
    study = source.study
    return Paper(study.slug, study.title, study.notice, made, keys_in(paragraphs))


def _told(blocks):
    """Leave out tables without a number; where nothing is left, say so."""
    kept = [block for block in blocks if getattr(block, "has_numbers", True)]
    return kept or [Words([NOTHING])]


def _with_methods(section, work, names):
    """Put the sentences on what the other sections have read into the methods."""
    if section.name != METHODS:
        return section
    options = REPORTS["verdict"].options.choose(
        reference=work.source.choices.testing_reference, part=work.source.reader.part
    )
    paragraphs = paragraphs_of(work.source, names, work.options, options)
    return Made(section.name, section.title, [Words(paragraphs)])


def _paragraphs(section):
    return [
        text for block in section.blocks if isinstance(block, Words) for text in block.paragraphs
    ]


def paper_of(source, query):
    """Return the study's Paper of the sections that a query names, kept or computed."""
    names = names_asked(query.get("sections", ""))
    return source.kept(_name_of(source, names), lambda: build(source, names))


def is_kept(source, query):
    """Return whether the paper is there, or nothing can be said so that none is to be made."""
    return bool(missing(source)) or source.has(
        _name_of(source, names_asked(query.get("sections", "")))
    )


def _name_of(source, names):
    stamps = " ".join(source.stamp(REPORTS[name]) for name in ("verdict", "cost"))
    return f"paper {','.join(names)} {source.study.title} {source.study.notice} {stamps}"
