"""The languages of raters' pages: English, and each that has a message file under locale/.

A study has one language; nothing that a browser sends changes it. Researchers' pages are English.
"""

from django.conf.locale import LANG_INFO
from django.utils import translation
from django.utils.translation import to_language

ENGLISH = "en"


def offered(folder):
    """[(code, name)] of English and of every compiled message file in the folder, for LANGUAGES."""
    files = sorted(folder.glob("*/LC_MESSAGES/django.mo"))
    codes = [to_language(path.parts[-3]) for path in files]
    return [(code, name_of(code)) for code in [ENGLISH, *(c for c in codes if c != ENGLISH)]]


def name_of(code):
    """A language's name in English and in its own words; its code where Django knows no name."""
    known = LANG_INFO.get(code, {})
    if "name" not in known:
        return code
    own = known["name_local"]
    return known["name"] if own == known["name"] else f"{known['name']} ({own})"


def speak(language):
    """From here on texts are in a study's language; `rater_page` of the raters' views ends that."""
    translation.activate(language)
