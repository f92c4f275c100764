"""Do a worker's tasks for judges. A message is only a nudge: the database has all that matters."""

from celery import shared_task
from django.conf import settings
from django.utils import timezone

from annotate.raters import preview, uploads
from annotate.recruitment import more_raters
from annotate.sessions import kept_places, places, steps
from judges.counterfactual import kept_models
from judges.models import Run
from judges.removal import purge, quotes
from judges.runs import drive, through
from judges.runs.making import make
from judges.runs.nudge import own_queues
from judges.studies import delete, retention
from judges.uploads import uploads as uploading

STALE = 30  # seconds after which a nudge nobody took is dropped; a busy worker is late by some


@shared_task
def load_upload(pk):
    """Load checked files."""
    uploading.load_upload(pk)


@shared_task
def tend_uploads():
    """Take up loads whose worker was killed; remove old files, of models too, and old previews."""
    for pk in uploading.silent_uploads():
        load_upload.apply_async([pk], expires=60)
    uploading.remove_old()
    uploads.remove_orphans()
    kept_models.remove_old()
    preview.remove_old()


@shared_task
def work(run_id):
    """Work on a run until nothing of it is left."""
    drive.work_through(run_id)


@shared_task
def make_lists(pk):
    """Make the lists that a rater waits for."""
    make.make(pk)


@shared_task
def delete_study(study_id):
    """Continue the deletion of a study."""
    delete.delete_study(study_id)


@shared_task
def delete_due_studies():
    """Begin to delete the studies whose retention date has come; sweep_leases goes on with them."""
    for study_id in retention.begin_due():
        delete_study.delay(study_id)


@shared_task
def purge_judges():
    """Remove the rows of judges that were deleted some days ago."""
    for judge_id in purge.due():
        purge.purge(judge_id)


@shared_task
def remove_quotes():
    """Remove what judges and reports keep of raters who withdrew or were deleted."""
    quotes.remove_due()


@shared_task
def sweep_leases():
    """Settle or return what killed workers held, end finished runs, and send work on the rest.

    Studies whose deletion was not ended are deleted further.
    """
    through.recover(timezone.now())
    for study_id in delete.waiting_studies():
        delete_study.apply_async([study_id], expires=STALE)
    for pk in make.find_waiting():
        make_lists.apply_async([pk], expires=STALE)
    queues = own_queues() or [None]
    for run_id in Run.objects.filter(state=Run.State.ACTIVE).values_list("pk", flat=True):
        for queue in queues:
            work.apply_async([run_id], queue=queue, expires=max(STALE, settings.SWEEP_SECONDS))


@shared_task
def release_places():
    """Release places of abandoned sessions; complete sessions that have every rating.

    Then items whose raters disagree get more of them, where the study wants that, and the places
    that are kept for recipients are put right.
    """
    now = timezone.now()
    places.release_expired(now)
    steps.settle_quiet(now)
    more_raters.tend()
    kept_places.settle_all()
