"""Scores against values worked out by hand or published, and against the libraries themselves."""

import math
from collections import Counter
from types import SimpleNamespace

import pytest
import sacrebleu
from rouge_score.rouge_scorer import RougeScorer

from annotate.models import Item
from annotate.values.scales import parse_scale
from judges.models import Judge
from judges.runs.lease import Unit
from judges.scorers import SCORERS, NotInstalled, facts, installed
from judges.scorers.base import NO_REFERENCE, is_latin
from judges.scorers.chance import NO_POINTS
from judges.scorers.text import NOT_ENGLISH

Kind, Language = Judge.Kind, Judge.Language
LIKED, HATED = "我喜欢这部电影", "我讨厌这部电影"
CAT_SAT, CAT_IS = "the cat sat on the mat", "the cat is on the mat"


def question(scale="likert5", key="fits", pk=1):
    return SimpleNamespace(pk=pk, key=key, scale=parse_scale(scale))


def unit(text="", reference="", questions=None, key="e1"):
    item = Item(key=key, kind="explanation", text=text, reference=reference)
    return Unit(1, item, questions or [question()])


def score(kind, text, reference, language=Language.ENGLISH):
    scorer = SCORERS[kind]
    settings = {"language": language} if "language" in scorer.settings.names() else {}
    found = scorer.load(scorer.frozen(Judge(kind=kind, settings=settings)))
    return found([unit(text, reference)])[0][0]


BY_HAND = {
    # 5 of 6 words are in the reference; both texts are equally long.
    "bleu-1": (Kind.BLEU_1, CAT_SAT, CAT_IS, "en", 100 * 5 / 6),
    # Papineni et al. (2002), section 2.1: seven times "the", of which two count.
    "bleu-1 clipped": (Kind.BLEU_1, "the the the the the the the", CAT_IS, "en", 100 * 2 / 7),
    # Brevity: two words for three.
    "bleu-1 brief": (Kind.BLEU_1, "the cat", "the cat sat", "en", 100 * math.exp(1 - 3 / 2)),
    # 5/6, 3/5, 1/4 and none of three, which exponential smoothing makes 1/2 of three.
    "bleu-4": (Kind.BLEU_4, CAT_SAT, CAT_IS, "en", 100 * (5 / 6 * 3 / 5 * 1 / 4 * 1 / 6) ** 0.25),
    # Two words have no triple: only the orders that there are count.
    "bleu-4 of two words": (Kind.BLEU_4, "the cat", "the cat", "en", 100),
    # Characters: 5 of 7, 3 of 6 pairs, 2 of 5 triples, 1 of 4 quadruples.
    "bleu-1 zh": (Kind.BLEU_1, LIKED, HATED, "zh", 100 * 5 / 7),
    "bleu-4 zh": (Kind.BLEU_4, LIKED, HATED, "zh", 100 * (5 / 7 * 3 / 6 * 2 / 5 * 1 / 4) ** 0.25),
    # Brevity: three characters for seven; quadruples there are none, so that they do not count.
    "bleu-4 zh brief": (Kind.BLEU_4, LIKED[:3], LIKED, "zh", 100 * math.exp(1 - 7 / 3)),
    # A word in Latin letters is one: 我 爱 手 机 of five; by characters it would be another share.
    "bleu-1 zh mixed": (Kind.BLEU_1, "我爱 iPhone 手机", "我爱 Android 手机", "zh", 100 * 4 / 5),
    "bleu-1 characters": (Kind.BLEU_1, LIKED, HATED, "characters", 100 * 5 / 7),
    "bleu-1 greek": (Kind.BLEU_1, "το καλό βιβλίο", "το κακό βιβλίο", "words", 100 * 2 / 3),
    "rouge-1": (Kind.ROUGE_1, CAT_SAT, CAT_IS, "en", 5 / 6),
    # P = 2/2, R = 2/4
    "rouge-1 uneven": (Kind.ROUGE_1, "Police, the", "police killed the gunman", "en", 2 / 3),
    # Lin (2004), section 3.1: S2 and S3 against S1.
    "rouge-l S2": (Kind.ROUGE_L, "police kill the gunman", "police killed the gunman", "en", 3 / 4),
    "rouge-l S3": (Kind.ROUGE_L, "the gunman kill police", "police killed the gunman", "en", 2 / 4),
    "rouge-1 zh": (Kind.ROUGE_1, LIKED, HATED, "zh", 5 / 7),
    # P = 3/3, R = 3/7
    "rouge-1 zh uneven": (Kind.ROUGE_1, LIKED[:3], LIKED, "zh", 3 / 5),
    "rouge-l zh": (Kind.ROUGE_L, LIKED, HATED, "zh", 5 / 7),
    # "Été" and "ete" are two words; by rouge-score's own tokenizer "Été" would be "t".
    "rouge-1 accents": (Kind.ROUGE_1, "Un été", "un ete", "words", 1 / 2),
    # F2 of characters: P 1, R (2/3 + 1/2)/2 over orders 1 and 2; blanks do not count.
    "chrf": (Kind.CHRF, "a b", "abc", "en", 100 * 35 / 55),
    "chrf zh": (Kind.CHRF, LIKED, LIKED, "zh", 100),
    "rouge-l characters": (Kind.ROUGE_L, "ねこがいる", "いぬがいる", "characters", 3 / 5),
}


@pytest.mark.parametrize("case", BY_HAND)
def test_a_score_is_what_it_is_by_hand(case):
    kind, text, reference, language, value = BY_HAND[case]
    assert score(kind, text, reference, language).value == pytest.approx(value, abs=1e-9)


