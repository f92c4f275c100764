"""Test a recommender with perturbed prompts (manage.py test_recommender)."""

from pathlib import Path

from django.core.management import CommandError
from django.utils.text import slugify

from annotate.models import Membership, Study
from judges.counterfactual import rated_folders
from judges.management.commands.run_judge import Command as RunJudge
from judges.management.commands.run_judge import positive
from judges.management.owners import owner_or_error
from judges.methods.recommend import lists, results
from judges.methods.recommend.method import NO_SCHEMA, Recommender
from judges.methods.recommend.plans import PLANS, Trial, read_relations
from judges.models import Endpoint, Judge

METHOD, OWNER = Judge.Method.RECOMMENDER, Membership.Role.OWNER


def listed(text):
    """Split names with commas between them."""
    return [part.strip() for part in text.split(",") if part.strip()]


def sizes(text):
    """Parse whole numbers with commas between them."""
    return [int(part) for part in listed(text)]


class Command(RunJudge):
    help = (
        "Tests a recommender: asks it for lists again and again, with its prompt as it is and "
        "perturbed. A test that was interrupted goes on."
    )

    def add_arguments(self, parser):
        usual = Trial()
        parser.add_argument(
            "study", help="a study’s short name, or a folder with movies.csv and ratings.csv"
        )
        parser.add_argument("judge", help="the recommender’s name, or an endpoint’s")
        parser.add_argument(
            "--plan", type=listed, default=usual.plans, metavar=",".join(PLANS.values)
        )
        parser.add_argument("--users", type=positive, metavar="N", help="so many, drawn by seed")
        parser.add_argument("--iterations", type=positive, default=usual.iterations, metavar="R")
        parser.add_argument("--k", type=positive, default=usual.k, help="contents asked for")
        parser.add_argument("--l", type=positive, default=usual.l, help="rated contents shown")
        parser.add_argument("--ks", type=sizes, default=usual.ks, help="of k_sweep: 5,10")
        parser.add_argument("--ls", type=sizes, default=usual.ls, help="of l_sweep: 5,10")
        parser.add_argument(
            "--relations",
            default=",".join(key for key, _ in usual.relations),
            help='with options: "multiply:factor=3,spaces:rate=0.2"',
        )
        parser.add_argument("--seed", type=int, default=usual.seed)
        parser.add_argument(
            "--lowest", type=float, help="of the ratings’ scale; else 1, or where the ratings begin"
        )
        parser.add_argument("--highest", type=float, default=usual.high)
        parser.add_argument("--above", type=float, default=usual.above, help="shown for k_sweep")
        self._add_of_new(parser)
        self.add_budget_and_wait(parser)
        self.add_yes(parser)

    def _add_of_new(self, parser):
        """Add what a recommender or a study is made with, where it does not exist yet."""
        parser.add_argument(
            "--word", default="movie", help="what a content is called; of a new recommender"
        )
        parser.add_argument(
            "--json-list",
            action="store_true",
            help="lists as JSON, by a schema that the endpoint keeps; of a new recommender",
        )
        parser.add_argument("--name", help="of the study that a folder is loaded into")
        parser.add_argument("--owner", metavar="USERNAME", help="who owns that study")

    def handle(self, **options):
        options["trial"], self.word = self._trial(options, Trial.low), options["word"]
        self.json_list = options["json_list"]
        options["study"] = slug = self._study(options)
        if study := Study.objects.filter(slug=slug).first():
            options["trial"] = self._trial(options, lists.usual_low(study))
        defaults = {"reparse": False, "retry_failed": False, "limit": None, "no_reuse": True}
        super().handle(**options | defaults)

    def _trial(self, options, usual_low):
        names = ("users", "iterations", "k", "l", "ks", "ls", "seed", "above")
        given = {name: options[name] for name in names}
        try:
            return Trial(
                **given,
                plans=options["plan"],
                relations=read_relations(options["relations"]),
                low=usual_low if options["lowest"] is None else options["lowest"],
                high=options["highest"],
            ).checked()
        except ValueError as error:
            raise CommandError(f"The recommender cannot be tested so: {error}") from None

    def _study(self, options):
        """Return the short name of the study; a folder is loaded once."""
        folder, owner = Path(options["study"]), owner_or_error(options["owner"])
        if Study.objects.filter(slug=options["study"]).exists() or not folder.is_dir():
            return self._known(options)
        slug = options["name"] or f"ratings-{slugify(folder.resolve().name)}"[:50]
        if study := Study.objects.filter(slug=slug).first():
            return self._made_before(study, folder, owner)
        title = f"Ratings: {folder.resolve().name}"
        study, problems = rated_folders.load(folder, slug, title, owner)
        if study is None:
            for problem in problems.shown:
                self.stderr.write(str(problem))
            raise CommandError(f"{problems.total:,} problems; nothing was written")
        whose = f"; {owner} owns it" if owner else "; only an operator sees it: see --owner"
        self._say(f"The study {slug} is made of the folder’s ratings{whose}.")
        return slug

    def _known(self, options):
        """Return the study that was named itself, which nothing is loaded into."""
        if options["name"] or options["owner"]:
            raise CommandError("--name and --owner are for a folder, which a study is made of.")
        return options["study"]

    def _made_before(self, study, folder, owner):
        """Continue a study that this command made of the same files; leave any other alone."""
        if not rated_folders.is_made_of(study, folder):
            raise CommandError(
                f"There is a study {study.slug!r} already, which was not made of these files. "
                "Choose another --name, or name that study instead of the folder."
            )
        if owner and not study.memberships.filter(user=owner, role=OWNER).exists():
            raise CommandError(
                f"The study {study.slug} is there already, and {owner} does not "
                "own it. Choose another --name."
            )
        self._say(f"The study {study.slug} is there already, made of the same files.")
        return study.slug

    def _judge(self, slug, key):
        """Return the recommender of that name, or make it with the given endpoint."""
        study = Study.objects.filter(slug=slug).first()
        there = study and Judge.objects.filter(study=study, key=key).exists()
        endpoint = Endpoint.objects.usable_by(study).by_name().get(key)
        if study and endpoint and not there:
            fields = {"endpoint": endpoint, "prompt": Recommender.usual_prompt, "method": METHOD}
            fields |= {"settings": {"content_word": self.word, "json_list": self.json_list}}
            name = f"recommender {key}"
            if self.json_list:
                name = f"{name} JSON"
                self._check_schema(endpoint)
            judge, made = Judge.objects.get_or_create(study=study, key=name, defaults=fields)
            if made:
                self._say(f"The recommender {name!r} is made.")
            key = name
        judge = super()._judge(slug, key)
        if judge.method != METHOD:
            raise CommandError(f"The judge {key} recommends nothing: {judge.get_method_display()}.")
        if self.json_list and not judge.settings.json_list:
            raise CommandError(
                f"The recommender {key} gives no lists as JSON. Name its endpoint "
                "to have one made that does."
            )
        return judge

    def _check_schema(self, endpoint):
        if not endpoint.json_schema:
            raise CommandError(NO_SCHEMA.format(endpoint.key))

    def _report(self, run):
        totals = results.totals(run)
        withheld = (
            f" {totals.withheld} of the locked test part are withheld." if totals.withheld else ""
        )
        self._say(
            f"{totals.read} lists of {totals.lists} were read: {totals.entries} "
            f"entries, {totals.unmatched} of them not in the catalogue and {totals.known} "
            f"rated before; left out: {totals.repeated} repeated, {totals.extra} beyond k."
            f"{withheld}"
        )
        super()._report(run)
        self._say(f"What it comes to: manage.py analyse {run.judge.study.slug} metamorphic")
