"""Loading a plugin by its name, finding plugins, and reading their descriptions.

A kind of plugin is a row of `KINDS`: the method that a class of this kind has, and the entry-point
group through which installed packages offer their plugins.
"""

import importlib.util
import inspect
import json
import pkgutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, TypeGuard

from leaderboard.rules.json.values import JsonObject
from leaderboard.rules.plugins.entrypoints import check_entrypoint, split_entrypoint
from leaderboard.rules.plugins.kinds import CONFIGS, KINDS, PluginKind, is_searched
from leaderboard.rules.plugins.setting_errors import packed
from leaderboard.rules.texts.plugin_output import class_name, cut, spoken
from leaderboard.sandbox.child import configs, evsys, prediction_metrics, shipped, text_metrics
from leaderboard.sandbox.child.exceptions import describe_exception
from leaderboard.sandbox.contract import MAX_DOC_BYTES, MAX_NAME_BYTES, Failure
from leaderboard.sandbox.jobs import (
    ConfigJob,
    DescribeJob,
    DescribeModuleJob,
    ModulesJob,
    PluginJob,
)

NOT_PLUGINS = {"protocol"}
"""Modules that hold a contract rather than plugins."""
MOST_SETTINGS = 100
MAX_NAME = 200


_Write = Callable[[str], None]


class LoadFailed(Exception):
    """A plugin could not be loaded; carries the Failure that says why."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def load_class(job: PluginJob, entrypoint: str) -> type:
    """Import a plugin's class, after checking again that it is allowed. Raises LoadFailed."""
    with _failing_to_load(entrypoint, job["kind"]):
        check_entrypoint(entrypoint, job["packages"], job["installed"])
        return _import_class(*split_entrypoint(entrypoint), job["kind"])


@contextmanager
def _failing_to_load(name: str, kind: str) -> Iterator[None]:
    """Turn any error of an import into LoadFailed. `name`: the imported module."""
    shipped.forget_changed()
    if kind == "metric":
        evsys.stand_in()
    try:
        yield
    except LoadFailed:
        raise
    except MemoryError as error:
        failure = out_of_memory(error, kind)
    except ModuleNotFoundError as error:
        failure = missing_module(error, name, kind)
    except SystemExit as error:
        failure = ended_itself(error, kind)
    except BaseException as error:
        text = (
            f"The {spoken(kind)} could not be loaded: its module stopped with {class_name(error)}."
        )
        failure = Failure("load_error", text, describe_exception(error))
    else:
        return
    raise LoadFailed(failure)


def _import_class(module_name: str, name: str, kind: str) -> type:
    value: object = getattr(importlib.import_module(module_name), name, None)
    wanted = KINDS[kind]
    if not is_plugin(value, module_name, wanted):
        problem = f"its module defines no class {name} with a method `{wanted.method}`"
    elif wanted.named and not _has_name(value, wanted.named):
        problem = f"its class {name} has no attribute `{wanted.named}`"
    else:
        return value
    text = f"The {spoken(kind)} could not be loaded: {problem}."
    raise LoadFailed(Failure("load_error", text))


def _has_name(plugin: type, attribute: str) -> bool:
    name = getattr(plugin, attribute, None)
    return isinstance(name, str) and name != ""


def is_plugin(value: object, module_name: str, kind: PluginKind) -> TypeGuard[type]:
    """Whether a value is a class of this kind, defined in this very module and public."""
    return (
        isinstance(value, type)
        and value.__module__ == module_name
        and not value.__name__.startswith("_")
        and callable(getattr(value, kind.method, None))
        and not getattr(value, "_is_protocol", False)
    )


def missing_module(error: ModuleNotFoundError, name: str, kind: str) -> Failure:
    """The failure of a plugin, or of its module, that imported a missing module."""
    detail = describe_exception(error)
    package = (error.name or "").partition(".")[0]
    if package and package.isidentifier() and package != name.partition(".")[0]:
        what = f"the Python package {package[:80]}, which is not installed here"
        return Failure("not_installed", f"The {spoken(kind)} needs {what}.", detail)
    text = f"The {spoken(kind)} could not be loaded: there is no such module."
    return Failure("load_error", text, detail)


def out_of_memory(error: BaseException, kind: str = "scorer") -> Failure:
    """The failure of a plugin that needed more memory than its limit."""
    text = f"The {spoken(kind)} needed more memory than it is allowed."
    return Failure("out_of_memory", text, describe_exception(error))


def ended_itself(error: BaseException, kind: str = "scorer") -> Failure:
    """The failure of a plugin that called `sys.exit`."""
    text = f"The {spoken(kind)} ended its own process."
    return Failure("crashed", text, describe_exception(error))


# Verbs.


def answer_modules(job: ModulesJob, requests: BinaryIO, write: _Write) -> None:
    """The names of all public modules of the packages that may hold plugins of the kind."""
    modules = (name for package in job["packages"] for name in _modules_of(package))
    write(json.dumps([name for name in modules if is_searched(name, job["kind"])]))


def _modules_of(package: str) -> Iterator[str]:
    """Modules found by their files alone: importing a package to inspect it would run its code.

    A folder of plugins needs no `__init__.py`, and neither does the package.
    """
    spec = importlib.util.find_spec(package)
    if spec is None:
        return
    yield package
    folders = list(spec.submodule_search_locations or [])
    yield from _modules_within(package, folders)
    for name in sorted({kind.folder for kind in KINDS.values()} - {""}):
        if not any(Path(folder, name, "__init__.py").exists() for folder in folders):
            inner = [f"{folder}/{name}" for folder in folders]
            yield from _modules_within(f"{package}.{name}", inner)


