"""Turns exceptions of plugins into text. Never raises, even if an exception's own code does."""

import importlib
import os
import traceback

from leaderboard.rules.texts import MAX_DETAIL_BYTES, class_name, clean_output

MAX_MESSAGE_BYTES = 500


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
    except BaseException:
        text = class_name(error)
    printed = text.encode("utf-8", "replace")
    return clean_output(printed[-MAX_DETAIL_BYTES:], MAX_DETAIL_BYTES)


def public_message(error: BaseException) -> str:
    """The message of an exception that is declared public, in one line; "" for any other."""
    try:
        if getattr(error, "is_public", False) is not True:
            return ""
        printed = " ".join(str(error).split()).encode("utf-8", "replace")
    except BaseException:
        return ""
    return clean_output(printed, MAX_MESSAGE_BYTES)


def _is_ours(file: str) -> bool:
    return file.startswith((_OURS, "<frozen importlib", importlib.__file__))
