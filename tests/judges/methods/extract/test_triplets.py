"""Texts are cut, replies read and statements found again in their text."""

import json

import pytest

from judges.methods.extract import topics, triplets
from judges.replies.parse import Reason

FIT = ["runs small", "fit", "negative"]
CLOTHES = {name for name, _ in topics.ready()["clothes"]}


def entry(statement="runs small", topic="fit", sentiment="negative"):
    return {"statement": statement, "topic": topic, "sentiment": sentiment}


def read(*entries, **fields):
    return triplets.parse_statements(json.dumps({"statements": entries}), CLOTHES, **fields)


# What a reply says


def test_a_list_under_its_key_or_alone_is_read():
    both = json.dumps({"statements": [entry()]}), json.dumps([entry()])
    for reply in (*both, f"Here they are:\n```json\n{both[1]}\n```\nThat is all [1]."):
        assert triplets.parse_statements(reply, CLOTHES) == triplets.ParsedStatements([FIT], [])


def test_no_statement_is_a_result():
    assert read() == triplets.ParsedStatements([], [])
    assert triplets.parse_statements("[]", CLOTHES) == triplets.ParsedStatements([], [])


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (entry(topic="smell"), triplets.OTHER_TOPIC),
        (entry(topic="fit and sizing"), triplets.OTHER_TOPIC),
        (entry(topic=""), triplets.OTHER_TOPIC),
        (entry(sentiment="mixed"), triplets.OTHER_SENTIMENT),
        (entry(statement=" "), triplets.EMPTY),
        (entry(statement="..."), triplets.EMPTY),
        (entry(statement="x" * 1001), triplets.TOO_LONG),
        (entry(statement=5), triplets.NO_TRIPLET),
        ({"statement": "runs small"}, triplets.NO_TRIPLET),
        ("runs small", triplets.NO_TRIPLET),
        (None, triplets.NO_TRIPLET),
    ],
)
def test_what_is_wrong_is_dropped_and_says_why(wrong, why):
    found = read(entry("is red", "appearance", "neutral"), wrong)
    assert found.kept == [["is red", "appearance", "neutral"]]
    (dropped,) = found.dropped
    assert dropped["why"] == why
    assert set(dropped) == {"statement", "topic", "sentiment", "why"}
    assert all(isinstance(value, str) and len(value) <= 300 for value in dropped.values())


def test_the_same_statement_counts_once_whatever_its_capitals_points_and_topic():
    found = read(entry(), entry("Runs  small."), entry("RUNS SMALL", "comfort", "neutral"))
    assert found.kept == [FIT]
    assert [each["why"] for each in found.dropped] == [triplets.TWICE] * 2


def test_capitals_and_blanks_around_a_topic_or_sentiment_do_no_harm():
    assert read(entry("  runs small ", " Fit ", "NEGATIVE")).kept == [FIT]


@pytest.mark.parametrize(
    ("listed", "said"),
    [
        ("qualit\u00e9", "Qualite\u0301"),
        ("qualite\u0301", "QUALIT\u00c9"),
        ("qualit\u00e9 du tissu", "\u00a0 qualite\u0301 \u3000 du  tissu "),
        ("gr\u00f6\u00dfe", "GR\u00d6SSE"),
        ("fit", "\uff26\uff49\uff54"),
    ],
)
def test_a_topic_is_kept_as_the_list_spells_it_however_its_letters_are_encoded(listed, said):
    found = triplets.parse_statements(json.dumps([entry(topic=said)]), {"care", listed})
    assert found == triplets.ParsedStatements([["runs small", listed, "negative"]], [])


def test_of_topics_that_differ_in_encoding_alone_the_one_that_was_said_is_kept():
    both = "caf\u00e9", "cafe\u0301"
    for said in both:
        (kept,) = triplets.parse_statements(json.dumps([entry(topic=said)]), {*both}).kept
        assert kept[1] == said


def test_three_hundred_statements_are_three_hundred():
    assert len(read(*[entry(f"has pocket number {n}") for n in range(300)]).kept) == 300


