"""Make, update and compile the message files of raters' pages (manage.py messages)."""

import polib
from django.core.management.base import BaseCommand, CommandError
from django.utils.translation import to_language

from annotate.raters import messages


class Command(BaseCommand):
    help = (
        "Compiles every locale/*/LC_MESSAGES/django.po. With a language (fr, zh-hans) its file is "
        "made first, or gets the texts that it lacks."
    )

    def add_arguments(self, parser):
        parser.add_argument("language", nargs="?", help="such as fr, or zh-hans")

    def handle(self, *args, language, **options):
        if language:
            path = messages.path_of(to_language(language))
            path.parent.mkdir(parents=True, exist_ok=True)
            messages.updated(path, to_language(language)).save(str(path))
        for path in messages.message_files():
            self._compile(path)

    def _compile(self, path):
        file = polib.pofile(str(path))
        if problems := messages.faults(file):
            raise CommandError(f"{path}: nothing was compiled.\n" + "\n".join(problems))
        file.save_as_mofile(str(path.with_suffix(".mo")))
        missing = len(messages.lacking(file))
        words = f"{missing} texts stay English" if missing else "complete"
        self.stdout.write(f"{path}: {words}")
