"""Serve the small local model (manage.py serve_local_model)."""

import socket

from django.core.management.base import BaseCommand, CommandError

from judges.endpoints import local_model


class Command(BaseCommand):
    help = "Serves the small local model as an OpenAI-compatible endpoint on 127.0.0.1."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser):
        parser.add_argument("--port", type=int, default=8001, help="default: 8001")
        parser.add_argument(
            "--seed", type=int, help="the same prompt is answered alike; default: drawn anew"
        )

    def handle(self, **options):
        port = options["port"]
        try:
            with socket.socket() as probe:
                probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
                probe.bind(("127.0.0.1", port))
        except (OSError, OverflowError) as error:
            raise CommandError(f"Port {port} cannot be used: {error}.") from None
        try:
            local_model.serve(port, self._ready, options["seed"])
        except local_model.NotInstalled as error:
            raise CommandError(str(error)) from None

    def _ready(self, address):
        self.stdout.write(address)
        self.stdout.flush()
