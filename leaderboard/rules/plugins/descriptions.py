"""Translatable texts with the descriptions of the plugins that come with Podium.

Plugins know nothing of languages: their docstrings and settings are English, and so is the API.
Pages look a text up here, and show it in the language of the reader. A test compares these texts
with the plugins. Texts of other plugins are shown as they are.
"""

from __future__ import annotations

import re
from typing import Final

from leaderboard.rules.texts.messages import message

DESCRIPTIONS: Final = (
    message("Quality (0 to 100) × half_cost / (half_cost + cost)."),
    message("Success bonus + rating × weight − seconds × time penalty − tokens × token penalty."),
    message("Mean of the tasks' mean rewards: another name of mean_reward."),
    message("Number of samples that are lost, with a reward below 0.5."),
    message("Highest reward of all samples."),
    message("Mean reward of all samples: a task with more samples weighs more."),
    message("Mean of the tasks' mean rewards: every task weighs the same."),
    message("Median reward of all samples; the mean of the middle two where their number is even."),
    message("Lowest reward of all samples."),
    message("Share of tasks where any of the first {k} samples passes (reward ≥ 1).", k="K"),
    message(
        "Chance that any of {k} samples drawn from a task passes: mean of 1 − C(n−c, {k}) / "
        "C(n, {k}).",
        k="K",
    ),
    message("Share of tasks where all of the first {k} samples pass (reward ≥ 1).", k="K"),
    message(
        "Chance that all of {k} samples drawn from a task pass: mean of C(c, {k}) / C(n, {k}).",
        k="K",
    ),
    message("Share of all samples that pass (reward ≥ 1)."),
    message("Reward that {k} % of all samples do not exceed: the quantile {k} / 100.", k="K"),
    message("Standard deviation of the rewards of all samples, with n − 1 in the denominator."),
    message("Sum of the rewards of all samples."),
    message("Number of samples that are tied, with a reward of exactly 0.5."),
    message("Mean of the tasks' mean rewards, weighted by the weights of the tasks."),
    message("Number of samples that are won, with a reward above 0.5."),
    message("BERTScore: how similar the words of output and reference are in a language model."),
    message("BERTScore in which rare words of the references have more weight."),
    message(
        "BLEU by NLTK: n-grams that output and reference share, times a penalty for short outputs.",
    ),
    message("chrF by sacrebleu: F-score of the character n-grams that output and reference share."),
    message(
        "Characters to insert, delete or replace until the output is its reference (Levenshtein).",
    ),
    message("Share of outputs that are one of their references, letter for letter."),
    message("F1 of the words that output and reference share, in any order, as in SQuAD."),
    message("Words of the output for each word of the reference that is closest to it in length."),
    message("ROUGE by rouge-score: words and sequences that output and reference share, as F1."),
    message(
        "BLEU by sacrebleu: n-grams that output and references share, over all instances together.",
    ),
)
"""The first paragraph of each plugin. {k}: the number in the name of a metric such as `pass@K`."""
OF_ONE_SAMPLE: Final = (
    message("Share of tasks where the first sample passes (reward ≥ 1)."),
    message(
        "Chance that a sample drawn from a task passes: mean of 1 − C(n−c, {k}) / C(n, {k}).", k="1"
    ),
    message("Chance that a sample drawn from a task passes: mean of C(c, {k}) / C(n, {k}).", k="1"),
    message("tasks with at least 1 sample"),
)
"""The texts of metrics such as `pass@1`."""
SETTINGS: Final = (
    message("Points for an attempt that succeeded"),
    message("Points for each point of the rating (0 to 10)"),
    message("Points lost for each second; a negative number earns points"),
    message("Points lost for each token; a negative number earns points"),
    message(
        "The model's folder, as transformers saves one: its name in a folder of MODEL_PATH, "
        "or the whole path; null: the folder of model_type",
    ),
    message(
        "The model's published name, looked for in MODEL_PATH; also for num_layers and the "
        "baseline; null: the default model of lang",
    ),
    message("The layer to compare; null: the one tuned for model_type, else the last"),
    message("The language: en, zh…; says the default model and the baseline"),
    message("A table with the baseline of each layer, in the model's folder"),
    message("Stretch the range, so that unrelated texts are at about 0"),
    message("Weigh rare words higher, as BERTSCORE_IDF does"),
    message("Texts computed at a time, at most 4096"),
    message("Threads that compute, at most 64; null: as many as processors"),
    message("What computes: cpu, and with a warning in the place of any other"),
    message("Take the fast tokenizer, where the model has two"),
    message("Only false is computed here"),
    message("Print how far it is"),
    message("Weigh rare words higher"),
    message("The weight of each n-gram order, from 1 on"),
    message("A method of NLTK's SmoothingFunction; null: none"),
    message("With the default weights: give outputs of fewer than four tokens fewer orders"),
    message("best: the reference with the highest BLEU alone; union: all of them at once"),
    message("Split at white space, as sacrebleu does (13a), or by NLTK's word tokenizer"),
    message("The longest character n-grams"),
    message("The longest word n-grams; 2: chrF++"),
    message("How many times recall weighs precision"),
    message("Compare in lower case"),
    message("Let n-grams contain white space"),
    message("Smooth as chrF++.py does, instead of leaving out empty orders"),
    message(
        "n-grams (rouge1…rouge9), the longest common subsequence (rougeL), or that of each "
        "line (rougeLsum); the first is the metric's value",
    ),
    message("Take off English endings; with the tokenizer rouge only"),
    message(
        "rouge: words of a–z and 0–9, as published; unicode: words of any script, "
        "Chinese, Japanese and Thai by the character",
    ),
    message("Without effect: it silences a warning of sacrebleu that is not given here"),
    message("The tokenizer; null: 13a, or what trg_lang asks for"),
    message("How n-gram orders without a match are counted"),
    message("For floor (0.1 unless given) and add-k (1 unless given)"),
    message("The longest n-grams"),
    message("Leave out orders that the output is too short for, in the corpus BLEU as well"),
    message("The language of the output: zh picks tokenize zh"),
)
OTHERS: Final = (
    message("tasks"),
    message("all samples, pooled"),
    message("tasks with at least {k} samples", k="K"),
    message(
        "Several references: the best one counts, in the corpus BLEU as well. For NLTK's own "
        "value, the union of all references, set reference_mode to union.",
    ),
    message("Several references: all count at once, as NLTK's own union."),
)
"""What metrics are computed over, and notes on parameters."""

_EVERY: Final = (*DESCRIPTIONS, *OF_ONE_SAMPLE, *SETTINGS, *OTHERS)
_KNOWN: Final = {str(text): text for text in _EVERY}


def _with_any_number(template: str) -> re.Pattern[str]:
    """What the texts of a template look like, with the same number everywhere."""
    first, *others = map(re.escape, template.split("{k}"))
    return re.compile(f"{first}([0-9]+)" + r"\1".join(others))


_NUMBERED: Final = [
    (_with_any_number(template.template), template) for template in _EVERY if template.parameters
]


def known_text(text: str) -> str:
    """The text of a plugin as a Message if it is one of these; else unchanged."""
    if text in _KNOWN:
        return _KNOWN[text]
    for pattern, template in _NUMBERED:
        if match := pattern.fullmatch(text):
            return message(template.template, k=match[1])
    return text
