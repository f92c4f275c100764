"""Gather what a prompt shows of an item besides its text: an example, a context, or why not."""

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
    """The texts put into the prompt of one item, blank where the judge has none.

    subject: what is judged, where it is no text: {list: [entry, …]}, as episodes.Subject has it.
    material, texts: what it is made of.
    """

    example: str = ""
    context: str = ""
    subject: dict = field(default_factory=dict)
    material: Material | None = field(default=None, compare=False, repr=False)
    texts: dict = field(default_factory=dict, compare=False, repr=False)


def hashes_of(judge, method):
    """Return {"parts": {name: hash}} of the parts in use; {} where only the item is shown."""
    parts = map(fill.load_part, _part_names(judge, method).values())
    hashes = {part.name: part.sha256 for part in parts}
    return {"parts": hashes} if hashes else {}


def _part_names(judge, method):
    """Return {"example": name, "context": name} of the part files in use."""
    values, by_place = judge.settings.in_effect, judge.settings.by_place
    names = {place: PARTS[values[name]] for place, name in by_place.items()}
    if method.shows_lists and values.get("context") == Judge.Context.HISTORY:
        names["context"] = LISTENING
    return _as_before(judge, names) if names else names


def _as_before(judge, names):
    """Keep the part versions of the judge's runs so far: a newer file makes no other judge."""
    before = {name.rpartition(".")[0]: name for name in judge.kept_settings.get("parts", ())}
    return {what: before.get(name.rpartition(".")[0], name) for what, name in names.items()}


def part_texts(judge, method):
    """Return {"example": text, "context": text} of the parts in use, as a run keeps them."""
    parts = _part_names(judge, method)
    return {what: fill.load_part(name).text for what, name in parts.items()}


class Materials:
    """The materials of one judge, gathered chunk by chunk in a few queries each.

    method: the judge's. pool: ids of the items held out. systems: those of the items, where they
    are few.
    """

    def __init__(self, judge, method, questions, systems=None):
        self.judge, self.texts = judge, part_texts(judge, method)
        self.lists = method.shows_lists
        self.examples = Examples(judge, questions, systems) if "example" in self.texts else None
        compared = method.compares_profiles
        wanted = compared or "context" in self.texts
        self.contexts = Contexts(judge, self.lists, compared) if wanted else None
        self.pool = self.examples.pool if self.examples else frozenset()

    @property
    def shows(self):
        """Whether anything is shown besides the items' texts."""
        return bool(self.texts) or self.lists

    def gather(self, items):
        """Return [(item, Material, why it has no prompt)]; the Materials are not saved."""
        subjects = episodes.subjects_of(items) if self.lists else {}
        contexts = self.contexts.contexts_by_item(items, subjects) if self.contexts else {}
        gathered = []
        for item in items:
            drawn = self.examples.draw(item) if self.examples else Drawn()
            subject = subjects.get(item.pk, episodes.Subject())
            context, missing = contexts.get(item.pk, ("", ""))
            why = drawn.missing or subject.missing or missing
            gathered.append((item, _material(item, drawn, context, subject.lists), why))
        examples = Item.objects.select_related("content").in_bulk(
            {material.example_id for _, material, _ in gathered} - {None}
        )
        for _, material, _ in gathered:
            if material.example_id:
                material.example = examples[material.example_id]
        return gathered


def _material(item, drawn, context, subject):
    return Material(
        item=item,
        example_id=drawn.item,
        rater_id=drawn.rater,
        ratings=drawn.ratings,
        context=context,
        subject=subject,
    )


def show_material(material, texts):
    """Write what a material puts into a prompt, by the parts' texts as the run keeps them."""
    example = context = ""
    if material.example_id and "example" in texts:
        example = fill.example(texts["example"], material.example, material.ratings)
    if material.context:
        # Without a part nothing is sent anywhere: the context itself is what is compared.
        part = texts.get("context")
        context = fill.context(part, material.context) if part else material.context
    return Shown(example, context, material.subject, material, texts)


def shown_by_item(run, items):
    """Load {item id: Shown} of a run, in one query; None for runs that show only the item."""
    texts = run.frozen.get("part_texts")
    if texts is None:
        return dict.fromkeys(items)
    rows = Material.objects.filter(run=run, item__in=items).select_related("example__content")
    return {material.item_id: show_material(material, texts) for material in rows}
