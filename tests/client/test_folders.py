"""A challenge as a folder: YAML, files, and the demo's challenges there and back."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from django.conf import LazySettings
from podium.errors import WrongUse
from podium.folders import packed, read_document, unpacked, write_document
from podium.yaml_files import read_yaml, yaml_text

from leaderboard.api.folder_files import read_folder, write_folder
from leaderboard.management.demo import load_demo
from leaderboard.models import Challenge, Tenant, User
from leaderboard.services.challenges.folder_files import files_of
from leaderboard.services.challenges.folders import document_of, put_folder, tag_fields
from leaderboard.services.challenges.references import stored_instances
from leaderboard.services.errors import ServiceError
from tests.api.attempts.test_predictions import CHALLENGE, TRUTH
from tests.api.conftest import alice, default
from tests.notifications import notifications
from tests.people import organiser_of

__all__ = ["alice", "default", "notifications"]

RULES = {"admission": {"rules": [{"rule": "all_tasks"}]}, "registration": {"mode": "approval"}}
MAIN = [{"slug": "main", "per_day": 2}, {"slug": "late", "overlaps": True}]

SCORER = b"class S:\n    def score(self, metrics, config, ctx): return {'score': 1}\n"

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
    tmp_path: Path, settings: LazySettings, notifications: list[tuple[Any, ...]]
) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    load_demo()
    elsewhere = Tenant.objects.create(slug="elsewhere", name="Elsewhere")
    organiser = organiser_of(elsewhere, "olga")
    for challenge in Challenge.objects.all():
        folder, config = tmp_path / challenge.slug, challenge.newest
        references = stored_instances(config, with_expected=True) if config.references else None
        stored = write_folder(document_of(challenge), references, files_of(challenge))
        write_document(folder, challenge.slug, *unpacked(stored.read()))
        assert read_document(folder) == document_of(challenge)
        sent = read_folder(packed(folder))
        where: dict[str, Any] = {
            "slug": f"{challenge.slug}-copy",
            "tenant": lambda: elsewhere,
            "user": organiser,
        }
        made = put_folder(None, *sent, **where).challenge
        assert tag_fields(made) == tag_fields(challenge)
        again = put_folder(made, *sent, **where)
        assert (again.changed, again.scoring_version) == ([], made.newest.number)


@pytest.mark.django_db
def test_plugins_travel_with_the_folder(
    tmp_path: Path, settings: LazySettings, default: Tenant, alice: User
) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    folder = tmp_path / "own"
    named = {"name": "Own", "scoring_strategy": "custom", "scoring_entrypoint": "challenge.s:S"}
    files = {"scorers/s.py": SCORER, "scorers/lib/words.txt": b"one", "scorers/.hidden": b""}
    write_document(folder, "own", named, files)
    (folder / "scorers" / "__pycache__").mkdir()
    (folder / "scorers" / "__pycache__" / "s.pyc").touch()
    where: dict[str, Any] = {"slug": "own", "tenant": lambda: default, "user": alice}
    made = put_folder(None, *read_folder(packed(folder)), **where).challenge
    assert made.newest.entrypoint == "challenge.s:S"
    stored = write_folder(document_of(made), None, files_of(made))
    write_document(tmp_path / "pulled", "own", *unpacked(stored.read()))
    pulled = tmp_path / "pulled" / "scorers"
    assert sorted(path.name for path in pulled.rglob("*.*")) == ["s.py", "words.txt"]
    same = put_folder(made, *read_folder(packed(tmp_path / "pulled")), **where)
    assert (same.changed, same.scoring_version) == ([], made.newest.number)
    (pulled / "s.py").write_bytes(SCORER.replace(b"1}", b"2}"))
    other = put_folder(made, *read_folder(packed(tmp_path / "pulled")), **where)
    assert (other.changed, other.scoring_version) == (["files"], made.newest.number)
    (pulled / "s.py").unlink()
    with pytest.raises(ServiceError):
        put_folder(made, *read_folder(packed(tmp_path / "pulled")), **where)
    assert [file.role for file in files_of(made)] == ["plugins"]


@pytest.mark.django_db
def test_a_truth_and_data_travel_with_the_folder(
    tmp_path: Path, settings: LazySettings, default: Tenant, alice: User
) -> None:
    settings.MEDIA_ROOT = tmp_path / "media"
    files = {"files/truth/t.csv": TRUTH, "files/public_data@main/data.txt": b"Data"}
    write_document(tmp_path / "houses", "houses", {**CHALLENGE, "phases": MAIN, **RULES}, files)
    sent = read_folder(packed(tmp_path / "houses"))
    where: dict[str, Any] = {"slug": "houses", "tenant": lambda: default, "user": alice}
    made = put_folder(None, *sent, **where).challenge
    assert made.newest.truth is not None
    document: Any = document_of(made)
    assert document["admission"]["rules"][0]["rule"] == "all_tasks"
    assert document_of(made)["registration"] == {"mode": "approval"}
    assert [(file.role, file.phase and file.phase.slug) for file in files_of(made)] == [
        ("public_data", "main"),
        ("truth", None),
    ]
    again = read_folder(packed(tmp_path / "houses"))
    same = put_folder(made, *again, **where)
    assert (same.changed, same.scoring_version) == ([], made.newest.number)
    fewer = put_folder(made, sent.document, None, (), **where)
    assert fewer.changed == ["files"]
    assert [file.role for file in files_of(made)] == ["truth"]
