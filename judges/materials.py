"""What a judge's prompts show of an item beside its text: an example, a context, or why not."""

from dataclasses import dataclass

from annotate.models import Item
from judges import prompting
from judges.contexts import Contexts
from judges.examples import Drawn, Examples
from judges.models import Judge, Material

PARTS = {
    Judge.Shots.ONE: "example.v1",
    Judge.Shots.PERSONALISED: "example-personalised.v1",
    Judge.Context.PROFILE: "profile.v1",
    Judge.Context.HISTORY: "history.v1",
}
HELD_OUT = "held out: examples are drawn from this item"


@dataclass(frozen=True)
class Shown:
    """What is put into the prompt of one item: two texts, blank where the judge has none."""

    example: str = ""
    context: str = ""


def settings_of(judge):
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
    if found:
        found["parts"] = {part.name: part.sha256 for part in _parts(judge)}
    return found


def _parts(judge):
    """The files beside the prompt that this judge's messages are made of."""
    return [prompting.load_part(PARTS[name]) for name in (judge.shots, judge.context)
            if name in PARTS]  # fmt: skip


def part_texts(judge):
    """{"example": text, "context": text} of the parts in use, as a run keeps them."""
    names = {"example": judge.shots, "context": judge.context}
    return {
        what: prompting.load_part(PARTS[name]).text for what, name in names.items() if name in PARTS
    }


class Materials:
    """Gathers what one judge shows, chunk by chunk, in a few queries each.

    `pool`: ids of the items held out. systems: those of the items, where they are few.
    """

    def __init__(self, judge, questions, systems=None):
        self.judge, self.texts = judge, part_texts(judge)
        self.examples = Examples(judge, questions, systems) if "example" in self.texts else None
        self.contexts = Contexts(judge) if "context" in self.texts else None
        self.pool = self.examples.pool if self.examples else frozenset()

    @property
    def shows(self):
        """Whether anything is shown beside the items."""
        return bool(self.texts)

    def of(self, items):
        """[(item, Material, why there can be no prompt)]; the Materials are not saved."""
        contexts = self.contexts.of(items) if self.contexts else {}
        found = []
        for item in items:
            drawn = self.examples.draw(item) if self.examples else Drawn()
            context, missing = contexts.get(item.pk, ("", ""))
            found.append((item, _material(item, drawn, context), drawn.missing or missing))
        shown = Item.objects.select_related("content").in_bulk(
            {material.example_id for _, material, _ in found} - {None}
        )
        for _, material, _ in found:
            if material.example_id:
                material.example = shown[material.example_id]
        return found


def _material(item, drawn, context):
    return Material(
        item=item,
        example_id=drawn.item,
        rater_id=drawn.rater,
        ratings=drawn.ratings,
        context=context,
    )


def shown(material, texts):
    """The two texts of a material, by the parts' texts as the run keeps them."""
    example = context = ""
    if material.example_id and "example" in texts:
        example = prompting.example(texts["example"], material.example, material.ratings)
    if material.context and "context" in texts:
        context = prompting.context(texts["context"], material.context)
    return Shown(example, context)


def shown_by_item(run, items):
    """{item id: Shown} of items of a run, in one query; None for runs that show only the item."""
    texts = run.frozen.get("part_texts")
    if not texts:
        return dict.fromkeys(items)
    rows = Material.objects.filter(run=run, item__in=items).select_related("example__content")
    return {material.item_id: shown(material, texts) for material in rows}
