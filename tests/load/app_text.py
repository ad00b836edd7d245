"""The manifest and the page of the site under load."""

MANIFEST = """# Load

A site under load.

## look

Look at a word.

### Params

- `word` (string, required): The word.

### Output

```typescript
string
```

### Sample Code

```js
await global.look("sea");
```

### Behavior

- title: Look
- effect: read
"""
PAGE = """<!doctype html><title>Load</title><link rel="icon" href="data:,"><script>
window.journal = {};
window.look = (word) => { journal[word] = (journal[word] ?? 0) + 1; return word; };
</script>"""
CALL_S = 20.0
"""Limit of a call."""
