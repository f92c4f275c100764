"""Read study.yaml: a study's settings, its questionnaire and its judges, with line numbers."""

from collections import Counter
from dataclasses import dataclass, field

from django.conf import settings
from django.core.exceptions import ValidationError

from annotate.design import around, payment, splits
from annotate.design.checks import KEYS as INSIDE
from annotate.design.platform import read_platform
from annotate.files.reading import aroundkeys
from annotate.files.reading.encoding import refusal
from annotate.files.reading.insidekeys import read_inside
from annotate.files.reading.problems import quoted
from annotate.files.reading.yamlfile import Mapping, read_yaml
from annotate.models import Item, Question, Study
from annotate.models.study import slug_rule, study_slug_rule
from annotate.values.languages import ENGLISH
from annotate.values.media import check_hosts
from annotate.values.scales import parse_scale
from annotate.values.spread import check_spread

TEXTS = ("title", "notice", "consent", "instructions", "completion_code")
NUMBERS = {
    "raters_per_item": (1, 1000),
    "raters_per_item_max": (0, 1000),
    "items_per_session": (1, 500),
    "hold_minutes": (1, 32767),
    "show_history": (0, 100),
}
# Kept in Study.extra: platform is read by design/platform.py, what comes before and after the
# items by aroundkeys.py, what stands among them by design/checks.py, pay by
# design/payment.py; quality is for later.
KEPT = ("quality", "platform", *payment.READERS, *aroundkeys.READERS, *INSIDE)
VERSION, ADAPTIVE, SPLIT = "questionnaire_version", "adaptive_from", "split"
KEYS = (
    "study",
    "kind",
    "language",
    "questions",
    VERSION,
    "prompts",
    "judges",
    *TEXTS,
    *NUMBERS,
    ADAPTIVE,
    "media_hosts",
    SPLIT,
    *KEPT,
)
QUESTION_KEYS = ("key", "text", "scale", "required", "applies_to", "why", "retired")
LARGEST = 2 * 1024 * 1024  # bytes; YAML is read letter by letter
LENGTHS = {"title": 200, "completion_code": 40}


@dataclass
class StudyFile:
    """The contents of study.yaml; fields and questions are ready to be set on the models."""

    slug: str = ""
    fields: dict = field(default_factory=dict)
    questions: list[dict] | None = None
    version: int | None = None
    split: tuple | None = None
    prompts: list[Mapping] = field(default_factory=list)
    judges: list[Mapping] = field(default_factory=list)


def read_study(path, name, problems, language=ENGLISH):
    """Read the StudyFile and note problems; None if the file cannot be read at all.

    language: that of ready-made scales where the file names none.
    """
    if refused := refusal(path, LARGEST):
        problems.add(name, refused[0], refused[1])
        return None
    mapping = read_yaml(path, name, problems)
    return None if mapping is None else _Reader(name, problems, language).study(mapping)


