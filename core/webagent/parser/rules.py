"""The rules of the parser, about text that it cannot place or has to guess at."""

from __future__ import annotations

from webagent.diagnostics import Severity
from webagent.diagnostics.rule import Rule

UNCLOSED_FENCE = Rule(
    "unclosed-fence",
    Severity.ERROR,
    what="A fence of code is opened and never closed.",
    why="Markdown reads everything below it as code, so the tools there do not exist.",
    bad="# Shop\n\n## search\nFind.\n\n### Output\n```typescript\nstring[]\n",
    good="# Shop\n\n## search\nFind.\n\n### Output\n```typescript\nstring[]\n```\n",
)

FENCE_SWALLOWS_HEADING = Rule(
    "fence-swallows-heading",
    Severity.ERROR,
    what="A fence of code holds headings, because the fence that closes it belongs to later code.",
    why="The sections in it are read as code. One forgotten fence shifts all fences after it.",
    bad="""\
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
    good="""\
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
)

UNCLOSED_HTML = Rule(
    "unclosed-html",
    Severity.ERROR,
    what="A comment or another HTML block is opened and never closed.",
    why="Markdown reads everything below it as HTML, so agents do not see it.",
    bad="# Shop\n\n<!-- to do\n\n## search\nFind.\n\n### Params\n",
    good="# Shop\n\n<!-- to do -->\n\n## search\nFind.\n\n### Params\n",
)

HIDDEN_COMMENT = Rule(
    "hidden-comment",
    Severity.INFO,
    what="The file has an HTML comment.",
    why="Comments are for the authors of the file: agents do not see them. Do not put text that "
    "agents need into one. `webagent-dev fmt` refuses files with comments, as it would lose them.",
    bad="# Shop\n\n<!-- Prices are in euros. -->\n\n## search\nFind.\n\n### Params\n",
    good="# Shop\n\nPrices are in euros.\n\n## search\nFind.\n\n### Params\n",
)

HEADING_WITHOUT_SPACE = Rule(
    "heading-without-space",
    Severity.WARNING,
    what="A line starts with `##` and no space.",
    why="Markdown reads it as text, so the tool or subsection does not exist.",
    bad="# Shop\n\n##search\nFind.\n\n## pay\nPay.\n\n### Params\n",
    good="# Shop\n\n## search\nFind.\n\n### Params\n\n## pay\nPay.\n\n### Params\n",
)

IMPLICIT_TOOL = Rule(
    "implicit-tool",
    Severity.WARNING,
    what="A section is a tool only because its heading looks like a function.",
    why="A section is a tool when it has `### Params`, `### Output` or `### Sample Code`. A heading "
    "such as `getCart` is taken for one as well, but that is a guess.",
    bad="# Shop\n\n## getCart\nList the items in the cart.\n",
    good="# Shop\n\n## getCart\nList the items in the cart.\n\n### Params\n",
)

UNKNOWN_SUBSECTION = Rule(
    "unknown-subsection",
    Severity.INFO,
    what="A tool has a subsection that has no meaning of its own.",
    why="It is kept as a note of the tool. If it was meant as one of the known subsections, its "
    "content is not used.",
    bad="# Shop\n\n## search\nFind.\n\n### Paramters\n- `q` (string): Words.\n\n### Output\n`void`\n",
    good="# Shop\n\n## search\nFind.\n\n### Params\n- `q` (string): Words.\n\n### Output\n`void`\n",
)

DUPLICATE_SUBSECTION = Rule(
    "duplicate-subsection",
    Severity.WARNING,
    what="A tool has a subsection twice.",
    why="Both are read, but other readers of the format may take only one.",
    bad="# Shop\n\n## pay\nPay.\n\n### Params\n- `a` (string): A.\n\n### Params\n- `b` (string): B.\n",
    good="# Shop\n\n## pay\nPay.\n\n### Params\n- `a` (string): A.\n- `b` (string): B.\n",
)

MISPLACED_TEXT = Rule(
    "misplaced-text",
    Severity.INFO,
    what="There is text where only parameters, a type or code belong.",
    why="It is moved to the tool's description, away from the place where it was written.",
    bad="# Shop\n\n## pay\nPay.\n\n### Params\nOnly when signed in.\n\n- `a` (string): A.\n",
    good="# Shop\n\n## pay\nPay. Only when signed in.\n\n### Params\n- `a` (string): A.\n",
)

MISPLACED_VERSION = Rule(
    "misplaced-version",
    Severity.WARNING,
    what="A line like `*Version: 1.2*` is not directly below the title.",
    why="Only there it is the version of the manifest. Elsewhere it is text, and the version stays "
    "`0.1`.",
    bad="# Shop\n\nGroceries.\n\n*Version: 1.2*\n\n## pay\nPay.\n\n### Params\n",
    good="# Shop\n\n*Version: 1.2*\n\nGroceries.\n\n## pay\nPay.\n\n### Params\n",
)

