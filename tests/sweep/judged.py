"""What judges did in the study that is swept: a row in every table of judges."""

from django.utils import timezone

from annotate.models import Item
from judges.endpoints import keys
from judges.models import (
    Call,
    Computation,
    Endpoint,
    Entailment,
    Extraction,
    Flag,
    HeldOut,
    Judge,
    Judgment,
    Material,
    Run,
    Statement,
    StudyPrompt,
    TopicSample,
    Window,
    Writing,
)
from judges.prompting.fill import load
from judges.removal import archive, delete
from judges.runs.plan import plan
from tests import factories
from tests.recommended import make_lists, make_recommender
from tests.stated import read, state
from tests.sweep.canaries import mark

State = Run.State


def make_judged(study, owner):
    """{the end of a route: the row that it names}, of a study that has items."""
    endpoint = factories.make_endpoint(
        key="zq-endpoint-key-zq",
        base_url="http://127.0.0.1:9/zq-endpoint-base_url-zq/v1",
        api_key_env="zq-endpoint-api_key_env-zq",
        model=mark("endpoint-model"),
        price_in=1,
        price_out=1,
    )
    Window.objects.create(endpoint=endpoint)
    values = _ended(study, endpoint, owner) | _moving(study, endpoint) | _lists(study)
    values |= _stated(study) | _kept_beside(study, values["runs/<int:pk>"])
    prompt = StudyPrompt.objects.create(
        study=study,
        name="own",
        method=Judge.Method.QUESTIONS,
        text=f"{load('explanation.v3').text}\n{mark('studyprompt-text')}",
    )
    computation = Computation.objects.create(
        key="a" * 64, study=study, report="agreement", n_answers=9, state=Computation.State.FAILED
    )
    return values | {
        "endpoints/<int:pk>": endpoint,
        "models/<int:pk>": _connected(study, owner),
        "own/<slug:name>": (prompt, "name"),
        "computing/<slug:key>": (computation, "key"),
    }


def _connected(study, owner):
    """A model of the study, with a key, on which no judge rests."""
    endpoint = factories.make_endpoint(
        key="zq-own-endpoint-zq",
        base_url="http://127.0.0.1:9/zq-endpoint-base_url-zq/v1",
        model=mark("endpoint-model"),
        study=study,
    )
    keys.set_key(endpoint, "sk-of-the-sweep-1", owner)
    endpoint.save()
    return endpoint


def _ended(study, endpoint, owner):
    """An LLM's run that ended, with calls, and a judgment that failed; and a file's judge."""
    judge = factories.make_judge(study, "llm", endpoint)
    run = plan(
        judge,
        items=Item.objects.filter(pk__in=[item.pk for item in study.items.order_by("pk")[:2]]),
        budget=1,
    )
    first = study.items.order_by("pk").first().pk
    for row in run.judgments.all():
        call = factories.make_call(
            run,
            row.unit,
            messages=[{"role": "user", "content": mark("call-messages")}],
            failure="",
            cost_usd=0,
        )
        done = {"state": Judgment.State.DONE, "value": 3}
        failed = {"state": Judgment.State.FAILED}
        fields = done if row.item_id == first else failed
        Judgment.objects.filter(pk=row.pk).update(call=call, settled_at=timezone.now(), **fields)
    Run.objects.filter(pk=run.pk).update(state=State.FINISHED, ended_at=timezone.now())
    items, question = study.items.order_by("pk")[:4], study.questions.first()
    factories.make_judgments(
        factories.make_judge(study, "file"), {(item, question): 3 for item in items}
    )
    fresh = factories.make_judge(study, "fresh", kind="random")
    changed = {"judges/<int:pk>/edit/": fresh, "judges/<int:pk>/name/": fresh}
    changed |= _set_aside(study, owner) | {"judges/<int:pk>/duplicate/": judge}
    return {"judges/<int:pk>": judge, "runs/<int:pk>": run} | changed


def _set_aside(study, owner):
    """A judge that can be archived or deleted, one that was archived, and one that was deleted."""
    free, archived, deleted = (
        factories.make_judge(study, name, kind="random") for name in ("free", "shelved", "dropped")
    )
    archive.archive(archived, owner)
    delete.delete(deleted, owner, mark("judgestep-because"))
    return {
        "judges/<int:pk>/archive/": free,
        "judges/<int:pk>/delete/": free,
        "judges/<int:pk>/bring-back/": archived,
        "judges/<int:pk>/undelete/": deleted,
    }


def _moving(study, endpoint):
    """A run that is active, one that was cancelled, one that waits for a confirmation."""
    values = {}
    states = {"cancel": State.ACTIVE, "resume": State.CANCELLED, "confirm": State.WAITING}
    for name, state_of_run in states.items():
        judge = factories.make_judge(
            study,
            name,
            endpoint if name == "confirm" else None,
            kind="llm" if name == "confirm" else "random",
        )
        run = plan(judge, budget=1 if name == "confirm" else None)
        pilot = {"in_pilot": True, "pilot": {"seed": 1, "units": [0]}} if name == "confirm" else {}
        Run.objects.filter(pk=run.pk).update(state=state_of_run, **pilot)
        values[f"runs/<int:pk>/{name}/"] = run
    return values


def _lists(study):
    """A recommender and its lists."""
    judge = make_recommender(study)
    Endpoint.objects.filter(pk=judge.endpoint_id).update(key="zq-endpoint-key-zq-2")
    run = make_lists(judge, {("r0", "no_change", 0): "aX", ("r1", "multiply", 1): None})
    return {
        "judges/<int:pk>/test/": judge,
        "runs/<int:pk>/lists/": run,
    }


def _stated(study):
    """Statements of both sides of an item, one that a person corrected, and an item of one."""
    item = study.items.order_by("pk").first()
    run = read(study)
    for side in ("generated", "reference"):
        state(run, item, side, [("it is light", "weight", "positive")])
    Extraction.objects.update(
        dropped=[
            {
                "statement": mark("extraction-dropped"),
                "topic": "t",
                "sentiment": "positive",
                "why": "repeated",
            }
        ]
    )
    corrected = Statement.objects.filter(side="generated").get()
    Statement.objects.filter(pk=corrected.pk).update(
        corrected_statement="it is heavy", corrected_at=timezone.now()
    )
    Item.objects.create(study=study, key="stated", kind=Item.Kind.STATEMENT, text="it is light")
    return {"statements/<int:pk>": corrected, "<slug:side>": "generated"}


def _kept_beside(study, run):
    """What runs keep beside their judgments."""
    item, recipient = study.items.first(), study.recipients.first()
    Flag.objects.create(run=run, item=item, rules="score")
    Entailment.objects.create(
        run=run,
        item=item,
        n_generated=1,
        n_reference=1,
        generated=[mark("entailment-generated")],
        reference=[mark("entailment-reference")],
        forward=b"\0" * 24,
        backward=b"\0" * 24,
    )
    HeldOut.objects.create(run=run, item=item)
    Material.objects.create(run=run, item=item)
    TopicSample.objects.create(run=run, unit=0, reviews=[["item-0", mark("topicsample-reviews")]])
    Writing.objects.create(run=run, recipient=recipient, unit=0, wanted=0)
    Call.objects.filter(run=run).update(failure_detail="")
    return {}
