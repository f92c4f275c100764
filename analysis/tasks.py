"""What a worker does for the analysis. A message is only a nudge: what is asked for is a row."""

from celery import shared_task

from analysis.serving import compute as computing


@shared_task
def compute(pk):
    """Computes what a page waits for."""
    computing.compute(pk)
