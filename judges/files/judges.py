"""Load the judges of study.yaml."""

from contextlib import nullcontext

from annotate.files.loading import Counts
from annotate.files.reading.columns import CONTROL, refuse_unseen
from annotate.values.texts import as_text, composed
from annotate.values.wrong import quoted
from judges import methods
from judges.models import Endpoint, Judge
from judges.runs import check, promised
from judges.scorers import SCORERS
from judges.values.settings import SettingsError

# By which a judge of the file differs from the stored one, besides its members.
COMPARED = ("kind", "method", "endpoint_id", "prompt", "question", "rule", "settings")


def _loaded():
    """List the methods of which results can be loaded from a file."""
    return [method for method in Judge.Method.values if methods.named(method).may_be_loaded]


def keys_of(kind, method=Judge.Method.QUESTIONS):
    """Return the keys that a judge of this kind, and of this method if it is an LLM, may have."""
    if kind == Judge.Kind.LLM:
        return "judge", "kind", *methods.named(method).keys
    if kind in SCORERS:
        return "judge", "kind", *SCORERS[kind].settings.names()
    if kind == Judge.Kind.ENSEMBLE:
        return "judge", "kind", "members", "rule"
    return ("judge", "kind", *(["method"] if methods.named(method).may_be_loaded else []))


def check_judges(loading, entries, name):
    """Fill loading.judges with the study's judges as the file wants them."""
    if not loading.is_new:
        loading.judges = {judge.key: judge for judge in Judge.objects.filter(study=loading.study)}
    if not entries:
        return
    counts = loading.counts["judges"] = Counts()
    study = None if loading.is_new else loading.study
    endpoints = Endpoint.objects.usable_by(study).by_name()
    planned = set() if loading.is_new else promised.planned_judges(loading.study.pk)
    seen = set()
    for entry in entries:
        counts.rows += 1
        reader = _JudgeReader(loading.problems, name, entry, endpoints, loading.library)
        judge = reader.judge()
        check_question(loading, reader, judge)
        if judge.key in seen:
            reader.add("judge", f"found {quoted(judge.key)} twice; allowed is once")
        seen.add(judge.key)
        if reader.members:
            loading.ensembles[judge.key] = reader
        _compare(loading, reader, judge, counts, planned)


def _compare(loading, reader, judge, counts, planned):
    old = loading.judges.get(judge.key)
    if old is None:
        reader.check_new_name(judge.key)
        counts.new += 1
    elif _same(old, judge, reader.members):
        counts.unchanged += 1
        return
    else:
        counts.changed += 1
        judge.pk, judge.created_at = old.pk, old.created_at
        if old.is_frozen or old.kind != judge.kind:
            reader.add(
                "judge",
                f"found other settings for {quoted(judge.key)}, which are frozen since its first "
                "run; give the changed judge a name of its own",
            )
        elif old.pk in planned:
            reader.add("judge", promised.IN_PLAN.format(quoted(judge.key)))
    if not_local := check.why_not_local(judge, loading.study):
        reader.add("endpoint", not_local)
    loading.judges[judge.key] = judge


def _same(old, judge, members):
    if any(getattr(old, name) != getattr(judge, name) for name in COMPARED):
        return False
    return not members or set(old.members.values_list("key", flat=True)) == set(members)


def check_question(loading, reader, judge):
    """Check that the verdict's question is one of the study's, as the file may change it."""
    if not judge.question:
        return
    questions = loading.questions or {q.key: q for q in _stored(loading.study)}
    keys = [q.key for q in methods.of_judge(judge).candidates(questions.values())]
    if judge.question not in keys:
        there = ", ".join(keys) or "none"
        words = f"found {quoted(judge.question)}; questions that such a verdict can answer: {there}"
        reader.add("question", words)
        judge.question = judge.question[:60]


def _stored(study):
    return study.questions.all() if study.pk else []


def check_members(loading):
    """Check that members of ensembles are judges of the study or of the files."""
    for key, reader in loading.ensembles.items():
        names = [
            judge.key
            for judge in loading.judges.values()
            if judge.kind != Judge.Kind.ENSEMBLE and not judge.judges_nothing
        ]
        if unknown := [member for member in reader.members if member not in names]:
            reader.add(
                "members",
                f"found {quoted(unknown[0])} in {quoted(key)}; judges that can be members: "
                f"{', '.join(names) or 'none'}",
            )


