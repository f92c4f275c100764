"""One load from beginning to end: all files, all or nothing."""

from dataclasses import dataclass, field
from functools import partial

from django.db import transaction

from annotate.access import make_owner
from annotate.loading import (
    Answers,
    Loading,
    check_study,
    check_tables,
    stamp,
    still_hold,
    write_study,
    write_tables,
)  # fmt: skip
from annotate.loading.study import find_study
from annotate.reading import Problems, TableFile, columns
from annotate.reading.studyfile import read_study
from judges.loading.judges import check_judges, check_members, write_judges
from judges.loading.judgments import JUDGMENTS, check_judgments, write_judgments
from judges.models import Judge, Judgment, Run

TABLES = {**columns.TABLES, "judgments": JUDGMENTS}


class AllAnswers(Answers):
    """People's ratings and settled judgments."""

    def items(self, pks):
        judged = Judgment.objects.settled().filter(item__in=pks)
        return super().items(pks) | set(judged.values_list("item", flat=True))

    def exist(self, study):
        # Waiting judgments count too: they point at the questions as they are.
        return super().exist(study) or Judgment.objects.filter(item__study=study).exists()


@dataclass
class StudyLoading(Loading):
    """judges maps names to judges, those of the database and those to be made.

    judging are the names that judgments.csv mentions, in its order: their runs, and with them
    the judges' colours, follow it. ensembles: the reader of each ensemble of study.yaml, by name.
    """

    answers: Answers = field(default_factory=AllAnswers)
    judges: dict[str, Judge] = field(default_factory=dict)
    judging: dict[str, None] = field(default_factory=dict)
    ensembles: dict = field(default_factory=dict)


def check_files(study_path, paths, slug="", new=False, progress=None, lock=False):
    """Reads all files and compares them with the database; writes nothing.

    paths maps table names to paths. slug: the study to load into, where study_path may be None.
    new: a study of that name may not exist yet. Returns the StudyLoading with its problems.
    """
    problems = Problems()
    read = read_study(study_path, study_path.name, problems) if study_path else None
    files = {name: TableFile(TABLES[name], path) for name, path in paths.items()}
    opened = [file.open(problems) for file in files.values()]
    loading = StudyLoading(find_study(read.slug if read else slug, lock), files, problems)
    loading.progress = progress or loading.progress
    loading.again = partial(check_files, study_path, paths, slug, new, progress, lock=True)
    loading.stamp = _stamp(loading.study)
    if problems or not all(opened):
        return loading
    if read is not None:
        _check_slug(loading, read, study_path.name, slug, new)
        check_study(loading, read, study_path.name)
        check_judges(loading, read.judges, study_path.name)
    check_tables(loading)
    if "judgments" in files:
        check_judgments(loading)
    check_members(loading)
    return loading


def _check_slug(loading, read, name, slug, new):
    if slug and read.slug != slug:
        loading.problems.add(
            name, f"found {read.slug!r}; allowed is {slug!r}, the study of this page", 1, "study"
        )
    if new and not loading.is_new:
        loading.problems.add(
            name,
            f"found {read.slug!r}, which is taken; choose another name, or open that study and "
            "load from its page",
            1,
            "study",
        )


def _stamp(study):
    """Annotate's stamp, and the judges with the runs that files gave them."""
    if study.pk is None:
        return []
    judges = Judge.objects.filter(study=study).order_by("pk")
    runs = Run.objects.filter(judge__in=judges, judge__kind=Judge.Kind.IMPORTED).order_by("pk")
    return [*stamp(study), list(judges.values_list()), list(runs.values_list("pk", flat=True))]


def load_files(study_path, paths, slug="", new=False, owner=None, progress=None):
    """Checks, then writes everything, in one transaction; nothing where anything is wrong.

    Returns the StudyLoading with its problems and counts.
    """
    loading = check_files(study_path, paths, slug, new, progress)
    if loading.problems:
        return loading
    with transaction.atomic():
        return write_files(loading, owner)


def write_files(loading, owner=None):
    """Writes what was checked, inside the caller's transaction.

    The check held no lock, so that people went on saving. Where it does not hold any longer it is
    done once more, now with the study locked. Returns the StudyLoading that counts.
    """
    study = find_study(loading.study.slug, lock=True)
    if _stamp(study) != loading.stamp or not still_hold(loading, study):
        loading = loading.again()
    if not loading.problems:
        _write(loading, owner)
    return loading


def _write(loading, owner):
    was_new = loading.is_new
    write_study(loading)
    if was_new and owner is not None:
        make_owner(loading.study, owner)
    write_tables(loading)
    write_judges(loading)
    if "judgments" in loading.files:
        write_judgments(loading)
