"""Offer the options of reports on the command line: the same options as on the pages."""

from analysis.options.form import DEFAULT_DRAWS, DEFAULT_PERSISTENCE, DEFAULT_SPLITS, query

OPTIONS = [
    ("--reference", "ROLE: recipient, third_party, expert or all people; default: by the study"),
    ("--missing-reference", "drop (default), or the number to put in"),
    ("--missing-judgment", "drop (default), or the number to put in"),
    ("--undefined", "skip (default) or zero: groups without a coefficient"),
    ("--threshold", "least mean rating that counts as positive; default: by the scale"),
    ("--epsilon", "substitution: head start of a judge, 0 to 0.5; default: by the reference role"),
    ("--standard-errors", "substitution: cluster (default) or plain"),
    ("--weighted", "judges' probability-weighted values: beside (default) the scores, or hide"),
    ("--strong", "selection: 1 (default) or 2, how many of the lowest ratings are strong misfits"),
    ("--criterion", "thresholds: youden (default) or f1"),
    ("--against", "differences: JUDGE that the others differ from; default: every two judges"),
    ("--least-raters", "disagreements: raters that an item needs; default 1"),
    ("--direction", "disagreements: both (default), higher or lower: where the judge stands"),
    ("--order", "disagreements: judge (default), or people: those divided most come first"),
    ("--splits", f"counterfactual: random 70/30 splits; default {DEFAULT_SPLITS}"),
    ("--persistence", f"metamorphic: p of rank-biased overlap; default {DEFAULT_PERSISTENCE}"),
    ("--entries", "metamorphic: all (default), or matched: those of the catalogue alone"),
    (
        "--cluster",
        "counterfactual: what intervals draw: together (default: what a session takes), recipient, "
        "or a COLUMN",
    ),
    ("--draws", f"bootstrap draws, 0 = no intervals; default {DEFAULT_DRAWS}"),
    ("--seed", "of the draws; default 1"),
    ("--part", "of a study with a test split: choose (default), test or all; locked: choose alone"),
    ("--version", "of the questionnaire: all (default), or the number of one"),
]


def add_options(parser):
    """Add all options of reports to a command's parser."""
    parser.add_argument(
        "--exclude",
        action="append",
        default=[],
        metavar="COLUMN=VALUE",
        help="leave out items with this value; may be repeated",
    )
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="COLUMN=VALUE",
        help="only items with this value; may be repeated",
    )
    parser.add_argument("--by", metavar="COLUMN", help="a report for each value of this column")
    parser.add_argument(
        "--judge",
        action="append",
        default=[],
        dest="judges",
        metavar="NAME",
        help="look at this judge only; may be repeated",
    )
    for name, text in OPTIONS:
        parser.add_argument(name, help=text)


def given_options(given):
    """Return the options given in the shape that the form of a page reads."""
    names = [
        "exclude",
        "only",
        "by",
        "judges",
        *(name[2:].replace("-", "_") for name, _ in OPTIONS),
    ]
    return query({name: given[name] for name in names})
