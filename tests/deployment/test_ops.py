"""The files under `ops/` match the product: metrics exist, alerts have sections, units start it."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from configparser import RawConfigParser
from pathlib import Path

import pytest
import yaml

from leaderboard.environment.reading import Variables, read_variables
from leaderboard.monitoring.metrics import Everything
from leaderboard.services.scoring import sweeper
from leaderboard.settings import DATA_UPLOAD_MAX_MEMORY_SIZE
from tests.full.stack import PAGE, documented

pytestmark = pytest.mark.once

ROOT = Path(__file__).parents[2]
OPS = ROOT / "ops"
ALERTS = yaml.safe_load((OPS / "prometheus" / "alerts.yml").read_text())["groups"][0]["rules"]
BOARD = json.loads((OPS / "grafana" / "podium.json").read_text())
UNITS = sorted((OPS / "systemd").glob("*.service"))
GUNICORNS_OWN = {"HOST", "PORT"}
UNDER_SYSTEMD = PAGE.partition("\n## Under systemd\n")[2].partition("\n## ")[0]


@pytest.fixture
def exposed(db: None) -> set[str]:
    """The name of every series that `/metrics` can have."""
    names: set[str] = set()
    for family in Everything().collect():
        suffixes = {"counter": ["_total"], "histogram": ["_bucket", "_sum", "_count"]}
        names |= {f"{family.name}{suffix}" for suffix in suffixes.get(family.type, [""])}
    return names


def series(expression: str) -> set[str]:
    return set(re.findall(r"\bpodium_\w+", expression))


def test_alerts_use_existing_metrics(exposed: set[str]) -> None:
    for alert in ALERTS:
        assert series(alert["expr"]), alert["alert"]
        assert series(alert["expr"]) <= exposed, alert["alert"]
        assert alert["labels"]["severity"] in ("page", "warn"), alert["alert"]
        assert alert["for"], alert["alert"]


def test_every_alert_has_its_section_and_every_section_its_alert() -> None:
    assert len(ALERTS) == 6
    page = (ROOT / "docs" / "runbook.md").read_text()
    assert re.findall(r"^## (\w+)$", page, re.MULTILINE) == [rule["alert"] for rule in ALERTS]
    for alert in ALERTS:
        assert alert["annotations"]["runbook"] == f"docs/runbook.md#{alert['alert'].lower()}"


def test_the_runbook_explains_every_part_of_the_sweep() -> None:
    page = (ROOT / "docs" / "runbook.md").read_text()
    section = page.partition("\n## PodiumSweepFails\n")[2].partition("\n## ")[0]
    parts = [work.__name__ for work in sweeper.parts()]
    assert re.findall(r"^\| `(\w+)`", section, re.MULTILINE) == [*parts, sweeper.WHOLE]


def test_a_stranger_who_asks_oembed_for_xml_is_no_failure_of_the_server() -> None:
    """oEmbed demands 501 as the answer."""
    errors = [alert["expr"] for alert in ALERTS if alert["alert"] == "PodiumErrors"]
    errors += [
        target["expr"]
        for panel in BOARD["panels"]
        for target in panel["targets"]
        if target["legendFormat"] == "5xx"
    ]
    assert len(errors) == 2
    assert all('{status=~"5..", status!="501"}' in error for error in errors)


def test_the_dashboard_shows_every_metric(exposed: set[str]) -> None:
    expressions = [target["expr"] for panel in BOARD["panels"] for target in panel["targets"]]
    charted = set().union(*map(series, expressions))
    assert charted <= exposed
    assert {re.sub("_(bucket|sum|count)$", "", name) for name in exposed - charted} <= {
        re.sub("_(bucket|sum|count)$", "", name) for name in charted
    }
    assert len({panel["id"] for panel in BOARD["panels"]}) == len(BOARD["panels"])


def test_prometheus_reads_the_documented_url() -> None:
    config = yaml.safe_load((OPS / "prometheus" / "prometheus.yml").read_text())
    [job] = config["scrape_configs"]
    assert (job["job_name"], job["metrics_path"]) == ("podium", "/metrics")
    assert config["rule_files"] == ["alerts.yml"]


def unit(path: Path) -> RawConfigParser:
    parser = RawConfigParser(strict=False, interpolation=None)
    parser.optionxform = str  # type: ignore[assignment, method-assign]
    parser.read(path)
    return parser


def test_units_start_the_documented_commands() -> None:
    for path in UNITS:
        service = unit(path)["Service"]
        word = {"podium-web": "gunicorn"}.get(path.stem, path.stem.removeprefix("podium-"))
        words = service["ExecStart"].split()
        assert words[0] == f"/srv/podium/.venv/bin/{Path(documented(word)[0]).name}", path
        assert words[1:] == documented(word)[1:], path
        assert service["User"] == "podium", path
        assert service["NoNewPrivileges"] == "yes", path
        assert service["ReadWritePaths"] == "/var/lib/podium", path
        target = (OPS / "systemd" / "podium.target").read_text()
        assert path.name in target, path


def test_only_the_web_can_read_the_generated_key() -> None:
    """systemd skips a path with a hyphen if it is missing, so the folder has none."""
    for path in UNITS:
        service = unit(path)["Service"]
        hidden = service.get("InaccessiblePaths"), service.get("Environment")
        folder = variables("web.env")["KEY_DIR"]
        paths = f"{folder} -/var/lib/podium/secret_key -/etc/podium/web.env"
        assert hidden == ((None, None) if path.stem == "podium-web" else (paths, "KEY_DIR=/tmp")), (
            path
        )


def test_the_folder_of_the_key_is_made_before_the_first_start() -> None:
    commands = UNDER_SYSTEMD.splitlines()
    folder = variables("web.env")["KEY_DIR"]
    made = f"install --directory --owner podium --group podium --mode 0700 {folder}"
    assert commands.index(made) < commands.index("systemctl enable --now podium.target")
    exported = re.findall(r"^export KEY_DIR=(\S+)$", PAGE, re.MULTILINE)
    assert exported == [folder], "by hand, commands read the key where the web does"


def test_the_folder_that_the_units_expect_is_a_link_to_a_version() -> None:
    made = re.findall(r"^ln --symbolic podium-[\d.]+ (\S+)$", UNDER_SYSTEMD, re.MULTILINE)
    folders = {unit(path)["Service"]["WorkingDirectory"] for path in UNITS}
    assert {*made} == folders == {"/srv/podium"}


def test_the_worker_may_create_namespaces_and_groups() -> None:
    """A mount over parts of /proc, or fewer namespaces, would disable the sandbox's layers."""
    service = unit(OPS / "systemd" / "podium-worker.service")["Service"]
    forbidden = {"RestrictNamespaces", "ProtectProc", "ProtectKernelTunables"}
    assert not forbidden & set(service)
    assert "ProtectControlGroups" not in service
    assert service["Delegate"] == "yes"


