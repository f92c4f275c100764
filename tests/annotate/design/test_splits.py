"""Which side an item falls on, what is done to a split, and what study.yaml says of it."""

import hashlib
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from analysis.answers import frame
from annotate.design import splits
from annotate.design.splits import CHOOSE, TEST, Split
from annotate.files.loading.study import check_study
from annotate.files.reading import Problems
from annotate.files.reading.studyfile import read_study
from judges.files.study_file import study_yaml
from tests import factories

IDS = st.text("ar09 é王:", min_size=1, max_size=4)
SEEDS = st.integers(0, 2**32 - 1)
SHARES = st.floats(0.01, 0.99)
ROWS = st.lists(
    st.tuples(IDS, st.none() | IDS, st.none() | IDS), unique_by=lambda row: row[0], max_size=40
)


@pytest.fixture
def study(db):
    return factories.make_study()


def rows_of(items):
    return [(*item, None) for item in items]


@given(ROWS, SEEDS, SHARES)
def test_no_recipient_is_on_both_sides(items, seed, share):
    sides = Split(seed, share, ()).sides(rows_of(items))
    by_recipient = {}
    for (_, recipient, _), side in zip(items, sides, strict=True):
        if recipient:
            assert by_recipient.setdefault(recipient, side) == side


@given(ROWS, ROWS, SEEDS, SHARES)
def test_new_items_move_no_other(items, more, seed, share):
    split = Split(seed, share, ())
    known = {key for key, *_ in items}
    later = rows_of(items) + rows_of(one for one in more if one[0] not in known)
    assert split.sides(later)[: len(items)] == split.sides(rows_of(items))


@given(st.data(), ROWS, SEEDS, SHARES)
def test_their_order_does_not_matter(data, items, seed, share):
    split = Split(seed, share, ())
    order = data.draw(st.permutations(range(len(items))))
    sides = split.sides(rows_of(items))
    turned = split.sides(rows_of(items[at] for at in order))
    assert turned == [sides[at] for at in order]


@given(IDS, SEEDS, SHARES)
def test_the_side_is_that_of_the_hash_as_an_exact_fraction(unit, seed, share):
    number = int(hashlib.sha256(f"{seed}:{unit}".encode()).hexdigest(), 16)
    expected = Fraction(number, 2**256) < Fraction(share)
    assert (Split(seed, share, ()).side(unit) == TEST) == expected


@given(SEEDS, st.floats(0.1, 0.9))
def test_the_share_is_near(seed, share):
    split = Split(seed, share, ())
    found = sum(split.side(f"r{n}") == TEST for n in range(2000)) / 2000
    assert abs(found - share) < 0.06  # five standard errors of .5


def test_two_ids_by_hand():
    """printf 7:ann | sha256sum begins with 670a81, that of 7:bob with 44c872: .4025 and .2687."""
    for share, ann, bob in [(0.26, CHOOSE, CHOOSE), (0.27, CHOOSE, TEST), (0.41, TEST, TEST)]:
        split = Split(7, share, ())
        assert (split.side("ann"), split.side("bob")) == (ann, bob)


@pytest.mark.parametrize(
    ("row", "parent", "unit"),
    [
        (("i", "r", "c"), None, "r"),
        (("i", None, "c"), None, "c"),
        (("i", None, None), None, "i"),
        (("i", None, "c"), ("p", "r", None), "r"),
        (("i", "own", "c"), ("p", "r", None), "own"),
        (("i", None, "c"), ("p", None, None), "p"),
    ],
)
def test_what_falls_on_a_side_whole(row, parent, unit):
    assert splits.unit_of(row, parent) == unit


@pytest.mark.django_db
def test_the_database_says_the_same_as_the_frame():
    study = factories.make_study(items=0)
    pair = factories.make_item(study, "pair", recipient=None, content=None, kind="list_pair")
    part = factories.make_item(study, "part", recipient=None, content="film-9", parent=pair)
    factories.make_item(study, "alone", recipient=None, content=None)
    for number in range(12):
        factories.make_item(study, f"i{number}", f"r{number % 6}", f"film-{number}")
    split = Split(3, 0.5, ())
    links = ("key", "recipient__key", "content__key", "parent__key")
    rows = list(study.items.order_by("pk").values_list(*links))
    found = splits.sides_of_items(study, split)
    assert [side for _, side in found.values()] == split.sides(rows)
    assert found[part.pk][1] == found[pair.pk][1]


