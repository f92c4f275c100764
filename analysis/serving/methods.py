"""Write a methods section that a paper can begin with, and the sources that it names."""

from analysis.options.choices import ALL
from analysis.options.common import SKIP
from analysis.options.parts import part_notes

# (key, what it is for, the source as one cites it)
SOURCES = {
    "zhang": "Zhang, X., Li, Y., Wang, J., Sun, B., Ma, W., Sun, P., & Zhang, M. (2024). Large "
    "language models as evaluators for recommendation explanations. In RecSys ’24. ACM.",
    "krippendorff": "Krippendorff, K. (2011). Computing Krippendorff’s alpha-reliability. "
    "University of Pennsylvania.",
    "cohen": "Cohen, J. (1968). Weighted kappa: Nominal scale agreement with provision for scaled "
    "disagreement or partial credit. Psychological Bulletin, 70(4), 213–220.",
    "fleiss": "Fleiss, J. L. (1971). Measuring nominal scale agreement among many raters. "
    "Psychological Bulletin, 76(5), 378–382.",
    "gwet": "Gwet, K. L. (2008). Computing inter-rater reliability and its variance in the "
    "presence of high agreement. British Journal of Mathematical and Statistical Psychology, "
    "61(1), 29–48.",
    "mcgraw": "McGraw, K. O., & Wong, S. P. (1996). Forming inferences about some intraclass "
    "correlation coefficients. Psychological Methods, 1(1), 30–46.",
    "hanley": "Hanley, J. A., & McNeil, B. J. (1982). The meaning and use of the area under a "
    "receiver operating characteristic (ROC) curve. Radiology, 143(1), 29–36.",
    "calderon": "Calderon, N., Reichart, R., & Dror, R. (2025). The alternative annotator test for "
    "LLM-as-a-judge: How to statistically justify replacing human annotators with LLMs. In "
    "ACL 2025.",
    "angelopoulos": "Angelopoulos, A. N., Duchi, J. C., & Zrnic, T. (2023). PPI++: Efficient "
    "prediction-powered inference. arXiv:2311.01453.",
    "field": "Field, C. A., & Welsh, A. H. (2007). Bootstrapping clustered data. Journal of the "
    "Royal Statistical Society: Series B, 69(3), 369–390.",
}


def methods(source, options):
    """Return the sentences, and the sources that they name in the order of their names."""
    answers, choices = source.answers, source.choices
    sentences = [
        _data(answers, choices),
        _reference(answers, options),
        " ".join(part_notes(source.study, options)),
        _judges(choices, options),
        _missing(options),
        "Agreement of judges with the reference was measured by correlation over all items, within "
        "recipients, within recipient–content pairs and over systems (Zhang et al., 2024), by the "
        "area under the ROC curve (Hanley & McNeil, 1982), and by Krippendorff’s α (2011), "
        "weighted κ (Cohen, 1968; Fleiss, 1971), AC1 and AC2 (Gwet, 2008) and intraclass "
        "correlations (McGraw & Wong, 1996).",
        "Judges were compared with single raters by the alternative annotator test "
        "(Calderon et al., 2025); means over systems combine people’s and judges’ answers by PPI++ "
        "(Angelopoulos et al., 2023).",
        _intervals(options),
    ]
    return [sentence for sentence in sentences if sentence], sorted(SOURCES.values())


def _data(answers, choices):
    people = answers.select_source("human")
    counted = people[~people["excluded"]]
    asked = f"{_count(len(answers.items), 'item')} and {_count(len(answers.questions), 'question')}"
    left = people["rater"].nunique() - counted["rater"].nunique()
    out = f"; {_count(left, 'further rater')} had been excluded" if left else ""
    return (
        f"The study has {asked}. {_count(counted['rater'].nunique(), 'rater')} gave "
        f"{_count(len(counted), 'rating')} that count{out}."
    )


def _reference(answers, options):
    whose = "all people" if options.reference == ALL else f"raters of the role {options.reference}"
    out = ", ".join(f"{column} = {value}" for column, value in options.exclude)
    left_out = f" Items with {out} were left out." if out else ""
    if options.only:
        kept = " and ".join(f"{column} = {value}" for column, value in options.only)
        left_out = f" Only items with {kept} were looked at.{left_out}"
    return f"The reference is the mean rating by {whose}.{left_out}"


def _judges(choices, options):
    names = options.judges or choices.judges
    if not names:
        return "No judge was compared."
    return f"{_count(len(names), 'judge')} were compared with it: {', '.join(names)}."


def _missing(options):
    def describe_missing(what, number):
        return f"missing {what} were " + ("dropped" if number is None else f"set to {number:g}")

    groups = "left out of means" if options.undefined == SKIP else "counted as 0"
    words = f"{describe_missing('references', options.missing_reference)}, "
    words += (
        f"{describe_missing('judgments', options.missing_judgment)}, and groups without a defined "
    )
    return words[0].upper() + words[1:] + f"coefficient were {groups}."


def _intervals(options):
    if not options.draws:
        return ""
    return (
        f"Intervals are 95 % percentile intervals of {options.draws:,} cluster-bootstrap draws by "
        f"recipient, else content, else item (Field & Welsh, 2007; seed {options.seed})."
    )


def _count(n, thing):
    return f"{n:,} {thing}{'' if n == 1 else 's'}"
