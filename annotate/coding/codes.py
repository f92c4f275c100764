"""Code free texts: a study's codes, which coder gave which code, when coders may be compared.

Each coder sees their own codes until somebody opens the comparison, for all and for good.
"""

from dataclasses import dataclass

from django.db import transaction
from django.db.models import Count, Exists, Max, OuterRef, Q, Subquery
from django.utils import timezone

from annotate.models import Code, CodesCompared, Coding, Rating, Session, Study

MOST_CODES = 60


def texts(study):
    """Return the answers that count and have words: to text questions, and reasons of ratings."""
    counted = Rating.objects.for_analysis().filter(session__study=study)
    return counted.exclude(text="", reason="").order_by("pk")


@dataclass(frozen=True)
class Coded:
    """The state of a study's codes: its repr changes with every code that is given or made."""

    n: int
    last: int | None
    n_coders: int
    is_compared: bool
    codes: tuple

    @classmethod
    def load(cls, study):
        """Read the state by one query: a row for each code, and one row where there is none."""
        # Looked up from each coding: a join would begin with all ratings of the study.
        whose = Rating.objects.filter(pk=OuterRef("rating")).values("session__study")
        codings = Coding.objects.order_by().values(of=Subquery(whose)).filter(of=study.pk)
        coders = Count("coder_name", distinct=True)
        compared = Exists(CodesCompared.objects.filter(study=study))
        sums = [
            Subquery(codings.annotate(found=what).values("found"))
            for what in (Count("pk"), Max("pk"), coders)
        ]
        names = ["pk", "study_id", "name", "merged_into_id", "deleted_at"]
        rows = Study.objects.filter(pk=study.pk).order_by("codes__pk")
        rows = list(rows.values_list(*sums, compared, *(f"codes__{name}" for name in names)))
        n, last, n_coders, is_compared = rows[0][:4]
        codes = [dict(zip(names, row[4:], strict=True)) for row in rows if row[4]]
        return cls(n or 0, last, n_coders or 0, is_compared, tuple(codes))

    @property
    def is_open(self):
        """Tell whether all coders' codes are shown: after the comparison, or of a single coder."""
        return self.is_compared or self.n_coders < 2

    def all_codes(self):
        """Return the study's Codes."""
        return Codes({code["pk"]: Code(**code) for code in self.codes})


def may_compare(study):
    """Return whether all coders' codes are shown: after the comparison, or of a single coder."""
    if CodesCompared.objects.filter(study=study).exists():
        return True
    return len(coders(study)) < 2


def coders(study):
    """List the names of those who gave a code, by name."""
    names = Coding.objects.filter(rating__session__study=study).order_by("coder_name")
    return list(names.values_list("coder_name", flat=True).distinct())


@dataclass(frozen=True)
class Codes:
    """A study's codes by id; a merged code stands for the code that it was merged into."""

    by_pk: dict

    @classmethod
    def load(cls, study):
        """Read a study's codes, in the order they were made."""
        return cls({code.pk: code for code in Code.objects.filter(study=study)})

    @property
    def live(self):
        """List the codes that can be given."""
        return [code for code in self.by_pk.values() if self.stands_for(code.pk) == code]

    @property
    def gone(self):
        """List the codes that were deleted or merged: each can come back."""
        return [code for code in self.by_pk.values() if code.deleted_at or code.merged_into_id]

    def stands_for(self, pk):
        """Return the code that counts in the place of this code; None where it was deleted."""
        code = self.by_pk[pk]
        while code.merged_into_id and not code.deleted_at:
            code = self.by_pk[code.merged_into_id]
        return None if code.deleted_at else code


def given(study, codes, ratings=None, coder=None):
    """Return {(rating id, coder): names of codes, empty where the coder says that no code applies}.

    A coder who gave only codes that were deleted since is left out.
    """
    rows = Coding.objects.filter(rating__session__study=study)
    rows = rows if ratings is None else rows.filter(rating__in=ratings)
    rows = rows if coder is None else rows.filter(coder_name=coder)
    return by_coder(rows.values_list("rating_id", "coder_name", "code_id"), codes)


def by_coder(rows, codes):
    """Gather rows (rating id, coder, code id) into {(rating id, coder): names of codes}."""
    names_by_coder: dict = {}
    for rating, name, code in rows:
        stands = code and codes.stands_for(code)
        if code is None or stands:
            names_by_coder.setdefault((rating, name), set()).update({stands.name} if stands else ())
    return names_by_coder


@transaction.atomic
def toggle(rating, user, code, codes):
    """Give the answer a code, or take it back; code None: no code applies.

    False, with nothing written, where the answer is gone: its rater, who took it back, locks its
    session too, and then the answer itself.
    """
    for model, pk in ((Session, rating.session_id), (Rating, rating.pk)):
        if not model.objects.select_for_update(no_key=True).filter(pk=pk):
            return False
    name = user.get_username()
    own = Coding.objects.filter(rating=rating, coder_name=name)
    if code is None:
        same = own.filter(code=None)
    else:
        stand = [pk for pk in codes.by_pk if codes.stands_for(pk) == code]
        same = own.filter(code__in=stand)
    if same.exists():
        same.delete()
        return True
    # That none applies and that one does cannot both be true.
    own.filter(Q(code__isnull=code is not None)).delete()
    row = Coding(rating=rating, code=code, coder=user, coder_name=name)
    Coding.objects.bulk_create([row], ignore_conflicts=True)
    return True


@transaction.atomic
def merge(code, into):
    """Let the code count as another code until it is restored. False unless both are live.

    One at a time: two codes merged into each other at once would stand for each other for ever.
    """
    Study.objects.select_for_update(no_key=True).get(pk=code.study_id)
    both = Code.objects.filter(pk__in={code.pk, into.pk}, merged_into=None, deleted_at=None)
    if code == into or both.count() < 2:
        return False
    return bool(Code.objects.filter(pk=code.pk).update(merged_into=into))


def delete(code):
    """Stop counting the code; undone by restore."""
    Code.objects.filter(pk=code.pk).update(deleted_at=timezone.now())


def restore(code):
    """Bring a deleted or merged code back as it was."""
    Code.objects.filter(pk=code.pk).update(deleted_at=None, merged_into=None)
