"""A language model of some megabytes with random weights: it measures speed, its output is
noise."""

from __future__ import annotations

from pathlib import Path

from benchmarks.parts.texts import vocabulary

MODEL = "bench-bert"
LAYERS = 4


def save_model(folder: Path) -> None:
    """Save a BERT whose vocabulary is the words of the benchmark's texts, readable by every
    user."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", ".", ",", *vocabulary()]
    torch.manual_seed(1)
    config = BertConfig(
        vocab_size=len(words),
        hidden_size=128,
        num_hidden_layers=LAYERS,
        num_attention_heads=2,
        intermediate_size=512,
    )
    BertModel(config).save_pretrained(folder)
    numbered = {word: at for at, word in enumerate(words)}
    BertTokenizer(vocab=numbered, model_max_length=512).save_pretrained(folder)
    for file in folder.iterdir():
        file.chmod(0o644)
