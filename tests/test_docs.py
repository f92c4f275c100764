"""What the documentation promises to list, it lists; what it names is there."""

import re
from functools import cache, reduce
from importlib import import_module
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands, load_command_class
from django.core.management.base import BaseCommand

from tests.test_architecture import FLOORS

ROOT = Path(settings.BASE_DIR)
READERS = re.compile(r"env_(?:text|bool|int|list)\(\s*\"([A-Z_]+)\"")
COMMANDS = (ROOT / "docs" / "COMMANDS.md").read_text()
SETTINGS = (ROOT / "docs" / "SETTINGS.md").read_text()
OPTION = re.compile(r"(?<![\w-])--?[a-z][a-z-]*")
SHARED = "Options of reports"
PAGES = sorted(
    str(path.relative_to(ROOT))
    for path in [*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md"), *ROOT.glob("docker/*.md")]
)


def variables():
    """The names that the settings read from the environment."""
    texts = [(ROOT / "config" / name).read_text() for name in ("settings.py", "env.py")]
    return sorted({name for text in texts for name in READERS.findall(text)})


@pytest.mark.parametrize("name", variables())
def test_every_variable_is_listed(name):
    assert f"| `{name}` |" in SETTINGS


def own_commands():
    """The names of the project's commands."""
    apps = ("annotate", "judges", "analysis")
    return sorted(name for name, app in get_commands().items() if app in apps)


def sections(text):
    """{heading of the second level: what stands below it}."""
    parts = re.split(r"^## (.+)\n", text, flags=re.MULTILINE)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_every_command_has_a_section_with_a_paragraph_and_its_usual_call():
    names = own_commands()
    assert len(names) >= 7
    found = sections(COMMANDS)
    assert sorted({*found} - {SHARED}) == names
    calls = {name: f"\n    manage.py {name}" for name in names}
    assert [name for name in names if calls[name] not in found[name]] == []
    assert [name for name in names if not found[name][0].isupper()] == []


@cache
def arguments_of(name):
    """The options of a command, and its arguments without a name, beside Django's own."""
    command = load_command_class(get_commands()[name], name)
    actions = command.create_parser("manage.py", name)._actions
    django = BaseCommand().create_parser("manage.py", name)._actions
    usual = {(action.dest, type(action)) for action in django}
    own = [action for action in actions if (action.dest, type(action)) not in usual]
    return {word for action in own for word in action.option_strings or [action.dest.upper()]}


@pytest.mark.parametrize("name", own_commands())
def test_the_section_of_a_command_lists_its_arguments_and_no_other(name):
    found = sections(COMMANDS)
    text = found[name] + (found[SHARED] if SHARED.lower() in found[name] else "")
    cells = re.findall(r"^\| `([^`]+)`", text, flags=re.MULTILINE)
    listed = {word for cell in cells for word in OPTION.findall(cell) or [cell]}
    assert listed == arguments_of(name)


def anchors(path):
    """What a link may name behind the # of a page: its headings, as GitHub writes them."""
    headings = re.findall(r"^#+ (.+)$", path.read_text(), flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", line.lower()).replace(" ", "-") for line in headings}


def broken_links(page, text):
    """The links of a page that lead to no file of the project, or to none of its headings."""
    broken = []
    for link in re.findall(r"\]\(([^):]+)\)", text):
        name, _, anchor = link.partition("#")
        target = page.parent / name if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    return broken


@pytest.mark.parametrize("name", PAGES)
def test_links_to_files_of_the_project_lead_somewhere(name):
    page = ROOT / name
    assert broken_links(page, page.read_text()) == []


def test_a_broken_link_is_noticed():
    page = ROOT / "README.md"
    text = "[a](docs/NOTHING.md) [b](#nothing) [c](docs/API.md#a-token) [d](https://example.org)"
    assert broken_links(page, text) == ["docs/NOTHING.md", "#nothing"]


PATH = re.compile(r"`((?:annotate|judges|analysis|config|templates|tests|static|docs)/[\w/.-]+)`")


@pytest.mark.parametrize("name", PAGES)
def test_every_file_that_a_page_names_exists(name):
    paths = PATH.findall((ROOT / name).read_text())
    assert [path for path in paths if not (ROOT / path).exists()] == []
    assert paths or name != "CONTRIBUTING.md"


def where_to_add():
    """[(folder, text)] of the lines of CONTRIBUTING that say where something new belongs."""
    text = sections((ROOT / "CONTRIBUTING.md").read_text())["Where to add"]
    lines = [" ".join(line.split()) for line in text.split("\n- ")[1:]]
    return re.findall(r"^`([\w/]+)` → (.+)$", "\n".join(lines), flags=re.MULTILINE)


@pytest.mark.parametrize(("folder", "text"), where_to_add())
def test_where_to_add_names_files_and_names_in_them_that_exist(folder, text):
    def path(name):
        """Below the folder, below one of its own folders, or from the root of the project."""
        found = [*ROOT.glob(f"{folder}/{name}"), *ROOT.glob(f"{folder}/*/{name}"), *ROOT.glob(name)]
        return next(iter(found), None)

    assert (ROOT / folder / "__init__.py").exists()
    files = re.findall(r"`([\w/.]+(?:\.(?:py|txt|html)|/))`", text)
    assert [name for name in files if path(name) is None] == []
    for name, file in re.findall(r"`([\w.]+)` (?:in|of) `([\w/.]+\.py)`", text):
        assert re.search(rf"\b{name.split('.')[-1]}\b", path(file).read_text()), (name, file)


def test_the_picture_of_the_floors_is_the_table_that_holds():
    text = sections((ROOT / "CONTRIBUTING.md").read_text())["The floors"]
    picture = " ".join(line for line in text.splitlines() if line.startswith("    "))
    parts = re.split(r"\b(annotate|judges|analysis) {2,}", picture.replace("↑", ""))
    drawn = {
        app: [{*re.findall(r"\w+", floor)} for floor in floors.split("<")]
        for app, floors in zip(parts[1::2], parts[2::2], strict=True)
    }
    assert drawn == {app: [{*floor} for floor in floors] for app, floors in FLOORS.items()}


@pytest.mark.parametrize("name", [name for name in PAGES if "decisions/" in name])
def test_a_decision_has_its_number_and_its_four_parts(name):
    title, *_ = text = (ROOT / name).read_text().splitlines()
    assert title.startswith(f"# {int(Path(name).name[:4])}. ")
    parts = [line for line in text if line.startswith("## ")]
    assert parts == ["## Context", "## Choice", "## Cost", "## When to look again"]


WALKS = (ROOT / "docs" / "ARCHITECTURE.md").read_text()
NAMED = re.compile(r"`([\w/]+)\.py: ([\w.]+)`")


@pytest.mark.parametrize(("path", "name"), NAMED.findall(WALKS))
def test_every_function_that_the_walks_name_is_defined_there(path, name):
    module = import_module(path.replace("/", "."))
    function = reduce(getattr, name.split("."), module)
    assert callable(function) and function.__module__ == module.__name__


def test_each_of_the_three_walks_names_at_most_ten_functions():
    walks = {name: text for name, text in sections(WALKS).items() if name.startswith("One ")}
    steps = [re.findall(r"^\d+\. `([^`]+)`", text, flags=re.MULTILINE) for text in walks.values()]
    assert len(steps) == 3 and all(len(names) <= 10 for names in steps)
    assert [name for names in steps for name in names if not NAMED.fullmatch(f"`{name}`")] == []


def test_the_picture_of_the_readme_is_small():
    assert (ROOT / "docs" / "results.png").stat().st_size <= 200 * 1024
