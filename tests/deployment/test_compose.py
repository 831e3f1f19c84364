"""docker-compose.yml is valid under the Compose specification and matches the product's
settings."""

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml
from compose_spec import PyCompose

from leaderboard.celery import app
from leaderboard.environment.reading import Variables, read_variables
from leaderboard.sandbox import Limits

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
FILE = ROOT / "docker-compose.yml"
PAGE = (ROOT / "docs" / "deploy.md").read_text()
OURS = {"web", "worker", "beat", "migrate"}
STARTED = {"web", "worker"}
"""Services that start as root, to keep a second user for plugins, and give it up first."""
SECOND_USER = ["SETUID", "SETGID", "KILL"]
REFERENCE = re.compile(r"\$\{([A-Z_]+):-([^}]*)\}")
REQUIRED = re.compile(r"\$\{([A-Z_]+):\?[^}]+\}")
OF_COMPOSE = {"PORT", "WORKER_CONCURRENCY", "WORKER_MEMORY", "UV_DEFAULT_INDEX"}
"""Variables of .env that are no settings of Podium."""
PASSED_ON = {"UV_DEFAULT_INDEX"}
"""Variables that uv reads."""
GIVEN = "letters-and-digits"
"""The value in .env for settings without a default."""


def compose(text: str = FILE.read_text()) -> dict[str, Any]:
    """Return the file as Compose reads it: parsed, `${NAME:-default}` filled in, then checked."""
    filled = json.dumps(with_defaults(yaml.safe_load(text)))
    checked: dict[str, Any] = PyCompose.from_json(filled).to_dict()
    return checked


def with_defaults(node: Any) -> Any:
    if isinstance(node, dict):
        return {key: with_defaults(value) for key, value in node.items()}
    if isinstance(node, list):
        return [with_defaults(value) for value in node]
    return REQUIRED.sub(GIVEN, REFERENCE.sub(r"\2", node)) if isinstance(node, str) else node


def services() -> dict[str, dict[str, Any]]:
    by_name: dict[str, dict[str, Any]] = compose()["services"]
    return by_name


def test_an_installation_has_these_services() -> None:
    assert set(services()) == OURS | {"db", "redis"}


def test_every_container_has_limits() -> None:
    for name in sorted(services()):
        service = services()[name]
        assert service["mem_limit"], name
        assert 0 < service["pids_limit"] <= 400, name
        assert service["read_only"] is True, name
        assert service["cap_drop"] == ["ALL"], name
        assert service["security_opt"] == ["no-new-privileges:true"], name
        assert not {"privileged", "network_mode", "pid", "devices"} & set(service), name
        assert service.get("cap_add", []) == (SECOND_USER if name in STARTED else []), name
        assert all(not str(volume).startswith(("/", ".")) for volume in service["volumes"]), name


def test_every_tmpfs_has_a_size_limit() -> None:
    for name in sorted(OURS):
        service = services()[name]
        sizes = {line.split(":")[0]: re.findall(r"size=(\d+)m", line) for line in service["tmpfs"]}
        assert all(sizes.values()), "tmpfs without size= takes half of the host's memory"
        if work := service["environment"].get("SCORER_WORK"):
            assert sizes[work] == [str(Limits().file_bytes >> 20)], (
                "what a scorer's folder may hold"
            )


def test_no_service_runs_as_root() -> None:
    users = {name: service.get("user") for name, service in services().items()}
    assert {name for name, user in users.items() if user is None} == OURS - STARTED
    for name in STARTED:
        service = services()[name]
        assert service["entrypoint"] == [
            "python",
            "-m",
            "leaderboard.sandbox.starter",
            "podium",
        ]
        assert service["command"][0] in ("gunicorn", "celery")
    final_stage = (ROOT / "Dockerfile").read_text().rpartition("\nFROM ")[2]
    assert re.search(r"^USER podium$", final_stage, re.MULTILINE)


def test_images_are_ours_or_pinned() -> None:
    for name, service in services().items():
        assert service["image"] == "podium" if name in OURS else ":" in service["image"]
    assert all(services()[name]["build"] == "." for name in OURS)


def test_every_service_has_a_health_check() -> None:
    for name in sorted(set(services()) - {"migrate"}):
        check = services()[name]["healthcheck"]
        command = check["test"]
        assert shlex.split(command) if isinstance(command, str) else command[0] == "CMD", name
        assert {"interval", "timeout", "retries", "start_period"} <= set(check), name


