"""Upgrade the database of the environment, and use it: python -m tests.upgrading FOLDER.

Leaves in the folder exports.txt, all tables of all studies one after the other, and again.json,
what became of the judges of known answers when they were asked again.
"""

import io
import json
import sys
from collections import Counter
from pathlib import Path

import django


def main(folder):
    from django.core.management import call_command

    call_command("migrate", verbosity=0, skip_checks=False)
    with (folder / "exports.txt").open("w") as out:
        write_exports(out)
    (folder / "again.json").write_text(json.dumps(ask_again()))


def write_exports(out):
    """Write every table of every study that has rows, and each study.yaml, one after the other."""
    from django.core.management import call_command

    from analysis.exports.tables import ROWS
    from annotate.models import Study

    for study in Study.objects.order_by("slug"):
        for table in [*(table for table in ROWS if table != "codebook"), "study"]:
            text = io.StringIO()
            call_command("export", study.slug, table, stdout=text)
            if text.getvalue().count("\n") > 1:
                out.write(f"== {study.slug} {table}\n{text.getvalue()}")


def ask_again():
    """Run the judges that asked the server again, which is gone now.

    Returns {study and judge: [states of judgments, number of calls, of them taken over]}.
    """
    from judges.models import Judge
    from judges.runs.drive import work_through
    from judges.runs.resume import start

    again = {}
    asked = Judge.objects.filter(endpoint__base_url__contains=":18765/")
    for judge in asked.exclude(method=Judge.Method.RECOMMENDER).order_by("pk"):
        run = start(judge)[0]
        work_through(run.pk)
        states = Counter(run.judgments.values_list("state", flat=True))
        taken_over = run.calls.exclude(reused_from=None).count()
        again[f"{judge.study.slug} {judge.key}"] = [states, run.calls.count(), taken_over]
    return again


if __name__ == "__main__":
    django.setup()
    main(Path(sys.argv[1]))
