"""The manifests that the language benchmark reads."""

from __future__ import annotations

README = """\
# Example Store

Simple online store for shoes and accessories.

## Important
- User must be logged in for cart operations.
- searchProducts is rate-limited to 10 calls/minute.

## searchProducts
Search the product catalog by keyword.

### Params
- `query` (string, required): Search query text.
- `limit` (number, optional, default=20): Maximum results.

### Output
```typescript
{ products: Array<{ id: string; name: string; price: number }>; total: number }
```

### Sample Code
```js
const results = await global.searchProducts(query);
```

## addToCart
Add a product to the shopping cart.

### Params
- `productId` (string, required): Unique product ID.
- `quantity` (number, optional, default=1): Quantity to add.

### Output
```typescript
{ cartId: string; items: Array<{ productId: string; quantity: number }> }
```

### Sample Code
```js
await global.addToCart(productId, quantity);
```
"""
"""The example of the format's own documentation."""


def manifest(tools: int) -> str:
    """Return a manifest of so many tools like those of the example, of which no two are alike."""
    start = README.index("## searchProducts")
    search, add = README[start:].split("\n## addToCart")
    pair = (search, f"## addToCart{add}")
    words = ("Products", "Cart", "product", "cart")
    parts = [README[:start]]
    for number in range(tools):
        text = pair[number % 2]
        for word in words:
            text = text.replace(word, f"{word}{number}")
        parts.append(f"{text}\n")
    return "".join(parts)


_MIB = 1 << 20


def _filled(unit: str, around: str = "{}") -> str:
    return around.format(unit * (_MIB // len(unit)))


def _tool(params: str) -> str:
    return f"# S\n\n## f\nDoes f.\n\n### Params\n{params}\n"


HOSTILE: dict[str, str] = {
    "deep nesting of quotes": _filled(">"),
    "deep nesting of lists": "\n".join(f"{'  ' * depth}- a" for depth in range(1000)),
    "deep nesting of brackets": _tool(f"- `q` ({'[' * (_MIB // 2)}{']' * (_MIB // 2)}): x"),
    "100,000 bullets": _tool("- `q`: x\n" * 100_000),
    "unclosed fence": _filled("code\n", "# S\n\n```\n{}"),
    "unclosed comment": _filled("<!-- ", "# S\n\n{}"),
    "unclosed parentheses": _tool(_filled("- `q` (string: x\n")),
    "unclosed quotes": _tool(_filled("'\"`", "- `q` ({}): x")),
    "unclosed everything": _tool(_filled("(\"'`<[{*_~ ", "- `q` ({}): x")),
    "8,000 parameters in one signature": "# S\n\n## f\n```ts\nfunction f("
    + ", ".join(f"a{number}: string" for number in range(8000))
    + "): void\n```\n",
    "8,000 parameters, compact": "tool: f("
    + ", ".join(f"a{number}=1" for number in range(8000))
    + ")\n  description: x\n",
    "1 MiB of <meta": _filled("<meta "),
    "1 MiB of headings": _filled("## a\n"),
    "1 MiB of tiny tools": _filled("## a\n### Params\n"),
    "1 MiB of tiny compact tools": _filled("tool: a()\n  output: a\n"),
    "1 MiB of fences": _filled("```\n"),
    "1 MiB of one line": _filled("word "),
    "1 MiB of blank lines": _filled("\n"),
    "1 MiB of table": "| a |\n|---|\n" + _filled("| b |\n"),
    "1 MiB of one type": _filled(" | 'a'", _tool("- `q` (string{}): x")),
    "1 MiB of blanks in a title": "## f ()" + " " * _MIB + "x\n### Params\n",
}
"""Texts made to take long, by what they are full of."""
