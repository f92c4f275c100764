"""P3 in a study of six pairs of lists and eighteen episodes, its numbers by hand and by sklearn."""

import pytest
from sklearn.metrics import roc_auc_score

from analysis.answers.frame import read_answers
from analysis.recipes.base import choose
from analysis.recipes.p3.recipe import P3
from annotate.models import Item
from tests import factories

pytestmark = pytest.mark.django_db
# Three episodes of each recipient: people's ratings of 1 to 5, fitting from 4 on.
PEOPLE = [5, 4, 1, 4, 2, 1, 5, 3, 2, 4, 4, 2, 1, 2, 5, 4, 1, 2]
FITS = [1, 1, 0, 0, 1, 0, 1, 0, 0, 1, 0, 0, 1, 0, 1, 1, 0, 0]
# The better list, 1: A, 2: a tie, 3: B.
BETTER = [1, 1, 3, 2, 2, 3]
VERDICTS = [1, 3, 3, 2, 1, 3]


@pytest.fixture
def study(owner):
    study = factories.make_study("podcasts", owner, questions={}, kind="list_pair")
    fit = factories.make_question(study, "fits", "likert5", applies_to=["recommendation"])
    better = factories.make_question(
        study, "better", {"choice": ["A", "tie", "B"]}, applies_to=["list_pair"]
    )
    episodes, pairs = {}, {}
    for who in range(6):
        session = factories.make_session(study, f"person-{who}", role="recipient")
        pair = factories.make_item(
            study, f"pair-{who}", f"u{who}", None, None, kind=Item.Kind.LIST_PAIR
        )
        factories.make_rating(session, pair, better, BETTER[who])
        pairs[pair, better] = VERDICTS[who]
        for place in range(3 * who, 3 * who + 3):
            episode = factories.make_item(
                study,
                f"episode-{place}",
                f"u{who}",
                f"c{place}",
                "tower",
                kind=Item.Kind.RECOMMENDATION,
            )
            factories.make_rating(session, episode, fit, PEOPLE[place])
            episodes[episode, fit] = FITS[place]
    endpoint = factories.make_endpoint()
    for name, method, question, values in (
        ("mine", "fit", "fits", episodes),
        ("mine, lists", "pairwise", "better", pairs),
    ):
        judge = factories.make_judge(
            study,
            name,
            endpoint,
            method=method,
            prompt=f"{method}.v1",
            question=question,
            context="profile",
        )
        factories.make_judgments(judge, values)
    return study


def cells_of(study, **named):
    recipe = P3()
    chosen = choose(recipe, study, named)
    return {both.place: both for both in recipe.compared(read_answers(study), chosen)}


def test_numbers_of_the_study_stand_beside_the_printed(study):
    cells = cells_of(study)
    ours = {place: both.measured for place, both in cells.items()}
    liked = [rating >= 4 for rating in PEOPLE]
    area = ours["1", "LaaJ-Profile", "ROC-AUC"]
    assert area.value == pytest.approx(roc_auc_score(liked, FITS))
    assert area.low < area.value < area.high
    # Three of the same list, one tie of both; the opposite list, and a tie of one alone, are lost.
    lists = [ours["1", "LaaJ-Profile", name].value for name in ("W", "T", "L", "MSA")]
    assert lists == pytest.approx([3, 1, 2, 4 / 6])
    alike = [a == bool(b) for a, b in zip(liked, FITS, strict=True)]
    label = ours["Figure 3", "Episodes: same label", "LaaJ-Profile"]
    assert label.value == pytest.approx(sum(alike) / 18)
    only_judge = sum(b and not a for a, b in zip(liked, FITS, strict=True)) / 18
    place = ("Figure 3", "Episodes: aligned for the judge, not for people", "LaaJ-Profile")
    assert ours[place].value == pytest.approx(only_judge)
    assert ours["Figure 3", "Lists: ties of people", "LaaJ-Profile"].value == BETTER.count(2)
    assert ours["Figure 3", "Lists: ties of the judge", "LaaJ-Profile"].value == VERDICTS.count(2)
    assert ours["Data", "Ratings of episodes", "Number"].value == 18
    assert ours["Data", "Ratings of episodes per person", "Number"].value == 3
    assert cells["Data", "People", "Number"].verdict == "differs"
    for place in (("1", "LaaJ-History", "MSA"), ("1", "sBERT-Sim", "ROC-AUC")):
        assert cells[place].verdict == "not computed"
        assert cells[place].measured.reason.startswith("no judge of the study is ")


def test_of_two_judges_that_do_the_same_one_has_to_be_named(study):
    endpoint = factories.make_endpoint(key="other")
    factories.make_judge(
        study, "second", endpoint, method="fit", prompt="fit.v1", question="fits", context="profile"
    )
    place = "1", "LaaJ-Profile", "ROC-AUC"
    unnamed = cells_of(study)[place]
    assert unnamed.verdict == "not computed"
    assert "mine, second; choose one for the role LaaJ-Profile fit" in unnamed.measured.reason
    named = cells_of(study, **{"LaaJ-Profile fit": "mine"})[place]
    assert named.verdict != "not computed"
    for wrong in ({"nobody": "mine"}, {"LaaJ-Profile fit": "nobody"}):
        with pytest.raises(ValueError, match="nobody"):
            choose(P3(), study, wrong)
