"""The demo's translations: a challenge with references, and the outputs of five systems."""

from __future__ import annotations

import random
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from leaderboard.rules.json.untyped_dicts import SentFields
from leaderboard.rules.rewards.documents import Document
from leaderboard.rules.rewards.instances import Instance

LANGUAGES = {"de": "German", "pt": "Portuguese", "ar": "Arabic"}
SYSTEMS = ("larch-3", "palimpsest", "juniper-flash", "moth-and-flame", "kestrel-8b")

NOTICES: SentFields = {
    "name": "Notices on the Quay",
    "slug": "notices-on-the-quay",
    "summary": "Twelve notices of a ferry company, in German, Portuguese and Arabic.",
    "description": (
        "A ferry company has twelve notices to put up, and its passengers read three languages."
        " Each notice is to be translated into each of them: 36 texts, every one held against what"
        " two translators wrote.\n\nSystems send their translations by id and nothing else. Where"
        " one sends none, it has *failed* on that text, which then counts as an empty one. The"
        " board goes by chrF, which looks at letters and so takes endings and right-to-left script"
        " as they come; BLEU and ROUGE look at words, and do not agree with it on everybody."
    ),
    "goal": "A passenger understands the notice and does not smile.",
    "scoring_strategy": "metric",
    "text_metrics": [
        "CHRF",
        {
            "id": "BLEU_NLTK",
            "parameters": {"smoothing_function": "method1", "tokenizer": "13a"},
        },
        {"id": "ROUGE", "parameters": {"types": ["rougeL"], "tokenizer": "unicode"}},
        "EDIT_DISTANCE",
    ],
    "references_visibility": "public",
    "votes_from": "accounts",
    "max_outputs": 2,
    "rank_by": [{"key": "CHRF", "direction": "desc"}],
    "columns": [
        {"key": "CHRF", "label": "chrF", "decimals": 1},
        {"key": "BLEU_NLTK", "label": "BLEU, mean", "decimals": 3},
        {"key": "BLEU_NLTK:corpus_bleu", "label": "BLEU", "decimals": 3},
        {"key": "ROUGE", "label": "ROUGE-L", "decimals": 3},
        {"key": "EDIT_DISTANCE", "label": "Edits", "decimals": 1},
        {"key": "EDIT_DISTANCE:similarity", "label": "Similarity", "decimals": 3},
    ],
}

LIBRARIES: Final = ("nltk", "sacrebleu", "rouge_score")
"""What the text metrics above need, beside EDIT_DISTANCE; the extra `text` installs them."""
ALWAYS: Final = "EDIT_DISTANCE"

VOTES: Final = 400
VOTERS: Final = 30

NoticeText = str | list[str]


def demo_votes(dice: random.Random) -> list[dict[str, str]]:
    """Votes of passengers about pairs of translations; earlier systems are preferred more often."""
    votes = []
    for at in range(VOTES):
        first, second = dice.sample(range(len(SYSTEMS)), 2)
        chances = [1.6 + second - first, 1.2, 1.6 + first - second]
        winner = dice.choices(("first", "tie", "second"), [max(chance, 0.4) for chance in chances])[
            0
        ]
        names = {"first": SYSTEMS[first], "second": SYSTEMS[second], "winner": winner}
        votes.append({**names, "voter": f"passenger-{at % VOTERS}"})
    return votes


def libraries_are_missing() -> bool:
    return any(find_spec(name) is None for name in LIBRARIES)


def notices_fields() -> SentFields:
    """The challenge, with the text metrics for which everything is installed."""
    if not libraries_are_missing():
        return NOTICES
    paragraphs = str(NOTICES["description"]).rpartition(" The board goes by chrF")
    return {
        **NOTICES,
        "description": f"{paragraphs[0]} The board goes by the letters that somebody would change.",
        "text_metrics": [ALWAYS],
        "rank_by": [{"key": ALWAYS, "direction": "asc"}],
        "columns": [column for column in NOTICES["columns"] if column["key"].startswith(ALWAYS)],
    }


def notices() -> Document:
    """The challenge's references: an instance for each notice and language."""
    return Document([_asked(*text) for text in _texts()], [], {})


def translations(system: str) -> list[Instance]:
    """The outputs of a system: an instance for each text on which it did not fail."""
    return [
        Instance(_id(notice, language), outputs=_listed(texts[system]))
        for notice, _, language, texts in _texts()
        if system in texts
    ]


def _texts() -> Iterator[tuple[str, str, str, dict[str, NoticeText]]]:
    """Yield a notice's name, its English text, a language, and the texts in this language."""
    notices = tomllib.loads(Path(__file__).with_suffix(".toml").read_text("utf-8"))
    for notice, texts in notices.items():
        for language in LANGUAGES:
            yield notice, texts["en"], language, texts[language]


def _asked(notice: str, english: str, language: str, texts: dict[str, NoticeText]) -> Instance:
    asked = f"Translate into {LANGUAGES[language]}: {english}"
    return Instance(_id(notice, language), asked, references=_listed(texts["expected"]))


def _id(notice: str, language: str) -> str:
    return f"{notice}-{language}"


def _listed(text: NoticeText) -> list[str]:
    return [text] if isinstance(text, str) else text
