"""Names that tell a reader nothing are not used in new code.

tests/data/old_names.txt lists the files that still have some, with their number: it only shrinks.
"""

import ast
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
OLD = ROOT / "tests" / "data" / "old_names.txt"
VALUES = {"at", "each", "found", "known", "one", "said"}
FUNCTIONS = {"of", "read", "said", "shown"}


def is_empty_name(node):
    """Whether a node of the syntax tree gives a value or a function one of the names."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
        return node.name in FUNCTIONS
    if isinstance(node, ast.arg):
        return node.arg in VALUES
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store) and node.id in VALUES


def count_empty_names(source):
    """Count the places of a module where a value or a function gets one of the names."""
    return sum(map(is_empty_name, ast.walk(ast.parse(source))))


def counts_by_file():
    """Return {path: count} of the modules of the product that have any."""
    paths = [
        path
        for folder in ("analysis", "annotate", "config", "judges")
        for path in sorted((ROOT / folder).rglob("*.py"))
        if "migrations" not in path.parts
    ]
    counts = {str(path.relative_to(ROOT)): count_empty_names(path.read_text()) for path in paths}
    return {path: count for path, count in counts.items() if count}


def old_counts():
    lines = [line.split() for line in OLD.read_text().splitlines()]
    return {path: int(count) for path, count in lines}


def test_each_place_that_gives_a_name_is_counted_once():
    source = (
        "def of(found, rest):\n    for one in found:\n        said = one\n    return said, rest\n"
    )
    assert count_empty_names(source) == 4
    assert count_empty_names("def parse_reply(reply):\n    return reply.said\n") == 0


def test_no_module_has_more_of_them_than_it_had():
    """Rename them; where a file has fewer now, lower its number in old_names.txt."""
    assert counts_by_file() == old_counts()
