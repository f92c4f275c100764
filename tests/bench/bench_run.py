"""A run's throughput against plain asyncio with the same client and the same concurrency.

usage: python -m tests.bench.bench_run [--items 1280] [--concurrency 64] [--delay 0.2]
Both ask the scripted server, a process of its own, whose every reply takes `delay` seconds.
"""

import argparse
import asyncio
import os
import resource
import subprocess
import sys
import tempfile
import time

if __name__ == "__main__":
    os.environ.setdefault("CONCORD_VAR", tempfile.mkdtemp(prefix="concord-bench-"))
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    os.environ.setdefault("LOG_LEVEL", "WARNING")
    import django

    django.setup()

from django.core.management import call_command  # noqa: E402
from openai import AsyncOpenAI, DefaultAioHttpClient  # noqa: E402

from judges import planning, prompting, running  # noqa: E402
from tests import factories  # noqa: E402


async def plain(url, calls, concurrency):
    """Calls a second of the openai client with a semaphore and nothing kept."""
    gate = asyncio.Semaphore(concurrency)
    async with AsyncOpenAI(
        base_url=url, api_key="none", max_retries=0, http_client=DefaultAioHttpClient()
    ) as client:

        async def one(messages, options):
            async with gate:
                await client.chat.completions.create(model="m", messages=messages, **options)

        started = time.perf_counter()
        await asyncio.gather(*(one(*call) for call in calls))
    return len(calls) / (time.perf_counter() - started)


def whole_run(run, calls):
    """Calls a second of a run: leased, asked, stored, parsed, settled."""
    started = time.perf_counter()
    running.work_through(run.pk)
    seconds = time.perf_counter() - started
    settled = run.judgments.filter(state="done").count()
    assert settled == run.judgments.count(), f"only {settled} judgments are done"
    return calls / seconds


def prepare(url, items, concurrency):
    study = factories.make_study(f"bench-{os.getpid()}", items=0)
    for number in range(items):
        factories.make_item(study, f"item-{number}", text="Because you like old films. " * 8)
    endpoint = factories.make_endpoint(url, key=study.slug, concurrency=concurrency)
    return planning.plan(factories.make_judge(study, "judge", endpoint))


def calls_of(run):
    """The same messages and options that the run sends."""
    questions = planning.scored_questions(run.judge.study)
    options = running.parameters(run.frozen, questions)
    template = run.frozen["prompt_text"]
    items = planning.scored_items(run.judge.study.items.select_related("content"))
    return [(prompting.messages(template, item, questions), options) for item in items]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--items", type=int, default=1280)
    parser.add_argument("--concurrency", type=int, default=64)
    parser.add_argument("--delay", type=float, default=0.2)
    options = parser.parse_args()
    call_command("migrate", verbosity=0)
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.scripted_server", "0", str(options.delay)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        url = server.stdout.readline().strip()
        run = prepare(url, options.items, options.concurrency)
        calls = calls_of(run)
        before = asyncio.run(plain(url, calls, options.concurrency))
        ours = whole_run(run, len(calls))
        after = asyncio.run(plain(url, calls, options.concurrency))
    finally:
        server.terminate()
    reference = (before + after) / 2
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"bound            {options.concurrency / options.delay:8.1f} calls/s")
    print(f"plain asyncio    {reference:8.1f} calls/s (before {before:.1f}, after {after:.1f})")
    print(f"a run            {ours:8.1f} calls/s")
    print(f"ratio            {ours / reference:8.2f}")
    print(f"memory, most     {memory:8.0f} MB")


if __name__ == "__main__":
    main()
