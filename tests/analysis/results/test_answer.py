"""The answer in labelled lines: who may stand in, for which use, and for which nobody may."""

from math import nan

from analysis.reports.base import Entry
from analysis.reports.verdict.sentences import PARTS
from analysis.results.answer import UNTESTED, left_open, say_answer


def entry(judge, question, answer, verdict="", reason="", **given):
    usual = {"next": "", "warnings": "", "agreement": 0.5, "rho": 0.4, "use": "rate_items"}
    usual["worth_low"] = 1.2
    row = {"evaluator": judge, "question": question, "answer": answer, "verdict": verdict}
    return Entry(row | usual | given, reason=reason, judge=judge, kind="judge")


def yes(judge, question, condition=""):
    worth = f"“{judge}” may stand in for one rater on “{question}”: as good as one of your raters."
    reason = f"{worth} {PARTS['elsewhere']} {condition}"
    return entry(judge, question, "yes", "may", reason.strip())


def test_a_judge_worth_less_than_a_rater_is_said_to_help_and_not_to_stand_in():
    help_ = entry("small", "wit", "yes", "may", "“small” may help on “wit”.", worth_low=0.6)
    spoken = say_answer([help_], ["small"], "expert")
    assert spoken.lead == "“small” may help beside a rater (expert) on “wit”."
    both = [yes("small", "truth"), help_, entry("small", "depth", "no", "level_off")]
    assert say_answer(both, ["small"]).lead == (
        "“small” may stand in for a rater on 1 of 3 questions (“truth”), and may help beside a "
        "rater on 1 of 3 questions (“wit”)."
    )


def test_both_of_two_questions_are_called_both():
    spoken = say_answer([yes("small", "truth"), yes("small", "wit")], ["small"])
    assert spoken.lead == "“small” may stand in for a rater on both questions."


def test_another_judge_that_only_helps_is_not_said_to_stand_in():
    helps = entry("other", "wit", "yes", "may", worth_low=0.6)
    entries = [yes("small", "truth"), helps, yes("third", "truth")]
    assert say_answer(entries, ["small", "other", "third"]).lines["Best judge"][1:] == [
        "Another judge that may stand in for a rater: “third” (“truth”).",
        "Another judge that may help beside a rater: “other” (“wit”).",
    ]


def compared(judge, question, answer, verdict="", reason="", **given):
    return entry(judge, question, answer, verdict, reason, use="compare_systems", **given)


def test_a_yes_is_said_with_the_verdict_s_own_conditions_and_with_what_it_does_not_cover():
    entries = [
        yes("small", "fluency", "It judged 80 % of the rated items."),
        yes("small", "clarity"),
        entry("small", "depth", "not_yet", "undecided", next="Collect 40 more items ($14)."),
        entry("small", "wit", "not_yet", "undecided", next="Collect 90 more items ($31)."),
        entry("small", "truth", "no", "level_off", "small is .9 points too high on truth."),
        yes("other", "fluency"),
        compared("small", "fluency", "no", "favours", "small favours s1: it may pick losers."),
        compared("small", "clarity", "not_yet", "undecided", next="Rate more of each system."),
        compared("other", "clarity", "yes", "may"),
        compared("small", "truth", "not_testable", "not_comparable"),
    ]
    spoken = say_answer(entries, ["small", "other"])
    assert spoken.lead == (
        "“small” may stand in for a rater on 2 of 5 questions (“fluency”, “clarity”)."
    )
    assert spoken.steps == [
        "For rating “depth”: collect 40 more items ($14).",
        "For rating “wit”: collect 90 more items ($31).",
        "For systems: rate more of each system.",
    ]
    assert spoken.lines == {
        "Best judge": [
            "“small”. Its correlation with a rater is .50; another rater's is .40.",
            "Another judge that may stand in for a rater: “other” (“fluency”).",
            "Another judge that may compare systems: “other” (“clarity”).",
        ],
        "Use it for": [
            "Rating “fluency”: as good as one of your raters. It judged 80 % of the rated items.",
            "Rating “clarity”: as good as one of your raters.",
        ],
        "Not yet for": [
            "Rating “depth”, “wit”: the ratings cannot tell yet.",
            "Comparing systems on “clarity”: the ratings cannot tell yet.",
        ],
        "Do not use it for": [
            "Rating “truth”: small is .9 points too high on truth.",
            "Comparing systems on “fluency”: small favours s1: it may pick losers.",
            UNTESTED,
        ],
    }
    assert spoken.sentences[1].startswith("Best judge: “small”. Its correlation with ")


def test_what_holds_for_all_uses_is_said_once_after_them():
    only = "This is for these 3 raters only."
    entries = [yes("small", "wit", f"Beyond its length .2. {only}"), yes("small", "depth", only)]
    assert say_answer(entries, ["small"]).lines["Use it for"] == [
        "Rating “wit”: as good as one of your raters. Beyond its length .2.",
        "Rating “depth”: as good as one of your raters.",
        only,
    ]


