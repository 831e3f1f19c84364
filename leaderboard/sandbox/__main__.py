"""`python -m leaderboard.sandbox`: try a plugin without a database; report the isolation.

Settings come from SCORER_PACKAGES, SCORER_PATH, SCORER_TENANTS, SCORER_ISOLATION, SCORER_WORK and
SCORER_TIMEOUT_MS, and for text metrics from MODEL_PATH. Exit code 0: a score, or every threat is
stopped; 1: no score, or a threat is not stopped; 2: wrong arguments or settings.
"""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any, get_args

from leaderboard.rules.json.strict import InvalidJSON, parse_json
from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.kinds import KINDS
from leaderboard.rules.plugins.owners import ANOTHERS, parse_owners
from leaderboard.sandbox import (
    Failure,
    IsolationReport,
    Outcome,
    Request,
    Sandbox,
    SandboxError,
    SandboxSettings,
    ThreatReport,
    prediction_settings,
    script_settings,
    text_settings,
)
from leaderboard.sandbox.contract import Isolation
from leaderboard.sandbox.host.fork_servers import PROJECT
from leaderboard.sandbox.host.installed import installed_entrypoints as installed
from leaderboard.sandbox.host.views import may_use

MAX_PARTS = 100_000_000
"""The most values in one file, so high that only memory limits them."""

_CONTEXT = {
    "tenant_id": "default",
    "app_id": "",
    "workflow_id": "",
    "challenge_id": "try",
    "end_user_id": None,
    "received_at": 0,
    "closes_at": None,
}


class WrongArgument(Exception):
    """An argument, a file or a setting that cannot be used; the text says which and why."""


def main(arguments: list[str] | None = None, environment: Mapping[str, str] = os.environ) -> int:
    """Run one command; returns the exit code."""
    asked = _parser().parse_args(arguments)
    try:
        settings = settings_from(environment)
        if asked.verb == "report":
            with Sandbox(settings) as sandbox:
                return _report(sandbox)
        if asked.verb == "run":
            return _run(settings, Path(asked.folder))
        if asked.script is not None:
            return _try_script(asked, settings, environment)
        if asked.entrypoint is None:
            raise WrongArgument("name a plugin as module:Class, or a script with --script")
        if not may_use(asked.entrypoint, asked.tenant, settings.path, settings.owners):
            return _refused(f"{asked.entrypoint}: name its tenant with --tenant\n")
        if asked.rewards is not None:
            with Sandbox(settings) as sandbox:
                return _try_metric(sandbox, asked, environment)
        if asked.truth is not None:
            with Sandbox(prediction_settings(settings)) as sandbox:
                return _try_predictions(sandbox, asked)
        if asked.instances is None:
            with Sandbox(settings) as sandbox:
                return _try(sandbox, asked, environment)
        with Sandbox(text_settings(settings)) as sandbox:
            return _try_text_metric(sandbox, asked)
    except (WrongArgument, SandboxError) as error:
        sys.stderr.write(f"{error}\n")
        return 1 if isinstance(error, SandboxError) else 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m leaderboard.sandbox")
    verbs = parser.add_subparsers(dest="verb", required=True)
    trying = verbs.add_parser("try", help="run a plugin or a metric script as a worker would")
    trying.add_argument("entrypoint", metavar="module:Class", nargs="?")
    trying.add_argument("--script", metavar="S.py", help="a metric script, for which uv installs")
    given = trying.add_mutually_exclusive_group(required=True)
    given.add_argument("--metrics", metavar="M.json", help="for a scorer: the attempt's metrics")
    given.add_argument("--instances", metavar="I.json", help="for a text metric: its instances")
    given.add_argument(
        "--rewards", metavar="R.json", help="for a metric or a script: lists of rewards by task"
    )
    given.add_argument(
        "--truth", metavar="T.csv", help="for a metric of predictions: ids, and what is true"
    )
    trying.add_argument(
        "--predictions", metavar="P.csv", help="for a metric of predictions: what is predicted"
    )
    trying.add_argument("--k", type=int, help="the number in the name of a metric such as pass@k")
    trying.add_argument("--config", metavar="C.json", help="the scoring config (default: {})")
    trying.add_argument("--ctx", metavar="X.json", help="the scoring context")
    trying.add_argument(
        "--parameters", metavar="P.json", help="of a text metric, or of one of predictions"
    )
    trying.add_argument(
        "--tenant",
        metavar="SLUG",
        default=_CONTEXT["tenant_id"],
        help="whose challenge names it, as SCORER_TENANTS may require (default: default)",
    )
    trying.add_argument(
        "--timeout-ms",
        metavar="N",
        help="default: SCORER_TIMEOUT_MS, else 5000; 600000 for a text metric, 60000 for a script",
    )
    running = verbs.add_parser("run", help="run a scoring program on a submission")
    running.add_argument("folder", metavar="FOLDER", help="with scoring_program and the others")
    verbs.add_parser("report", help="what the isolation enforces on this host")
    return parser


