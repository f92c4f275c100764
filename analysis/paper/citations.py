"""Cite sources: `[@key; @key]` in a sentence stands for entries of references.bib."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "references.bib"
ENTRY = re.compile(r"@\w+\{(\w+),\n(.*?)\n\}", re.DOTALL)
FIELD = re.compile(r"^  (\w+) = \{(.*)\},?$", re.MULTILINE)
CITED = re.compile(r"\[(@\w+(?:; @\w+)*)\]")
VENUES = ("journal", "booktitle", "institution")
ACCENTS = {r"{\aa}": "å", r"{\"a}": "ä", r"{\"o}": "ö", r"\&": "&"}
MOST_NAMED = 2  # authors in a citation; more are “et al.”


@dataclass(frozen=True)
class Reference:
    """An entry of references.bib; text: the entry as the file has it."""

    key: str
    text: str
    fields: dict

    @property
    def short(self):
        """Return the citation within a sentence: Zhang et al., 2024."""
        names = [name.split(",")[0] for name in self.fields["author"].split(" and ")]
        named = f"{names[0]} et al." if len(names) > MOST_NAMED else " & ".join(names)
        return f"{named}, {self.fields['year']}"

    @property
    def full(self):
        """Return the entry of a list of references."""
        own = self.fields
        authors = "; ".join(own["author"].split(" and "))
        venue = next(own[name] for name in VENUES if name in own)
        volume = f", {own['volume']}({own['number']}), {own['pages']}" if "volume" in own else ""
        return f"{authors} ({own['year']}). {own['title']}. {venue}{volume}."


@cache
def references():
    """Return {key: Reference} of references.bib."""
    text = FILE.read_text(encoding="utf-8")
    return {
        match[1]: Reference(
            match[1], match[0], {name: _plain(v) for name, v in FIELD.findall(match[2])}
        )
        for match in ENTRY.finditer(text)
    }


def _plain(value):
    """Return a value without BibTeX's braces and escapes."""
    for written, letter in ACCENTS.items():
        value = value.replace(written, letter)
    return value.replace("{", "").replace("}", "").replace("--", "–").replace("'", "’")


def keys_in(sentences):
    """List the keys that sentences cite, each once, in the order of the file."""
    cited = {key for text in sentences for match in CITED.findall(text) for key in _keys(match)}
    return [key for key in references() if key in cited]


def _keys(group):
    return [part.removeprefix("@") for part in group.split("; ")]


def _are_known(group):
    """Return whether all keys stand in references.bib: a judge's name may look like a citation."""
    return all(key in references() for key in _keys(group))


def in_words(sentence):
    """Write a sentence's citations as (Zhang et al., 2024)."""

    def write(match):
        if not _are_known(match[1]):
            return match[0]
        return f"({'; '.join(references()[key].short for key in _keys(match[1]))})"

    return CITED.sub(write, sentence)


def in_latex(sentence, escape):
    r"""Escape a sentence for LaTeX, and write its citations as \citep{key}."""
    parts = CITED.split(sentence)
    return "".join(
        _cite(part, escape) if place % 2 else escape(part) for place, part in enumerate(parts)
    )


def _cite(group, escape):
    if not _are_known(group):
        return escape(f"[{group}]")
    return rf"\citep{{{','.join(_keys(group))}}}"


def as_bibtex(keys):
    """Return the entries of these keys as a BibTeX file."""
    return "\n".join(references()[key].text for key in keys) + "\n"
