"""Croissant 1.1: the board as a data set, described in JSON-LD.

Source: the specification of MLCommons. The file that it describes is the CSV of the board, which
changes with the board, so the description says that the data set is live and gives no hash.
"""

from __future__ import annotations

import json
from typing import Final

from leaderboard.exporters.board import ExportedBoard
from leaderboard.exporters.exporter import Exporter
from leaderboard.rules.texts.messages import message

CONTEXT: Final = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "sc": "https://schema.org/",
    "samplingRate": "cr:samplingRate",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}


def described(board: ExportedBoard) -> dict[str, object]:
    """The description as JSON-LD, also for the page of the board."""
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.1",
        "name": board.name,
        "description": board.summary or board.name,
        "url": board.address,
        "version": f"{board.scoring_version}.0.0",
        "isLiveDataset": True,
        "datePublished": f"{board.created_at:%Y-%m-%d}",
        "dateModified": f"{board.moment:%Y-%m-%d}",
        "citeAs": f"{board.name}. {board.address}",
        **({"license": board.license} if board.license else {}),
        **({"isBasedOn": board.dataset_url} if board.dataset_url else {}),
        **(
            {"creator": {"@type": "sc:Organization", "name": board.organisation}}
            if board.organisation
            else {}
        ),
        "distribution": [
            {
                "@type": "cr:FileObject",
                "@id": "board.csv",
                "name": "board.csv",
                "contentUrl": board.files,
                "encodingFormat": "text/csv",
            }
        ],
        "recordSet": [
            {
                "@type": "cr:RecordSet",
                "@id": "rows",
                "name": "rows",
                "field": [
                    _field("rank", "The place on the board.", "sc:Integer"),
                    _field("participant", "The name of the row.", "sc:Text"),
                    *(
                        _field(column.key, column.description or column.label, "sc:Float")
                        for column in board.columns
                    ),
                ],
            }
        ],
    }


def write(board: ExportedBoard) -> bytes:
    """The description as one JSON document."""
    return (json.dumps(described(board), ensure_ascii=False, indent=1) + "\n").encode()


def _field(name: str, description: str, data_type: str) -> dict[str, object]:
    return {
        "@type": "cr:Field",
        "@id": f"rows/{name}",
        "name": name,
        "description": description,
        "dataType": data_type,
        "source": {"fileObject": {"@id": "board.csv"}, "extract": {"column": name}},
    }


EXPORTER = Exporter(
    "croissant",
    message("Croissant"),
    message("A description of the board as a data set, for catalogues and search engines."),
    "croissant.json",
    "application/ld+json",
    write,
)
