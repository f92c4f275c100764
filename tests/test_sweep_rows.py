"""What the sweep compares before and after: the contents of files too, not their names alone."""

import pytest

from tests.sweep.rows import differing, kept


@pytest.mark.django_db
def test_a_file_that_is_written_over_differs(settings, tmp_path):
    settings.MEDIA_ROOT = tmp_path
    (tmp_path / "study").mkdir()
    file = tmp_path / "study" / "poster.png"
    file.write_bytes(b"one")
    before = kept()
    assert differing(before, kept()) == []
    file.write_bytes(b"two")
    assert differing(before, kept()) == ["files"]
    file.write_bytes(b"one")
    assert differing(before, kept()) == []
    file.rename(tmp_path / "study" / "other.png")
    assert differing(before, kept()) == ["files"]
