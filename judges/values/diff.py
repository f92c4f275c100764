"""Mark the words in which two texts differ."""

import re
from difflib import SequenceMatcher

WORDS = re.compile(r"\S+|\s+")


def marked(before, after):
    """Split two texts into parts, and mark the parts that the other text lacks.

    Returns ([(part, is it lacking in the other)] of the text before, the same of the one after).
    """
    old, new = WORDS.findall(before), WORDS.findall(after)
    first, second = [], []
    for kind, start, stop, begin, end in SequenceMatcher(None, old, new).get_opcodes():
        differs = kind != "equal"
        first += [("".join(old[start:stop]), differs)] if stop > start else []
        second += [("".join(new[begin:end]), differs)] if end > begin else []
    return first, second
