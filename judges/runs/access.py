"""Fetch a judge of the page's study; a judge of another study is a 404."""

from django.shortcuts import get_object_or_404

from judges.models import Judge
from judges.runs.naming import with_rivals


def judge_or_404(study, pk, **conditions):
    """Return a judge of the study that meets the conditions, with its `rival` (see naming)."""
    judges = with_rivals(Judge.objects.select_related("endpoint", "study"))
    return get_object_or_404(judges, study=study, pk=pk, **conditions)
