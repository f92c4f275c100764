"""Every page that raters see, as rows and an address, in any language.

Tests of language, accessibility and layout take all of them: a new page is one more function in
plain.py, or in steps.py for what comes around and between the items.
"""

from tests.rater_screens import plain, steps
from tests.rater_screens.making import SCREENS, films

__all__ = ["SCREENS", "films", "plain", "steps"]
