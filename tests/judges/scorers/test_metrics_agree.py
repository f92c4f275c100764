"""BLEU and ROUGE agree with their libraries in English and Chinese, by routes of the test's own."""

import pytest
import sacrebleu
from rouge_score.rouge_scorer import RougeScorer
from sacrebleu.metrics import BLEU

from judges.models import Judge, Run
from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.judges.scorers.test_text import score

Kind, Language = Judge.Kind, Judge.Language
ENGLISH = [
    ("The quick brown dog jumps on the log.", "The quick brown fox jumps over the lazy dog"),
    ("Because you liked “Heat” (1995): a slow, tense film.", "A tense film, slow as “Heat”."),
    ("Great.", "A great film, and it isn't long."),
]
CHINESE = [
    ("这部电影节奏缓慢，但是非常感人。", "这部电影虽然节奏慢，却非常感人。"),
    (
        "因为你喜欢《2001太空漫游》，推荐Kubrick的另一部作品。",
        "你喜欢Kubrick，推荐《2001太空漫游》。",
    ),
    ("好看！", "这是一部好看的科幻片"),
]


@pytest.mark.parametrize("text, reference", ENGLISH)
@pytest.mark.parametrize("kind, order", [(Kind.BLEU_1, 1), (Kind.BLEU_4, 4)])
def test_english_bleu_is_sacrebleu_s(kind, order, text, reference):
    other = BLEU(max_ngram_order=order, effective_order=True).sentence_score(text, [reference])
    assert score(kind, text, reference).value == pytest.approx(other.score)
    if order == 4:
        assert other.score == sacrebleu.sentence_bleu(text, [reference]).score


@pytest.mark.parametrize("text, reference", CHINESE)
@pytest.mark.parametrize("kind, order", [(Kind.BLEU_1, 1), (Kind.BLEU_4, 4)])
def test_chinese_bleu_is_sacrebleu_s_with_its_chinese_words(kind, order, text, reference):
    other = BLEU(max_ngram_order=order, effective_order=True, tokenize="zh")
    found = score(kind, text, reference, Language.CHINESE).value
    assert found == pytest.approx(other.sentence_score(text, [reference]).score)
    assert found > 0


def test_what_the_usual_tokenizers_say_of_chinese():
    """The trap: with the tokenizers for English, two texts that are nearly the same share none."""
    text, reference = "我喜欢这部电影", "我讨厌这部电影"
    assert sacrebleu.sentence_bleu(text, [reference]).score == 0
    assert RougeScorer(["rouge1"]).score(reference, text)["rouge1"].fmeasure == 0
    assert score(Kind.BLEU_4, text, reference, Language.CHINESE).value > 40
    assert score(Kind.ROUGE_1, text, reference, Language.CHINESE).value > 0.7


def test_rouge_of_the_library_s_own_example():
    """README of rouge-score: six of eight words are among nine, five in one order."""
    text, reference = ENGLISH[0]
    assert score(Kind.ROUGE_1, text, reference).value == pytest.approx(2 * 6 / (8 + 9))
    assert score(Kind.ROUGE_L, text, reference).value == pytest.approx(2 * 5 / (8 + 9))


@pytest.mark.parametrize("text, reference", ENGLISH)
@pytest.mark.parametrize("kind, name", [(Kind.ROUGE_1, "rouge1"), (Kind.ROUGE_L, "rougeL")])
def test_english_rouge_is_rouge_score_s(kind, name, text, reference):
    other = RougeScorer([name]).score(reference, text)[name].fmeasure
    assert score(kind, text, reference).value == pytest.approx(other)


def in_letters(text):
    """Chinese as English words: each character, number and Latin word its own word of a to z."""
    words = sacrebleu.tokenizers.tokenizer_zh.TokenizerZh()(text.lower()).split()
    return " ".join("x" + "y".join(str(ord(c)) for c in word) for word in words)


@pytest.mark.parametrize("text, reference", CHINESE)
@pytest.mark.parametrize("kind, name", [(Kind.ROUGE_1, "rouge1"), (Kind.ROUGE_L, "rougeL")])
def test_chinese_rouge_is_rouge_score_s_of_the_same_words_spelled_in_letters(
    kind, name, text, reference
):
    other = RougeScorer([name]).score(in_letters(reference), in_letters(text))[name].fmeasure
    assert score(kind, text, reference, Language.CHINESE).value == pytest.approx(other)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "kind, tokenizer",
    [(Kind.BLEU_4, "zh"), (Kind.ROUGE_1, "sacrebleu zh, lower case")],
)
def test_the_tokenizer_stays_with_the_run_and_its_scores(study, kind, tokenizer):
    text, reference = CHINESE[0]
    study.items.update(text=text, reference=reference)
    judge = factories.make_judge(study, "zh", kind=kind, language=Language.CHINESE)
    run = plan(judge)
    drive.work_through(run.pk)
    run = Run.objects.get(pk=run.pk)
    assert run.frozen["tokenizer"] == tokenizer
    assert run.frozen["library"].startswith(("sacrebleu ", "rouge-score "))
    expected = score(kind, text, reference, Language.CHINESE).value
    assert set(run.judgments.values_list("state", "value")) == {("done", expected)}
