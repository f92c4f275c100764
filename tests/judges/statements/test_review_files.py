"""The split of reviews by time: every part is written out by hand."""

import csv
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from judges.statements.review_splits import Review, split

CONTENTS = "abcdefghijklm"


def reviews(recipient, contents, start=0):
    """One for each letter, a day after the other."""
    return [Review(recipient, c, start + at, start + at) for at, c in enumerate(contents)]


def letters(found, recipient):
    """The contents of each part of a recipient, as words."""
    return tuple(
        "".join(one.content for one in part if one.recipient == recipient)
        for part in found.parts.values()
    )


@pytest.mark.parametrize(
    ("many", "parts"),
    [
        (5, ("abcd", "", "e")),
        (6, ("abcd", "e", "f")),
        (7, ("abcde", "f", "g")),
        (9, ("abcdefg", "h", "i")),
        (10, ("abcdefgh", "i", "j")),
        (13, ("abcdefghij", "k", "lm")),
    ],
)
def test_the_newest_are_the_test_and_those_before_them_the_validation(many, parts):
    # The other one has everything in training.
    other = reviews("z", CONTENTS + "".join(f"{c}" for c in "nopqrstuvw"))
    found = split(reviews("u", CONTENTS[:many])[::-1] + other)
    assert letters(found, "u") == parts


def test_recipients_with_too_few_are_left_out_before_anything_is_counted():
    found = split(reviews("few", "abcd") + reviews("enough", "abcde"), least=5)
    assert {one.recipient for one in found.kept} == {"enough"} and found.few == 4
    assert split(reviews("few", "abcd"), least=4).few == 0


def test_contents_that_nobody_trains_on_are_dropped_from_the_other_parts():
    """u: abcd | | x, of which x is in no training; v: abcd | | a, of which a is."""
    found = split(reviews("u", "abcdx") + reviews("v", "bcdea"))
    assert letters(found, "u") == ("abcd", "", "")
    assert letters(found, "v") == ("bcde", "", "a")
    assert dict(found.counts) == {
        "recipients": 2,
        "contents": 6,
        "interactions": 10,
        "train": 8,
        "validation": 0,
        "test": 1,
        "left out: of contents unseen in training": 1,
        "left out: of recipients with too few interactions": 0,
        "left out: earlier reviews of the same content": 0,
    }


def test_of_two_reviews_of_a_content_the_later_one_stays():
    twice = [*reviews("u", "abcde"), Review("u", "a", 99, 99)]
    found = split([*twice, *reviews("v", "abcde")])
    assert letters(found, "u") == ("bcde", "", "a") and found.repeated == 1
    assert found.parts["test"][0].number == 99


def test_at_the_same_time_the_file_s_order_decides():
    same = [Review("u", content, 0, number) for number, content in enumerate("abcde")]
    assert letters(split(same[::-1]), "u")[0] == "abcd"


def test_nothing_is_nothing():
    assert dict(split([]).counts)["interactions"] == 0


@given(
    st.lists(st.tuples(st.sampled_from("uvw"), st.sampled_from(CONTENTS), st.integers(0, 9))),
    st.integers(1, 6),
)
def test_no_test_is_before_a_training_and_nothing_is_lost(rows, least):
    given_ones = [Review(*row, number) for number, row in enumerate(rows)]
    found = split(given_ones, least)
    train, validation, test = found.parts.values()
    for who in "uvw":
        times = [
            [one.moment for one in part if one.recipient == who] for part in found.parts.values()
        ]
        for earlier, later in ((0, 1), (0, 2), (1, 2)):
            assert max(times[earlier], default=0) <= min(times[later], default=9)
    assert {one.content for one in validation + test} <= {one.content for one in train}
    left = found.few + found.repeated + found.unseen
    assert len(train) + len(validation) + len(test) + left == len(rows)


FILE = """recipient,content,rating,review,at,domain
u,a,5,Warm.,2024-01-01,clothes
u,b,4,Soft.,2024-01-02,clothes
u,c,3,"Fine, I guess.",2024-01-03,clothes
u,d,2,Too small.,2024-01-04,clothes
u,a2,1,=HYPERLINK(1),2024-01-05,clothes
v,a2,5,Good.,2024-01-01,toys
v,b,5,Good.,2024-01-02,toys
v,c,5,Good.,2024-01-03,toys
v,d,5,Good.,2024-01-04,toys
v,a,1,,2024-01-05,toys
w,a,1,Once.,2024-01-05,toys
"""


def run(path, *options):
    out, errors = StringIO(), StringIO()
    try:
        call_command("prepare_reviews", path, *options, stdout=out, stderr=errors)
    except CommandError as error:
        return f"{errors.getvalue()}{error}"
    return out.getvalue()


def rows(path):
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def test_the_command_writes_the_files_and_prints_the_counts(tmp_path):
    (tmp_path / "reviews.csv").write_text(FILE)
    said = run(tmp_path / "reviews.csv", "--out", tmp_path / "out")
    assert "interactions                                              10\n" in said
    assert [row["content"] for row in rows(tmp_path / "out/interactions.csv")] == [
        "a",
        "b",
        "c",
        "d",
        "a2",
        "b",
        "c",
        "d",
    ]
    first, second = rows(tmp_path / "out/items.csv")
    assert first == {
        "item": "review-6",
        "kind": "explanation",
        "recipient": "u",
        "content": "a2",
        "system": "",
        "text": "",
        "review": "'=HYPERLINK(1)",
        "rating": "1.0",
        "at": "2024-01-05T00:00:00+00:00",
        "domain": "clothes",
    }
    assert (second["item"], second["review"]) == ("review-11", "")
    assert rows(tmp_path / "out/validation.csv") == []
    counts = {row["count"]: row["n"] for row in rows(tmp_path / "out/counts.csv")}
    assert (counts["train"], counts["test"]) == ("8", "2")
    assert counts["left out: of recipients with too few interactions"] == "1"


def test_json_lines_in_the_form_of_the_amazon_reviews_are_read(tmp_path):
    line = '{"reviewerID": "u", "asin": "%s", "reviewText": "R", "unixReviewTime": %d}\n'
    (tmp_path / "reviews.jsonl").write_text(
        "".join(line % (c, 1_400_000_000 + at) for at, c in enumerate("abcde"))
    )
    assert "train" in run(tmp_path / "reviews.jsonl", "--out", tmp_path, "--least", "5")
    assert [row["content"] for row in rows(tmp_path / "interactions.csv")] == list("abcd")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (None, "there is no such file"),
        ("recipient,content\nu,a\n", "column at: this column is missing"),
        ("recipient,content,at\nu,a,yesterday\n", "found 'yesterday'"),
        ("recipient,content,at\nu,a,\n", "column at: this cell is empty"),
        ("", "empty"),
    ],
)
def test_bad_files_write_nothing_and_say_where(tmp_path, text, said):
    if text is not None:
        (tmp_path / "reviews.csv").write_text(text)
    assert said in run(tmp_path / "reviews.csv", "--out", tmp_path / "out")
    assert not (tmp_path / "out").exists()
