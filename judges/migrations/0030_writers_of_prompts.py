"""Who wrote a prompt: of a paraphrase by an LLM, which model, asked what, at what cost."""

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("judges", "0029_finite_settings"),
    ]

    operations = [
        migrations.AddField(
            model_name="studyprompt",
            name="written_by",
            field=models.JSONField(
                blank=True,
                default=dict,
                help_text="Of a paraphrase by an LLM: endpoint, model, what was asked of which prompt, tokens and USD. Empty: people wrote it.",
            ),
        ),
    ]
