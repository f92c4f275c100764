"""Where two texts differ, word by word."""

import re
from difflib import SequenceMatcher

WORDS = re.compile(r"\S+|\s+")


def marked(before, after):
    """([(part, whether it is not in the other)] of the text before, the same of the one after)."""
    old, new = WORDS.findall(before), WORDS.findall(after)
    first, second = [], []
    for kind, start, stop, begin, end in SequenceMatcher(None, old, new).get_opcodes():
        differs = kind != "equal"
        first += [("".join(old[start:stop]), differs)] if stop > start else []
        second += [("".join(new[begin:end]), differs)] if end > begin else []
    return first, second
