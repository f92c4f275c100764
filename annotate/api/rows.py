"""Declare what the HTTP API shows of annotate's tables; names are the columns of the files."""

from django.core.validators import RegexValidator
from drf_spectacular.utils import extend_schema_field
from rest_framework import serializers

from annotate.api.fields import Answer, Filters, Strict, Text, key_filter
from annotate.files.reading.faults import limit_of
from annotate.files.reading.studyspec import StudySpec
from annotate.models import Item, Membership, Rater, Rating, Study
from annotate.studies.study_file import question_data
from annotate.values.texts import LONGEST, one_line_ends

KEY = "Its key in files and exports; `id` is its number here."


class Rows(serializers.Serializer):
    """Rows of a table as dictionaries, read with no more columns than are shown."""

    @classmethod
    def columns(cls):
        """List the columns that .values() has to fetch."""
        fields = cls().fields.values()
        return [name for field in fields for name in getattr(field, "columns", [field.source])]


class WhyExcluded(serializers.BooleanField):
    """Whether a reason to exclude somebody stands there."""

    def to_representation(self, value):
        return bool(value)


class ValueOrText(Answer):
    """The answer of a row, whichever of the two columns holds it."""

    columns = ("value", "text", "question__key")

    def __init__(self, **options):
        super().__init__(source="*", read_only=True, **options)

    def to_representation(self, row):
        if row["value"] is None:
            return row["text"]
        return self.context["view"].written(row["question__key"], row["value"])


def extra_columns():
    """Return the field with a row's extra columns."""
    return serializers.DictField(
        source="data", child=serializers.JSONField(), help_text="Further columns of the file."
    )


class QuestionRow(serializers.Serializer):
    """One question as study.yaml has it."""

    key = serializers.CharField()
    text = serializers.CharField()
    scale = serializers.JSONField(help_text="A name such as likert5, or an object.")
    required = serializers.BooleanField()
    applies_to = serializers.ListField(child=serializers.ChoiceField(Item.Kind), required=False)
    why = serializers.JSONField(required=False, help_text="true or required: raters say why.")
    retired = serializers.BooleanField(required=False, help_text="No longer asked.")


class StudyRow(serializers.Serializer):
    """A study with its questions."""

    study = serializers.CharField(source="slug", help_text="Its name in addresses.")
    title = serializers.CharField()
    kind = serializers.ChoiceField(Study.Kind)
    state = serializers.ChoiceField(Study.State, help_text="Open or closed for raters.")
    notice = serializers.CharField()
    role = serializers.ChoiceField(Membership.Role, help_text="Yours in this study.")
    raters_per_item = serializers.IntegerField()
    items_per_session = serializers.IntegerField()
    items = serializers.IntegerField(source="item_count")
    places = serializers.IntegerField(source="place_count", help_text="Ratings of items wanted.")
    places_filled = serializers.IntegerField(source="filled_count")
    created_at = serializers.DateTimeField()
    questions = serializers.SerializerMethodField()

    @extend_schema_field(QuestionRow(many=True))
    def get_questions(self, study):
        return [question_data(question, study.language) for question in study.questions.all()]


class StudyChange(Strict):
    """What a program may change of a study; what is left out stays."""

    title = Text(
        required=False,
        max_length=limit_of(StudySpec, "title", "max_length"),
        validators=[RegexValidator(r"\S", "This field may not be blank.")],
    )
    state = serializers.ChoiceField(Study.State, required=False)
    notice = Text(required=False, allow_blank=True, max_length=LONGEST)

    def validate_title(self, title):
        return title.strip()

    def validate_notice(self, notice):
        """Return the notice with the line ends of all long texts."""
        return one_line_ends(notice)


class ItemRow(Rows):
    """What is rated and judged."""

    id = serializers.IntegerField()
    item = serializers.CharField(source="key", help_text=KEY)
    kind = serializers.ChoiceField(Item.Kind)
    recipient = serializers.CharField(source="recipient__key", allow_null=True)
    content = serializers.CharField(source="content__key", allow_null=True)
    system = serializers.CharField(source="system__key", allow_null=True)
    text = serializers.CharField()
    reference = serializers.CharField()
    review = serializers.CharField()
    feature = serializers.CharField()
    parent = serializers.CharField(
        source="parent__key", allow_null=True, help_text="The list pair that it is a part of."
    )
    side = serializers.ChoiceField(["A", "B", ""])
    position = serializers.IntegerField(allow_null=True)
    practice = serializers.BooleanField(source="is_practice")
    extra = extra_columns()


class ItemFilters(Filters):
    item = key_filter("The item with this key.", source="key")
    kind = serializers.ChoiceField(Item.Kind, required=False)
    recipient = key_filter("Recommended to this recipient.", source="recipient__key")
    content = key_filter("About this content.", source="content__key")
    system = key_filter("Produced by this system.", source="system__key")


class RaterRow(Rows):
    """A person who answers, by a pseudonym; what a platform calls them is not here."""

    id = serializers.IntegerField()
    rater = serializers.CharField(source="key", help_text="A pseudonym.")
    role = serializers.ChoiceField(Rater.Role)
    recipient = serializers.CharField(
        source="recipient__key", allow_null=True, help_text="Who rates what was meant for them."
    )
    excluded = WhyExcluded(source="excluded_because")
    exclusion_reason = serializers.CharField(source="excluded_because")
    created_at = serializers.DateTimeField()


class RaterFilters(Filters):
    rater = key_filter("The rater with this pseudonym.", source="key")
    role = serializers.ChoiceField(Rater.Role, required=False)


class RatingRow(Rows):
    """One answer that counts; the columns of ratings.csv, so it can be loaded elsewhere."""

    id = serializers.IntegerField()
    item = serializers.CharField(source="item__key")
    rater = serializers.CharField(source="session__rater__key")
    role = serializers.ChoiceField(Rater.Role, source="session__rater__role")
    question = serializers.CharField(source="question__key")
    value = ValueOrText(
        help_text="On the question's scale, of a choice its label; a text where that is text."
    )
    answered_at = serializers.DateTimeField(allow_null=True)
    seconds = serializers.FloatField(allow_null=True)
    reason = serializers.CharField()
    first_side = serializers.ChoiceField(
        ["A", "B", ""], help_text="Of a pair of lists: the side that stood first."
    )
    version = serializers.IntegerField(source="session__version", help_text="Of the questionnaire.")
    extra = extra_columns()

    @staticmethod
    def ratings_of(study):
        """Return the same answers as the export of ratings."""
        return Rating.objects.for_analysis().filter(session__study=study)


class RatingFilters(Filters):
    item = key_filter("Of this item.", source="item__key")
    rater = key_filter("By this rater.", source="session__rater__key")
    role = serializers.ChoiceField(Rater.Role, required=False, source="session__rater__role")
    question = key_filter("On this question.", source="question__key")
