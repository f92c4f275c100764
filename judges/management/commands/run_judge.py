"""Run a judge, or continue its run (manage.py run_judge)."""

from decimal import Decimal, InvalidOperation

from django.core.management.base import BaseCommand, CommandError

from annotate.models import Study
from annotate.templatetags.concord import amount
from judges.models import Heartbeat, Judge, Judgment, Run
from judges.runs import pilots, plan, resume
from judges.runs.nudge import nudge
from judges.runs.reread import reread
from judges.runs.through import see_through


def money(text):
    """Parse a positive number of US dollars."""
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal(-1)
    if not value.is_finite() or value <= 0:
        raise ValueError(f"{text!r} is no sum of money")
    return value


def positive(text):
    """Parse a whole number from 1."""
    if int(text) < 1:
        raise ValueError(f"{text!r} is below 1")
    return int(text)


class Command(BaseCommand):
    help = "Starts a run of a judge over a study's items; its newest run goes on if unfinished."

    def add_arguments(self, parser):
        self.add_names(parser)
        parser.add_argument("--limit", type=positive, help="judge the first N items only")
        self.add_budget_and_wait(parser)
        self.add_yes(parser)
        parser.add_argument(
            "--no-reuse", action="store_true", help="make calls that past runs made, again"
        )
        again = parser.add_mutually_exclusive_group()
        again.add_argument(
            "--retry-failed",
            action="store_true",
            help="ask only what the newest run has no value for, again",
        )
        again.add_argument(
            "--reparse",
            action="store_true",
            help="read the newest run's stored replies again, without a call",
        )

    def add_names(self, parser):
        parser.add_argument("study", help="the study's short name")
        parser.add_argument("judge", help="the judge's name")

    def add_budget_and_wait(self, parser, until="the run has ended"):
        parser.add_argument(
            "--budget", type=money, metavar="USD", help="never spend more than this"
        )
        parser.add_argument("--wait", action="store_true", help=f"stay until {until}")

    def add_yes(self, parser):
        parser.add_argument(
            "--yes", action="store_true", help="ask all at once, without waiting for a confirmation"
        )

    def handle(self, **options):
        judge = self._judge(options["study"], options["judge"])
        if options["reparse"]:
            self._say(str(self._or_error(reread, self._newest(judge, options))))
            return
        run = self._retry(judge, options) if options["retry_failed"] else self._run(judge, options)
        if run is None:
            return
        if not options["wait"]:
            self._leave_to_worker(run, "run")
            return
        see_through(run, self._say)
        if run.state == Run.State.WAITING:
            self._ask_for_confirmation(run)
        self._report(run)

    def _leave_to_worker(self, run, what):
        nudge(run)
        if not Heartbeat.objects.any_alive():
            self._say(f"No worker is alive; the {what} begins when one is started.")

    def _ask_for_confirmation(self, run):
        """Say what the rest will take and end the command, so that no script goes on."""
        outlook = pilots.forecast(run)
        self._say(f"Run {run.pk}: {outlook.bad} of its first {outlook.units} calls gave no value.")
        for line in outlook.lines:
            value, low, high = (amount(part, line.unit) for part in line.whole)
            self._say(f"{line.name} in all: {value} [{low}, {high}]")
        raise CommandError(f"Run {run.pk} waits for a confirmation: repeat this with --yes.")

    def _judge(self, slug, key):
        study = Study.objects.kept().filter(slug=slug).first()
        if study is None:
            slugs = ", ".join(Study.objects.kept().values_list("slug", flat=True)) or "none yet"
            raise CommandError(f"There is no study {slug!r}. Studies: {slugs}.")
        judges = Judge.objects.filter(study=study).select_related("study", "endpoint")
        for judge in judges:
            if judge.key == key:
                return judge
        names = ", ".join(judge.key for judge in judges) or "none yet"
        raise CommandError(f"The study {slug} has no judge {key!r}. Judges: {names}.")

    def _run(self, judge, options):
        """Return the newest run if it is unfinished, or a new run; say which."""
        run, sentence = self._or_error(
            resume.start,
            judge,
            limit=options["limit"],
            budget=options["budget"],
            reuse=not options["no_reuse"],
            confirmed=options["yes"],
            trial=options.get("trial"),
        )
        self._say(sentence)
        return run

    def _retry(self, judge, options):
        """Return the newest run, active again; None where it has a value for everything."""
        run = self._newest(judge, options)
        count = self._or_error(resume.reset_failed, run)
        run.refresh_from_db()
        self._say(f"Run {run.pk}: {count} judgments without a value are asked again.")
        return run if count else None

    def _newest(self, judge, options):
        if options["limit"] or options["budget"]:
            raise CommandError("--limit and --budget are for new runs.")
        run = judge.runs.judging().first()
        if run is None:
            raise CommandError(f"The judge {judge} has not been run yet.")
        return run

    def _or_error(self, act, *arguments, **options):
        try:
            return act(*arguments, **options)
        except plan.PlanError as error:
            raise CommandError(str(error)) from None

    def _report(self, run):
        done = run.judgments.filter(state=Judgment.State.DONE).count()
        bad = run.judgments.filter(state__in=Judgment.NO_VALUE).count()
        self._say(
            f"Run {run.pk} {run.get_state_display().lower()}: {done} judged, {bad} without a value."
        )
        if not done:
            raise CommandError("Nothing was judged. The run's page shows why.")

    def _say(self, text):
        self.stdout.write(text)
        self.stdout.flush()
