"""Define metamorphic relations: changes of a prompt that should not change what is answered.

Each is a row of RELATIONS made of pure functions; a new one is added here and nowhere else. All
that is drawn comes from the generator of `drawing`, so the same seed gives the same prompt. No text
hook touches a digit. Source of MR1 to MR4: Khirbat et al., Metamorphic Evaluation of ChatGPT as a
Recommender System, table 1.
"""

import json
import random
import re
from collections.abc import Callable
from dataclasses import dataclass, field

MOST_FACTOR = 100
MOST_POINTS = 1000  # of a scale that was multiplied: each stands in the schema of a reply
LOWEST = 1  # a shifted scale must not reach below it: signs and zero say more than a shift
NOT_WHOLE = "found λ = {!r:.30}; allowed is a whole number."
TOO_FAR = f"λ is too large; allowed is at most {MOST_FACTOR}."
WORDS = ("apple", "grape", "banana", "pear")
ADDED = re.compile(rf" (?:{'|'.join(WORDS)})(?= )")
GAP = re.compile(r"(?<=\S) (?=\S)")
WORD = re.compile(r"[^\W\d_]{4,}")
POLITE = (
    "Hello! Would you be so kind as to help with the following task?",
    ("Thank you very much for your time and your help."),
)
AUTHORITY = "A renowned professor who leads this field has prepared and checked this task."
FILLER = (
    "This is what was meant to be said here.",
    "What is written above is all that there is to say about it.",
    "To put it in other words would be to say the same once more.",
    "So much for that, and it stands as it stands.",
    "That is how it is, and that is how it was put.",
    "Nothing else is added by this sentence.",
)
IRRELEVANT = "Instructions for Assembling a Wardrobe"


def _same_number(value, low, high, options):
    return value, low, high


def _same_value(value, options):
    return value


def _same(part, options, rng):
    return part


def _fine(low, high, options):
    return ""


@dataclass(frozen=True, eq=False)
class Relation:
    """A relation of prompts; its hooks change nothing by default.

    acts_on says which hook does something: "numbers", "text" (the whole prompt), "subject" (the
    text that is rated), or `entries` of "history", "aspects", "members" (of a list) or "lists";
    "words" takes those of another prompt (recommend/wordings.py), named by the option prompt.
    """

    key: str
    label: str
    says: str
    acts_on: str = ""
    options: dict = field(default_factory=dict)
    # (value, low, high, options) -> (value, low, high): a rating, and the ends that a legend names
    numbers: Callable = _same_number
    # (value, options) -> value: undoes `numbers`
    mapped_back: Callable = _same_value
    # (text, options, rng) -> text
    text: Callable = _same
    subject: Callable = _same
    # (entries, options, rng) -> a list of them
    entries: Callable = _same
    # (text) -> what of it the relation keeps: the same before and after
    undone: Callable = str
    # (low, high, options) -> "" or why the relation cannot be used so
    check: Callable = _fine

    def given(self, options, low=1, high=5):
        """Fill in default options; ValueError says in words what is wrong."""
        if unknown := sorted(set(options) - set(self.options)):
            allowed = ", ".join(self.options) or "none"
            raise ValueError(f"{self.label} has no option {unknown[0]!r}; it has {allowed}.")
        filled = self.options | options
        if why := self.check(low, high, filled):
            raise ValueError(f"{self.label}: {why}")
        return filled

    def scale_ends(self, low, high, options):
        """Return the ends of the scale itself, which its points are mapped to."""
        return self.numbers(low, low, high, options)[0], self.numbers(high, low, high, options)[0]


def drawing(seed, relation, key, iteration=0):
    """Make the random generator of one prompt; key is that of the recipient or the item."""
    return random.Random(json.dumps([seed, relation, str(key), iteration]))


def _whole(value):
    return type(value) is int or (isinstance(value, float) and value.is_integer())


