"""The names by which plugin classes may be requested."""

import pytest

from leaderboard.rules.plugins.entrypoints import (
    InvalidEntrypoint,
    check_entrypoint,
    normalise_entrypoint,
    split_entrypoint,
)


def test_well_formed_names_are_normalised() -> None:
    cases: list[tuple[str, str]] = [
        ("scorers.weighted:WeightedScorer", "scorers.weighted:WeightedScorer"),
        ("services.scorers.weighted:WeightedScorer", "scorers.weighted:WeightedScorer"),
        ("scorers:S", "scorers:S"),
        ("a.b2.c_d:E_f", "a.b2.c_d:E_f"),
        ("services.scorersx:Y", "services.scorersx:Y"),
    ]
    for text, entrypoint in cases:
        assert normalise_entrypoint(text) == entrypoint, text


def test_malformed_names_are_refused() -> None:
    for text in (
        *("", ":", "scorers", "scorers.weighted", "scorers.weighted:", ":Weighted"),
        *("scorers.weighted:A.B", "scorers.weighted:A:B", "scorers..weighted:A", ".scorers:A"),
        *("scorers.weighted:_Hidden", "scorers._protocol:A", "scorers.__init__:A"),
        *("scorers/weighted:A", "scorers.weighted:A()", "scorers.weighted :A", " scorers.a:A"),
        *("scorers.a:A\n", "scorers.\u0430:A", "scorers.é:A", "scorers.1a:A", "scorers.a:\uff21"),
        *("scorers.import:A", "scorers.a:class", "a" * 254 + ":A"),
    ):
        with pytest.raises(InvalidEntrypoint, match=r"package\.module:Class"):
            normalise_entrypoint(text)


def test_the_longest_name_is_accepted() -> None:
    assert split_entrypoint("a" * 253 + ":A") == ("a" * 253, "A")


def test_only_allowed_packages_and_installed_names_may_be_loaded() -> None:
    packages, installed = {"scorers"}, {"plugin.one:One"}
    assert check_entrypoint("services.scorers.x:Y", packages, installed) == "scorers.x:Y"
    assert check_entrypoint("plugin.one:One", packages, installed) == "plugin.one:One"
    for text in ["os:Thing", "plugin.one:Two", "scorersx.a:B", "services.other:A"]:
        with pytest.raises(InvalidEntrypoint, match=f'plugin of scorers, or .*; got "{text}"'):
            check_entrypoint(text, packages, installed)
    with pytest.raises(InvalidEntrypoint, match=r"^must be an installed .*; got \"os"):
        check_entrypoint("os:Thing", (), installed)