def test_systemd_accepts_the_units(tmp_path: Path) -> None:
    analyze = shutil.which("systemd-analyze")
    if not analyze:
        pytest.skip("there is no systemd-analyze here; the units were read as they are")
    for path in UNITS:
        text = path.read_text()
        text = re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", text, flags=re.MULTILINE)
        (tmp_path / path.name).write_text(text)
    command = [analyze, "verify", "--man=no", *map(str, sorted(tmp_path.iterdir()))]
    checked = subprocess.run(command, capture_output=True, text=True, check=False)
    complaints = [line for line in checked.stderr.splitlines() if str(tmp_path) in line]
    assert complaints == []


def variables(name: str) -> dict[str, str]:
    lines = (OPS / "systemd" / name).read_text().splitlines()
    pairs = [line.partition("=") for line in lines if line and not line.startswith("#")]
    return {key: value for key, _, value in pairs}


def test_variables_of_the_units_are_settings(tmp_path: Path) -> None:
    shared, web = variables("podium.env"), variables("web.env")
    assert set(shared) <= set(Variables.model_fields)
    assert set(web) <= set(Variables.model_fields) | GUNICORNS_OWN
    assert "SECRET_KEY" in web
    assert "SECRET_KEY" not in shared
    folders = {name: str(tmp_path) for name in ("DATA_DIR", "KEY_DIR")}
    given = read_variables(shared | web | folders)
    assert given.DATABASE_URL["HOST"] == "127.0.0.1"
    assert given.REDIS_URL
    assert given.TRUSTED_PROXIES == 1


def test_only_the_web_reads_the_key() -> None:
    for path in UNITS:
        of_web = path.stem == "podium-web"
        assert ("EnvironmentFile=/etc/podium/web.env" in path.read_text()) == of_web
        assert (unit(path)["Service"].get("Environment") == "KEY_DIR=/tmp") != of_web


UNITS_OF_SIZES = {"m": 2**20, "MiB": 2**20, "MB": 10**6}
"""nginx writes binary units as `m`. For Caddy, `MB` is decimal and `MiB` binary."""


def test_proxies_accept_requests_as_large_as_the_product_does() -> None:
    cases: list[str] = ["caddy/Caddyfile", "nginx/podium.conf"]
    for name in cases:
        text = (OPS / name).read_text()
        [(size, unit)] = re.findall(r"(?:max_size|client_max_body_size) (\d+)(\w+)", text)
        assert int(size) * UNITS_OF_SIZES[unit] == DATA_UPLOAD_MAX_MEMORY_SIZE, name
        assert "127.0.0.1:8000" in text, name
        assert re.search(r"/metrics\W[^}]*404", text), name


def test_nginx_passes_on_the_client_and_the_scheme() -> None:
    text = (OPS / "nginx" / "podium.conf").read_text()
    for header in ("Host", "X-Forwarded-For", "X-Forwarded-Proto", "X-Request-ID"):
        assert re.search(rf"proxy_set_header {header} \S+;", text)
    nginx = shutil.which("nginx")
    if not nginx:
        print("there is no nginx here to take the file")
        assert text.count("{") == text.count("}")
