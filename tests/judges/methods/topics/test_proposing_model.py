"""Topics by the small local model: whatever it says is read by the rules, and counted."""

import pytest

from judges.methods.extract import topics
from judges.methods.topics import propose
from judges.models import Run
from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.proposing import settled
from tests.small_model import small_model

pytestmark = [pytest.mark.model, pytest.mark.django_db(transaction=True)]
PORT = 8343
REVIEWS = [
    "It runs small, take one size up. The price is fair.",
    "The fabric is soft but it shrank in the wash.",
    "Too expensive for such thin material, and the seams ripped.",
    "Fits as expected. The colour is darker than in the photos.",
]


def test_the_small_local_model_proposes_by_a_schema(tmp_path):
    study = factories.make_study("clothes", factories.make_user("owner"))
    for number, review in enumerate(REVIEWS):
        factories.make_item(study, f"i{number}", review=review)
    with small_model(tmp_path, PORT) as endpoint:
        judge = factories.make_judge(
            study,
            "small",
            endpoint,
            method="topics",
            prompt="topics.v1",
            sides="reference",
            reviews=2,
            review_samples=2,
            most_topics=5,
            max_tokens=150,
        )
        run = plan(judge)
        drive.work_through(run.pk)
    run.refresh_from_db()
    assert run.state == Run.State.FINISHED
    assert {state for state, *_ in settled(run)} == {"done"}
    found = propose.shortlist_of(run)
    assert found.read == 2
    assert 1 <= len(found.names) <= 5
    assert topics.problem_of(found.as_initial["topics"]) == ""
    assert all(1 <= count <= 2 for _, count in found.topics)
