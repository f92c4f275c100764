"""Read YAML as plain data with lines: texts, finite numbers, booleans, null, lists and mappings."""

import math
import re

import yaml

from annotate.files.reading.encoding import UTF8
from annotate.values.wrong import quoted

WHOLE = 10**15
LONG_NUMBER = (
    "found a number beyond ±10^15; allowed is less: put a text of such digits in quotation marks"
)
MOST_VALUES = 50_000
# What YAML says of a text that quotation marks would save, or of lines that are indented unlike.
NEEDS_MARKS = re.compile(
    r"(values|keys|entries) are not allowed here|expected (',' or|<block end>|alphabetic|a comment"
    r"|the node content)|character '[^\\]+' that cannot start"
)
PUT_MARKS = "put quotation marks around the text if it holds a mark such as : ? @ % or {"
TOO_MANY = f"found more than {MOST_VALUES:,} keys and values; allowed are {MOST_VALUES:,}"


class Lined:
    """What remembers its line in the file, and those of its keys or of its entries' numbers."""

    def __init__(self, line=1):
        super().__init__()
        self.line = line
        self.lines: dict = {}

    def line_of(self, part):
        return self.lines.get(part, self.line)


class Mapping(Lined, dict):
    """A mapping of the file."""


class Sequence(Lined, list):
    """A list of the file."""


class Written:
    """A number whose text is the one of the file: 1.10 and +1, which may be a label or an id."""

    written = ""

    def __str__(self):
        return self.written


class WrittenInt(Written, int):
    pass


class WrittenFloat(Written, float):
    pass


class Loader(yaml.SafeLoader):
    """Load plain data only: no tags, no aliases (they can grow without bound), no key twice."""

    values = 0

    def compose_node(self, parent, index):
        event = self.peek_event()
        self.values += 1
        if self.values > MOST_VALUES:
            refused = TOO_MANY
        elif isinstance(event, yaml.AliasEvent):
            refused = "found an alias (*name); write the value out"
        elif event.tag is not None:
            tag = event.tag.replace("tag:yaml.org,2002:", "!!")
            refused = f"found the tag {quoted(tag)}; write the value without it"
        else:
            return super().compose_node(parent, index)
        raise yaml.MarkedYAMLError(problem=refused, problem_mark=event.start_mark)

    def construct_object(self, node, deep=False):
        try:
            return super().construct_object(node, deep)
        except (ValueError, OverflowError):
            # A number of more digits than Python reads.
            raise yaml.MarkedYAMLError(
                problem=f"found {quoted(node.value)}, which is no number that can be read; "
                "write a text in quotation marks",
                problem_mark=node.start_mark,
            ) from None

    def construct_whole_mapping(self, node):
        mapping = Mapping(node.start_mark.line + 1)
        for key_node, value_node in node.value:
            is_text = isinstance(key_node, yaml.ScalarNode)
            key = key_node.value if is_text else str(self.construct_object(key_node, deep=True))
            if key in mapping:
                raise yaml.MarkedYAMLError(
                    problem=f"found {quoted(key)} twice; allowed is once",
                    problem_mark=key_node.start_mark,
                )
            mapping[key] = self.construct_object(value_node, deep=True)
            mapping.lines[key] = key_node.start_mark.line + 1
        return mapping

    def construct_whole_sequence(self, node):
        entries = Sequence(node.start_mark.line + 1)
        for number, value_node in enumerate(node.value):
            entries.append(self.construct_object(value_node, deep=True))
            entries.lines[number] = value_node.start_mark.line + 1
        return entries

    def construct_int(self, node):
        return _as_written(self.construct_yaml_int(node), WrittenInt, node.value)

    def construct_float(self, node):
        return _as_written(self.construct_yaml_float(node), WrittenFloat, node.value)


def _as_written(number, kind, text):
    """Return the number; as one that has its text, where this is not how Python writes it."""
    if str(number) == text:
        return number
    number = kind(number)
    number.written = text
    return number


