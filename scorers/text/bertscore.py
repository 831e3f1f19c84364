"""BERTScore, as the package bert-score computes it, with a model from a local folder."""

import os
from collections.abc import Sequence
from functools import lru_cache
from math import isfinite
from pathlib import Path
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field

from scorers.protocol import Instance, Parameters, TextResult, Unmeasurable
from scorers.text._plain import mean

NEEDS = ("bert_score", "torch", "transformers")
CPU = "cpu"
MOST_THREADS = 64
LARGEST_BATCH = 4096
NAMES = ("f1", "precision", "recall")
"""The numbers of a score, of which the first is the metric's value, as papers report it."""
BERT_SCORE_ORDER = ("precision", "recall", "f1")
"""The same in bert-score's order."""


class BertScoreConfig(BaseModel):
    """The parameters of bert-score, as Hugging Face's evaluate names them, and `model_path`.

    A value of the right type that cannot be used on this server only makes the metric fail.
    """

    model_config = ConfigDict(extra="forbid", strict=True, frozen=True, protected_namespaces=())

    model_path: str | None = Field(
        default=None,
        description="The model's folder, as transformers saves one: its name in a folder of "
        "MODEL_PATH, or the whole path; null: the folder of model_type",
    )
    model_type: str | None = Field(
        default=None,
        description="The model's published name, looked for in MODEL_PATH; also for num_layers "
        "and the baseline; null: the default model of lang",
    )
    num_layers: int | None = Field(
        default=None,
        ge=0,
        description="The layer to compare; null: the one tuned for model_type, else the last",
    )
    lang: str | None = Field(
        default=None,
        max_length=40,
        description="The language: en, zh…; says the default model and the baseline",
    )
    baseline_path: str | None = Field(
        default=None, description="A table with the baseline of each layer, in the model's folder"
    )
    rescale_with_baseline: bool = Field(
        default=False, description="Stretch the range, so that unrelated texts are at about 0"
    )
    idf: bool | dict[str, float] = Field(
        default=False, description="Weigh rare words higher, as BERTSCORE_IDF does"
    )
    batch_size: int = Field(default=64, ge=1, description="Texts computed at a time, at most 4096")
    nthreads: int | None = Field(
        default=None,
        ge=0,
        description="Threads that compute, at most 64; null: as many as processors",
    )
    device: str | None = Field(
        default="cpu",
        max_length=40,
        description="What computes: cpu, and with a warning in the place of any other",
    )
    use_fast_tokenizer: bool = Field(
        default=False, description="Take the fast tokenizer, where the model has two"
    )
    all_layers: bool = Field(default=False, description="Only false is computed here")
    verbose: bool = Field(default=False, description="Print how far it is")


class BertScoreIdfConfig(BertScoreConfig):
    """The parameters of BERTSCORE, but idf cannot be turned off."""

    idf: Literal[True] = Field(default=True, description="Weigh rare words higher")


class BertScore:
    """BERTScore: how similar the words of output and reference are in a language model.

    P is the mean, over the words of the output, of the highest cosine similarity to a word of the
    reference; R is the same in the other direction; F1 = 2 · P · R / (P + R). At most 1, seldom
    below 0 unless rescaled; an empty text scores 0 before rescaling. The best of several references
    counts for each number, then the mean over instances.

    The model is a folder on the server below MODEL_PATH: `model_path`, else that of `model_type`,
    else that of the default model of `lang`. Nothing is downloaded. Texts are cut at the length of
    the model's input, often at 512 tokens. With `idf` it is the metric BERTSCORE_IDF.
    """

    id: ClassVar[str] = "BERTSCORE"
    averaged: ClassVar[bool] = True
    parallel: ClassVar[bool] = False  # one model in memory, whose threads use all processors
    needs: ClassVar[tuple[str, ...]] = NEEDS
    install: ClassVar[str] = "python -m pip install bert-score torch transformers"
    variants: ClassVar[dict[str, str]] = {"idf": "BERTSCORE_IDF"}
    Config: ClassVar[type[BertScoreConfig]] = BertScoreConfig

    def evaluate(self, instances: Sequence[Instance], parameters: Parameters) -> TextResult:
        _check(parameters)
        scorer = _loaded(tuple(parameters.items()))
        references = [list(instance.references) for instance in instances]
        if parameters["idf"]:
            scorer.compute_idf([text for texts in references for text in texts])
        columns = scorer.score(
            [instance.output for instance in instances],
            references,
            verbose=parameters["verbose"],
            batch_size=min(parameters["batch_size"], LARGEST_BATCH),
        )
        rows = zip(*(column.tolist() for column in columns), strict=True)
        results: list[dict[str, float | None] | None] = [
            _by_name(dict(zip(BERT_SCORE_ORDER, row, strict=True)))
            if all(map(isfinite, row))
            else None
            for row in rows
        ]
        defined = [result for result in results if result is not None]
        score: dict[str, float | str | None] = {
            name: mean([value for result in defined if (value := result[name]) is not None])
            for name in NAMES
        }
        if warning := _device_warning(parameters["device"]):
            score["warning"] = warning
        return {"score": score, "results": results, "warnings": {0: warning} if warning else {}}


def _by_name(numbers: dict[str, float]) -> dict[str, float | None]:
    return {name: numbers[name] for name in NAMES}


