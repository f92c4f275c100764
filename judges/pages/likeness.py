"""Make a judge as another one is, and say by what the two differ."""

from dataclasses import dataclass

from judges.models import Judge
from judges.pages.forms import judge_form
from judges.values.settings import label_of

# Of Judge itself: its field, and what pages call it.
COLUMNS = (("endpoint", "Endpoint"), ("prompt", "Prompt"), ("question", "Question"))
OF_ENSEMBLES = (("rule", "Rule"),)
LONGEST_VALUE = 200


@dataclass(frozen=True)
class Difference:
    """A setting that two judges have in different ways, in words."""

    label: str
    here: str
    there: str


@dataclass(frozen=True)
class Likeness:
    """The judge that another one is a duplicate of, and what differs."""

    original: Judge
    differences: list


def duplicate_form(judge, data=None, wanted=None):
    """Return the form of a new judge, filled as this one is; wanted: {setting: another value}."""
    initial = initial_of(judge)
    names = judge.settings_class.names()
    changed = {name: value for name, value in (wanted or {}).items() if name in names}
    initial |= {name: value[:LONGEST_VALUE] for name, value in changed.items()}
    form = judge_form(judge.study, judge.kind, data, method=judge.method, initial=initial)
    form.instance.like = judge
    if changed:
        form.opens = ("key", *changed)
    return form


def asked_for(study, kind, method, wanted):
    """Return what a new judge's form begins with, of the endpoint and settings that are wanted."""
    settings = Judge(study=study, kind=kind, method=method).settings_class.names()
    names = {"endpoint", *settings}
    return {name: value[:LONGEST_VALUE] for name, value in wanted.items() if name in names}


def initial_of(judge):
    """Return the values that a duplicate begins with, under a name that is free."""
    values = {name: getattr(judge, name) for name in ("endpoint", "prompt", "question", "rule")}
    values |= {"key": Judge.objects.filter(study=judge.study_id).free_name(judge.key)}
    if judge.kind == Judge.Kind.ENSEMBLE:
        values["members"] = list(judge.members.values_list("pk", flat=True))
    return values | judge.settings.stored


def likeness_of(judge):
    """Return the Likeness of a duplicate; None for a judge that was made without another one."""
    if judge.like_id is None:
        return None
    original = Judge.with_deleted.select_related("endpoint").get(pk=judge.like_id)
    return Likeness(original, [*_columns(judge, original), *_settings(judge, original)])


def _columns(judge, original):
    ensemble = judge.kind == Judge.Kind.ENSEMBLE
    for name, label in OF_ENSEMBLES if ensemble else COLUMNS:
        here, there = (_words(row, name) for row in (judge, original))
        if here != there:
            yield Difference(label, here, there)
    if ensemble:
        here, there = (_members(row) for row in (judge, original))
        if here != there:
            yield Difference("Members", here, there)


def _words(judge, name):
    if name == "rule":
        return judge.get_rule_display()
    return str(getattr(judge, name) or "–")


def _members(judge):
    return ", ".join(judge.members.order_by("key").values_list("key", flat=True)) or "–"


def _settings(judge, original):
    here, there = judge.settings, original.settings
    for name in here.names():
        if here.stored[name] != there.stored.get(name):
            words = (_setting(settings, name) for settings in (here, there))
            yield Difference(label_of(judge.settings_class, name), *words)


def _setting(settings, name):
    """Return a setting's value in words; a list that pages show elsewhere by its length."""
    value = settings.stored.get(name)
    words = settings.words.get(name, len(value) if isinstance(value, list) else value)
    return "–" if words in ("", None) else str(words)
