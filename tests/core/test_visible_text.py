"""A text is shown as what it is, as in the page (`browser_bundle/test/text_parts.test.ts`)."""

from __future__ import annotations

import pytest

from webagent.visible_text import visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("\u202e0001", "⟨202E⟩0001"),
        (
            "a\x07b\u200bc\u2066d\u00ade\ufefff\x1b[2J",
            "a⟨0007⟩b⟨200B⟩c⟨2066⟩d⟨00AD⟩e⟨FEFF⟩f⟨001B⟩[2J",
        ),
        ("x\U000e0041\U000e0042\ud800", "x⟨E0041⟩⟨E0042⟩⟨D800⟩"),
        ("pa\u200dy", "pa⟨200D⟩y"),
        ("a\ufe0f\ufe0eb", "a⟨FE0F⟩⟨FE0E⟩b"),
        ("a" + "\n" * 700 + "amount", "a\n\n⟨… 698 blank lines⟩\namount"),
        ("a" + "\r\n \t" * 10 + "b", "a\n\n⟨… 8 blank lines⟩\nb"),
        ("a" + "\n\u200b" * 10 + "b", "a\n\n⟨… 8 blank lines⟩\nb"),
        ("a" + " " * 5_000 + "b", "a ⟨… 4,999 spaces⟩ b"),
        ("a" + "\u3164" * 5_000 + "b", "a ⟨… 4,999 spaces⟩ b"),
        ("a" + "\u0301" * 500 + "b", "a" + "\u0301" * 4 + "⟨… 496 more accents⟩b"),
        ("1\ufe0f0\ufe0f", "1⟨FE0F⟩0⟨FE0F⟩"),
        ("é\u200dé\ufe0ex\u200c", "é⟨200D⟩é⟨FE0E⟩x⟨200C⟩"),
        ("a\ue000b", "a⟨E000⟩b"),
    ],
)
def test_invisible_characters_are_named(text: str, shown: str) -> None:
    """Hidden characters by their code, runs of nothing by their length."""
    assert visible(text) == shown


@pytest.mark.parametrize(
    "text",
    [
        "Grüße, 書籍 مرحبا e\u0301\tx\ny",
        "👩‍👩‍👧 ❤️ ❤️‍🔥 1️⃣",
        "می‌خواهم",
        "☎︎ ℹ️ ®️",
        "葛︀",
        "क्‍ष",
        "a\n\n\nb",
        "10 μm",
        "",
    ],
)
def test_characters_of_a_script_or_an_emoji_stay(text: str) -> None:
    """Joiners, variations and accents as people write them."""
    assert visible(text) == text
