"""Turns exceptions of plugins into text. Never raises, even if an exception's own code does."""

import errno
import importlib
import os
import traceback
from collections.abc import Iterator

from leaderboard.rules.texts.plugin_output import MAX_DETAIL_BYTES, class_name, clean_output

MAX_MESSAGE_BYTES = 500


_STARTING = frozenset(("subprocess.py", "popen_fork.py", "popen_spawn_posix.py", "pty.py"))
_NETWORKING = frozenset(("socket.py", "ssl.py", "client.py"))
_NETWORK_ERRORS = frozenset(("gaierror", "herror", "ConnectionRefusedError"))
_UNREACHABLE = frozenset(
    (errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EAFNOSUPPORT)
)
_REFUSED = "The sandbox has refused something that it tried."

_OURS = os.path.dirname(os.path.dirname(__file__))


def describe_exception(error: BaseException) -> str:
    """The traceback from the plugin's first frame on; a long one keeps its end.

    A plugin's exception may do anything while it is turned into text, so this never raises.
    """
    trace = error.__traceback__
    while trace is not None and _is_ours(trace.tb_frame.f_code.co_filename):
        trace = trace.tb_next
    try:
        text = "".join(traceback.format_exception(type(error), error, trace))
    except BaseException:  # code of the plugin may raise SystemExit as well
        text = class_name(error)
    printed = text.encode("utf-8", "replace")
    return clean_output(printed[-MAX_DETAIL_BYTES:], MAX_DETAIL_BYTES)


def public_message(error: BaseException) -> str:
    """The message of an exception that is declared public, in one line; "" for any other."""
    try:
        if getattr(error, "is_public", False) is not True:
            return ""
        printed = " ".join(str(error).split()).encode("utf-8", "replace")
    except BaseException:  # code of the plugin may raise SystemExit as well
        return ""
    return clean_output(printed, MAX_MESSAGE_BYTES)


def stop_reason(what: str, error: BaseException) -> str:
    """Why a plugin stopped, in a sentence or two for everybody: `The scorer stopped with …`."""
    text = f"The {what} stopped with {class_name(error)}."
    try:
        return f"{text} {refused}" if (refused := _refusal(error)) else text
    except BaseException:  # code of the plugin may raise SystemExit as well
        return text


def _refusal(error: BaseException) -> str:
    """What the sandbox has refused, if the exception or one that it follows from says so."""
    for cause in _chain(error):
        if not isinstance(cause, OSError):
            continue
        files = set(_files_of(cause))
        if files & _STARTING:
            return "The sandbox lets it start no other programs or processes."
        if type(cause).__name__ in _NETWORK_ERRORS or cause.errno in _UNREACHABLE:
            return "The sandbox has no network."
        if cause.filename is not None and isinstance(cause, PermissionError | FileNotFoundError):
            return (
                "The sandbox lets it read only its own package, installed packages, and files"
                " that it has written itself."
            )
        if isinstance(cause, PermissionError):
            return "The sandbox has no network." if files & _NETWORKING else _REFUSED
    return ""


def _chain(error: BaseException, most: int = 10) -> Iterator[BaseException]:
    """The exception, and those that it was raised from or while handling."""
    waiting: list[object] = [error]
    while waiting and most:
        cause, most = waiting.pop(0), most - 1
        if isinstance(cause, BaseException):
            yield cause
            waiting += [cause.__cause__, cause.__context__, getattr(cause, "reason", None)]


def _files_of(error: BaseException) -> Iterator[str]:
    """The names of the files that an exception has passed."""
    trace = error.__traceback__
    while trace is not None:
        yield os.path.basename(trace.tb_frame.f_code.co_filename)
        trace = trace.tb_next


def _is_ours(file: str) -> bool:
    return file.startswith((_OURS, "<frozen importlib", importlib.__file__))
