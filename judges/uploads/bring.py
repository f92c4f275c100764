"""Keep a table that somebody brings, and translate it to the files that an upload loads.

The translation is written into the upload's folder as the tables of docs/FILES.md, so that the
same checks, the same preview and the same transaction follow as for files of our own form. Beside
each table stands a file of places, from which a problem's line is traced to the brought table.
"""

import hashlib
import json
import shutil
from contextlib import ExitStack

from django.conf import settings

from annotate.files.loading.study import find_study
from annotate.studies.study_file import as_yaml
from annotate.values.scales.base import is_number_text
from judges.bringing.guess import guess
from judges.bringing.profile import describe
from judges.bringing.read import read_table
from judges.bringing.scales import NUMBER, OPTIONS, ORDERED, POINTS, WORDS, suggest_together
from judges.bringing.sheet import NotReadable
from judges.bringing.text_table import EncodingUnclear
from judges.bringing.translate import Translation
from judges.models import ColumnMapping, Upload
from judges.uploads import uploads
from judges.uploads.places import NO_COLUMN, PLACE

ORIGINAL = "brought"
TABLES = ("items", "ratings", "judgments")
MOST_DIFFERING = 50


def receive(user, file, slug=""):
    """Keep a brought file and read it; return the Upload, whose columns are still to be chosen."""
    upload = Upload(user=user, slug=slug, is_new=not slug, state=Upload.State.MAPPING)
    folder = uploads.folder_of(upload)
    folder.mkdir(parents=True)
    with (folder / ORIGINAL).open("wb") as kept:
        shutil.copyfileobj(file, kept)
    upload.bringing = {"name": file.name[:200]}
    read_again(upload, {})
    return upload


def read_again(upload, reading):
    """Read the brought file, as {"encoding", "separator", "sheet"} say, and guess its columns."""
    told = {"name": upload.bringing["name"], "reading": reading}
    try:
        told |= _described(upload, reading)
    except EncodingUnclear as unclear:
        told["unclear"] = unclear.samples
    except NotReadable as error:
        told["problem"] = _where(error) + str(error)
    upload.bringing = told
    upload.save()


def _where(error):
    places = [f"row {error.row}"] if error.row is not None else []
    places += [f"column {error.column}"] if error.column else []
    return f"{', '.join(places)}: " if places else ""


def sheet_of(upload, reading=None):
    """Return (names of sheets, the Sheet) of the brought file."""
    path = uploads.folder_of(upload) / ORIGINAL
    reading = upload.bringing["reading"] if reading is None else reading
    return read_table(path, upload.bringing["name"], **reading)


def _described(upload, reading):
    sheets, sheet = sheet_of(upload, reading)
    rows, columns = describe(sheet)
    before = mapping_for(upload.user, sheet.header)
    keys = () if upload.is_new else stored_scales(upload.slug)
    return {
        "sheets": sheets,
        "assumed": sheet.assumed + _numbers_noted(columns),
        "rows": rows,
        "columns": [column.as_dict() | {"looks": column.looks} for column in columns],
        "guesses": before["columns"] if before else guess(columns, keys),
        "mapping": before or {},
        "is_kept": bool(before),
    }


def _numbers_noted(columns):
    names = ", ".join(f"“{column.name}”" for column in columns if column.has_decimal_commas)
    commas = [f"Numbers with decimal commas: {names}."] if names else []
    return commas + [column.note for column in columns if column.note]


# Mappings


def signature(header):
    """Return the signature of a table's columns, whatever their order."""
    return hashlib.sha256("\n".join(sorted(header)).encode()).hexdigest()


def mapping_for(user, header):
    """Return what the user chose for a table with these columns before, or None."""
    kept = ColumnMapping.objects.filter(user=user, signature=signature(header)).first()
    return kept.mapping if kept else None


def keep_mapping(upload):
    """Keep what was chosen, to be offered for the next table with these columns."""
    header = [column["name"] for column in upload.bringing["columns"]]
    ColumnMapping.objects.update_or_create(
        user=upload.user,
        signature=signature(header),
        defaults={"mapping": upload.bringing["mapping"]},
    )


# Translation


def translation(upload, scales=None):
    """Return the Translation of the brought table by the mapping that was chosen."""
    _, sheet = sheet_of(upload)
    columns = upload.bringing["columns"]
    stored = {} if upload.is_new else stored_scales(upload.slug)
    return Translation(
        sheet,
        upload.bringing["mapping"],
        scales=stored if scales is None else scales,
        keys=frozenset(stored),
        new=upload.is_new,
        commas=frozenset(c["name"] for c in columns if c["has_decimal_commas"]),
    )


def stored_scales(slug):
    """Return {question: {"low", "high", "words"}} of a study; words only where they are ordered."""
    study = find_study(slug)
    if study.pk is None:
        return {}
    return {question.key: _scale_of(question) for question in study.questions.all()}


def _scale_of(question):
    scale = question.scale
    is_judged = scale.has_values and not question.retired
    points = scale.points if scale.is_ordered else []
    # A number in a file is a value of an ordered scale, also where a label is another number.
    words = {label.lower(): value for value, label in points if not is_number_text(label)}
    return {
        "low": scale.low if scale.is_ordered else None,
        "high": scale.high,
        "words": words,
        "is_judged": is_judged,
    }


