"""Make a study of uploaded ratings, for an upload that says what to make."""

import fcntl
import shutil
import time
from contextlib import contextmanager
from dataclasses import asdict

from annotate.files.reading import Problems
from judges.counterfactual.surveys import reading
from judges.counterfactual.surveys.plan import NoQuestion, Plan
from judges.counterfactual.surveys.scores import plan_scores
from judges.models import Upload
from judges.uploads.uploads import NotMade, Progress, folder_of, preview

ASK_SECONDS = 1  # how often the worker that makes questions looks whether it still should


def source_of(upload):
    """Return the folder of the ratings that a study is made of; its names are tables' names too."""
    return folder_of(upload) / "source"


def receive(user, files, plan):
    """Keep and check {"movies", "ratings": uploaded file}, of which a worker makes the study."""
    upload = Upload(user=user, slug=plan.slug, is_new=True, making=asdict(plan))
    folder, problems = source_of(upload), Problems()
    folder.mkdir(parents=True)
    for name, file in files.items():
        with (folder / f"{name}.csv").open("wb") as kept:
            shutil.copyfileobj(file, kept)
    films = reading.read_folder(folder, problems)
    for name, file in reading.files_of(folder).items():
        file.open(Problems())
        upload.files.append(preview(name, file))
    if films and (why := reading.refusal(films, plan)):
        problems.add("ratings.csv", why)
    if films:
        sizes = {"films": len(films.titles), "ratings": films.matrix.nnz}
        sizes["questions"] = plan.questions
        blank = {"changed": 0, "unchanged": 0}
        upload.counts = {name: {"rows": n, "new": n} | blank for name, n in sizes.items()}
    upload.problems = problems.as_dict()
    upload.save()
    return upload


# The worker's part


def make(upload, load):
    """Make the study and give load its Progress; leave it to the worker that is at it already.

    Raise NotMade where the study cannot be made of these ratings.
    """
    with _held(folder_of(upload) / "making.lock") as is_ours:
        if is_ours:
            try:
                _make(upload, load)
            except NoQuestion as error:
                raise NotMade("ratings.csv", str(error)) from error


@contextmanager
def _held(path):
    """Try to lock a file; yield whether it is ours.

    The system gives the lock back when its process ends, however it ends: nothing has to expire.
    """
    with path.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
        else:
            yield True


def _make(upload, load):
    # It loads a library of 30 MB.
    from judges.counterfactual.surveys import making  # noqa: PLC0415

    wanted = Upload.objects.filter(pk=upload.pk, state=Upload.State.LOADING).exists
    if not wanted():
        return  # discarded, or loaded by the worker that held the lock
    plan, folder, source = Plan(**upload.making), folder_of(upload), source_of(upload)
    progress = Progress(upload)
    films = making.read_films(source)
    goes_on = _at_most_every(ASK_SECONDS, wanted)
    questions = making.make(
        films, plan, folder / "questions", progress.making, goes_on, progress.trained
    )
    if questions is not None and wanted():
        making.write_files(films, questions, plan, reading.files_of(source)["ratings"], folder)
        load(progress)


def _at_most_every(seconds, ask):
    """Return a function that repeats the last answer of ask until so many seconds have passed."""
    answer, asked_at = None, float("-inf")

    def latest():
        nonlocal answer, asked_at
        if time.monotonic() - asked_at >= seconds:
            answer, asked_at = ask(), time.monotonic()
        return answer

    return latest


def after_load(study):
    """Plan what belongs to the made study, in the transaction of its rows."""
    plan_scores(study)
