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
FAMILIES: Final = _words("family modelfamily basemodel")
NO_RANKING: Final = _words("seed year jahr zipcode")
"""Numbers that do not say how good an entry is."""
TOTALS: Final = _words(
    """
    total totals average avg mean median sum overall min max std stdev gesamt summe durchschnitt
    mittelwert moyenne promedio media average(all) averages
    """
)
"""Names of rows that sum up the others."""
OVERALL: Final = _words(
    """
    overall all total average avg mean averages average(all) macroaverage macroavg macro
    microaverage microavg gesamt insgesamt durchschnitt mittelwert moyenne promedio media 平均 総合
    """
)
"""Names of the row that stands for all others of a participant; the first one of them counts."""
SPLIT: Final = _words(
    "split splitname subset subsetname fold partition datasplit evalsplit testset evalset"
)
"""Labels of parts of a data set, which are never participants."""
PARTS: Final = (
    *SPLIT,
    *TASK,
    *_words(
        """
        category subcategory domain discipline language lang topic section area difficulty level
        kategorie sprache thema bereich skill ability capability dimension
        """
    ),
)
"""Labels of columns by which the rows of one participant may differ."""
KNOWN: Final = frozenset(
    (*PARTICIPANT, *RANK, *NUMBERING, *TASK, *SAMPLE, *ERROR, *MOMENT, *SUCCEEDED, *NO_RANKING)
)
"""Labels by which a row is known as a header."""
