import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webagent.schema.regex import found

PIECES = st.sampled_from(
    ["a", "b", "[ab]", "[^a]", r"\d", r"\w", r"\S", ".", "-", "^", "$", r"\.", "(?:a|b)", "(ab|a)",
     r"\b", "[^B]", "(?=a)", "(?!b)", "(?=.*1)", "(?!.*b$)", "(?<=a)", "(?<!1)", "(?=(?!-)[ab]+)"]
)  # fmt: skip
MARKS = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,3}", "{0,2}?", "|", "(?:", ")"])


@settings(deadline=None)
@given(
    st.lists(st.tuples(PIECES, MARKS), max_size=8).map(lambda pairs: "".join(map("".join, pairs))),
    st.text(alphabet="ab1. -c_AB\n", max_size=8),
    st.sets(st.sampled_from("ims")).map("".join),
)
def test_matches_are_those_of_pythons_own_engine(pattern: str, text: str, flags: str) -> None:
    """A pattern that both engines can read matches the same texts."""
    hit = found(pattern, text, flags)
    own = re.ASCII
    for flag in flags:
        own |= re.RegexFlag[flag.upper()]
    try:
        # Without `m`, JavaScript's `$` matches only at the very end, not before a last newline.
        same = pattern if "m" in flags else pattern.replace("$", r"\Z")
        expected = re.compile(same, own).search(text) is not None
    except re.error:
        assert hit is None
        return

    assert hit in (None, expected)


@pytest.mark.parametrize(
    ("pattern", "text", "hit"),
    [
        ("^[a-z0-9]+(?:-[a-z0-9]+)*$", "a-slug-9", True),
        ("^[a-z0-9]+(?:-[a-z0-9]+)*$", "a--slug", False),
        (r"^\d{4}-\d{2}$", "2026-01", True),
        (r"^\d{4}-\d{2}$", "2026-01\n", False),
        (r"^\d$", "\u0663", False),
        (r"^\s$", "\u00a0", True),
        (r"^[\w.+-]+@\w+\.\w{2,}$", "a.b+c@d.org", True),
        (r"^[\]\-^]+$", "]-^", True),
        (r"^\u{1F600}\x41\u0042\cA?$", "", None),
        (r"^\u{1F600}\x41\u0042$", "\U0001f600AB", True),
        ("^(?<year>[0-9]+)$", "2026", True),
        ("^(a*)*$", "aaab", False),
        ("a{,2}", "a{,2}", True),
        ("", "anything", True),
        ("^$", "", True),
        ("[]", "a", False),
        ("[^]", "\n", True),
        ("(?=a)", "a", True),
        (r"^(?=.*\d)(?=.*[a-z]).{6,}$", "abcde1", True),
        (r"^(?=.*\d)(?=.*[a-z]).{6,}$", "abcdef", False),
        ("^(?!.*london).*$", "to paris", True),
        ("^(?!.*london).*$", "to london", False),
        ("(?<=€ *)[0-9]+", "€   5", True),
        ("(?<=€ *)[0-9]+", "$   5", False),
        ("(?<!a+)b", "aab", False),
        ("(?<=(?<!x)a)b", "ab", True),
        ("(?<=(?<!x)a)b", "xab", False),
        ("(?=a)*", "a", None),
        ("(?=", "a", None),
        ("(?=a)" * 21, "a", None),
        ("(?=(a+)+$)" * 20 + "b", "a" * 5000, False),
        (r"(a)\1", "aa", None),
        (r"\bword\b", "a word.", True),
        (r"\bword\b", "words", False),
        (r"\Bord", "word", True),
        (r"\b*", "word", None),
        (r"\p{L}", "a", None),
        ("(", "(", None),
        ("a)", "a)", None),
        ("a**", "a", None),
        ("[b-a]", "a", None),
        ("a{3,2}", "a", None),
        ("((){1000}){1000}", "", None),
        ("(" * 40 + "a" + ")" * 40, "a", None),
    ],
)
def test_patterns_of_javascript(pattern: str, text: str, hit: bool | None) -> None:
    """A pattern matches, does not match, or cannot be judged."""
    assert found(pattern, text) is hit


@pytest.mark.parametrize("pattern", ["(a+)+$", "^(a|a)*$", "^a*a*a*a*a*a*$", "(a{0,30}){0,30}b"])
def test_every_pattern_takes_linear_time(pattern: str) -> None:
    """Patterns that make other engines backtrack take no longer."""
    assert found(pattern, "a" * 5_000 + "c") in (False, None)


@pytest.mark.parametrize(
    ("pattern", "flags", "text", "hit"),
    [
        ("^colou?r$", "i", "COLOR", True),
        ("é", "i", "É", True),
        ("[^a]", "i", "A", False),
        ("[à-ö]", "i", "Ö", True),
        ("a.b", "", "a\nb", False),
        ("a.b", "s", "a\nb", True),
        ("^b$", "", "a\nb\nc", False),
        ("^b$", "m", "a\nb\nc", True),
    ],
)
def test_flags(pattern: str, flags: str, text: str, hit: bool) -> None:
    """`i` ignores case, `s` lets `.` match newlines, `m` matches at each line."""
    assert found(pattern, text, flags) is hit
