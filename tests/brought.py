"""Bring a table through the pages, as a person does who accepts every guess."""

from django.core.files.uploadedfile import SimpleUploadedFile

from judges.models import Upload


def send(client, data, name="table.csv", address="/studies/new/bring/"):
    """Send a file; return its Upload."""
    data = data.encode() if isinstance(data, str) else data
    client.post(address, {"file": SimpleUploadedFile(name, data)})
    return Upload.objects.order_by("pk").last()


def values_of(form, **changes):
    """Return what a browser sends of a form that nobody changed but in these fields."""
    values = {}
    for field in form:
        value = changes.get(field.name, field.value())
        if value not in (None, False):
            values[field.name] = "on" if value is True else value
    return values


def choose(client, upload, page="columns", **changes):
    """Accept what stands on a page of the upload but for the changes; return the response."""
    address = f"/uploads/{upload.token}/{page}/"
    form = client.get(address).context["form"]
    return client.post(address, values_of(form, **changes), follow=True)
