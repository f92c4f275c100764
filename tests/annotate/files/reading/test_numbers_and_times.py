"""A number is one of ASCII digits in every column, and a time is one that can be meant."""

from datetime import UTC, datetime
from decimal import Decimal

import pytest

from annotate.files.reading import columns
from annotate.recruitment.participants_file import RATE, problems_of
from annotate.studies.forms_steps import _plain
from judges.bringing.translate import _reversed
from judges.files.judgments import dollars
from judges.files.load import TABLES
from judges.statements.review_files import REVIEWS

NO_NUMBERS = ["1_0", "_1", "４", "٤", "1٫5", "१", "0x1", "1 0", "½", "4,5", "--1"]
NUMBERS = (columns.number, columns.share, columns.seconds, columns.position, columns.version)
ALL = (*TABLES.values(), REVIEWS)
OF_NUMBERS = [
    pytest.param(column, id=f"{table.name}-{column.name}")
    for table in ALL
    for column in table.columns
    if column.parse in (*NUMBERS, dollars)
]


def test_the_columns_of_numbers_are_found():
    named = {column.values[0].name for column in OF_NUMBERS}
    assert named >= {"rating", "share_listened", "position", "seconds", "version"}
    assert named >= {"cost_usd", "weighted_value", "premise", "hypothesis", "entailment"}


@pytest.mark.parametrize("text", NO_NUMBERS)
@pytest.mark.parametrize("column", OF_NUMBERS)
def test_what_nobody_means_for_a_number_is_refused(column, text):
    with pytest.raises(ValueError, match=r"^found .*; allowed is a (whole |finite )?number"):
        column.parse(text)


@pytest.mark.parametrize(
    "parse, text, value",
    [
        (columns.position, "4.0", 4),
        (columns.position, " 0 ", 0),
        (columns.position, "32767.000", 32767),
        (columns.version, "1.0", 1),
        (columns.number, "+1.5e-3", 0.0015),
        (columns.number, " -.5\xa0", -0.5),
        (dollars, "0.25", Decimal("0.25")),
    ],
)
def test_a_number_may_be_written_as_programs_write_it(parse, text, value):
    assert parse(text) == value


@pytest.mark.parametrize("text", ["4.5", "-1", "32768", "1e2", "4.", ".0", "9" * 5000])
@pytest.mark.parametrize("parse", [columns.position, columns.version])
def test_a_place_is_a_whole_number(parse, text):
    with pytest.raises(ValueError, match="allowed is a whole number from [01] to 32767"):
        parse(text)


@pytest.mark.parametrize("text", ["9_5", "９５", "٩٥"])
def test_a_rate_of_the_participants_file_is_one_of_ascii_digits(text):
    file = f"Participant id,Approval rate\nA1,{text}\n".encode()
    _, problems = problems_of("p.csv", file, {})
    assert str(problems.shown[0]).startswith(
        f"p.csv, line 2, column Approval rate: found '{text}'; allowed is 0–100"
    )
    assert RATE == "rate"


@pytest.mark.parametrize("text", ["1_0", "４", "1.10", "07", "A", ""])
def test_an_expected_answer_of_the_practice_form_stays_a_text(text):
    assert _plain(text) == text


def test_an_expected_number_of_the_practice_form_is_a_number():
    assert [_plain(text) for text in ("4", "-1", "0.5")] == [4, -1, 0.5]


def test_a_brought_answer_that_is_no_number_is_not_reversed():
    assert _reversed("1_0", 1, 20) == "1_0"
    assert _reversed("4", 1, 5) == "2"


NO_TIMES = [
    "45443.5847",  # 31 May 2024 as Excel counts days
    "45443.58",
    "45443",
    "202405311402",
    "20240531140212",
    "202405311123456",
    "20240531.12",
    "1717164120000",  # milliseconds
    "1717164120.5",
    "631151999",  # 31 Dec 1989 23:59:59
    "4102444800",  # 1 Jan 2100
    "0",
    "-1717164120",
    "1_717_164_120",
    "１７１７１６４１２０",
    "２０２４-０５-３１",
    "31.05.2024",
    "1.7e9",
    "noon",
    "2024-05-31+02:00",  # a date and its zone, as XML has them: no hour
    "2024-05-31-05:00",
    "2024-05-31+14:02",
    "2024-05-31Z",
    "2024-05-31 14.02",  # two minutes past two, or a part of a second
    "2024-05-31x14:02",
    "2024-05-31T14:02:00+02:00:30",
    "2024-05-31T14:02:00 UTC",
    "2024-05-31T14:02:00 CEST",
    "2024-05-31T14:02:00+02:00[Europe/Berlin]",
    "2024-05-31 02:02 PM",
    "2024-05-31T24:00:00",
    "2024-05-31  14:02",
    "05/31/2024",
    "31052024",
    "2024-02-30",
    "14:02:00",
    "0001-01-01T00:00:00Z",  # what programs write for no time
    "1899-12-30",
    "9999-12-31T23:59:59Z",
    "9999-12-31T23:59:59-05:00",
]


@pytest.mark.parametrize("text", NO_TIMES)
def test_a_number_that_is_no_plausible_time_is_refused(text):
    with pytest.raises(ValueError) as refused:
        columns.time(text)
    assert str(refused.value) == (
        f"found {text!r}; allowed is a time of 1900 to 2100 such as 2024-05-31T14:02:00Z, or whole "
        "seconds since 1970 that lie in 1990 to 2100"
    )


@pytest.mark.parametrize("text", ["2405311402", "2001010000", "2405311402.0", "2024053114"])
def test_ten_digits_that_are_a_date_rather_than_seconds_of_2033_are_refused(text):
    with pytest.raises(ValueError) as refused:
        columns.time(text)
    assert str(refused.value) == (
        f"found {text!r}; allowed is a time such as 2024-05-31T14:02:00Z, as these digits may be a "
        "date without its marks"
    )


@pytest.mark.parametrize(
    "text, year, hour",
    [
        ("631152000", 1990, 0),
        ("964982703", 2000, 18),
        ("1717164120", 2024, 14),
        ("1717164120.0", 2024, 14),
        ("4102444799", 2099, 23),
        ("2405321402", 2046, 8),  # 32 May is no date
        ("1805311402", 2027, 19),  # nor is what may be seconds of these years
        ("20240531", 2024, 0),
        ("2024-05-31", 2024, 0),
        ("2024-05-31T14:02:00Z", 2024, 14),
        ("2024-05-31 16:02:00.250+02:00", 2024, 14),
        ("1969-07-20", 1969, 0),  # written out, it is meant
        ("2024-05-31T14", 2024, 14),
        ("2024-05-31 14:02", 2024, 14),
        ("2024-05-31t14:02:00 Z", 2024, 14),
        (" 2024-05-31T14:02:00,250-0500\n", 2024, 19),
        ("2024-05-31T14:02:00.123456789+02", 2024, 12),
        ("20240531T140200Z", 2024, 14),
        ("2024-W22-5", 2024, 0),
        ("2023-12-31T23:30:00-01:00", 2024, 0),
    ],
)
def test_a_time_is_iso_8601_or_whole_seconds(text, year, hour):
    value = columns.time(text)
    assert (value.year, value.hour, value.tzinfo) == (year, hour, UTC)
    assert isinstance(value, datetime)
