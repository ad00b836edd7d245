"""The manifests that the language benchmark reads."""

from __future__ import annotations

import math

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
    """Return a manifest of `tools` tools like those of the example; no two are alike."""
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


MIB = 1 << 20


def _tool(params: str) -> str:
    return f"# S\n\n## f\nDoes f.\n\n### Params\n{params}\n"


def hostile(size: int) -> dict[str, str]:
    """Return texts of about `size` characters that are made to take long, by their kind."""

    def filled(unit: str, around: str = "{}") -> str:
        return around.format(unit * (size // len(unit)))

    many = size * 8_000 // MIB
    signature = ", ".join(f"a{number}: string" for number in range(many))
    defaults = ", ".join(f"a{number}=1" for number in range(many))
    deep = "\n".join(f"{'  ' * depth}- a" for depth in range(math.isqrt(size)))
    brackets = "[" * (size // 2) + "]" * (size // 2)
    return {
        "deep nesting of quotes": filled(">"),
        "deep nesting of lists": deep,
        "deep nesting of brackets": _tool(f"- `q` ({brackets}): x"),
        "bullets": _tool(filled("- `q`: x\n")),
        "unclosed fence": filled("code\n", "# S\n\n```\n{}"),
        "unclosed comment": filled("<!-- ", "# S\n\n{}"),
        "unclosed parentheses": _tool(filled("- `q` (string: x\n")),
        "unclosed quotes": _tool(filled("'\"`", "- `q` ({}): x")),
        "unclosed everything": _tool(filled("(\"'`<[{*_~ ", "- `q` ({}): x")),
        "parameters in one signature": f"# S\n\n## f\n```ts\nfunction f({signature}): void\n```\n",
        "parameters, compact": f"tool: f({defaults})\n  description: x\n",
        "`<meta`": filled("<meta "),
        "headings": filled("## a\n"),
        "tiny tools": filled("## a\n### Params\n"),
        "tiny compact tools": filled("tool: a()\n  output: a\n"),
        "fences": filled("```\n"),
        "one line": filled("word "),
        "blank lines": filled("\n"),
        "table": "| a |\n|---|\n" + filled("| b |\n"),
        "one type": filled(" | 'a'", _tool("- `q` (string{}): x")),
        "blanks in a title": f"## f (){' ' * size}x\n### Params\n",
    }
