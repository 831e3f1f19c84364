"""BERTScore, as the package bert-score computes it, with a model from a local folder."""

import os
from collections.abc import Sequence
from functools import lru_cache
from importlib.util import find_spec
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator
from pydantic_core import PydanticCustomError

from scorers.protocol import Instance, TextResult
from scorers.text._plain import mean

NEEDS = ("bert_score", "torch", "transformers")
MOST_THREADS = 64
NAMES = ("precision", "recall", "f1")


class BertScoreConfig(BaseModel):
    """The parameters of bert-score by their own names, and `model_path`."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, protected_namespaces=(), validate_default=True
    )

    model_path: str | None = Field(
        default=None,
        description="The model's folder, as transformers saves one: its name in a folder of "
        "MODEL_PATH, or the whole path. It must be given",
    )
    model_type: str | None = Field(
        default=None,
        pattern=r"^\w[\w.-]*(/\w[\w.-]*)*$",
        description="The model's published name, for num_layers and the baseline; null: the "
        "folder's name",
    )
    num_layers: int | None = Field(
        default=None,
        ge=0,
        description="The layer to compare; null: the one tuned for model_type, else the last",
    )
    lang: str | None = Field(
        default=None, pattern="^[a-z-]{2,10}$", description="The language of the baseline: en, zh…"
    )
    baseline_path: str | None = Field(
        default=None, description="A table with the baseline of each layer, in the model's folder"
    )
    rescale_with_baseline: bool = Field(
        default=False, description="Stretch the range, so that unrelated texts are at about 0"
    )
    idf: bool = Field(default=False, description="Not here: BERTSCORE_IDF weighs rare words higher")
    batch_size: int = Field(default=64, ge=1, le=4096, description="Texts computed at a time")
    nthreads: int | None = Field(
        default=None,
        ge=1,
        le=MOST_THREADS,
        description="Threads that compute; null: as many as processors",
    )
    device: Literal["cpu"] = Field(default="cpu", description="What computes")
    use_fast_tokenizer: bool = Field(
        default=False, description="Take the fast tokenizer, where the model has two"
    )
    all_layers: Literal[False] = Field(default=False, description="One layer only")
    verbose: bool = Field(default=False, description="Print how far it is")

    @field_validator("model_path")
    @classmethod
    def _is_given(cls, path: str | None) -> str | None:
        """Asked for where the metric can run: elsewhere, that it is not installed says more."""
        if not path and all(map(find_spec, NEEDS)):
            text = "Name a model of this server: the folder in MODEL_PATH that holds it."
            raise PydanticCustomError("model_path", text)
        return path

    @field_validator("baseline_path")
    @classmethod
    def _lies_with_the_model(cls, path: str | None, info: ValidationInfo) -> str | None:
        folder = info.data.get("model_path")
        table = os.path.normpath(os.path.join(folder or "", path or ""))
        if path and folder and not Path(table).is_relative_to(folder):
            raise PydanticCustomError("baseline_path", "This must lie in the model's folder.")
        return path

    @field_validator("rescale_with_baseline")
    @classmethod
    def _has_a_baseline(cls, rescale: bool, info: ValidationInfo) -> bool:
        if rescale and not info.data.get("lang") and not info.data.get("baseline_path"):
            raise PydanticCustomError("baseline", "Give lang or baseline_path as well.")
        return rescale

    @field_validator("idf")
    @classmethod
    def _is_another_metric(cls, idf: bool) -> bool:
        if idf:
            text = "This needs all instances at once: take the metric BERTSCORE_IDF instead."
            raise PydanticCustomError("idf", text)
        return idf


class BertScoreIdfConfig(BertScoreConfig):
    """As those of BERTSCORE, where idf cannot be turned off."""

    idf: Literal[True] = Field(default=True, description="Weigh rare words higher")

    @field_validator("idf")
    @classmethod
    def _is_another_metric(cls, idf: bool) -> bool:
        return idf


class BertScore:
    """BERTScore: how near the words of output and reference are to each other in a language model.

    P is the mean, over the words of the output, of the highest cosine similarity to a word of the
    reference; R the same the other way round; F1 = 2 · P · R / (P + R). At most 1, seldom below 0
    unless rescaled; an empty text scores 0 before rescaling. Of several references the best for
    each number, then the mean over instances.

    The model is a folder on the server, given as `model_path`; nothing is fetched from a network.
    Texts are cut where the model's input ends, often at 512 tokens.
    """

    id: ClassVar[str] = "BERTSCORE"
    averaged: ClassVar[bool] = True
    parallel: ClassVar[bool] = False  # One model in memory, whose threads use all processors.
    needs: ClassVar[tuple[str, ...]] = NEEDS
    install: ClassVar[str] = "python -m pip install bert-score torch transformers"
    Config: ClassVar[type[BertScoreConfig]] = BertScoreConfig

    def evaluate(self, instances: Sequence[Instance], parameters: dict[str, Any]) -> TextResult:
        scorer = _loaded(tuple(parameters.items()))
        references = [list(each.references) for each in instances]
        if parameters["idf"]:
            scorer.compute_idf([text for texts in references for text in texts])
        found = scorer.score(
            [each.output for each in instances],
            references,
            verbose=parameters["verbose"],
            batch_size=parameters["batch_size"],
        )
        rows = zip(*(column.tolist() for column in found), strict=True)
        results = [
            dict(zip(NAMES, row, strict=True)) if all(map(isfinite, row)) else None for row in rows
        ]
        defined = [result for result in results if result is not None]
        return {
            "score": {name: mean([result[name] for result in defined]) for name in NAMES},
            "results": results,
        }


class BertScoreIdf(BertScore):
    """BERTScore in which a word weighs the more the rarer it is in the references.

    As BERTSCORE, with means weighed by idf(word) = log((n + 1) / (k + 1)), where k of the n
    references have the word. It is computed over all instances in one go, since each reference has
    a say in the weights. Where every word of an instance is in every reference, nothing has a
    weight: it is undefined there.
    """

    id: ClassVar[str] = "BERTSCORE_IDF"
    averaged: ClassVar[bool] = False
    Config: ClassVar[type[BertScoreConfig]] = BertScoreIdfConfig


@lru_cache(maxsize=1)
def _loaded(parameters: tuple[tuple[str, Any], ...]) -> Any:
    """bert-score with its model in memory, for one block after the other."""
    os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    import torch
    from bert_score import BERTScorer
    from transformers.utils import logging

    chosen = dict(parameters)
    folder = _folder(chosen["model_path"])
    logging.disable_progress_bar()
    torch.set_num_threads(chosen["nthreads"] or min(os.cpu_count() or 1, MOST_THREADS))
    scorer = BERTScorer(
        model_type=str(folder),
        num_layers=_layer(chosen, folder),
        batch_size=chosen["batch_size"],
        nthreads=0,  # Processes to count words with, which a plugin cannot start.
        idf=chosen["idf"],
        device=chosen["device"],
        lang=chosen["lang"] or "",
        rescale_with_baseline=chosen["rescale_with_baseline"],
        baseline_path=_baseline(chosen, folder),
        use_fast_tokenizer=chosen["use_fast_tokenizer"],
    )
    _mend(scorer._tokenizer, scorer._model.config)
    return scorer


def _folder(path: str | None) -> Path:
    if path and Path(path, "config.json").is_file():
        return Path(path).resolve()
    raise NotADirectoryError(f"model_path: there is no model that can be read in {path}")


def _name(chosen: dict[str, Any], folder: Path) -> str:
    return str(chosen["model_type"] or folder.name)


def _layer(chosen: dict[str, Any], folder: Path) -> int:
    if chosen["num_layers"] is not None:
        return int(chosen["num_layers"])
    from bert_score.utils import model2layers
    from transformers import AutoConfig

    tuned = model2layers.get(_name(chosen, folder))
    return int(AutoConfig.from_pretrained(folder).num_hidden_layers if tuned is None else tuned)


def _baseline(chosen: dict[str, Any], folder: Path) -> str | None:
    if chosen["baseline_path"]:
        return str(folder / chosen["baseline_path"])
    if not chosen["rescale_with_baseline"]:
        return None
    import bert_score

    tables = Path(bert_score.__file__).parent / "rescale_baseline"
    table = tables / chosen["lang"] / f"{_name(chosen, folder)}.tsv"
    if not table.is_file():
        raise FileNotFoundError(f"baseline_path: bert-score brings no {table.relative_to(tables)}")
    return str(table)


def _mend(tokenizer: Any, model: Any) -> None:
    """What bert-score expects of a tokenizer, and not every one has.

    It cuts texts at the length that the tokenizer says, which is without end where none was saved;
    and it asks for the tokens of an empty text by a method that left transformers with version 5.
    """
    positions = getattr(model, "max_position_embeddings", 514)
    if tokenizer.model_max_length > positions:
        tokenizer.model_max_length = positions - 2  # RoBERTa counts its positions from 2 on.
    if not hasattr(tokenizer, "build_inputs_with_special_tokens"):
        tokenizer.build_inputs_with_special_tokens = lambda _: tokenizer.encode("")
