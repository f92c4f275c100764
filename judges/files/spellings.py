"""How a topic is spelt that a file has in other capitals, or encoded otherwise, than the study."""

from django.db.models import Min

from judges.files.judgments import read_judges
from judges.methods.extract.triplets import folded
from judges.methods.topics import topics
from judges.models import Statement


class Spellings:
    """The one spelling of topics that fold alike: that of a list of topics, else the first met,
    first among the study's statements. What stands in a list is left as it is.
    """

    def __init__(self, loading):
        self.listed = set(_listed(loading))
        self.first: dict = {}
        for name in (*_listed(loading), *_stated(loading)):
            self.first.setdefault(folded(name), name)

    def of(self, topic):
        """The topic as it is kept."""
        return topic if topic in self.listed else self.first.setdefault(folded(topic), topic)


def _listed(loading):
    read_judges(loading)
    lists = [judge.topics for judge in loading.judges.values() if judge.extracts]
    return [name for found in lists if not topics.problem_of(found) for name, _ in found]


def _stated(loading):
    """As they count, the oldest first."""
    if loading.is_new:
        return []
    rows = Statement.objects.filter(item__study=loading.study).with_said().order_by()
    rows = rows.values("now_topic").annotate(first=Min("pk")).order_by("first")
    return rows.values_list("now_topic", flat=True)
