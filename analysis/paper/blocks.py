"""Name what a section of a paper is made of, beside its tables and figures."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Words:
    """Paragraphs; the first one of an answer leads. Citations are written [@key]."""

    paragraphs: list
    leads: bool = False


@dataclass(frozen=True)
class Listing:
    """Names with their meanings, under a heading."""

    heading: str
    entries: list


@dataclass(frozen=True)
class Made:
    """A section of a paper with its blocks: Words, Listings, Tables, Forests."""

    name: str
    title: str
    blocks: list = field(default_factory=list)
