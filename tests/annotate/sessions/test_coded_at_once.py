"""A coder and a rater meet over one text: whoever comes second sees what the first has done."""

import pytest

from annotate.coding import codes
from annotate.design import access
from annotate.models import Coding, Rating
from annotate.sessions import session as sessions
from annotate.sessions.session import SentAnswer
from tests import factories
from tests.annotate.sessions.test_going_at_once import elsewhere
from tests.annotate.sessions.test_save import meet

pytestmark = [pytest.mark.postgres, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def acts(study, owner):
    """(the coder's act, the rater's act) on one text, which the rater has written."""
    why = factories.make_question(study, "why", scale="text", required=False)
    session = sessions.begin_visit(study, {}, consents=True)
    assert sessions.begin(session)
    place = access.place_of_session(session.token, position=1)
    sessions.save_answers(place, [why], [SentAnswer(why, None, "So.")])
    rating = Rating.objects.get()

    def code():
        return codes.toggle(rating, owner, None, codes.Codes.load(study))

    def take_back():
        sessions.save_answers(place, [why], [], emptied=[(place.item_id, why)])

    return code, take_back


@pytest.mark.parametrize("is_by_rater", [True, False], ids=["by its rater", "with its load"])
def test_a_code_for_a_text_that_is_being_taken_back_is_refused(acts, is_by_rater):
    code, take_back = acts
    assert meet(take_back if is_by_rater else Rating.objects.all().delete, elsewhere(code)) is False
    assert not (Coding.objects.exists() or Rating.objects.exists())


def test_a_text_that_is_being_coded_is_taken_back_with_its_code(acts):
    code, take_back = acts
    meet(code, elsewhere(take_back))
    assert not (Coding.objects.exists() or Rating.objects.exists())
