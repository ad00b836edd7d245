"""Rules about types."""

from __future__ import annotations

from webagent.diagnostics import Severity
from webagent.diagnostics.rule import Rule

TYPES = (
    Rule(
        "invalid-type",
        Severity.ERROR,
        "A type is no TypeScript.",
        "Agents are shown `unknown` in its place, and do not learn what to pass or what comes back.",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `tags` (Array<string, required): Tags.\n",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `tags` (Array<string>, required): Tags.\n",
    ),
    Rule(
        "unknown-type",
        Severity.WARNING,
        "A type has a name that nobody declared, or one of another language.",
        "Words such as `int` are read as the TypeScript they mean; any other name becomes `unknown`.",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (int, optional): Most.\n",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (number, optional): Most.\n",
    ),
    Rule(
        "output-not-a-type",
        Severity.WARNING,
        "The output is described in words.",
        "Declarations need a type; the words are shown as part of the description, and the result "
        "is `any`.",
        "# Shop\n\n## search\nFind.\n\n### Output\nThe products that were found.\n",
        "# Shop\n\n## search\nFind. Returns the products.\n\n### Output\n"
        "```typescript\nArray<{ id: string }>\n```\n",
    ),
    Rule(
        "output-is-sample",
        Severity.INFO,
        "The output is a sample value instead of a type.",
        "Its type is guessed: a member that can be missing or null cannot be seen in one sample.",
        '# Shop\n\n## search\nFind.\n\n### Output\n```json\n{ "ids": ["a"] }\n```\n',
        "# Shop\n\n## search\nFind.\n\n### Output\n```typescript\n{ ids: string[] }\n```\n",
    ),
    Rule(
        "invalid-declaration",
        Severity.ERROR,
        "A shared type under `## Types` cannot be declared as it is written.",
        "It is left out of the declarations, and types that use it become `unknown`.",
        "# Shop\n\n## Types\n```typescript\ninterface Product { id string }\n```\n\n"
        "## pay\nPay.\n\n### Params\n",
        "# Shop\n\n## Types\n```typescript\ninterface Product { id: string }\n```\n\n"
        "## pay\nPay.\n\n### Params\n",
    ),
    Rule(
        "duplicate-type",
        Severity.ERROR,
        "Two shared types have the same name.",
        "Only the first is used; whoever meant the second gets the wrong type.",
        "# Shop\n\n## Types\n```typescript\ntype Id = string\ntype Id = number\n```\n\n"
        "## pay\nPay.\n\n### Params\n",
        "# Shop\n\n## Types\n```typescript\ntype Id = string\ntype Count = number\n```\n\n"
        "## pay\nPay.\n\n### Params\n",
    ),
    Rule(
        "circular-type",
        Severity.ERROR,
        "A shared type stands for itself.",
        "TypeScript cannot work out what it is. A type may name itself inside a property or an "
        "array, where there is an end to it.",
        "# Shop\n\n## Types\n```typescript\ntype Tree = Tree | string\n```\n\n"
        "## pay\nPay.\n\n### Params\n",
        "# Shop\n\n## Types\n```typescript\ntype Tree = { children: Tree[] }\n```\n\n"
        "## pay\nPay.\n\n### Params\n",
    ),
    Rule(
        "invalid-schema",
        Severity.ERROR,
        "A schema is no JSON object.",
        "What cannot be read is not used; callers are told only what the types say.",
        "# Shop\n\n## pay\nPay.\n\n### Params\n- `sum` (number): In EUR.\n\n"
        '### Input Schema\n```json\n{"type": "object",}\n```\n',
        "# Shop\n\n## pay\nPay.\n\n### Params\n- `sum` (number): In EUR.\n\n"
        '### Input Schema\n```json\n{"type": "object", "properties": {"sum": '
        '{"type": "number", "minimum": 1}}, "required": ["sum"]}\n```\n',
    ),
    Rule(
        "schema-mismatch",
        Severity.WARNING,
        "A schema says something else than the types beside it.",
        "Programs are given the schema and models the types, so one of them gets it wrong.",
        "# Shop\n\n## pay\nPay.\n\n### Params\n- `sum` (number): In EUR.\n\n"
        '### Input Schema\n```json\n{"type": "object", "properties": {"sum": '
        '{"type": "string"}}, "required": ["sum"]}\n```\n',
        "# Shop\n\n## pay\nPay.\n\n### Params\n- `sum` (number): In EUR.\n\n"
        '### Input Schema\n```json\n{"type": "object", "properties": {"sum": '
        '{"type": "number", "minimum": 1}}, "required": ["sum"]}\n```\n',
    ),
    Rule(
        "default-type",
        Severity.WARNING,
        "A default is no value of the parameter's type.",
        "An agent that passes the default as it is written is refused.",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (number, optional, default=many): Most.\n",
        "# Shop\n\n## search\nFind.\n\n### Params\n- `limit` (number, optional, default=20): Most.\n",
    ),
)
