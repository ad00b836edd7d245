"""Lines of a manifest that a report names."""

from __future__ import annotations

from webagent.parser import read
from webagent_dev.contract.proof import Places

TEXT = """\
# Shop

## find
Find.

### Params
- `query` (string, required): Words.
- `limit` (number, optional): Most.

### Output
```typescript
{
  items: Array<{
    "unit-price": number;
    price: number; // not the unit-price
  }>;
}
```

### Behavior
- effect: read
- timeout: 3s

## ping
Ping.

### Params
"""

PLACES = Places(read(TEXT, path="shop/webagents.md"))


def line(words: str) -> int:
    return next(n for n, row in enumerate(TEXT.splitlines(), 1) if words in row)


def test_each_part_has_its_line() -> None:
    """A tool's heading where the part is missing; nothing for a tool that is not named."""
    found = PLACES.heading("find")

    assert found is not None
    assert str(found) == "shop/webagents.md:3:4"
    assert PLACES.heading("other") is None
    assert PLACES.behavior("other", "effect") is None
    for place, words in (
        (PLACES.param("find", 1), "- `limit`"),
        (PLACES.param("find", 7), "## find"),
        (PLACES.behavior("find", "timeout"), "- timeout"),
        (PLACES.behavior("find", "idempotent"), "## find"),
        (PLACES.output("ping", "a"), "## ping"),
        (PLACES.sample("ping"), "## ping"),
    ):
        assert place is not None
        assert place.line == line(words)


def test_the_line_of_a_property_is_found_by_its_path() -> None:
    """The last key of the path; the whole output where it is not written there."""
    for path, words in (
        ("items[3].price", "    price: number"),
        ('items[0]["unit-price"]', '"unit-price": number'),
        ("items", "items: Array"),
        ("items[0]", "items: Array"),
        ("elsewhere", "{"),
        ("", "{"),
    ):
        place = PLACES.output("find", path)
        assert place is not None
        assert place.line == line(words), path
