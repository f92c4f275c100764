"""Know which computer programs are shown what raters give, and tell raters before they agree.

Which programs those are only judges know: PROGRAMS_SHOWN in the settings names what lists them.
"""

import hashlib
import json
import re
from collections import defaultdict
from dataclasses import dataclass

from django.conf import settings
from django.db import models
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy

from annotate.models import Rater
from annotate.taste import study as taste
from annotate.values.wrong import quoted

COVERS = "consent_covers"  # a key of study.yaml: hosts that the study's own consent text names
HOST = re.compile(r"[a-z0-9](?:[a-z0-9.:-]*[a-z0-9])?")
MOST_COVERED, LONGEST_HOST = 20, 253


def check_covered(hosts):
    """Return the hosts in lower case, each once; ValueError says what is wrong."""
    if not isinstance(hosts, list) or not all(isinstance(host, str) for host in hosts):
        raise ValueError(f"found {quoted(hosts)}; allowed is a list of names of hosts")
    names = list(dict.fromkeys(host.strip().lower() for host in hosts))
    for name in names:
        if not HOST.fullmatch(name) or len(name) > LONGEST_HOST:
            raise ValueError(
                f"found {quoted(name)}; allowed is the name of a host, such as api.example.org, "
                "without https://, path or port"
            )
    if len(names) > MOST_COVERED:
        raise ValueError(f"found {len(names)} hosts; allowed are {MOST_COVERED}")
    return names


class Data(models.TextChoices):
    """What a prompt may show of people."""

    ANSWERS = "answers", gettext_lazy("some of your answers, as an example")
    PROFILE = "profile", gettext_lazy("the profile that was written about you")
    HISTORY = "history", gettext_lazy("your history, such as what you watched, heard or bought")
    REVIEW = "review", gettext_lazy("the reviews that you wrote")


@dataclass(frozen=True)
class Showing:
    """An endpoint's program and one kind of data that a judge shows it.

    role: of the raters whose answers are shown; all other data are of recipients.
    """

    host: str
    is_local: bool
    model: str
    data: Data
    role: str = ""

    def concerns(self, rater):
        """Tell whether what is shown is of this rater."""
        if self.data == Data.ANSWERS:
            return rater.role == self.role
        return rater.recipient_id is not None or taste.is_asked(rater.study, rater)


@dataclass(frozen=True)
class Notice:
    """What the consent page tells one rater.

    programs: [(host, whether it is local, model, what it is shown in words)].
    told: {host: [data]}, as the session keeps it.
    """

    programs: list
    told: dict

    @property
    def mark(self):
        """Return a mark of what is told, which the page sends back; blank where it is nothing.

        By it a page is noticed that was opened before a judge was added.
        """
        told = json.dumps(self.told, sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:16] if self.told else ""


def notice_for(study, rater=None):
    """Return the Notice for a rater; without one, for somebody who comes by the open link."""
    rater, programs, told = rater or Rater(study=study), defaultdict(set), defaultdict(set)
    for showing in import_string(settings.PROGRAMS_SHOWN)(study.origin):
        if showing.concerns(rater):
            programs[showing.host, showing.is_local, showing.model].add(showing.data)
            told[showing.host].add(str(showing.data))
    return Notice(
        [(*program, _in_order(programs[program])) for program in sorted(programs)],
        {host: sorted(told[host]) for host in sorted(told)},
    )


def _in_order(shown):
    return [data.label for data in Data if data in shown]


def is_covered(study, told, showing):
    """Tell whether a session's consent named this program with this data.

    told: what the session was told, None for a session from before sessions kept it.
    """
    if showing.is_local or showing.host in (study.extra.get(COVERS) or ()):
        return True
    return showing.data in (told or {}).get(showing.host, ())
