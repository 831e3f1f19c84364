"""The modules of the plugins that come with Podium. Others in their folders are of strangers."""

from __future__ import annotations

from typing import Final

SHIPPED_SCORERS: Final = ("scorers.efficiency", "scorers.weighted")
SHIPPED_TEXT_METRICS: Final = (
    "scorers.text.bertscore",
    "scorers.text.bleu_nltk",
    "scorers.text.chrf",
    "scorers.text.edit_distance",
    "scorers.text.exact_match",
    "scorers.text.f1",
    "scorers.text.length_ratio",
    "scorers.text.rouge",
    "scorers.text.sacrebleu_bleu",
)