def test_a_yes_of_a_judge_that_favours_a_system_says_so_where_it_may_not_be_used():
    favours = (
        "It favours “v. 2” relative to “old” by .3 points more than people do" + PARTS["not_by_it"]
    )
    entries = [
        yes("small", "wit", f"It judged 8 of 10. {favours} It was named."),
        yes("small", "depth"),
        compared("small", "wit", "not_yet", "undecided", next="Rate more of each system."),
        compared("small", "depth", "not_yet", "undecided", next="Rate more of each system."),
    ]
    spoken = say_answer(entries, ["small"])
    lines = spoken.lines
    assert spoken.steps == ["Rate more of each system."]
    assert entries[2] not in left_open(entries, "small") and entries[3] in left_open(
        entries, "small"
    )
    assert lines["Use it for"] == [
        "Rating “wit”: as good as one of your raters. It judged 8 of 10. It was named.",
        "Rating “depth”: as good as one of your raters.",
    ]
    assert lines["Not yet for"] == [
        "Comparing systems on “depth”: the ratings cannot tell yet.",
    ]
    assert lines["Do not use it for"] == [
        "Comparing systems on “wit”: it favours “v. 2” relative to “old” by .3 points more than "
        "people do.",
        UNTESTED,
    ]


def test_systems_that_the_judge_may_compare_are_a_use():
    entries = [yes("small", "wit"), compared("small", "wit", "yes", "may")]
    assert say_answer(entries, ["small"]).lines["Use it for"][1] == (
        "Comparing systems on “wit”: these systems only, a new one is untested."
    )


def test_the_role_is_named_where_several_have_rated():
    spoken = say_answer([yes("small", "fluency")], ["small"], "expert")
    assert spoken.lead == "“small” may stand in for a rater (expert) on “fluency”."


def test_no_judge_yet_names_the_first_one_and_what_is_left():
    entries = [
        entry("a", "fluency", "not_yet", "undecided", "a keeps at least 27 %.", next="Collect 9."),
        entry("b", "fluency", "no"),
    ]
    spoken = say_answer(entries, ["a", "b"])
    assert spoken.lead == "No judge may stand in for a rater yet."
    assert spoken.lines == {
        "Best judge": [
            "“a” comes first, but may not stand in yet. "
            "Its correlation with a rater is .50; another rater's is .40."
        ],
        "Use it for": ["Nothing yet."],
        "Not yet for": ["Rating “fluency”: a keeps at least 27 %."],
    }
    assert spoken.steps == ["Collect 9."]
    assert spoken.sentences[-1] == "To settle what is open: Collect 9."


def test_what_is_the_same_on_several_questions_is_said_once_with_its_numbers():
    few = "Too few items to decide: 24 have two ratings, and at least 30 are needed."
    entries = [
        entry(
            *("a", key, "not_yet", "too_few", f"{few} Do not use “a” alone on “{key}” yet."),
            next="Collect at least 6 more.",
        )
        for key in ("wit", "depth")
    ]
    spoken = say_answer(entries, ["a"])
    assert spoken.steps == ["Collect at least 6 more."]
    assert spoken.lines["Not yet for"] == [f"Rating “wit”, “depth”: {few}"]


def test_all_questions_are_counted_where_they_are_many():
    keys = ["wit", "depth", "truth", "tone"]
    entries = [entry("a", key, "not_yet", "undecided") for key in keys]
    entries += [compared("a", key, "not_yet", "undecided") for key in keys]
    assert say_answer(entries, ["a"]).lines["Not yet for"] == [
        "Rating all 4 questions: the ratings cannot tell yet.",
        "Comparing systems on all 4 questions: the ratings cannot tell yet.",
    ]


def test_no_without_hope_is_not_a_not_yet():
    spoken = say_answer([entry("a", "fluency", "no", agreement=nan)], ["a"])
    assert spoken.lead == "No judge may stand in for a rater."
    assert spoken.lines == {
        "Use it for": ["Nothing."],
        "Do not use it for": ["Rating “fluency”: “a” may not."],
    }


def test_what_more_ratings_never_tell_is_not_said_to_be_open():
    entries = [entry("a", key, "not_yet", "known_features") for key in ("wit", "depth")]
    assert say_answer(entries, ["a"]).lines["Not yet for"] == [
        "Rating “wit”, “depth”: “a” is not shown to tell more than anybody could without reading."
    ]


def test_where_people_disagree_no_judge_is_to_blame():
    reasons = {"wit": "raters_disagree", "depth": "known_features"}
    entries = [
        entry("a", key, "people_disagree", reason, agreement=nan) for key, reason in reasons.items()
    ]
    spoken = say_answer(entries, ["a"])
    assert spoken.lead == (
        "No judge can be shown to stand in for a rater: people disagree with one another."
    )
    assert spoken.lines == {
        "Use it for": ["Nothing."],
        "Do not use it for": [
            "Rating “wit”, “depth”: people agree too little to show that any judge may."
        ],
    }


def test_nothing_judged_is_said():
    assert say_answer([], []).sentences == [
        "No judge has judged an item that people rated, so nothing can be said of judges."
    ]
