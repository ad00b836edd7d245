"""Rules about the file as a whole: its encoding, its fences, and what it is."""

from __future__ import annotations

from webagent.diagnostics import Severity
from webagent.diagnostics.rule import Rule

DOCUMENT = (
    Rule(
        "not-utf-8",
        Severity.ERROR,
        "The file is not encoded as UTF-8.",
        "Agents read manifests as UTF-8. Characters in another encoding become `�`, so names and "
        "texts change.",
        "# Caf\udce9\n\n## order\nOrder a coffee.\n\n### Params\n\n### Output\n`void`\n",
        "# Café\n\n## order\nOrder a coffee.\n\n### Params\n\n### Output\n`void`\n",
    ),
    Rule(
        "foreign-document",
        Severity.ERROR,
        "The file is something else of the same name: a guide in prose, an HTML page, an OpenAPI "
        "description, a list of tools in JSON.",
        "Agents find no tool in it, so `webagent-dev check` fails. Often a server answers with its start page where the manifest "
        "should be, or tools are declared in a language of their own.",
        """\
# Shop

Tools of this shop:

```json
{"tools": [{"name": "search", "description": "Find products"}]}
```
""",
        """\
# Shop

## search
Find products.

### Params
- `query` (string, required): Words to look for.

### Output
`string[]`
""",
    ),
    Rule(
        "empty-manifest",
        Severity.ERROR,
        "The file holds nothing.",
        "A page that announces an empty manifest tells agents that it can do nothing.",
        "\n",
        "# Shop\n\n## search\nFind products.\n\n### Params\n\n### Output\n`string[]`\n",
    ),
    Rule(
        "front-matter",
        Severity.WARNING,
        "The file starts with data between two lines of dashes.",
        "Front matter is no part of the format. Markdown reads its last line as a heading, so the "
        "data becomes a section that agents are shown, and the title below it a section as well. "
        "`webagent-dev fmt` refuses such files.",
        "---\ntitle: Shop\nversion: 2.0\n---\n\n# Shop\n\n## search\nFind.\n\n### Params\n",
        "# Shop\n\n*Version: 2.0*\n\n## search\nFind.\n\n### Params\n",
    ),
    Rule(
        "missing-title",
        Severity.WARNING,
        "The file has no heading of the first level.",
        "The title is the name of the site; without it an agent cannot say whose tools it uses.",
        "## search\nFind products.\n\n### Params\n\n### Output\n`string[]`\n",
        "# Shop\n\n## search\nFind products.\n\n### Params\n\n### Output\n`string[]`\n",
    ),
    Rule(
        "no-tools",
        Severity.WARNING,
        "The file declares no tool.",
        "An agent can read it, but call nothing.",
        "# Shop\n\nWe sell shoes.\n",
        "# Shop\n\nWe sell shoes.\n\n## search\nFind shoes.\n\n### Params\n\n### Output\n`void`\n",
    ),
    Rule(
        "unclosed-fence",
        Severity.ERROR,
        "A fence of code is opened and never closed.",
        "Markdown reads everything below it as code, so the tools there do not exist.",
        "# Shop\n\n## search\nFind.\n\n### Output\n```typescript\nstring[]\n",
        "# Shop\n\n## search\nFind.\n\n### Output\n```typescript\nstring[]\n```\n",
    ),
    Rule(
        "fence-swallows-heading",
        Severity.ERROR,
        "A fence of code holds headings, because the fence that closes it belongs to later code.",
        "The sections in it are read as code. One forgotten fence puts all that follow out of step.",
        """\
# Shop

## search
Find.

### Output
```typescript
string[]

### Sample Code
```js
await global.search();
```
""",
        """\
# Shop

## search
Find.

### Output
```typescript
string[]
```

### Sample Code
```js
await global.search();
```
""",
    ),
    Rule(
        "unclosed-html",
        Severity.ERROR,
        "A comment or another HTML block is opened and never closed.",
        "Markdown reads everything below it as HTML, so agents are not shown it.",
        "# Shop\n\n<!-- to do\n\n## search\nFind.\n\n### Params\n",
        "# Shop\n\n<!-- to do -->\n\n## search\nFind.\n\n### Params\n",
    ),
    Rule(
        "hidden-comment",
        Severity.INFO,
        "The file has an HTML comment.",
        "Comments are for the authors of the file: agents are not shown them. Text that agents need "
        "must not stand in one. `webagent-dev fmt` refuses files with comments, as it would lose them.",
        "# Shop\n\n<!-- Prices are in euros. -->\n\n## search\nFind.\n\n### Params\n",
        "# Shop\n\nPrices are in euros.\n\n## search\nFind.\n\n### Params\n",
    ),
    Rule(
        "heading-without-space",
        Severity.WARNING,
        "A line starts with `##` and no space.",
        "Markdown reads it as text, so the tool or subsection does not exist.",
        "# Shop\n\n##search\nFind.\n\n## pay\nPay.\n\n### Params\n",
        "# Shop\n\n## search\nFind.\n\n### Params\n\n## pay\nPay.\n\n### Params\n",
    ),
    Rule(
        "large-manifest",
        Severity.WARNING,
        "The whole manifest takes more than 20,000 tokens of a model's context, by estimate.",
        "The model reads all of it before it does anything; small ones have no room left to work, "
        "and every request costs more.",
        "# Shop\n\n" + "Everything about our shoes. " * 3_000 + "\n\n## pay\nPay.\n\n### Params\n",
        "# Shop\n\nOur shoes are described on their pages.\n\n## pay\nPay.\n\n### Params\n",
    ),
)
