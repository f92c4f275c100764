"""What a judge would send for one item, as it would send it; nothing is sent or stored."""

import json
import math
from dataclasses import dataclass, field
from decimal import Decimal

from judges import planning, prompting, running
from judges.materials import Materials, shown
from judges.models import Judge, Material
from judges.parsing import RATIONALE_LENGTH

CHARACTERS_A_TOKEN = 4  # of ASCII; of other scripts a character is about a token
AROUND_A_CALL, AROUND_AN_ANSWER = 8, 4


@dataclass
class Preview:
    """The calls for one item: [(questions, messages)]; `missing` says why there are none.

    Tokens are estimates from the number of characters; usd is None without prices.
    """

    item: object
    sha256: str
    material: Material | None = None
    missing: str = ""
    calls: list = field(default_factory=list)
    options: str = ""
    samples: int = 1
    tokens_in: int = 0
    tokens_out: int = 0
    usd: Decimal | None = None
    items: int = 0

    @property
    def count(self):
        """Calls for the item, all samples together."""
        return len(self.calls) * self.samples

    @property
    def usd_of_all(self):
        """For all items, if they are all as long."""
        return None if self.usd is None else self.usd * self.items


def estimated_tokens(text):
    """About how many tokens a text has."""
    plain = sum(character.isascii() for character in text)
    return math.ceil(plain / CHARACTERS_A_TOKEN) + len(text) - plain


def preview(judge, key=""):
    """The Preview of the item with that id, or of the first one; None where there is no such."""
    questions = planning.scored_questions(judge.study)
    items = planning.scored_items(judge.study.items.select_related("content", "recipient"))
    items = items.filter(kind__in=_kinds(judge.study, questions))
    item = items.filter(key=key).first() if key else items.first()
    if item is None or judge.prompt not in prompting.names():
        return None
    materials = Materials(judge, questions, [item.system_id])
    ((_, material, missing),) = materials.of([item])
    if item.pk in materials.pool:
        missing = "held out: examples are drawn from this item, so it is not judged"
    found = Preview(item, prompting.load(judge.prompt).sha256, material, missing)
    if not missing:
        asked = [question for question in questions if question.applies_to_kind(item.kind)]
        _fill(found, judge, asked, shown(material, materials.texts))
        found.items = items.count() - len(materials.pool)
    return found


def _kinds(study, questions):
    kinds = study.items.order_by().values_list("kind", flat=True).distinct()
    return [kind for kind in kinds if any(q.applies_to_kind(kind) for q in questions)]


def _fill(found, judge, asked, beside):
    single = judge.aspects == Judge.Aspects.SINGLE
    template = prompting.load(judge.prompt).text
    for together in [[question] for question in asked] if single else [asked]:
        sent = prompting.messages(template, found.item, together, judge.rationale, beside)
        found.calls.append((together, sent))
        text = "".join(message["content"] for message in sent)
        found.tokens_in += estimated_tokens(text) + AROUND_A_CALL
        found.tokens_out += min(judge.max_tokens, _reply_tokens(judge, together))
    settings = planning.settings_of(judge)
    found.options = json.dumps(running.parameters(settings, found.calls[0][0]), indent=2)
    found.samples = judge.samples
    found.tokens_in *= judge.samples
    found.tokens_out *= judge.samples
    found.usd = judge.endpoint.cost(found.tokens_in, 0, found.tokens_out)


def _reply_tokens(judge, questions):
    rationale = RATIONALE_LENGTH // CHARACTERS_A_TOKEN if judge.rationale else 0
    keys = sum(estimated_tokens(question.key) + AROUND_AN_ANSWER for question in questions)
    return AROUND_A_CALL + rationale + keys
