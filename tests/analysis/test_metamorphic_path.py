"""From a scripted recommender to the report: what it does to each prompt is what the table says."""

import re
from math import isnan

import pytest

from analysis.answers import frame
from analysis.reports.metamorphic.report import KIND, METAMORPHIC, MetamorphicOptions
from annotate.models import Content, Interaction, Recipient
from judges.methods.recommend.plans import Trial
from judges.models import StudyPrompt
from judges.runs import drive
from judges.runs.plan import plan
from tests import factories
from tests.scripted_server import ScriptedServer, chat

pytestmark = pytest.mark.django_db
TITLES = [
    "Heat (1995)",
    "Alien (1979)",
    "Solaris (1972)",
    "Amélie (2001)",
    "Toy Story (1995)",
    "Vertigo (1958)",
    "Brazil (1985)",
    "Ran (1985)",
    "Fargo (1996)",
    "Jaws (1975)",
    "Rocky (1976)",
    "Psycho (1960)",
]
BASE, OTHERS = TITLES[:5], TITLES[5:10]


@pytest.fixture
def films(owner):
    """Twelve films; three recipients rated the last two, which nobody recommends; one rated one."""
    study = factories.make_study(owner=owner, questions={})
    contents = [
        Content.objects.create(study=study, key=f"f{number}", title=title)
        for number, title in enumerate(TITLES)
    ]
    for who, rated in (("u1", 2), ("u2", 2), ("u3", 2), ("u4", 1)):
        recipient = Recipient.objects.create(study=study, key=who)
        for content in contents[10 : 10 + rated]:
            Interaction.objects.create(study=study, recipient=recipient, content=content, rating=3)
    return study


def listed(titles):
    return "\n".join(f"- {title}" for title in titles)


def answer(_number, request):
    """The list reversed on a scale to 10, other films on one to 6, a swap among random words."""
    prompt = request["messages"][0]["content"]
    if "3/5" not in prompt and "/10" in prompt:
        return chat(listed(reversed(BASE)))
    if "/6" in prompt:
        return chat("\n".join(f"{at}. {title}" for at, title in enumerate(OTHERS, 1)))
    if any(f" {word} " in prompt for word in ("apple", "grape", "banana", "pear")):
        return chat(listed([BASE[1], BASE[0], *BASE[2:]]))
    return chat("Here are some:\n" + listed(BASE))


def report_of(study, server, **trial):
    judge = factories.make_judge(
        study,
        "teller",
        factories.make_endpoint(server.url),
        method="recommender",
        prompt="recommend.v1",
    )
    run = plan(judge, trial=Trial(**{"l": 2, "iterations": 2} | trial))
    drive.work_through(run.pk)
    return METAMORPHIC.build(frame.read_answers(study), MetamorphicOptions(draws=50))


def test_what_the_recommender_does_stands_in_table_4(films):
    relations = [["multiply", {}], ["shift", {}], ["random_words", {"rate": 1}]]
    with ScriptedServer(answer) as server:
        report = report_of(films, server, relations=relations)
        prompts = [request["messages"][0]["content"] for request in server.requests]
    found = {
        (row["relation"], row["measure"]): row["value"]
        for row in report.rows
        if row["part"] == "relations"
    }
    for relation, tau, common, rbo, overlap in (
        ("no_change", 1, 1, 1, 1),
        ("multiply", 15 / 35, -1, 0.737775, 1),
        ("random_words", 33 / 35, 0.8, 0.9, 1),
        ("shift", -1, None, 0, 0),
    ):
        assert found[relation, "tau_topk"] == pytest.approx(tau), prompts[:3]
        assert common is None or found[relation, "tau_common"] == pytest.approx(common)
        assert found[relation, "rbo"] == pytest.approx(rbo, abs=1e-6)
        assert found[relation, "overlap"] == pytest.approx(overlap)
    counted = {
        (row["relation"], row["measure"]): row for row in report.rows if row["part"] == "counts"
    }
    assert counted["shift", "unmatched"]["value"] == 0 and counted["shift", "unmatched"]["n"] == 30
    assert counted["no_change", "no_list"]["why"] == "not asked: 1"  # u4 rated too few
    assert not films.items.exists()