def look_through(upload):
    """Note on an upload what the questions of its table were answered with, or what is wrong."""
    translated = translation(upload, scales={})
    try:
        for _ in translated.lines():
            pass
        upload.bringing["seen"] = _questions_of(translated)
    except NotReadable as error:
        upload.bringing.pop("seen", None)
        return _refuse(upload, error)
    upload.save()
    return None


def _questions_of(translated):
    answered = {key: seen for key, seen in translated.seen.items() if seen.count}
    # A request has so many fields at most: five for each question, and a few of the page.
    most = (settings.DATA_UPLOAD_MAX_NUMBER_FIELDS - 10) // 5
    if len(answered) > most:
        raise NotReadable(
            f"found {len(answered)} questions; allowed are {most} for a new study. Choose “Not "
            "used” for some of the columns, and bring these into the study later"
        )
    suggestions = suggest_together(answered)
    return [
        {"key": key, "name": seen.name, "count": seen.count} | suggestions[key]
        for key, seen in answered.items()
    ]


def scale_spec(question):
    """Return the form in study.yaml of the scale that was chosen for a question."""
    kind, words = question["kind"], question["words"]
    if kind == POINTS and (question["low"], question["high"]) == (0, 1):
        return "binary"
    return {
        POINTS: {"min": question["low"], "max": question["high"]},
        ORDERED: {"min": 1, "max": len(words), "labels": words},
        NUMBER: "number",
        OPTIONS: {"choice": words},
        WORDS: "text",
    }[kind]


def chosen_scales(questions):
    """Return {question: {"low", "high", "words"}} of the questions of a new study."""
    scales = {}
    for question in questions:
        words = question["words"] if question["kind"] == ORDERED else []
        ends = (question["low"], question["high"]) if question["kind"] == POINTS else (None, None)
        low, high = (1, len(words)) if words else ends
        numbers = {word.lower(): number for number, word in enumerate(words, 1)}
        scales[question["key"]] = {
            "low": low,
            "high": high,
            "words": numbers,
            "is_judged": question["kind"] != WORDS,
        }
    return scales


def study_data(study, kind):
    """Return the study.yaml of a new study, by its title, address and questions."""
    questions = [
        {"key": question["key"], "text": question["text"], "scale": scale_spec(question)}
        for question in study["questions"]
    ]
    head = {"study": study["slug"], "title": study["title"], "kind": kind}
    return head | {"questions": questions}


def first_name(upload):
    """Return the title and address that the page of a new study begins with."""
    study = upload.bringing.get("study")
    if study:
        return {name: study[name] for name in ("title", "slug")}
    return {"title": upload.bringing["name"].rpartition(".")[0].replace("_", " ")}


def item_kind(mapping):
    """Return the kind of a new study's items: texts, unless something is recommended."""
    used = {column["use"] for column in mapping["columns"].values()}
    if "text" not in used:
        return "recommendation"
    return "explanation" if used & {"recipient", "content"} else "text"


def check(upload, study=None):
    """Write the translated tables, check them as files of ours are, and keep what came of it.

    study: of a new study its title, address and questions.
    """
    folder = uploads.folder_of(upload)
    upload.bringing.pop("problem", None)
    if study:
        upload.bringing["study"] = study
        text = as_yaml(study_data(study, item_kind(upload.bringing["mapping"])))
        (folder / "study.yaml").write_text(text, encoding="utf-8")
    scales = chosen_scales(study["questions"]) if study else None
    translated = translation(upload, scales)
    try:
        _write(folder, translated)
    except NotReadable as error:
        return _refuse(upload, error)
    uploads.check_again(upload)
    upload.bringing["notes"] = translated.notes()
    _note_differing(upload, translated.differing)
    upload.state = Upload.State.CHECKED
    upload.save()
    keep_mapping(upload)
    return None


def _refuse(upload, error):
    upload.bringing["problem"] = _where(error) + str(error)
    upload.save()


def _write(folder, translated):
    """Write each table that has rows, and where each of its rows comes from."""
    index = translated.index
    for table in TABLES:
        for name in (f"{table}.jsonl", f"{table}.places"):
            (folder / name).unlink(missing_ok=True)
    with ExitStack() as stack:
        files: dict = {}
        for table, cells, row, column in translated.lines():
            if table not in files:
                paths = (folder / f"{table}.jsonl", folder / f"{table}.places")
                files[table] = [stack.enter_context(path.open("wb")) for path in paths]
            rows, places = files[table]
            rows.write(json.dumps(cells, ensure_ascii=False).encode() + b"\n")
            places.write(PLACE.pack(row, index.get(column, NO_COLUMN)))


def _note_differing(upload, differing):
    """Add a problem for each row that gives an item another text than an earlier row."""
    problems = upload.problems
    for row, column, item, first in differing[:MOST_DIFFERING]:
        words = f"item {item!r} has another {column} here than in row {first}; allowed is the same"
        problems["shown"].append(
            {"file": upload.bringing["name"], "row": row, "column": column, "message": words}
        )
    problems["shown"] = problems["shown"][:MOST_DIFFERING]
    problems["total"] = problems.get("total", 0) + len(differing)


def kept_data(upload):
    """Return the mapping as it is kept beside a paper: how to read, what columns are, the study."""
    told = upload.bringing
    return {"reading": told["reading"], **told["mapping"], "study": told.get("study")}