def test_what_is_said_beyond_the_most_is_dropped():
    found = read(entry(), entry("is red", "appearance", "neutral"), "c", most=1)
    assert found.kept == [FIT]
    assert [(each["statement"], each["why"]) for each in found.dropped] == [
        ("is red", triplets.TOO_MANY),
        ("c", triplets.TOO_MANY),
    ]
    assert triplets.parse_statements("[]", CLOTHES, most=1) == triplets.ParsedStatements([], [])


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        ("", Reason.EMPTY),
        ("I found nothing.", Reason.NO_JSON),
        ('{"statements": "none"}', Reason.NO_STATEMENTS),
        ('{"triplets": []}', Reason.NO_STATEMENTS),
        ('{"statements": [], "statements": []}', Reason.NO_STATEMENTS),
        ('{"statements": [{"statement": "runs', Reason.BROKEN_JSON),
        ('[{"statement": "runs small"', Reason.BROKEN_JSON),
        ("[" + ", ".join(["{}"] * 1001) + "]", Reason.TOO_MANY_OBJECTS),
    ],
)
def test_a_reply_without_a_list_says_why(reply, reason):
    assert triplets.parse_statements(reply, CLOTHES) is reason


def test_a_reply_that_was_cut_has_none():
    assert read(entry(), finish_reason="length") is Reason.CUT_OFF


def test_an_entry_with_a_key_twice_is_dropped():
    reply = '[{"statement": "a", "statement": "b", "topic": "fit", "sentiment": "neutral"}]'
    assert [each["why"] for each in triplets.parse_statements(reply, CLOTHES).dropped] == [
        triplets.NO_TRIPLET
    ]


def test_what_no_database_takes_is_replaced():
    ((statement, *_),) = read(entry("runs\x00 small \ud800")).kept
    statement.encode()
    assert "\x00" not in statement


# Sentences and parts


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("It shrinks. Badly! Why?", ["It shrinks.", " Badly!", " Why?"]),
        ("Costs 3.50 at shop.com now", ["Costs 3.50 at shop.com now"]),
        ("偏小。很舒服!推荐", ["偏小。", "很舒服!", "推荐"]),
        ("यह अच्छा है। यह सस्ता है।", ["यह अच्छा है।", " यह सस्ता है।"]),
        ("هل هو جيد؟ نعم۔ رخيص", ["هل هو جيد؟", " نعم۔", " رخيص"]),
        ("很舒服！推荐", ["很舒服！", "推荐"]),
        ("first line\nsecond line", ["first line\n", "second line"]),
        ('He said "no." Then left.', ['He said "no."', " Then left."]),
        ("", []),
    ],
)
def test_sentences_together_are_the_text(text, sentences):
    found = [text[start:end] for start, end in triplets.sentences(text)]
    assert found == sentences
    assert "".join(found) == text


@pytest.mark.parametrize("most", [1, 7, 12, 30, 1000])
@pytest.mark.parametrize(
    "text",
    [
        "It shrinks. It fades a lot! The seams hold.",
        "偏小。很舒服!面料不错,推荐购买。",
        "word " * 20,
        "x" * 50,
        "\n\n  It fits.  \n\n",
    ],
)
def test_parts_are_the_text_none_is_blank_and_none_is_too_long(text, most):
    found = triplets.parts(text, most)
    assert "".join(part for _, part in found) == text
    assert all(text[start : start + len(part)] == part for start, part in found)
    assert all(part.strip() for _, part in found)
    assert all(len(part.strip()) <= most for _, part in found)


def test_parts_end_with_a_sentence_and_hold_as_many_as_fit():
    text = "It shrinks. It fades. It rips."
    assert triplets.parts(text, 22) == [(0, "It shrinks. It fades."), (21, " It rips.")]


# Where a statement comes from

REVIEW = (
    "I’m tall. The Dress runs\nsmall, and the stitching came undone. Red as in the photo! "
    "很舒服。偏小。"
)


@pytest.mark.parametrize(
    ("statement", "there"),
    [
        ("runs\nsmall", "runs\nsmall"),
        ("dress runs small.", "Dress runs\nsmall"),
        ("i'm tall", "I’m tall"),
        ("stitching comes undone", "small, and the stitching came undone."),
        ("red as in the photo", "Red as in the photo"),
        ("偏小", "偏小"),
        ("穿着很舒服", "很舒服。"),
        ("in", "in"),
        ("arrives late", None),
        ("!", None),
    ],
)
def test_a_statement_is_found_literally_or_by_the_sentence_most_like_it(statement, there):
    found = triplets.Places(REVIEW).locate(statement)
    assert (found and REVIEW[slice(*found)]) == there


