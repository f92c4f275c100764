"""Run a script of docs/ in a folder that holds the export of a study, as its reader would."""

import csv
import runpy
from io import StringIO

from django.core.management import call_command


def run_by_hand(script, study, folder, monkeypatch, capsys):
    """The lines of the CSV that the script prints, a dictionary each."""
    for table in ("scores", "items"):
        with (folder / f"{table}.csv").open("w") as out:
            call_command("export", study.slug, table, stdout=out)
    monkeypatch.chdir(folder)
    capsys.readouterr()
    runpy.run_path(str(script))
    return list(csv.DictReader(StringIO(capsys.readouterr().out.strip())))