def test_replies_without_a_list_are_no_list_and_not_a_list_that_has_nothing_in_common(
    films, client, owner
):
    """As models answer a prompt of random words: they ask what is meant, or say "ok"."""
    evasions = iter(["ok", "Could you please clarify your request?"] * 3)

    def script(_number, request):
        prompt = request["messages"][0]["content"]
        is_odd = any(f" {word} " in prompt for word in ("apple", "grape", "banana", "pear"))
        return chat(next(evasions) if is_odd else listed(BASE))

    with ScriptedServer(script) as server:
        report = report_of(films, server, relations=[["random_words", {"rate": 1}]])
    (rbo,) = (
        row
        for row in report.rows
        if (row["relation"], row["measure"], row["part"]) == ("random_words", "rbo", "relations")
    )
    assert isnan(rbo["value"]) and (rbo["lists"], rbo["skipped"]) == (0, 6)
    (lost,) = (
        row
        for row in report.rows
        if (row["relation"], row["measure"]) == ("random_words", "no_list")
    )
    assert (lost["value"], lost["n"]) == (6, 6)
    assert lost["why"] == "no list of titles in the reply: 6"
    assert any("no list of titles in the reply: 6" in note for note in report.notes)
    client.force_login(owner)
    page = client.get(f"/studies/{films.slug}/analysis/metamorphic/", {"draws": 20}).text
    (table,) = re.findall(r"<table(?:(?!</table>).)*No list.*?</table>", page, re.DOTALL)
    words = " ".join(re.sub("<[^>]+>", " ", table).split())
    # No change: 3 baseline lists, 2 × 3 others, and the recipient who rated too little for any.
    assert "1 of 10 (10 %) not asked: 1" in words
    assert "6 of 6 (100 %) no list of titles in the reply: 6" in words


def test_sweeps_of_it_are_tables_2_and_3(films):
    with ScriptedServer(answer) as server:
        report = report_of(
            films, server, plans=["k_sweep", "l_sweep"], ks=[3, 5], ls=[1, 2], above=2
        )
    rows = [row for row in report.rows if row["measure"] == "rbo"]
    assert [(row["part"], row["k"], row["l"], row["value"]) for row in rows] == [
        ("k_sweep", 3, 0, 1),
        ("k_sweep", 5, 0, 1),
        ("l_sweep", 5, 1, 1),
        ("l_sweep", 5, 2, 1),
    ]


def test_each_wording_is_named_by_its_prompt(films):
    """In German it names others, in other English words the same."""
    texts = {"again": "Name $k to $user", "german": "Gegeben ist $user. Nenne $k"}
    for name, text in texts.items():
        StudyPrompt.objects.create(
            study=films, name=name, method="recommender", text=f"{text}; $rated ($low, $high)."
        )

    def script(_number, request):
        german = request["messages"][0]["content"].startswith("Gegeben")
        return chat(listed(OTHERS if german else BASE))

    names = ["own/german.v1", "own/again.v1"]
    with ScriptedServer(script) as server:
        relations = [["wording", {"prompt": name}] for name in names]
        report = report_of(films, server, relations=relations)
    rows = [row for row in report.rows if row["part"] == "relations" and row["measure"] == "rbo"]
    assert {row["cell"]: row["value"] for row in rows} == {
        "no_change": 1,
        "wording:prompt=own/german.v1": 0,
        "wording:prompt=own/again.v1": 1,
    }
    tables = KIND.layout(report, "all", None).tables
    assert [name for name, _ in tables[0].lines] == [
        "No change",
        "Other wording: own/again.v1",
        "Other wording: own/german.v1",
    ]
    assert "change most under “Other wording: own/german.v1”" in report.verdict[0]