class _Reader:
    """Read the keys of a study.yaml, and note the problem of each."""

    def __init__(self, name, problems, language):
        self.name, self.problems, self.language = name, problems, language

    def add(self, mapping, key, message):
        self.problems.add(self.name, message, mapping.line_of(key), key)

    def study(self, mapping):
        self._unknown(mapping, KEYS)
        read = StudyFile(slug=self._slug(mapping, "study", study_slug_rule))
        read.fields = self._fields(mapping) | self._adaptive(mapping)
        self.language = read.fields.get("language", self.language)
        read.fields["extra"] = {key: mapping[key] for key in KEPT if mapping.get(key) is not None}
        self._platform(mapping)
        self._pay(mapping)
        steps = read.fields["extra"].keys() & aroundkeys.READERS.keys()
        read.fields["extra"] |= {key: self._around(mapping, key) for key in sorted(steps)}
        if "questions" in mapping:
            read.questions = self._questions(mapping)
        if VERSION in mapping:
            read.version = self._number(mapping, VERSION)
        read.split = self._split(mapping)
        read.fields["extra"] |= read_inside(mapping, read.questions, self.language, self.add)
        read.prompts = self._mappings(mapping, "prompts")
        read.judges = self._mappings(mapping, "judges")
        return read

    def _fields(self, mapping):
        readers = dict.fromkeys(TEXTS, self._text) | dict.fromkeys(NUMBERS, self._number)
        readers |= {"media_hosts": self._hosts, "kind": self._kind, "language": self._language}
        return {key: read(mapping, key) for key, read in readers.items() if key in mapping}

    def _unknown(self, mapping, keys):
        for key in mapping:
            if key not in keys:
                self.add(mapping, key, f"is not a known key; allowed are {', '.join(keys)}")

    def _slug(self, mapping, key, rule=slug_rule):
        text = str(mapping.get(key) or "").strip()
        try:
            rule(text)
        except ValidationError as error:
            self.add(mapping, key, f"found {quoted(text)}. {error.message}")
        return text

    def _text(self, mapping, key):
        value = mapping[key]
        if isinstance(value, dict | list):
            self.add(mapping, key, "found a list or a mapping; allowed is a text")
            return ""
        text = "" if value is None else str(value)
        limit = LENGTHS.get(key, 100_000)
        if len(text) > limit:
            self.add(mapping, key, f"found {len(text)} characters; allowed are {limit:,}")
        return text

    def _number(self, mapping, key):
        low, high = NUMBERS.get(key, (1, 32767))
        value = mapping[key]
        if type(value) is not int or not low <= value <= high:
            self.add(
                mapping,
                key,
                f"found {quoted(value)}; allowed is a whole number from {low} to {high}",
            )
            return low
        return value

    def _adaptive(self, mapping):
        """Read the spread of the adaptive rule, and check that its cap exceeds raters_per_item."""
        least, most = mapping.get("raters_per_item"), mapping.get("raters_per_item_max")
        if type(least) is int and type(most) is int and 0 < most <= least:
            wanted = f"allowed is 0 (off), or more than raters_per_item ({least})"
            self.add(mapping, "raters_per_item_max", f"found {most}; {wanted}")
        try:
            given = mapping.get(ADAPTIVE)
            return {} if given is None else {ADAPTIVE: check_spread(given)}
        except ValueError as error:
            self.add(mapping, ADAPTIVE, str(error))
            return {}

    def _split(self, mapping):
        """Read (seed, share) of the locked test split; None without it."""
        given = mapping.get(SPLIT)
        if given is None:
            return None
        try:
            if not isinstance(given, dict) or given.keys() != {"seed", "share"}:
                raise ValueError("allowed is a mapping of seed and share")
            return splits.check(given["seed"], given["share"])
        except ValueError as error:
            self.add(mapping, SPLIT, f"found {quoted(given)}; {error}")
            return None

    def _hosts(self, mapping, key):
        hosts = mapping[key] or []
        try:
            if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
                raise ValueError(f"found {quoted(hosts)}; allowed is a list of names of hosts")
            return check_hosts(hosts)
        except ValueError as error:
            self.add(mapping, key, str(error))
            return []

    def _kind(self, mapping, key):
        value = str(mapping[key])
        if value not in Study.Kind.values:
            allowed = ", ".join(Study.Kind.values)
            self.add(mapping, key, f"found {quoted(value)}; allowed is {allowed}")
        return value

    def _language(self, mapping, key):
        value = str(mapping[key]).lower()
        codes = [code for code, _ in settings.LANGUAGES]
        if value not in codes:
            allowed = ", ".join(sorted(codes))
            self.add(mapping, key, f"found {quoted(value)}; allowed is {allowed}")
            return ENGLISH
        return value

    def _platform(self, mapping):
        try:
            read_platform(mapping.get("platform"))
        except ValueError as error:
            self.add(mapping, "platform", str(error))

    def _pay(self, mapping):
        for key, reader in payment.READERS.items():
            try:
                reader(mapping.get(key))
            except ValueError as error:
                self.add(mapping, key, f"found {quoted(mapping[key])}; {error}")

    def _around(self, mapping, key):
        value = mapping[key]
        try:
            return aroundkeys.READERS[key](value)
        except aroundkeys.Wrong as wrong:
            self.problems.add(self.name, wrong.words, self._line(mapping, key, wrong), key)
            return None

    def _line(self, mapping, key, wrong):
        """Return the line of the wrong entry, or of the key if no entry is named."""
        entries = (
            mapping[key]["questions"]
            if key == around.CHECK and wrong.entry is not None
            else mapping[key]
        )
        entry = entries[wrong.entry] if wrong.entry is not None else None
        if isinstance(entry, Mapping):
            return entry.line_of(wrong.key)
        return mapping.line_of(key)

    def _mappings(self, mapping, key):
        """Return the list of mappings under the key; other entries are problems."""
        entries = mapping.get(key)
        if entries is None:
            return []
        if not isinstance(entries, list) or not all(isinstance(e, Mapping) for e in entries):
            self.add(mapping, key, "allowed is a list of mappings, each beginning with `- `")
            return []
        return entries

    def _questions(self, mapping):
        questions = [
            self._question(position, entry)
            for position, entry in enumerate(self._mappings(mapping, "questions"))
        ]
        keys = [question["key"] for question in questions]
        for key in [key for key, count in Counter(keys).items() if count > 1]:
            self.add(
                mapping, "questions", f"found the question {quoted(key)} twice; allowed is once"
            )
        if not questions:
            self.add(mapping, "questions", "found no question; a study asks at least one")
        return questions

    def _question(self, position, entry):
        self._unknown(entry, QUESTION_KEYS)
        if not entry.get("text"):
            self.add(entry, "text", "is missing; expected is the sentence that raters read")
        return {
            "key": self._slug(entry, "key"),
            "text": self._text(entry, "text") if "text" in entry else "",
            "scale_spec": self._scale(entry),
            "required": self._true_or_false(entry, "required", default=True),
            "applies_to": self._applies_to(entry),
            "position": position,
            "why": self._why(entry),
            "retired": self._true_or_false(entry, "retired", default=False),
        }

    def _scale(self, entry):
        if "scale" not in entry:
            self.add(entry, "scale", "is missing; for example likert5")
            return {}
        try:
            return parse_scale(entry["scale"], self.language).as_dict()
        except (ValueError, TypeError) as error:
            self.add(entry, "scale", str(error))
            return {}

    def _true_or_false(self, entry, key, default):
        value = entry.get(key, default)
        if not isinstance(value, bool):
            self.add(entry, key, f"found {quoted(value)}; allowed is true or false")
        return bool(value)

    def _why(self, entry):
        value = entry.get("why", False)
        if not isinstance(value, bool) and value != Question.Why.REQUIRED:
            self.add(entry, "why", f"found {quoted(value)}; allowed is true, false or required")
            return ""
        if value and entry.get("scale") == "text":
            self.add(entry, "why", "found a reason for a free text; allowed is one for a scale")
        if isinstance(value, bool):
            return str(Question.Why.OPTIONAL if value else Question.Why.NONE)
        return str(value)

    def _applies_to(self, entry):
        value = entry.get("applies_to") or []
        kinds = [value] if isinstance(value, str) else value
        if not isinstance(kinds, list) or not all(kind in Item.Kind.values for kind in kinds):
            self.add(
                entry,
                "applies_to",
                f"found {quoted(value)}; allowed are {', '.join(Item.Kind.values)}",
            )
            return []
        return kinds
