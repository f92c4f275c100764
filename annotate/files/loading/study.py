"""Check and write the study itself and its questionnaire."""

from django.db.models import Exists, OuterRef

from annotate.design import splits, versions
from annotate.design.checks import gold_keys, read_gold
from annotate.design.versions import same_values
from annotate.files.loading.common import Counts
from annotate.files.reading.studyfile import SPLIT, VERSION
from annotate.flow import around
from annotate.models import Deletion, Question, Study
from annotate.values.scales import scale_from_dict
from annotate.values.wrong import Wrong

FILE = "study.yaml"
ASKED = versions.FIELDS


def check_study(loading, read, name=FILE):
    """Set the file's fields on the unsaved study, and note problems.

    A questionnaire with answers may change as a new version only.
    """
    study = loading.study
    counts = loading.counts["study"] = Counts(rows=1)
    # A file that says nothing about a key of extra leaves what a page has set.
    fields = read.fields | {"extra": study.extra | read.fields.get("extra", {})}
    if read.questions is None and not loading.is_new:
        _read_gold(loading, fields["extra"], name)
    changed = [key for key, value in fields.items() if getattr(study, key) != value]
    _check_about_raters(loading, fields["extra"], name)
    if read.split:
        _check_split(loading, *read.split, name)
    if "raters_per_item" in changed:
        loading.more_places = True
    if gold_keys(study) != {entry["item"] for entry in fields["extra"].get("gold") or ()}:
        loading.more_places = True
    for key in changed:
        setattr(study, key, fields[key])
    if loading.is_new:
        study.title = study.title or study.slug
    _count(counts, loading.is_new, changed)
    if read.questions is not None:
        _check_questions(loading, read.questions, name, read.version)
    elif read.version not in (None, study.questionnaire_version):
        _check_version(loading, [], name, read.version)
    elif loading.is_new:
        loading.problems.add(name, "is missing; a new study needs questions", None, "questions")


def _read_gold(loading, extra, name):
    """Read right answers of a file without questions: they are on the scales of the study's."""
    scales = {question.key: question.scale for question in loading.study.questions.all()}
    try:
        for key in {"gold"} & extra.keys():
            extra[key] = [read_gold(entry, scales).as_data() for entry in extra[key]]
    except Wrong as wrong:
        loading.problems.add(name, str(wrong), None, "gold")


def _check_about_raters(loading, extra, name):
    """Note a key that two questions about raters share, and scales that answers have fixed."""
    if key := around.shared_key(extra):
        words = f"found {key[:40]!r} in two of screener, questions_before and exit"
        loading.problems.add(name, words, None, around.EXIT)
    for part, entries in around.entries_about_raters(extra).items():
        keys = around.frozen_keys(loading.study, entries)
        if keys and not loading.is_new:
            loading.problems.add(
                name,
                f"found another scale for {', '.join(keys)}, which has answers; give the changed "
                "question a key of its own",
                None,
                part,
            )


def _check_split(loading, seed, share, name):
    """Lock a new study's split as its file says; note a problem if a stored split differs.

    Only an owner makes or changes the split of an existing study.
    """
    kept = loading.study.split
    if loading.is_new:
        loading.study.split = {}  # a check may come a second time
        loading.study.split = splits.locked_anew(loading.study, seed, share, splits.FILE)
    elif not kept or (kept["seed"], kept["share"]) != (seed, share):
        has = f"has seed {kept['seed']}, share {kept['share']:g}" if kept else "has no split"
        words = f"found seed {seed}, share {share:g}, but the study {has}; only an owner changes it"
        loading.problems.add(name, f"{words}, on the page Test split", None, SPLIT)


def _count(counts, new, changed):
    counts.new += new
    counts.changed += bool(changed and not new)
    counts.unchanged += not (changed or new)


