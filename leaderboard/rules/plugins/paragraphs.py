"""The further paragraphs of the plugins that come with Podium, as texts that can be translated.

The first ones are in `plugin_texts`. Markdown, each on one line.
"""

from __future__ import annotations

from typing import Final

from leaderboard.rules.texts.messages import Message, message

PARAGRAPHS: Final = (
    message(
        "Quality is ten times the rating; without a rating, success alone is worth 100. An "
        "attempt that did not succeed scores 0.",
    ),
    message(
        "The score falls smoothly with the cost: without a cost all of the quality counts, at"
        " `half_cost_usd` half of it, at three times that a quarter. So the first cents saved"
        " matter most, no cost makes a score negative, and there is no limit from which an "
        "attempt is worthless. An attempt with unknown cost scores 0.",
    ),
    message(
        "Only attempts that succeeded get the bonus. A fact that is missing or null counts 0.",
    ),
    message(
        "The sum may be negative: the host counts a negative score as 0 and keeps the sum, so"
        " that the page can show it. Clamping here would hide it.",
    ),
    message(
        "Pairwise judges give 1 for a win, 0.5 for a tie and 0 for a loss, or the probability"
        " of a win.",
    ),
    message(
        "A task with fewer than K samples is judged by those it has.",
    ),
    message(
        "n samples of the task, c of which pass. Tasks with fewer than K samples are left out.",
    ),
    message(
        "Between two samples it is on the straight line from one to the other, as in numpy "
        "and in spreadsheets (type 7 of Hyndman and Fan 1996).",
    ),
    message(
        "Fewer than two samples have none.",
    ),
    message(
        "A task without a declared weight has the weight 1. It is the sum of weight times "
        "mean, divided by the sum of the weights of the tasks that have a sample.",
    ),
    message(
        "P is the mean, over the words of the output, of the highest cosine similarity to a "
        "word of the reference; R is the same in the other direction; F1 = 2 · P · R / (P + "
        "R). At most 1, seldom below 0 unless rescaled; an empty text scores 0 before "
        "rescaling. The best of several references counts for each number, then the mean over"
        " instances.",
    ),
    message(
        "The model is a folder on the server below MODEL_PATH: `model_path`, else that of "
        "`model_type`, else that of the default model of `lang`. Nothing is downloaded. Texts"
        " are cut at the length of the model's input, often at 512 tokens. With `idf` it is "
        "the metric BERTSCORE_IDF.",
    ),
    message(
        "As BERTSCORE, with means weighted by idf(word) = log((n + 1) / (k + 1)), where k of "
        "the n references have the word. It is computed over all instances at once, as the "
        "weights depend on all references. If every word of an instance is in every "
        "reference, all weights are 0 and the metric is undefined for the instance.",
    ),
    message(
        "BLEU = BP · exp(Σ wₙ · log pₙ), where pₙ is the share of the output's n-grams that "
        "the reference has too, and BP = min(1, exp(1 − reference length / output length)). "
        "From 0 to 1; the methods 5 and 7 can give more. `mean_of_sentence_bleu` is the mean "
        "over instances, `corpus_bleu` takes shares and lengths over all instances together.",
    ),
    message(
        "With several references, `reference_mode` best uses the one with the highest BLEU, "
        "in the corpus BLEU as well; union counts an n-gram if any of them has it, as NLTK "
        "itself does.",
    ),
    message(
        "Without smoothing, an output with no match of some order scores about zero. So does "
        "a perfect one of fewer than four tokens, which has no 4-grams: the log warns of "
        "these. The metric fails where NLTK fails, as method6 does for an output without a "
        "3-gram match.",
    ),
    message(
        "chrF = (1 + β²) · P · R / (β² · P + R), where P and R are means over the n-gram "
        "orders. From 0 to 100. With several references, the one with the highest chrF "
        "counts. `corpus_chrf` takes the matches over all instances together, "
        "`mean_of_sentence_chrf` is the mean over instances, `signature` says how it was "
        "computed.",
    ),
    message(
        "`edit_distance` counts them, from 0 up; `similarity` = 1 − distance / length of the "
        "longer text, from 0 to 1. With several references, the one with the smallest "
        "distance counts, and among these the longest; then the mean over instances.",
    ),
    message(
        "`ignore_case`, `ignore_punctuation` and `ignore_articles` (a, an, the) leave these "
        "out of account.",
    ),
    message(
        "1 for an instance whose output equals any of its references, else 0; the score is "
        "the mean.",
    ),
    message(
        "`ignore_case`, `ignore_punctuation` and `ignore_articles` (a, an, the) leave these "
        "out of account; with all three it is the exact match of SQuAD.",
    ),
    message(
        "The log warns of texts in scripts without spaces between words (Chinese, Japanese, "
        "Thai) that differ only in spaces or in the width of characters.",
    ),
    message(
        "F1 = 2 · P · R / (P + R), where P is the share of the output's words that the "
        "reference has and R the share of the reference's words that the output has; 1 if "
        "neither has any word. From 0 to 1: the best of several references counts, then the "
        "mean over instances.",
    ),
    message(
        "Words are separated by white space. `ignore_case`, `ignore_punctuation` and "
        "`ignore_articles` (a, an, the) leave these out of account; with all three it is the "
        "F1 of SQuAD.",
    ),
    message(
        "Chinese, Japanese, Thai and other scripts have no spaces between words; with "
        "`characters` their characters count one by one. Without it the log warns of such texts.",
    ),
    message(
        "length of the output / length of the reference, from 0 up: 1 is as long as expected.",
    ),
    message(
        "An empty output for an empty reference is as long as expected; any other one has no "
        "ratio to it. Texts in scripts without spaces between words (Chinese, Japanese, Thai) "
        "count as one word each, of which the log warns; with `characters` characters are "
        "counted.",
    ),
    message(
        "F1 = 2 · P · R / (P + R), where P is the share of the output's n-grams that the "
        "reference has and R the share of the reference's that the output has; rougeL takes "
        "the longest common subsequence of words instead. From 0 to 1: the best of several "
        "references counts for each type, then the mean over instances.",
    ),
    message(
        "The usual tokenizer knows only the letters a–z and splits words at all others; use "
        "`tokenizer` unicode for text in other scripts. The log warns if nothing was left to "
        "compare.",
    ),
    message(
        "`corpus_bleu` takes matches and lengths over all instances together; with several "
        "references an n-gram counts if any of them has it, and the length is that of the "
        "closest one. From 0 to 100. `mean_of_sentence_bleu` is the mean over instances, each"
        " measured with sacrebleu's effective order, so that short ones do not score 0. "
        "`signature` says how it was computed.",
    ),
)

_KNOWN: Final = {str(paragraph): paragraph for paragraph in PARAGRAPHS}


def known_paragraph(text: str) -> Message | None:
    """A paragraph of a built-in plugin; None if it is not one of these. Lines may end anywhere."""
    return _KNOWN.get(" ".join(text.split()))
