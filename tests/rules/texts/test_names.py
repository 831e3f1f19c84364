"""Names that can be displayed, and names that look alike."""

from __future__ import annotations

import unicodedata
from itertools import product

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from leaderboard.rules.texts.names import clean_name, name_key, plain_name
from leaderboard.rules.texts.skeletons import MAX_LENGTH, skeleton

BLANK = [
    *("\u034f", "\u115f", "\u1160", "\u17b4", "\u17b5", "\u180b", "\u180c", "\u180d", "\u180f"),
    *("\u2800", "\u3164", "\uffa0", "\ufe00", "\ufe0d", "\ufe0e", "\ufe0f", "\ufffc"),
    *("\U000e0100", "\U000e01ef", "\U0001d159"),
]
INVISIBLE = ["\u00ad", "\u180e", "\u200b", "\u200d", "\u2060", "\u2066", "\ufeff"]
INVISIBLE += ["\U000e0001", "\U000e0020", "\U000e007f"]


@given(st.text(st.characters(max_codepoint=127), max_size=130))
def test_the_fast_check_of_ascii_names_equals_the_full_one(text: str) -> None:
    """A letter outside ASCII, removed afterwards, forces the check of each character."""
    try:
        expected = plain_name(f"{text} é")[:-1].rstrip(" ")
    except ValueError as error:
        assume("hold" in str(error))
        with pytest.raises(ValueError, match=r"^must not hold"):
            clean_name(text)
        return
    assume(expected)
    assert clean_name(text) == plain_name(text) == expected
    assert name_key(expected) == name_key(f"{expected}é")[:-1]


@given(st.text(st.characters(max_codepoint=127), max_size=130))
def test_the_fast_skeleton_of_ascii_names_equals_the_full_one(text: str) -> None:
    assert skeleton(text) == skeleton(f"{text}é")[:-2] or len(skeleton(text)) > MAX_LENGTH - 2


def refusal(name: str) -> str:
    """Return why a name is refused."""
    try:
        clean_name(name)
    except ValueError as error:
        return str(error)
    pytest.fail(f"was accepted: {name!a}")


def test_characters_drawn_as_blanks_are_refused() -> None:
    for blank, name in product(BLANK, ["{}", "a{}", "{}a", "a{}b", "日{}本"]):
        text = refusal(name.format(blank))
        assert "that can be seen" in text
        assert text.endswith(f"; got U+{ord(blank):04X} ({unicodedata.name(blank)})")


def test_invisible_characters_are_refused() -> None:
    for invisible in INVISIBLE:
        assert "invisible" in refusal(f"a{invisible}b")


def test_a_letter_may_have_four_combining_marks() -> None:
    for mark in ("\u0300", "\u0336", "\u0489", "\u20dd", "\u0e47"):
        assert clean_name(f"q{mark * 4}") == unicodedata.normalize("NFKC", f"q{mark * 4}")
        for name in (f"q{mark * 5}", f"atlas q{mark * 60}x"):
            assert "at most 4 combining marks" in refusal(name)


def test_a_mark_needs_a_letter() -> None:
    for name in ("\u0301", "\u0301a", "\u20dd1", "´", " \u0301a"):
        assert "begin with a combining mark; got U" in refusal(name)


def test_names_in_many_scripts_are_accepted() -> None:
    for name in (
        "Nguyễn Thị Ánh Tuyết",
        unicodedata.normalize("NFD", "Nguyễn Thị Ánh Tuyết"),
        "क्षितिज श्रीवास्तव",
        "ज़िंदगी",
        "ผู้ใหญ่ที่น้ำ",
        "กี่",
        "தமிழ்ச்செல்வி",
        "שָּׁלוֹם עֲלֵיכֶם",
        "בְּרֵאשִׁ֖ית",
        "مُحَمَّدٌ ٱلْعَرَبِيُّ",
        "ٱللَّٰه",
        "မြန်မာနိုင်ငံ",
        "ငွှုံ",
        "བསྒྲུབས",
        "ខ្មែរ",
        "ພາສາລາວ",
        "සිංහල",
        "ქართული",
        "日本語",
        "ﾊﾟｿｺﾝ",
        "한국어",
        unicodedata.normalize("NFD", "한국어"),
        "Ὀδυσσεύς",
        "Ŭṅïçø̈de",
        "🏆",
        "❤️ love",
        "❤",
        "☎︎",
        "1️⃣ first",
        "#️⃣",
        "🇩🇪 team",
        "👍🏽",
        "Brand™️",
        "ℹ️",
        "↔️",
        "x²",
        "½",
        "gpt-4o (2024-08-06)",
    ):
        cleaned = clean_name(name)
        assert cleaned == plain_name(name), name
        assert clean_name(cleaned) == cleaned, name