def test_scores_are_those_of_the_libraries():
    text = "A warm, slow film about two sisters: exactly your kind of evening (it's 1994 again)."
    reference = "You like slow films. This one, about two sisters, is warm - and it is set in 1994!"
    bleu = sacrebleu.sentence_bleu(text, [reference])
    assert score(Kind.BLEU_4, text, reference).value == pytest.approx(bleu.score)
    assert (
        score(Kind.CHRF, text, reference).value == sacrebleu.sentence_chrf(text, [reference]).score
    )
    rouge = RougeScorer(["rouge1", "rougeL"]).score(reference, text)
    assert score(Kind.ROUGE_1, text, reference).value == rouge["rouge1"].fmeasure
    assert score(Kind.ROUGE_L, text, reference).value == rouge["rougeL"].fmeasure


@pytest.mark.parametrize("kind", [Kind.BLEU_1, Kind.BLEU_4, Kind.ROUGE_1, Kind.ROUGE_L])
def test_what_cannot_be_compared_is_missing_with_the_reason(kind):
    assert score(kind, "a text", " \n").reason == NO_REFERENCE
    # English tokenizers would say 0 here, which is wrong and looks like a score.
    assert score(kind, LIKED, LIKED).reason == f"the text is {NOT_ENGLISH}"
    assert score(kind, "a text", LIKED).reason == f"the reference is {NOT_ENGLISH}"
    assert score(kind, LIKED, LIKED, Language.CHINESE).value in (pytest.approx(100), 1)


def test_rouge_without_a_word_is_missing():
    found = score(Kind.ROUGE_1, "!?", "a text", Language.WORDS)
    assert (found.value, found.reason) == (None, "the text or the reference has no words")


def test_rouge_l_refuses_texts_whose_table_would_fill_the_memory():
    long = "word " * 4000
    assert score(Kind.ROUGE_L, long, long).reason == "too long for ROUGE-L: 4,000 and 4,000 words"
    assert score(Kind.ROUGE_1, long, long).value == 1


def test_what_is_latin():
    assert is_latin("Amélie, 2001 — Ærø, Łódź, Việt")
    assert not is_latin(LIKED)
    assert not is_latin("Οδύσσεια")
    assert not is_latin("Film: фильм о любви")
    assert not is_latin("2001 👍")
    assert is_latin("Akira Kurosawa’s Ikiru (生きる) is about a man who has little time left")


def draw(seed, key="e1", asked=None):
    scorer = SCORERS[Kind.RANDOM]
    found = scorer.load(scorer.frozen(Judge(kind=Kind.RANDOM, settings={"seed": seed})))
    return [score.value for score in found([unit("text", questions=asked, key=key)])[0]]


def test_random_is_the_same_for_the_same_seed_item_and_question_and_for_no_other():
    # Written down when it was first drawn: another version may not draw anew.
    assert draw(1, asked=[question(key=key) for key in "abcdef"]) == [3, 3, 4, 2, 5, 4]
    assert [draw(1, f"e{n}") for n in range(9)] == [draw(1, f"e{n}") for n in range(9)]
    assert [draw(1, f"e{n}") for n in range(9)] != [draw(2, f"e{n}") for n in range(9)]
    # Neither the position of a question nor what else is asked matters.
    two = [question(key="a"), question("binary", key="b")]
    assert draw(1, asked=two[::-1]) == draw(1, asked=two)[::-1]


def test_random_draws_every_point_equally_often():
    asked = [question(key="a"), question({"choice": ["A", "B", "tie"]}, key="b")]
    rows = [draw(7, f"e{n}", asked) for n in range(3000)]
    likert, choice = (Counter(column) for column in zip(*rows, strict=True))
    assert sorted(likert) == [1, 2, 3, 4, 5]
    assert sorted(choice) == [1, 2, 3]
    # Five standard deviations of a binomial count.
    assert all(abs(n - 600) < 5 * math.sqrt(600 * 0.8) for n in likert.values())
    assert all(abs(n - 1000) < 5 * math.sqrt(1000 * 2 / 3) for n in choice.values())


def test_a_scale_without_ends_has_nothing_to_draw_from():
    scorer = SCORERS[Kind.RANDOM]
    found = scorer.load({"seed": 1})([unit("text", questions=[question("number")])])[0][0]
    assert (found.value, found.reason) == (None, NO_POINTS)


def test_the_frozen_settings_name_what_the_scores_depend_on():
    frozen = SCORERS[Kind.BLEU_4].frozen(Judge(kind=Kind.BLEU_4, settings={"language": "zh"}))
    assert frozen == {
        "kind": "bleu-4",
        "language": "zh",
        "tokenizer": "zh",
        "max_order": 4,
        "smoothing": "exp",
        "effective_order": True,
        "library": f"sacrebleu {sacrebleu.__version__}",
    }
    assert ("Tokenizer", "zh") in facts(frozen)
    rouge = SCORERS[Kind.ROUGE_L].frozen(Judge(kind=Kind.ROUGE_L))
    assert rouge["tokenizer"] == "rouge-score default"
    assert ("Stemmer", "no") in facts(rouge)
    assert ("Seed", 3) in facts(
        SCORERS[Kind.RANDOM].frozen(Judge(kind=Kind.RANDOM, settings={"seed": 3}))
    )


def test_a_library_that_is_not_there_is_named():
    with pytest.raises(
        NotInstalled, match="the package no-such-thing is not installed.* pip install -r x.txt"
    ):
        installed("no-such-thing", "-r x.txt")
