"""Make a study of uploaded ratings: what judges/uploads asks where an upload says what to make."""

import shutil
from dataclasses import asdict

from annotate.files.reading import Problems
from judges.counterfactual.surveys import once, reading
from judges.counterfactual.surveys.plan import NoQuestion, Plan
from judges.counterfactual.surveys.scores import plan_scores
from judges.models import Upload
from judges.uploads.uploads import NotMade, folder_of, preview

ASK_SECONDS = 1  # how often a worker that makes questions looks whether it still should


def source_of(upload):
    """The folder of the ratings that a study is made of; its names are tables' names too."""
    return folder_of(upload) / "source"


def receive(user, files, plan):
    """Keep and check {"movies", "ratings": uploaded file}, of which a worker makes the study."""
    upload = Upload(user=user, slug=plan.slug, is_new=True, making=asdict(plan))
    folder, problems = source_of(upload), Problems()
    folder.mkdir(parents=True)
    for name, file in files.items():
        with (folder / f"{name}.csv").open("wb") as kept:
            shutil.copyfileobj(file, kept)
    films = reading.read(folder, problems)
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


def make(upload, progress, load):
    """Make a part of the questions, as other workers make theirs; one calls `load` for all.

    NotMade where the study cannot be made of these ratings.
    """
    with once.here(upload.token) as is_first:
        if is_first:
            try:
                _make(upload, progress, load)
            except NoQuestion as error:
                raise NotMade("ratings.csv", str(error)) from error


def _make(upload, progress, load):
    # They load a library of 30 MB.
    from judges.counterfactual.surveys import making, sharing  # noqa: PLC0415

    plan, folder, source = Plan(**upload.making), folder_of(upload), source_of(upload)
    films = making.read_films(source)
    kept = folder / "questions"
    wanted = Upload.objects.filter(pk=upload.pk, state=Upload.State.LOADING).exists
    goes_on = once.in_a_while(ASK_SECONDS, wanted)
    questions = making.make(films, plan, kept, progress.making, goes_on, progress.trained)
    if questions is None:
        return  # discarded, or another worker found what keeps it from being made
    with sharing.held(folder / "loading.lock") as is_ours:
        if is_ours and wanted():
            ratings = reading.files_of(source)["ratings"]
            making.write_files(films, questions, plan, ratings, folder)
            load()


def after_load(study):
    """Plan what belongs to the made study, in the transaction of its rows."""
    plan_scores(study)
