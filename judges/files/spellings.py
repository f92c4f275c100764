"""Spell a topic as the study does, where a file has other capitals or another encoding."""

from django.db.models import Min

from judges.files.judgments import read_judges
from judges.methods.extract import topics
from judges.methods.extract.triplets import folded
from judges.models import Statement


class Spellings:
    """Keep one spelling of topics that fold alike.

    A spelling in a list of topics comes first, then the first met, beginning with the study's
    statements. A listed name is left as it is.
    """

    def __init__(self, loading):
        self.listed = set(_listed(loading))
        self.first: dict = {}
        for name in (*_listed(loading), *_stated(loading)):
            self.first.setdefault(folded(name), name)

    def spell(self, topic):
        """Return the topic as it is kept."""
        return topic if topic in self.listed else self.first.setdefault(folded(topic), topic)


def _listed(loading):
    read_judges(loading)
    lists = [judge.settings.stored.get("topics", []) for judge in loading.judges.values()]
    return [name for pairs in lists if not topics.problem_of(pairs) for name, _ in pairs]


def _stated(loading):
    """Return the topics of the study's statements as they count, the oldest first."""
    if loading.is_new:
        return []
    rows = Statement.objects.filter(item__study=loading.study).with_said().order_by()
    rows = rows.values("now_topic").annotate(first=Min("pk")).order_by("first")
    return rows.values_list("now_topic", flat=True)
