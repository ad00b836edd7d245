"""Lines of a manifest that a report names."""

from __future__ import annotations

from webagent.parser import read
from webagent_dev.contract.places import Places

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

## plan
Plan.

### Params

### Output
```typescript
{ // when: { a: b }
  first: { total: string; note: "}>" };
  type: string;
  total: number;
  by: { [name: string]: {
    total: bigint } };
  order: Order | null;
  cart: Basket;
}
```

### Output Schema
```json
{
  "type": "object",
  "properties": {
    "type": { "type": "string" },
    "items": { "type": "array", "items": {
      "properties": { "total": { "type": "integer" } }
    } },
    "order": { "$ref": "#/$defs/order" }
  },
  "$defs": {
    "order": { "properties": {
      "number": { "type": "string" }
    } }
  },
  "required": ["total"]
}
```

## Types
```typescript
interface Basket {
  number: string;
}
type Order = {
  number: number;
} & Dated;
interface Dated { on: Date }
```
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


def test_a_property_is_the_outermost_of_its_name() -> None:
    """Not one of an object before it; where a type is named, one of its declaration."""
    for path, words in (
        ("total", "  total: number"),
        ("first.total", "first: {"),
        ("by.anything.total", "    total: bigint"),
        ("order.number", "  number: number"),
        ("order.on", "interface Dated"),
        ("cart.number", "  number: string"),
        ("when", "{ // when"),
    ):
        place = PLACES.output("plan", path)
        assert place is not None
        assert place.line == line(words), path


def test_a_property_is_found_in_the_schema() -> None:
    """A keyword is no property; a reference is followed; the whole schema without a property."""
    for path, words in (
        ("type", '"type": { "type"'),
        ("items[2].total", '"total": { "type": "integer"'),
        ("order.number", '"number": { "type"'),
        ("required", "```json"),
        ("", "```json"),
    ):
        place = PLACES.output("plan", path, in_schema=True)
        assert place is not None
        assert place.line == line(words), path


def test_a_type_of_any_depth_and_form_is_searched_in_time() -> None:
    """Brackets that never close, quotes that never end, and types that name each other."""
    for text in (
        "{" * 20_000,
        '"' * 20_000,
        "/*" * 10_000,
        "a?: " * 10_000,
        "type A = A; " * 3_000,
    ):
        manifest = f"# S\n\n## a\nA.\n\n### Output\n```typescript\n{text}\n```\n"
        found = Places(read(manifest)).output("a", "b.c[2].d")
        assert found is not None
