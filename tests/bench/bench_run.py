"""A run's throughput against plain asyncio with the same client and the same concurrency.

usage: python -m tests.bench.bench_run [--concurrency 64 256] [--rounds 5] [--delay 0.2]
All ask the scripted server, a process of its own, whose every reply takes `delay` seconds: plain
asyncio as anybody would write it, the project's client with nothing kept, and a whole run. They
take turns, since the machine is never equally busy; a ratio is the median over the rounds.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import time

from tests.bench import scratch

if __name__ == "__main__":
    import django

    django.setup()

from django.db import connection  # noqa: E402
from openai import AsyncOpenAI, DefaultAioHttpClient  # noqa: E402

from judges.endpoints.client import Client  # noqa: E402
from judges.prompting import fill  # noqa: E402
from judges.runs import drive  # noqa: E402
from judges.runs.plan import plan, scored_items, scored_questions  # noqa: E402
from tests import factories  # noqa: E402


async def timed(ask, calls, concurrency):
    """Calls a second of `ask` with a semaphore and nothing kept."""
    gate = asyncio.Semaphore(concurrency)

    async def one(messages, options):
        async with gate:
            await ask(messages, options)

    started = time.perf_counter()
    await asyncio.gather(*(one(*call) for call in calls))
    return len(calls) / (time.perf_counter() - started)


async def plain(url, calls, concurrency):
    """The openai client as its documentation shows it, on the same transport."""
    async with AsyncOpenAI(
        base_url=url, api_key="none", max_retries=0, http_client=DefaultAioHttpClient()
    ) as client:

        async def ask(messages, options):
            await client.chat.completions.create(model="m", messages=messages, **options)

        return await timed(ask, calls, concurrency)


async def bare(endpoint, calls, concurrency):
    """The project's own client: each answer read and its failures named, then dropped."""
    async with Client(endpoint) as client:
        return await timed(client.ask, calls, concurrency)


def whole_run(run, calls):
    """Calls a second of a run: leased, asked, stored, parsed, settled."""
    started = time.perf_counter()
    drive.work_through(run.pk)
    seconds = time.perf_counter() - started
    settled = run.judgments.filter(state="done").count()
    assert settled == run.judgments.count(), f"only {settled} judgments are done"
    return calls / seconds


def prepare(url, concurrency, items):
    study = factories.make_study(f"bench-{os.getpid()}-{concurrency}", items=0)
    for number in range(items):
        factories.make_item(study, f"item-{number}", text="Because you like old films. " * 8)
    return study, factories.make_endpoint(url, key=study.slug, concurrency=concurrency)


def calls_of(run):
    """The same messages and options that the run sends."""
    questions = scored_questions(run.judge)
    options = drive.parameters(run.frozen, questions)
    template = run.frozen["prompt_text"]
    items = scored_items(run.judge, run.judge.study.items.select_related("content"))
    return [(fill.messages(template, item, questions), options) for item in items]


def measure(url, concurrency, rounds):
    """[(plain, bare, run) calls a second], one triple a round."""
    study, endpoint = prepare(url, concurrency, items=10 * concurrency)
    found = []
    for number in range(rounds):
        run = plan(factories.make_judge(study, f"judge-{number}", endpoint))
        calls = calls_of(run)
        found.append(
            (
                asyncio.run(plain(url, calls, concurrency)),
                asyncio.run(bare(endpoint, calls, concurrency)),
                whole_run(run, len(calls)),
            )
        )
    return found


def report(found, concurrency, delay):
    plains, bares, runs = zip(*found, strict=True)
    of_plain = [run / plain for plain, _, run in found]
    of_bare = [run / bare for _, bare, run in found]
    print(f"{concurrency} at once, {delay} s a reply: at most {concurrency / delay:.0f} calls/s")
    print(f"plain asyncio       {statistics.median(plains):8.1f} calls/s")
    print(f"client, none kept   {statistics.median(bares):8.1f} calls/s")
    print(f"a run               {statistics.median(runs):8.1f} calls/s")
    print(f"ratio to plain      {statistics.median(of_plain):8.2f} (each {_each(of_plain)})")
    print(f"ratio to the client {statistics.median(of_bare):8.2f} (each {_each(of_bare)})")
    print(f"memory, most        {scratch.peak_mb():8.0f} MB", flush=True)


def _each(ratios):
    return ", ".join(f"{ratio:.2f}" for ratio in ratios)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--concurrency", type=int, nargs="+", default=[64, 256])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--delay", type=float, default=0.2)
    options = parser.parse_args()
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.scripted_server", "0", str(options.delay)],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        url = server.stdout.readline().strip()
        with scratch.Scratch():
            print(f"database: {connection.vendor}")
            for concurrency in options.concurrency:
                found = measure(url, concurrency, options.rounds)
                report(found, concurrency, options.delay)
    finally:
        server.terminate()


if __name__ == "__main__":
    main()
