"""Load a study's files from beginning to end, all or nothing."""

from dataclasses import dataclass, field
from functools import partial

from django.db import IntegrityError, transaction

from annotate.design.access import make_owner
from annotate.design.ethics import OWNERS_ONLY
from annotate.files.loading import (
    Answers,
    Loading,
    check_study,
    check_tables,
    stamp,
    still_hold,
    write_study,
    write_tables,
)
from annotate.files.loading.study import find_study
from annotate.files.reading import Problems, TableFile, columns
from annotate.files.reading.studyfile import read_study
from annotate.models import Content, FileLoad, Item, Membership, Rater, Recipient, System
from annotate.studies import delete
from judges.files.entailments import ENTAILMENTS, check_entailments, write_entailments
from judges.files.judges import check_judges, check_members, write_judges
from judges.files.judgments import (
    JUDGMENTS,
    check_judgments,
    what_rows_stand_for,
    write_judgments,
)
from judges.files.off_scale import MISSING, OffScale
from judges.files.prompts import check_prompts, write_prompts
from judges.files.spellings import Spellings
from judges.files.statements import STATEMENTS, check_statements, write_statements
from judges.models import Extraction, Judge, Judgment, Run, Statement, StudyPrompt
from judges.prompting.library import Library
from judges.prompting.own import of_study
from judges.runs.versions import settled_keys, why_frozen

TABLES = {
    **columns.TABLES,
    "judgments": JUDGMENTS,
    "statements": STATEMENTS,
    "entailments": ENTAILMENTS,
}
GONE = "is being deleted or no longer there, so nothing can be loaded into it"


class AllAnswers(Answers):
    """People's ratings and settled judgments, which keep questions and texts from changing."""

    def items(self, pks):
        # Under way counts too: the call was made with the texts as they are.
        """Return which of the items have answers, or texts that must stay as they are."""
        judged = Judgment.objects.exclude(state=Judgment.State.PENDING).order_by()
        parts = judged.filter(item__parent__in=pks).values_list("item__parent", flat=True)
        own = judged.filter(item__in=pks).values_list("item", flat=True)
        # What was read keeps its text, so that statements stay where they were found.
        read = Extraction.objects.filter(item__in=pks).exclude(kept=None)
        stated = Statement.objects.filter(item__in=pks, run=None)
        texts = (rows.order_by().values_list("item", flat=True) for rows in (read, stated))
        return super().items(pks) | set(own.union(parts, *texts))

    def exist(self, study):
        # Waiting judgments count too: they point at the questions as they are.
        """Whether the study has any answer."""
        return super().exist(study) or Judgment.objects.filter(item__study=study).exists()

    def freeze(self, study):
        """Whether answers freeze the present version of the questionnaire."""
        return bool(why_frozen(study))

    def settled(self, study):
        """Return the keys of the questions that stay in every new version."""
        return settled_keys(study)


@dataclass
class StudyLoading(Loading):
    """A load with the parts that judges add.

    judges maps names to judges, those of the database and those to be made.
    judging are the names that judgments.csv mentions, in its order: their runs, and with them
    the judges' colours, follow it. Each has the prompt of each version of the questionnaire.
    ensembles: the reader of each ensemble of study.yaml, by name. prompts: those of the study's own
    that are new or changed; library: all that judges may name. stated: the sides of items that
    statements.csv brings, without those that were loaded before; spellings: of their topics.
    off_scale: the judgments outside their question's scale, and what was chosen for them.
    """

    answers: Answers = field(default_factory=AllAnswers)
    judges: dict[str, Judge] = field(default_factory=dict)
    judging: dict[str, dict[int, str | None]] = field(default_factory=dict)
    ensembles: dict = field(default_factory=dict)
    prompts: list[StudyPrompt] = field(default_factory=list)
    library: Library | None = None
    stated: dict = field(default_factory=dict)
    spellings: Spellings | None = None
    off_scale: OffScale = field(default_factory=OffScale)


CHECKS = {
    "judgments": check_judgments,
    "statements": check_statements,
    "entailments": check_entailments,
}


KEYED = {
    "item": Item,
    "content": Content,
    "recipient": Recipient,
    "system": System,
    "rater": Rater,
    "judge": Judge,
}


def _has_id(study, column, key):
    """Whether the study has a row with that id already, as from before ids were looked at."""
    return column in KEYED and KEYED[column].objects.filter(study=study.pk, key=key).exists()


def check_files(
    study_path, paths, slug="", new=False, progress=None, lock=False, out_of_range=MISSING
):
    """Read all files and compare them with the database; write nothing.

    paths maps table names to paths. slug: the study to load into, where study_path may be None.
    new: a study of that name may not exist yet. out_of_range: what becomes of judgments outside
    their question's scale, see off_scale.py. Returns the StudyLoading with its problems.
    """
    problems = Problems()
    read = read_study(study_path, study_path.name, problems) if study_path else None
    files = {name: TableFile(TABLES[name], path) for name, path in paths.items()}
    opened = [file.open(problems) for file in files.values()]
    target = read.slug if read else slug
    loading = StudyLoading(find_study(target, lock), files, problems)
    for file in files.values():
        file.has_id = partial(_has_id, loading.study)
    loading.progress = progress or loading.progress
    loading.off_scale = OffScale(out_of_range)
    loading.again = partial(
        check_files, study_path, paths, slug, new, progress, lock=True, out_of_range=out_of_range
    )
    loading.stamp = _stamp(loading.study)
    is_for_existing = bool(slug) and slug == target and not new
    if is_for_existing and (loading.is_new or loading.study.is_going):
        problems.add("study", GONE)
    if problems or not all(opened):
        return loading
    if read is not None:
        _check_slug(loading, read, study_path.name, slug, new)
        if problems:
            # Perhaps another's study: whatever is compared with it would be told.
            return loading
        check_study(loading, read, study_path.name)
        check_prompts(loading, read.prompts, study_path.name)
        check_judges(loading, read.judges, study_path.name)
    _check_all_tables(loading)
    return loading


