"""Small faults, one at a time, in a Python source: an operator, a number or a statement changed."""

import ast
from dataclasses import dataclass

COMPARED = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
}
COMPUTED = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div,
    ast.Pow: ast.Mult,
    ast.BitOr: ast.BitAnd,
    ast.BitAnd: ast.BitOr,
    ast.Mod: ast.Mult,
}
CALLED = {
    "min": "max",
    "max": "min",
    "any": "all",
    "all": "any",
    "ceil": "floor",
    "floor": "ceil",
    "filter": "exclude",
    "exclude": "filter",
}
SILENT = ("logger", "log", "warnings")  # what is only written for people to read later


@dataclass(frozen=True)
class Mutant:
    """One fault. lines: those of the statement that it is in, without the statements within it."""

    path: str
    place: str  # the function or class
    old: str
    new: str
    number: int  # of those with the same words in the same place
    start: int  # in bytes
    end: int
    lines: tuple

    @property
    def key(self):
        """Its name, which stays the same when lines elsewhere change."""
        return f"{self.path} {self.place}: {self.old} → {self.new} ({self.number})"

    def apply(self, source):
        return source[: self.start] + self.new.encode() + source[self.end :]


def _other(kind, names):
    return names[kind]() if kind in names else None


def replacements(node):
    """Yield what may stand in the place of a node, as text."""
    if isinstance(node, ast.Compare) and (other := _other(type(node.ops[0]), COMPARED)):
        ops = [other, *node.ops[1:]]
        yield f"({ast.unparse(ast.Compare(node.left, ops, node.comparators))})"
    elif isinstance(node, ast.BinOp) and (other := _other(type(node.op), COMPUTED)):
        yield f"({ast.unparse(ast.BinOp(node.left, other, node.right))})"
    elif isinstance(node, ast.BoolOp):
        other = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield f"({ast.unparse(ast.BoolOp(other, node.values))})"
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not | ast.USub):
        yield f"({ast.unparse(node.operand)})"
    elif isinstance(node, ast.Constant) and type(node.value) in (int, float, bool):
        yield repr(not node.value if isinstance(node.value, bool) else node.value + 1)
    elif isinstance(node, ast.IfExp):
        yield f"({ast.unparse(ast.IfExp(node.test, node.orelse, node.body))})"
    elif isinstance(node, ast.Name | ast.Attribute):
        name = node.id if isinstance(node, ast.Name) else node.attr
        if name in CALLED:
            whole = ast.unparse(node)
            yield whole[: len(whole) - len(name)] + CALLED[name]
    else:
        yield from _of_statement(node)


def _of_statement(node):
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        if ast.unparse(node.value.func).split(".")[0] not in SILENT:
            yield "pass"
    elif isinstance(node, ast.Return) and not _is_empty(node.value):
        yield "return None"
    elif isinstance(node, ast.AugAssign) and (other := _other(type(node.op), COMPUTED)):
        yield ast.unparse(ast.AugAssign(node.target, other, node.value))
    elif isinstance(node, ast.Continue | ast.Break):
        yield "break" if isinstance(node, ast.Continue) else "continue"


def _is_empty(value):
    return value is None or (isinstance(value, ast.Constant) and value.value is None)


def mutants_of(path, source):
    """All mutants of a file, in the order of its lines."""
    found, counts = [], {}
    starts = [0]
    for line in source.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    for node, place, lines in _nodes(ast.parse(source), "", (1,)):
        for new in replacements(node):
            old = ast.unparse(node)
            number = counts[place, old, new] = counts.get((place, old, new), 0) + 1
            start = starts[node.lineno - 1] + node.col_offset
            end = starts[node.end_lineno - 1] + node.end_col_offset
            found.append(Mutant(path, place, old, new, number, start, end, lines))
    return sorted(found, key=lambda mutant: (mutant.start, mutant.key))


def _nodes(node, place, lines):
    """Yield (node, place, lines of its statement); not of texts, annotations and decorators."""
    for name, value in ast.iter_fields(node):
        if name in ("decorator_list", "annotation", "returns"):
            continue
        for child in value if isinstance(value, list) else [value]:
            if not isinstance(child, ast.AST) or isinstance(child, ast.JoinedStr):
                continue
            within, own = place, lines
            if isinstance(child, ast.FunctionDef | ast.ClassDef):
                within = f"{place}.{child.name}".lstrip(".")
            if isinstance(child, ast.stmt):
                body = getattr(child, "body", None)
                last = body[0].lineno - 1 if body else child.end_lineno
                own = tuple(range(child.lineno, max(last, child.lineno) + 1))
            if isinstance(child, ast.expr | ast.stmt) and not isinstance(node, ast.JoinedStr):
                yield child, within, own
            yield from _nodes(child, within, own)
