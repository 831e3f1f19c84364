"""A challenge as a folder: YAML, files, and the demo's challenges there and back."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from podium.errors import WrongUse
from podium.folders import packed, read_document, unpacked, write_document
from podium.yaml_files import read_yaml, yaml_text

from leaderboard.importers import Source
from leaderboard.management.demo import load_demo
from leaderboard.models import Challenge, Tenant
from leaderboard.services.challenges.folders import document_of, put_folder, tag_fields
from leaderboard.services.challenges.references import references_in, stored_instances
from tests.notifications import notifications

__all__ = ["notifications"]

ODD = {
    "texts": ["no", "12:30:00", "0123", "1e3", "0o17", "2026-01-01", "~", "true", " x", "a: b"],
    "numbers": [0, -7, 1.5, 1e300, True, None],
    "lines": "one\ntwo\n",
    "kept": "trailing \nspace",
    "nested": {"empty": [], "map": {}, "text": ""},
}


def test_yaml_keeps_every_value(tmp_path: Path) -> None:
    file = tmp_path / "odd.yaml"
    file.write_text(yaml_text(ODD), "utf-8")
    assert read_yaml(file) == ODD
    file.write_text("a: no\nb: 12:30\nc: 0123\nd: 0o17\ne: 2026-01-01\nf: True\n", "utf-8")
    core = {"a": "no", "b": "12:30", "c": 123, "d": 15, "e": "2026-01-01", "f": True}
    assert read_yaml(file) == core


@pytest.mark.parametrize("text", ["a: 1\na: 2", "1: a", "- a", "a: [", "a: !!python/name:os"])
def test_other_yaml_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "wrong.yaml").write_text(text, "utf-8")
    with pytest.raises(WrongUse, match=r"wrong\.yaml"):
        read_yaml(tmp_path / "wrong.yaml")


@pytest.mark.django_db
def test_every_challenge_of_the_demo_survives_as_a_folder(
    tmp_path: Path, notifications: list[tuple[Any, ...]]
) -> None:
    load_demo()
    elsewhere = Tenant.objects.create(slug="elsewhere", name="Elsewhere")
    for challenge in Challenge.objects.all():
        folder, config = tmp_path / challenge.slug, challenge.newest
        lines = None
        if config.references_id is not None:
            rows = stored_instances(config, with_expected=True)
            lines = "".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows).encode()
        write_document(folder, challenge.slug, document_of(challenge), lines)
        assert read_document(folder) == document_of(challenge)
        document, references = unpacked(packed(folder))
        held = references_in(Source.open(references, "r.jsonl")) if references else None
        slug = f"{challenge.slug}-copy"
        made = put_folder(
            None, document, held, slug=slug, tenant=lambda: elsewhere, user=None
        ).challenge
        assert tag_fields(made) == tag_fields(challenge)
        again = put_folder(made, document, held, slug=slug, tenant=lambda: elsewhere, user=None)
        assert (again.changed, again.scoring_version) == ([], 1)
