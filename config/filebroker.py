"""Adapt kombu's filesystem transport: messages appear whole or not at all."""

import os
import time
import uuid
from pathlib import Path

from django.conf import settings
from kombu.transport import filesystem
from kombu.utils.encoding import str_to_bytes
from kombu.utils.json import dumps


class Channel(filesystem.Channel):
    """A channel that moves each message into place when it is complete."""

    # kombu writes the message in place; a worker that read half of it ended.
    def _put(self, queue, message, **kwargs):  # type: ignore[override]
        name = f"{time.monotonic_ns() // 1_000_000}_{uuid.uuid4()}.{queue}.msg"
        target = Path(self.data_folder_out) / name
        part = target.with_suffix(".part")
        part.write_bytes(str_to_bytes(dumps(message)))
        os.replace(part, target)


class Transport(filesystem.Transport):
    """The transport that makes its folders and uses Channel."""

    Channel = Channel

    def __init__(self, client, **kwargs):
        super().__init__(client, **kwargs)
        for name in ("messages", "control"):
            (Path(settings.BROKER_DIR) / name).mkdir(parents=True, exist_ok=True)
