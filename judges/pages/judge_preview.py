"""What a judge would send for one item, as it would send it; nothing is sent or stored."""

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
from judges.prompting.materials import Materials, Shown, shown
from judges.runs import drive, plan

CHARACTERS_A_TOKEN = 4  # of ASCII; of other scripts a character is about a token
MOST_OTHERS = 20
AROUND_A_CALL, AROUND_AN_ANSWER = 8, 4


@dataclass
class Preview:
    """The calls for one item: [(what it is about, messages, tokens)]; or why there are none.

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


def preview(judge, key="", prompt=None):
    """The Preview of the item with that id, or of the first one; None where there is no such.

    Of a judge that writes profiles, and of a recommender: of the recipient. Of one that proposes
    topics: of the sample with that number.
    prompt: one that is not kept yet, in place of the judge's.
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
    ((_, material, missing),) = materials.of([item])
    if item.pk in materials.pool:
        missing = "held out: examples are drawn from this item, so it is not judged"
    found = Preview(item, prompt, material, missing)
    beside = method.beside(item)
    found.flags = [] if missing else named(texts_sent(item, material, beside))
    found.others = [other.key for other in others]
    if not missing:
        asked = [question for question in questions if question.applies_to_kind(item.kind)]
        _fill(found, judge, asked, shown(material, materials.texts))
        found.items = items.count() - len(materials.pool)
    return found


def _preview_writing(judge, key, prompt):
    recipients = write.recipients_of(judge)
    recipient, *others = _from(recipients, key) or [None]
    if recipient is None or prompt is None:
        return None
    sources = list(write.sources(judge, [recipient]))
    found = Preview(recipient, prompt, others=[other.key for other in others])
    found.missing = "" if any(not source.missing for source in sources) else sources[0].missing
    if not found.missing:
        settings = plan.settings_of(judge, prompt) | {"prompt_text": prompt.text}
        for source in sources:
            if not source.missing:
                count = len(source.entries)
                about = f"{count} episode{'s' * (count > 1)}"
                _add(found, judge, settings, [PROFILE], Shown(context=source.text), about)
        _price(found, judge, settings, [PROFILE])
        found.flags = named([source.text for source in sources if not source.missing])
        found.items = recipients.count()
    return found


def _preview_list(judge, key, prompt):
    """The call for a recipient's baseline list, as the usual test asks for it."""
    raters = lists.who_rated(judge.study)
    recipient, *others = _from(raters.order_by("pk"), key) or [None]
    if recipient is None or prompt is None:
        return None
    trial = lists.usual(judge.study)
    cell = next(trial.cells())
    rated = lists.histories(judge.study, [(recipient.pk, recipient.key)], trial.seed)
    given, missing = lists.shown(cell, rated.get(recipient.pk, []), trial.above)
    found = Preview(recipient, prompt, missing=missing, others=[other.key for other in others])
    if not missing:
        text = lists.prompt({"": prompt.text}, judge, trial, cell, recipient.key, given)
        settings = plan.settings_of(judge, prompt) | {"longest_k": cell.k}
        asked = [asked_for(cell.k)]
        _add(found, judge, settings, asked, Shown(context=text), f"{cell.k} recommendations")
        _price(found, judge, settings, asked)
        found.items = raters.count()
    return found


def _preview_extraction(judge, key, prompt):
    """Of each part of the item's texts; that other items share a text is not counted."""
    items = plan.scored_items(judge, judge.study.items.select_related("content"))
    item, *others = _from(items, key) or [None]
    if item is None or prompt is None:
        return None
    found = Preview(item, prompt, others=[other.key for other in others])
    settings = plan.settings_of(judge, prompt) | {"prompt_text": prompt.text}
    texts = [(side, side_text(item, side)) for side in extract.SIDES[judge.sides]]
    for side, text in texts:
        parts = [part for _, part in extract.parts_of(judge, text) if part]
        for number, part in enumerate(parts, 1):
            about = side.label.lower() + (f", part {number}" if len(parts) > 1 else "")
            _add(found, judge, settings, [PROFILE], Shown(context=part), f"the {about}")
    if found.calls:
        _price(found, judge, settings, [PROFILE])
        found.flags = named([text for _, text in texts])
        found.items = items.count()
    else:
        found.missing = extract.NO_TEXT[texts[-1][0]]
    return found