@pytest.mark.django_db
def test_statements_fall_on_the_side_of_their_explanation():
    """By the frame too; other kinds of items with that extra column do not."""
    study = factories.make_study(items=0)
    bare = {"recipient": None, "content": None, "data": {"explanation": "one"}}
    for number in range(9):
        factories.make_item(study, f"s{number}", kind="statement", **bare)
    factories.make_item(study, "one", kind="explanation", **bare | {"data": {}})
    factories.make_item(study, "other", kind="explanation", **bare)
    assert splits.units_of(study) == {"one", "other"}
    splits.lock(study, 3, 0.5, "owner")
    sides = {key: side for key, side in splits.sides_of_items(study).values()}
    assert len({side for key, side in sides.items() if key != "other"}) == 1
    for part in (CHOOSE, TEST):
        rows = frame.Reader(study, part=part).item_rows
        assert {row[1] for row in rows} == {key for key, side in sides.items() if side == part}


# What is done to it


@pytest.mark.django_db
def test_the_log_tells_who_did_what_and_when_and_is_never_shortened(study):
    splits.lock(study, 7, 0.3, "ann", ratings=2, judgments=5)
    splits.unlock(study, "ann", "the prompt is final")
    splits.lock(study, 8, 0.4, "bob")
    study.refresh_from_db()
    split = splits.split_of(study)
    said = [(one.did, one.by, one.reason, one.seed, one.share) for one in split.log]
    assert said == [
        ("locked", "ann", "", 7, 0.3),
        ("unlocked", "ann", "the prompt is final", 7, 0.3),
        ("locked", "bob", "", 8, 0.4),
    ]
    assert split.is_locked and [one.by for one in split.openings] == ["ann"]
    assert (split.seen.ratings, split.seen.judgments) == (2, 5)
    assert split.log[0].at <= split.log[1].at <= split.log[2].at


@pytest.mark.django_db
def test_what_cannot_be_done_is_refused_in_words(study):
    with pytest.raises(splits.Refused, match="no locked test split"):
        splits.unlock(study, "ann", "now")
    splits.lock(study, 7, 0.3, "ann")
    with pytest.raises(splits.Refused, match="locked test split already"):
        splits.lock(study, 8, 0.3, "ann")
    with pytest.raises(splits.Refused, match="Say why"):
        splits.unlock(study, "ann", "  ")
    study.refresh_from_db()
    assert len(splits.split_of(study).log) == 1


@pytest.mark.parametrize(("seed", "share"), [(-1, 0.3), (True, 0.3), (1, 0), (1, 1), (1, "0.3")])
def test_wrong_seeds_and_shares(seed, share):
    with pytest.raises(ValueError, match="allowed is a s"):
        splits.check(seed, share)


@pytest.mark.django_db
def test_nothing_is_asked_of_the_database_without_a_lock(study, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert splits.withheld(study) == {}
        assert splits.split_of(study) is None


# study.yaml


def read(text, tmp_path):
    path = tmp_path / "study.yaml"
    path.write_text(text, encoding="utf-8")
    problems = Problems()
    return read_study(path, "study.yaml", problems), problems


@pytest.mark.django_db
def test_the_file_has_seed_and_share_and_not_the_log(study, tmp_path):
    assert "split" not in study_yaml(study)
    splits.lock(study, 4_000_000_000, 0.1 + 0.2, "ann")
    found, problems = read(study_yaml(study), tmp_path)
    assert not problems and found.split == (4_000_000_000, 0.1 + 0.2)
    assert "ann" not in study_yaml(study) and "locked" not in study_yaml(study)


@pytest.mark.parametrize("text", ["7", "{seed: 7}", "{seed: x, share: .3}", "{seed: 1, share: 2}"])
def test_a_wrong_split_is_refused_with_its_line(text, tmp_path):
    found, problems = read(f"study: films\nsplit: {text}\n", tmp_path)
    (problem,) = [one for one in problems.shown if "split" in str(one)]
    assert "allowed is a" in str(problem) and "2" in str(problem)


class Loading:
    """As much of a load as the check of a study looks at."""

    def __init__(self, study, is_new):
        self.study, self.is_new, self.counts, self.problems = study, is_new, {}, Problems()
        self.more_places = False


@pytest.mark.django_db
def test_a_file_locks_a_new_study_and_changes_no_other(study, tmp_path):
    found, _ = read("study: films\ntitle: Films\nsplit: {seed: 7, share: 0.3}\n", tmp_path)
    check_study(loading := Loading(study, is_new=False), found)
    assert "only an owner changes it" in str(loading.problems.shown[0])
    splits.lock(study, 7, 0.3, "ann")
    kept = study.split
    check_study(loading := Loading(study, is_new=False), found)
    assert not loading.problems and study.split == kept