JACKET = "It keeps the wind out really well and folds into its own pocket. It runs a bit small."
SOCKS = "Warm without being bulky, and my feet stay dry on walks. They cost more than the others."
CHARGER = "Charges my laptop and phone at the same time. It gets warm. The cable is short."


@pytest.mark.parametrize(
    ("statement", "text", "there"),
    [
        ("the jacket runs small", JACKET, "It runs a bit small."),
        ("the jacket folds into a pocket", JACKET, JACKET[:64]),
        ("the socks are warm", SOCKS, SOCKS[:56]),
        ("the charger gets warm", CHARGER, "It gets warm."),
    ],
)
def test_whole_words_tell_more_than_letters_and_rare_ones_more_than_small_ones(
    statement, text, there
):
    """“jacket” has many letters of “pocket”, “charger” of “charges”; “the” stands anywhere."""
    start, end = triplets.Places(text).locate(statement)
    assert text[start:end] == there


def test_a_word_is_not_found_within_another():
    text = "It looks tired and red."
    assert triplets.Places(text).locate("red") == (19, 22)


def test_spans_cover_the_text_and_overlaps_have_both():
    assert triplets.spans(10, [(2, 6, 1), (4, 8, 2), (4, 6, 3)]) == [
        (0, 2, []),
        (2, 4, [1]),
        (4, 6, [1, 2, 3]),
        (6, 8, [2]),
        (8, 10, []),
    ]
    assert triplets.spans(3, []) == [(0, 3, [])]
    assert triplets.spans(0, []) == []


# Lists of topics


def test_the_five_lists_have_the_papers_ten_short_names_each():
    """Tables X to XIV."""
    found = topics.ready().items()
    assert {name: " ".join(topic for topic, _ in pairs) for name, pairs in found} == {
        "toys": "safety age durability educational engagement materials functionality assembly "
        "battery price",
        "clothes": "fit material comfort appearance construction price care functionality shipping "
        "service",
        "beauty": "efficacy compatibility ingredients texture longevity color price packaging "
        "scent service",
        "sports": "performance durability comfort fit material safety portability usability price "
        "service",
        "cellphones": "performance battery camera display specs durability software usability "
        "price service",
    }
    assert not any(topics.problem_of(found) for found in topics.ready().values())


@pytest.mark.parametrize(
    "wrong",
    [
        [],
        "fit",
        [["fit"]],
        [["fit", "a"], ["fit", "b"]],
        [["Fit", ""]],
        [["", "x"]],
        [[" fit", ""]],
        [["a:b", ""]],
        [["fit", None]],
        [["fit", "x" * 301]],
        [["x" * 61, ""]],
        [[5, "x"]],
        [["fit", "two\nlines"]],
        [[f"t{n}", ""] for n in range(51)],
    ],
)
def test_a_list_that_cannot_be_used_says_what_is_allowed(wrong):
    assert topics.problem_of(wrong) == topics.WRONG


def test_topics_are_written_as_they_are_read():
    text = "fit: size: small or large\nplot"
    assert topics.parse_topics(text + "\n\n") == [["fit", "size: small or large"], ["plot", ""]]
    assert topics.written(topics.parse_topics(text)) == text
    assert topics.name_of(topics.parse_topics(text)) == topics.OWN
    assert topics.name_of(topics.ready()["toys"]) == "toys"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("It weighs 1.5 kg", "It weighs 15 kg"),
        ("loses -5 %", "loses 5 %"),
        ("अच्छी", "अच्छा"),
        ("lasts 4.5 hours", "lasts 45 hours"),
    ],
)
def test_statements_that_differ_in_a_mark_are_two(one, other):
    assert triplets.alike(one) != triplets.alike(other)


def test_statements_in_the_same_words_are_one():
    for same in ("Runs small.", " runs  small", "“Runs small!”", "(runs small)", "RUNS SMALL…"):
        assert triplets.alike(same) == "runs small"
    assert triplets.alike("cafe\u0301") == triplets.alike("caf\u00e9")
    assert triplets.alike("… ?!") == ""


def test_a_row_of_marks_is_one_end_however_long():
    """Read from each of its marks it would take minutes."""
    text = "Good" + "." * 100_000 + "x"
    assert [*triplets.sentences(text)] == [(0, len(text))]
    assert [*triplets.sentences("So… it fits?! Yes.")] == [(0, 3), (3, 13), (13, 18)]