# Each kind, what is of it, and how that begins. All else is text: of what YAML 1.1 calls numbers
# and dates 0123 is a code, 12:30 a title and 1_000 a label; and Yes, No, On and Off are words.
PLAIN = {
    "null": ("~|null|Null|NULL|", ["~", "n", "N", ""], Loader.construct_yaml_null),
    "bool": ("true|false", "tf", Loader.construct_yaml_bool),
    "int": ("[-+]?(0|[1-9][0-9]*)", "-+0123456789", Loader.construct_int),
    "float": (
        r"[-+]?(0|[1-9][0-9]*)\.[0-9]*([eE][-+][0-9]+)?|\.[0-9]+([eE][-+][0-9]+)?"
        r"|[-+]?\.(inf|Inf|INF)|\.(nan|NaN|NAN)",
        "-+.0123456789",
        Loader.construct_float,
    ),
    "map": ("", [], Loader.construct_whole_mapping),
    "seq": ("", [], Loader.construct_whole_sequence),
}
Loader.yaml_implicit_resolvers = {}
for _kind, (_pattern, _first, _construct) in PLAIN.items():
    _tag = f"tag:yaml.org,2002:{_kind}"
    Loader.add_constructor(_tag, _construct)
    if _first:
        Loader.add_implicit_resolver(_tag, re.compile(f"({_pattern})\\Z"), _first)


def read_yaml(path, name, problems):
    """Read the file's Mapping of values that a database takes; None after noting a problem."""
    try:
        mapping = yaml.load(path.read_text(encoding=UTF8), Loader)  # noqa: S506 (a SafeLoader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark
        problems.add(name, f"no YAML: {_in_words(error)}", mark.line + 1 if mark else None)
        return None
    except (yaml.YAMLError, RecursionError) as error:
        problems.add(name, f"no YAML: {str(error).splitlines()[0]}")
        return None
    except (ValueError, OverflowError):
        # The scanner asks chr() without looking.
        problems.add(name, r"no YAML: found an escape such as \UFFFFFFFF that is no character")
        return None
    if not isinstance(mapping, Mapping):
        problems.add(name, "found no settings; expected are lines such as `study: films`")
        return None
    before = problems.total
    for line, key, message in _unfit(mapping, mapping.line, ""):
        problems.add(name, message, line, key)
    return mapping if problems.total == before else None


def _in_words(error):
    """Describe a YAML error, and whether quotation marks may mend it."""
    is_unclosed = "<stream end>" in str(error.problem)
    is_own = not isinstance(error, yaml.scanner.ScannerError | yaml.parser.ParserError)
    if is_own or is_unclosed or not NEEDS_MARKS.search(error.problem):
        return error.problem
    return f"{error.problem}; {PUT_MARKS}"


def has_too_many(data):
    """Return whether plain data has more keys and values than read_yaml takes."""
    left, waiting = MOST_VALUES, [data]
    while waiting and left >= 0:
        value = waiting.pop()
        left -= 1
        if isinstance(value, dict):
            left -= len(value)
            waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return left < 0


def _unfit(value, line, key):
    """Yield (line, key, message) of every value that is not plain data."""
    if isinstance(value, Mapping):
        for inner, entry in value.items():
            entry_line = value.line_of(inner)
            if fault := _fault(inner):
                yield entry_line, quoted(inner), fault
            else:
                yield from _unfit(entry, entry_line, inner)
    elif isinstance(value, list):
        for number, entry in enumerate(value):
            yield from _unfit(entry, value.line_of(number), key)
    elif fault := _fault(value):
        yield line, key, fault


def _fault(value):
    """Describe why a single value is refused; empty if it is not."""
    if isinstance(value, str):
        plain = "\0" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
        return "" if plain else f"found {quoted(value)}; allowed is text without NUL or half pairs"
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, int):
        # Not shown: it may have more digits than Python writes.
        return "" if abs(value) <= WHOLE else LONG_NUMBER
    if isinstance(value, float):
        return "" if math.isfinite(value) else f"found {value!s}; allowed is a finite number"
    return f"found a {type(value).__name__}; allowed are texts, numbers, true, false and null"
