"""Check and write the tables that belong to annotate, in the order of their dependence."""

import numpy as np

from annotate.files.loading import catalogue, items, practice, ratings
from annotate.files.loading.placing import write_places
from annotate.files.loading.study import FILE

CHECKS = {
    "contents": catalogue.check_contents,
    "interactions": catalogue.check_interactions,
    "items": items.check_items,
    "ratings": ratings.check_ratings,
}


def check_tables(loading):
    """Read every file and compare it with the database; write nothing."""
    catalogue.read_keys(loading)
    items.read_items(loading)
    loading.raters = ratings.raters_of(loading.study)
    if not loading.questions and not loading.is_new:
        loading.questions = {q.key: q for q in loading.study.questions.all()}
    for table, check in CHECKS.items():
        if table in loading.files:
            loading.count(table)
            check(loading)
    practice.check_practice(loading, FILE)


def write_tables(loading):
    """Write what check_tables saw to be new or changed; the study is saved already."""
    pairs = np.array([], np.int64)
    if _changes(loading, "contents"):
        catalogue.write_contents(loading)
    catalogue.write_named(loading)
    if _changes(loading, "interactions"):
        catalogue.write_interactions(loading)
    if _changes(loading, "items"):
        items.write_items(loading)
    if _changes(loading, "ratings"):
        pairs = ratings.write_ratings(loading)
    if loading.more_places or len(pairs):
        write_places(loading, pairs)
    practice.write_practice(loading)


def _changes(loading, table):
    counts = loading.counts.get(table)
    return counts is not None and (counts.new or counts.changed)
