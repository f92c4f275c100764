"""Load a study from its files (manage.py load_study)."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from annotate.files.reading.problems import SHOWN
from judges.files import TABLES, check_files, load_files
from judges.files.load import what_else
from judges.files.off_scale import BECOMES, MEANINGS, MISSING
from judges.management.owners import owner_or_error


class Command(BaseCommand):
    help = "Loads a study from files, all or nothing. docs/FILES.md describes the files."

    def add_arguments(self, parser):
        parser.add_argument("study", type=Path, help="study.yaml")
        for table in TABLES:
            parser.add_argument(f"--{table}", type=Path, metavar="FILE", help=".csv or .jsonl")
        parser.add_argument("--owner", metavar="USERNAME", help="who owns the study if it is new")
        parser.add_argument(
            "--check", action="store_true", help="say what would change; write nothing"
        )
        parser.add_argument(
            "--out-of-range",
            choices=MEANINGS,
            default=MISSING,
            help="judgments outside their question's scale: "
            + "; ".join(f"{name}: {words}" for name, words in MEANINGS.items()),
        )

    def handle(self, *args, **options):
        paths = {table: options[table] for table in TABLES if options[table] is not None}
        for path in (options["study"], *paths.values()):
            if not path.is_file():
                raise CommandError(f"{path}: there is no such file")
        chosen = {"out_of_range": options["out_of_range"]}
        if options["check"]:
            loading = check_files(options["study"], paths, **chosen)
        else:
            owner = owner_or_error(options["owner"])
            loading = load_files(options["study"], paths, owner=owner, **chosen)
        if loading.problems:
            self._refuse(loading.problems)
        if options["verbosity"] > 0:
            self._report(loading, options["check"])

    def _refuse(self, problems):
        for problem in problems.shown:
            self.stderr.write(str(problem))
        if problems.total > SHOWN:
            self.stderr.write(f"and {problems.total - SHOWN:,} more")
        word = "problem" if problems.total == 1 else "problems"
        raise CommandError(f"{problems.total:,} {word}; nothing was written")

    def _report(self, loading, checked):
        for table, counts in loading.counts.items():
            self.stdout.write(
                f"{table:<13}{counts.rows:>9,} rows: {counts.new:,} new, "
                f"{counts.changed:,} changed, {counts.unchanged:,} unchanged"
            )
            if words := what_else(loading, table):
                self.stdout.write(words)
        for tally in loading.off_scale.noted:
            became = "" if tally.own_scale else f" {BECOMES[loading.off_scale.policy]}"
            self.stdout.write(tally.sentence + (became and f"{became} (see --out-of-range)."))
        slug = loading.study.slug
        if not loading.changes:
            differs = any(counts.differing for counts in loading.counts.values())
            holds = "what study {} holds stays" if differs else "study {} holds all of it already"
            self.stdout.write(f"Nothing changes: {holds.format(slug)}.")
        elif checked:
            self.stdout.write(f"Study {slug} can be loaded; nothing was written (--check).")
        else:
            self.stdout.write(f"Study {slug} is loaded.")
