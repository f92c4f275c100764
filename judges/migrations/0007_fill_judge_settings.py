"""Copy each judge's settings from the columns that its kind and method use; or back into them."""

from django.db import migrations

BATCH = 500
TEXTS = ("against",)
WORDS = ("language", "against")
MODEL = ("form", "factors", "iterations", "regularisation", "confidence", "seed")
COUNTERFACTUAL = ("effect", "top", *MODEL)
BY_KIND = {
    "random": ("seed",),
    "bleu-1": WORDS,
    "bleu-4": WORDS,
    "rouge-1": WORDS,
    "rouge-l": WORDS,
    "chrf": TEXTS,
    "sts": TEXTS,
    "bert-score": TEXTS,
    "sbert": ("threshold",),
    "nli": ("measure",),
    "pair-model": ("model", "output", "direction", "parts", "against"),
    "cf": COUNTERFACTUAL,
    "cf-a": COUNTERFACTUAL,
    "cf-warm": COUNTERFACTUAL,
    "item-sim": MODEL,
}
VERDICT = ("temperature", "max_tokens", "samples")
CONTEXT = ("context", "history_length", "transcript_length", "profile_episodes")
BY_METHOD = {
    "questions": (
        "aspects",
        "temperature",
        "rationale",
        "max_tokens",
        "samples",
        "weighted",
        "shots",
        "example_role",
        "strict",
        "pool_share",
        "seed",
        "context",
        "history_length",
    ),
    "fit": (*VERDICT, *CONTEXT, "neutral"),
    "pairwise": (*VERDICT, *CONTEXT, "dimensions", "order", "seed"),
    "support": VERDICT,
    "profile": ("days", "episodes", "pick", "transcript_length", "temperature", "max_tokens"),
    "recommender": ("content_word", "json_list", "max_tokens"),
    "extraction": (
        "topics",
        "sides",
        "part_length",
        "most_statements",
        "temperature",
        "max_tokens",
    ),
    "topics": (
        "sides",
        "reviews",
        "review_samples",
        "most_topics",
        "seed",
        "temperature",
        "max_tokens",
    ),
}
COLUMNS = sorted({name for names in (*BY_KIND.values(), *BY_METHOD.values()) for name in names})
WITH_REASON = ("fit", "pairwise")  # the column said so; the methods say it themselves now


def names_of(judge):
    """Return the names of the settings that a judge of this kind and method has."""
    if judge.kind == "llm":
        return BY_METHOD[judge.method]
    return BY_KIND.get(judge.kind, ())


def fill(apps, schema_editor):
    """Put the values of the columns into the judge's settings."""
    judges = apps.get_model("judges", "Judge").objects
    for some in _batches(judges):
        for judge in some:
            judge.settings = {name: getattr(judge, name) for name in names_of(judge)}
        judges.bulk_update(some, ["settings"])


def put_back(apps, schema_editor):
    """Put the judge's settings into the columns, which hold their defaults now."""
    judges = apps.get_model("judges", "Judge").objects
    for some in _batches(judges):
        for judge in some:
            judge.rationale = judge.kind == "llm" and judge.method in WITH_REASON
            for name in names_of(judge):
                setattr(judge, name, judge.settings.get(name, getattr(judge, name)))
        judges.bulk_update(some, COLUMNS)


def _batches(judges):
    """Yield lists of judges, in the order of their ids."""
    last = 0
    while some := list(judges.filter(pk__gt=last).order_by("pk")[:BATCH]):
        yield some
        last = some[-1].pk


class Migration(migrations.Migration):
    dependencies = [("judges", "0006_judge_settings")]

    operations = [migrations.RunPython(fill, put_back)]
