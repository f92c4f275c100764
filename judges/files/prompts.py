"""Load the study's own prompts from study.yaml."""

import re

from annotate.files.loading import Counts
from annotate.values.texts import one_line_ends
from annotate.values.wrong import quoted
from judges import methods
from judges.models import Judge, StudyPrompt
from judges.models.prompt import OWN
from judges.prompting.fill import Prompt
from judges.prompting.library import Library
from judges.prompting.own import of_study, problems_of

KEYS = ("prompt", "method", "text")
NAME = re.compile(rf"{OWN}([a-z0-9][a-z0-9-]{{0,59}})\.v([1-9][0-9]{{0,3}})")
FROZEN = (
    "found another text or method for {}, which a run has used, so that it is frozen; give the "
    "changed prompt the next version"
)


def check_prompts(loading, entries, name):
    """Fill loading.prompts with the file's new or changed prompts, and the library."""
    study = loading.study
    if not entries:
        loading.library = Library(study.pk)
        return
    kept = {prompt.key: prompt for prompt in of_study(study.pk)} if study.pk else {}
    method_by_name = {prompt.name: prompt.method for prompt in kept.values()}
    seen: set[str] = set()
    counts = loading.counts["prompts"] = Counts()
    for entry in entries:
        counts.rows += 1
        reader = _Reader(loading.problems, name, entry)
        prompt = reader.prompt()
        if prompt.key in seen:
            reader.add("prompt", f"found {quoted(prompt.key)} twice; allowed is once")
        seen.add(prompt.key)
        _compare(loading, reader, prompt, kept.get(prompt.key), counts)
        if method_by_name.setdefault(prompt.name, prompt.method) != prompt.method:
            was = method_by_name[prompt.name]
            reader.add("method", f"found {prompt.method}; other versions of it have {was}")
        kept[prompt.key] = prompt
    own = {key: Prompt(key, prompt.text) for key, prompt in kept.items()}
    loading.library = Library(None, own)


def _compare(loading, reader, prompt, old, counts):
    if old is None:
        counts.new += 1
    elif (old.text, old.method) == (prompt.text, prompt.method):
        counts.unchanged += 1
        return
    else:
        counts.changed += 1
        prompt.pk, prompt.created_at = old.pk, old.created_at
        if old.is_frozen:
            reader.add("prompt", FROZEN.format(quoted(prompt.key)))
    loading.prompts.append(prompt)


class _Reader:
    def __init__(self, problems, name, entry):
        self.problems, self.name, self.entry = problems, name, entry

    def add(self, key, message):
        self.problems.add(self.name, message, self.entry.line_of(key), f"prompts.{key}")

    def prompt(self):
        for key in self.entry:
            if key not in KEYS:
                self.add(key, f"is not a known key; allowed are {', '.join(KEYS)}")
        given = str(self.entry.get("prompt") or "")
        match = NAME.fullmatch(given)
        if not match:
            self.add("prompt", f"found {quoted(given)}; expected is a name such as own/tone.v1")
        method = str(self.entry.get("method", Judge.Method.QUESTIONS))
        if method not in Judge.Method.values:
            self.add("method", f"found {quoted(method)}; allowed is {', '.join(Judge.Method)}")
            method = Judge.Method.QUESTIONS
        name, version = match.groups() if match else ("unknown", 1)
        return StudyPrompt(name=name, version=int(version), method=method, text=self._text(method))

    def _text(self, method):
        text = one_line_ends(str(self.entry.get("text") or ""))
        for line, what in problems_of(text, methods.named(method)):
            self.add("text", f"line {line} of the prompt: {what}" if line else what)
        return text


def write_prompts(loading):
    """Save the prompts that are new or changed."""
    for prompt in loading.prompts:
        prompt.study = loading.study
        prompt.save()
