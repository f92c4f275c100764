"""Choose the keys that select the options of a question: a key means what stands on its option."""

from annotate.values.scales.choice import TIE

HIGHEST = 9  # digit on a keyboard
LETTERS = {"Yes": ["y"], "No": ["n"]}


def choose_keys(scale, options, is_about_lists=False):
    """Return the keys of each option, the printed one first; an option may have none.

    options: (value, words) as they stand on the page. is_about_lists: two of them are the lists
    of a pair, called by the place where they stand.
    """
    if is_about_lists:
        return _keys_of_lists([scale.labels[value - 1] for value, _ in options])
    words = [str(label) for _, label in options]
    keys = _keys_of_points([value for value, _ in options], words)
    if scale.is_binary:
        return [LETTERS.get(word, []) + own for word, own in zip(words, keys, strict=True)]
    return keys


def keys_of_ranks(count):
    """Return the keys 1, 2, 3 … of options that are chosen by their rank."""
    return [_digit(rank) for rank in range(1, count + 1)]


def _digit(number):
    return [str(number)] if 0 <= number <= HIGHEST else []


def _keys_of_lists(labels):
    """Return 1 and 2 for the lists as they stand, 0 for a tie, further digits for the rest."""
    lists, others = iter(keys_of_ranks(2)), iter(keys_of_ranks(len(labels))[2:])
    keys = []
    for label in labels:
        is_tie = label.strip().lower() == TIE
        keys.append(["0", "="] if is_tie else next(lists if label in ("A", "B") else others))
    return keys


def _keys_of_points(values, words):
    """Return the digit on an option as its key; an option in words gets its value or its rank.

    Other numbers have no key: on −2 to 2 a key 1 that chose −2 would be a trap.
    """
    is_by_value = values[0] >= 0 and values[-1] <= HIGHEST
    keys = [_digit(value) for value in values] if is_by_value else keys_of_ranks(len(values))
    return [
        _digit(int(word)) if _is_number(word) else [key for key in own if key not in words]
        for word, own in zip(words, keys, strict=True)
    ]


def _is_number(word):
    """Return whether a word is a whole number as it is written: 01 is not, next to an option 1."""
    return word.isascii() and word.removeprefix("-").isdigit() and str(int(word)) == word
