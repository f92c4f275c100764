"""Collect every text that raters read from templates and code, and check its translations.

GNU gettext is not needed: Django's own parser finds the texts, polib reads and writes the files.
"""

import ast
import re
from pathlib import Path

import django
import polib
from django.conf import settings
from django.template import Context
from django.template.loader import get_template
from django.templatetags.i18n import BlockTranslateNode, TranslateNode
from django.utils.translation import to_locale, trim_whitespace

ROOT = Path(settings.BASE_DIR)
# Of each function: where its context, its text and its plural stand.
FUNCTIONS = {
    "gettext": (None, 0, None),
    "gettext_lazy": (None, 0, None),
    "_": (None, 0, None),
    "gettext_noop": (None, 0, None),
    "ngettext": (None, 0, 1),
    "ngettext_lazy": (None, 0, 1),
    "pgettext": (0, 1, None),
    "pgettext_lazy": (0, 1, None),
    "npgettext": (0, 1, 2),
}
BLANK = re.compile(r"%\(\w+\)s")
MARKUP = re.compile(r"[<>&\"]")
TWO_FORMS = "nplurals=2; plural=(n != 1);"


def texts():
    """Return {(context, text, plural): [files it stands in]}, in the order of files and lines."""
    files_by_message: dict = {}
    folder = ROOT / "templates"
    for path in sorted(folder.rglob("*.html")):
        for message in _in_template(str(path.relative_to(folder))):
            files_by_message.setdefault(message, []).append(str(path.relative_to(ROOT)))
    for path in sorted((ROOT / "annotate").rglob("*.py")):
        for message in in_code(path.read_text(encoding="utf-8")):
            files_by_message.setdefault(message, []).append(str(path.relative_to(ROOT)))
    return {message: list(dict.fromkeys(files)) for message, files in files_by_message.items()}


def _in_template(name):
    """Yield (context, text, plural) of every translated text of a template."""
    nodes = get_template(name).template.nodelist  # type: ignore[attr-defined]
    for node in nodes.get_nodes_by_type((TranslateNode, BlockTranslateNode)):
        context = node.message_context and node.message_context.resolve(Context())
        if isinstance(node, TranslateNode):
            yield context, node.filter_expression.var.literal.replace("%", "%%"), None
        else:
            yield context, _block(node, node.singular), _block(node, node.plural) or None


def _block(node, tokens):
    text = node.render_token_list(tokens)[0]
    return trim_whitespace(text) if node.trimmed else text


def in_code(source):
    """Yield (context, text, plural) of every call of gettext and its relatives.

    A variable is passed over: what it may hold is marked where it stands, by gettext_noop.
    """
    for call in ast.walk(ast.parse(source)):
        if not (isinstance(call, ast.Call) and call.args):
            continue
        name = getattr(call.func, "attr", getattr(call.func, "id", None))
        if name in FUNCTIONS and not isinstance(call.args[0], ast.Name):
            yield tuple(_literal(call, position) for position in FUNCTIONS[name])


def _literal(call, position):
    if position is None:
        return None
    text = call.args[position]
    if not (isinstance(text, ast.Constant) and isinstance(text.value, str)):
        raise ValueError(f"{ast.unparse(call)}: the text has to stand there, as it is")
    return text.value


# Message files


def path_of(code):
    """Return the path of a language's message file."""
    return Path(settings.LOCALE_PATHS[0]) / to_locale(code) / "LC_MESSAGES" / "django.po"


def message_files():
    """List all message files."""
    return sorted(Path(settings.LOCALE_PATHS[0]).glob("*/LC_MESSAGES/django.po"))


def key_of(entry):
    """Return (context, text, plural) of an entry, as in texts()."""
    return entry.msgctxt, entry.msgid, entry.msgid_plural or None


def updated(path, code):
    """Build the message file anew, with an entry for each present text and its old translation."""
    old = polib.pofile(str(path)) if path.exists() else polib.POFile()
    entries = {key_of(entry): entry for entry in old if not entry.obsolete}
    new = polib.POFile(wrapwidth=98)
    new.header, new.metadata = old.header, old.metadata or _metadata(code)
    for (context, text, plural), files in texts().items():
        entry = entries.get((context, text, plural)) or polib.POEntry(
            msgctxt=context, msgid=text, msgid_plural=plural or ""
        )
        if plural and not entry.msgstr_plural:
            entry.msgstr_plural = dict.fromkeys(range(_forms(new)), "")
        entry.occurrences = [(file, "") for file in files]
        new.append(entry)
    return new


def _metadata(code):
    # Django has a file of its own for most languages, with their plurals.
    own = Path(django.__file__).parent / "conf/locale" / to_locale(code) / "LC_MESSAGES/django.mo"
    plurals = polib.mofile(str(own)).metadata["Plural-Forms"] if own.exists() else TWO_FORMS
    return {
        "Language": to_locale(code),
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=UTF-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": plurals,
    }


def _forms(file):
    return int(re.search(r"nplurals\s*=\s*(\d+)", file.metadata["Plural-Forms"])[1])  # type: ignore


def lacking(file):
    """List the texts that the file does not translate: missing, empty in some form, or fuzzy."""
    done = {key_of(entry) for entry in file if entry.translated() and _is_whole(file, entry)}
    return [text for text in texts() if text not in done]


def _is_whole(file, entry):
    return not entry.msgid_plural or len(entry.msgstr_plural) == _forms(file)


def faults(file):
    """List what would break a page: unknown or missing blanks, percent signs, and markup."""
    problems = []
    for entry in file:
        for words in filter(None, [entry.msgstr, *entry.msgstr_plural.values()]):
            blanks = set(BLANK.findall(entry.msgid + entry.msgid_plural))
            used = set(BLANK.findall(words))
            # One of the plural forms may do without its number: “one answer is missing”.
            if used - blanks or (blanks - used and not entry.msgid_plural):
                asked = ", ".join(sorted(blanks)) or "nothing in %( )s"
                problems.append(f"line {entry.linenum}: “{words}” needs {asked}")
            if "%" in BLANK.sub("", words).replace("%%", ""):
                problems.append(f"line {entry.linenum}: “{words}”: write %% for a percent sign")
            if MARKUP.search(words):
                problems.append(f"line {entry.linenum}: “{words}” has < > & or straight quotes")
    return problems
