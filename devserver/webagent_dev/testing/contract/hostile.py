"""Texts that break what is careless with text: each with what it is, to be named in a report."""

from __future__ import annotations

MARK = "webagent-markup-ran"
"""What a page writes to its console when it has taken a caller's text for markup."""

HOSTILE: dict[str, str] = {
    "the empty text": "",
    "a space": " ",
    "a huge text": "a" * 100_000,
    "a text of many lines": "line\n" * 2_000,
    "markup": f'<img src="data:," onerror="console.error(\'{MARK}\')">',
    "markup behind a quote": f'"><img src="data:," onerror="console.error(\'{MARK}\')">',
    "a script": f"</script><script>console.error('{MARK}')</script>",
    "the beginning of a pattern": "([*+?",
    "the name of a prototype": "__proto__",
    "the name of a method": "constructor",
    "a quote": "' OR 1=1 --",
    "a template": "${7*7}{{7*7}}",
    "a path upwards": "../../../../etc/passwd",
    "a broken escape": "%E0%A4%A",
    "the word for nothing": "undefined",
    "a number": "-1",
    "a null character": "a\0b",
    "letters of several marks": "Z̶̢̛̪̈́͝á̷",
    "joined emoji": "👩‍👩‍👧‍👦🏳️‍🌈",
    "text from right to left": "שלום \u202eabc\u202c عالم",
    "letters that change their length": "ıİßﬁǅ",
    "a line separator": "a\u2028b\ufeff",
}
"""By what they are called."""
