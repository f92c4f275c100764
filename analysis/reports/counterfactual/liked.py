"""Rank explanations by people's ratings: singly, by recommended and by explaining content."""

import numpy as np
import pandas as pd

from analysis.figures.layout import Table, Words, cell_of
from analysis.stats.comparison.means_of_people import means_of_people
from annotate.models import Content
from annotate.values.texts import composed

PART = "liked"
EXPLANATION, RECOMMENDED, EXPLAINING = "explanation", "recommended", "explaining"
AVERAGE = "average"
COLUMN = "explaining_contents"
TITLES = "titles"
# What a table is of, and the head of its first column.
TABLES = {
    EXPLANATION: ("Explanations", "Explanation"),
    RECOMMENDED: ("Recommended contents, over their explanations", "Recommended"),
    EXPLAINING: ("Contents in explanations, over these", "In the explanation"),
}
MOST_LIKED = 15


def add(work):
    """Add a row per question and explanation or content: the mean of its ratings, by people's t.

    Only explanations that name contents. average: all ratings of the questions together, where
    these are on scales of the same ends.
    """
    items, scores = work.scores.items, work.scores
    explaining = _named(items)
    if not any(explaining):
        return
    names, contents = (items[column].astype(str).tolist() for column in ("item", "content"))
    has_names = list(zip(contents, explaining, strict=True))
    groups = {
        EXPLANATION: [[row] if own else [] for row, own in enumerate(explaining)],
        RECOMMENDED: [[key] if key and own else [] for key, own in has_names],
        EXPLAINING: explaining,
    }
    of_items = {measure: _grouped(own) for measure, own in groups.items()}
    questions = {key: [work.places[key]] for key in work.wanted}
    scales = [scores.questions[place].scale for place in work.places.values()]
    if work.is_whole and len(questions) > 1 and len({(own.low, own.high) for own in scales}) == 1:
        questions = {AVERAGE: list(work.places.values())} | questions
    for question, places in questions.items():
        given = [scores.given(place, scores.options.reference) for place in places]
        rated, raters, values = (np.concatenate(parts) for parts in zip(*given, strict=True))
        ratings = pd.DataFrame({"item": rated, "rater": raters, "value": values})
        for measure, (groups_of_item, in_order) in of_items.items():
            table = ratings.merge(groups_of_item, on="item")  # a rating once for each group
            columns = (table[name].to_numpy() for name in ("value", "group", "rater"))
            means = means_of_people(*columns, len(in_order))
            for place in np.flatnonzero(means.n).tolist():
                group = in_order[place]
                facts = {"content": group}
                if measure == EXPLANATION:
                    facts = {"item": names[group], "content": contents[group]}
                    facts["explaining"] = "|".join(explaining[group])
                facts |= {name: float(getattr(means, name)[place]) for name in ("low", "high")}
                facts |= {"value": float(means.mean[place]), "n": int(means.n[place])}
                facts |= {"question": question, "measure": measure}
                work.add(PART, reason=means.reason(place), **facts)
    titles = work.beside.titles(scores.answers.items)
    shown = {key for own in explaining for key in own} | {*contents}
    work.report.curves[TITLES] = {key: titles[key] for key in shown & titles.keys()}


def _grouped(of_items):
    """Return (frame of `item` and `group`, names of the groups in order) of names by item."""
    names = list(dict.fromkeys(name for some in of_items for name in some))
    places = {name: place for place, name in enumerate(names)}
    pairs = [(item, places[name]) for item, some in enumerate(of_items) for name in some]
    table = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return pd.DataFrame(table, columns=["item", "group"]), names


def _named(items):
    """Return the keys of the contents that each explanation names (items,), [] without any."""
    if COLUMN not in items:
        return [[] for _ in range(len(items))]
    categories = [_keys(text) for text in items[COLUMN].cat.categories]
    return [categories[code] for code in items[COLUMN].cat.codes]


def _keys(text):
    return list(dict.fromkeys(composed(key.strip()) for key in text.split("|") if key.strip()))


def titles(study, items):
    """Return {key: title} of the contents that these items recommend or name, in one query."""
    keys = {key for names in _named(items) for key in names} | {*items["content"].astype(str)}
    rows = Content.objects.filter(study=study, key__in=keys).order_by()
    return dict(rows.values_list("key", "title"))


def tables(report, entries):
    """Yield tables of the highest means: of all ratings together, else of the first question."""
    questions = list(dict.fromkeys(entry.row["question"] for entry in entries))
    question = AVERAGE if AVERAGE in questions else next(iter(questions), "")
    whose = "all questions together" if question == AVERAGE else question
    entries = [entry for entry in entries if entry.row["question"] == question]
    entries.sort(key=lambda entry: (-entry.row["value"], -entry.row["n"]))

    def title(key):
        return report.curves[TITLES].get(key) or key

    for measure, (what, corner) in TABLES.items():
        own = [entry for entry in entries if entry.row["measure"] == measure]
        if not own:
            continue
        lines, headings = [], ["Mean rating", "Ratings"]
        for entry in own[:MOST_LIKED]:
            row, cells = entry.row, [cell_of(entry), f"{entry.row['n']:,}"]
            if measure == EXPLANATION:
                named = ", ".join(map(title, row["explaining"].split("|")))
                cells += [Words(title(row["content"]) or "–"), Words(named)]
            lines.append((row["item"] or title(row["content"]), cells))
        if measure == EXPLANATION:
            headings += [Words("Recommended"), Words("Because of")]
        caption = (
            f"{what}: mean rating ({whose}), the highest first; {len(lines):,} of {len(own):,}. "
            "95 % intervals by people."
        )
        yield Table(caption, headings, lines, [], corner)