@dataclass(frozen=True)
class Numbered:
    """Stands where other previews have an item."""

    key: str


def _preview_topics(judge, key, prompt):
    """The call about one sample of reviews."""
    drawn = propose.previewed(judge, plan.scored_items(judge, judge.study.items.all()))
    numbered = {str(number): each for number, each in enumerate(drawn, 1)}
    if prompt is None or (key or "1") not in numbered:
        return None
    number = key or "1"
    found = Preview(Numbered(number), prompt, items=len(drawn))
    found.others = list(numbered)[int(number) : int(number) + MOST_OTHERS]
    settings = plan.settings_of(judge, prompt) | {"prompt_text": prompt.text}
    text, texts = numbered[number]
    _add(found, judge, settings, [PROFILE], Shown(context=text), f"sample {number}")
    _price(found, judge, settings, [PROFILE])
    found.flags = named(texts)
    return found


APART = {
    Judge.Method.PROFILE: _preview_writing,
    Judge.Method.RECOMMENDER: _preview_list,
    Judge.Method.EXTRACTION: _preview_extraction,
    Judge.Method.TOPICS: _preview_topics,
}


def _from(items, key):
    """The item with that id, or the first one, and some that follow it, in one query."""
    if key:
        items = items.filter(pk__gte=Subquery(items.filter(key=key).order_by().values("pk")[:1]))
    return list(items[: 1 + MOST_OTHERS])


def _seen(study, items, key):
    """The items as they are seen; without a key from the first of which something can be."""
    items = as_seen(study, items)
    readable = (at for at, item in enumerate(items) if item.text != WITHHELD)
    return items if key else items[next(readable, 0) :]


def _prompt(judge):
    try:
        return library.prompt_of(judge)
    except ValueError:
        return None


def _kinds(study, questions):
    kinds = study.items.order_by().values_list("kind", flat=True).distinct()
    return [kind for kind in kinds if any(q.applies_to_kind(kind) for q in questions)]


def _fill(found, judge, asked, beside):
    single, method = judge.aspects == Judge.Aspects.SINGLE, methods.of_judge(judge)
    settings = plan.settings_of(judge, found.prompt) | {"prompt_text": found.prompt.text}
    calls = [[question] for question in asked] if single else [asked]
    for order in method.orders(judge, found.item, 0):
        for together in calls:
            about = f"lists {', '.join(order)}" if order else together[0].key
            _add(found, judge, settings, together, beside, about, order)
    _price(found, judge, settings, calls[0])


def _add(found, judge, settings, together, beside, about, order=""):
    """One more call, with its estimated tokens."""
    method = methods.of_judge(judge)
    sent = method.messages(settings, found.item, together, beside, order)
    text = "".join(message["content"] for message in sent)
    tokens = estimated_tokens(text) + AROUND_A_CALL
    found.calls.append((about, sent, tokens))
    found.tokens_in += tokens
    found.tokens_out += min(judge.max_tokens, _reply_tokens(method, settings, together))


def _price(found, judge, settings, together):
    """What is sent beside the messages, all samples, and what they cost."""
    found.options = json.dumps(drive.parameters(settings, together), indent=2)
    found.samples = judge.samples
    found.tokens_in *= judge.samples
    found.tokens_out *= judge.samples
    found.usd = judge.endpoint.cost(found.tokens_in, 0, found.tokens_out)


def _reply_tokens(method, settings, questions):
    rationale = method.longest_rationale(settings) // CHARACTERS_A_TOKEN
    keys = sum(estimated_tokens(question.key) + AROUND_AN_ANSWER for question in questions)
    return AROUND_A_CALL + rationale + keys