def settings_from(environment: Mapping[str, str]) -> SandboxSettings:
    """The settings of a worker. Raises WrongArgument with the variable's name."""
    names = environment.get("SCORER_PACKAGES") or "scorers"
    packages = tuple(name.strip() for name in names.split(",") if name.strip())
    if not all(name.isascii() and name.isidentifier() for name in packages):
        raise WrongArgument("SCORER_PACKAGES: names of top-level packages with commas between them")
    isolation = environment.get("SCORER_ISOLATION") or "prefer"
    if isolation not in get_args(Isolation):
        raise WrongArgument("SCORER_ISOLATION: one of " + ", ".join(get_args(Isolation)))
    folders = filter(None, environment.get("SCORER_PATH", "").split(os.pathsep))
    path = tuple(map(os.path.abspath, folders))
    return SandboxSettings(
        packages=packages,
        path=path,
        isolation=isolation,  # type: ignore[arg-type]
        models=_models(environment),
        work=environment.get("SCORER_WORK", ""),
        owners=_owners(environment, path, packages),
    )


def _owners(
    environment: Mapping[str, str], path: Collection[str], packages: Collection[str]
) -> dict[str, frozenset[str]]:
    try:
        owners = parse_owners(environment.get("SCORER_TENANTS", ""), path)
    except ValueError as error:
        raise WrongArgument(f"SCORER_TENANTS: {error}") from None
    packages_of_plugins = {
        *packages,
        *(module.partition(".")[0] for kind in KINDS for module in installed(kind)),
    }
    for name in owners:
        if not os.path.isabs(name) and name not in packages_of_plugins:
            raise WrongArgument(f"SCORER_TENANTS: there is no package of plugins {name}")
    return owners


def _models(environment: Mapping[str, str]) -> tuple[str, ...]:
    """The folders of models; by default the same folder as for a worker."""
    named = [name for name in environment.get("MODEL_PATH", "").split(os.pathsep) if name]
    beside = os.path.join(environment.get("DATA_DIR") or os.path.join(PROJECT, "var"), "models")
    return tuple(named or filter(os.path.isdir, [beside]))


def _try(sandbox: Sandbox, asked: argparse.Namespace, environment: Mapping[str, str]) -> int:
    timeout_ms = _milliseconds(asked.timeout_ms or environment.get("SCORER_TIMEOUT_MS") or "5000")
    own = {"tenant_id": asked.tenant, "timeout_ms": timeout_ms}
    ctx = _CONTEXT | own | _object(asked.ctx)
    request = Request(_object(asked.metrics), ctx)
    (outcome,) = sandbox.score(
        asked.entrypoint, _object(asked.config), [request], timeout_ms=timeout_ms, fresh=True
    )
    note = outcome.error.detail if outcome.error else outcome.details_note
    return _print(as_json(outcome), note, has_score=outcome.error is None)


def _try_metric(sandbox: Sandbox, asked: argparse.Namespace, environment: Mapping[str, str]) -> int:
    from leaderboard.sandbox.host.trying_rewards import try_metric

    timeout_ms = _milliseconds(asked.timeout_ms or environment.get("SCORER_TIMEOUT_MS") or "5000")
    tried = try_metric(sandbox, asked.entrypoint, _rewards(asked), timeout_ms, asked.k)
    return _print_result(tried.as_json(), tried.failure)


def _try_script(
    asked: argparse.Namespace, settings: SandboxSettings, environment: Mapping[str, str]
) -> int:
    """Prepare a script with uv in a folder of its own, and run it in the sandbox."""
    from leaderboard.sandbox.host.trying_rewards import try_script
    from leaderboard.sandbox.scripts.preparing import NotPrepared, prepared_in

    if asked.entrypoint is not None or asked.rewards is None:
        raise WrongArgument("--script needs --rewards, and takes no module:Class")
    tasks, timeout_ms = _rewards(asked), _milliseconds(asked.timeout_ms or "60000")
    with tempfile.TemporaryDirectory(prefix="podium-script-") as folder:
        try:
            prepared = prepared_in(Path(folder), _text(asked.script), _downloads(environment))
        except NotPrepared as error:
            sys.stderr.write(f"{asked.script}: {error}\n{error.messages}\n")
            return 1
        with Sandbox(script_settings(settings, folder)) as sandbox:
            tried = try_script(sandbox, str(prepared), tasks, timeout_ms)
            return _print_result(tried.as_json(), tried.failure)


def _run(settings: SandboxSettings, folder: Path) -> int:
    """Run the program of a folder as a worker would."""
    from leaderboard.programs import ProgramRefused
    from leaderboard.sandbox.host.trying_programs import try_program

    try:
        with Sandbox(settings) as sandbox:
            report = try_program(sandbox, folder)
    except (ProgramRefused, KeyError, OSError) as error:
        raise WrongArgument(f"{folder}: {error}") from None
    sys.stdout.write(json.dumps(report, indent=2) + "\n")
    steps = [step for step in report.values() if isinstance(step, dict)]
    return 0 if all(step.get("error") is None for step in steps) else 1


