"""Check and write contents, recipients, systems and interactions."""

from django.db.models import Model

from annotate.db.bulk import insert
from annotate.files.loading.common import Repeats, batches, differing, merged, silent_rows
from annotate.models import Content, Interaction, Item, Recipient, System

CONTENT_FIELDS = ("title", "description", "image_url", "audio_url", "show", "data")
INTERACTION_FIELDS = ("rating", "share_listened", "data")
NAMED: dict[str, type[Model]] = {"recipients": Recipient, "contents": Content, "systems": System}


def read_keys(loading):
    """Fill in the keys of recipients, contents and systems that the study has already."""
    if loading.is_new:
        return
    for name, model in NAMED.items():
        rows = model._default_manager.filter(study=loading.study).values_list("key", "pk")
        getattr(loading, name).update(rows.iterator())


def name(loading, catalogue, key):
    """Note a key that a file mentions; it is created later if no file describes it."""
    if key is not None:
        getattr(loading, catalogue).setdefault(key, 0)


def write_named(loading):
    """Create the recipients, contents and systems that files only mention."""
    for catalogue, model in NAMED.items():
        keys = getattr(loading, catalogue)
        new = [key for key, pk in keys.items() if not pk]
        if new:
            rows = ((loading.study.pk, key) for key in new)
            insert(model, ["study_id", "key"], rows, same=loading.mark)
            keys.update(model._default_manager.filter(study=loading.study).values_list("key", "pk"))


# contents.csv


def check_contents(loading):
    """Count new, changed and unchanged contents, and note problems."""
    counts, repeats = loading.count("contents"), Repeats()
    file = loading.files["contents"]
    for batch in batches(file.rows(loading.problems)):
        existing, changed = _contents(loading, batch), {}
        for line, row in batch:
            key = row["content"]
            counts.rows += 1
            repeats.note(key)
            if key not in existing:
                counts.new += 1
                name(loading, "contents", key)
            elif columns := differing(existing[key], row, file.given):
                counts.changed += 1
                old = existing[key]
                # What was blank may come later: contents are often only named at first.
                shown = [column for column in columns if column != "data" and old[column]]
                changed[old["pk"]] = (line, key, shown)
            else:
                counts.unchanged += 1
        _refuse_answered(loading, changed)
    repeats.report(
        loading, "contents", lambda row: row["content"], lambda row: f"content {row['content']!r}"
    )


def _refuse_answered(loading, changed):
    """Note a problem for each change of a content that raters or judges of its items have seen.

    Extra columns may change.
    """
    shown = {pk: change for pk, change in changed.items() if change[2]}
    # Not the items of previews, which are copies and have the same contents.
    own = {"study": loading.study, "content__in": shown}
    items = dict(Item.objects.filter(**own).values_list("pk", "content")) if shown else {}
    answered = {items[pk] for pk in loading.answers.items(items)} if items else set()
    for pk, (line, key, columns) in shown.items():
        if pk in answered:
            loading.add(
                "contents",
                f"items of the content {key!r} have answers already or are being rated, so its "
                f"{', '.join(columns)} may not change; give the new version an id of its own",
                line,
                columns[0],
            )
    loading.changed_items.extend(items)


def _contents(loading, batch):
    """Return the stored contents of a batch: {key: row}."""
    keys = [row["content"] for _, row in batch if loading.contents.get(row["content"])]
    if not keys:
        return {}
    contents = Content.objects.filter(study=loading.study, key__in=keys)
    return {row["key"]: row for row in contents.values("pk", "key", *CONTENT_FIELDS)}


def write_contents(loading):
    """Insert the new contents, and update the changed contents."""
    done, counts = loading.reporter("contents"), loading.counts["contents"]
    for batch in batches(silent_rows(loading.files["contents"])) if counts.changed else ():
        _update_contents(loading, batch)
    rows = silent_rows(loading.files["contents"])
    new = (
        (loading.study.pk, row["content"], *(row[field] for field in CONTENT_FIELDS))
        for _, row in rows
        if not loading.contents.get(row["content"])
    )
    insert(Content, ["study_id", "key", *CONTENT_FIELDS], new, done, loading.mark)
    loading.contents.update(
        Content.objects.filter(study=loading.study).values_list("key", "pk").iterator()
    )


