"""Names that can be displayed, and names that look alike."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from leaderboard.rules.names import UnfitName, clean_name, name_key, plain_name
from leaderboard.rules.skeletons import MAX_LENGTH, skeleton

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


@pytest.mark.parametrize("blank", BLANK, ids=ascii)
@pytest.mark.parametrize("name", ["{}", "a{}", "{}a", "a{}b", "日{}本"])
def test_characters_drawn_as_blanks_are_refused(blank: str, name: str) -> None:
    with pytest.raises(UnfitName, match=r"^must hold only characters that can be seen; got U\+"):
        clean_name(name.format(blank))


@pytest.mark.parametrize("invisible", INVISIBLE, ids=ascii)
def test_invisible_characters_are_refused(invisible: str) -> None:
    with pytest.raises(ValueError, match="invisible or direction-changing"):
        clean_name(f"a{invisible}b")


def test_the_error_names_the_character() -> None:
    with pytest.raises(UnfitName) as refused:
        clean_name("atlas\u3164")
    assert str(refused.value) == (
        "must hold only characters that can be seen; got U+3164 (HANGUL FILLER)"
    )


@pytest.mark.parametrize("mark", ["\u0300", "\u0336", "\u0489", "\u20dd", "\u0e47"])
def test_a_letter_may_have_four_combining_marks(mark: str) -> None:
    assert clean_name(f"q{mark * 4}") == unicodedata.normalize("NFKC", f"q{mark * 4}")
    for name in (f"q{mark * 5}", f"atlas q{mark * 60}x"):
        with pytest.raises(UnfitName, match="must have at most 4 combining marks on a letter"):
            clean_name(name)


@pytest.mark.parametrize("name", ["\u0301", "\u0301a", "\u20dd1", "´", " \u0301a"])
def test_a_mark_needs_a_letter(name: str) -> None:
    with pytest.raises(UnfitName, match="must not begin with a combining mark; got U"):
        clean_name(name)


@pytest.mark.parametrize(
    "name",
    [
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
    ],
)
def test_names_in_many_scripts_are_accepted(name: str) -> None:
    cleaned = clean_name(name)
    assert cleaned == plain_name(name)
    assert clean_name(cleaned) == cleaned


@pytest.mark.parametrize(
    "name",
    [
        "\U0001f469\u200d\U0001f4bb",
        "\U0001f3f4\U000e0067\U000e0062\U000e007f",
        "a\ufe0f",
        "1\ufe0f",
        "\u092c\ufe0f",
        "\ufe0f\u2764",
        "\u2764\ufe0f\ufe0f",
    ],
)
def test_joined_emoji_and_stray_styles_are_refused(name: str) -> None:
    """Zero-width joiners are refused in every name, and so between emoji."""
    with pytest.raises(ValueError, match="must "):
        clean_name(name)


@given(st.text(max_size=130))
def test_a_clean_name_does_not_change(text: str) -> None:
    try:
        name = clean_name(text)
    except ValueError:
        return
    assert clean_name(name) == name
    assert 1 <= len(name) <= 120
    assert not set(BLANK) & set(name) - {"\ufe0e", "\ufe0f"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
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
    ],
)
def test_names_that_look_alike_have_one_skeleton(one: str, other: str) -> None:
    assert skeleton(clean_name(one)) == skeleton(clean_name(other))


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Atlas", "Atlos"),
        ("gpt-4", "gpt-5"),
        ("日本", "日木"),
        ("a b", "ab"),
        ("é", "e"),
        ("b", "d"),
    ],
)
def test_names_that_look_different_have_different_skeletons(one: str, other: str) -> None:
    assert skeleton(one) != skeleton(other)


@given(st.text(max_size=130))
def test_every_name_has_a_skeleton(text: str) -> None:
    found = skeleton(text)
    assert len(found) <= MAX_LENGTH
    assert found == skeleton(text)


@given(st.text(alphabet=st.characters(codec="utf-8"), min_size=1, max_size=40))
def test_equal_names_have_equal_skeletons(text: str) -> None:
    try:
        name = clean_name(text)
    except ValueError:
        return
    assert skeleton(name) == skeleton(clean_name(name))
    assert name_key(name) == name_key(clean_name(name))
