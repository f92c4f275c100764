"""Write the methods paragraph of a paper: what was compared, how, and with which options."""

from analysis.options.choices import ALL
from analysis.options.common import SKIP
from analysis.options.declare import declared
from analysis.options.parts import part_notes
from annotate.values.texts import count_of

# What each section rests on, in sentences; {} are options of its report.
OF_SECTION = {
    "answer": "A judge passes on a question if it is shown to keep more than {retention} of "
    "what one rater tells about another [@spearman1904; @pigeot2003], also beyond "
    "text length, systems and contents, and if its mean is off by less than the margin, by two "
    "one-sided tests [@schuirmann1987], each at level {alpha:g}; raters have to agree by at least "
    "{floor:g}. Standard errors are by cluster, and by rater where raters count as a sample "
    "[@cameron2011]. All judges and questions are corrected as one family [@benjamini1995]. The "
    "alternative annotator test [@calderon2025] is reported beside it and decides nothing.",
    "agreement": "Agreement was measured by Krippendorff’s α [@krippendorff2011], beside it by "
    "Fleiss’ κ [@fleiss1971], AC2 [@gwet2008] and intraclass correlations [@mcgraw1996].",
    "correlation": "Judges were compared with the reference by Pearson’s r over all items and, "
    "where the study has them, within recipients, within recipient–content pairs and over systems "
    "[@zhang2024].",
    "yes_no": "Whether a judge tells good items from the rest was measured by the area under the "
    "ROC curve [@hanley1982].",
    "bias": "Bias is the mean of judge less people; its slope on the length of the text has "
    "cluster-robust standard errors [@liang1986].",
    "lists": "Choices between two lists are compared by model selection agreement, the share of "
    "pairs with the same choice as the majority of people [@fabbri2025].",
}
# The section whose sentence another one needs too.
LEANS_ON = {"leaderboard": "answer", "figure": "answer"}
MOST_NAMED = 6  # judges; more are named in the tables alone
COMMON = ("exclude", "only", "by", "part", "judges")  # told of the study, not of a report


def paragraphs_of(source, names, options_by_title, verdict_options):
    """Return the methods as two paragraphs with citations; the second names all options.

    names: of the paper's sections; options_by_title: {title of a report: its options};
    verdict_options: those of the verdict.
    """
    wanted = dict.fromkeys(LEANS_ON.get(name, name) for name in names)
    sentences = [
        *_study(source),
        *part_notes(source.study, verdict_options),
        *(
            OF_SECTION[name].format(**verdict_options.as_dict())
            for name in wanted
            if name in OF_SECTION
        ),
        *_shared([*options_by_title.values()]),
    ]
    return [*filter(None, [" ".join(sentences), _options(options_by_title)])]


def _study(source):
    """Yield what was rated by whom, and which judges were compared."""
    answers, judges = source.answers, source.choices.judges
    people = answers.select_source("human")
    counted = people[~people["excluded"]]
    left = people["rater"].nunique() - counted["rater"].nunique()
    out = f"; {count_of(left, 'further rater')} had been excluded" if left else ""
    yield (
        f"The study has {count_of(len(answers.items), 'item')} and "
        f"{count_of(len(answers.questions), 'question')}. "
        f"{count_of(counted['rater'].nunique(), 'rater')} gave "
        f"{count_of(len(counted), 'rating')} that count{out}."
    )
    if judges:
        named = f": {', '.join(judges)}" if len(judges) <= MOST_NAMED else ""
        were = "was" if len(judges) == 1 else "were"
        yield f"{count_of(len(judges), 'judge')} {were} compared with people{named}."


def _shared(every):
    """Yield sentences on the options that several reports share; all have the usual ones."""
    roles = {options.reference for options in every if "reference" in declared(type(options))}
    if roles:
        yield f"The reference is the mean rating by {' or '.join(map(whom, sorted(roles)))}."
    drawn = next((options for options in every if options.draws), None)
    if drawn:
        yield (
            f"Intervals are 95 % percentile intervals of {drawn.draws:,} cluster-bootstrap draws "
            f"by recipient, else content, else item [@field2007], with seed {drawn.seed}."
        )
    for options in every:
        if "undefined" in declared(type(options)):
            how = "left out of means" if options.undefined == SKIP else "counted as 0"
            yield f"Groups without a defined coefficient were {how}."
            break


def whom(role):
    """Return whose ratings a reference has, in words."""
    words = {ALL: "all people", "third_party": "third parties"}
    return words.get(role, f"{role}s")


def _options(options_by_title):
    """Name every option of every report with its value."""
    told = "; ".join(f"{title}: {_values(own)}" for title, own in options_by_title.items())
    return f"All options: {told}." if told else ""


def _values(options):
    """Write the options of a report as `name value`; blank ones are none."""
    return ", ".join(
        f"{name.replace('_', ' ')} {_value(value)}"
        for name, value in options.as_dict().items()
        if name not in COMMON or value not in (None, [], ALL)
    )


def _value(value):
    if isinstance(value, list):
        return ", ".join(map(str, value))
    if value is None or value == "":
        return "as usual"
    return f"{value:,}" if isinstance(value, int) else str(value).replace("_", " ")
