"""What a unit asks whose judgment has neither item nor question: in a table of its own."""

from judges.methods.profile.method import PROFILE
from judges.methods.recommend.method import asked_for
from judges.methods.topics import propose
from judges.models import Extraction, RecommendedList, Writing
from judges.prompting.materials import Shown


def asked(run, numbers):
    """[(unit, what stands where others have a question, Shown)] of units of a run, in order."""
    if run.judge.recommends:
        lists = RecommendedList.objects.filter(run=run, unit__in=numbers).order_by("unit")
        return [(one.unit, asked_for(one.k), Shown(context=one.text)) for one in lists]
    if run.judge.proposes:
        return [(unit, PROFILE, Shown(context=text)) for unit, text in propose.texts(run, numbers)]
    source = Extraction if run.judge.extracts else Writing
    written = source.objects.filter(run=run, unit__in=numbers).order_by("unit")
    return [(one.unit, PROFILE, Shown(context=one.text)) for one in written]
