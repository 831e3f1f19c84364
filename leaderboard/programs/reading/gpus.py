"""Programs run on processors here: what needs a GPU is replaced, told of, or refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from leaderboard.programs.reading.contract import ProgramRefused
from leaderboard.programs.reading.sources import sources, text_of
from leaderboard.rules.texts.messages import Message, message

COUNTERPARTS: Final = {
    "faiss-gpu": "faiss-cpu",
    "lightgbm-gpu": "lightgbm",
    "onnxruntime-gpu": "onnxruntime",
    "paddlepaddle-gpu": "paddlepaddle",
    "spacy-cuda": "spacy",
    "tensorflow-gpu": "tensorflow",
    "tf-nightly-gpu": "tf-nightly",
}
"""Packages for GPUs, and those with the same modules for processors."""

_PARTS: Final = re.compile(r"nvidia-.+|triton|pytorch-triton.*")
"""What others bring along for GPUs; without one, they do not use it."""
_ONLY: Final = re.compile(
    r"(cupy|cudf|cuml|cugraph|rmm|jax-cuda|mxnet-cu|faiss-gpu|dgl-cu)[\w-]*"
    r"|pycuda|tensorrt[\w-]*|flash-attn|apex|bitsandbytes|torch2trt|deepspeed|numba-cuda"
)
_LOCAL: Final = re.compile(r"\+(cu\d+|cpu)[\w.]*")
_EXTRAS: Final = re.compile(r".*cuda.*|gpu|cu\d+")
_ASKS: Final = re.compile(r"""\.cuda\(|device\s*=\s*["']cuda|\.to\(\s*["']cuda|/device:GPU""")
_CHOOSES: Final = re.compile(r"cuda\.is_available|list_physical_devices")


def on_processors(text: str) -> str:
    """A requirement as it can be fulfilled without a GPU; "" if it can be left out.

    Raises ProgramRefused for what does nothing without one.
    """
    requirement = Requirement(_LOCAL.sub("", text))
    name = canonicalize_name(requirement.name)
    if _PARTS.fullmatch(name):
        return ""
    if name in COUNTERPARTS:
        requirement.name = COUNTERPARTS[name]
        requirement.specifier = SpecifierSet() if name == "faiss-gpu" else requirement.specifier
    elif _ONLY.fullmatch(name):
        raise ProgramRefused(
            message(
                "must not need a GPU, because programs run on processors here; got {package}. "
                "Use a package that does without one, such as numpy instead of cupy",
                package=requirement.name,
            )
        )
    requirement.extras = {extra for extra in requirement.extras if not _EXTRAS.fullmatch(extra)}
    return str(requirement)


def needs_gpu(module: str) -> bool:
    """Whether a module is for GPUs alone; sources that import one often go on without it."""
    return bool(_ONLY.fullmatch(module.replace("_", "-")) or _PARTS.fullmatch(module))


def asks_for_gpu(program: Path) -> Iterator[Message]:
    """A sentence for each source that uses a GPU without asking whether there is one."""
    for path in sources(program):
        text = text_of(path)
        if _ASKS.search(text) and not _CHOOSES.search(text):
            yield message(
                "{file} asks for a GPU, and programs run on processors here. Let it use the "
                "processor where torch.cuda.is_available() is false",
                file=path.name,
            )
