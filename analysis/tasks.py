"""Define the worker's tasks for the analysis; a message only nudges, the row is what counts."""

from celery import shared_task

from analysis.serving import compute as computing


@shared_task
def compute(pk):
    """Compute what a page waits for."""
    computing.compute(pk)
