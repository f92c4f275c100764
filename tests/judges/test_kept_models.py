"""A kept model that cannot be read is made anew, instead of failing whoever needs it."""

import numpy as np
import pytest

from judges import kept_models


@pytest.mark.parametrize("left", [0, 10, 60])
def test_half_a_file_is_no_model_and_goes(settings, tmp_path, left):
    settings.VAR_DIR = tmp_path
    kept_models.save("words", factors=np.arange(100.0))
    (file,) = (tmp_path / "models").iterdir()
    assert kept_models.load("words")["factors"].sum() == 4950
    file.write_bytes(file.read_bytes()[:left])
    assert kept_models.load("words") is None
    assert not file.exists()
