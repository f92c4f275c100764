"""Show studies, raters and sessions to operators in Django's admin."""

from django.contrib import admin, messages

from annotate.models import Membership, Question, Rater, Session, Study
from annotate.studies import delete


class MembershipInline(admin.TabularInline):
    """The members of a study."""

    model = Membership
    extra = 1


class QuestionInline(admin.TabularInline):
    """The questions of a study, to read only."""

    model = Question
    extra = 0
    can_delete = False
    fields = readonly_fields = ("key", "text", "scale_spec", "required", "applies_to")

    def has_add_permission(self, request, obj=None):
        return False


class WithoutPreviews(admin.ModelAdmin):
    """Leave out what belongs to previews. study: where a row names its study."""

    study = "study__"

    def get_queryset(self, request):
        return super().get_queryset(request).filter(**{f"{self.study}preview_of": None})


@admin.register(Study)
class StudyAdmin(WithoutPreviews):
    """List and change studies; a deletion is handed to a worker."""

    study = ""
    list_display = ("title", "slug", "kind", "state", "created_at")
    list_filter = ("state", "kind")
    search_fields = ("title", "slug")
    inlines = [MembershipInline, QuestionInline]
    readonly_fields = ("extra",)  # checked where files and pages set it
    view_on_site = False  # operators are members of no study, so its page is not there for them

    def get_deleted_objects(self, objs, request):
        """Name the studies alone: a worker deletes all of each, also what nobody deletes alone."""
        return [str(study) for study in objs], {"studies": len(objs)}, set(), []

    def delete_model(self, request, obj):
        """Ask for the deletion, as the study's own page does: a worker stops its runs first."""
        delete.begin(obj)
        request.has_begun_deletion = True
        messages.info(request, f"A worker deletes {obj.slug}; until then it is listed here.")

    def delete_queryset(self, request, queryset):
        for study in queryset:
            self.delete_model(request, study)

    def message_user(self, request, message, level=messages.INFO, *args, **kwargs):
        """Leave out that a study was deleted, which the admin says of a deletion only asked for."""
        is_about_deletion = getattr(request, "has_begun_deletion", False)
        if not (is_about_deletion and level == messages.SUCCESS):
            super().message_user(request, message, level, *args, **kwargs)


class NeverDeletedAlone(WithoutPreviews):
    """Forbid deletion: it would leave places held for nobody, and answers without their rater."""

    def has_delete_permission(self, request, obj=None):
        return False


@admin.register(Rater)
class RaterAdmin(NeverDeletedAlone):
    """List and change raters; they are excluded on the quality page, where it is logged."""

    list_display = ("key", "study", "role", "excluded_because")
    list_filter = ("role",)
    search_fields = ("key", "study__slug")
    list_select_related = ("study",)
    raw_id_fields = ("study", "recipient")
    readonly_fields = ("excluded_because",)  # on the quality page, where it is logged


@admin.register(Session)
class SessionAdmin(NeverDeletedAlone):
    """List sessions without their token: whoever has it can answer in the rater's place."""

    list_display = ("id", "study", "rater", "state", "source", "started_at", "last_seen_at")
    list_filter = ("state", "source")
    list_select_related = ("study", "rater")
    exclude = ("token",)
    readonly_fields = ("study", "rater", "state", "source", "current", "ended_at")

    def has_add_permission(self, request):
        return False
