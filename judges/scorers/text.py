"""Score the overlap with a reference text: BLEU and chrF by sacrebleu, ROUGE by rouge-score."""

import re

from rouge_score.rouge_scorer import RougeScorer
from rouge_score.tokenizers import DefaultTokenizer
from sacrebleu.metrics import BLEU, CHRF
from sacrebleu.tokenizers.tokenizer_char import TokenizerChar
from sacrebleu.tokenizers.tokenizer_zh import TokenizerZh

from judges.models import Judge
from judges.scorers.base import NO_REFERENCE, Score, is_latin, same_for_all

Language = Judge.Language
# The table of a longest common subsequence has a cell for each pair of words; ten million take
# seconds and 100 MB.
MOST_PAIRS = 10_000_000
NOT_ENGLISH = "not in Latin letters, and this judge’s words are English: choose another language"


class Words:
    """A tokenizer in the form that rouge-score takes."""

    def __init__(self, split):
        self.split = split

    def tokenize(self, text):
        return self.split(text.lower())


def rouge_tokenizer(language):
    """Return the tokenizer of a language.

    rouge-score's own knows a to z and digits only: it drops accents and every other script.
    """
    if language == Language.ENGLISH:
        return DefaultTokenizer()
    if language == Language.WORDS:
        return Words(re.compile(r"\w+").findall)
    tokenizer = TokenizerZh() if language == Language.CHINESE else TokenizerChar()
    return Words(lambda text: tokenizer(text).split())


class Overlap:
    """Scores each unit by its item's text and reference, with a reason where it cannot."""

    def __init__(self, frozen):
        self.language = frozen.get("language")

    def __call__(self, units):
        return [same_for_all(unit, self.score(unit.item)) for unit in units]

    def score(self, item):
        if not item.reference.strip():
            return Score(reason=NO_REFERENCE)
        for name, text in (("text", item.text), ("reference", item.reference)):
            if self.language == Language.ENGLISH and not is_latin(text):
                return Score(reason=f"the {name} is {NOT_ENGLISH}")
        return self.compare(item.text, item.reference)


class Bleu(Overlap):
    """BLEU of single texts, from 0 to 100."""

    def __init__(self, frozen):
        super().__init__(frozen)
        self.bleu = BLEU(
            max_ngram_order=frozen["max_order"],
            smooth_method=frozen["smoothing"],
            effective_order=frozen["effective_order"],
            tokenize=frozen["tokenizer"],
        )

    def compare(self, text, reference):
        return Score(self.bleu.sentence_score(text, [reference]).score)


class Chrf(Overlap):
    """chrF of single texts, from 0 to 100."""

    def __init__(self, frozen):
        super().__init__(frozen)
        self.chrf = CHRF(char_order=frozen["max_order"], beta=frozen["recall_weight"])

    def compare(self, text, reference):
        return Score(self.chrf.sentence_score(text, [reference]).score)


class Rouge(Overlap):
    """ROUGE-1 or ROUGE-L, the F-measure from 0 to 1."""

    def __init__(self, frozen):
        super().__init__(frozen)
        self.measure, self.tokenizer = frozen["measure"], rouge_tokenizer(self.language)
        self.rouge = RougeScorer([self.measure], use_stemmer=False, tokenizer=self.tokenizer)

    def compare(self, text, reference):
        sizes = [len(self.tokenizer.tokenize(words)) for words in (text, reference)]
        if not all(sizes):
            return Score(reason="the text or the reference has no words")
        if self.measure == "rougeL" and sizes[0] * sizes[1] > MOST_PAIRS:
            return Score(reason=f"too long for ROUGE-L: {sizes[0]:,} and {sizes[1]:,} words")
        return Score(self.rouge.score(reference, text)[self.measure].fmeasure)