def test_services_wait_until_others_are_ready() -> None:
    by_name = services()
    for service in by_name.values():
        for needed, rule in service.get("depends_on", {}).items():
            ends = by_name[needed].get("restart") == "no"
            wanted = "service_completed_successfully" if ends else "service_healthy"
            assert rule["condition"] == wanted


def test_networks_and_volumes_are_declared() -> None:
    whole = compose()
    for service in whole["services"].values():
        assert set(service["networks"]) <= set(whole["networks"])
        assert {str(volume).split(":")[0] for volume in service["volumes"]} <= set(whole["volumes"])


def test_every_variable_is_a_setting() -> None:
    for name in sorted(OURS):
        environment = services()[name]["environment"]
        assert set(environment) <= set(Variables.model_fields) | PASSED_ON, name


def test_the_defaults_are_the_documented_ones() -> None:
    """Of the settings whose default is written as a value, here and in docs/deploy.md."""
    documented = dict(re.findall(r"^\| `([A-Z_]+)` \| `([^`]*)` \|", PAGE, re.MULTILINE))
    here = {name: default for name, default in REFERENCE.findall(FILE.read_text()) if default}
    both = here.keys() & documented.keys()
    assert len(both) > 20
    # The image's addresses differ from those of a process by hand.
    other = {"ALLOWED_HOSTS", "SCORER_WORK"}
    assert {name: here[name] for name in both - other} == {
        name: documented[name] for name in both - other
    }
    assert here.keys() | {"UV_DEFAULT_INDEX"} >= OF_COMPOSE
    assert set(re.findall(r"^\| `([A-Z_]+)`", PAGE, re.MULTILINE)) >= OF_COMPOSE


def test_the_example_of_settings_has_what_the_file_needs() -> None:
    example = (ROOT / ".env.example").read_text()
    given = re.findall(r"^(#?)([A-Z_]+)=(.*)$", example, re.MULTILINE)
    names = {name for _, name, _ in given}
    references = {name for name, _ in REFERENCE.findall(FILE.read_text())}
    required = set(REQUIRED.findall(FILE.read_text()))
    assert required == {name for mark, name, _ in given if not mark}
    assert OF_COMPOSE <= names <= references | required
    assert "cp .env.example .env" in (ROOT / "README.md").read_text()


def test_passwords_have_no_default() -> None:
    text = FILE.read_text()
    assert set(REQUIRED.findall(text)) == {"POSTGRES_PASSWORD", "REDIS_PASSWORD"}
    assert not re.search(r"\$\{\w*PASSWORD(?!:\?)", text)
    redis = services()["redis"]
    assert redis["command"][:3] == ["redis-server", "--requirepass", GIVEN]
    assert redis["environment"] == {"REDISCLI_AUTH": GIVEN}
    assert all(f"\n{name}={GIVEN}\n" in PAGE for name in REQUIRED.findall(text))


def test_no_other_service_has_the_volume_with_the_key_of_the_web() -> None:
    by_name = services()
    assert by_name["web"]["environment"]["KEY_DIR"] == "/keys"
    assert "keys:/keys" in map(str, by_name["web"]["volumes"])
    for name in OURS - {"web"}:
        assert by_name[name]["environment"]["KEY_DIR"] == "/tmp"
        assert not any("keys" in str(volume) for volume in by_name[name]["volumes"])


def test_every_setting_can_be_given() -> None:
    in_image = {"DATA_DIR", "STATIC_ROOT"}
    never_here = {"DEBUG", "SCORING_SLOTS"}
    given = set(services()["web"]["environment"])
    assert (given - PASSED_ON) | in_image | never_here == set(Variables.model_fields)


def test_the_defaults_are_valid_settings(tmp_path: Path) -> None:
    given = {name: str(value) for name, value in services()["web"]["environment"].items()}
    settings = read_variables(given | {"KEY_DIR": str(tmp_path), "SCORER_WORK": str(tmp_path)})
    assert settings.DATABASE_URL["HOST"] == "db"
    assert settings.REDIS_URL
    assert settings.METRIC_SCRIPTS is False
    assert settings.SCORER_ISOLATION == "prefer"
    assert settings.WEB_CONCURRENCY == 2