class _JudgeReader:
    def __init__(self, problems, name, entry, endpoints, library):
        self.problems, self.name, self.library = problems, name, library
        self.entry, self.endpoints = entry, endpoints
        self.members = []
        self.refused = set()

    def add(self, key, message):
        self.problems.add(self.name, message, self.entry.line_of(key), f"judges.{key}")

    def judge(self):
        kind = self.choice("kind", Judge.Kind)
        judge = Judge(key=self._key(), kind=kind)
        if kind == Judge.Kind.LLM and "method" in self.entry:
            judge.method = self.choice("method", Judge.Method)
        elif kind == Judge.Kind.IMPORTED and self.entry.get("method") in _loaded():
            judge.method = Judge.Method(self.entry["method"])
        self._check_keys(judge)
        if kind == Judge.Kind.LLM:
            self._read_llm(judge)
        self._read_settings(judge)
        if kind == Judge.Kind.LLM:
            for key, problem in check.problems_of(judge, self.library).items():
                if key not in self.refused:
                    self.add(key, problem)
        elif kind == Judge.Kind.ENSEMBLE:
            judge.rule = self.choice("rule", Judge.Rule)
            self.members = self._members()
        return judge

    def _check_keys(self, judge):
        allowed = keys_of(judge.kind, judge.method)
        named = judge.kind == Judge.Kind.LLM and "method" in allowed
        what = f"kind {judge.kind}" + (f" and method {judge.method}" if named else "")
        for key in self.entry:
            if key == "weighted" and named:
                self.add(key, check.NOT_WEIGHTED)
            elif key not in allowed and not (key == "method" and judge.kind == Judge.Kind.LLM):
                self.add(key, f"is not a known key of {what}; allowed are {', '.join(allowed)}")

    def _read_llm(self, judge):
        method = methods.of_judge(judge)
        judge.endpoint = self.endpoint()
        judge.prompt = self.prompt(method.usual_prompt)
        if "question" in method.columns:
            judge.question = str(self.entry.get("question") or "")

    def _read_settings(self, judge):
        """Give the judge the settings of its entry; one that is wrong is noted, and left out."""
        names = judge.settings_class.names()
        entry = {name: self.entry[name] for name in names if name in self.entry}
        for take in (judge.settings_class.from_entry, judge.settings_class.checked):
            try:
                entry = dict(take(entry))
            except SettingsError as error:
                for name, problem in error.problems.items():
                    self.add(name, problem)
                    self.refused.add(name)
                    entry.pop(name, None)
        judge.settings = judge.settings_class.trusted(entry)

    def _key(self):
        key = composed(as_text(self.entry.get("judge")).strip())
        if not 1 <= len(key) <= 200 or CONTROL.search(key):
            self.add("judge", f"found {quoted(key)}; expected is a name of 1 to 200 characters")
        return key[:200]

    def check_new_name(self, key):
        """Refuse a name with invisible letters; a name that stands already may stay."""
        try:
            refuse_unseen(key)
        except ValueError as error:
            self.add("judge", str(error))
        else:
            if not key.isprintable() and not CONTROL.search(key):
                self.add("judge", f"found {quoted(key)}; allowed are letters that can be seen")

    def choice(self, key, choices):
        value = self.entry.get(key, choices.values[0])
        if value not in choices.values:
            self.add(key, f"found {quoted(value)}; allowed is {', '.join(choices.values)}")
            return choices.values[0]
        return value

    def _members(self):
        listed = self.entry.get("members")
        listed = listed if isinstance(listed, list) else []
        names = [composed(as_text(name).strip()) for name in listed]
        if len(names) < 2 or len(set(names)) < len(names):
            self.add("members", "expected is a list of two different judges or more")
        return names

    def endpoint(self):
        value = self.entry.get("endpoint")
        endpoint = self.endpoints.get(str(value))
        if endpoint is None:
            there = (
                ", ".join(self.endpoints)
                or "none yet; an owner of the study connects models on its page Models"
            )
            self.add("endpoint", f"found {quoted(value or '')}; endpoints here: {there}")
        return endpoint

    def prompt(self, default="explanation.v1"):
        value = str(self.entry.get("prompt", default))
        if not self.library.has(value):
            there = ", ".join(self.library.names())
            self.add("prompt", f"found {quoted(value)}; prompts here: {there}")
        return value


def write_judges(loading):
    """Save the judges that are new or changed; a named judge that changes loses its name."""
    changed = "judges" in loading.counts and loading.counts["judges"].changed
    with promised.watching_settings(loading.study) if changed else nullcontext():
        _write_judges(loading, changed)


def _write_judges(loading, changed):
    new = [judge for judge in loading.judges.values() if judge.pk is None]
    for judge in loading.judges.values():
        judge.study = loading.study
    Judge.objects.bulk_create(new)
    if changed:
        for judge in loading.judges.values():
            judge.save()
    for key, reader in loading.ensembles.items():
        loading.judges[key].members.set([loading.judges[member] for member in reader.members])
