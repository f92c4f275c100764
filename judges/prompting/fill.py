"""Fill prompts, text files with placeholders, for one item; hash them as evidence."""

import hashlib
import json
import re
from dataclasses import dataclass
from pathlib import Path
from string import Template

from judges.replies.parse import RATIONALE

FOLDER = Path(__file__).resolve().parent / "prompts"
NAME = re.compile(r"[a-z0-9-]+\.v[0-9]+")
# What a text might use to end its own delimiters, or a model's chat template to change the speaker.
MARKERS = re.compile(
    r"<{3,}|>{3,}|<[|｜]|[|｜]>|\[\||\|\]|\[/?(?:INST|SYSTEM_PROMPT)\]|</?s>"
    r"|<</?SYS>>|</?(?:start|end)_of_turn>"
)
CONTENT = re.compile(r"^<<<([A-Z]+)\n\$content\n\1>>>\n", re.MULTILINE)


@dataclass(frozen=True)
class Prompt:
    """One immutable prompt file."""

    name: str
    text: str

    @property
    def sha256(self):
        return hashlib.sha256(self.text.encode()).hexdigest()

    @property
    def method(self):
        """Return the method of judging that the prompt is for, told by its placeholders."""
        places = {
            "lists": "pairwise",
            "episode": "fit",
            "listening": "profile",
            "rated": "recommender",
            "topics": "extraction",
            "document": "support",
            "reviews": "topics",
        }
        return next((name for place, name in places.items() if self.has(place)), "questions")

    @property
    def asks_for_json(self):
        """Whether the prompt asks for JSON in words.

        Without them a JSON mode refuses the prompt, or its reply runs on and on.
        """
        return "JSON" in self.text

    def has(self, placeholder):
        """Whether the prompt has a placeholder of this name, as "example" or "context"."""
        return placeholder in Template(self.text).get_identifiers()


def names(method=""):
    """List the names of the project's prompts, or those of one method, by name and version."""
    every = sorted(path.stem for path in FOLDER.glob("*.txt") if NAME.fullmatch(path.stem))
    return [name for name in every if not method or load(name).method == method]


def load(name):
    """Load the prompt of a name; ValueError lists the names there are."""
    if name not in names():
        raise ValueError(f"found prompt {name!r}; there are {', '.join(names())}")
    return Prompt(name, (FOLDER / f"{name}.txt").read_text(encoding="utf-8"))


def load_part(name):
    """Load the text that an example or a context of a prompt is put into."""
    return Prompt(name, (FOLDER / "parts" / f"{name}.txt").read_text(encoding="utf-8"))


def neutral(text):
    """Break up the markers in a text, so that it can neither end its data nor speak."""
    while MARKERS.search(text):  # of two that overlap the second is left: "<s>>>"
        text = MARKERS.sub(lambda marker: " ".join(marker.group()), text)
    return text


def one_line(text):
    """Write a text in one line, with its markers broken up."""
    return " ".join(neutral(text).split())


def messages(template, item, questions, rationale=False, shown=None):
    """Write the exact messages of one call: one user message in the five parts of the template.

    shown: the example and the context of the item, as `example` and `context` make them.
    """
    text = _with_content(
        template,
        aspects="\n".join(f"- {q.key}: {one_line(q.text)}" for q in questions),
        rules=_rules(questions),
        keys=_keys(questions, rationale),
        examples="",  # of explanation.v1, which never shows any
        example=shown.example if shown else "",
        context=shown.context if shown else "",
        content=_recommended(item),
        text=neutral(item.text.strip()),
    )
    return _user(text)


def _with_content(template, content, **texts):
    """Fill a template; without a recommended content the marker lines around it are left out."""
    template = template if content else CONTENT.sub("", template)
    return Template(template).substitute(texts, content=content)


def filled(template, **texts):
    """Write the messages of a prompt whose parts are neutralised already."""
    return _user(Template(template).substitute(texts))


def _user(text):
    """Make one user message, without the gaps that empty parts leave."""
    return [{"role": "user", "content": re.sub(r"\n{3,}", "\n\n", text.strip())}]


def part(text, **parts):
    """Fill a part of a prompt with texts that are neutralised already."""
    return Template(text).substitute(parts).strip()


def example(part, item, ratings):
    """Write another item with its ratings {question key: value, or its label} for a prompt."""
    answers = ", ".join(
        f"{one_line(key)} {json.dumps(value) if isinstance(value, str) else f'{value:g}'}"
        for key, value in ratings.items()
    )
    text = neutral(item.text.strip())
    return _with_content(part, content=_recommended(item), text=text, ratings=answers).strip()


def context(part, text):
    """Write a text about the recipient as a part of a prompt."""
    return Template(part).substitute(text=neutral(text.strip())).strip()


def _recommended(item):
    content = item.content and one_line(item.content.title)
    return f"Recommended: {content}" if content else ""


def _rules(questions):
    """Write one sentence for each scale in use."""
    by_rule: dict[str, list[str]] = {}
    for question in questions:
        by_rule.setdefault(question.scale.rule(_inside), []).append(question.key)
    if len(by_rule) == 1:
        by_rule = {rule: ["the aspects" if len(questions) > 1 else "it"] for rule in by_rule}
    return " ".join(f"Assess {', '.join(keys)} with {rule}." for rule, keys in by_rule.items())


def _inside(label):
    """Write a label as it stands within a sentence."""
    label = one_line(label)
    return label[:1].lower() + label[1:]


def _keys(questions, rationale):
    keys = "the aspects" if len(questions) > 1 else "the aspect"
    return f'"{RATIONALE}" (one or two sentences, written first) and {keys}' if rationale else keys
