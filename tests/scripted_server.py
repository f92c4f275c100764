"""An OpenAI-compatible server on loopback whose replies are scripted, broken ones included.

By itself: python -m tests.scripted_server PORT DELAY_SECONDS (valid replies, for the bench).
"""

import asyncio
import contextlib
import itertools
import json
import sys
import threading
import time
from dataclasses import dataclass, field


@dataclass
class Reply:
    """What the server sends: body may be raw bytes; cut closes the connection after so many."""

    body: bytes | str | dict = b""
    status: int = 200
    headers: dict = field(default_factory=dict)
    delay: float = 0.0
    cut: int | None = None
    trickle: float = 0.0

    def encoded(self):
        body = json.dumps(self.body) if isinstance(self.body, dict) else self.body
        return body.encode() if isinstance(body, str) else body


def chat(content, finish_reason="stop", tokens=(100, 10), message=None, **fields):
    """A Reply with a chat completion."""
    usage = {"prompt_tokens": tokens[0], "completion_tokens": tokens[1]} if tokens else None
    message = {"role": "assistant", "content": content} | (message or {})
    body = {
        "id": "chat-1",
        "object": "chat.completion",
        "model": "scripted-1",
        "system_fingerprint": "fp-1",
        "usage": usage,
        "choices": [{"index": 0, "message": message, "finish_reason": finish_reason}],
    }
    return Reply(body, **fields)


def by_schema(request):
    """A valid reply to any request with a JSON schema: the highest point of every scale."""
    return json.dumps(_last(request["response_format"]["json_schema"]["schema"]))


def _last(rule):
    """What fits a schema: the last of what it offers."""
    if "properties" in rule:
        return {name: _last(inner) for name, inner in rule["properties"].items()}
    return rule["enum"][-1] if "enum" in rule else "because" if "maxLength" in rule else 1


def valid(_number, request):
    """The script of a well-behaved endpoint."""
    return chat(by_schema(request))


class ScriptedServer:
    """with ScriptedServer(script) as server: … server.url; script(number, request) -> Reply."""

    def __init__(self, script=valid, port=0):
        self.script, self.port = script, port
        self.requests, self.headers, self.times, self.paths = [], [], [], []
        self.in_flight = self.most_in_flight = 0
        self._numbers = itertools.count()

    def __enter__(self):
        self._loop = asyncio.new_event_loop()
        ready = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(ready,), daemon=True)
        self._thread.start()
        ready.wait(10)
        return self

    def __exit__(self, *_error):
        self._loop.call_soon_threadsafe(self._stop.set)
        self._thread.join(10)

    @property
    def url(self):
        return f"http://127.0.0.1:{self.port}/v1"

    def _run(self, ready):
        asyncio.set_event_loop(self._loop)
        self._loop.run_until_complete(self._serve(ready))

    async def _serve(self, ready):
        self._stop = asyncio.Event()
        server = await asyncio.start_server(self._connection, "127.0.0.1", self.port)
        self.port = server.sockets[0].getsockname()[1]
        ready.set()
        await self._stop.wait()
        server.close()
        rest = asyncio.all_tasks() - {asyncio.current_task()}
        for task in rest:
            task.cancel()
        await asyncio.gather(*rest, return_exceptions=True)

    async def _connection(self, reader, writer):
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError):
            while await self._exchange(reader, writer):
                pass
        writer.close()

    async def _exchange(self, reader, writer):
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        headers = dict(line.lower().split(": ", 1) for line in head[1:] if ": " in line)
        request = json.loads(
            await reader.readexactly(int(headers.get("content-length", 0))) or "{}"
        )
        self.requests.append(request)
        self.paths.append(head[0].split(" ")[1])
        self.headers.append(headers)
        self.times.append(time.monotonic())
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        try:
            return await self._send(writer, self.script(next(self._numbers), request))
        finally:
            self.in_flight -= 1

    async def _send(self, writer, reply):
        await asyncio.sleep(reply.delay)
        body = reply.encoded()
        headers = {"content-type": "application/json", "content-length": len(body)} | reply.headers
        lines = [f"HTTP/1.1 {reply.status} Scripted", *(f"{k}: {v}" for k, v in headers.items())]
        writer.write("\r\n".join([*lines, "", ""]).encode())
        if reply.trickle:
            for byte in body:
                writer.write(bytes([byte]))
                await writer.drain()
                await asyncio.sleep(reply.trickle)
        writer.write(body if reply.cut is None else body[: reply.cut])
        await writer.drain()
        return reply.cut is None


def main(port, delay):
    def slow(number, request):
        reply = valid(number, request)
        reply.delay = delay
        return reply

    with ScriptedServer(slow, port) as server:
        print(server.url, flush=True)
        threading.Event().wait()


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