def test_only_the_web_has_the_key_and_outside_access() -> None:
    whole = compose()
    assert whole["networks"]["back"]["internal"] is True
    for name, service in whole["services"].items():
        assert ("SECRET_KEY" in (service.get("environment") or {})) == (name == "web")
        assert ("front" in service["networks"]) == (name == "web")
        assert bool(service.get("ports")) == (name == "web")


def typed(program: str) -> list[list[str]]:
    """Return the words of all commands of docs/deploy.md that begin with a program."""
    lines = re.findall(rf"^{program} .*$", PAGE, re.MULTILINE)
    inline = re.findall(rf"`({program} [^`]+)`", PAGE)
    return [shlex.split(line) for line in lines + inline]


def test_the_documented_statement_connects_as_the_role_of_the_database() -> None:
    """The image makes no role `postgres` if POSTGRES_USER names another one."""
    db = services()["db"]["environment"]
    [words] = [words for words in typed("docker compose exec") if "psql" in words]
    assert words[3:5] == ["db", "psql"]
    where = ["--username", db["POSTGRES_USER"], "--dbname", db["POSTGRES_DB"]]
    assert words[5:9] == where
    assert words[9] == "--command"
    assert words[10].startswith(f"ALTER USER {db['POSTGRES_USER']} PASSWORD ")


def test_the_web_backs_up_and_restores_in_a_folder_of_the_host() -> None:
    """A container of the web has the key and the uploads; only it can write into the folder."""
    cases: list[str] = ["backup", "restore"]
    for verb in cases:
        [words] = [command for command in typed("docker compose run") if verb in command]
        command = words.index("web")
        options, (program, file, name, path, *rest) = words[3:command], words[command + 1 :]
        assert options == ["--rm", "--no-deps", "--volume", "$PWD/backups:/backups"], verb
        assert (program, file, name) == ("python", "manage.py", verb), verb
        assert path == "/backups/podium.backup", verb
        assert rest == ([] if verb == "backup" else ["--no-input"]), verb
        web = services()["web"]
        assert {"data:/data", "keys:/keys"} <= set(map(str, web["volumes"])), verb
        [made] = [command for command in typed("install") if command[-1] == "backups"]
        [uid] = re.findall(r"useradd .*--uid (\d+)", (ROOT / "Dockerfile").read_text())
        assert made[1:-1] == ["--directory", "--owner", uid, "--mode", "0700"], verb


def test_everything_that_uses_the_data_is_stopped_before_a_restore() -> None:
    section = PAGE.partition("\n### Backup with Docker\n")[2].partition("\n## ")[0]
    stopped, restored, started = re.findall(r"^docker compose (?!run.* backup ).*$", section, re.M)
    assert set(stopped.split()[3:]) == OURS - {"migrate"}, "`migrate` ends by itself"
    assert " restore " in restored
    assert started == "docker compose up --wait"


def test_redis_never_evicts_a_message() -> None:
    command = services()["redis"]["command"]
    assert command[command.index("--maxmemory-policy") + 1] == "noeviction"
    assert command[command.index("--appendonly") + 1] == "yes"


def test_celery_accepts_the_command_line() -> None:
    cases: list[str] = ["worker", "beat"]
    for name in cases:
        from celery.bin.celery import celery

        command = services()[name]["command"]
        assert command[:3] == ["celery", "--app", "leaderboard.celery"], name
        group = celery.make_context(
            "celery", ["--app", "leaderboard.celery"], resilient_parsing=True
        )
        sub = celery.get_command(group, command[3])
        assert sub is not None, name
        group.obj = type("Obj", (), {"app": app})()
        options = {option for parameter in sub.params for option in parameter.opts}
        assert {part for part in command[4:] if part.startswith("--")} <= options, name


def test_docker_compose_accepts_the_file() -> None:
    docker = shutil.which("docker")
    plugin = docker and subprocess.run([docker, "compose", "version"], capture_output=True)
    if not plugin or plugin.returncode:
        pytest.skip("docker has no compose plugin here; the specification's parser took the file")
    command = ["docker", "compose", "--file", str(FILE), "config", "--quiet"]
    given = {**os.environ, "POSTGRES_PASSWORD": GIVEN, "REDIS_PASSWORD": GIVEN}
    checked = subprocess.run(command, capture_output=True, text=True, env=given)
    assert checked.returncode == 0, checked.stderr
