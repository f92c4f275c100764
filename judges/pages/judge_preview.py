"""Show what a judge would send for an item, as it would send it; send and store nothing."""

import json
import math
from dataclasses import dataclass, field
from decimal import Decimal

from django.db.models import Subquery

from annotate.design.splits import WITHHELD, as_seen
from judges import methods
from judges.methods.extract import extract
from judges.methods.profile import write
from judges.methods.profile.method import PROFILE
from judges.methods.recommend import lists
from judges.methods.recommend.method import asked_for
from judges.methods.topics import propose
from judges.models import Judge, Material
from judges.models.statement import side_text
from judges.prompting import library
from judges.prompting.fill import Prompt
from judges.prompting.flags import named, texts_sent
from judges.prompting.materials import Materials, Shown, show_material
from judges.runs import drive, plan

CHARACTERS_A_TOKEN = 4  # of ASCII; of other scripts a character is about a token
MOST_OTHERS = 20
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

    For a judge that writes profiles, and for a recommender: of the recipient. For a judge that
    proposes topics: of the sample with that number.
    prompt: an unsaved prompt, in place of the judge's.
    """
    if judge.judges_nothing:
        return APART[judge.method](judge, key, prompt or _prompt(judge))
    try:
        questions = plan.scored_questions(judge)
    except plan.PlanError:
        return None
    items = plan.scored_items(judge, judge.study.items.select_related("content", "recipient"))
    items = items.filter(kind__in=_kinds(judge.study, questions))
    item, *others = _seen(judge.study, _from(items, key), key) or [None]
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


def _preview_writing(judge, key, prompt):
    recipients = write.recipients_of(judge)
    recipient, *others = _from(recipients, key) or [None]
    if recipient is None or prompt is None:
        return None
    sources = list(write.sources(judge, [recipient]))
    call_preview = Preview(recipient, prompt, others=[other.key for other in others])
    call_preview.missing = (
        "" if any(not source.missing for source in sources) else sources[0].missing
    )
    if not call_preview.missing:
        settings = plan.settings_of(judge, prompt) | {"prompt_text": prompt.text}
        for source in sources:
            if not source.missing:
                count = len(source.entries)
                about = f"{count} episode{'s' * (count > 1)}"
                _add(call_preview, judge, settings, [PROFILE], Shown(context=source.text), about)
        _price(call_preview, judge, settings, [PROFILE])
        call_preview.flags = named([source.text for source in sources if not source.missing])
        call_preview.items = recipients.count()
    return call_preview


def _preview_list(judge, key, prompt):
    """Return the call for a recipient's baseline list, as the usual test asks for it."""
    raters = lists.who_rated(judge.study)
    recipient, *others = _from(raters.order_by("pk"), key) or [None]
    if recipient is None or prompt is None:
        return None
    trial = lists.usual(judge.study)
    cell = next(trial.cells())
    rated = lists.histories(judge.study, [(recipient.pk, recipient.key)], trial.seed)
    given, missing = lists.ratings_shown(cell, rated.get(recipient.pk, []), trial.above)
    call_preview = Preview(
        recipient, prompt, missing=missing, others=[other.key for other in others]
    )
    if not missing:
        text = lists.prompt({"": prompt.text}, judge, trial, cell, recipient.key, given)
        settings = plan.settings_of(judge, prompt) | {"longest_k": cell.k}
        asked = [asked_for(cell.k)]
        _add(call_preview, judge, settings, asked, Shown(context=text), f"{cell.k} recommendations")
        _price(call_preview, judge, settings, asked)
        call_preview.items = raters.count()
    return call_preview


