"""Show reviews in a prompt for topics: a line each, without those of a locked test part."""

from annotate.db.bulk import among
from annotate.design.splits import withheld
from annotate.models import Item, Study
from judges.methods.rows import in_turn
from judges.models import Side
from judges.models.statement import side_text
from judges.prompting import fill
from judges.prompting.episodes import cut

KINDS = (str(Item.Kind.EXPLANATION), str(Item.Kind.TEXT))
FIELDS = ("study_id", "key", "text", "review", "reference")
LONGEST = 1000  # characters of a review that are shown
BATCH = 1000  # items in memory together


def as_line(text):
    """Write a review in one line, cut where it is long: it can neither end nor begin its data."""
    return cut(fill.one_line(text), LONGEST)


def numbered(reviews):
    """Write [(item, line)] as a prompt shows them."""
    return "\n".join(f"{number}. {line}" for number, (_, line) in enumerate(reviews, 1))


def shown_samples(run, units):
    """Return [(unit, its reviews as shown)], without those of a test part that is locked now.

    A run may be in its midst when a part of its study is locked.
    """
    rows = list(run.topic_samples.filter(unit__in=units).order_by("unit"))
    hidden = hidden_reviews(Study.objects.get(pk=run.judge.study_id), rows)
    left = [[review for review in row.reviews if tuple(review) not in hidden] for row in rows]
    return [(row.unit, numbered(reviews)) for row, reviews in zip(rows, left, strict=True)]


def hidden_reviews(study, samples):
    """Find the samples' reviews, {(item, line)}, that are of a locked test part or read alike.

    It takes no query where no test part is locked.
    """
    hidden = withheld(study)
    reviews = {(pk, line) for sample in samples for pk, line in sample.reviews}
    never = _lines_of(hidden) if hidden else set()
    return {(pk, line) for pk, line in reviews if pk in hidden or line in never}


def _lines_of(pks):
    """Return all texts of these items, as samples have them."""
    items = Item.objects.filter(pk__in=among(pks), kind__in=KINDS, is_practice=False)
    with in_turn(items.only(*FIELDS), BATCH) as rows:
        return {as_line(side_text(item, side)) for item in rows for side in Side}