def _downloads(environment: Mapping[str, str]) -> Path:
    """The folder for uv's downloads, the same as that of a server."""
    beside = Path(environment.get("DATA_DIR") or os.path.join(PROJECT, "var"))
    beside.mkdir(parents=True, exist_ok=True)
    return beside / "scripts-cache"


def _rewards(asked: argparse.Namespace) -> Any:
    from leaderboard.sandbox.host.trying_rewards import read_rewards

    try:
        return read_rewards(_read(asked.rewards))
    except ValueError as error:
        raise WrongArgument(f"{asked.rewards}: {error}") from None


def _print_result(report: JsonObject, failure: Failure | None) -> int:
    return _print(report, failure.detail if failure else "", has_score=failure is None)


def _print(report: JsonObject, note: str, *, has_score: bool) -> int:
    """Print what was tried as JSON, and a note for its author; returns the exit code."""
    sys.stdout.write(json.dumps(report) + "\n")
    sys.stderr.write(note)
    return 0 if has_score else 1


def _try_text_metric(sandbox: Sandbox, asked: argparse.Namespace) -> int:
    # The report of isolation runs where pydantic, which reads instances, is not installed.
    from leaderboard.sandbox.host.trying import read_instances, try_text_metric

    timeout_ms = _milliseconds(asked.timeout_ms or "600000")
    try:
        instances = read_instances(_read(asked.instances))
    except ValueError as error:
        raise WrongArgument(f"{asked.instances}: {error}") from None
    parameters = _object(asked.parameters)
    return _print_result(
        *try_text_metric(sandbox, asked.entrypoint, instances, parameters, timeout_ms)
    )


def _try_predictions(sandbox: Sandbox, asked: argparse.Namespace) -> int:
    # The report of isolation runs where numpy, which measures predictions, is not installed.
    from leaderboard.sandbox.host.trying_predictions import try_predictions

    if asked.predictions is None:
        raise WrongArgument("--truth needs --predictions")
    report, failure = try_predictions(
        sandbox,
        asked.entrypoint,
        _bytes(asked.truth),
        _bytes(asked.predictions),
        _object(asked.parameters),
        _milliseconds(asked.timeout_ms or "60000"),
    )
    return _print(report, failure.detail if failure else "", has_score="values" in report)


def _refused(hint: str) -> int:
    """Print the outcome that a worker stores if a plugin belongs to another tenant."""
    error = Failure("load_error", ANOTHERS)
    outcome = Outcome(None, None, False, None, "", error, duration_ms=0, output="")
    return _print(as_json(outcome), hint, has_score=False)


def as_json(outcome: Outcome) -> JsonObject:
    """Convert an outcome to JSON, with the field names of the API."""
    error = outcome.error
    return {
        "score": outcome.value,
        "raw_score": outcome.raw_value,
        "clamped": outcome.clamped,
        "details": outcome.details,
        "error": None if error is None else {"code": error.code, "message": error.message},
        "duration_ms": outcome.duration_ms,
        "output": outcome.output,
    }


def _milliseconds(text: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 600_000):
        raise WrongArgument(f"the timeout is {text!r}, not milliseconds from 1 to 600000")
    return int(text)


def _object(path: str | None) -> JsonObject:
    """The JSON object in a file, {} for no file. Raises WrongArgument."""
    value = {} if path is None else _read(path)
    if not isinstance(value, dict):
        raise WrongArgument(f"{path} holds {type(value).__name__}, not a JSON object")
    return value


def _text(path: str) -> str:
    try:
        return _bytes(path).decode()
    except UnicodeDecodeError:
        raise WrongArgument(f"{path}: must be a text in UTF-8") from None


def _bytes(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise WrongArgument(f"{path}: {error.strerror}") from None


def _read(path: str) -> Any:
    try:
        return parse_json(_bytes(path), MAX_PARTS)
    except InvalidJSON as error:
        place = f", {error.place}" if error.place else ""
        raise WrongArgument(f"{path}{place}: {error.message}") from None


def _report(sandbox: Sandbox) -> int:
    report = sandbox.report()
    sys.stdout.write("\n".join(report_lines(report)) + "\n")
    return 0 if report.complete else 1


def report_lines(report: IsolationReport) -> list[str]:
    """One line per threat, then what is missing."""
    lines = [_line(threat) for threat in report.threats]
    return [*lines, *(f"missing: {what}" for what in report.missing)]


def _line(threat: ThreatReport) -> str:
    if threat.enforced is None:
        return f"{threat.name}: not applicable, {threat.note}"
    if not threat.enforced:
        return f"{threat.name}: OPEN, {threat.note}"
    return f"{threat.name}: blocked ({', '.join(threat.by) or 'by the system'})"


if __name__ == "__main__":
    sys.exit(main())
