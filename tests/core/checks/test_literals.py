"""Values in sample code that do not have the type of their parameter."""

from __future__ import annotations

import pytest

from webagent.checks import check

_TOOL = """\
# Shop

## pay

Pay.

### Params

- `id` (string, required): Which.
- `count` (number, required): How many.
- `kind` ("a" | "b", optional): What.
- `to` ({ city: string; zip?: number }, optional): Where.
- `tags` (string[], optional): More.

### Sample Code

```js
await global.pay(%s);
```
"""


def messages(arguments: str) -> list[str]:
    """Return the messages about these arguments, without the beginning that is always the same."""
    found = [f for f in check(_TOOL % arguments).findings if f.rule == "sample-arguments"]
    return [finding.message.partition(" wrong value: ")[2] for finding in found]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('3, "2"', ["id: expected string, got number", "count: expected number, got string"]),
        ('"x", 1, "c"', ['kind: expected "a" | "b", got "c"']),
        ("\"x\", -1, 'a', { city: 3 }", ["to.city: expected string, got number"]),
        ("`x`, 1.5, undefined, { zip: 3 }", ["to.city: expected string, got undefined"]),
        ('"x", 1, "a", { "city": "Ness" }, ["a", 2]', ["tags[1]: expected string, got number"]),
        ('"x", null', ["count: expected number, got null"]),
        ('"x", [1], "b"', ["count: expected number, got array"]),
        ('"x", true', ["count: expected number, got boolean"]),
    ],
)
def test_a_literal_of_the_wrong_type(arguments: str, said: list[str]) -> None:
    """It is found in each argument, and inside of objects and lists."""
    assert messages(arguments) == said


@pytest.mark.parametrize(
    "arguments",
    [
        '"it\\\'s", 2, "a", { city: "Ness", zip: 1 }, [`x`, "y"]',
        "id, count, kind, { city, zip }, tags",
        "`${3}`, 1 + 2, undefined, { city: String(3) }, [...tags]",
        '"x", "12".length, "abc"[0], { ...to }, "a b".split(" ")',
        '"x", 1_000, "a", { ["city"]: 3 }, [first()]',
        '...words, "b"',
    ],
)
def test_what_is_not_written_out_is_not_judged(arguments: str) -> None:
    """Variables, calls, expressions, spreads; and values of the right type."""
    assert messages(arguments) == []


def test_a_parameter_without_a_type_takes_any_literal() -> None:
    """It counts as `string`, but nobody wrote that."""
    text = "# S\n\n## pay\nPay.\n\n### Params\n- `id`: Which.\n\n### Sample Code\n```js\nglobal.pay(3)\n```\n"

    assert [f.rule for f in check(text).findings if f.rule.startswith("sample")] == []
