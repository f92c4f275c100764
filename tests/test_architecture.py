"""The rules of the layout that no reviewer should have to check by eye."""

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
FORBIDDEN = {
    "annotate": ("judges", "analysis"),
    "judges": ("analysis",),
    "analysis/stats": ("django", "pandas", "annotate", "judges"),
}


def modules(folder):
    return [path for path in (ROOT / folder).rglob("*.py") if "migrations" not in path.parts]


def imports(path):
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module


def offends(name, package, forbidden):
    """analysis.stats is pure, so every floor may use it."""
    top = name.split(".")[0]
    return top in forbidden and not (
        name.startswith("analysis.stats") and package in ("annotate", "judges")
    )


@pytest.mark.parametrize("package", FORBIDDEN)
def test_imports_point_down_only(package):
    wrong = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in modules(package)
        for name in imports(path)
        if offends(name, package, FORBIDDEN[package])
    ]
    assert wrong == []


def test_nothing_points_up_from_an_item_or_question_to_a_judgment():
    """Foreign keys of judges to items say related_name="+", so no rater page can follow them."""
    from judges.models import Judgment

    for name in ("item", "question"):
        assert Judgment._meta.get_field(name).remote_field.related_name == "+"


@pytest.mark.parametrize("package", ["config", "annotate", "judges", "analysis", "tests"])
def test_files_stay_under_400_lines(package):
    long = [
        f"{path.relative_to(ROOT)}: {lines}"
        for path in modules(package)
        if (lines := len(path.read_text().splitlines())) > 400
    ]
    assert long == []


@pytest.mark.parametrize("folder", ["annotate/views", "judges/views", "analysis"])
def test_views_and_what_makes_their_pages_have_at_most_20_lines(folder):
    """Whatever takes a request, from its def to its end."""
    long = [
        f"{path.relative_to(ROOT)} {node.name}: {lines}"
        for path in modules(folder)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef)
        and "request" in [argument.arg for argument in node.args.args]
        and (lines := node.end_lineno - node.lineno + 1) > 20
    ]
    assert long == []


@pytest.mark.parametrize("package", ["judges/views"])
def test_views_take_no_private_function_from_another(package):
    wrong = [
        f"{path.relative_to(ROOT)} imports {alias.name}"
        for path in modules(package)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name.startswith("_")
    ]
    assert wrong == []


@pytest.mark.parametrize("package", ["config", "annotate", "judges", "analysis"])
def test_functions_stay_under_40_lines(package):
    long = [
        f"{path.relative_to(ROOT)} {node.name}: {node.end_lineno - node.lineno + 1}"
        for path in modules(package)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        and node.end_lineno - node.lineno + 1 > 40
    ]
    assert long == []
