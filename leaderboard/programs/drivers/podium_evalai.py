"""Call `evaluate` of an EvalAI package.

Arguments: the package's folder, the annotations, the submission, the folder for the answer, and a
JSON object with the phase and the submission's metadata. Calls of `pip install` succeed without
doing anything: packages are prepared before.
"""

import importlib.util
import json
import os
import subprocess
import sys

from podium_common import answer, is_visible, show

package, annotations, submission, out, order = sys.argv[1:]
order = json.loads(order)


def is_pip(command):
    words = command.split() if isinstance(command, str) else list(map(str, command))
    return "install" in words and any(word.rpartition("/")[2].startswith("pip") for word in words)


def instead_of(call, result):
    def called(command, *arguments, **options):
        return result(command) if is_pip(command) else call(command, *arguments, **options)

    return called


def done(command):
    return subprocess.CompletedProcess(command, 0, b"", b"")


subprocess.run = instead_of(subprocess.run, done)
subprocess.call = instead_of(subprocess.call, lambda command: 0)
subprocess.check_call = instead_of(subprocess.check_call, lambda command: 0)
subprocess.check_output = instead_of(subprocess.check_output, lambda command: b"")
os.system = instead_of(os.system, lambda command: 0)

sys.path[:0] = [os.path.dirname(package), package]
start = os.path.join(package, "__init__.py")
if os.path.exists(start):
    spec = importlib.util.spec_from_file_location(
        "evaluation_script", start, submodule_search_locations=[package]
    )
    module = importlib.util.module_from_spec(spec)
    sys.modules["evaluation_script"] = module
    spec.loader.exec_module(module)
    if not hasattr(module, "evaluate"):
        module = importlib.import_module("evaluation_script.main")
else:
    module = importlib.import_module("main")
try:
    result = module.evaluate(
        annotations, submission, order["phase"], submission_metadata=order["meta"]
    )
except Exception as error:
    if is_visible(error):
        show(out, str(error)[:280])
    raise
if isinstance(result, BaseException):
    raise result
answer(out, {"result": result.get("result")} if isinstance(result, dict) else {})
