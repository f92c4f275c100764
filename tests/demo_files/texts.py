"""Write what the four invented systems say about one recommended film."""

from itertools import chain
from string import Template

from tests.demo_files.written_parts import chance, films, liked, read_part, watched

SYSTEMS = ["personal", "feature", "template", "vague"]
WRONG_SHARE = 0.4  # of the vague texts, those that are mistaken about the recipient


class Writer:
    """Writes the texts of one study, using every building block as evenly as it can."""

    def __init__(self, dates, study):
        self.dates = dates
        self.chance = chance(f"texts {study}")
        self.used = {}
        self.written = set()

    def texts(self, recipient, film, by_hand):
        """Return {system: text} for one pair."""
        return {
            "personal": by_hand["personal"],
            "feature": self.unused(self.feature, recipient, film),
            "template": self.unused(self.template, recipient, film),
            "vague": self.unused(self.vague, recipient, film),
        }

    def unused(self, write, recipient, film):
        """Return a text that no other pair of the study has; each try takes the next frame."""
        while (text := write(recipient, film)) in self.written:
            pass
        self.written.add(text)
        return text

    def feature(self, recipient, film):
        shared = [(genre, like) for like in liked(recipient) for genre in shared_genres(like, film)]
        if not shared:
            genre, like, frames = films()[film]["genres"][0], "", "feature_new_genre"
        else:
            (genre, like), frames = self.chance.choice(shared), "feature"
        return self.fill(read_part("frames")[frames], film, recipient, genre=genre, like=like)

    def template(self, recipient, film):
        anchor = self.chance.choice(liked(recipient))
        return self.fill(read_part("frames")["template"], film, recipient, like=anchor)

    def vague(self, recipient, film):
        blocks = read_part("frames")["vague"]
        wrong = self.chance.random() < WRONG_SHARE
        opening = self.fill(blocks["openings"], film, recipient)
        genre = self.chance.choice(disliked_genres(recipient, film))
        closings = blocks["wrong_closings" if wrong else "closings"]
        return f"{opening} {self.fill(closings, film, recipient, genre=genre)}"

    def fill(self, frames, film, recipient, genre="", like=""):
        """Fill the least used frame; ties fall to the seeded draw."""
        order = self.chance.sample(frames, len(frames))
        frame = min(order, key=lambda unit: self.used.get(unit, 0))
        self.used[frame] = self.used.get(frame, 0) + 1
        facts, name = films()[film], read_part("frames")["genres"]
        anchor = films()[like]["title"] if like else ""
        return Template(frame).substitute(
            title=facts["title"],
            year=facts["year"],
            director=facts["director"],
            trait=facts["trait"],
            genre=name.get(genre, ""),
            category=genre.lower(),
            categories=" and ".join(unit.lower() for unit in facts["genres"][:2]),
            wrong=name.get(genre, ""),
            liked=anchor,
            anchor=anchor,
            stars=watched(recipient).get(like, ""),
            month=f"{self.dates[recipient, like]:%B}" if like else "",
        )


def shared_genres(first, second):
    """Return the genres that two films have in common, in the order of the first."""
    return [genre for genre in films()[first]["genres"] if genre in films()[second]["genres"]]


def disliked_genres(recipient, film):
    """Return genres in which the recipient liked nothing, and which are not the film's own."""
    excluded = set(chain(*(films()[like]["genres"] for like in liked(recipient))))
    excluded |= set(films()[film]["genres"])
    return [genre for genre in read_part("frames")["genres"] if genre not in excluded]


def is_mistaken(text):
    """Return whether a vague text claims a taste that the recipient does not have."""
    before = [
        frame.partition("$wrong")[0] for frame in read_part("frames")["vague"]["wrong_closings"]
    ]
    return any(start in text for start in before)
