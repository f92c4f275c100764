"""study.yaml: the study's settings, its questionnaire and its judges, with line numbers."""

from dataclasses import dataclass, field

from django.core.exceptions import ValidationError

from annotate.media import check_hosts
from annotate.models import Item, Study
from annotate.models.study import slug_rule, study_slug_rule
from annotate.platforms import read_platform
from annotate.reading.encoding import refusal
from annotate.reading.problems import quoted
from annotate.reading.yamlfile import Mapping, read_yaml
from annotate.scales import parse_scale

TEXTS = ("title", "notice", "consent", "instructions", "completion_code")
NUMBERS = {
    "raters_per_item": (1, 1000),
    "items_per_session": (1, 500),
    "hold_minutes": (1, 32767),
    "show_history": (0, 100),
}
# Kept in Study.extra: platform is read by annotate/platforms.py, quality is for later.
KEPT = ("quality", "platform")
KEYS = ("study", "kind", "questions", "judges", *TEXTS, *NUMBERS, "media_hosts", *KEPT)
QUESTION_KEYS = ("key", "text", "scale", "required", "applies_to")
LENGTHS = {"title": 200, "completion_code": 40}


@dataclass
class StudyFile:
    """What study.yaml says; fields and questions are ready to be set on the models."""

    slug: str = ""
    fields: dict = field(default_factory=dict)
    questions: list[dict] | None = None
    judges: list[Mapping] = field(default_factory=list)


def read_study(path, name, problems):
    """The StudyFile, or None when it cannot be read at all."""
    if refused := refusal(path):
        problems.add(name, refused[0], refused[1])
        return None
    found = read_yaml(path, name, problems)
    return None if found is None else _Reader(name, problems).study(found)


class _Reader:
    def __init__(self, name, problems):
        self.name, self.problems = name, problems

    def add(self, mapping, key, message):
        self.problems.add(self.name, message, mapping.line_of(key), key)

    def study(self, found):
        self._unknown(found, KEYS)
        read = StudyFile(slug=self._slug(found, "study", study_slug_rule))
        for key in TEXTS:
            if key in found:
                read.fields[key] = self._text(found, key)
        for key in NUMBERS:
            if key in found:
                read.fields[key] = self._number(found, key)
        if "media_hosts" in found:
            read.fields["media_hosts"] = self._hosts(found)
        if "kind" in found:
            read.fields["kind"] = self._kind(found)
        read.fields["extra"] = {key: found[key] for key in KEPT if found.get(key) is not None}
        self._platform(found)
        if "questions" in found:
            read.questions = self._questions(found)
        read.judges = self._mappings(found, "judges")
        return read

    def _unknown(self, mapping, known):
        for key in mapping:
            if key not in known:
                self.add(mapping, key, f"is not a known key; allowed are {', '.join(known)}")

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
        low, high = NUMBERS[key]
        value = mapping[key]
        if type(value) is not int or not low <= value <= high:
            self.add(
                mapping,
                key,
                f"found {quoted(value)}; allowed is a whole number from {low} to {high}",
            )
            return low
        return value

    def _hosts(self, found):
        hosts = found["media_hosts"] or []
        try:
            if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
                raise ValueError(f"found {quoted(hosts)}; allowed is a list of names of hosts")
            return check_hosts(hosts)
        except ValueError as error:
            self.add(found, "media_hosts", str(error))
            return []

    def _kind(self, found):
        value = str(found["kind"])
        if value not in Study.Kind.values:
            self.add(
                found, "kind", f"found {quoted(value)}; allowed is {', '.join(Study.Kind.values)}"
            )
        return value

    def _platform(self, found):
        try:
            read_platform(found.get("platform"))
        except ValueError as error:
            self.add(found, "platform", str(error))

    def _mappings(self, found, key):
        """The list of mappings under the key; other entries are problems."""
        entries = found.get(key)
        if entries is None:
            return []
        if not isinstance(entries, list) or not all(isinstance(e, Mapping) for e in entries):
            self.add(found, key, "allowed is a list of mappings, each beginning with `- `")
            return []
        return entries

    def _questions(self, found):
        questions = [
            self._question(position, entry)
            for position, entry in enumerate(self._mappings(found, "questions"))
        ]
        keys = [question["key"] for question in questions]
        for key in {key for key in keys if keys.count(key) > 1}:
            self.add(found, "questions", f"found the question {quoted(key)} twice; allowed is once")
        if not questions:
            self.add(found, "questions", "found no question; a study asks at least one")
        return questions

    def _question(self, position, entry):
        self._unknown(entry, QUESTION_KEYS)
        if not entry.get("text"):
            self.add(entry, "text", "is missing; expected is the sentence that raters read")
        return {
            "key": self._slug(entry, "key"),
            "text": self._text(entry, "text") if "text" in entry else "",
            "scale_spec": self._scale(entry),
            "required": self._required(entry),
            "applies_to": self._applies_to(entry),
            "position": position,
        }

    def _scale(self, entry):
        if "scale" not in entry:
            self.add(entry, "scale", "is missing; for example likert5")
            return {}
        try:
            return parse_scale(entry["scale"]).as_dict()
        except (ValueError, TypeError) as error:
            self.add(entry, "scale", str(error))
            return {}

    def _required(self, entry):
        value = entry.get("required", True)
        if not isinstance(value, bool):
            self.add(entry, "required", f"found {quoted(value)}; allowed is true or false")
        return bool(value)

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
