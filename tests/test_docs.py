"""What the documentation promises to list, it lists."""

import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.management import get_commands

ROOT = Path(settings.BASE_DIR)
README = (ROOT / "README.md").read_text()
READERS = re.compile(r"env_(?:text|bool|int|list)\(\s*\"([A-Z_]+)\"")


def variables():
    """The names that the settings read from the environment."""
    texts = [(ROOT / "config" / name).read_text() for name in ("settings.py", "env.py")]
    return sorted({name for text in texts for name in READERS.findall(text)})


@pytest.mark.parametrize("name", variables())
def test_readme_lists_every_variable(name):
    assert f"`{name}`" in README


def test_readme_lists_every_command():
    own = [
        name for name, app in get_commands().items() if app in ("annotate", "judges", "analysis")
    ]
    assert len(own) >= 7
    assert [name for name in own if f"manage.py {name}" not in README] == []


@pytest.mark.parametrize(
    "name", ["README.md", "CONTRIBUTING.md", "docs/FILES.md", "docs/LANGUAGES.md", "docs/API.md"]
)
def test_links_to_files_of_the_project_lead_somewhere(name):
    page = ROOT / name
    links = re.findall(r"\]\(([^)#:]+)\)", page.read_text())
    assert [link for link in links if not (page.parent / link).exists()] == []


def test_every_file_named_in_contributing_exists():
    text = (ROOT / "CONTRIBUTING.md").read_text()
    paths = re.findall(r"`((?:annotate|judges|analysis|tests|static|docs)/[\w/.]+)`", text)
    assert paths and [path for path in paths if not (ROOT / path).exists()] == []