def what_else(loading, table):
    """Say of a table what its counts do not: what rows stand for, what stays, columns that go."""
    if table == "ratings":
        return loading.counts[table].what_stays
    if table == "judgments":
        counts = loading.counts[table]
        return " ".join(filter(None, (what_rows_stand_for(counts), counts.what_stays)))
    return loading.files[table].not_kept if table in loading.files else ""


def _check_all_tables(loading):
    check_tables(loading)
    for table, check in CHECKS.items():
        if table in loading.files:
            check(loading)
    check_members(loading)


def _check_slug(loading, read, name, slug, new):
    if slug and read.slug != slug:
        loading.problems.add(
            name, f"found {read.slug!r}; allowed is {slug!r}, the study of this page", 1, "study"
        )
    if loading.study.is_going:
        loading.problems.add(name, delete.why_taken(read.slug), 1, "study")
    elif new and not loading.is_new:
        loading.problems.add(
            name,
            f"found {read.slug!r}, which is taken; choose another name, or open that study and "
            "load from its page",
            1,
            "study",
        )


def _stamp(study, hold=False):
    """Return annotate's stamp, the study's prompts, and the judges with their runs from files.

    hold: until the transaction ends no run begins to use one of the prompts.
    """
    if study.pk is None:
        return []
    prompts = of_study(study.pk)
    prompts = list((prompts.select_for_update() if hold else prompts).values_list())
    judges = Judge.objects.filter(study=study).order_by("pk")
    runs = Run.objects.from_files().filter(judge__in=judges).order_by("pk")
    rows = [list(judges.values_list()), list(runs.values_list("pk", flat=True)), prompts]
    return [*stamp(study), *rows, study.is_going]


def load_files(
    study_path, paths, slug="", new=False, owner=None, progress=None, out_of_range=MISSING, by=None
):
    """Check the files, then write everything in one transaction; nothing where anything is wrong.

    by: who loads, for the log; the owner where nobody is named. Returns the StudyLoading with its
    problems and counts.
    """
    loading = check_files(study_path, paths, slug, new, progress, out_of_range=out_of_range)
    if loading.problems:
        return loading
    with transaction.atomic():
        return write_files(loading, owner, by or owner)


def write_files(loading, owner=None, by=None, names=""):
    """Write what was checked, inside the caller's transaction.

    by, names: who loads what, for the log; names of the files where none are given. The check held
    no lock, so that people went on saving. If it does not hold any longer, it is repeated with the
    study locked. Returns the StudyLoading that counts.
    """
    study = find_study(loading.study.slug, lock=True)
    while not loading.problems and not (
        _stamp(study, hold=True) == loading.stamp and still_hold(loading, study)
    ):
        loading = loading.again()
    if loading.problems or not _may_change(loading, study, by):
        return loading
    if not loading.is_new:
        write_study(loading)
    elif not _is_first(loading, owner):
        return write_files(loading.again(), owner, by, names)
    _write(loading, by, names)
    return loading


def _may_change(loading, study, by):
    """Whether what only owners set stays as it is, or an owner changes it."""
    if loading.is_new or by is None:
        return True
    changed = [key for key in OWNERS_ONLY if study.extra.get(key) != loading.study.extra.get(key)]
    if not changed or study.memberships.filter(user=by, role=Membership.Role.OWNER).exists():
        return True
    loading.problems.add("study.yaml", "may be changed by owners only", None, changed[0])
    return False


def _log(loading, by, names):
    """Log the load; its rows are marked with it, so that it can be undone."""
    files = ["study.yaml"] if "study" in loading.counts else []
    files += [file.name for file in loading.files.values()]
    new = {table: counts.new for table, counts in loading.counts.items() if counts.new}
    return FileLoad.objects.create(
        study=loading.study,
        names=(names or ", ".join(files))[:500],
        counts=new,
        changed=sum(counts.changed for counts in loading.counts.values()),
        by=by,
        by_name=by.get_username() if by else "",
    )


def _is_first(loading, owner):
    """Make the study; return False where another load made that name since the check."""
    try:
        with transaction.atomic():
            write_study(loading)
    except IntegrityError:
        return False
    if owner is not None:
        make_owner(loading.study, owner)
    return True


def _write(loading, by, names):
    if loading.changes:
        loading.load = _log(loading, by, names).pk
    write_tables(loading)
    write_prompts(loading)
    write_judges(loading)
    if "judgments" in loading.files:
        write_judgments(loading)
    if "statements" in loading.files:
        write_statements(loading)
    if "entailments" in loading.files:
        write_entailments(loading)
