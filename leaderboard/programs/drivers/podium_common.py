"""What the drivers share: loading a file, answering, and which error participants see."""

import importlib.util
import json
import math
import os
import sys


def load(path, root):
    """Import a file of a program; modules of its folder and of its root come first."""
    for folder in (os.path.dirname(path), root):
        sys.path.insert(0, folder)
    name = os.path.splitext(os.path.basename(path))[0]
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def plain(value):
    """A value of a library as JSON has it: numbers of Python, null for what is not finite."""
    if isinstance(value, dict):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, (list, tuple)):
        return [plain(part) for part in value]
    value = value.item() if hasattr(value, "item") else value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    return value if value is None or isinstance(value, (bool, int, str)) else str(value)


def answer(folder, values):
    """Write the answer for the host."""
    with open(os.path.join(folder, "answer.json"), "w") as file:
        json.dump(plain(values), file)


def is_visible(error):
    """Whether participants see an error: each module has a class of this name of its own."""
    return any(base.__name__ == "ParticipantVisibleError" for base in type(error).__mro__)


def show(folder, text):
    """Tell the participant what is wrong with the submission, and end."""
    answer(folder, {"visible": text})
    sys.exit(0)
