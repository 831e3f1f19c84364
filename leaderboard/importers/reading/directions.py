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
    r"|\b(minimi[sz]e|to minimi[sz]e)\b"
    r"|\bneg(ative|\.)?\s+log\b|\b(abs|sq)\s*rel\b|\bedit\s+dist\b|\bdist\.?\s*(?=$|[(\[])"
    r"|\bself-?bleu\b|^\s*([%#]\s*)?illegal\b"
    r"|^((avg\.?|average|mean|median|total)\s+)?(tour|path|route)\s+length\b"
)
_HIGH: Final = re.compile(
    r"\b(survival|stay|flight|play|in|on)[\s_-]*time\b|\btime[\s_-]+(horizon|to[\s_-]+failure)"
    r"|\bbetween\s+failures?\b|\bexplained\s+var|\bmemory\s+(score|rating|points)\b"
    r"|\b(bugs?|defects?|exploits?|vulnerabilit(y|ies))\s+(found|fixed|fixes|caught|patched)\b"
    r"|\b(higher|more|larger|bigger|greater|höher|mehr|größer)\s+(is|the|ist)?\s*(better|besser)\b"
    r"|\b(maximi[sz]e|to maximi[sz]e)\b"
)
_PART: Final = re.compile(
    r"[(\[{:,;|]|(?<=\w)\s+(?:per|by|of|on|at|in|for|over|under|pro|je|von|bei)\b",
    re.IGNORECASE,
)
_SPEED: Final = re.compile(
    r"(\bper\s+|/\s*)((s|sec|secs|second|seconds|min|minute|h|hour|day|dollar|usd|watt|joule)\b|[$€£])"
)
_UNITS: Final = (
    r"ms|µs|ns|s|secs?|sek|h|hrs?|[km]?wh|j|joules?|kj|w|watts?|usd|eur|gb|gib|mb|mib|kb|kib|[$€£]"
)
_IN_UNIT: Final = re.compile(
    rf"(^|[(\[,_]\s*|\sin\s+)({_UNITS})\.?\s*([)\]]|$)|^({_UNITS})\s*(/|\s(per|pro|je|p\.))"
)
"""Numbers in a unit of time, energy, money or memory are costs, if no word says what they are."""
_MIN: Final = re.compile(r"[(\[]\s*min\.?\s*[)\]]")
"""To be minimised or in minutes, if no word says what has a minimum."""
_BENCHMARK: Final = re.compile(r"\b[^\W_]+-?Bench\b|\bWinoBias\b")
"""Names of benchmarks, whose words say nothing of their numbers: *LatencyBench*."""
_REFUSED: Final = re.compile(r"refus|reject|ablehn")
_OF_HARM: Final = re.compile(
    r"\b(harmful|unsafe|malicious|toxic|attacks?|jailbreaks?|dangerous|adversarial|schädlich\w*"
    r"|gefährlich\w*|bösartig\w*)\b"
)
_CAMEL: Final = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z]{2,})")
_WORD: Final = re.compile(r"[^\W_]+")
_FREE: Final = re.compile(
    r"\bnon[\s_-]|\bzero[\s_-](?=errors?\b|faults?\b|defects?\b)|\bnot?\s|\bwithout\s|\bun(?=bias|toxic)|\b1\s*[-−–]\s*"
)


