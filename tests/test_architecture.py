"""The rules of the layout that no reviewer should have to check by eye."""

import ast
import re
from collections import defaultdict
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest
from django.utils.module_loading import import_string

ROOT = Path(__file__).resolve().parent.parent
FORBIDDEN = {
    "annotate": ("judges", "analysis"),
    "judges": ("analysis",),
    "analysis/stats": ("django", "pandas", "annotate", "judges"),
}
PATH = re.compile(r"(annotate|judges|analysis)\.[a-z_]+\.[\w.]*\w")
MOST_MODULES = 25  # in a folder: with more nobody reads its list of files

# For each package what it may import of its own app. A floor is a group of rows: rows name only
# packages of floors above them in this list, so that removing a feature breaks nothing below it.
# Add to a row only what its package cannot do without; what would point up belongs elsewhere.
FLOORS = {
    "annotate": [
        {"values": "", "db": ""},
        {"models": "values"},
        {"taste": "models"},
        {"flow": "values models taste"},
        {"design": "values db models taste flow"},
        {"http": "values db models design", "templatetags": "values flow design"},
        {"sessions": "db models taste flow design"},
        {"files": "values db models taste flow design sessions"},
        {
            "quality": "models flow design sessions",
            "coding": "models design",
            "raters": "values db models taste flow design http sessions files",
        },
        {"studies": "values models taste flow design files quality raters"},
        {
            "recruitment": "values models design sessions files quality studies",
            "accounts": "models",
            "stopping": "db models design quality",
        },
        {"api": "values db models design http files studies"},
        {"management": "raters accounts"},
    ],
    "judges": [
        {"values": "", "replies": "", "bringing": ""},
        {"models": "values"},
        {"endpoints": "replies models", "prompting": "replies models"},
        {"perturbations": "replies prompting"},
        {"methods": "values replies models prompting perturbations"},
        {"statements": "models methods"},
        {"scorers": "values models prompting methods statements"},
        {
            "runs": "values replies models endpoints prompting perturbations methods scorers",
        },
        {
            "files": "values models prompting methods scorers runs",
            "removal": "models statements runs",
        },
        {"uploads": "bringing models runs files removal"},
        {
            "checks": "values models perturbations methods runs",
            "counterfactual": "values models scorers runs files uploads",
            "health": "models",
            "stopping": "models methods scorers runs",
            "studies": "models runs uploads",
        },
        {
            "pages": "values models prompting perturbations methods scorers runs files checks "
            "removal",
        },
        {
            "management": "values models endpoints perturbations methods statements scorers runs "
            "files checks counterfactual",
        },
    ],
    "analysis": [
        {"stats": "", "answers": "", "glossary": ""},
        {"options": "", "figures": ""},
        {"reports": "stats answers options figures", "exports": "answers"},
        {"results": "stats options reports", "recipes": "answers stats options reports"},
        {"serving": "answers options figures reports exports results"},
        {
            "overview": "answers options",
            "paper": "answers stats options figures reports exports results recipes serving",
        },
        {"demo": "answers serving"},
        {"management": "answers options reports recipes exports serving paper demo"},
    ],
}
# An import that the table does not allow, with its reason: "from -> to".
EXCEPTIONS: dict[str, str] = {}
# Longer than a view may be.
LONG_VIEWS = {
    "annotate/http/ranges.py file_response": "each answer to a range has its own status",
    "judges/pages/api.py Runs.post": "starts a run or goes on with one, or says why it cannot",
}


def modules(folder):
    paths = (ROOT / folder).rglob("*.py")
    return [path for path in paths if "migrations" not in path.relative_to(ROOT).parts]


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


@cache
def edges(app):
    """[(module, a module of the same app that it imports)] as paths from the app's folder."""
    known = {_dotted(path): path.relative_to(ROOT / app) for path in modules(app)}
    found = []
    for path in modules(app):
        for node in ast.walk(ast.parse(path.read_text())):
            if not isinstance(node, ast.ImportFrom) or not node.module:
                continue
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                name = full if full in known else node.module
                if name in known:
                    found.append((path.relative_to(ROOT / app), known[name]))
    return found


def _dotted(path):
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("app", FLOORS)
def test_imports_are_written_so_that_these_tests_see_them(app):
    """`from a.b import c`: neither from a point, nor `import a.b`, nor by a name made of parts."""
    hidden = [
        f"{path.relative_to(ROOT)}:{node.lineno}"
        for path in modules(app)
        for node in ast.walk(ast.parse(path.read_text()))
        if (isinstance(node, ast.ImportFrom) and node.level)
        or (isinstance(node, ast.Import) and any(_is_ours(alias.name) for alias in node.names))
    ]
    assert hidden == []


def _is_ours(name):
    return name.split(".")[0] in FLOORS


def paths_in_strings(app):
    """[(module, path)] of strings that name a module, or something in one, of our own apps."""
    found = []
    for path in modules(app):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Constant) and PATH.fullmatch(str(node.value)):
                found.append((str(path.relative_to(ROOT)), node.value))
    return found


