"""The keys of study.yaml about the inside of sessions; design/checks.py says what they mean."""

from annotate.design import checks, grouping
from annotate.files.reading.problems import quoted
from annotate.files.reading.yamlfile import Mapping
from annotate.values.scales import Scale


def read_inside(found, questions, language, add):
    """{key: value} for Study.extra, in one form; add(mapping, key, message) notes what is wrong.

    questions: those of the file, None where it has none.
    """
    read = {}
    for key in checks.NUMBERS:
        if found.get(key) is not None:
            read[key] = found[key]
            if problem := checks.number_problem(key, found[key]):
                add(found, key, problem)
    if (order := found.get("order")) is not None:
        read["order"] = order
        if order not in checks.Order.values:
            allowed = ", ".join(checks.Order.values)
            add(found, "order", f"found {quoted(order)}; allowed is {allowed}")
    read |= _column(found, add)
    scales = None
    if questions is not None:
        scales = {one["key"]: Scale(**one["scale_spec"]) for one in questions if one["scale_spec"]}
    lists = {
        "attention": (lambda entry: checks.read_check(entry, language), "key", checks.MOST_CHECKS),
        "gold": (lambda entry: checks.read_gold(entry, scales), "item", checks.MOST_GOLD),
    }
    for key, (reader, name, most) in lists.items():
        if found.get(key) is not None:
            read[key] = _entries(found, key, reader, name, most, add)
    return read


def _column(found, add):
    column = found.get(grouping.KEY)
    if column is None:
        return {}
    if problem := grouping.problem(column):
        add(found, grouping.KEY, problem)
    return {grouping.KEY: column}


def _entries(found, key, reader, name, most, add):
    entries = found[key]
    if not isinstance(entries, list) or len(entries) > most:
        add(found, key, f"allowed is a list of at most {most} mappings, each beginning with `- `")
        return []
    read, names = [], set()
    for entry in entries:
        at = entry if isinstance(entry, Mapping) else found
        try:
            one = reader(entry)
        except checks.Wrong as error:
            add(at, error.key if at is entry else key, str(error))
            continue
        if getattr(one, name) in names:
            add(at, name, f"found {quoted(getattr(one, name))} twice; allowed is once")
        names.add(getattr(one, name))
        read.append(one.as_data())
    return read
