"""The reports by name, with what their pages say of them."""

from collections.abc import Callable
from dataclasses import dataclass

from analysis.reports.agreement import agreement
from analysis.reports.confusion import confusion
from analysis.reports.correlation import correlation
from analysis.reports.roc import roc


@dataclass(frozen=True)
class Kind:
    """A report: how it is called, what it says, how it is computed, and from whom that comes."""

    name: str
    title: str
    method: str
    formula: list
    source: str
    build: Callable


KINDS = [
    Kind(
        "correlation",
        "Correlation",
        "How closely each judge or rater follows the reference: over all items at once, within "
        "each recipient, within each recipient–content pair, and over the systems' means.",
        [
            "dataset: r over all items with both values.",
            "user: mean over recipients of r within the recipient.",
            "pair: mean over (recipient, content) of r within the pair, across systems.",
            "system: r of the systems' mean scores.",
            "r is Pearson's r, Spearman's ρ or Kendall's τ-b. average: mean over the questions.",
        ],
        "Three-level meta-evaluation of explanation texts by LLMs (2024); coefficients equal "
        "scipy.stats.pearsonr, spearmanr and kendalltau (variant b).",
        correlation,
    ),
    Kind(
        "agreement",
        "Agreement",
        "How far people agree among themselves, with each judge as one more rater, and each judge "
        "with the raters of a role; several coefficients, as each has its blind spot.",
        [
            "percent: share of agreeing pairs of ratings, over all pairs on all items.",
            "Krippendorff's α = 1 − observed / expected disagreement; distance δ² nominal "
            "1[c ≠ k], interval (c − k)², ordinal (Σ n_g from c to k − (n_c + n_k)/2)².",
            "Cohen's κ over the whole scale: plain, linear or quadratic weights.",
            "ICC in McGraw and Wong's forms (1), (A) and (C), of one rater and of the mean of k; "
            "with unequal k, ICC(1) takes k₀ = (N − Σk²/N)/(n − 1).",
        ],
        "Krippendorff (2011); Cohen (1960, 1968); Light (1971); McGraw & Wong (1996); Gwet (2014).",
        agreement,
    ),
    Kind(
        "roc",
        "ROC and AUC",
        "How well each judge or rater tells the items that people find good, by the threshold on "
        "the mean rating, from the rest: the area under the ROC curve.",
        [
            "AUC = share of (positive, negative) pairs of items in which the positive one scores "
            "higher, ties counting half (Mann–Whitney U / (n₁ n₀)).",
            "Positive: mean of the included ratings of the reference ≥ threshold.",
        ],
        "Mann & Whitney (1947); Hanley & McNeil (1982).",
        roc,
    ),
    Kind(
        "confusion",
        "Confusion matrices",
        "Which label the judge gives to items of each label by people: counts of items, rows "
        "people, columns the judge.",
        [
            "Likert: mean ratings rounded to the scale, halves down, people and judges alike.",
            "With a threshold: mean ≥ threshold against value ≥ threshold.",
            "Choice: majority of the raters; ties are dropped and counted.",
        ],
        "Counts; labels in the order of the scale.",
        confusion,
    ),
]
REPORTS = {kind.name: kind for kind in KINDS}
