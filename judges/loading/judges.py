"""The judges of study.yaml."""

from annotate.loading import Counts
from annotate.models import Rater
from annotate.reading import quoted
from judges import checking, prompting
from judges.models import Endpoint, Judge
from judges.scorers import SCORERS

LLM_KEYS = (
    "endpoint", "prompt", "aspects", "temperature", "rationale", "max_tokens", "samples", "shots",
    "example_role", "strict", "pool_share", "seed", "context", "history_length",
)  # fmt: skip
SETTINGS = (
    "kind", "endpoint_id", *(key for key in LLM_KEYS if key != "endpoint"), "language", "rule",
)  # fmt: skip
MOST_SEED = 2**31 - 1


def keys_of(kind):
    """The keys that a judge of this kind may have."""
    if kind in SCORERS:
        return "judge", "kind", *SCORERS[kind].settings
    if kind == Judge.Kind.ENSEMBLE:
        return "judge", "kind", "members", "rule"
    return "judge", "kind", *(LLM_KEYS if kind == Judge.Kind.LLM else ())


def check_judges(loading, entries, name):
    """Fills loading.judges with the study's judges as the file wants them."""
    if not loading.is_new:
        loading.judges = {judge.key: judge for judge in Judge.objects.filter(study=loading.study)}
    if not entries:
        return
    counts = loading.counts["judges"] = Counts()
    endpoints = {endpoint.key: endpoint for endpoint in Endpoint.objects.all()}
    seen = set()
    for entry in entries:
        counts.rows += 1
        reader = _JudgeReader(loading.problems, name, entry, endpoints)
        judge = reader.judge()
        if judge.key in seen:
            reader.add("judge", f"found {quoted(judge.key)} twice; allowed is once")
        seen.add(judge.key)
        if reader.members:
            loading.ensembles[judge.key] = reader
        _compare(loading, reader, judge, counts)


def _compare(loading, reader, judge, counts):
    old = loading.judges.get(judge.key)
    if old is None:
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
    loading.judges[judge.key] = judge


def _same(old, judge, members):
    if any(getattr(old, name) != getattr(judge, name) for name in SETTINGS):
        return False
    return not members or set(old.members.values_list("key", flat=True)) == set(members)


def check_members(loading):
    """The members of ensembles are judges of the study, or of one of the files."""
    for key, reader in loading.ensembles.items():
        known = [
            judge.key for judge in loading.judges.values() if judge.kind != Judge.Kind.ENSEMBLE
        ]
        if unknown := [member for member in reader.members if member not in known]:
            reader.add(
                "members",
                f"found {quoted(unknown[0])} in {quoted(key)}; judges that can be members: "
                f"{', '.join(known) or 'none'}",
            )


class _JudgeReader:
    def __init__(self, problems, name, entry, endpoints):
        self.problems, self.name = problems, name
        self.entry, self.endpoints = entry, endpoints
        self.members = []

    def add(self, key, message):
        self.problems.add(self.name, message, self.entry.line_of(key), f"judges.{key}")

    def judge(self):
        kind = self._choice("kind", Judge.Kind)
        self._check_keys(kind)
        judge = Judge(key=self._key(), kind=kind)
        if kind == Judge.Kind.LLM:
            self._read_llm(judge)
        elif kind in SCORERS:
            judge.language = self._choice("language", Judge.Language)
            judge.seed = self._number("seed", 1, 0, MOST_SEED, int)
        elif kind == Judge.Kind.ENSEMBLE:
            judge.rule = self._choice("rule", Judge.Rule)
            self.members = self._members()
        return judge

    def _check_keys(self, kind):
        known = keys_of(kind)
        for key in self.entry:
            if key not in known:
                self.add(key, f"is not a known key of kind {kind}; allowed are {', '.join(known)}")

    def _read_llm(self, judge):
        judge.aspects = self._choice("aspects", Judge.Aspects)
        judge.temperature = self._number("temperature", 0.0, 0, 2, (int, float))
        judge.max_tokens = self._number("max_tokens", 400, 1, 100_000, int)
        judge.rationale = self._yes_or_no("rationale")
        judge.endpoint = self._endpoint()
        judge.prompt = self._prompt()
        judge.samples = self._number("samples", 1, 1, 100, int)
        judge.shots = self._choice("shots", Judge.Shots)
        judge.example_role = self._choice("example_role", Rater.Role)
        judge.strict = self._yes_or_no("strict")
        judge.pool_share = self._number("pool_share", 0.2, 0.01, 0.9, (int, float))
        judge.seed = self._number("seed", 1, 0, MOST_SEED, int)
        judge.context = self._choice("context", Judge.Context)
        judge.history_length = self._number("history_length", 10, 1, 500, int)
        for key, problem in checking.problems_of(judge).items():
            self.add(key, problem)

    def _key(self):
        key = str(self.entry.get("judge") or "").strip()
        if not 1 <= len(key) <= 200 or not key.isprintable():
            self.add("judge", f"found {quoted(key)}; expected is a name of 1 to 200 characters")
        return key[:200]

    def _choice(self, key, choices):
        value = self.entry.get(key, choices.values[0])
        if value not in choices.values:
            self.add(key, f"found {quoted(value)}; allowed is {', '.join(choices.values)}")
            return choices.values[0]
        return value

    def _number(self, key, default, low, high, types):
        value = self.entry.get(key, default)
        if isinstance(value, bool) or not isinstance(value, types) or not low <= value <= high:
            self.add(key, f"found {quoted(value)}; allowed is a number from {low} to {high}")
            return default
        return value

    def _members(self):
        found = self.entry.get("members")
        names = [str(name).strip() for name in found] if isinstance(found, list) else []
        if len(names) < 2 or len(set(names)) < len(names):
            self.add("members", "expected is a list of two different judges or more")
        return names

    def _yes_or_no(self, key):
        value = self.entry.get(key, False)
        if not isinstance(value, bool):
            self.add(key, f"found {quoted(value)}; allowed is true or false")
        return bool(value)

    def _endpoint(self):
        value = self.entry.get("endpoint")
        endpoint = self.endpoints.get(str(value))
        if endpoint is None:
            there = ", ".join(self.endpoints) or "none yet; an operator adds them under /admin/"
            self.add("endpoint", f"found {quoted(value or '')}; endpoints here: {there}")
        return endpoint

    def _prompt(self):
        value = str(self.entry.get("prompt", "explanation.v1"))
        if value not in prompting.names():
            there = ", ".join(prompting.names())
            self.add("prompt", f"found {quoted(value)}; prompts here: {there}")
        return value


def write_judges(loading):
    """Saves the judges that are new or changed."""
    new = [judge for judge in loading.judges.values() if judge.pk is None]
    for judge in loading.judges.values():
        judge.study = loading.study
    Judge.objects.bulk_create(new)
    if "judges" in loading.counts and loading.counts["judges"].changed:
        for judge in loading.judges.values():
            judge.save()
    for key, reader in loading.ensembles.items():
        loading.judges[key].members.set([loading.judges[member] for member in reader.members])
