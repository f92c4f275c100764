"""Read the keys of study.yaml about the inside of sessions; design/checks.py explains them."""

from annotate.design import checks, grouping, own_answers
from annotate.files.reading.problems import quoted
from annotate.files.reading.yamlfile import Mapping
from annotate.values.scales import scale_from_dict


def read_inside(mapping, questions, language, add):
    """Parse these keys into {key: value}; add(mapping, key, message) notes a fault.

    questions: those of the file, None where it has none.
    """
    read = {}
    for key in checks.NUMBERS:
        if mapping.get(key) is not None:
            read[key] = mapping[key]
            if problem := checks.number_problem(key, mapping[key]):
                add(mapping, key, problem)
    if (order := mapping.get("order")) is not None:
        read["order"] = order
        if order not in checks.Order.values:
            allowed = ", ".join(checks.Order.values)
            add(mapping, "order", f"found {quoted(order)}; allowed is {allowed}")
    for rule in (grouping, own_answers):
        read |= _checked(mapping, rule, add)
    scales = None
    if questions is not None:
        scales = {
            question["key"]: scale_from_dict(question["scale_spec"])
            for question in questions
            if question["scale_spec"]
        }
    lists = {
        "attention": (lambda entry: checks.read_check(entry, language), "key", checks.MOST_CHECKS),
        "gold": (lambda entry: checks.read_gold(entry, scales), "item", checks.MOST_GOLD),
    }
    for key, (reader, name, most) in lists.items():
        if mapping.get(key) is not None:
            read[key] = _entries(mapping, key, reader, name, most, add)
    return read


def _checked(mapping, rule, add):
    """Read the key of a rule, and note what its `problem` says."""
    value = mapping.get(rule.KEY)
    if value is None:
        return {}
    if problem := rule.problem(value):
        add(mapping, rule.KEY, problem)
    return {rule.KEY: value}


def _entries(mapping, key, reader, name, most, add):
    """Parse a list of entries whose names must differ, and note problems."""
    entries = mapping[key]
    if not isinstance(entries, list) or len(entries) > most:
        add(mapping, key, f"allowed is a list of at most {most} mappings, each beginning with `- `")
        return []
    read, names = [], set()
    for entry in entries:
        holder = entry if isinstance(entry, Mapping) else mapping
        try:
            parsed = reader(entry)
        except checks.Wrong as error:
            add(holder, error.key if holder is entry else key, str(error))
            continue
        if getattr(parsed, name) in names:
            add(holder, name, f"found {quoted(getattr(parsed, name))} twice; allowed is once")
        names.add(getattr(parsed, name))
        read.append(parsed.as_data())
    return read
