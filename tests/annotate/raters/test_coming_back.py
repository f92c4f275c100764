"""The address to which raters come back, where they can keep it."""

import pytest

from annotate.models import Rater
from tests.annotate.raters.test_views import join

pytestmark = pytest.mark.django_db


def test_the_address_to_come_back_to_stands_on_instructions_and_items(client, study):
    token = join(client, study)
    address = f"http://testserver/r/{token}/"
    link = f'<a id="address" class="mono" dir="ltr" href="{address}">{address}</a>'
    for _ in ("instructions", "item"):
        page = client.get(f"/r/{token}/", follow=True).content.decode()
        assert link in page and 'data-copy="address"' in page
        assert "it brings you back to where you were" in page
        client.post(f"/r/{token}/begin/")


def test_a_page_in_the_frame_of_a_platform_has_no_address_to_keep(client, study):
    token = join(client, study)
    Rater.objects.update(platform_ids={"turkSubmitTo": "https://www.mturk.com"})
    for _ in ("instructions", "item"):
        page = client.get(f"/r/{token}/", follow=True).content.decode()
        assert "brings you back" not in page and 'id="address"' not in page
        client.post(f"/r/{token}/begin/")
