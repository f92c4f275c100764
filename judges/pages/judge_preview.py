"""Show what a judge would send for an item, as it would send it; send and store nothing."""

import json
import math
from dataclasses import dataclass, field
from decimal import Decimal

from annotate.design.splits import WITHHELD, as_seen
from judges import methods
from judges.methods.draft import rows_from
from judges.models import Material
from judges.prompting import library
from judges.prompting.fill import Prompt
from judges.prompting.flags import named, texts_sent
from judges.prompting.materials import Materials, show_material
from judges.runs import drive, plan

CHARACTERS_A_TOKEN = 4  # of ASCII; of other scripts a character is about a token
AROUND_A_CALL, AROUND_AN_ANSWER = 8, 4


@dataclass
class Preview:
    """The calls for an item, [(what it is about, messages, tokens)], or why there are none.

    Tokens are estimates from the number of characters; usd is None without prices. others: ids of
    the items that follow; flags: what rules say of the texts. is_withheld: nobody may read here
    what is sent, as the item is a statement of a locked test part.
    """

    item: object
    prompt: Prompt
    material: Material | None = None
    missing: str = ""
    is_withheld: bool = False
    calls: list = field(default_factory=list)
    options: str = ""
    samples: int = 1
    tokens_in: int = 0
    tokens_out: int = 0
    usd: Decimal | None = None
    items: int = 0
    others: list = field(default_factory=list)
    flags: list = field(default_factory=list)

    per_token, around = CHARACTERS_A_TOKEN, AROUND_A_CALL

    @property
    def count(self):
        """Count the calls for the item, all samples together."""
        return len(self.calls) * self.samples

    @property
    def usd_of_all(self):
        """Return the cost for all items, if they are all as long."""
        return None if self.usd is None else self.usd * self.items


def estimated_tokens(text):
    """Estimate how many tokens a text has."""
    plain = sum(character.isascii() for character in text)
    return math.ceil(plain / CHARACTERS_A_TOKEN) + len(text) - plain


def preview(judge, key="", prompt=None):
    """Return the Preview of the item with that id, or of the first item; None without an item.

    Of a judge that is not asked about items: of the recipient, or of the sample with that number.
    prompt: an unsaved prompt, in place of the judge's.
    """
    if judge.judges_nothing:
        return _preview_apart(judge, key, prompt or _prompt(judge))
    try:
        questions = plan.scored_questions(judge)
    except plan.PlanError:
        return None
    items = plan.scored_items(judge, judge.study.items.select_related("content", "recipient"))
    items = items.filter(kind__in=_kinds(judge.study, questions))
    item, *others = _seen(judge.study, rows_from(items, key), key) or [None]
    prompt = prompt or _prompt(judge)
    if item is None or prompt is None:
        return None
    if item.text == WITHHELD:
        return Preview(item, prompt, is_withheld=True, others=[other.key for other in others])
    method = methods.of_judge(judge)
    materials = Materials(judge, method, questions, [item.system_id])
    ((_, material, missing),) = materials.gather([item])
    if item.pk in materials.pool:
        missing = "held out: examples are drawn from this item, so it is not judged"
    call_preview = Preview(item, prompt, material, missing)
    beside = method.beside(item)
    call_preview.flags = [] if missing else named(texts_sent(item, material, beside))
    call_preview.others = [other.key for other in others]
    if not missing:
        asked = [question for question in questions if question.applies_to_kind(item.kind)]
        _fill(call_preview, judge, asked, show_material(material, materials.texts))
        call_preview.items = items.count() - len(materials.pool)
    return call_preview


def _preview_apart(judge, key, prompt):
    method = methods.of_judge(judge)
    items = plan.scored_items(judge, judge.study.items.all())
    draft = method.draft(judge, items, key, prompt) if prompt else None
    if draft is None:
        return None
    call_preview = Preview(draft.subject, prompt, missing=draft.missing, others=draft.others)
    if not draft.missing:
        settings = plan.settings_of(judge, prompt) | {"prompt_text": prompt.text} | draft.facts
        for about, asked, shown in draft.calls:
            _add(call_preview, judge, settings, [asked], shown, about)
        _price(call_preview, judge, settings, [draft.calls[0][1]])
        call_preview.flags, call_preview.items = named(draft.texts), draft.count
    return call_preview


def _seen(study, items, key):
    """Return the items as they are seen; without a key from the first that can be read."""
    items = as_seen(study, items)
    readable = (place for place, item in enumerate(items) if item.text != WITHHELD)
    return items if key else items[next(readable, 0) :]


def _prompt(judge):
    try:
        return library.prompt_of(judge)
    except ValueError:
        return None


def _kinds(study, questions):
    kinds = study.items.order_by().values_list("kind", flat=True).distinct()
    return [kind for kind in kinds if any(q.applies_to_kind(kind) for q in questions)]


def _fill(call_preview, judge, asked, beside):
    settings = plan.settings_of(judge, call_preview.prompt) | {
        "prompt_text": call_preview.prompt.text
    }
    calls = methods.of_judge(judge).calls(judge, call_preview.item, asked)
    for _, order, together in (call for call in calls if call[0] == 0):
        about = f"lists {', '.join(order)}" if order else together[0].key
        _add(call_preview, judge, settings, together, beside, about, order)
    _price(call_preview, judge, settings, calls[0][-1])


def _add(call_preview, judge, settings, together, beside, about, order=""):
    """Add a call with its estimated tokens."""
    method = methods.of_judge(judge)
    sent = method.messages(settings, call_preview.item, together, beside, order)
    text = "".join(message["content"] for message in sent)
    tokens = estimated_tokens(text) + AROUND_A_CALL
    call_preview.calls.append((about, sent, tokens))
    call_preview.tokens_in += tokens
    call_preview.tokens_out += min(
        judge.settings.max_tokens, _reply_tokens(method, settings, together)
    )


def _price(call_preview, judge, settings, together):
    """Add what is sent with the messages, count all samples, and price them."""
    call_preview.options = json.dumps(drive.parameters(settings, together), indent=2)
    call_preview.samples = judge.settings.repeats
    call_preview.tokens_in *= call_preview.samples
    call_preview.tokens_out *= call_preview.samples
    call_preview.usd = judge.endpoint.cost(call_preview.tokens_in, 0, call_preview.tokens_out)


def _reply_tokens(method, settings, questions):
    rationale = method.longest_rationale(settings) // CHARACTERS_A_TOKEN
    keys = sum(estimated_tokens(question.key) + AROUND_AN_ANSWER for question in questions)
    return AROUND_A_CALL + rationale + keys
