"""What a judge's prompts show of an item beside its text: an example, a context, or why not."""

from dataclasses import dataclass, field

from annotate.models import Item
from judges.models import Judge, Material
from judges.prompting import episodes, fill
from judges.prompting.contexts import Contexts
from judges.prompting.examples import Drawn, Examples

PARTS = {
    Judge.Shots.ONE: "example.v2",
    Judge.Shots.PERSONALISED: "example-personalised.v2",
    Judge.Context.PROFILE: "profile.v1",
    Judge.Context.HISTORY: "history.v1",
}
# Where recommendations are judged, their shows and topics belong to the history.
LISTENING = "listening.v1"


@dataclass(frozen=True)
class Shown:
    """What is put into the prompt of one item: blank where the judge has none.

    subject: what is judged, where it is no text: {list: [entry, …]}, as episodes.Subject has it.
    material, texts: what it is made of.
    """

    example: str = ""
    context: str = ""
    subject: dict = field(default_factory=dict)
    material: Material | None = field(default=None, compare=False, repr=False)
    texts: dict = field(default_factory=dict, compare=False, repr=False)


def settings_of(judge, method):
    """The settings that change what is shown; nothing for a judge that shows only the item."""
    found: dict = {}
    if judge.shots != Judge.Shots.ZERO:
        found |= {name: getattr(judge, name) for name in ("shots", "example_role", "seed")}
        if judge.strict:
            found |= {"strict": True, "pool_share": judge.pool_share}
    if judge.context != Judge.Context.NONE:
        found["context"] = judge.context
    if judge.context == Judge.Context.HISTORY:
        found["history_length"] = judge.history_length
        if judge.transcript_length:
            found["transcript_length"] = judge.transcript_length
    if judge.context == Judge.Context.PROFILE and judge.profile_episodes:
        found["profile_episodes"] = judge.profile_episodes
    if found:
        parts = map(fill.load_part, _part_names(judge, method).values())
        found["parts"] = {part.name: part.sha256 for part in parts}
    return found


def _part_names(judge, method):
    """{"example": name, "context": name} of the files beside the prompt that are in use."""
    found = {"example": judge.shots, "context": judge.context}
    found = {what: PARTS[name] for what, name in found.items() if name in PARTS}
    if judge.context == Judge.Context.HISTORY and method.shows_lists:
        found["context"] = LISTENING
    return _as_before(judge, found) if found else found


def _as_before(judge, names):
    """The versions of the judge's runs so far, so that a newer one makes no other judge of it."""
    before = {name.rpartition(".")[0]: name for name in judge.kept_settings.get("parts", ())}
    return {what: before.get(name.rpartition(".")[0], name) for what, name in names.items()}


def part_texts(judge, method):
    """{"example": text, "context": text} of the parts in use, as a run keeps them."""
    parts = _part_names(judge, method)
    return {what: fill.load_part(name).text for what, name in parts.items()}


class Materials:
    """Gathers what one judge shows, chunk by chunk, in a few queries each.

    method: the judge's. `pool`: ids of the items held out. systems: those of the items, where they
    are few.
    """

    def __init__(self, judge, method, questions, systems=None):
        self.judge, self.texts = judge, part_texts(judge, method)
        self.lists = method.shows_lists
        self.examples = Examples(judge, questions, systems) if "example" in self.texts else None
        wanted = judge.kind == Judge.Kind.SBERT or "context" in self.texts
        self.contexts = Contexts(judge, with_shows=self.lists) if wanted else None
        self.pool = self.examples.pool if self.examples else frozenset()

    @property
    def shows(self):
        """Whether anything is shown beside the items."""
        return bool(self.texts) or self.lists

    def of(self, items):
        """[(item, Material, why there can be no prompt)]; the Materials are not saved."""
        subjects = episodes.subjects_of(items) if self.lists else {}
        contexts = self.contexts.of(items, subjects) if self.contexts else {}
        found = []
        for item in items:
            drawn = self.examples.draw(item) if self.examples else Drawn()
            subject = subjects.get(item.pk, episodes.Subject())
            context, missing = contexts.get(item.pk, ("", ""))
            why = drawn.missing or subject.missing or missing
            found.append((item, _material(item, drawn, context, subject.lists), why))
        shown = Item.objects.select_related("content").in_bulk(
            {material.example_id for _, material, _ in found} - {None}
        )
        for _, material, _ in found:
            if material.example_id:
                material.example = shown[material.example_id]
        return found


def _material(item, drawn, context, subject):
    return Material(
        item=item,
        example_id=drawn.item,
        rater_id=drawn.rater,
        ratings=drawn.ratings,
        context=context,
        subject=subject,
    )


def shown(material, texts):
    """What a material puts into a prompt, by the parts' texts as the run keeps them."""
    example = context = ""
    if material.example_id and "example" in texts:
        example = fill.example(texts["example"], material.example, material.ratings)
    if material.context:
        # Without a part nothing is sent anywhere: the context itself is what is compared.
        part = texts.get("context")
        context = fill.context(part, material.context) if part else material.context
    return Shown(example, context, material.subject, material, texts)


def shown_by_item(run, items):
    """{item id: Shown} of items of a run, in one query; None for runs that show only the item."""
    texts = run.frozen.get("part_texts")
    if texts is None:
        return dict.fromkeys(items)
    rows = Material.objects.filter(run=run, item__in=items).select_related("example__content")
    return {material.item_id: shown(material, texts) for material in rows}
