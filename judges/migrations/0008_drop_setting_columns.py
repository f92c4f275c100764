"""Drop the columns whose values a judge's settings hold now."""

from django.db import migrations

COLUMNS = [
    "against",
    "aspects",
    "confidence",
    "content_word",
    "context",
    "days",
    "dimensions",
    "direction",
    "effect",
    "episodes",
    "example_role",
    "factors",
    "form",
    "history_length",
    "iterations",
    "json_list",
    "language",
    "max_tokens",
    "measure",
    "model",
    "most_statements",
    "most_topics",
    "neutral",
    "order",
    "output",
    "part_length",
    "parts",
    "pick",
    "pool_share",
    "profile_episodes",
    "rationale",
    "regularisation",
    "review_samples",
    "reviews",
    "samples",
    "seed",
    "shots",
    "sides",
    "strict",
    "temperature",
    "threshold",
    "top",
    "topics",
    "transcript_length",
    "weighted",
]


class Migration(migrations.Migration):
    dependencies = [("judges", "0007_fill_judge_settings")]

    operations = [migrations.RemoveField(model_name="judge", name=name) for name in COLUMNS]
