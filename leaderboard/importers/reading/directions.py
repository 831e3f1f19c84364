"""Which end of a number is the better one, as the label of its column says or suggests.

A label says it with an arrow or with words such as *lower is better*. Otherwise the last word with
a meaning decides, because it says what was measured: *toxicity* is better when it is low, the
*accuracy* of a *toxicity detection* when it is high. What follows `per`, `of` or a bracket only
describes it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from leaderboard.rules.sortkey import Direction

ARROWS: Final = re.compile(r"\s*[↑↓⬆⬇▲▼⇑⇓🔼🔽]\ufe0f?\s*")
_DOWN: Final = re.compile("[↓⬇▼⇓🔽]")
_LATEX: Final = re.compile(r"\\(up|down)arrow")
_LOW: Final = re.compile(
    r"\b(lower|less|smaller|fewer|kleiner|weniger|niedriger)\s+(is|the|ist)?\s*(better|besser)\b"
    r"|\b(minimi[sz]e|to minimi[sz]e)\b|[(\[]\s*min\.?\s*[)\]]"
    r"|\bnegative\s+log\b"
)
_HIGH: Final = re.compile(
    r"\b(higher|more|larger|bigger|greater|höher|mehr|größer)\s+(is|the|ist)?\s*(better|besser)\b"
    r"|\b(maximi[sz]e|to maximi[sz]e)\b|[(\[]\s*max\.?\s*[)\]]"
)
_PART: Final = re.compile(
    r"[(\[{:,;|]|(?<=\w)\s+(?:per|by|of|on|at|in|for|over|under|pro|je|von|bei)\b",
    re.IGNORECASE,
)
_SPEED: Final = re.compile(
    r"(\bper\s+|/\s*)(s|sec|secs|second|seconds|min|minute|h|hour|day|dollar|usd|watt|joule)\b"
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2,})")
_WORD: Final = re.compile(r"[^\W_]+")
_FREE: Final = re.compile(r"\bnon[\s_-]|\bno\s|\bwithout\s|\bun(?=bias|toxic)|\b1\s*[-−–]\s*")


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


LOW: Final = _words(
    """
    loss losses error errors err mistake mistakes perplexity ppl nll entropy crossentropy logloss
    brier regret penalty penalties distance distances divergence deviation variance std stdev
    residual residuals distortion gap difference disparity drop degradation decline forgetting
    overfitting drift latency delay duration runtime time times ttft tpot rtf seconds minutes hours
    cost costs price prices spend spending expense expenses fee fees energy electricity emission
    emissions carbon co2 co2e co2eq footprint memory vram ram flops gflops tflops macs tokens bits
    overhead slowdown
    hallucination hallucinations hallucinated confabulation confabulations misinformation toxicity
    toxic harm harms harmful harmfulness unsafe bias biases stereotype stereotypes sycophancy
    deception leakage leak leaks memorization memorisation contamination violation violations
    infraction infractions breach breaches jailbreak jailbreaks jailbroken vulnerability
    vulnerabilities exploit exploits risk risks
    timeout timeouts failure failures failed fail fails crash crashes crashed exception exceptions
    collision collisions accident accidents incident incidents intervention interventions
    disengagement disengagements bug bugs defect defects fault faults invalid malformed unparsed
    unparseable unanswered incomplete missing missed miss misses false wrong incorrect unsolved
    unresolved insertions deletions substitutions retries rework complaints churn
    wer cer mser eer dcf mindcf ece mce ace tce smece acer apcer bpcer fpr fnr fdr fnir fpir frr
    mae mse rmse nrmse rmsse rmsle msle mape smape wape mase mdape mre medae medape rse rae nmse
    nmae mpjpe crps wql pinball quantileloss fid sfid kid fvd fad lpips dists niqe brisque piqe
    mcd wil bpb bpc bpd emd wasserstein mmd hausdorff hd95 assd asd chamfer epe minade minfde ade
    fde levenshtein asr elapsed rank ranking position place placing
    fehler fehlerrate kosten preis zeit dauer laufzeit verlust strafe strafpunkte halluzination
    halluzinationen halluzinationsrate emissionen verstöße abstand abweichung ausfälle
    coût coûts erreur erreurs durée temps perte pertes coste costo costes errores tiempo pérdida
    """
)
"""Words of numbers of which less is better."""
LOW_CAPITALS: Final = _words("PER TER DER MER SER FAR ATE HD KID ACE ADE FDE WIL ASD ECE TCE")
"""Abbreviations that are also words or names; they count in capitals only."""
HIGH: Final = _words(
    """
    accuracy acc accuracies f f1 f2 fscore fmeasure f1score precision recall sensitivity specificity
    auc auroc auprc aucpr roc ap map mrr ndcg hits bleu chrf rouge meteor comet bertscore em exact
    match matches score scores win wins won winrate success successes successful solved resolved
    passed pass passes correct correctness right reward rewards return returns points point elo
    rating psnr ssim mos pesq stoi iou miou dice jaccard kappa mcc correlation pearson spearman
    kendall detection detected correction corrected reduction reduced savings saving saved
    efficiency resistance robustness robust avoidance avoided prevention prevented mitigation
    mitigated recovery recovered refused free tolerance awareness throughput speed speedup tps qps
    fps coverage quality uptime improvement gain gains genauigkeit treffer punkte precisión
    """
)
"""Words of numbers of which more is better, where another word of the label would say less."""
_ATTACKS: Final = _words(
    "attack attacks attacker adversarial adversary jailbreak jailbreaking injection injections "
    "evasion bypass exploit backdoor poisoning trojan inversion extraction phishing angriff"
)
_AMOUNTS: Final = _words("tokens flops gflops tflops bits")
"""Less of them is cheaper, but more of them in a second is faster."""
_SCORES: Final = _words("score scores rating points point")
"""Words that leave it to the word before them: a *Brier score*, a *toxicity rating*."""


def has_arrow(label: str) -> bool:
    """Whether a label says with an arrow which end is the better one."""
    return bool(ARROWS.search(label) or _LATEX.search(label))


def without_arrows(label: str) -> str:
    """A label as boards show it."""
    return ARROWS.sub(" ", _LATEX.sub(" ", label)).strip() or label


def direction_of(label: str) -> Direction:
    """The better end of the numbers under a label; the higher one if nothing says otherwise."""
    text = unicodedata.normalize("NFKC", label)
    if has_arrow(text):
        down = _DOWN.search(text) or r"\downarrow" in text
        return "asc" if down else "desc"
    lower = text.casefold()
    if _LOW.search(lower):
        return "asc"
    if _HIGH.search(lower):
        return "desc"
    return _by_words(text)


def _by_words(label: str) -> Direction:
    label = _CAMEL.sub(" ", label).replace("_", " ").strip()
    for part in _parts(label):
        words = _WORD.findall(part)
        if (low := _is_low(words)) is None:
            continue
        if not low:
            return "desc"
        is_speed = not _AMOUNTS.isdisjoint(map(str.casefold, words))
        freed = _FREE.search(part.casefold())
        return "desc" if freed or (is_speed and _SPEED.search(label.casefold())) else "asc"
    return "desc"


def _parts(label: str) -> Iterator[str]:
    """The parts of a label, the most telling one first: what is measured, then of or per what."""
    start = 0
    for match in _PART.finditer(label):
        if label[start : match.start()].strip():
            yield label[start : match.start()]
        start = match.end()
    yield label[start:]


def _is_small(written: str, word: str, *, alone: bool) -> bool:
    """Whether a word is one of those of which less is better."""
    is_name = not alone and written.upper() in LOW_CAPITALS
    return written in LOW_CAPITALS or (word in LOW and not is_name)


def _listed_word(word: str) -> str:
    """A word as the lists have it, which may be without its number: `FPR95`, `hd95`, `CO2`."""
    whole = word.casefold()
    return whole if whole in LOW or whole in HIGH else whole.rstrip("0123456789")


def _is_low(words: Sequence[str]) -> bool | None:
    """Whether less of it is better, by the last word with a meaning; None if no word has one."""
    scored = False
    for at in range(len(words) - 1, -1, -1):
        word = _listed_word(words[at])
        before = {word.casefold() for word in words[:at]}
        if word in _SCORES:
            scored = True
        elif word in ("success", "successful", "successes") and before & _ATTACKS:
            return True
        elif word in HIGH or (word in ("loss", "losses") and before & {"win", "wins"}):
            return False
        elif _is_small(words[at], word, alone=len(words) == 1):
            return True
    return False if scored else None
