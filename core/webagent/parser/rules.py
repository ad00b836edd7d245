"""Rules whose findings the parser itself reports."""

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
    why="The sections in it are read as code. One forgotten fence puts all that follow out of step.",
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
    why="Markdown reads everything below it as HTML, so agents are not shown it.",
    bad="# Shop\n\n<!-- to do\n\n## search\nFind.\n\n### Params\n",
    good="# Shop\n\n<!-- to do -->\n\n## search\nFind.\n\n### Params\n",
)

HIDDEN_COMMENT = Rule(
    "hidden-comment",
    Severity.INFO,
    what="The file has an HTML comment.",
    why="Comments are for the authors of the file: agents are not shown them. Text that agents need "
    "must not stand in one. `webagent-dev fmt` refuses files with comments, as it would lose them.",
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
    bad="# Shop\n\n## getCart\nWhat is in the cart.\n",
    good="# Shop\n\n## getCart\nWhat is in the cart.\n\n### Params\n",
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
    what="Text stands where only parameters, a type or code belong.",
    why="It is shown as part of the tool's description, out of the place where it was written.",
    bad="# Shop\n\n## pay\nPay.\n\n### Params\nOnly when signed in.\n\n- `a` (string): A.\n",
    good="# Shop\n\n## pay\nPay. Only when signed in.\n\n### Params\n- `a` (string): A.\n",
)

MISPLACED_VERSION = Rule(
    "misplaced-version",
    Severity.WARNING,
    what="A line like `*Version: 1.2*` does not stand directly below the title.",
    why="Only there is it the version of the manifest; elsewhere it is text, and the version stays "
    "`0.1`.",
    bad="# Shop\n\nGroceries.\n\n*Version: 1.2*\n\n## pay\nPay.\n\n### Params\n",
    good="# Shop\n\n*Version: 1.2*\n\nGroceries.\n\n## pay\nPay.\n\n### Params\n",
)

NESTED_TOO_DEEP = Rule(
    "nested-too-deep",
    Severity.WARNING,
    what="A parameter has fields in more than six levels, or a list or quote stands in a hundred.",
    why="What is nested deeper is read as text, so that any file is read in reasonable time: a "
    "field is then part of the description of the one around it.",
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
    what="A bullet under `### Behavior` says nothing that is known.",
    why="What a tool does to the world decides whether a person is asked before it is called; a "
    "misspelt line decides nothing.",
    bad="# Shop\n\n## pay\nPay.\n\n### Params\n\n### Behavior\n- effect: dangerous\n",
    good="# Shop\n\n## pay\nPay.\n\n### Params\n\n### Behavior\n- effect: irreversible\n",
)

UNREADABLE_PARAM = Rule(
    "unreadable-param",
    Severity.ERROR,
    what="Something among the parameters names none, or cannot be read to its end.",
    why="The parameter does not reach the declarations, so agents do not pass it, and those behind "
    "it move up.",
    bad="# Shop\n\n## search\nFind.\n\n### Params\n- the words to look for\n",
    good="# Shop\n\n## search\nFind.\n\n### Params\n- `query` (string): The words to look for.\n",
)

PARAM_NOT_IN_SIGNATURE = Rule(
    "param-not-in-signature",
    Severity.WARNING,
    what="A parameter is described, but the signature of its tool does not have it.",
    why="Arguments go by position. The signature gives the order; for this parameter nobody knows "
    "its place, so it is put last.",
    bad="# Shop\n\n## search(query)\nFind.\n\n### Params\n- `query` (string): Words.\n"
    "- `limit` (number, optional): Most results.\n",
    good="# Shop\n\n## search(query, limit)\nFind.\n\n### Params\n- `query` (string): Words.\n"
    "- `limit` (number, optional): Most results.\n",
)

INVALID_TYPE = Rule(
    "invalid-type",
    Severity.ERROR,
    what="A type is no TypeScript.",
    why="Agents are shown `unknown` in its place, and do not learn what to pass or what comes back.",
    bad="# Shop\n\n## search\nFind.\n\n### Params\n- `tags` (Array<string, required): Tags.\n",
    good="# Shop\n\n## search\nFind.\n\n### Params\n- `tags` (Array<string>, required): Tags.\n",
)

OUTPUT_NOT_A_TYPE = Rule(
    "output-not-a-type",
    Severity.WARNING,
    what="The output is described in words.",
    why="Declarations need a type; the words are shown as part of the description, and the result "
    "is `any`.",
    bad="# Shop\n\n## search\nFind.\n\n### Output\nThe products that were found.\n",
    good="# Shop\n\n## search\nFind. Returns the products.\n\n### Output\n"
    "```typescript\nArray<{ id: string }>\n```\n",
)

OUTPUT_IS_SAMPLE = Rule(
    "output-is-sample",
    Severity.INFO,
    what="The output is a sample value instead of a type.",
    why="Its type is guessed: a member that can be missing or null cannot be seen in one sample.",
    bad='# Shop\n\n## search\nFind.\n\n### Output\n```json\n{ "ids": ["a"] }\n```\n',
    good="# Shop\n\n## search\nFind.\n\n### Output\n```typescript\n{ ids: string[] }\n```\n",
)

INVALID_SCHEMA = Rule(
    "invalid-schema",
    Severity.ERROR,
    what="A schema is no JSON object.",
    why="What cannot be read is not used; callers are told only what the types say.",
    bad="# Shop\n\n## pay\nPay.\n\n### Params\n- `sum` (number): In EUR.\n\n"
    '### Input Schema\n```json\n{"type": "object",}\n```\n',
    good="# Shop\n\n## pay\nPay.\n\n### Params\n- `sum` (number): In EUR.\n\n"
    '### Input Schema\n```json\n{"type": "object", "properties": {"sum": '
    '{"type": "number", "minimum": 1}}, "required": ["sum"]}\n```\n',
)

UNFENCED_CODE = Rule(
    "unfenced-code",
    Severity.WARNING,
    what="Sample code stands in no fence.",
    why="Markdown may change what it takes for markup, such as `*` and `_`.",
    bad="# Shop\n\n## pay\nPay.\n\n### Sample Code\nawait global.pay();\n",
    good="# Shop\n\n## pay\nPay.\n\n### Sample Code\n```js\nawait global.pay();\n```\n",
)