def _modules_within(package: str, folders: list[str]) -> Iterator[str]:
    for module in sorted(pkgutil.iter_modules(folders), key=lambda module: module.name):
        if module.name.startswith("_") or module.name in NOT_PLUGINS:
            continue
        name = f"{package}.{module.name}"
        yield name
        if module.ispkg:
            yield from _modules_within(name, [f"{folder}/{module.name}" for folder in folders])


def answer_descriptions(
    job: DescribeJob | DescribeModuleJob, requests: BinaryIO, write: _Write
) -> None:
    """One description for an `entrypoint`, or those of all plugins of a `module`."""
    if "entrypoint" in job:
        texts = [_describe(job, job["entrypoint"])]
    else:
        texts = _describe_all(job, job["module"])
    write("[" + ",".join(texts) + "]")


def _describe_all(job: PluginJob, module_name: str) -> list[str]:
    try:
        with _failing_to_load(module_name, job["kind"]):
            module = importlib.import_module(module_name)
    except LoadFailed as error:
        return [_broken(module_name, error.failure)]
    kind = KINDS[job["kind"]]
    names = [
        name
        for name, value in vars(module).items()
        if is_plugin(value, module_name, kind) and (not kind.named or kind.named in vars(value))
    ]
    return [_describe(job, f"{module_name}:{name}") for name in names or _nearly(module, kind)]


def _nearly(module: ModuleType, kind: PluginKind) -> list[str]:
    """Classes of a module without plugins that lack only the method or the name of a plugin."""
    return [
        name
        for name, value in vars(module).items()
        if kind.named
        and isinstance(value, type)
        and value.__module__ == module.__name__
        and not (name.startswith("_") or inspect.isabstract(value))
        and not getattr(value, "_is_protocol", False)
        and callable(getattr(value, kind.method, None))
        != isinstance(vars(value).get(kind.named), str)
    ]


def _describe(job: PluginJob, entrypoint: str) -> str:
    try:
        described = describe_class(load_class(job, entrypoint), job["kind"])
        return json.dumps({"entrypoint": entrypoint} | described, allow_nan=False)
    except LoadFailed as error:
        return _broken(entrypoint, error.failure)
    except BaseException as error:
        text = f"The {spoken(job['kind'])} does not describe itself: {class_name(error)}."
        return _broken(entrypoint, Failure("load_error", text, describe_exception(error)))


def _broken(entrypoint: str, failure: Failure) -> str:
    return json.dumps({"entrypoint": entrypoint, "error": failure})


def describe_class(plugin: type, kind: str) -> JsonObject:
    """The optional class attributes of a plugin of a kind, as plain values."""
    schema, defaults = configs.schema_of(plugin)
    doc = inspect.getdoc(plugin) if plugin.__doc__ else ""
    return {
        "name": cut(
            str(getattr(plugin, KINDS[kind].named or "name", plugin.__name__)), MAX_NAME_BYTES
        ),
        "doc": cut(doc or "", MAX_DOC_BYTES),
        "config_schema": schema,
        "defaults": defaults,
        "public_details": getattr(plugin, "public_details", False) is True,
        "public_source": getattr(plugin, "public_source", False) is True,
        "over": cut(str(getattr(plugin, "over", "")), 200),
        "direction": "asc" if getattr(plugin, "direction", "desc") == "asc" else "desc",
        "unit": cut(str(getattr(plugin, "unit", "")), 40),
        "multiplies": _multiplied(plugin) if kind == "scorer" else {},
        **(text_metrics.described(plugin) if kind == "text_metric" else {}),
        **(prediction_metrics.described(plugin) if kind == "prediction_metric" else {}),
    }


def _multiplied(plugin: type) -> dict[str, str]:
    """The settings with the numbers that they multiply; only pairs of short texts count."""
    declared = getattr(plugin, "multiplies", None)
    pairs = [*declared.items()][:MOST_SETTINGS] if isinstance(declared, dict) else []
    return {name: term for name, term in pairs if _is_short(name) and _is_short(term)}


def _is_short(text: object) -> bool:
    return type(text) is str and len(text) <= MAX_NAME


def answer_config_check(job: ConfigJob, requests: BinaryIO, write: _Write) -> None:
    """The errors of a config, by field, and the config with its defaults."""
    config, kind = job["config"], job["kind"]
    try:
        plugin = load_class(job, job["entrypoint"])
        errors, filled = configs.check(plugin, config)
        packed_errors = {
            name: [packed(error_text) for error_text in field_errors]
            for name, field_errors in errors.items()
        }
        answer = {"errors": packed_errors, "config": filled}
        text = json.dumps(answer, allow_nan=False)
    except LoadFailed as error:
        text = json.dumps({"errors": {}, "config": config, "failure": error.failure})
    except BaseException as error:
        failed = Failure(
            "load_error",
            f"The {spoken(kind)} cannot check its {CONFIGS[kind]}: {class_name(error)}.",
            describe_exception(error),
        )
        text = json.dumps({"errors": {}, "config": config, "failure": failed})
    write(text)