def _preview_extraction(judge, key, prompt):
    """Return a call for each part of the item's texts, even if other items share a text."""
    items = plan.scored_items(judge, judge.study.items.select_related("content"))
    item, *others = _from(items, key) or [None]
    if item is None or prompt is None:
        return None
    call_preview = Preview(item, prompt, others=[other.key for other in others])
    settings = plan.settings_of(judge, prompt) | {"prompt_text": prompt.text}
    texts = [(side, side_text(item, side)) for side in extract.SIDES[judge.sides]]
    for side, text in texts:
        parts = [part for _, part in extract.parts_of(judge, text) if part]
        for number, part in enumerate(parts, 1):
            about = side.label.lower() + (f", part {number}" if len(parts) > 1 else "")
            _add(call_preview, judge, settings, [PROFILE], Shown(context=part), f"the {about}")
    if call_preview.calls:
        _price(call_preview, judge, settings, [PROFILE])
        call_preview.flags = named([text for _, text in texts])
        call_preview.items = items.count()
    else:
        call_preview.missing = extract.NO_TEXT[texts[-1][0]]
    return call_preview


@dataclass(frozen=True)
class Numbered:
    """The number of a sample, where other previews have an item."""

    key: str


def _preview_topics(judge, key, prompt):
    """Return the call about a sample of reviews."""
    drawn = propose.previewed(judge, plan.scored_items(judge, judge.study.items.all()))
    numbered = {str(number): sample for number, sample in enumerate(drawn, 1)}
    if prompt is None or (key or "1") not in numbered:
        return None
    number = key or "1"
    call_preview = Preview(Numbered(number), prompt, items=len(drawn))
    call_preview.others = list(numbered)[int(number) : int(number) + MOST_OTHERS]
    settings = plan.settings_of(judge, prompt) | {"prompt_text": prompt.text}
    text, texts = numbered[number]
    _add(call_preview, judge, settings, [PROFILE], Shown(context=text), f"sample {number}")
    _price(call_preview, judge, settings, [PROFILE])
    call_preview.flags = named(texts)
    return call_preview


APART = {
    Judge.Method.PROFILE: _preview_writing,
    Judge.Method.RECOMMENDER: _preview_list,
    Judge.Method.EXTRACTION: _preview_extraction,
    Judge.Method.TOPICS: _preview_topics,
}


def _from(items, key):
    """Return the item with that id, or the first item, and some that follow it, in one query."""
    if key:
        items = items.filter(pk__gte=Subquery(items.filter(key=key).order_by().values("pk")[:1]))
    return list(items[: 1 + MOST_OTHERS])


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
    single, method = judge.aspects == Judge.Aspects.SINGLE, methods.of_judge(judge)
    settings = plan.settings_of(judge, call_preview.prompt) | {
        "prompt_text": call_preview.prompt.text
    }
    calls = [[question] for question in asked] if single else [asked]
    for order in method.orders(judge, call_preview.item, 0):
        for together in calls:
            about = f"lists {', '.join(order)}" if order else together[0].key
            _add(call_preview, judge, settings, together, beside, about, order)
    _price(call_preview, judge, settings, calls[0])


def _add(call_preview, judge, settings, together, beside, about, order=""):
    """Add a call with its estimated tokens."""
    method = methods.of_judge(judge)
    sent = method.messages(settings, call_preview.item, together, beside, order)
    text = "".join(message["content"] for message in sent)
    tokens = estimated_tokens(text) + AROUND_A_CALL
    call_preview.calls.append((about, sent, tokens))
    call_preview.tokens_in += tokens
    call_preview.tokens_out += min(judge.max_tokens, _reply_tokens(method, settings, together))


def _price(call_preview, judge, settings, together):
    """Add what is sent with the messages, count all samples, and price them."""
    call_preview.options = json.dumps(drive.parameters(settings, together), indent=2)
    call_preview.samples = judge.samples
    call_preview.tokens_in *= judge.samples
    call_preview.tokens_out *= judge.samples
    call_preview.usd = judge.endpoint.cost(call_preview.tokens_in, 0, call_preview.tokens_out)


def _reply_tokens(method, settings, questions):
    rationale = method.longest_rationale(settings) // CHARACTERS_A_TOKEN
    keys = sum(estimated_tokens(question.key) + AROUND_AN_ANSWER for question in questions)
    return AROUND_A_CALL + rationale + keys
