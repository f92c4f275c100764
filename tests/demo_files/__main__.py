"""Write the csv files of the demo studies from the hand-written parts, always the same bytes.

Run `python -m tests.demo_files` after a change in `written/`.
"""

import csv
import sys
from datetime import UTC, datetime, timedelta
from io import StringIO
from pathlib import Path

from analysis import demo
from tests.demo_files import helpdesk, podcasts
from tests.demo_files.simulate import judgments, ratings
from tests.demo_files.texts import SYSTEMS, Writer
from tests.demo_files.written_parts import chance, films, pairs, read_part, watched

HERE = Path(demo.__file__).parent
RATED = ("films", ["texts_01_to_05", "texts_06_to_10"])
OPEN = ("films-open", ["texts_open"])


def write_all(folder):
    """Write every csv file of the four studies below `folder`; return the paths."""
    dates = watching_dates()
    rated, still_open = items(*RATED, dates), items(*OPEN, dates)
    tables = {
        "films/contents.csv": contents(films()),
        "films/interactions.csv": interactions(read_part("cast"), dates),
        "films/items.csv": rated,
        "films/ratings.csv": ratings(rated),
        "films/judgments.csv": judgments(rated),
        "films-open/contents.csv": contents(films_seen_in(still_open)),
        "films-open/interactions.csv": interactions(recipients_of(still_open), dates),
        "films-open/items.csv": still_open,
        **{f"helpdesk/{name}.csv": rows for name, rows in helpdesk.tables().items()},
        **{f"podcasts/{name}.csv": rows for name, rows in podcasts.tables().items()},
    }
    return [write(Path(folder) / name, rows) for name, rows in tables.items()]


def write(path, rows):
    """Write one csv file: UTF-8 without a mark, commas, header first, line feeds everywhere."""
    buffer = StringIO()
    writer = csv.DictWriter(buffer, fieldnames=list(rows[0]), lineterminator="\n")
    writer.writeheader()
    writer.writerows(rows)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(buffer.getvalue().encode("utf-8"))
    return path


def items(study, files, dates):
    """Return rows of items.csv; the letter in an item's id is shuffled, so it names no system."""
    writer, rows = Writer(dates, study), []
    for recipient, film, by_hand in pairs(*files):
        texts = writer.texts(recipient, film, by_hand)
        order = chance(f"letters {recipient} {film}").sample(SYSTEMS, len(SYSTEMS))
        for letter, system in zip("abcd", order, strict=True):
            rows.append(
                {
                    "item": f"{recipient.replace('recipient-', 'r')}-{film}-{letter}",
                    "kind": "explanation",
                    "recipient": recipient,
                    "content": film,
                    "system": system,
                    "text": texts[system],
                    "reference": by_hand["reference"],
                }
            )
    return rows


def contents(chosen):
    """Return rows of contents.csv."""
    return [
        {
            "content": film,
            "title": films()[film]["title"],
            "description": films()[film]["description"],
            "genres": "|".join(films()[film]["genres"]),
            "year": films()[film]["year"],
            "director": films()[film]["director"],
        }
        for film in chosen
    ]


def interactions(recipients, dates):
    """Return rows of interactions.csv."""
    return [
        {
            "recipient": recipient,
            "content": film,
            "rating": rating,
            "at": f"{dates[recipient, film]:%Y-%m-%dT%H:%M:%SZ}",
        }
        for recipient in recipients
        for film, rating in watched(recipient).items()
    ]


def watching_dates():
    """Return {(recipient, film): an evening}; one film follows another by one to six weeks."""
    dates = {}
    for recipient in read_part("cast"):
        draw = chance(f"evenings {recipient}")
        evening = datetime(2024, 1, 5, 19, tzinfo=UTC)
        for film in watched(recipient):
            evening += timedelta(days=7 + int(35 * draw.random()))
            dates[recipient, film] = evening + timedelta(minutes=int(180 * draw.random()))
    return dates


def recipients_of(rows):
    """Return the recipients of these items, each once, in order."""
    return list(dict.fromkeys(row["recipient"] for row in rows))


def films_seen_in(rows):
    """Return the films that these items recommend or their recipients watched, in list order."""
    seen = {row["content"] for row in rows}
    seen.update(film for recipient in recipients_of(rows) for film in watched(recipient))
    return [film for film in films() if film in seen]


if __name__ == "__main__":
    for written in write_all(HERE):
        sys.stdout.write(f"{written.relative_to(HERE)}\n")