NESTED_TOO_DEEP = Rule(
    "nested-too-deep",
    Severity.WARNING,
    what="A parameter has more than six levels of fields, or a list or quote is inside a hundred others.",
    why="Deeper levels are read as text, so that any file is read in reasonable time. A field there "
    "becomes part of the description of the field around it.",
    bad="# Shop\n\n## pay\nPay.\n\n### Params\n- `a` (object): A.\n"
    + "".join(
        f"{'  ' * depth}- `{name}` (object): Part.\n" for depth, name in enumerate("bcdefgh", 1)
    ),
    good="# Shop\n\n## pay\nPay.\n\n### Params\n- `a` (A): A.\n\n"
    "## Types\n\n```typescript\ninterface A { b: string }\n```\n",
)

UNKNOWN_BEHAVIOR = Rule(
    "unknown-behavior",
    Severity.WARNING,
    what="A bullet under `### Behavior` is not one that the format knows.",
    why="The behavior of a tool decides whether a person is asked before a call. A misspelt line "
    "has no effect.",
    bad="# Shop\n\n## pay\nPay.\n\n### Params\n\n### Behavior\n- effect: dangerous\n",
    good="# Shop\n\n## pay\nPay.\n\n### Params\n\n### Behavior\n- effect: irreversible\n",
)

UNREADABLE_PARAM = Rule(
    "unreadable-param",
    Severity.ERROR,
    what="An item among the parameters has no name, or cannot be read to its end.",
    why="The parameter is missing in the declarations, so agents do not pass it, and the parameters "
    "after it move up.",
    bad="# Shop\n\n## search\nFind.\n\n### Params\n- the words to look for\n",
    good="# Shop\n\n## search\nFind.\n\n### Params\n- `query` (string): The words to look for.\n",
)

PARAM_NOT_IN_SIGNATURE = Rule(
    "param-not-in-signature",
    Severity.WARNING,
    what="A parameter is described, but the signature of its tool does not have it.",
    why="Arguments go by position, and the signature gives their order. The position of this "
    "parameter is unknown, so it comes last.",
    bad="# Shop\n\n## search(query)\nFind.\n\n### Params\n- `query` (string): Words.\n"
    "- `limit` (number, optional): Most results.\n",
    good="# Shop\n\n## search(query, limit)\nFind.\n\n### Params\n- `query` (string): Words.\n"
    "- `limit` (number, optional): Most results.\n",
)

INVALID_TYPE = Rule(
    "invalid-type",
    Severity.ERROR,
    what="A type is not TypeScript.",
    why="Agents see `unknown` in its place, and do not learn what to pass or what is returned.",
    bad="# Shop\n\n## search\nFind.\n\n### Params\n- `tags` (Array<string, required): Tags.\n",
    good="# Shop\n\n## search\nFind.\n\n### Params\n- `tags` (Array<string>, required): Tags.\n",
)

OUTPUT_NOT_A_TYPE = Rule(
    "output-not-a-type",
    Severity.WARNING,
    what="The output is described in words.",
    why="Declarations need a type. The words become part of the description, and the result is "
    "`any`.",
    bad="# Shop\n\n## search\nFind.\n\n### Output\nThe products that were found.\n",
    good="# Shop\n\n## search\nFind. Returns the products.\n\n### Output\n"
    "```typescript\nArray<{ id: string }>\n```\n",
)

OUTPUT_IS_SAMPLE = Rule(
    "output-is-sample",
    Severity.INFO,
    what="The output is a sample value instead of a type.",
    why="Its type is a guess: one sample does not show which members can be missing or null.",
    bad='# Shop\n\n## search\nFind.\n\n### Output\n```json\n{ "ids": ["a"] }\n```\n',
    good="# Shop\n\n## search\nFind.\n\n### Output\n```typescript\n{ ids: string[] }\n```\n",
)

INVALID_SCHEMA = Rule(
    "invalid-schema",
    Severity.ERROR,
    what="A schema is not a JSON object.",
    why="The schema is not used, so callers get only what the types say.",
    bad="# Shop\n\n## pay\nPay.\n\n### Params\n- `sum` (number): In EUR.\n\n"
    '### Input Schema\n```json\n{"type": "object",}\n```\n',
    good="# Shop\n\n## pay\nPay.\n\n### Params\n- `sum` (number): In EUR.\n\n"
    '### Input Schema\n```json\n{"type": "object", "properties": {"sum": '
    '{"type": "number", "minimum": 1}}, "required": ["sum"]}\n```\n',
)

UNFENCED_CODE = Rule(
    "unfenced-code",
    Severity.WARNING,
    what="Sample code is not in a fence.",
    why="Markdown may read parts of it as markup, such as `*` and `_`.",
    bad="# Shop\n\n## pay\nPay.\n\n### Sample Code\nawait global.pay();\n",
    good="# Shop\n\n## pay\nPay.\n\n### Sample Code\n```js\nawait global.pay();\n```\n",
)