class BertScoreIdf(BertScore):
    """BERTScore in which rare words of the references have more weight.

    As BERTSCORE, with means weighted by idf(word) = log((n + 1) / (k + 1)), where k of the n
    references have the word. It is computed over all instances at once, as the weights depend on
    all references. If every word of an instance is in every reference, all weights are 0 and the
    metric is undefined for the instance.
    """

    id: ClassVar[str] = "BERTSCORE_IDF"
    averaged: ClassVar[bool] = False
    Config: ClassVar[type[BertScoreConfig]] = BertScoreIdfConfig


def _check(parameters: Parameters) -> None:
    """Raises Unmeasurable for a value of a parameter that is not supported here."""
    if parameters["all_layers"]:
        raise Unmeasurable("all_layers: only false is computed here; got true")
    if not isinstance(parameters["idf"], bool):
        raise Unmeasurable("idf: true or false; got an object of weights")


def _device_warning(device: str | None) -> str:
    """A warning if another device is used than the requested one, else ""."""
    if device in (None, CPU):
        return ""
    return f"device: computed on the CPU, as {device!r} cannot be used here"


@lru_cache(maxsize=1)
def _loaded(parameters: tuple[tuple[str, Any], ...]) -> Any:
    """bert-score with its model in memory, for one block after another."""
    os.environ |= {"HF_HUB_OFFLINE": "1", "TRANSFORMERS_OFFLINE": "1"}
    import torch
    from bert_score import BERTScorer
    from transformers.utils import logging

    chosen = dict(parameters)
    name, folder = _model(chosen)
    logging.disable_progress_bar()
    torch.set_num_threads(min(chosen["nthreads"] or os.cpu_count() or 1, MOST_THREADS))
    scorer = BERTScorer(
        model_type=str(folder),
        num_layers=_layer(chosen["num_layers"], name, folder),
        batch_size=min(chosen["batch_size"], LARGEST_BATCH),
        nthreads=0,  # the number of processes that count words; a plugin cannot start any
        idf=chosen["idf"],
        device=CPU,
        lang=chosen["lang"] or "",
        rescale_with_baseline=chosen["rescale_with_baseline"],
        baseline_path=_baseline(chosen, name, folder),
        use_fast_tokenizer=chosen["use_fast_tokenizer"],
    )
    _complete(scorer._tokenizer, scorer._model.config)
    return scorer


def _model(chosen: Parameters) -> tuple[str, Path]:
    """The model's published name and its folder. Raises Unmeasurable."""
    if path := chosen["model_path"]:
        if not _is_model(Path(path)):
            raise Unmeasurable("model_path: there is no model that can be read in this folder")
        folder = Path(path).resolve()
        return str(chosen["model_type"] or folder.name), folder
    name = chosen["model_type"] or _default_model(chosen["lang"])
    for models in filter(None, os.environ.get("MODEL_PATH", "").split(os.pathsep)):
        for folder_name in dict.fromkeys([name, name.rpartition("/")[2]]):
            folder = Path(os.path.normpath(Path(models, folder_name)))
            if folder.is_relative_to(os.path.normpath(models)) and _is_model(folder):
                return name, folder.resolve()
    parameter = "model_type" if chosen["model_type"] else "lang"
    raise Unmeasurable(f"{parameter}: the model {name[:200]} is not among those below MODEL_PATH")


def _default_model(lang: str | None) -> str:
    from bert_score.utils import lang2model

    if not lang:
        raise Unmeasurable("model_type: give it or lang, which say what model computes")
    return str(lang2model[lang.lower()])


def _is_model(folder: Path) -> bool:
    try:
        return (folder / "config.json").is_file()
    except (OSError, ValueError):
        return False


def _layer(number: int | None, name: str, folder: Path) -> int:
    from bert_score.utils import model2layers
    from transformers import AutoConfig

    if number is None and name in model2layers:
        return int(model2layers[name])
    last = int(AutoConfig.from_pretrained(folder).num_hidden_layers)
    if number is not None and number > last:
        raise Unmeasurable(f"num_layers: 0 to {last} for this model; got {number}")
    return last if number is None else number


def _baseline(chosen: Parameters, name: str, folder: Path) -> str | None:
    """The table for rescaling, from the model's folder or bert-score. Raises Unmeasurable."""
    if chosen["baseline_path"]:
        table = Path(os.path.normpath(folder / chosen["baseline_path"]))
        if not table.is_relative_to(folder) or not table.is_file():
            raise Unmeasurable("baseline_path: the path of a table in the model's folder")
        return str(table)
    if not chosen["rescale_with_baseline"]:
        return None
    if not chosen["lang"]:
        raise Unmeasurable("rescale_with_baseline: needs lang or baseline_path as well")
    import bert_score

    tables = Path(bert_score.__file__).parent / "rescale_baseline"
    table = Path(os.path.normpath(tables / chosen["lang"].lower() / f"{name}.tsv"))
    if not table.is_relative_to(tables) or not table.is_file():
        text = f"baseline_path: bert-score has no baseline of {name[:200]} for this lang"
        raise Unmeasurable(text)
    return str(table)


def _complete(tokenizer: Any, model: Any) -> None:
    """Add to a tokenizer what bert-score expects and not every tokenizer has.

    bert-score cuts texts at the tokenizer's length, which is unlimited if none was saved. It gets
    the tokens of an empty text by a method that transformers removed in version 5.
    """
    positions = getattr(model, "max_position_embeddings", 514)
    if tokenizer.model_max_length > positions:
        tokenizer.model_max_length = positions - 2  # RoBERTa's positions begin at 2
    if not hasattr(tokenizer, "build_inputs_with_special_tokens"):
        tokenizer.build_inputs_with_special_tokens = lambda _: tokenizer.encode("")
