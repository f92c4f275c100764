"""Make up films and ratings for the demo's study of counterfactual explanations.

The ratings of MovieLens may not be passed on without permission; these are drawn, with people who
like some genres and films that are more popular than others. Run
`python -m tests.demo_files.made_up_ratings FOLDER` to write movies.csv and ratings.csv; the study's
files in `analysis/demo/surveys` were made of them by

    python manage.py make_counterfactual_study FOLDER --surveys 2 --seed 7 --raters 12 \
        --study surveys-demo --title "Films, counterfactual explanations" --files OUT
"""

import csv
import sys
from itertools import product
from pathlib import Path

from tests.demo_files.written_parts import chance

# fmt: off
FIRST = ("Amber", "Borrowed", "Crooked", "Distant", "Eleventh", "Faithful", "Gilded", "Hollow",
         "Idle", "Jagged", "Kindly", "Lonesome", "Midnight", "Northern", "Patient", "Quiet")
SECOND = ("Almanac", "Bridge", "Carousel", "Dynamo", "Errand", "Ferry", "Greenhouse", "Harbour",
          "Inventor", "Jury", "Kiosk", "Lantern", "Meridian", "Orchard", "Parade")
GENRES = ("Adventure", "Animation", "Comedy", "Crime", "Drama", "Fantasy", "Horror", "Mystery",
          "Romance", "Thriller")
# fmt: on
PEOPLE, LIKED = 90, 3


def movies():
    """Return rows of movies.csv: ids, made-up titles, one to three genres."""
    dice = chance("made-up films")
    pairs = list(product(FIRST, SECOND))
    dice.shuffle(pairs)
    for number, (first, second) in enumerate(pairs, start=1):
        genres = sorted(dice.sample(GENRES, dice.choice((1, 2, 2, 3))))
        year = dice.randrange(1961, 2024)
        yield {
            "movieId": number,
            "title": f"The {first} {second} ({year})",
            "genres": "|".join(genres),
        }


def ratings():
    """Return rows of ratings.csv: what people rate follows their genres and films' popularity."""
    films = list(movies())
    for person in range(1, PEOPLE + 1):
        dice = chance(f"made-up person {person}")
        likes = set(dice.sample(GENRES, LIKED))
        fits = [len(likes & set(film["genres"].split("|"))) for film in films]
        weights = [4**fit / (place + 8) for place, fit in enumerate(fits)]
        seen = sorted(set(dice.choices(range(len(films)), weights, k=dice.randrange(25, 60))))
        for place in seen:
            rating = min(5, max(1, 2 + fits[place] + dice.choice((-1, 0, 0, 1))))
            yield {"userId": person, "movieId": films[place]["movieId"], "rating": rating}


def write_all(folder):
    """Write both files."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in (("movies", list(movies())), ("ratings", list(ratings()))):
        with (folder / f"{name}.csv").open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, fieldnames=list(rows[0]), lineterminator="\n")
            writer.writeheader()
            writer.writerows(rows)


if __name__ == "__main__":
    write_all(Path(sys.argv[1]))
