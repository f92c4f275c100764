"""Test a judge with changed prompts (manage.py test_robustness)."""

from django.core.management.base import CommandError

from judges.checks import robustness
from judges.checks.drift import checkable
from judges.management.commands import run_judge
from judges.methods.recommend.plans import number_or_text
from judges.perturbations.relations import RELATIONS
from judges.runs.through import see_through


def relations_of(text):
    """Parse {key: options} of "spaces,multiply:factor=3"; the plan checks it."""
    relations = {}
    for part in filter(None, text.split(",")):
        key, _, option = part.partition(":")
        name, _, value = option.partition("=")
        relations[key.strip()] = {name.strip(): number_or_text(value.strip())} if option else {}
    return relations


class Command(run_judge.Command):
    help = "Asks items of a judge's newest run again in prompts that are changed by relations."

    def add_arguments(self, parser):
        self.add_names(parser)
        parser.add_argument("--items", type=int, default=robustness.USUAL_ITEMS)
        parser.add_argument(
            "--relations",
            type=relations_of,
            help="those to use, with an option where another is wanted: spaces,multiply:factor=3; "
            f"of {', '.join(RELATIONS)}. Default: all that apply",
        )
        parser.add_argument(
            "--repeats",
            type=int,
            default=robustness.USUAL_REPEATS,
            help="of each changed prompt; the unchanged one is asked once more",
        )
        parser.add_argument("--seed", type=int, default=robustness.SEED)
        self.add_budget_and_wait(parser, until="the test has ended")

    def handle(self, **options):
        judge = self._judge(options["study"], options["judge"])
        run = checkable(judge)
        if run is None:
            raise CommandError(f"The judge {judge} has no run with an answer that has ended.")
        chosen = robustness.Chosen(
            options["relations"], options["items"], options["repeats"], options["seed"]
        )
        budget = options["budget"]
        test = self._or_error(robustness.under_way, run, chosen, budget)
        test = test or self._or_error(robustness.plan_test, run, chosen, budget)
        calls = test.judgments.filter(lead=True).count()
        self._say(f"Run {test.pk} asks {calls:,} calls about items of run {run.pk}.")
        if options["wait"]:
            see_through(test, self._say)
            self._report(test)
            self._say(f"See manage.py analyse {judge.study.slug} robustness.")
            return
        self._leave_to_worker(test, "test")
