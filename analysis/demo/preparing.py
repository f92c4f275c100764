"""Prepare the demo: its studies, a researcher, the endpoint of the small local model."""

from pathlib import Path

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.management import call_command
from django.db import transaction

from annotate.models import Deletion, Study
from judges.models import Endpoint, Judge, Run
from judges.runs.naming import name_beforehand
from judges.runs.nudge import nudge
from judges.runs.plan import plan
from judges.runs.through import see_through
from judges.scorers import SCORERS

FOLDER = Path(__file__).parent
USERNAME = "demo"
STUDIES = {
    "films-demo": "films",
    "helpdesk-demo": "helpdesk",
    "podcasts-demo": "podcasts",
    "films-open": "films-open",
    "surveys-demo": "surveys",
    "factuality-demo": "factuality",
}
NAMED = {  # by study, before it has judged anything
    "films-demo": "Simulated judge",
    "podcasts-demo": "Simulated judge with the profile",
}
TABLES = ("contents", "interactions", "items", "ratings", "judgments", "statements")
MODEL_NOTICE = (
    "SmolLM2-135M, a very small model that runs on this machine. Its ratings are poor; it is here "
    "so that the whole path, a language model included, can be tried without a key."
)


def prepare(model_port, say):
    """Make what is missing and nothing else; return the demo's researcher."""
    user, _ = get_user_model().objects.get_or_create(username=USERNAME)
    if not user.password:
        user.set_unusable_password()
        user.save(update_fields=["password"])
    _endpoint(model_port)
    for slug, folder in STUDIES.items():
        if not Study.objects.filter(slug=slug).exists():
            say(f"Loading the study {slug}")
            _load(FOLDER / folder, NAMED.get(slug))
            _plan_baselines(slug)
        elif Deletion.objects.filter(study__slug=slug).exists():
            say(f"{slug} is being deleted; the next start makes it anew")
    return user


def _endpoint(port):
    fields = {"base_url": f"http://127.0.0.1:{port}/v1"}
    rest = {
        "model": "smollm2-135m",
        "price_in": 0,
        "price_cached_in": 0,
        "price_out": 0,
        "concurrency": 4,
        "timeout_seconds": 120,  # replies took up to 45 s on a busy machine
        "notice": MODEL_NOTICE,
    }
    Endpoint.objects.update_or_create(
        study=None, key="local-demo", defaults=fields, create_defaults=fields | rest
    )


def _load(folder, named=None):
    """Load a folder's files with their owner, all or nothing; a named judge is named in between."""
    files = {name: folder / f"{name}.csv" for name in TABLES if (folder / f"{name}.csv").exists()}
    with transaction.atomic():
        if named:
            judged = {"judgments": files.pop("judgments")}
            _load_files(folder, files)
            name_beforehand(Judge.objects.get(study__slug=_slug(folder), key=named))
            files = judged
        _load_files(folder, files)


def _slug(folder):
    return next(slug for slug, name in STUDIES.items() if name == folder.name)


def _load_files(folder, files):
    call_command("load_study", folder / "study.yaml", verbosity=0, owner=USERNAME, **files)


def _plan_baselines(slug):
    """Plan the judges that compute; a worker runs them, which spares the start their libraries."""
    for judge in Judge.objects.filter(study__slug=slug, kind__in=SCORERS):
        nudge(plan(judge))


def work_here():
    """Do the work planned in the demo studies here, as no worker is going to."""
    for run in Run.objects.filter(judge__study__slug__in=STUDIES, judge__kind__in=SCORERS):
        see_through(run)


def var_folder(name):
    """Return a folder under var/, made if missing."""
    folder = Path(settings.VAR_DIR) / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder
