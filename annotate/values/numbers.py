"""Tell the numbers that people mean from all that Python takes for one."""


def is_number(value):
    """Return whether a value is a number: to Python true and false are numbers too."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_whole(value):
    return isinstance(value, int) and not isinstance(value, bool)


def plain(value):
    """Return 4 for 4.0, as people write it; every other number, and None, as it is."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def parse_number(text):
    """Parse a number of ASCII digits: Python also reads 1_0 and other scripts' digits."""
    if "_" in text or not text.strip().isascii():
        raise ValueError(f"found {text!r}; allowed is a number")
    return float(text)
