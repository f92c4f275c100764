"""The container files: what the image gets, the compose file, and that .env.example names all."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from tests.conftest import missing

ROOT = Path(__file__).resolve().parent.parent
DOCKER = ROOT / "docker"
OURS = ("web", "worker", "beat")
SECRETS = ("SECRET_KEY", "POSTGRES_PASSWORD", "REDIS_PASSWORD")


def compose():
    return yaml.safe_load((DOCKER / "compose.yml").read_text())


def documented():
    """Names in .env.example, set or as a comment that shows the default."""
    return set(re.findall(r"^(?:# )?([A-Z_]+)=", (DOCKER / ".env.example").read_text(), re.M))


def copied_by_the_dockerfile():
    """Everything the Dockerfile copies, as paths from the project's root."""
    lines = re.findall(r"^COPY (.+)$", (DOCKER / "Dockerfile").read_text(), re.M)
    return [source for line in lines for source in line.split()[:-1]]


def test_everything_the_dockerfile_copies_is_there_and_let_through():
    ignored = (ROOT / ".dockerignore").read_text().splitlines()
    for source in copied_by_the_dockerfile():
        assert (ROOT / source.rstrip("/")).exists(), source
        assert f"!{source.rstrip('/')}" in ignored, source
    assert "*" in ignored


def test_every_app_is_in_the_image():
    apps = {path.parent.name for path in ROOT.glob("*/apps.py")} | {
        "config",
        "templates",
        "static",
        "locale",
    }
    assert apps <= set(copied_by_the_dockerfile())


def test_the_image_runs_as_nobody_special_and_knows_its_health():
    text = (DOCKER / "Dockerfile").read_text()
    assert re.search(r"^USER (?!root|0)", text, re.M)
    assert re.search(r"^HEALTHCHECK .*\\\n +CMD .*\"healthy\", \"web\"", text, re.M)
    assert "requirements-dev" not in text
    for line in text.splitlines():
        assert not re.search("PASSWORD|SECRET|KEY|TOKEN", line), line


def test_compose_starts_the_five_services_with_checks_and_without_root():
    services = compose()["services"]
    assert set(services) == {*OURS, "postgres", "redis"}
    for name, service in services.items():
        assert service["healthcheck"]["test"][0] == "CMD", name
        assert service["restart"] == "unless-stopped", name
        assert "privileged" not in service, name
    for name in OURS:
        assert services[name]["user"] not in ("root", "0", "0:0")
        assert services[name]["command"] == [name]
        assert services[name]["healthcheck"]["test"][-1] == name
        assert "var:/app/var" in services[name]["volumes"]


def test_compose_gives_each_service_as_little_as_it_needs():
    needs = {"postgres": {"CHOWN", "DAC_OVERRIDE", "FOWNER", "SETGID", "SETUID"}}
    for name, service in compose()["services"].items():
        assert service["read_only"] is True and service["tmpfs"], name
        assert service["cap_drop"] == ["ALL"], name
        assert set(service.get("cap_add", ())) == needs.get(name, set()), name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert re.fullmatch(r"\$\{[A-Z_]+:-\d+[mg]\}", service["mem_limit"]), name


def test_compose_publishes_only_web_and_only_to_this_machine():
    services = compose()["services"]
    assert [name for name in services if "ports" in services[name]] == ["web"]
    assert services["web"]["ports"] == ["${WEB_PUBLISH:-127.0.0.1:8000}:8000"]


def test_compose_waits_for_healthy_services_and_for_web_to_migrate():
    services = compose()["services"]
    waits = {name: services[name]["depends_on"] for name in OURS}
    assert set(waits["web"]) == {"postgres", "redis"}
    assert set(waits["worker"]) == set(waits["beat"]) == {"web", "redis"}
    for found in waits.values():
        assert all(other == {"condition": "service_healthy"} for other in found.values())


def test_compose_has_no_secret_of_its_own_and_demands_each():
    text = (DOCKER / "compose.yml").read_text()
    for name in SECRETS:
        assert f"${{{name}:?" in text
        assert set(re.findall(rf"\${{{name}(..)", text)) == {":?"}, "no default for a secret"
    # What names a password takes it from outside.
    for line in re.findall(r"^ *[A-Z_]*(?:PASSWORD|KEY|URL): .*", text, re.M):
        assert "${" in line, line
    for name in SECRETS:
        assert f"\n{name}=\n" in (DOCKER / ".env.example").read_text()


def test_every_variable_of_the_compose_file_and_the_entrypoint_is_documented():
    used = set()
    for name in ("compose.yml", "entrypoint.sh"):
        used |= set(re.findall(r"\$\{([A-Z_]+)", (DOCKER / name).read_text()))
    assert used - documented() == set()


