"""Name the apps and read the environment; nothing here knows the product's rules."""

import os

# Before numpy is imported: several processes with several BLAS threads each wait for one another.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

from config.celery import app as celery_app  # noqa: E402

__all__ = ["celery_app"]
