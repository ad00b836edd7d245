"""Manifests that several cases need, and short ways to read one."""

from __future__ import annotations

from webagent import Manifest, Param, Tool, generate_typescript, parse

STORE = """# Corner Shop

Groceries from around the corner.

## Important
- Sign in before you touch the basket.
- findGoods may be called ten times a minute.

## findGoods
Find goods by a word.

### Params
- `word` (string, required): What to look for.
- `limit` (number, optional, default=20): The most to return.

### Output
```typescript
{ goods: Array<{ id: string; name: string; price: number }>; total: number }
```

### Sample Code
```js
const found = await global.findGoods(word);
```

## addToBasket
Put goods into the basket.

### Params
- `goodsId` (string, required): Which goods.
- `count` (number, optional, default=1): How many.

### Output
```typescript
{ basketId: string; lines: Array<{ goodsId: string; count: number }> }
```

### Sample Code
```js
await global.addToBasket(goodsId, count);
```
"""

COMPACT = """tool: findGoods(word, limit=20)
  description: |
    Find goods by a word.
  params:
    word: string
    limit: number?
  output:
    ```typescript
    { goods: Array<{ id: string; name: string; price: number }>; total: number }
    ```
  sample_code:
    ```js
    const found = await global.findGoods(word, limit);
    ```

tool: addToBasket(goodsId, count=1)
  description: |
    Put goods into the basket.
  params:
    goodsId: string
    count: number?
  sample_code:
    ```js
    await global.addToBasket(goodsId, count);
    ```
"""


def section(body: str, title: str = "t") -> str:
    """Return a manifest of one section."""
    return f"# S\n\n## {title}\nd\n\n{body}\n"


def first(text: str) -> Tool:
    """Return the first tool of a manifest."""
    return parse(text).tools[0]


def listed(*lines: str) -> list[Param]:
    """Return the parameters that are read from the lines of a list."""
    return first(section("### Params\n" + "\n".join(lines))).params


def declared(text: str) -> str:
    """Return the declarations of a manifest in Markdown."""
    return generate_typescript(parse(text))


def wordy(*tools: Tool, **fields: str) -> Manifest:
    """Return a manifest built by hand."""
    return Manifest(tools=list(tools), **{"name": "S", **fields})


def brief(params: list[Param]) -> list[tuple[str, str, bool, str | None]]:
    """Return name, type, need and default of each parameter."""
    return [(p.name, p.type, p.required, p.default) for p in params]