def _check_questions(loading, wanted, name, version):
    study = loading.study
    existing = {} if loading.is_new else {q.key: q for q in study.questions.all()}
    settled = _settled(loading, existing, wanted)
    wanted = wanted + _left_out(existing, settled, wanted)
    counts = loading.counts["questions"] = Counts(rows=len(wanted))
    changed = []
    for spec in wanted:
        old = existing.get(spec["key"])
        differs = [] if old is None else [key for key in ASKED if getattr(old, key) != spec[key]]
        _count(counts, old is None, differs)
        if old is None or differs:
            changed.append(spec["key"])
        if spec["key"] in settled and not same_values(
            scale_from_dict(spec["scale_spec"]), old.scale
        ):
            loading.problems.add(name, OTHER_VALUES.format(spec["key"]), None, "questions")
    changed += existing.keys() - {spec["key"] for spec in wanted}
    _check_version(loading, changed if existing else [], name, version)
    loading.questions = {
        spec["key"]: Question(study=study, pk=_pk(existing, spec), **spec) for spec in wanted
    }


def _settled(loading, existing, wanted):
    """Return keys of the questions that must stay; without a change nothing is looked up."""
    if not _differ(existing, wanted):
        return set()
    # The frozen version is about to become an earlier one.
    is_frozen = loading.answers.freeze(loading.study)
    return set(existing) if is_frozen else loading.answers.settled(loading.study)


def _differ(existing, wanted):
    """Return whether the stored questions differ from those of the file."""
    given = {spec["key"]: spec for spec in wanted}
    return any(
        key not in given or any(getattr(old, name) != given[key][name] for name in ASKED)
        for key, old in existing.items()
    )


OTHER_VALUES = (
    "found another kind, range or other options of the scale of {}, which has answers or stands in "
    "an earlier version: old values would mean something else; allowed are other words of its "
    "points, or a question with another key"
)


def _left_out(existing, settled, wanted):
    """Return specs of questions with answers that the file lacks: retired, behind the others."""
    given = {spec["key"] for spec in wanted}
    gone = [question for key, question in existing.items() if key in settled - given]
    return [
        {key: getattr(question, key) for key in ("key", *ASKED)}
        | {"retired": True, "position": position}
        for position, question in enumerate(gone, start=len(wanted))
    ]


def _check_version(loading, changed, name, version):
    """Check the version's number: questions with answers change as a new version only."""
    study = loading.study
    if loading.is_new:
        study.questionnaire_version = version or 1
        return
    now = study.questionnaire_version
    if not changed and version in (None, now):
        return
    is_frozen = loading.answers.freeze(study)
    loading.new_version = bool(is_frozen and changed and version == now + 1)
    if is_frozen and changed and version != now + 1:
        loading.problems.add(
            name,
            f"found changes of {', '.join(sorted(changed))}; the questionnaire is frozen because "
            f"there are answers to it: write {VERSION}: {now + 1} to change it as a new version, "
            "or make a new study",
            None,
            "questions",
        )
    elif version not in (None, now) and not loading.new_version:
        why = "no question changes" if is_frozen else f"nobody has answered version {now} yet"
        loading.problems.add(name, f"found {version}; allowed is {now}: {why}", None, VERSION)


def _pk(existing, spec):
    return existing[spec["key"]].pk if spec["key"] in existing else None


def write_study(loading):
    """Save the study and its questions; delete questions that the file no longer has."""
    loading.study.loads += loading.changes
    loading.study.save()
    if "questions" not in loading.counts:
        return
    if loading.new_version:
        versions.begin(loading.study)
        loading.new_version = False  # it is the present one now
    counts = loading.counts["questions"]
    stay = [question.pk for question in loading.questions.values() if question.pk]
    loading.study.questions.exclude(pk__in=stay).delete()
    if counts.new or counts.changed:
        for question in loading.questions.values():
            question.study = loading.study
            question.save()


def find_study(slug, lock=False):
    """Return the study with that slug, or a new unsaved study.

    lock: two loads of one study wait for one another (on SQLite they wait at BEGIN already). Not
    its key: raters go on joining. Its `is_going` tells whether it is being deleted.
    """
    studies = Study.objects.select_for_update(no_key=True) if lock else Study.objects
    is_going = Exists(Deletion.objects.filter(study=OuterRef("pk")))
    study = studies.filter(slug=slug).annotate(is_going=is_going).first()
    if study is None:
        study = Study(slug=slug)
        study.is_going = False
    return study
