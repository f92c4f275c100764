"""Check whether a judge's endpoint has drifted (manage.py check_drift)."""

from django.core.management.base import CommandError

from judges.checks.drift import (
    MOST_ITEMS,
    SEED,
    USUAL_ITEMS,
    checkable,
    compare,
    plan_check,
    sample,
    under_way,
)
from judges.management.commands import run_judge
from judges.models import Run
from judges.runs.through import see_through


class Command(run_judge.Command):
    help = "Asks a few items of a past run again and says what differs: a check for drift."

    def add_arguments(self, parser):
        self.add_names(parser)
        parser.add_argument("--run", type=int, help="the run to check; default: the newest")
        parser.add_argument(
            "--items",
            type=run_judge.positive,
            default=USUAL_ITEMS,
            help=f"how many; default {USUAL_ITEMS}, at most {MOST_ITEMS}",
        )
        self.add_budget_and_wait(parser, until="the check has ended, and show it")

    def handle(self, **options):
        judge = self._judge(options["study"], options["judge"])
        run = self._past(judge, options["run"])
        asked = {"items": len(sample(run, options["items"])), "seed": SEED}
        again = self._or_error(under_way, run, "drift", asked, options["budget"])
        again = again or self._or_error(plan_check, run, options["items"], options["budget"])
        items = again.frozen["drift"]["items"]
        self._say(f"Run {again.pk} asks {items} items of run {run.pk} again.")
        if not options["wait"]:
            self._leave_to_worker(again, "check")
            return
        see_through(again, self._say)
        self._tell(compare(again))

    def _past(self, judge, number):
        """Return the run of that number, or the newest run that can be checked."""
        if number is None:
            run = checkable(judge)
        else:
            run = Run.objects.filter(judge=judge, pk=number).select_related("judge").first()
        if run is None:
            which = "with an answer that has ended" if number is None else f"of number {number}"
            raise CommandError(f"The judge {judge} has no run {which}.")
        return run

    def _tell(self, drift):
        for sentence in drift.sentences:
            self._say(sentence)
        for row in drift.moved:
            change = ""
            if row.change is not None and row.change.n:
                change = f", mean moved by {row.change.value:+.3f}"
            if row.change is not None and row.change.n > 1:
                change += f" [{row.change.low:.3f}, {row.change.high:.3f}]"
            lost = f", {row.lost} without a value now" if row.lost else ""
            self._say(
                f"{row.question.key}: {row.same} of {row.n} the same{change}{lost}: {row.words}"
            )
