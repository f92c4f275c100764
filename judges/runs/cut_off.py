"""Tell how many replies were cut off at their limit, and which setting raises it."""

from dataclasses import dataclass

from annotate.files.reading.faults import limit_of
from judges.models import Judge, Judgment
from judges.replies.parse import Reason
from judges.values.settings import label_of

SETTING = "max_tokens"


@dataclass(frozen=True)
class CutOff:
    """How many replies were cut off, and the setting to raise: its label, value and twice that."""

    replies: int
    label: str
    value: int
    more: int
    name: str = SETTING


def cut_off_in(judge, rows):
    """Return the CutOff of a judge in these judgments; None where no reply was cut off."""
    if judge.kind != Judge.Kind.LLM:
        return None
    cut = rows.filter(lead=True, state=Judgment.State.UNPARSABLE, reason=Reason.CUT_OFF)
    if not (replies := cut.count()):
        return None
    value = judge.settings.max_tokens
    more = min(2 * value, limit_of(judge.settings_class, SETTING, "le"))
    return CutOff(replies, label_of(judge.settings_class, SETTING), value, more)
