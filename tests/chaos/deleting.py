"""Studies deleted by their owner while their judge runs."""

import json
from dataclasses import dataclass, field

from tests.simulated_raters import GaveUp

ITEMS = 40


@dataclass
class Deleter:
    """An actor that starts a run of a study and deletes the study under it."""

    caller: object  # a browser
    program: object
    studies: list
    deleted: list = field(default_factory=list)
    trouble: list = field(default_factory=list)

    def work(self, stop):
        """Delete study after study."""
        try:
            while self.studies and not stop.wait(1):
                self._delete(self.studies.pop(0), stop)
        except GaveUp as error:
            self.trouble.append(str(error))

    def _delete(self, slug, stop):
        body = json.dumps({"judge": slug, "confirmed": True})
        path = f"/api/v1/studies/{slug}/runs/"
        self.program.ask("start a run to be deleted", "POST", path, body)
        stop.wait(2)
        status, _, page = self.caller.post_form(
            "delete a study", f"/studies/{slug}/delete/", slug=slug
        )
        if status in (302, 404):  # 404: an earlier try came through
            self.deleted.append(slug)
        else:
            self.trouble.append(f"{status} to the deletion of {slug}: {page[:100]}")


def make_studies(owner, endpoint, count):
    """Make studies with a judge each, and return their names."""
    from tests import factories

    names = [f"doomed-{number}" for number in range(count)]
    for name in names:
        study = factories.make_study(name, owner, questions={"accuracy": "It is consistent."})
        factories.make_items(study, ITEMS)
        factories.make_judge(study, name, endpoint)
    return names
