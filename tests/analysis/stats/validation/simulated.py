"""Studies with a known truth: a crowd, contents by systems, texts, and judges that know little."""

from dataclasses import dataclass

import numpy as np

from analysis.stats.validation.criteria import Scale
from analysis.stats.validation.evidence import Reference, gather_reference

FIVE = Scale(1, 5)
RATINGS, ITEMS_EACH = 3, 10


@dataclass
class Study:
    """A simulated study: its reference, the truth of each item, and what judges may know."""

    reference: Reference
    quality: np.ndarray
    system: np.ndarray
    content: np.ndarray
    length: np.ndarray
    by_system: np.ndarray
    by_content: np.ndarray
    rng: np.random.Generator
    pasted: np.ndarray | None = None

    def points(self, latent):
        """Values of SD 1 as answers on the raters' five points."""
        return np.clip(np.round(3 + latent), 1, 5)

    def follow(self, q):
        """A judge that correlates q with the truth, unrounded, spread as ratings are."""
        noise = self.rng.normal(size=len(self.quality))
        return 3 + q * self.quality + np.sqrt(1 - q**2) * noise

    def draw_rating(self, reliability):
        """A judge that is one more rater."""
        noise = self.rng.normal(size=len(self.quality))
        return self.points(np.sqrt(reliability) * self.quality + np.sqrt(1 - reliability) * noise)


def simulate(
    seed,
    reliability=0.3,
    system_share=0.4,
    content_share=0.0,
    contents=75,
    systems=4,
    *,
    are_contents_drawn=False,
    cluster_by="content",
    leniency=0.0,
    panel=0,
    pasting=0.0,
):
    """Simulate 300 items x 3 ratings by raters of ten items; quality correlates .4 with the length.

    The shares are those of systems and contents in the variance of quality. seed: of a generator,
    or one. are_contents_drawn: contents are a sample, not effects of exactly SD 1. cluster_by:
    "content" or "system". leniency: the share of the raters in what is not quality. panel: raters
    who rate every item, instead of a crowd. pasting: the share of raters who paste the answers of
    a judge that knows nothing (`Study.pasted`).
    """
    rng = np.random.default_rng(seed)
    n = contents * systems
    system, content = np.tile(np.arange(systems), contents), np.repeat(np.arange(contents), systems)
    by_system = draw_means(rng, systems)
    by_content = rng.normal(size=contents) if are_contents_drawn else draw_means(rng, contents)
    own = rng.normal(size=n)
    length_z = 0.4 * own + np.sqrt(1 - 0.16) * rng.normal(size=n)
    quality = np.sqrt(1 - system_share - content_share) * own
    quality += np.sqrt(system_share) * by_system[system]
    quality += np.sqrt(content_share) * by_content[content]
    slots, raters = _hand_out(rng, n, panel)
    noise = rng.normal(size=len(slots))
    if leniency:
        by_rater = rng.normal(size=raters.max() + 1)
        noise = np.sqrt(leniency) * by_rater[raters] + np.sqrt(1 - leniency) * noise
    latent = np.sqrt(reliability) * quality[slots] + np.sqrt(1 - reliability) * noise
    ratings, pasted = np.clip(np.round(3 + latent), 1, 5), None
    if pasting:
        pasted = np.clip(np.round(3 + rng.normal(size=n)), 1, 5)
        is_pasting = rng.random(raters.max() + 1) < pasting
        ratings = np.where(is_pasting[raters], pasted[slots], ratings)
    length = np.round(np.exp(6 + 0.5 * length_z))
    reference = gather_reference(
        ratings,
        slots,
        raters,
        n,
        FIVE,
        clusters={"content": content, "system": system}[cluster_by],
        groupings={"system": system, "content": content},
        lengths=length,
    )
    return Study(reference, quality, system, content, length, by_system, by_content, rng, pasted)


def _hand_out(rng, n_items, panel):
    """Return item and rater of every rating: a panel's, or three of an item by raters of ten."""
    if panel:
        return np.tile(np.arange(n_items), panel), np.repeat(np.arange(panel), n_items)
    slots = np.concatenate([rng.permutation(n_items) for _ in range(RATINGS)])
    return slots, np.arange(len(slots)) // ITEMS_EACH


def draw_means(rng, number):
    """Draw effects of exactly mean 0 and SD 1."""
    means = rng.normal(size=number)
    return (means - means.mean()) / means.std()


def tricks(study):
    """Judges of one trick each: {name: answers}; none of them looks at an item's text."""
    rng, n = study.rng, len(study.quality)
    means = study.reference.people.means[:, 0]  # of all items: each has three ratings
    of_system = np.bincount(study.system, means) / np.bincount(study.system)
    systems, contents = len(of_system), len(study.by_content)
    log_length = np.log(study.length)
    spread = (log_length - log_length.mean()) / log_length.std()
    return {
        "constant": np.full(n, 3.0),
        "coin": rng.integers(1, 6, n).astype(float),
        "marginal draw": rng.permutation(np.round(means)),
        "length": 3 + spread,
        "rounded length": study.points(spread),
        "system": of_system[study.system],
        "random score per system": rng.uniform(1, 5, systems)[study.system],
        "system and noise": of_system[study.system] + 0.3 * rng.normal(size=n),
        "content": 3 + study.by_content[study.content],
        "random score per content": rng.uniform(1, 5, contents)[study.content],
    }
