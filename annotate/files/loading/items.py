"""Check and write items.csv: what people rate and judges score."""

from annotate.db.bulk import insert
from annotate.design.splits import with_wording
from annotate.files.loading.catalogue import name
from annotate.files.loading.common import Repeats, batches, differing, merged, silent_rows
from annotate.models import Item

TEXTS = ("text", "reference", "review", "feature")
LINKS = ("recipient", "content", "system", "parent")
COMPARED = ("kind", *LINKS, *TEXTS, "side", "position")


def read_items(loading):
    """Fill in the keys and kinds of the items that the study has already."""
    if loading.is_new:
        return
    for key, pk, kind in loading.study.items.values_list("key", "pk", "kind").iterator():
        loading.items[key] = pk
        loading.kinds[key] = Item.Kind(kind).value


def check_items(loading):
    """Count items, and note problems, such as changes of items that have answers."""
    file, repeats = loading.files["items"], Repeats()
    parents: list[tuple[int, str, str, str]] = []
    for batch in batches(_rows(loading, loading.files["items"].rows(loading.problems))):
        existing = _existing(loading, batch)
        changed: dict[int, tuple] = {}
        for line, row in batch:
            repeats.note(row["item"])
            _check_row(loading, line, row, existing, changed)
            if row["parent"] is not None:
                parents.append((line, row["item"], row["parent"], row["side"]))
        _refuse_answered(loading, changed)
    repeats.report(loading, "items", lambda row: row["item"], lambda row: f"item {row['item']!r}")
    _check_parents(loading, parents)
    loading.has_children = bool(parents)
    loading.more_places |= loading.counts["items"].new > 0
    if not file.given & {"text", "content", "parent"}:
        message = "found neither a column text nor content; raters see nothing"
        loading.add("items", message, file.header_line, "text")


def _rows(loading, rows):
    """Yield the rows, a blank kind filled in with the study's."""
    kinds = {kind: kind for kind in Item.Kind.values}
    for line, row in rows:
        row["kind"] = kinds.get(row["kind"] or loading.study.item_kind)
        yield line, row


def _check_row(loading, line, row, existing, changed):
    counts = loading.counts["items"]
    counts.rows += 1
    for link, catalogue in zip(LINKS, ("recipients", "contents", "systems"), strict=False):
        name(loading, catalogue, row[link])
    if row["item"] is None:
        return
    old = existing.get(row["item"])
    row = with_wording(row, old) if old else row
    if old is None:
        counts.new += 1
        loading.items.setdefault(row["item"], 0)
        _refuse_blank_text(loading, line, row)
    elif columns := differing(old, row, loading.files["items"].given):
        counts.changed += 1
        if "text" in columns:
            _refuse_blank_text(loading, line, row)
        changed[old["pk"]] = (line, row["item"], [c for c in columns if c != "data"])
    else:
        counts.unchanged += 1
    loading.kinds[row["item"]] = row["kind"]


def _refuse_blank_text(loading, line, row):
    """Note a problem where an item of kind text has no text: raters would rate an empty page."""
    if row["kind"] == Item.Kind.TEXT and not row["text"].strip():
        message = f"found a blank cell; allowed is some text, as {row['item']!r} is of kind text"
        loading.add("items", message, line, "text")


def _existing(loading, batch):
    """Return the stored items of a batch by key, with the keys of what they refer to."""
    keys = [row["item"] for _, row in batch if loading.items.get(row["item"])]
    if not keys or loading.is_new:
        return {}
    plain = [field for field in COMPARED if field not in LINKS]
    items = loading.study.items.filter(key__in=keys).values(
        "pk", "key", "data", *plain, *(f"{link}__key" for link in LINKS)
    )
    return {row["key"]: _with_links(row) for row in items}


def _with_links(row):
    row |= {link: row.pop(f"{link}__key") for link in LINKS}
    del row["key"]
    return row


def _refuse_answered(loading, changed):
    """Note a problem for each change of what people or judges saw; extra columns may change."""
    shown = {pk: change for pk, change in changed.items() if change[2]}
    answered = loading.answers.items(shown) if shown else ()
    for pk, (line, key, columns) in shown.items():
        if pk in answered:
            loading.add(
                "items",
                f"item {key!r} has answers already or is being rated, so its "
                f"{', '.join(columns)} may not change; give the new version an id of its own",
                line,
                columns[0],
            )
    loading.changed_items.extend(shown)


def _check_parents(loading, parents):
    children = {key for _, key, _, _ in parents}
    for line, key, parent, side in parents:
        if parent not in loading.items:
            loading.add(
                "items", f"found {parent!r}; allowed is the id of another item", line, "parent"
            )
        elif parent in children or parent == key:
            message = f"found {parent!r}, which is this item or has a parent itself"
            loading.add("items", message, line, "parent")
        elif loading.kinds.get(parent) != Item.Kind.LIST_PAIR:
            message = f"found {parent!r}, a {loading.kinds.get(parent)}; allowed is a list_pair"
            loading.add("items", message, line, "parent")
        elif not side:
            message = "is blank; allowed is A or B: the list of the pair in which the item stands"
            loading.add("items", message, line, "side")


def write_items(loading):
    """Insert and update items, parents before their children."""
    file, counts = loading.files["items"], loading.counts["items"]
    if counts.changed:
        for batch in batches(_rows(loading, silent_rows(loading.files["items"]))):
            _update(loading, batch, file.given)
    names = ["study_id", "key", "kind", *(f"{link}_id" for link in LINKS), *TEXTS]
    names += ["side", "position", "data"]
    for children in (False, True) if loading.has_children else (False,):
        insert(Item, names, _new(loading, children), loading.reporter("items"), loading.mark)
        if loading.files.keys() <= {"items", "contents", "interactions"} and (
            children or not loading.has_children
        ):
            continue  # nobody asks for the keys of the new ones
        loading.items.update(
            loading.study.items.filter(parent__isnull=not children)
            .values_list("key", "pk")
            .iterator()
        )


def _new(loading, children):
    for _, row in _rows(loading, silent_rows(loading.files["items"])):
        if loading.items[row["item"]] or (row["parent"] is not None) != children:
            continue
        yield (
            loading.study.pk,
            row["item"],
            row["kind"],
            *_link_pks(loading, row),
            *(row[field] for field in TEXTS),
            row["side"],
            row["position"],
            row["data"],
        )


def _link_pks(loading, row):
    catalogues = (loading.recipients, loading.contents, loading.systems, loading.items)
    return [
        None if row[link] is None else keys[row[link]]
        for link, keys in zip(LINKS, catalogues, strict=True)
    ]


def _update(loading, batch, given):
    existing = _existing(loading, batch)
    changed = []
    for _, row in batch:
        old = existing.get(row["item"])
        row = with_wording(row, old) if old else row  # noqa: PLW2901 - the row that counts
        if not old or not differing(old, row, given):
            continue
        row |= {field: old[field] for field in COMPARED if field not in given}
        item = Item(pk=old["pk"], data=merged(old["data"], row["data"]))
        for field, value in zip(LINKS, _link_pks(loading, row), strict=True):
            setattr(item, f"{field}_id", value)
        for field in (*TEXTS, "kind", "side", "position"):
            setattr(item, field, row[field])
        changed.append(item)
    if changed:
        Item.objects.bulk_update(changed, [*COMPARED, "data"])
