"""The words by which labels of columns are recognised, in the form that `word` returns."""

from __future__ import annotations

import re
import unicodedata
from typing import Final


def word(label: str) -> str:
    """A label in the form of the lists below: in lower case, without blanks and marks."""
    kept = re.sub(r"[\s_.:\-]+", "", unicodedata.normalize("NFKC", label).casefold())
    return kept or label.strip()


def _words(text: str) -> tuple[str, ...]:
    return tuple(text.split())


PARTICIPANT: Final = _words(
    """
    participant participantname model modelname team teamname system systemname submission
    submissionname name agent agentname method methodname approach algorithm entry entrant llm
    user username handle player contestant competitor author engine solver classifier run runname
    experiment checkpoint bot who modell verfahren mannschaft teilnehmer modèle système équipe
    modelo equipo 模型 モデル
    """
)
"""Labels of the participant; the first one in a table counts."""
RANK: Final = _words("rank ranking place position pos rang platz rank#")
NUMBERING: Final = _words("# no no. nr nr. index idx level0 unnamed0 rownumber row")
TASK: Final = _words(
    """
    task taskname taskid problem problemid problemname question questionid instance instanceid
    example exampleid item itemid benchmark benchmarkname dataset testcase case subtask subject
    """
)
SAMPLE: Final = _words("sample samplenumber sampleid trial attempt epoch repeat seed iteration try")
ERROR: Final = _words("error errormessage exception")
MOMENT: Final = _words(
    """
    submittedat submitted submissiondate submissiontime lastsubmissiondate date datetime timestamp
    time datum day evaldate evaluationdate dateadded added createdat created uploaded lastupdated
    updated zeitpunkt fecha
    """
)
SUCCEEDED: Final = _words("succeeded success successful")
NO_RANKING: Final = _words("seed year jahr zipcode")
"""Numbers that do not say how good an entry is."""
TOTALS: Final = _words(
    """
    total totals average avg mean median sum overall min max std stdev gesamt summe durchschnitt
    mittelwert moyenne promedio media average(all) averages
    """
)
"""Names of rows that sum up the others."""