def _update_contents(loading, batch):
    given = loading.files["contents"].given
    existing = _contents(loading, batch)
    changed = []
    for _, row in batch:
        old = existing.get(row["content"])
        if old and differing(old, row, given):
            fields = {f: row[f] if f in given else old[f] for f in CONTENT_FIELDS}
            fields["data"] = merged(old["data"], row["data"])
            changed.append(Content(pk=old["pk"], **fields))
    if changed:
        Content.objects.bulk_update(changed, CONTENT_FIELDS)


# interactions.csv


def check_interactions(loading):
    """Count new, changed and unchanged interactions; name their recipients and contents."""
    counts, repeats = loading.count("interactions"), Repeats()
    file = loading.files["interactions"]
    look = not loading.is_new and loading.study.interactions.exists()
    for batch in batches(file.rows(loading.problems)):
        existing = _interactions(loading, batch) if look else {}
        for _, row in batch:
            counts.rows += 1
            repeats.note(_event(row))
            name(loading, "recipients", row["recipient"])
            name(loading, "contents", row["content"])
            old = existing.get(_event(row))
            if old is None:
                counts.new += 1
            elif differing(old, row, file.given):
                counts.changed += 1
            else:
                counts.unchanged += 1
    repeats.report(loading, "interactions", _event, _event_words)


def _event(row):
    """Return the key of an interaction (recipient, content, at), or None if it is incomplete."""
    if row["recipient"] is None or row["content"] is None:
        return None
    return row["recipient"], row["content"], row["at"]


def _event_words(row):
    """Name an interaction in a message."""
    moment = f" at {row['at']:%Y-%m-%d %H:%M:%S}" if row["at"] else ""
    return f"the interaction of {row['recipient']!r} with {row['content']!r}{moment}"


def _interactions(loading, batch):
    """Return the stored interactions of a batch: {(recipient, content, at): row}."""
    interactions = Interaction.objects.filter(
        study=loading.study,
        recipient__key__in={row["recipient"] for _, row in batch},
        content__key__in={row["content"] for _, row in batch},
    )
    rows = interactions.values_list(
        "recipient__key", "content__key", "at", "pk", *INTERACTION_FIELDS
    )
    names = ("pk", *INTERACTION_FIELDS)
    return {tuple(row[:3]): dict(zip(names, row[3:], strict=True)) for row in rows}


def write_interactions(loading):
    """Insert the new interactions, and update the changed interactions."""
    counts = loading.counts["interactions"]
    names = ["study_id", "recipient_id", "content_id", "at", *INTERACTION_FIELDS]
    new, done = _new_interactions(loading, counts), loading.reporter("interactions")
    insert(Interaction, names, new, done, loading.mark)


def _new_interactions(loading, counts):
    """Yield the new interactions' values; update the changed interactions on the way."""
    look = counts.changed or counts.unchanged
    for batch in batches(silent_rows(loading.files["interactions"])):
        existing = _interactions(loading, batch) if look else {}
        changed = []
        for _, row in batch:
            old = existing.get(_event(row))
            if old is None:
                yield (
                    loading.study.pk,
                    loading.recipients[row["recipient"]],
                    loading.contents[row["content"]],
                    row["at"],
                    *(row[field] for field in INTERACTION_FIELDS),
                )
            elif differing(old, row, loading.files["interactions"].given):
                changed.append(_changed_interaction(old, row, loading))
        if changed:
            Interaction.objects.bulk_update(changed, INTERACTION_FIELDS)


def _changed_interaction(old, row, loading):
    given = loading.files["interactions"].given
    fields = {f: row[f] if f in given else old[f] for f in INTERACTION_FIELDS}
    fields["data"] = merged(old["data"], row["data"])
    return Interaction(pk=old["pk"], **fields)