def _factor(low, high, options):
    value = options["factor"]
    if not _whole(value):
        return NOT_WHOLE.format(value)
    if abs(value) > MOST_FACTOR:
        return TOO_FAR
    if value < 2:
        return f"found λ = {value:g}; allowed is 2 or more: 1 changes nothing."
    if (high - low) * value > MOST_POINTS:
        return f"λ = {value:g} makes a scale of more than {MOST_POINTS:,} points."
    return ""


def _shift(low, high, options):
    value = options["by"]
    if not _whole(value):
        return NOT_WHOLE.format(value)
    if value == 0:
        return "found λ = 0, which changes nothing."
    if abs(value) > MOST_FACTOR:
        return TOO_FAR
    if low + value < LOWEST:
        return (
            f"λ = {value:g} lets the scale begin at {low + value:g}; allowed is {LOWEST} or more."
        )
    return ""


def _rate(low, high, options):
    value = options["rate"]
    number = isinstance(value, int | float) and not isinstance(value, bool)
    if not number or not 0 < value <= 1:
        return f"found the rate {value!r:.30}; allowed is a number above 0, at most 1."
    return ""


def _sentences(low, high, options):
    value = options["sentences"]
    if not _whole(value) or not 1 <= value <= len(FILLER):
        return f"found {value!r:.30} sentences; allowed are 1 to {len(FILLER)}."
    return ""


def _title(low, high, options):
    value = options["title"]
    if not isinstance(value, str) or not value.strip() or len(value) > 200:
        return "the title must be a text of 1 to 200 characters."
    return ""


def _prompt(low, high, options):
    value = options["prompt"]
    if not isinstance(value, str) or not value.strip() or len(value) > 100:
        return "name another prompt of the study, such as own/again.v1, in up to 100 characters."
    return ""


def _spaced(text, options, rng):
    """Put a space in each gap between two letters, with the chance `rate`."""
    letters = [text[:1]]
    for before, after in zip(text, text[1:], strict=False):
        if before.isalpha() and after.isalpha() and rng.random() < options["rate"]:
            letters.append(" ")
        letters.append(after)
    return "".join(letters)


def _with_words(text, options, rng):
    """Put a word in each gap between two words, with the chance `rate`; never inside "10 000"."""

    def filled(gap):
        digits = text[gap.start() - 1].isdigit() and text[gap.end()].isdigit()
        if rng.random() >= options["rate"] or digits:
            return " "
        return f" {rng.choice(WORDS)} "

    return GAP.sub(filled, text)


def _without_words(text):
    return ADDED.sub("", text)


def _mistyped(text, options, rng):
    """Swap two letters inside a word, with the chance `rate` a word of four or more."""

    def turned(match):
        word = match.group()
        place = rng.randrange(1, len(word) - 2)
        if rng.random() >= options["rate"]:
            return word
        return word[:place] + word[place + 1] + word[place] + word[place + 2 :]

    return WORD.sub(turned, text)


def _letters_sorted(text):
    return WORD.sub(lambda match: "".join(sorted(match.group())), text)


def _shuffled(entries, options, rng):
    """Put entries in another order, wherever another exists."""
    shuffled = list(entries)
    rng.shuffle(shuffled)
    return shuffled if shuffled != list(entries) else shuffled[1:] + shuffled[:1]


def _reversed(entries, options, rng):
    return list(entries)[::-1]


def _with_irrelevant(entries, options, rng):
    """Insert an entry that says nothing: with the title of the options, else like a drawn entry.

    An entry is a text, a row that begins with the title, or a dict with a title.
    """
    extended = list(entries)
    if not extended:
        return extended
    like, title = rng.choice(extended), options["title"]
    if isinstance(like, dict):
        new = like | {"title": title}
    else:
        new = title if isinstance(like, str) else type(like)([title, *like[1:]])
    extended.insert(rng.randrange(len(extended) + 1), new)
    return extended


def _polite(text, options, rng):
    return f"{POLITE[0]}\n\n{text}\n\n{POLITE[1]}"


def _with_authority(text, options, rng):
    return f"{AUTHORITY}\n\n{text}"


def _longer(text, options, rng):
    return " ".join([text.rstrip(), *rng.sample(FILLER, int(options["sentences"]))])


