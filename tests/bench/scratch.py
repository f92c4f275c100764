"""A database of a bench's own: a temporary folder, or a scratch database beside DATABASE_URL's."""

import os
import tempfile

os.environ["CONCORD_VAR"] = tempfile.mkdtemp(prefix="concord-bench-")
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
os.environ["ENDPOINT_HOSTS"] = "127.0.0.1"  # scripted servers, at any port
os.environ.setdefault("LOG_LEVEL", "ERROR")


class Scratch:
    """with Scratch() as name: tables are made; dropped at the end."""

    def __enter__(self):
        import django

        django.setup()
        from django.db import connection

        self.name = connection.settings_dict["NAME"]
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        return connection.settings_dict["NAME"]

    def __exit__(self, *_error):
        from django.db import connection

        connection.creation.destroy_test_db(self.name, verbosity=0)


def peak_mb():
    """The most memory this process has had so far, in MB."""
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
