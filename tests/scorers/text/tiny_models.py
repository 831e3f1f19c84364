"""Language models of a few kilobytes with random weights, the same in every run."""

from pathlib import Path

SPECIAL = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"]
WORDS = [*SPECIAL, "the", "a", "cat", "dog", "sat", "on", "mat", "good", "morning", "to", "##s"]
SIZES = {"hidden_size": 32, "num_attention_heads": 2, "intermediate_size": 64}


def tiny_bert(folder: Path) -> Path:
    """Save a BERT of three layers that knows a few words."""
    import torch
    from transformers import BertConfig, BertModel, BertTokenizer

    torch.manual_seed(20)
    config = BertConfig(
        vocab_size=len(WORDS), num_hidden_layers=3, max_position_embeddings=64, **SIZES
    )
    BertModel(config).save_pretrained(folder)
    vocabulary = {word: at for at, word in enumerate(WORDS)}
    BertTokenizer(vocab=vocabulary, model_max_length=64).save_pretrained(folder)
    return _open(folder)


def tiny_roberta(folder: Path) -> Path:
    """Save a RoBERTa of two layers whose tokenizer sets no maximum length."""
    import torch
    from transformers import RobertaConfig, RobertaModel, RobertaTokenizer

    special = ["<s>", "<pad>", "</s>", "<unk>", "<mask>"]
    tokens = [*special, *(chr(code) for code in range(33, 127)), "Ġ"]
    torch.manual_seed(20)
    config = RobertaConfig(
        vocab_size=len(tokens), num_hidden_layers=2, max_position_embeddings=66, **SIZES
    )
    RobertaModel(config).save_pretrained(folder)
    vocabulary = {token: at for at, token in enumerate(tokens)}
    RobertaTokenizer(vocab=vocabulary, merges=[]).save_pretrained(folder)
    return _open(folder)


def _open(folder: Path) -> Path:
    """Let the plugins' user read the folder."""
    for file in folder.iterdir():
        file.chmod(0o644)
    return folder
