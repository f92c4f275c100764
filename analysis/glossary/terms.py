"""The terms of the researchers' pages, in alphabetical order, and the reports that use them."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml


@dataclass(frozen=True)
class Term:
    """A term: its anchor, its name, its symbol if it has one, and what it means in plain words.

    reports: names of the reports whose pages list it.
    """

    key: str
    name: str
    meaning: str
    symbol: str = ""
    reports: tuple = ()

    @property
    def label(self):
        """Return the name with the symbol in brackets."""
        return f"{self.name} ({self.symbol})" if self.symbol else self.name


@cache
def terms_by_key():
    """Return {key: Term}, in alphabetical order of the names."""
    written = yaml.safe_load(Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8"))
    terms = [Term(key, **fields) for key, fields in written.items()]
    return {term.key: term for term in sorted(terms, key=lambda term: term.name.casefold())}


def terms_of(report):
    """Return the Terms that the page of a report lists."""
    return [term for term in terms_by_key().values() if report in term.reports]
