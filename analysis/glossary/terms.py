"""The terms of the researchers' pages, in alphabetical order, and the reports that use them."""

from dataclasses import dataclass
from functools import cache


@dataclass(frozen=True)
class Term:
    """A term: its anchor, its name, its symbol if it has one, and what it means in plain words.

    reports: names of the reports whose pages list it.
    """

    key: str
    name: str
    symbol: str
    meaning: str
    reports: tuple = ()

    @property
    def label(self):
        """Return the name with the symbol in brackets."""
        return f"{self.name} ({self.symbol})" if self.symbol else self.name


def _term(key, name, meaning, reports="", symbol=""):
    return Term(key, name, symbol, meaning, tuple(reports.split()))


@cache
def terms_by_key():
    """Return {key: Term}, in alphabetical order of the names."""
    ordered = sorted(TERMS, key=lambda term: term.name.casefold())
    return {term.key: term for term in ordered}


def terms_of(report):
    """Return the Terms that the page of a report lists."""
    return [term for term in terms_by_key().values() if report in term.reports]


TERMS = (
    _term(
        "advantage",
        "Advantage probability",
        "How often the judge is at least as close to the other raters of an item as a rater is. "
        "At .5 it is as close as a rater.",
        "substitution",
    ),
    _term(
        "agreement",
        "Agreement of judge and rater",
        "The correlation of the judge’s answers with those of one rater. 0 is no relation, 1 is a "
        "perfect one.",
        "verdict plan stop cost",
        "r",
    ),
    _term(
        "alpha",
        "Krippendorff’s alpha",
        "How far raters agree beyond what chance would give: 1 is full agreement, 0 is what chance "
        "gives. It takes missing answers and any number of raters.",
        "agreement raters exclusions reasons",
        "α",
    ),
    _term(
        "at-least",
        "At least",
        "The lower end of a one-sided 95 % interval. The true value is below it in at most one of "
        "twenty studies.",
        "verdict",
    ),
    _term(
        "auc",
        "Area under the ROC curve",
        "The chance that the judge puts an item that people find good above one that they do not. "
        "Guessing gives .5, a perfect order 1.",
        "roc profile",
        "AUC",
    ),
    _term(
        "average-precision",
        "Average precision",
        "Precision, averaged while one goes down the judge’s order of items. Without any skill it "
        "is the share of good items.",
        "precision_recall",
    ),
    _term(
        "baseline",
        "Baseline",
        "A way of answering without insight, such as a coin, the most frequent answer, the length "
        "of the text or people’s mean of each system. A judge that is no better has shown nothing.",
        "verdict correlation agreement roc",
    ),
    _term(
        "beyond-groups",
        "Beyond what is known",
        "The same number once all that is known of an item is taken off at once: its system, "
        "content, recipient, text length and raters. It shows what a judge knows about single "
        "items.",
        "verdict",
        "r′, ρ′",
    ),
    _term(
        "bias",
        "Bias",
        "An error in one direction, such as too much for long texts or for one system.",
        "bias",
    ),
    _term(
        "bootstrap",
        "Cluster bootstrap",
        "A way to get an interval: whole clusters are drawn again, with replacement, many times, "
        "and the number is computed for each draw.",
        "agreement correlation roc differences ensembles counterfactual factuality",
    ),
    _term(
        "calibration",
        "Calibration",
        "Whether a judge’s values mean what they say: whether of the items with a value of .8 "
        "about 80 % are good. A calibrated judge can still order items badly.",
        "calibration bias",
    ),
    _term(
        "cannot-be-tested",
        "Cannot be tested",
        "An answer of the verdict: there is nothing to test the judge by, as no item has two "
        "ratings and a judgment, or as it may have seen the ratings.",
        "verdict",
        "–",
    ),
    _term(
        "ceiling",
        "Human ceiling",
        "How closely one rater follows the mean of the other raters. A judge at the ceiling "
        "follows people as closely as people follow one another.",
        "substitution",
    ),
    _term(
        "cf",
        "Counterfactual proximity",
        "How much a recommendation depends on a film of the history: the recommender is trained "
        "again without that film. CF-A approximates this without the training.",
        "counterfactual",
        "CF, CF-A",
    ),
    _term(
        "cluster",
        "Cluster",
        "Items that belong together because they share a recipient, or else a content. Their "
        "errors go together, so that intervals count clusters rather than items.",
        "verdict plan stop correlation agreement differences cost prediction_powered",
    ),
    _term(
        "compare-systems",
        "Compare systems",
        "A use of a judge: to say which of two systems is better. A judge that rates items well "
        "may still favour a system, so that this use has an answer of its own.",
        "verdict",
    ),
    _term(
        "confusion",
        "Confusion matrix",
        "A table that counts which label the judge gave to items of each label by people.",
        "confusion",
    ),
    _term(
        "content",
        "Content",
        "What is recommended, such as a film, a podcast or a product.",
        "correlation variance",
    ),
    _term(
        "decisiveness",
        "Decisiveness",
        "The share of pairs of lists that a side decides, rather than calling them a tie.",
        "preferences",
    ),
    _term(
        "effective-labels",
        "Effective labels",
        "How many ratings alone would give a mean with as narrow an interval as the ratings and "
        "the judge give together.",
        "prediction_powered",
    ),
    _term(
        "ensemble",
        "Ensemble",
        "Several judges whose answers are combined into one, by their mean, their median or "
        "learned weights.",
        "ensembles cost",
    ),
    _term(
        "epsilon",
        "Epsilon",
        "What a judge is credited with in the alternative annotator test because it is cheaper "
        "than people. The larger it is, the easier the test.",
        "substitution",
        "ε",
    ),
    _term(
        "evaluator",
        "Evaluator",
        "Whoever gives answers that can be compared: a judge, one rater, or the mean of a role.",
        "correlation differences disagreements",
    ),
    _term(
        "family",
        "Family",
        "All pairs of a judge and a question that were tried on the same ratings. The more were "
        "tried, the more one of them looks good by luck, and the stricter the test is.",
        "verdict differences",
    ),
    _term(
        "favours",
        "Favours a system",
        "The judge’s difference of two systems is significantly larger than people’s, in favour "
        "of one of them.",
        "verdict preferences",
    ),
    _term(
        "fleiss",
        "Fleiss’ and Cohen’s kappa",
        "How far labels agree beyond what chance would give, for several raters (Fleiss) or for "
        "two (Cohen). Weights make near misses count less.",
        "agreement variance",
        "κ",
    ),
    _term(
        "frontier",
        "Frontier",
        "What nothing else beats in both cost and accuracy.",
        "cost",
    ),
    _term(
        "holm",
        "Holm’s correction",
        "A way to make tests stricter when there are several, so that all of them together err in "
        "at most 5 % of studies.",
        "differences verdict counterfactual factuality metamorphic",
    ),
    _term(
        "icc",
        "Intraclass correlation",
        "The share of the differences between ratings that is due to the items, and not to raters "
        "or chance.",
        "agreement variance bias",
        "ICC",
    ),
    _term(
        "interval",
        "Interval",
        "The values in square brackets. In 95 of 100 studies like this one they hold the true "
        "value.",
        "agreement correlation roc verdict prediction_powered",
        "[ ]",
    ),
    _term(
        "item",
        "Item",
        "What is rated and judged, such as an explanation, a pair of lists or a statement.",
        "disagreements misjudged",
    ),
    _term(
        "item-sim",
        "Similarity of contents",
        "How alike a film of the history and the recommended one are: by the vectors of the "
        "recommender (Item-Sim) or by the genres that they share (Genre-Jacc).",
        "counterfactual",
        "Item-Sim, Genre-Jacc",
    ),
    _term(
        "judge",
        "Judge",
        "A program that answers the questions in place of people: an LLM with a prompt, a metric, "
        "or scores from a file.",
        "verdict correlation",
    ),
    _term(
        "kendall",
        "Kendall’s tau",
        "How far two orders agree: the share of pairs in the same order less the share in the "
        "opposite one.",
        "correlation differences robustness counterfactual metamorphic",
        "τ",
    ),
    _term(
        "lambda",
        "Weight of the judge",
        "How far a prediction-powered mean relies on the judge: 0 not at all, 1 fully.",
        "prediction_powered",
        "λ",
    ),
    _term(
        "level",
        "Level",
        "The mean of the judge’s scores less the mean of people’s. A judge can order items "
        "rightly and still score all of them too high.",
        "verdict bias",
    ),
    _term(
        "levels",
        "Four levels of correlation",
        "Over all items at once (dataset), within each recipient (user), within each recipient and "
        "content (pair), or over the means of systems (system).",
        "correlation differences",
    ),
    _term(
        "max-t",
        "Max-T",
        "A correction for many comparisons that are made on the same draws. It takes into account "
        "how strongly they go together, so that it misses less than Holm’s.",
        "differences",
    ),
    _term(
        "msa",
        "Selection accuracy",
        "The share of pairs of lists for which judge and people name the same list, or both call "
        "it a tie.",
        "selection",
        "MSA",
    ),
    _term(
        "n",
        "Count",
        "How many items, pairs or people a number was computed from.",
        "correlation agreement roc cost",
        "n",
    ),
    _term(
        "named",
        "Named beforehand",
        "A judge that was chosen before it had judged anything. It is tested alone, without a "
        "correction for the judges that were tried besides.",
        "verdict",
    ),
    _term(
        "nli",
        "Natural language inference",
        "A model that says whether one sentence follows from another one, contradicts it, or "
        "neither.",
        "factuality",
        "NLI",
    ),
    _term(
        "no",
        "No",
        "An answer of the verdict: the ratings show that the judge is not good enough, and the "
        "reason stands beside it.",
        "verdict",
        "✗",
    ),
    _term(
        "noise-floor",
        "Noise floor",
        "How far a judge’s answers move when the same prompt is asked again.",
        "robustness metamorphic",
    ),
    _term(
        "not-yet",
        "Not yet",
        "An answer of the verdict: the ratings cannot tell so far. More of them may.",
        "verdict plan stop",
        "…",
    ),
    _term(
        "omega",
        "Winning rate",
        "The share of raters whom the judge matches at least as well as they match each other, in "
        "the alternative annotator test. From .5 on the judge passes.",
        "substitution verdict",
        "ω",
    ),
    _term(
        "order-only",
        "Order only",
        "A reason of the verdict: the judge orders items as a rater does, but its level is not "
        "shown to be people’s. Use it for orders, not for means.",
        "verdict",
    ),
    _term(
        "p",
        "p-value",
        "How often a study would look at least as good by luck alone. Below .05 is the usual line.",
        "verdict differences substitution",
        "p",
    ),
    _term(
        "pearson",
        "Pearson’s correlation",
        "How far two sets of scores lie on a straight line: 1 rising, −1 falling, 0 no relation.",
        "correlation differences cost counterfactual",
        "r",
    ),
    _term(
        "people-disagree",
        "People disagree",
        "An answer of the verdict: raters agree so little that no judge can be shown to do more. "
        "A clearer question helps, more items do not.",
        "verdict stop",
        "≠",
    ),
    _term(
        "pilot",
        "Pilot",
        "The ratings that are there already, used to plan how many more are needed.",
        "plan",
    ),
    _term(
        "place",
        "Place",
        "One rating that an item is to get. Whoever begins a session holds places, and an answer "
        "fills one.",
    ),
    _term(
        "position",
        "Position",
        "Where a list stands on the screen or in the prompt, or where an entry stands in a list. "
        "A judge that prefers what comes first has a bias of position.",
        "bias",
    ),
    _term(
        "power",
        "Power",
        "The share of studies of this size that would find what is there. .8 is usual.",
        "plan",
    ),
    _term(
        "precision-recall",
        "Precision and recall",
        "Precision: how many of the items that the judge calls good are good. Recall: how many of "
        "the good ones it calls so.",
        "precision_recall factuality selection",
    ),
    _term(
        "ppi",
        "Prediction-powered mean",
        "The mean that people would give, estimated from a few ratings and the judge’s scores of "
        "all items. It stays right however bad the judge is; a good one narrows the interval.",
        "prediction_powered",
        "PPI",
    ),
    _term(
        "rate-items",
        "Rate items",
        "A use of a judge: to score single items in place of a rater.",
        "verdict",
    ),
    _term(
        "rbo",
        "Rank-biased overlap",
        "How far two lists agree, counting the first places most: 1 for equal lists, 0 for lists "
        "that share nothing.",
        "metamorphic",
        "RBO",
    ),
    _term(
        "recipient",
        "Recipient",
        "The person to whom something is recommended. A recipient may also be a rater.",
        "correlation variance profile",
    ),
    _term(
        "reference",
        "Reference",
        "The people whose answers judges are compared with: all of them, or those of one role. "
        "An item’s reference text is another thing: a text that the item’s own is compared with.",
        "correlation roc confusion calibration disagreements",
    ),
    _term(
        "reliability",
        "Raters’ own agreement",
        "The correlation of two raters’ answers to the same items. It says how much of a rating "
        "another rater would give too.",
        "verdict plan stop",
        "ρ",
    ),
    _term(
        "retention",
        "Share to be kept",
        "How much of what one rater tells about another the judge has to tell too: two thirds "
        "where nothing else is chosen.",
        "verdict plan",
        "k",
    ),
    _term(
        "robustness",
        "Robustness",
        "How little a judge’s answers move when its prompt is changed in ways that should not "
        "matter: 1 less the share of the scale by which they do.",
        "robustness",
    ),
    _term(
        "roc",
        "ROC curve",
        "For each threshold on the judge’s scores, the share of good items above it against the "
        "share of other items above it.",
        "roc",
        "ROC",
    ),
    _term(
        "role",
        "Role",
        "In which capacity somebody rates: as the recipient, for whom the item was made, or as a "
        "third party, who judges for somebody else.",
        "verdict agreement correlation",
    ),
    _term(
        "rsm",
        "Recall of strong misalignment",
        "The share of items that people find badly misaligned which the judge also calls misfits.",
        "selection",
        "RSM",
    ),
    _term(
        "spearman",
        "Spearman’s rank correlation",
        "Pearson’s correlation of the ranks: how far two orders agree, whatever the distances.",
        "correlation differences robustness",
        "ρ",
    ),
    _term(
        "stand-in",
        "Stand in for a rater",
        "To be used in place of one rater for the use, questions and kinds of items that were "
        "tested.",
        "verdict",
    ),
    _term(
        "stopping",
        "Stopping plan",
        "A rule, fixed before the first rating, that says at any look whether collecting may "
        "stop without making errors more frequent.",
        "stop",
    ),
    _term(
        "system",
        "System",
        "What made an item: a recommender, a model or a way of writing explanations.",
        "correlation preferences bias",
    ),
    _term(
        "test-retest",
        "Test–retest",
        "How far the same rater or judge gives the same answer when asked again.",
        "variance bias",
    ),
    _term(
        "threshold",
        "Threshold",
        "The score from which an item counts as good.",
        "roc precision_recall thresholds confusion calibration",
    ),
    _term(
        "worth",
        "Worth in raters",
        "The mean of so many raters follows people’s shared opinion as closely as the judge does.",
        "verdict",
        "K",
    ),
    _term(
        "yes",
        "Yes",
        "An answer of the verdict: the ratings show that the judge is good enough for this use, on "
        "items, questions, groups and raters like those tested, with its settings unchanged.",
        "verdict",
        "✓",
    ),
)