def test_every_setting_read_from_the_environment_is_documented():
    used = set()
    for folder in ("config", "annotate", "judges", "analysis", "docker"):
        for path in (ROOT / folder).rglob("*.py"):
            text = path.read_text()
            used |= set(re.findall(r"env_(?:text|bool|int|list)\(\s*\"([A-Z_]+)\"", text))
            used |= set(re.findall(r"environ\.get\(\s*\"([A-Z_]+)\"", text))
    assert {"SECRET_KEY", "DATABASE_URL", "DATABASE_WAIT", "WEB_BIND"} <= used
    assert used - documented() == set()


def test_nothing_is_documented_that_nobody_reads():
    texts = [path.read_text() for path in (ROOT / "config").glob("*.py")]
    texts += [path.read_text() for path in DOCKER.iterdir() if path.name != ".env.example"]
    own = {"OPENAI_API_KEY", "COMPOSE_PROJECT_NAME"}  # an example; read by docker compose
    assert {name for name in documented() - own if not any(name in text for text in texts)} == set()


def compose_client():
    """The command that reads compose files here."""
    if shutil.which("docker-compose"):
        return ["docker-compose"]
    if shutil.which("docker"):
        plugin = ["docker", "compose"]
        if subprocess.run([*plugin, "version"], capture_output=True, check=False).returncode == 0:
            return plugin
    missing("docker-compose is not installed")
    return None


@pytest.fixture
def composed(tmp_path):
    """Runs `docker-compose config` on a copy of the folder, with the given lines of .env."""
    client = compose_client()
    shutil.copytree(DOCKER, tmp_path / "docker", ignore=shutil.ignore_patterns(".env"))

    def composed(**values):
        text = (DOCKER / ".env.example").read_text()
        for name, value in values.items():
            text = text.replace(f"\n{name}=\n", f"\n{name}={value}\n")
        (tmp_path / "docker" / ".env").write_text(text)
        return subprocess.run(
            [*client, "-f", "compose.yml", "config"],
            cwd=tmp_path / "docker",
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=False,
        )

    return composed


FILLED = {
    "SECRET_KEY": "k" * 60,
    "POSTGRES_PASSWORD": "abc123",
    "REDIS_PASSWORD": "def456",
    "ALLOWED_HOSTS": "concord.example",
    "SITE_URL": "https://concord.example",
}


def test_docker_compose_accepts_the_file(composed):
    done = composed(**FILLED)
    assert done.returncode == 0, done.stderr
    services = yaml.safe_load(done.stdout)["services"]
    assert services["redis"]["command"][-2:] == ["--requirepass", "def456"]
    environment = services["worker"]["environment"]
    assert environment["REDIS_URL"] == "redis://:def456@redis:6379/0"
    assert environment["DATABASE_URL"] == "postgres://concord:abc123@postgres:5432/concord"
    assert environment["SITE_URL"] == "https://concord.example"


@pytest.mark.parametrize("name", FILLED)
def test_docker_compose_refuses_to_start_without(name, composed):
    refused = composed(**{key: value for key, value in FILLED.items() if key != name})
    assert refused.returncode != 0
    assert f"set {name} in docker/.env" in refused.stderr


def pins(path):
    """Return {package: version} of a file's lines; extras and hashes left out."""
    lines = re.findall(r"^([\w.-]+)(?:\[[\w,]+\])?==([^\s\\]+)", path.read_text(), re.M)
    return {re.sub(r"[-_.]+", "-", name).lower(): version for name, version in lines}


@pytest.mark.parametrize(
    ("lock", "named", "resolved"),
    [
        ("requirements.lock", "requirements.txt", "constraints.txt"),
        ("requirements-models.lock", "requirements-models.txt", "requirements-models.txt"),
    ],
)
def test_a_lock_has_the_versions_that_the_tests_run_on_and_a_hash_of_each(lock, named, resolved):
    """`make lock` writes them anew after a change of the requirements."""
    locked, asked = pins(DOCKER / lock), pins(ROOT / named)
    assert asked.items() <= locked.items()
    assert locked.items() <= (pins(ROOT / resolved) | asked).items()
    text = (DOCKER / lock).read_text()
    entries = re.split(r"^(?=\w)", text, flags=re.M)[1:]
    hashed = r"[\w.-]+(\[[\w,]+\])?==\S+( ; [^\n\\]+)?( \\\n    --hash=sha256:[0-9a-f]{64})+\n"
    assert len(entries) == len(locked)
    assert [entry[:60] for entry in entries if not re.fullmatch(hashed, entry)] == []
    assert not re.search(r"://|--index|--find-links", text), "no address of anybody's index"


def test_the_image_installs_nothing_whose_hash_is_not_in_a_lock():
    text = (DOCKER / "Dockerfile").read_text()
    installs = re.findall(r"pip install ([^&;\n]+)", text)
    assert len(installs) == 2
    for options in installs:
        assert re.fullmatch(r"(--no-deps )?--require-hashes -r docker/[\w-]+\.lock ?", options)
