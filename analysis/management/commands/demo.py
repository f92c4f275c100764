"""Make the demo studies, and with --serve run everything that the demo needs."""

import os
import socket
import sys
import time
import urllib.error
import urllib.request

from django.conf import settings
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandError

from analysis.demo import shipped
from analysis.demo.preparing import prepare, var_folder, work_here
from analysis.demo.supervising import Process, Supervisor
from annotate.accounts.login import login_path
from annotate.models import Study

WELCOME = """
  Concord is running. Open

    as a rater        {rater}
    as a researcher   {researcher}
                      (this link logs in once; the next start prints a new one)

  All ratings but those of hanna are simulated, and the language model is a very small one.
  Logs: {logs}     Stop: Ctrl-C
"""


class Command(BaseCommand):
    """The command that makes the demo studies and serves them."""

    help = "Make the demo studies where they are missing; with --serve also run everything."

    def add_arguments(self, parser):
        parser.add_argument("--serve", action="store_true", help="run web, worker, beat and model")
        parser.add_argument("--port", type=int, default=8000)

    def handle(self, *args, serve, port, **options):
        if serve:
            _refuse_busy(port, port + 1)
        call_command("migrate", verbosity=0, skip_checks=False)
        user = prepare(model_port=port + 1, say=self.stdout.write)
        if not serve:
            work_here()
            shipped.load_here(user)
            return
        if shipped.queue(user):
            self.stdout.write("A worker loads the study hanna; the first page shows how far it is")
        call_command("collectstatic", interactive=False, verbosity=0)
        supervisor = Supervisor(processes(port), self.stdout.write)
        supervisor.start()
        try:
            _wait_until_up(port, supervisor)
            if not supervisor.stopping:
                self.stdout.write(welcome(port, user))
            supervisor.keep_alive()
        finally:
            supervisor.stop()
            self.stdout.write("Stopped.")


def welcome(port, user):
    """Return the text that names the addresses of the running demo."""
    site = f"http://127.0.0.1:{port}"
    return WELCOME.format(
        rater=site + Study.objects.get(slug="films-open").join_path(),
        researcher=site + login_path(user),
        logs=settings.VAR_DIR / "log",
    )


def processes(port):
    """Return the processes of web server, worker, beat and small model, ready to start."""
    log = var_folder("log")
    os.environ["SITE_URL"] = f"http://127.0.0.1:{port}"
    os.environ["ENDPOINT_HOSTS"] = ",".join([*settings.ENDPOINT_HOSTS, f"127.0.0.1:{port + 1}"])
    python, celery = sys.executable, [sys.executable, "-m", "celery", "-A", "config"]
    # No access log: addresses of rating sessions are secrets.
    web = ["-m", "gunicorn", "config.wsgi", "--no-control-socket", "--workers", "2"]
    commands = {
        "web": [python, *web, "--threads", "4", "--bind", f"127.0.0.1:{port}"],
        "worker": [*celery, "worker", "-n", "worker@demo", "--concurrency", "2"],
        "beat": [*celery, "beat", "--pidfile", ""],
        "model": [python, "manage.py", "serve_local_model", "--port", str(port + 1)],
    }
    return [Process(name, command, log / f"{name}.log") for name, command in commands.items()]


def _refuse_busy(*ports):
    for port in ports:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                raise CommandError(
                    f"Port {port} is in use. Stop what runs there, or choose another: "
                    f"make demo PORT={port + 100}"
                )


def _wait_until_up(port, supervisor):
    deadline = time.monotonic() + 180
    while time.monotonic() < deadline and not supervisor.stopping:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/healthz", timeout=10):
                return
        except (urllib.error.URLError, OSError):
            time.sleep(0.2)
    if not supervisor.stopping:
        raise CommandError(f"The web server did not come up; see {settings.VAR_DIR / 'log'}")