def test_joined_emoji_and_stray_styles_are_refused() -> None:
    """Zero-width joiners are refused in every name, and so between emoji."""
    for name in (
        "\U0001f469\u200d\U0001f4bb",
        "\U0001f3f4\U000e0067\U000e0062\U000e007f",
        "a\ufe0f",
        "1\ufe0f",
        "\u092c\ufe0f",
        "\ufe0f\u2764",
        "\u2764\ufe0f\ufe0f",
    ):
        assert "must " in refusal(name), name


@given(st.text(max_size=130))
def test_a_clean_name_does_not_change(text: str) -> None:
    try:
        name = clean_name(text)
    except ValueError:
        return
    assert clean_name(name) == name
    assert 1 <= len(name) <= 120
    assert not set(BLANK) & set(name) - {"\ufe0e", "\ufe0f"}


@given(st.text(max_size=130))
def test_every_text_has_a_skeleton_that_is_not_too_long(text: str) -> None:
    assert len(skeleton(text)) <= MAX_LENGTH


def test_names_that_look_alike_have_one_skeleton() -> None:
    cases: list[tuple[str, str]] = [
        ("Atlas", "AtIas"),
        ("Atlas", "At1as"),
        ("Atlas", "Аtlas"),
        ("Atlas", "ATLАS"),
        ("ATLAS", "АТLАЅ"),
        ("modern", "modem"),
        ("GPT-4", "GPT‑4"),
        ("GPT-4", "GPT–4"),
        ("O0", "0O"),
        ("paypal", "раураӏ"),
        ("ΑΒΕ", "ABE"),
        ("straße", "straße".upper()),
        ("o1", "ol"),
        ("口", "ロ"),
    ]
    for one, other in cases:
        assert skeleton(clean_name(one)) == skeleton(clean_name(other)), one


def test_names_that_look_different_have_different_skeletons() -> None:
    cases: list[tuple[str, str]] = [
        ("Atlas", "Atlos"),
        ("gpt-4", "gpt-5"),
        ("日本", "日木"),
        ("a b", "ab"),
        ("é", "e"),
        ("b", "d"),
    ]
    for one, other in cases:
        assert skeleton(one) != skeleton(other), one


@pytest.mark.parametrize(
    "name",
    [
        "ශ්\u200dරී ලංකා",  # Sinhala: Sri Lanka
        "ක්\u200dෂේත්\u200dර",
        "ന്\u200dറെ",  # Malayalam
        "র\u09cd\u200dযাব",  # Bengali
        "क्\u200dष",  # Hindi: half a letter
        "क्\u200cष",
        "می\u200cروم",  # Persian
        "کتاب\u200cها",
        "نامه\u200cای",
    ],
)
def test_joiners_that_a_script_needs_are_kept(name: str) -> None:
    assert clean_name(name) == unicodedata.normalize("NFKC", name)
    plain = name.replace("\u200d", "").replace("\u200c", "")
    assert name_key(clean_name(name)) == name_key(clean_name(plain))
    assert skeleton(name) == skeleton(plain)


@pytest.mark.parametrize(
    "name",
    [
        "a\u200db",
        "a\u200cb",
        "\u200dශ්රී",
        "ශ්රී\u200d",
        "ශ\u200dරී",  # after no virama
        "ක්\u200d",
        "ක්\u200d x\u200d",
        "دا\u200cد",  # after a letter that joins with none
        "می\u200dروم",
        "می\u200ca",
        "می\u200c\u200cروم",
        "א\u200cב",
        "क्\u200d\u200dष",
    ],
)
def test_joiners_that_are_drawn_as_nothing_are_refused(name: str) -> None:
    with pytest.raises(ValueError, match="invisible"):
        clean_name(name)