def _words(text: str) -> frozenset[str]:
    return frozenset(text.casefold().split())


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
    jer wder cpwer tcpwer absrel sqrel silog ergas ned ged medr mnr perpl maxerr xrt itl diff
    makespan hallu hallus halluc chair chairs refusal refusals overrefusal unfaithfulness
    unfaithful unhelpful untruthful unsupported ungrounded unnecessary redundant redundancy
    duplicate
    duplicates repetition repetitions verbosity inconsistency inconsistencies flip flips turns calls
    tries breaks skipped undefined disk rss consumption usage power clock dur oom gpuh hrs billing
    nlpd kld jsd hter chairi cllr cavg dtw sd iqr igd alerts jitter downtime staleness uncertainty
    undetected leaked pii tle
    mcd wil bpb bpc bpd emd wasserstein mmd hausdorff hd95 assd asd chamfer epe minade minfde ade
    fde levenshtein asr elapsed rank ranking position place placing
    fehler fehlerrate kosten preis zeit dauer laufzeit verlust strafe strafpunkte halluzination
    halluzinationen halluzinationsrate emissionen verstöße abstand abweichung ausfälle
    verzögerung latenz abbrüche toxizität perplexität energie speicher strom thg sekunden minuten
    stunden rang platz ablehnungen ablehnungsrate
    coût coûts erreur erreurs durée temps perte pertes coste costo costes errores tiempo pérdida
    erro erros custo latência énergie fouten
    """
)
"""Words of numbers of which less is better."""
_GERMAN_LOW: Final = re.compile(
    r"(fehler|halluz|ablehn|abbruch|abbrüch|ausfall|ausfäll|verstoss|verstöss|zeitüberschreit)\w*"
    r"|\w*(zeit|dauer|kosten|verbrauch|bedarf|verlust|abweichung|latenz|ausstoss|emissionen|stunden"
    r"|fehler|fehlerrate|fehlerquote)"
)
_GERMAN_HIGH: Final = re.compile(
    r"\w+(erkennung|korrektur|behebung|freiheit|frei|reduktion|ersparnis|effizienz|resistenz"
    r"|robustheit|sicherheit|toleranz|genauigkeit|(?<!fehler)punkte)|echtzeit|überlebenszeit"
)
"""Compounds, of which German has more than a list can hold: *Rechenzeit*, *Fehlererkennung*."""
LOW_CAPITALS: Final = frozenset(
    word.upper()
    for word in _words("per ter der mer ser far ate hd kid ace ade fde wil asd ece tce kl fn fp")
)
"""Abbreviations that are also words or names; they count in capitals only."""
HIGH: Final = _words(
    """
    accuracy acc accuracies f f1 f2 fscore fmeasure f1score precision recall sensitivity specificity
    auc auroc auprc aucpr roc ap map mrr ndcg hits bleu chrf rouge meteor comet bertscore em exact
    match matches score scores win wins won winrate success successes successful solved resolved
    passed pass passes correct correctness right reward rewards return returns points point elo
    rating psnr ssim mos pesq stoi iou miou dice jaccard kappa mcc correlation pearson spearman
    kendall detection detected correction corrected reduction reduced savings saving saved
    efficiency effectiveness resistance robustness robust avoidance avoided prevention prevented
    mitigation mitigated recovery recovered refused free tolerance awareness throughput speed
    speedup tps qps fps coverage quality uptime improvement gain gains aware fixed
    profit profits revenue income earnings balance worth money sales life lifetime survival horizon
    mtbf gewinn umsatz ertrag genauigkeit treffer punkte precisión
    """
)
"""Words of numbers of which more is better, where another word of the label would say less."""
_KNOWN: Final = LOW | HIGH
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
    if _HIGH.search(lower):
        return "desc"
    if _LOW.search(lower):
        return "asc"
    if _REFUSED.search(lower) and _OF_HARM.search(lower):
        return "desc"
    return _by_words(text)


def _by_words(label: str) -> Direction:
    named = _BENCHMARK.sub(" ", label.replace("_", " "))
    written, label = label, _WORD.sub(_apart, named).strip()
    for part in _parts(label):
        words = _WORD.findall(part)
        if (low := _is_low(words)) is None:
            continue
        if not low:
            return "desc"
        is_speed = not _AMOUNTS.isdisjoint(map(str.casefold, words))
        freed = _FREE.search(part.casefold())
        return "desc" if freed or (is_speed and _SPEED.search(label.casefold())) else "asc"
    lower = written.casefold().strip()
    return "asc" if _IN_UNIT.search(lower) or _MIN.search(lower) else "desc"


def _apart(match: re.Match[str]) -> str:
    """A word whose parts begin with capitals, in its parts, unless it is known as it is: `wQL`."""
    word = match[0]
    return word if word.casefold() in _KNOWN else _CAMEL.sub(" ", word)


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
    if whole in LOW or whole in HIGH:
        return whole
    if _GERMAN_HIGH.fullmatch(whole):
        return "genauigkeit"
    return "fehler" if _GERMAN_LOW.fullmatch(whole) else whole.rstrip("0123456789")


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
