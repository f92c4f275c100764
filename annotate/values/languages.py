"""Choose the language of raters' pages: English, or one that has a message file under locale/.

A study has one language; nothing that a browser sends changes it. Researchers' pages are English.
"""

from django.conf.locale import LANG_INFO
from django.utils import translation
from django.utils.translation import to_language

ENGLISH = "en"


def offered(folder):
    """List (code, name) of English and of every compiled message file in a folder of messages."""
    files = sorted(folder.glob("*/LC_MESSAGES/django.mo"))
    codes = [to_language(path.parts[-3]) for path in files]
    return [(code, name_of(code)) for code in [ENGLISH, *(c for c in codes if c != ENGLISH)]]


def name_of(code):
    """Return a language's name in English and in its own words.

    Where Django has no name it is the code.
    """
    info = LANG_INFO.get(code, {})
    if "name" not in info:
        return code
    own = info["name_local"]
    return info["name"] if own == info["name"] else f"{info['name']} ({own})"


def speak(language):
    """Switch texts to a study's language; `rater_page` of the raters' views ends that."""
    translation.activate(language)
