"""Rank explanations by people's ratings: singly, by recommended and by explaining content."""

import numpy as np

from analysis.stats.comparison.means_of_people import means_of_people
from annotate.models import Content
from annotate.values.texts import composed

PART = "liked"
EXPLANATION, RECOMMENDED, EXPLAINING = "explanation", "recommended", "explaining"
MEASURES = (EXPLANATION, RECOMMENDED, EXPLAINING)
AVERAGE = "average"
COLUMN = "explaining_contents"


def add(work):
    """Add a row per question and explanation or content: the mean of its ratings, by people's t.

    Only explanations that name contents. average: all ratings of the questions together, where
    these are on scales of the same ends.
    """
    explaining = _named(work.scores.items)
    if not any(explaining):
        return
    keys = work.scores.items["content"].astype(str).tolist()
    both = list(zip(keys, explaining, strict=True))
    groups = {
        EXPLANATION: [[row] if names else [] for row, names in enumerate(explaining)],
        RECOMMENDED: [[key] if key and names else [] for key, names in both],
        EXPLAINING: explaining,
    }
    questions = {key: [work.places[key]] for key in work.wanted}
    if work.is_whole and len(questions) > 1 and _same_ends(work):
        questions = {AVERAGE: list(work.places.values())} | questions
    tables = {measure: _Groups(of_items) for measure, of_items in groups.items()}
    for question, places in questions.items():
        ratings = _ratings(work.scores, places)
        for measure, table in tables.items():
            _add(work, question, measure, table, ratings, explaining)
    all_titles = work.beside.titles(work.scores.answers.items)
    shown = {key for names in explaining for key in names} | {*keys}
    work.report.curves["titles"] = {key: all_titles[key] for key in shown & all_titles.keys()}


class _Groups:
    """Names of groups, and the groups of all items as one array with offsets by item."""

    def __init__(self, of_items):
        names = list(dict.fromkeys(name for some in of_items for name in some))
        places = {name: place for place, name in enumerate(names)}
        self.names = names
        self.codes = np.array([places[n] for some in of_items for n in some], dtype=np.int64)
        self.sizes = np.array([len(some) for some in of_items], dtype=np.int64)
        self.starts = np.cumsum(self.sizes) - self.sizes

    def spread(self, items):
        """Return (rows, groups): every row once for each group of its item (items: of the rows)."""
        sizes = self.sizes[items]
        rows = np.repeat(np.arange(len(items)), sizes)
        first = np.cumsum(sizes) - sizes
        return rows, self.codes[self.starts[items][rows] + np.arange(len(rows)) - first[rows]]


def _named(items):
    """Return the keys of the contents that each explanation names (items,), [] without any."""
    if COLUMN not in items:
        return [[] for _ in range(len(items))]
    categories = [_keys(text) for text in items[COLUMN].cat.categories]
    return [categories[code] for code in items[COLUMN].cat.codes]


def _keys(text):
    return list(dict.fromkeys(composed(key.strip()) for key in text.split("|") if key.strip()))


def _same_ends(work):
    scales = [work.scores.questions[place].scale for place in work.places.values()]
    return len({(scale.low, scale.high) for scale in scales}) == 1


def _ratings(scores, places):
    """Return (items, raters, values) of all these questions."""
    parts_of_questions = [scores.given(place, scores.options.reference) for place in places]
    return tuple(np.concatenate(parts) for parts in zip(*parts_of_questions, strict=True))


def _add(work, question, measure, groups, ratings, explaining):
    items, raters, values = ratings
    rows, codes = groups.spread(items)
    means = means_of_people(values[rows], codes, raters[rows], len(groups.names))
    names, about = work.scores.items["item"].astype(str), work.scores.items["content"].astype(str)
    for place in np.flatnonzero(means.n).tolist():
        name = groups.names[place]
        of = {"content": name}
        if measure == EXPLANATION:
            of = {
                "item": names[name],
                "content": about[name],
                "explaining": "|".join(explaining[name]),
            }
        work.add(
            PART,
            question=question,
            measure=measure,
            value=float(means.mean[place]),
            low=float(means.low[place]),
            high=float(means.high[place]),
            n=int(means.n[place]),
            reason=means.reason(place),
            **of,
        )


def titles(study, items):
    """Return {key: title} of the contents that these items recommend or name, in one query."""
    keys = {key for names in _named(items) for key in names} | {*items["content"].astype(str)}
    rows = Content.objects.filter(study=study, key__in=keys).order_by()
    return dict(rows.values_list("key", "title"))


def notes(report):
    """Write a note on the means, or on what is missing if there are none."""
    if any(row["part"] == PART for row in report.rows):
        yield (
            "Liked: means of ratings of explanations that name contents: of each explanation, of "
            "all explanations of a recommended content, and of all that name a content; 95 % t "
            "intervals with people as independent, undefined for one person. average: all ratings "
            "of all questions on the same scale. What stands highest is chosen for that, so that "
            "further ratings will lower it, the more the fewer there are."
        )
    else:
        yield (
            f"Liked: no explanation names contents (column {COLUMN} of items.csv, ids with | "
            "between them) and has a rating that counts."
        )