@pytest.mark.parametrize("app", [*FLOORS, "config"])
def test_what_a_string_names_is_there_and_is_not_above_its_app(app):
    """By its path a lower floor may name what a feature brings: of its own app alone."""
    named = paths_in_strings(app)
    for _, path in named:
        _import(path)
    forbidden = FORBIDDEN.get(app, ())
    assert [pair for pair in named if pair[1].split(".")[0] in forbidden] == []


def _import(path):
    try:
        return import_module(path)
    except ModuleNotFoundError:
        return import_string(path)


@pytest.mark.parametrize("app", FLOORS)
def test_packages_import_only_what_the_table_allows(app):
    allowed = {name: row.split() for floor in FLOORS[app] for name, row in floor.items()}
    between = {
        (start, end)
        for start, end in edges(app)
        if len(start.parts) > 1 and start.parts[0] != end.parts[0]
    }
    wrong = {
        f"{app}/{start} -> {app}/{end}"
        for start, end in between
        if end.parts[0] not in allowed.get(start.parts[0], ())
    }
    used = {(start.parts[0], end.parts[0]) for start, end in between}
    assert sorted({(name, one) for name, row in allowed.items() for one in row} - used) == []
    assert sorted(wrong - {*EXCEPTIONS}) == []
    assert [name for name in EXCEPTIONS if name.startswith(f"{app}/") and name not in wrong] == []


@pytest.mark.parametrize("app", FLOORS)
def test_the_table_names_every_package_and_points_down(app):
    packages = {path.parent.name for path in (ROOT / app).glob("*/__init__.py")} - {"migrations"}
    assert sorted(name for floor in FLOORS[app] for name in floor) == sorted(packages)
    below: set = set()
    for floor in FLOORS[app]:
        upwards = {name: row for name, row in floor.items() if not {*row.split()} <= below}
        assert upwards == {}
        below |= {*floor}


@pytest.mark.parametrize("app", FLOORS)
def test_no_two_packages_are_tied_in_a_circle(app):
    """Neither an app's packages, nor the packages and modules within any of its folders."""
    folders = {parent for start, _ in edges(app) for parent in start.parents}
    assert [
        f"{Path(app) / folder}: {circle}"
        for folder in sorted(folders)
        for circle in circles(_neighbours(app, folder))
    ] == []


def _neighbours(app, folder):
    """{a package or module of the folder: those of the same folder that it imports}"""
    depth, found = len(folder.parts), defaultdict(set)
    for start, end in edges(app):
        is_inside = folder in start.parents and folder in end.parents
        if is_inside and start.parts[depth] != end.parts[depth]:
            found[start.parts[depth]].add(end.parts[depth])
    return found


def circles(neighbours):
    """The sets of names of which each leads to each other, by way of whatever."""
    reached = {name: _reached(name, neighbours) for name in neighbours}
    tied = {
        frozenset(other for other in reached[name] if name in reached.get(other, ()))
        for name in reached
    }
    return [sorted(names) for names in tied if len(names) > 1]


def _reached(name, neighbours):
    found, due = set(), [name]
    while due:
        new = neighbours.get(due.pop(), set()) - found
        found |= new
        due += new
    return found


def test_a_circle_is_found_whatever_leads_into_it():
    assert circles({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": {"a"}}) == [["b", "c"]]
    assert circles({"a": {"b", "c"}, "b": {"c"}}) == []


@pytest.mark.parametrize(
    "package",
    ["annotate", "judges", "analysis", "tests/annotate", "tests/judges", "tests/analysis"],
)
def test_a_folder_has_at_most_25_modules(package):
    counts: dict = defaultdict(int)
    for path in modules(package):
        counts[str(path.parent.relative_to(ROOT))] += path.name != "__init__.py"
    assert {folder: n for folder, n in counts.items() if n > MOST_MODULES} == {}


@pytest.mark.parametrize("app", ["annotate", "judges", "analysis"])
def test_every_package_says_what_it_is_for(app):
    silent = [
        str(path.parent.relative_to(ROOT))
        for path in modules(app)
        if path.name == "__init__.py"
        and len(path.relative_to(ROOT).parts) > 2
        and not ast.get_docstring(ast.parse(path.read_text()))
        and not {"models", "management", "templatetags", "demo"} & {*path.relative_to(ROOT).parts}
    ]
    assert silent == []


@pytest.mark.parametrize("folder", ["annotate", "judges", "analysis"])
def test_views_and_what_makes_their_pages_have_at_most_20_lines(folder):
    """Whatever takes a request, from its def to its end."""
    long = {
        f"{path.relative_to(ROOT)} {name}"
        for path in modules(folder)
        for name, node in _functions(ast.parse(path.read_text()))
        if "request" in [argument.arg for argument in node.args.args]
        and node.end_lineno - node.lineno + 1 > 20
    }
    assert long == {name for name in LONG_VIEWS if name.startswith(f"{folder}/")}


def _functions(tree, within=""):
    """Yield (name, node) of functions and methods, these as Class.method."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef):
            yield within + node.name, node
        inner = f"{within}{node.name}." if isinstance(node, ast.ClassDef) else within
        yield from _functions(node, inner)


@pytest.mark.parametrize("package", ["judges"])
def test_modules_take_no_private_function_from_another(package):
    wrong = [
        f"{path.relative_to(ROOT)} imports {alias.name}"
        for path in modules(package)
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if alias.name.startswith("_")
    ]
    assert wrong == []