def _prefixed(*added):
    """Return a function that removes what is put around a text."""

    def undone(text):
        for words in added:
            text = text.removeprefix(f"{words}\n\n").removesuffix(f"\n\n{words}")
        return text

    return undone


_ALL = (
    Relation("no_change", "No change", "The same prompt is asked again."),
    Relation(
        "multiply",
        "Ratings multiplied",
        "Ratings and the scale are multiplied by λ: 2 of 5 becomes 4 of 10.",
        "numbers",
        {"factor": 2},
        # The legend still begins at the lowest end, as in the paper's table 1.
        numbers=lambda value, low, high, o: (value * o["factor"], low, high * o["factor"]),
        mapped_back=lambda value, o: value / o["factor"],
        check=_factor,
    ),
    Relation(
        "shift",
        "Ratings shifted",
        "Ratings and both ends of the scale are shifted by λ: 2 of 1–5 becomes 3 of 2–6.",
        "numbers",
        {"by": 1},
        numbers=lambda value, low, high, o: (value + o["by"], low + o["by"], high + o["by"]),
        mapped_back=lambda value, o: value - o["by"],
        check=_shift,
    ),
    Relation(
        "spaces",
        "Spaces in words",
        "Spaces stand between letters of words, each with the chance of the rate.",
        "text",
        {"rate": 0.15},
        text=_spaced,
        undone=lambda text: text.replace(" ", ""),
        check=_rate,
    ),
    Relation(
        "random_words",
        "Random words",
        "Words that mean nothing here (apple, grape, banana, pear) stand between the words.",
        "text",
        {"rate": 0.15},
        text=_with_words,
        undone=_without_words,
        check=_rate,
    ),
    Relation(
        "typos",
        "Typing errors",
        "Two letters inside a word have changed places, in some words.",
        "text",
        {"rate": 0.1},
        text=_mistyped,
        undone=_letters_sorted,
        check=_rate,
    ),
    Relation(
        "politeness",
        "Politeness",
        "The prompt begins with a polite request and ends with thanks.",
        "text",
        text=_polite,
        undone=_prefixed(*POLITE),
    ),
    Relation(
        "authority",
        "Reference to authority",
        "The prompt begins by saying that a renowned professor prepared and checked the task.",
        "text",
        text=_with_authority,
        undone=_prefixed(AUTHORITY),
    ),
    Relation(
        "longer",
        "Longer, nothing new",
        "Sentences that say nothing follow the text that is rated.",
        "subject",
        {"sentences": 3},
        subject=_longer,
        check=_sentences,
    ),
    Relation(
        "history_order",
        "Order of the history",
        "What the recipient chose before is shown in another order.",
        "history",
        entries=_shuffled,
    ),
    Relation(
        "irrelevant_entry",
        "Irrelevant entry",
        "The history has one entry more, which says nothing about the recipient.",
        "history",
        {"title": IRRELEVANT},
        entries=_with_irrelevant,
        check=_title,
    ),
    Relation(
        "wording",
        "Other wording",
        "The words around titles and ratings are those of another prompt of the study.",
        "words",
        {"prompt": ""},  # has to be named
        check=_prompt,
    ),
    Relation(
        "aspect_order",
        "Order of the aspects",
        "The aspects stand in another order.",
        "aspects",
        entries=_shuffled,
    ),
    Relation(
        "list_members_order",
        "Order within the lists",
        "The members of each list stand in another order.",
        "members",
        entries=_shuffled,
    ),
    Relation(
        "swapped_lists",
        "Lists swapped",
        "The list that stood first stands second.",
        "lists",
        entries=_reversed,
    ),
)
RELATIONS = {relation.key: relation for relation in _ALL}
NO_CHANGE = "no_change"


def named(key):
    """Return the Relation of a key; ValueError lists the keys there are."""
    if key not in RELATIONS:
        raise ValueError(f"found relation {key!r}; there are {', '.join(RELATIONS)}")
    return RELATIONS[key]
